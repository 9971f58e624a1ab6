/* Outputs of scans that are s or parts of it: what comes before can be combined with what is stored of them. */
#include "spec.h"

#include <string.h>

uint32_t ms_operation_part(const ms_operation *op, uint32_t leaf)
{
    const ms_function *output = op->output_map;
    uint8_t reads[MS_MAX_ELEMENT_BYTES] = {0};
    if (!output) return leaf + 1;
    const ms_node_data *node = output->leaves ? &output->graph->nodes[output->leaves[leaf]] : NULL;
    if (node && node->op == MS_OP_INPUT && node->param == 0) return (uint32_t)node->bits + 1;
    ms_function_leaf_reads(output, leaf, 0, reads);
    return memchr(reads, 1, sizeof reads) ? MS_COMPUTED_OF_S : 0;
}

int ms_operation_is_propagated(const ms_operation *op, uint32_t b)
{
    const ms_monoid *monoid = op->monoid;
    const msw_type_info *type = &op->info.buffers[b].type, *state = &monoid->type->info;
    uint8_t has[MS_MAX_ELEMENT_BYTES] = {0}, needs[MS_MAX_ELEMENT_BYTES] = {0};
    if (op->places[b]) return 0;
    for (uint32_t l = 0; l < type->leaf_count; l++) {
        const uint32_t part = ms_operation_part(op, op->first_leaves[b] + l);
        if (part == MS_COMPUTED_OF_S) return 0;
        if (!part) continue;
        has[part - 1] = 1;
        ms_function_leaf_reads(monoid->combine, part - 1, op->reverse ? 0 : 1, needs);
    }
    for (uint32_t l = 0; l < state->leaf_count; l++)
        if (needs[l] && !has[l]) return 0; /* combine reads more of s than the output has */
    return 1;
}
