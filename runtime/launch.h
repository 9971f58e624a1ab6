/* launch.h - the plan's only interpreter: an allocation-free fragment, used by the runtime and copied into vendored headers.
 *
 * A vendored header has it between its plan and a vendor's calls, so it is C11 and C++17.
 *
 * The caller supplies what differs between interfaces: how to dispatch a kernel with its parameter block, and how to
 * order one dispatch after another. */
#ifndef MSW_LAUNCH_H
#define MSW_LAUNCH_H

#include <monosweep/monosweep_plan.h>
#include <string.h>

/* What launches return, beside what a dispatch does, when they have enqueued nothing: outside the error codes of the vendors. */
enum {
    MSW_LAUNCH_UNSERVED = -0x4d5301,  /* no variant serves this n, or not in place, or with MSW_PING_PONG */
    MSW_LAUNCH_TOO_SMALL = -0x4d5302, /* the scratch */
    MSW_LAUNCH_UNALIGNED = -0x4d5303, /* an address */
    MSW_LAUNCH_NO_PLAN = -0x4d5304,   /* the kernel was not created, or destroyed */
    MSW_LAUNCH_MISSING = -0x4d5305,   /* an input or a uniform has no address, nor an output that is_read, with MSW_PING_PONG any buffer; a scratch to
                                         initialise has none */
    MSW_LAUNCH_ALIASED = -0x4d5306,   /* what is written shares memory with something, and MSW_IN_PLACE does not allow it */
    MSW_LAUNCH_INVALID = -0x4d5307    /* flags that are not known or exclude each other; a carry, or a buffer, that the operation does not have; a
                                         scratch that does not end within the address space */
};

/* How outputs lie to inputs: apart, in place, or taking turns with them; or apart, but with one place for both carries. */
typedef enum msw_launch_mode { MSW_LAUNCH_APART = 0, MSW_LAUNCH_IN_PLACE = 1, MSW_LAUNCH_PING_PONG = 2, MSW_LAUNCH_ONE_CARRY = 3 } msw_launch_mode;

static inline int msw_launch_serves(const msw_plan_variant *variant, int mode)
{
    if (mode == MSW_LAUNCH_PING_PONG || variant->is_ping_pong) return mode == MSW_LAUNCH_PING_PONG && variant->is_ping_pong;
    return mode == MSW_LAUNCH_APART ||
           (mode == MSW_LAUNCH_ONE_CARRY ? variant->serves_in_place != 0 : variant->serves_in_place == MSW_SERVES_IN_PLACE);
}

/* Blocks of the largest cluster that a variant launches; 0: none. */
static inline uint32_t msw_launch_cluster(const msw_plan *plan, const msw_plan_variant *variant)
{
    uint32_t most = 0, s;
    for (s = 0; s < variant->step_count; s++) {
        const uint32_t blocks = plan->kernels[plan->steps[variant->first_step + s].kernel].cluster_blocks;
        if (blocks > most) most = blocks;
    }
    return most;
}

/* The first variant that serves n (an upper bound will do) in a msw_launch_mode, with clusters of at most max_cluster_blocks blocks; NULL: none
 * does. */
static inline const msw_plan_variant *msw_launch_variant(const msw_plan *plan, uint64_t n, int mode, uint32_t max_cluster_blocks)
{
    uint32_t v;
    for (v = 0; v < plan->variant_count; v++)
        if (n <= plan->variants[v].n_max && msw_launch_serves(&plan->variants[v], mode) &&
            msw_launch_cluster(plan, &plan->variants[v]) <= max_cluster_blocks)
            return &plan->variants[v];
    return NULL;
}

static inline uint32_t msw_launch_blocks(const msw_plan_step *step, uint64_t n)
{
    const uint64_t tiles = n / step->tile_items + (n % step->tile_items != 0);
    const uint32_t least = step->least_blocks ? step->least_blocks : 1;
    if (tiles <= least) return least;
    return tiles < step->max_blocks ? (uint32_t)tiles : step->max_blocks;
}

/* Bytes of scratch that one variant needs for exactly this n. */
static inline uint64_t msw_launch_variant_scratch(const msw_plan *plan, const msw_plan_variant *variant, uint64_t n)
{
    const uint32_t tile_items = plan->steps[variant->first_step].tile_items;
    const uint64_t tiles = n / tile_items + (n % tile_items != 0);
    uint64_t blocks = 0;
    uint32_t s;
    for (s = 0; s < variant->step_count; s++) {
        const uint64_t b = msw_launch_blocks(&plan->steps[variant->first_step + s], n);
        if (b > blocks) blocks = b;
    }
    return variant->scratch_base_bytes + variant->scratch_per_block_bytes * blocks + variant->scratch_per_tile_bytes * tiles;
}

/* ---- the scratch of pipelines ---- */

/* Where the parts of a pipeline's scratch begin: what stages keep, up to stages_end, then the places of arrays between them and of what they hold
 * while they run. */
typedef struct msw_launch_layout {
    uint64_t stages[MSW_MAX_STAGES], stages_end, places[MSW_MAX_PLACES], bytes;
} msw_launch_layout;

enum { MSW_LAUNCH_PART_BYTES = 256 }; /* what parts' bytes are multiples of */

/* Takes the next part; returns where it begins. */
static inline uint64_t msw_launch_take(msw_launch_layout *layout, uint64_t bytes)
{
    const uint64_t start = layout->bytes;
    layout->bytes += (bytes + MSW_LAUNCH_PART_BYTES - 1) / MSW_LAUNCH_PART_BYTES * MSW_LAUNCH_PART_BYTES;
    return start;
}

/* What a stage keeps; what it holds while it runs. */
static inline uint64_t msw_launch_stage_bytes(const msw_plan_stage *stage, uint64_t pipeline_n)
{
    const uint64_t n = msw_elements(stage->length, pipeline_n);
    return stage->scratch_base_bytes + stage->scratch_per_tile_bytes * (n / stage->scratch_tile_items + (n % stage->scratch_tile_items != 0));
}

static inline uint64_t msw_launch_temporary_bytes(const msw_plan_stage *stage, uint64_t pipeline_n)
{
    const uint64_t n = msw_elements(stage->length, pipeline_n);
    return stage->temporary_base_bytes + stage->temporary_per_tile_bytes * (n / stage->temporary_tile_items + (n % stage->temporary_tile_items != 0));
}

static inline uint64_t msw_launch_array_bytes(const msw_plan_buffer *array, uint64_t pipeline_n)
{
    return msw_elements(array->length, pipeline_n) * array->element_bytes;
}

static inline void msw_launch_widen(uint64_t *place_bytes, uint64_t bytes)
{
    if (bytes > *place_bytes) *place_bytes = bytes;
}

/* Room for any number of elements up to n, in all modes. */
static inline void msw_launch_lay_out(const msw_plan *plan, uint64_t n, msw_launch_layout *layout)
{
    uint32_t s, b, p;
    memset(layout, 0, sizeof *layout);
    for (s = 0; s < plan->stage_count; s++) layout->stages[s] = msw_launch_take(layout, msw_launch_stage_bytes(&plan->stages[s], n));
    layout->stages_end = layout->bytes;
    for (b = plan->buffer_count; b < plan->buffer_count + plan->between_count; b++) /* at first how large places are */
        msw_launch_widen(&layout->places[plan->buffers[b].place], msw_launch_array_bytes(&plan->buffers[b], n));
    for (s = 0; s < plan->stage_count; s++) msw_launch_widen(&layout->places[plan->stages[s].place], msw_launch_temporary_bytes(&plan->stages[s], n));
    for (p = 0; p < MSW_MAX_PLACES; p++) layout->places[p] = msw_launch_take(layout, layout->places[p]);
}

#define MSW_LAUNCH_MOST_LAID_OUT ((uint64_t)1 << 44)

/* The layout that a scratch of so many bytes has, whatever n is: posts of one n must not meet another's arrays. So it is that of the largest n which
 * fits. */
static inline void msw_launch_layout_of(const msw_plan *plan, uint64_t scratch_bytes, msw_launch_layout *layout)
{
    const uint64_t n_max = plan->variants[plan->variant_count - 1].n_max;
    uint64_t fits = 0, end = (n_max < MSW_LAUNCH_MOST_LAID_OUT ? n_max : MSW_LAUNCH_MOST_LAID_OUT) + 1;
    while (end - fits > 1) {
        const uint64_t middle = fits + (end - fits) / 2;
        msw_launch_lay_out(plan, middle, layout);
        if (layout->bytes <= scratch_bytes) fits = middle;
        else end = middle;
    }
    msw_launch_lay_out(plan, fits, layout);
}

/* ---- the scratch of all ---- */

/* Bytes of scratch for any n <= n_bound, taking turns with the inputs, or else in place or not: the need grows with n inside a variant, so its
 * range's end decides. What serves one carry alone is of a plan that serves no more. A variant with clusters may be passed over: the first without
 * ends the search. */
static inline uint64_t msw_launch_scratch(const msw_plan *plan, uint64_t n_bound, int is_ping_pong)
{
    msw_launch_layout layout;
    uint64_t most = 0;
    uint32_t v;
    if (plan->stage_count) {
        const uint64_t n_max = plan->variants[plan->variant_count - 1].n_max;
        msw_launch_lay_out(plan, n_bound < n_max ? n_bound : n_max, &layout);
        return layout.bytes;
    }
    for (v = 0; v < plan->variant_count; v++) {
        const uint64_t n_max = plan->variants[v].n_max;
        const uint64_t need = msw_launch_variant_scratch(plan, &plan->variants[v], n_bound < n_max ? n_bound : n_max);
        if (!plan->variants[v].is_ping_pong != !is_ping_pong) continue;
        if (need > most) most = need;
        if (n_bound <= n_max && msw_launch_serves(&plan->variants[v], is_ping_pong ? MSW_LAUNCH_PING_PONG : MSW_LAUNCH_ONE_CARRY) &&
            !msw_launch_cluster(plan, &plan->variants[v]))
            break;
    }
    return most;
}

typedef struct msw_launch_ops {
    void *user;
    /* 0 on success; any other value ends the launch and is returned */
    int (*dispatch)(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params);
    void (*barrier)(void *user); /* later dispatches see what earlier ones wrote */
    uint32_t max_cluster_blocks; /* variants with larger clusters are passed over; 0: all variants with clusters are */
} msw_launch_ops;

/* Enqueues `count` steps, one after the other. params->argument is set from each step. */
static inline int msw_launch_steps(const msw_plan_step *steps, uint32_t count, const msw_params *params, const msw_launch_ops *ops)
{
    msw_params p = *params;
    uint32_t s;
    for (s = 0; s < count; s += 1 + steps[s].joined) {
        const uint32_t together = 1 + steps[s].joined;
        uint32_t i;
        for (i = 0; i / together <= steps[s].repeats; i++) {
            const msw_plan_step *step = &steps[s + i % together];
            int failed;
            if (s || i) ops->barrier(ops->user);
            p.argument = step->argument + i / together;
            failed = ops->dispatch(ops->user, step->kernel, msw_launch_blocks(step, p.n), &p);
            if (failed) return failed;
        }
    }
    return 0;
}

/* Enqueues the steps that serve params->n, or returns MSW_LAUNCH_UNSERVED. */
static inline int msw_launch(const msw_plan *plan, const msw_params *params, int mode, const msw_launch_ops *ops)
{
    const msw_plan_variant *variant = msw_launch_variant(plan, params->n, mode, ops->max_cluster_blocks);
    if (!variant) return MSW_LAUNCH_UNSERVED;
    return msw_launch_steps(&plan->steps[variant->first_step], variant->step_count, params, ops);
}

/* Kernels count what was zeroed in 32 bits, in units of 256 bytes: of a larger scratch the rest is not used. */
#define MSW_LAUNCH_MOST_SCRATCH (((uint64_t)1 << 40) - 256)

static inline int msw_launch_zero(const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes, const msw_launch_ops *ops)
{
    msw_params p;
    memset(&p, 0, sizeof p);
    p.n = scratch_bytes < MSW_LAUNCH_MOST_SCRATCH ? scratch_bytes : MSW_LAUNCH_MOST_SCRATCH;
    p.scratch = scratch;
    return msw_launch_steps(&plan->steps[plan->step_count - plan->init_step_count], plan->init_step_count, &p, ops);
}

/* Enqueues the initialisation of a scratch at a device address: once before its first launch. Launches enqueued later see it. */
static inline int msw_launch_init(const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes, const msw_launch_ops *ops)
{
    msw_launch_layout layout;
    uint32_t s;
    int failed = 0;
    if (!plan->init_step_count || !scratch_bytes) return 0;
    if (!plan->stage_count) failed = msw_launch_zero(plan, scratch, scratch_bytes, ops);
    else msw_launch_layout_of(plan, scratch_bytes, &layout);
    for (s = 0; s < plan->stage_count && !failed; s++) { /* each by itself: kernels are told how much was */
        const uint64_t end = s + 1 < plan->stage_count ? layout.stages[s + 1] : layout.stages_end;
        if (end > layout.stages[s]) failed = msw_launch_zero(plan, scratch + layout.stages[s], end - layout.stages[s], ops);
    }
    if (!failed) ops->barrier(ops->user);
    return failed;
}

/* In place an output is an input: what a late block reads again may have been overwritten. So may the carry-in that is the carry-out. */
static inline int msw_launch_mode_of(const msw_plan *plan, const msw_enqueue_desc *desc)
{
    uint32_t o, i;
    if (desc->flags & MSW_PING_PONG) return MSW_LAUNCH_PING_PONG;
    for (o = 0; o < plan->buffer_count; o++)
        for (i = 0; i < plan->buffer_count && plan->buffers[o].role == MSW_ROLE_OUT; i++)
            if (plan->buffers[i].role == MSW_ROLE_IN && desc->buffers[o] && desc->buffers[o] == desc->buffers[i]) return MSW_LAUNCH_IN_PLACE;
    return desc->carry_in && desc->carry_in == desc->carry_out ? MSW_LAUNCH_ONE_CARRY : MSW_LAUNCH_APART;
}

/* The device address of a pipeline's array; 0: it is not given. */
static inline uint64_t msw_launch_array(const msw_plan *plan, const msw_enqueue_desc *desc, const msw_launch_layout *layout, uint32_t array)
{
    if (array == MSW_NO_ARRAY) return 0;
    return desc->buffers[array] || array < plan->buffer_count ? desc->buffers[array] : desc->scratch + layout->places[plan->buffers[array].place];
}

/* What the kernels of a stage are told. */
static inline void msw_launch_stage_params(const msw_plan *plan, const msw_enqueue_desc *desc, const msw_launch_layout *layout, uint32_t stage,
                                           msw_params *p)
{
    const msw_plan_stage *s = &plan->stages[stage];
    uint32_t b;
    memset(p, 0, sizeof *p);
    p->n = msw_elements(s->length, desc->n);
    if (s->counted_by) p->n_address = msw_launch_array(plan, desc, layout, s->counted_by - 1);
    else if (s->length == MSW_LENGTH_N) p->n_address = desc->n_address;
    p->temporary = desc->scratch + layout->places[s->place];
    p->scratch = s->scratch_base_bytes || s->scratch_per_tile_bytes ? desc->scratch + layout->stages[stage] : p->temporary;
    for (b = 0; b < MSW_MAX_KERNEL_BUFFERS; b++) p->buffer[b] = msw_launch_array(plan, desc, layout, s->arrays[b]);
}

/* Enqueues the steps of a pipeline, stage after stage. */
static inline int msw_launch_stages(const msw_plan *plan, const msw_enqueue_desc *desc, const msw_plan_variant *variant, const msw_launch_ops *ops)
{
    const msw_plan_step *steps = &plan->steps[variant->first_step];
    msw_launch_layout layout;
    msw_params p;
    uint32_t s, end;
    msw_launch_layout_of(plan, desc->scratch_bytes, &layout);
    for (s = 0; s < variant->step_count; s = end) {
        int failed;
        for (end = s + 1; end < variant->step_count && steps[end].stage == steps[s].stage; end++) {}
        if (s) ops->barrier(ops->user);
        msw_launch_stage_params(plan, desc, &layout, steps[s].stage, &p);
        failed = msw_launch_steps(&steps[s], end - s, &p, ops);
        if (failed) return failed;
    }
    return 0;
}

/* Enqueues all that a description asks for. 0, MSW_LAUNCH_UNSERVED, or what a dispatch returned. */
static inline int msw_launch_enqueue(const msw_plan *plan, const msw_enqueue_desc *desc, const msw_launch_ops *ops)
{
    const int mode = msw_launch_mode_of(plan, desc);
    const msw_plan_variant *variant = msw_launch_variant(plan, desc->n, mode, ops->max_cluster_blocks);
    msw_params p;
    if (!variant) return MSW_LAUNCH_UNSERVED;
    if ((desc->flags & MSW_SCRATCH_DIRTY) && desc->scratch) { /* all of it: another n, or mode, may follow that needs more */
        const int failed = msw_launch_init(plan, desc->scratch, desc->scratch_bytes, ops);
        if (failed) return failed;
    }
    if (plan->stage_count) return msw_launch_stages(plan, desc, variant, ops);
    memset(&p, 0, sizeof p);
    p.n = desc->n;
    p.n_address = desc->n_address;
    p.scratch = desc->scratch;
    p.carry_in = desc->carry_in;
    p.carry_out = desc->carry_out;
    memcpy(p.buffer, desc->buffers, sizeof p.buffer);
    return msw_launch(plan, &p, mode, ops);
}

/* ---- what is wrong with a description ---- */

/* What a description gives addresses of: the plan's buffers, then these. */
enum { MSW_PLACE_N = MSW_MAX_BUFFERS, MSW_PLACE_CARRY_IN, MSW_PLACE_CARRY_OUT, MSW_PLACE_SCRATCH, MSW_PLACES };

/* code: 0, or which of the codes above; the places that it is about, where it is about any. */
typedef struct msw_launch_fault {
    int code;
    uint32_t place, other;
} msw_launch_fault;

static inline msw_launch_fault msw_launch_fault_of(int code, uint32_t place, uint32_t other)
{
    msw_launch_fault fault;
    fault.code = code;
    fault.place = place;
    fault.other = other;
    return fault;
}

/* Device memory that a place stands for. */
typedef struct msw_launch_range {
    uint64_t address, bytes, alignment;
    int is_written;
} msw_launch_range;

/* With a device-side n the buffers' lengths are not known, nor those that a uniform says: one element stands for them. */
static inline msw_launch_range msw_launch_range_of(const msw_plan *plan, const msw_enqueue_desc *desc, uint32_t place)
{
    msw_launch_range r;
    memset(&r, 0, sizeof r);
    if (place < plan->buffer_count + plan->between_count) {
        const msw_plan_buffer *buffer = &plan->buffers[place];
        r.address = desc->buffers[place];
        r.bytes = msw_elements_given(buffer->length, desc->n_address ? 1 : desc->n, 1) * buffer->element_bytes;
        r.alignment = buffer->alignment_bytes;
        r.is_written = buffer->role == MSW_ROLE_OUT;
    } else if (place == MSW_PLACE_N) {
        r.address = desc->n_address;
        r.bytes = r.alignment = 8;
    } else if (place == MSW_PLACE_CARRY_IN || place == MSW_PLACE_CARRY_OUT) {
        r.address = place == MSW_PLACE_CARRY_IN ? desc->carry_in : desc->carry_out;
        r.bytes = plan->carry_bytes;
        r.alignment = 16;
        r.is_written = place == MSW_PLACE_CARRY_OUT;
    } else if (place == MSW_PLACE_SCRATCH) {
        r.address = desc->scratch;
        r.bytes = plan->init_step_count || plan->stage_count ? desc->scratch_bytes /* sorts use its end */ : msw_launch_scratch(plan, desc->n, 0);
        r.alignment = plan->scratch_alignment_bytes;
        r.is_written = 1;
    }
    return r;
}

/* An output and an input of equal elements. Uniforms are read all the time. */
static inline int msw_launch_buffers_match(const msw_plan_buffer *a, const msw_plan_buffer *b)
{
    return a->role + b->role == (uint32_t)MSW_ROLE_IN + (uint32_t)MSW_ROLE_OUT && a->element_bytes == b->element_bytes && a->length == b->length;
}

/* Two places that may be one: a carry that goes on, or an output declared in place of an input of equal elements. */
static inline int msw_launch_may_share(const msw_plan *plan, const msw_enqueue_desc *desc, uint32_t a, uint32_t b)
{
    if (a == MSW_PLACE_CARRY_IN && b == MSW_PLACE_CARRY_OUT) return desc->carry_in == desc->carry_out;
    return (desc->flags & MSW_IN_PLACE) && a < plan->buffer_count && b < plan->buffer_count && desc->buffers[a] == desc->buffers[b] &&
           msw_launch_buffers_match(&plan->buffers[a], &plan->buffers[b]);
}

static inline msw_launch_fault msw_launch_check_aliasing(const msw_plan *plan, const msw_enqueue_desc *desc)
{
    msw_launch_range ranges[MSW_PLACES];
    uint32_t a, b;
    for (a = 0; a < MSW_PLACES; a++) ranges[a] = msw_launch_range_of(plan, desc, a);
    for (a = 0; a < MSW_PLACES; a++)
        for (b = a + 1; b < MSW_PLACES; b++) {
            const msw_launch_range *low = ranges[a].address > ranges[b].address ? &ranges[b] : &ranges[a],
                                   *high = low == &ranges[a] ? &ranges[b] : &ranges[a];
            if (!low->address || !high->bytes || high->address - low->address >= low->bytes) continue;
            if (!low->is_written && !high->is_written) continue;
            if (!msw_launch_may_share(plan, desc, a, b)) return msw_launch_fault_of(MSW_LAUNCH_ALIASED, a, b);
        }
    return msw_launch_fault_of(0, 0, 0);
}

static inline msw_launch_fault msw_launch_check_buffers(const msw_plan *plan, const msw_enqueue_desc *desc)
{
    uint32_t b;
    for (b = 0; b < MSW_MAX_BUFFERS; b++) {
        if (b >= plan->buffer_count + plan->between_count) {
            if (desc->buffers[b]) return msw_launch_fault_of(MSW_LAUNCH_INVALID, b, 0);
            continue;
        }
        if (desc->buffers[b] & (plan->buffers[b].alignment_bytes - 1)) return msw_launch_fault_of(MSW_LAUNCH_UNALIGNED, b, 0);
        if (!desc->buffers[b] &&
            (plan->buffers[b].role == MSW_ROLE_UNIFORM || (plan->buffers[b].role == MSW_ROLE_IN && msw_given_by(plan->buffers[b].length) >= 0) ||
             ((plan->buffers[b].role == MSW_ROLE_IN || plan->buffers[b].is_read) && msw_elements(plan->buffers[b].length, desc->n)) ||
             (desc->n && (desc->flags & MSW_PING_PONG))))
            return msw_launch_fault_of(MSW_LAUNCH_MISSING, b, 0);
        if (desc->n > UINT64_MAX / plan->buffers[b].element_bytes) return msw_launch_fault_of(MSW_LAUNCH_UNSERVED, b, 0);
    }
    return msw_launch_fault_of(0, 0, 0);
}

/* makes_scratch: the caller will give one that fits. */
static inline msw_launch_fault msw_launch_check_extras(const msw_plan *plan, const msw_enqueue_desc *desc, int makes_scratch)
{
    uint64_t scratch_bytes;
    uint32_t place;
    for (place = MSW_PLACE_N; place < MSW_PLACES; place++) {
        const msw_launch_range r = msw_launch_range_of(plan, desc, place);
        if (r.address & (r.alignment - 1)) return msw_launch_fault_of(MSW_LAUNCH_UNALIGNED, place, 0);
    }
    if (!plan->carry_bytes && (desc->carry_in || desc->carry_out))
        return msw_launch_fault_of(MSW_LAUNCH_INVALID, desc->carry_in ? MSW_PLACE_CARRY_IN : MSW_PLACE_CARRY_OUT, 0);
    if (desc->scratch_bytes > UINT64_MAX - desc->scratch) return msw_launch_fault_of(MSW_LAUNCH_INVALID, MSW_PLACE_SCRATCH, 0);
    scratch_bytes = makes_scratch ? 0 : msw_launch_scratch(plan, desc->n, (desc->flags & MSW_PING_PONG) != 0);
    if (scratch_bytes && (!desc->scratch || desc->scratch_bytes < scratch_bytes))
        return msw_launch_fault_of(MSW_LAUNCH_TOO_SMALL, MSW_PLACE_SCRATCH, 0);
    return msw_launch_fault_of(0, 0, 0);
}

/* What the flags and n alone tell. INVALID without a place (MSW_PLACES): the flags. */
static inline msw_launch_fault msw_launch_check_flags(const msw_plan *plan, uint64_t n, uint32_t flags)
{
    const uint32_t both = MSW_IN_PLACE | MSW_PING_PONG;
    int code = 0;
    if (flags & ~(MSW_SCRATCH_DIRTY | both)) code = MSW_LAUNCH_INVALID;
    else if (n > plan->variants[plan->variant_count - 1].n_max) code = MSW_LAUNCH_UNSERVED;
    else if ((flags & MSW_PING_PONG) && !msw_launch_variant(plan, n, MSW_LAUNCH_PING_PONG, 0)) code = MSW_LAUNCH_UNSERVED;
    else if ((flags & both) == both) code = MSW_LAUNCH_INVALID;
    return msw_launch_fault_of(code, MSW_PLACES, 0);
}

/* All that can be told from the host; every interface asks it before it enqueues anything. */
static inline msw_launch_fault msw_launch_check(const msw_plan *plan, const msw_enqueue_desc *desc, int makes_scratch)
{
    msw_launch_fault fault;
    if (!plan) return msw_launch_fault_of(MSW_LAUNCH_NO_PLAN, MSW_PLACES, 0);
    fault = msw_launch_check_flags(plan, desc->n, desc->flags);
    if (!fault.code) fault = msw_launch_check_buffers(plan, desc);
    if (!fault.code) fault = msw_launch_check_extras(plan, desc, makes_scratch);
    if (!fault.code) fault = msw_launch_check_aliasing(plan, desc);
    if (!fault.code && !msw_launch_variant(plan, desc->n, msw_launch_mode_of(plan, desc), 0)) /* one without clusters is the last in each mode */
        fault.code = MSW_LAUNCH_UNSERVED, fault.place = MSW_PLACES;
    return fault;
}

static inline msw_launch_fault msw_launch_check_init(const msw_plan *plan, uint64_t scratch, uint64_t scratch_bytes)
{
    if (!plan) return msw_launch_fault_of(MSW_LAUNCH_NO_PLAN, MSW_PLACES, 0);
    if (scratch & (plan->scratch_alignment_bytes - 1)) return msw_launch_fault_of(MSW_LAUNCH_UNALIGNED, MSW_PLACE_SCRATCH, 0);
    if (scratch_bytes > UINT64_MAX - scratch) return msw_launch_fault_of(MSW_LAUNCH_INVALID, MSW_PLACE_SCRATCH, 0);
    if (scratch_bytes && plan->stage_count && scratch_bytes < msw_launch_scratch(plan, 0, 0)) /* what stages keep of no elements has no room */
        return msw_launch_fault_of(MSW_LAUNCH_TOO_SMALL, MSW_PLACE_SCRATCH, 0);
    return msw_launch_fault_of(scratch_bytes && !scratch ? MSW_LAUNCH_MISSING : 0, MSW_PLACE_SCRATCH, 0);
}

#endif
