#include "baseline_copy.h"

#include <monosweep/monosweep_measure.h>

/* The loads of a thread come before its stores, so that several are on their way. Tiles are an array of their own since indices are signed words. */
static const char text[] = "#version 460\n"
                           "#extension GL_EXT_buffer_reference_uvec2 : require\n"
                           "#extension GL_EXT_control_flow_attributes : require\n"
                           "#extension GL_EXT_scalar_block_layout : require\n"
                           "\n"
                           "layout(local_size_x = 256) in;\n"
                           "\n"
                           "const uint THREADS = 256u; // of a block\n"
                           "const uint ROWS = 4u; // of a tile: a quad for each thread\n"
                           "\n"
                           "struct Tile {\n"
                           "    uvec4 quads[ROWS * THREADS];\n"
                           "};\n"
                           "\n"
                           "layout(push_constant, scalar) uniform Parameters {\n"
                           "    uvec2 n; // words of 4 bytes\n"
                           "    uvec2 unused[4];\n"
                           "    uvec2 from, to; // 16-byte aligned\n"
                           "} params;\n"
                           "\n"
                           "layout(buffer_reference, scalar, buffer_reference_align = 16) restrict readonly buffer Source { Tile tiles[]; };\n"
                           "layout(buffer_reference, scalar, buffer_reference_align = 16) restrict writeonly buffer Target { Tile tiles[]; };\n"
                           "\n"
                           "void main()\n"
                           "{\n"
                           "    Source from = Source(params.from);\n"
                           "    Target to = Target(params.to);\n"
                           "    const uint tiles = params.n.y << 20 | params.n.x >> 12, quads = params.n.x >> 2 & 1023u, words = params.n.x & 3u;\n"
                           "    const uint thread = gl_LocalInvocationID.x;\n"
                           "    for (uint tile = gl_WorkGroupID.x; tile < tiles; tile += gl_NumWorkGroups.x) {\n"
                           "        uvec4 kept[ROWS];\n"
                           "        [[unroll]] for (uint r = 0u; r < ROWS; r++) kept[r] = from.tiles[tile].quads[r * THREADS + thread];\n"
                           "        [[unroll]] for (uint r = 0u; r < ROWS; r++) to.tiles[tile].quads[r * THREADS + thread] = kept[r];\n"
                           "    }\n"
                           "    if (gl_WorkGroupID.x + 1u < gl_NumWorkGroups.x) return; // the last tile is not whole\n"
                           "    for (uint i = thread; i < quads; i += THREADS) to.tiles[tiles].quads[i] = from.tiles[tiles].quads[i];\n"
                           "    if (thread < words) to.tiles[tiles].quads[quads][thread] = from.tiles[tiles].quads[quads][thread];\n"
                           "}\n";

enum { WORD_BYTES = 4, THREADS = 256, TILE_WORDS = 4 * THREADS * 4 };

msw_result ms_copy_create(msw_context *context, msw_kernel **kernel, msw_diag *diag)
{
    const msw_target *target = &msw_context_device(context)->target;
    const msw_plan plan = {
        .format = MSW_PLAN_FORMAT,
        .backend = MSW_BACKEND_VULKAN,
        .name = "copy",
        .buffer_count = 2,
        .kernel_count = 1,
        .step_count = 1,
        .variant_count = 1,
        .scratch_alignment_bytes = 16,
        .bytes_read_per_item = WORD_BYTES,
        .bytes_written_per_item = WORD_BYTES,
        .buffers = {{"from", WORD_BYTES, 16, MSW_LENGTH_N, 0, 0, 0}, {"to", WORD_BYTES, 16, MSW_LENGTH_N, 1, 0, 0}},
        .kernels = {{.entry = "copy", .text = text, .block_threads = THREADS, .subgroup_size = 1}},
        .steps = {{.tile_items = TILE_WORDS, .max_blocks = target->max_blocks}},
        .variants = {{.n_max = (uint64_t)INT32_MAX * TILE_WORDS,
                      .step_count = 1,
                      .read_bytes_per_item = WORD_BYTES,
                      .written_bytes_per_item = WORD_BYTES,
                      .strategy = "copy"}},
    };
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .plan = &plan};
    *kernel = NULL;
    return target->backend == MSW_BACKEND_VULKAN ? msw_kernel_create(context, &desc, kernel, diag) : MSW_OK;
}

double ms_copy(msw_kernel *kernel, msw_buffer *to, const msw_buffer *from, uint64_t size_bytes, msw_diag *diag)
{
    const msw_enqueue_desc desc = {
        .struct_size = sizeof desc, .n = size_bytes / WORD_BYTES, .buffers = {msw_buffer_address(from), msw_buffer_address(to)}};
    double seconds = -1;
    const msw_result result = kernel ? msw_kernel_run(kernel, &desc, &seconds, diag) : msw_buffer_copy(to, from, size_bytes, &seconds, diag);
    return result == MSW_OK ? seconds : -1;
}
