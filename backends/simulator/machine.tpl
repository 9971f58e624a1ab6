$ -- Of the vocabulary, what takes more than one thread: geometry, places, barriers.
#define BLOCK $(BLOCK)u // threads of a block
$ if SUBGROUP == 1 then
#define LANES BLOCK // no subgroup operations: the block is one subgroup, its shuffles go through shared memory
$ else
#define LANES $(LANES)u // of a subgroup
$ end
#define VECTOR $(VECTOR)u // consecutive items of a lane
$ if ROWS then
#define ROWS $(ROWS)u // of a tile, for each subgroup
#define TILE $(BLOCK * ITEMS)u // items of a tile
$ end
$ if earlier_tile then
#define EARLIER_TILE $(earlier_tile)u // items of a tile, and blocks at most, of the launch before
#define EARLIER_BLOCKS $(earlier_blocks)u
$ end

uint block_id()
{
    return ms_machine_running->place.block_id;
}

uint block_count()
{
    return ms_machine_running->place.block_count;
}

// Of the first BLOCK threads.
#define block_barrier() ms_machine_running->block_barrier(__LINE__)

// A block_barrier that orders what they do in device memory, too.
#define block_barrier_all_memory() ms_machine_running->block_barrier_all_memory(__LINE__)

// Orders what the lanes of a subgroup do in shared memory. All of them call it.
$ if SUBGROUP == 1 then
#define subgroup_barrier() block_barrier()
$ else
#define subgroup_barrier() ms_machine_running->subgroup_barrier(__LINE__)
$ end

uint lane_id()
{
    return ms_machine_running->place.lane_id;
}

uint subgroup_id()
{
    return ms_machine_running->place.subgroup_id;
}

uint thread_id()
{
    return subgroup_id() * LANES + lane_id();
}
