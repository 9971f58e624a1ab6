$ -- Blocks of a thread block cluster, which store to each other's shared memory, and signals that count what has come there.
$ -- Source: PTX ISA, "st.async", "mapa", "mbarrier", "barrier.cluster" (sm_90).
const uint CLUSTER = $(cluster)u; // blocks of the launch: one cluster

__shared__ u64 signals[SIGNALS]; // mbarriers

uint shared_address(const void *pointer)
{
    return (uint)__cvta_generic_to_shared(pointer);
}

// The address that a block of the cluster has for the place that is at `address` here.
uint address_in_block(uint block, uint address)
{
    uint there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
    return there;
}

// The whole block calls it, once. Before a thread sends, it calls wait_for_cluster.
void begin_cluster()
{
    if (thread_id() == 0u) {
        ROLL for (uint s = 0u; s < SIGNALS; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&signals[s])));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); // the fence is all that others have to see
}

void wait_for_cluster()
{
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// All threads of all blocks call it. It orders what they do in device memory, which signals do not.
void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

// Of the signal's next turn: it is given when this number of bytes has come, which may begin before the call. One thread calls it, once a turn.
void expect_bytes(uint signal, uint bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&signals[signal])), "r"(bytes) : "memory");
}

// Stores to the same place in the shared memory of a block of the cluster, its own included, and adds the bytes to that block's signal. A pair's place
// is 8-byte aligned, a quad's 16-byte aligned.
void send_word(uint block, const uint *place, uint word, uint signal)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(address_in_block(block, shared_address(place))),
                 "r"(word), "r"(address_in_block(block, shared_address(&signals[signal])))
                 : "memory");
}

void send_pair(uint block, const uint *place, uint low, uint high, uint signal)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(address_in_block(block, shared_address(place))),
                 "r"(low), "r"(high), "r"(address_in_block(block, shared_address(&signals[signal])))
                 : "memory");
}

void send_quad(uint block, const uint *place, uint x, uint y, uint z, uint w, uint signal)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                     address_in_block(block, shared_address(place))),
                 "r"(x), "r"(y), "r"(z), "r"(w), "r"(address_in_block(block, shared_address(&signals[signal])))
                 : "memory");
}

// Waits until the signal has been given `times` + 1 times: what was sent is there.
void wait_for_signal(uint signal, uint times)
{
    uint is_there = 0u;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(is_there)
                     : "r"(shared_address(&signals[signal])), "r"(times % 2u)
                     : "memory");
    } while (is_there == 0u);
}
