#include "expr.h"

#include <math.h>
#include <string.h>

/* ---- one operation on raw bits ---- */

static inline uint32_t width_of(msw_scalar scalar)
{
    static const uint8_t widths[] = {1, 8, 8, 16, 16, 32, 32, 64, 64, 16, 32, 64};
    return widths[scalar];
}

static inline int is_signed(msw_scalar scalar) { return scalar >= MSW_U8 && scalar <= MSW_I64 && !(scalar & 1); }
static inline int is_float(msw_scalar scalar) { return scalar >= MSW_F16; }

/* Sign- or zero-extends the low bits, so wrapping is computing in 64 bits and then this. */
static inline uint64_t wrap(msw_scalar scalar, uint64_t bits)
{
    const uint32_t unused = 64 - width_of(scalar);
    return is_signed(scalar) ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits << unused >> unused;
}

static inline double to_double(msw_scalar scalar, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    if (scalar == MSW_F32) return memcpy(&single, &low, 4), (double)single;
    if (scalar == MSW_F64) return memcpy(&value, &bits, 8), value;
    return ms_scalar_to_double(scalar, bits);
}

static inline uint64_t from_double(msw_scalar scalar, double value)
{
    const float single = (float)value;
    uint32_t low;
    uint64_t bits;
    if (scalar == MSW_F32) return memcpy(&low, &single, 4), low;
    if (scalar == MSW_F64) return memcpy(&bits, &value, 8), bits;
    return ms_scalar_from_double(scalar, value);
}

static uint64_t divide(msw_scalar type, uint64_t a, uint64_t b)
{
    if (b == 0) return a;
    if (!is_signed(type)) return a / b;
    if (b == UINT64_MAX) return 0 - a; /* min / -1 wraps to min */
    return (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t floor_divide(msw_scalar type, uint64_t a, uint64_t b)
{
    const uint64_t quotient = divide(type, a, b);
    const int inexact = b != 0 && quotient * b != a;
    return quotient - (uint64_t)(inexact && is_signed(type) && (int64_t)(a ^ b) < 0);
}

static uint64_t multiply_high(msw_scalar type, uint64_t a, uint64_t b)
{
    __extension__ typedef __int128 i128;
    __extension__ typedef unsigned __int128 u128;
    const uint32_t width = width_of(type);
    if (is_signed(type)) return (uint64_t)(((i128)(int64_t)a * (i128)(int64_t)b) >> width);
    return (uint64_t)(((u128)a * (u128)b) >> width);
}

static uint64_t reverse_bits(uint64_t bits)
{
    bits = (bits >> 1 & 0x5555555555555555u) | (bits & 0x5555555555555555u) << 1;
    bits = (bits >> 2 & 0x3333333333333333u) | (bits & 0x3333333333333333u) << 2;
    bits = (bits >> 4 & 0x0f0f0f0f0f0f0f0fu) | (bits & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(bits);
}

static uint64_t rotate_left(uint32_t width, uint64_t field, uint32_t count) { return count ? field << count | field >> (width - count) : field; }

/* args: three values, those beyond the arity unused, here and below. The result's bits above the type's width are arbitrary. */
static inline uint64_t apply_integer(ms_op op, msw_scalar type, const uint64_t *args)
{
    const uint64_t a = args[0], b = args[1];
    const uint32_t width = width_of(type), count = (uint32_t)b & (width - 1);
    const uint64_t field = a << (64 - width) >> (64 - width);
    const int a_is_less = is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
    switch (op) {
    case MS_OP_ADD: return a + b;
    case MS_OP_SUB: return a - b;
    case MS_OP_MUL: return a * b;
    case MS_OP_DIV: return divide(type, a, b);
    case MS_OP_FLOORDIV: return floor_divide(type, a, b);
    case MS_OP_MOD: return b ? a - floor_divide(type, a, b) * b : 0;
    case MS_OP_NEG: return 0 - a;
    case MS_OP_AND: return a & b;
    case MS_OP_OR: return a | b;
    case MS_OP_XOR: return a ^ b;
    case MS_OP_NOT: return ~a;
    case MS_OP_SHL: return a << count;
    case MS_OP_SHR: return is_signed(type) ? (uint64_t)((int64_t)a >> count) : a >> count;
    case MS_OP_MIN: return a_is_less ? a : b;
    case MS_OP_MAX: return a_is_less ? b : a;
    case MS_OP_ABS: return is_signed(type) && (int64_t)a < 0 ? 0 - a : a;
    case MS_OP_FMA: return a * b + args[2];
    case MS_OP_MULHI: return multiply_high(type, a, b);
    case MS_OP_POPCOUNT: return (uint64_t)__builtin_popcountll(field);
    case MS_OP_CLZ: return field ? (uint64_t)__builtin_clzll(field) - (64 - width) : width;
    case MS_OP_CTZ: return field ? (uint64_t)__builtin_ctzll(field) : width;
    case MS_OP_BITREVERSE: return reverse_bits(field) >> (64 - width);
    case MS_OP_ROTL: return rotate_left(width, field, count);
    case MS_OP_ROTR: return rotate_left(width, field, (width - count) & (width - 1));
    default: return 0;
    }
}

static uint64_t float_extreme(ms_op op, msw_scalar type, uint64_t a, uint64_t b)
{
    const double x = to_double(type, a), y = to_double(type, b);
    if (isnan(x)) return b;
    if (isnan(y)) return a;
    if (x == y) return op == MS_OP_MIN ? a | b : a & b; /* only zeros differ, in their sign */
    return (op == MS_OP_MIN) == (x < y) ? a : b;
}

static uint64_t apply_float(ms_op op, msw_scalar type, const uint64_t *args);

/* The operation on doubles, before the one rounding to the type: for + - * / sqrt a double is wide enough that rounding twice is
 * rounding once (Figueroa 1995: 2 p + 2 bits). */
static double unrounded(ms_op op, msw_scalar type, const uint64_t *args)
{
    const double a = to_double(type, args[0]), b = to_double(type, args[1]);
    switch (op) {
    case MS_OP_ADD: return a + b;
    case MS_OP_SUB: return a - b;
    case MS_OP_MUL: return a * b;
    case MS_OP_DIV: return a / b;
    case MS_OP_FLOORDIV: return floor(to_double(type, apply_float(MS_OP_DIV, type, args)));
    case MS_OP_FMA:
        if (type == MSW_F32) return (double)fmaf((float)a, (float)b, (float)to_double(type, args[2]));
        return fma(a, b, to_double(type, args[2]));
    case MS_OP_SQRT: return sqrt(a);
    case MS_OP_RSQRT: return 1 / sqrt(a);
    case MS_OP_EXP: return exp(a);
    case MS_OP_EXP2: return exp2(a);
    case MS_OP_LOG: return log(a);
    case MS_OP_LOG2: return log2(a);
    case MS_OP_SIN: return sin(a);
    case MS_OP_COS: return cos(a);
    case MS_OP_TANH: return tanh(a);
    case MS_OP_FLOOR: return floor(a);
    case MS_OP_CEIL: return ceil(a);
    case MS_OP_ROUND: return rint(a);
    case MS_OP_TRUNC: return trunc(a);
    default: return 0;
    }
}

static uint64_t apply_float(ms_op op, msw_scalar type, const uint64_t *args)
{
    const uint64_t sign = (uint64_t)1 << (width_of(type) - 1);
    switch (op) {
    case MS_OP_MIN:
    case MS_OP_MAX: return float_extreme(op, type, args[0], args[1]);
    case MS_OP_NEG: return args[0] ^ sign;
    case MS_OP_ABS: return args[0] & ~sign;
    case MS_OP_MOD: { /* a - floor(a / b) * b, each step rounded */
        const uint64_t floored[3] = {apply_float(MS_OP_FLOORDIV, type, args), args[1]};
        const uint64_t difference[3] = {args[0], apply_float(MS_OP_MUL, type, floored)};
        return apply_float(MS_OP_SUB, type, difference);
    }
    default: return from_double(type, unrounded(op, type, args));
    }
}

static int compare(ms_op op, int less, int equal)
{
    switch (op) {
    case MS_OP_LT: return less;
    case MS_OP_LE: return less || equal;
    case MS_OP_EQ: return equal;
    default: return 0;
    }
}

static int apply_comparison(ms_op op, msw_scalar type, uint64_t a, uint64_t b)
{
    if (op == MS_OP_NE) return !apply_comparison(MS_OP_EQ, type, a, b);
    if (op == MS_OP_GT) return apply_comparison(MS_OP_LT, type, b, a);
    if (op == MS_OP_GE) return apply_comparison(MS_OP_LE, type, b, a);
    if (is_float(type)) {
        const double x = to_double(type, a), y = to_double(type, b);
        return compare(op, x < y, x == y);
    }
    return compare(op, is_signed(type) ? (int64_t)a < (int64_t)b : a < b, a == b);
}

static uint64_t convert(msw_scalar to, msw_scalar from, uint64_t bits)
{
    if (is_float(from)) return from_double(to, to_double(from, bits));
    if (to == MSW_BOOL) return bits != 0;
    if (!is_float(to)) return wrap(to, bits);
    if (to != MSW_F32) return from_double(to, to_double(from, bits)); /* one rounding: what a double cannot hold exactly is infinite as f16 */
    return from_double(to, (double)(is_signed(from) ? (float)(int64_t)bits : (float)bits));
}

static uint64_t entry_of(const uint64_t *args)
{
    const ms_table *table = (const ms_table *)(uintptr_t)args[1];
    return table->entries[args[0] < table->count ? args[0] : table->count - 1];
}

static uint64_t apply(ms_op op, msw_scalar result, msw_scalar operand, const uint64_t *args)
{
    switch (op) {
    case MS_OP_TABLE: return entry_of(args);
    case MS_OP_WHERE: return args[0] ? args[1] : args[2];
    case MS_OP_LT:
    case MS_OP_LE:
    case MS_OP_GT:
    case MS_OP_GE:
    case MS_OP_EQ:
    case MS_OP_NE: return (uint64_t)apply_comparison(op, operand, args[0], args[1]);
    case MS_OP_LAND: return args[0] & args[1];
    case MS_OP_LOR: return args[0] | args[1];
    case MS_OP_LNOT: return !args[0];
    case MS_OP_ISNAN: return (uint64_t)(isnan(to_double(operand, args[0])) != 0);
    case MS_OP_CONVERT: return convert(result, operand, args[0]);
    case MS_OP_BITCAST: return wrap(result, args[0]);
    default: return is_float(operand) ? apply_float(op, operand, args) : wrap(result, apply_integer(op, operand, args));
    }
}

/* ---- wide: f16 and f32 held as doubles ---- */

static int is_narrow_float(msw_scalar scalar) { return scalar == MSW_F16 || scalar == MSW_F32; }
static msw_scalar widened(msw_scalar scalar) { return is_narrow_float(scalar) ? MSW_F64 : scalar; }

static uint64_t widen(msw_scalar scalar, uint64_t bits) { return is_narrow_float(scalar) ? from_double(MSW_F64, to_double(scalar, bits)) : bits; }

static uint64_t narrow(msw_scalar scalar, uint64_t bits) { return is_narrow_float(scalar) ? from_double(scalar, to_double(MSW_F64, bits)) : bits; }

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    return memcpy(&bits, &value, sizeof bits), bits;
}

static uint64_t apply_wide(ms_op op, msw_scalar result, msw_scalar operand, const uint64_t *args)
{
    if (op == MS_OP_BITCAST) return widen(result, wrap(result, narrow(operand, args[0])));
    if (op == MS_OP_TABLE) return widen(result, entry_of(args));
    return apply(op, widened(result), widened(operand), args);
}

uint64_t ms_op_apply(ms_op op, msw_scalar result, msw_scalar operand, const uint64_t *args, int wide)
{
    uint64_t three[3] = {0};
    memcpy(three, args, (ms_op_arity(op) + (op == MS_OP_TABLE)) * sizeof *args);
    return wide ? apply_wide(op, result, operand, three) : apply(op, result, operand, three);
}

void ms_leaves_load(const ms_type *type, const void *memory, uint64_t *leaves, int wide)
{
    for (uint32_t i = 0; i < type->info.leaf_count; i++) {
        const msw_leaf *leaf = &type->info.leaves[i];
        const uint64_t bits = ms_scalar_load(leaf->scalar, (const char *)memory + leaf->offset_bytes);
        leaves[i] = wide ? widen(leaf->scalar, bits) : bits;
    }
}

void ms_leaves_store(const ms_type *type, void *memory, const uint64_t *leaves, int wide)
{
    memset(memory, 0, type->info.size_bytes);
    for (uint32_t i = 0; i < type->info.leaf_count; i++) {
        const msw_leaf *leaf = &type->info.leaves[i];
        ms_scalar_store(leaf->scalar, (char *)memory + leaf->offset_bytes, wide ? narrow(leaf->scalar, leaves[i]) : leaves[i]);
    }
}

void ms_leaves_widen(const ms_type *type, uint64_t *leaves)
{
    for (uint32_t i = 0; i < type->info.leaf_count; i++) leaves[i] = widen(type->info.leaves[i].scalar, leaves[i]);
}

/* ---- functions as linear programs ---- */

/* What is evaluated most has a way of its own. */
typedef enum form { GENERAL, SINGLE_ADD, SINGLE_SUB, SINGLE_MUL, DOUBLE_ADD, DOUBLE_SUB, DOUBLE_MUL } form;

typedef struct instruction {
    uint8_t op, result, operand;
    uint8_t rounding; /* ms_rounding */
    uint8_t form;
    uint8_t arity;                            /* of the operands that are numbers */
    uint8_t flushes_operands, flushes_result; /* 1: floats, of which a device may take subnormal ones for zeros */
    uint32_t arg[3];                          /* slots */
} instruction;

typedef struct input {
    uint32_t slot, param, leaf;
} input;

enum { HOST_STEPS = 20000 }; /* what a host function takes, about */

struct ms_eval {
    const ms_function *function;
    int wide;
    uint64_t *slots; /* constants and inputs where they fall, then tables in the order of their instructions, then one slot an instruction */
    input *inputs;
    instruction *code;
    uint32_t *results; /* slots of the function's leaves */
    uint32_t input_count, unbound_count, code_count, first_table_slot, first_code_slot;
};

static form form_of(ms_op op, msw_scalar operand, int wide)
{
    const int is_double = operand == MSW_F64 || (wide && is_float(operand));
    if (!is_double && operand != MSW_F32) return GENERAL;
    switch (op) {
    case MS_OP_ADD: return is_double ? DOUBLE_ADD : SINGLE_ADD;
    case MS_OP_SUB: return is_double ? DOUBLE_SUB : SINGLE_SUB;
    case MS_OP_MUL: return is_double ? DOUBLE_MUL : SINGLE_MUL;
    default: return GENERAL;
    }
}

/* A double is wide enough that rounding twice is rounding once, as in `unrounded`. */
static inline uint64_t single_of(double value) { return from_double(MSW_F32, value); }

static inline uint64_t run_instruction(const instruction *at, int wide, const uint64_t *values)
{
    switch ((form)at->form) {
    case SINGLE_ADD: return single_of(to_double(MSW_F32, values[0]) + to_double(MSW_F32, values[1]));
    case SINGLE_SUB: return single_of(to_double(MSW_F32, values[0]) - to_double(MSW_F32, values[1]));
    case SINGLE_MUL: return single_of(to_double(MSW_F32, values[0]) * to_double(MSW_F32, values[1]));
    case DOUBLE_ADD: return bits_of(ms_double_of(values[0]) + ms_double_of(values[1]));
    case DOUBLE_SUB: return bits_of(ms_double_of(values[0]) - ms_double_of(values[1]));
    case DOUBLE_MUL: return bits_of(ms_double_of(values[0]) * ms_double_of(values[1]));
    case GENERAL: break;
    }
    return (wide ? apply_wide : apply)((ms_op)at->op, (msw_scalar)at->result, (msw_scalar)at->operand, values);
}

static inline int is_move(ms_op op) { return op == MS_OP_WHERE || op == MS_OP_BITCAST || op == MS_OP_TABLE; }

/* Gives every reached node its slot (slot_of), constants and inputs first. */
static void assign_slots(ms_eval *eval, const uint8_t *reached, uint32_t *slot_of, uint32_t bound)
{
    const ms_graph *graph = eval->function->graph;
    uint32_t next = 0;
    for (ms_node id = 1; id < bound; id++) {
        const ms_node_data *node = &graph->nodes[id];
        if (!reached[id] || !ms_node_is_leaf(node)) continue;
        slot_of[id] = next++;
        const int is_uniform = node->op == MS_OP_INPUT && node->param == MS_UNIFORM_PARAM, is_bound = is_uniform && eval->function->uniforms;
        const uint64_t bits = is_bound ? eval->function->uniforms[node->bits] : is_uniform ? 0 : node->bits;
        eval->unbound_count += is_uniform && !is_bound;
        if (is_uniform || node->op == MS_OP_CONST) eval->slots[slot_of[id]] = eval->wide ? widen((msw_scalar)node->type, bits) : bits;
        else eval->inputs[eval->input_count++] = (input){slot_of[id], node->param, (uint32_t)node->bits};
    }
    eval->first_table_slot = next;
    for (ms_node id = 1; id < bound; id++)
        if (reached[id] && graph->nodes[id].op == MS_OP_TABLE) eval->slots[next++] = ms_table_operand(graph->tables[graph->nodes[id].bits]);
    eval->first_code_slot = next;
    for (ms_node id = 1; id < bound; id++)
        if (reached[id] && !ms_node_is_leaf(&graph->nodes[id])) slot_of[id] = next++;
}

static void write_code(ms_eval *eval, const uint8_t *reached, const uint32_t *slot_of, uint32_t bound)
{
    const ms_graph *graph = eval->function->graph;
    uint32_t table_slot = eval->first_table_slot;
    for (ms_node id = 1; id < bound; id++) {
        const ms_node_data *node = &graph->nodes[id];
        if (!reached[id] || ms_node_is_leaf(node)) continue;
        const uint32_t second = node->op == MS_OP_TABLE ? table_slot++ : slot_of[node->arg[1]];
        const msw_scalar operand = ms_node_operand_type(graph, node);
        const ms_op op = (ms_op)node->op;
        eval->code[eval->code_count++] = (instruction){.op = node->op,
                                                       .result = node->type,
                                                       .operand = (uint8_t)operand,
                                                       .rounding = (uint8_t)ms_op_rounding(op, (msw_scalar)node->type, operand),
                                                       .form = (uint8_t)form_of(op, operand, eval->wide),
                                                       .arity = (uint8_t)ms_op_arity(op),
                                                       .flushes_operands = !is_move(op) && is_float(operand),
                                                       .flushes_result = !is_move(op) && is_float(node->type),
                                                       .arg = {slot_of[node->arg[0]], second, slot_of[node->arg[2]]}};
    }
    for (uint32_t i = 0; i < eval->function->result->info.leaf_count; i++) eval->results[i] = slot_of[eval->function->leaves[i]];
}

ms_eval *ms_eval_create(ms_arena *arena, const ms_function *function, int wide)
{
    ms_eval *eval = ms_arena_alloc(arena, sizeof *eval);
    if (!eval || (!function->leaves && !function->host)) return NULL;
    eval->function = function;
    eval->wide = wide && (!function->leaves || ms_function_joins_floats(function));
    if (!function->leaves) return eval;

    const uint32_t bound = ms_function_node_bound(function);
    uint8_t *reached = ms_arena_resize(arena, NULL, 0, bound);
    uint32_t *slot_of = ms_arena_resize(arena, NULL, 0, bound * sizeof *slot_of);
    int ready = reached && slot_of;
    if (ready) {
        uint32_t count = 0;
        memset(slot_of, 0, bound * sizeof *slot_of);
        ms_function_mark(function, reached);
        for (ms_node id = 1; id < bound; id++) count += reached[id] * (1u + (function->graph->nodes[id].op == MS_OP_TABLE));
        eval->slots = ms_arena_alloc(arena, count * sizeof *eval->slots);
        eval->inputs = ms_arena_alloc(arena, count * sizeof *eval->inputs);
        eval->code = ms_arena_alloc(arena, count * sizeof *eval->code);
        eval->results = ms_arena_alloc(arena, function->result->info.leaf_count * sizeof *eval->results);
        ready = eval->slots && eval->inputs && eval->code && eval->results;
    }
    if (ready) {
        assign_slots(eval, reached, slot_of, bound);
        write_code(eval, reached, slot_of, bound);
    }
    ms_arena_resize(arena, reached, bound, 0);
    ms_arena_resize(arena, slot_of, bound * sizeof *slot_of, 0);
    return ready ? eval : NULL;
}

uint32_t ms_eval_input_count(const ms_eval *eval) { return eval->input_count + eval->unbound_count; }

uint32_t ms_eval_step_count(const ms_eval *eval) { return eval->code ? eval->code_count : HOST_STEPS; }

int ms_eval_run(ms_eval *eval, const uint64_t *const *args, uint64_t *result)
{
    if (!eval->code) return eval->function->host(eval->function->host_user, args, result, eval->wide);
    uint64_t *slots = eval->slots, *out = slots + eval->first_code_slot;
    for (uint32_t i = 0; i < eval->input_count; i++) slots[eval->inputs[i].slot] = args[eval->inputs[i].param][eval->inputs[i].leaf];
    for (const instruction *at = eval->code, *end = at + eval->code_count; at < end; at++) {
        const uint64_t values[3] = {slots[at->arg[0]], slots[at->arg[1]], slots[at->arg[2]]};
        *out++ = run_instruction(at, eval->wide, values);
    }
    for (uint32_t i = 0; i < eval->function->result->info.leaf_count; i++) result[i] = slots[eval->results[i]];
    return 0;
}

/* ---- pushed roundings ---- */

static double random_part(ms_push *push) /* xorshift64; uniform in -1 .. 1 */
{
    push->random ^= push->random << 13;
    push->random ^= push->random >> 7;
    push->random ^= push->random << 17;
    return (double)(int64_t)push->random * 0x1p-63;
}

static uint64_t flush_subnormal(ms_push *push, uint64_t sign, uint64_t bits)
{
    push->has_guessed = 1;
    return push->rule >= MS_PUSH_SIGN && random_part(push) < 0 ? bits : bits & sign;
}

/* A subnormal number as the zero of its sign: at random where the rule is. */
static inline uint64_t flush(ms_push *push, msw_scalar type, int wide, uint64_t bits)
{
    static const struct {
        uint64_t sign, least_normal;
    } formats[2][3] = {{{UINT64_C(1) << 15, UINT64_C(1) << 10}, {UINT64_C(1) << 31, UINT64_C(1) << 23}, {UINT64_C(1) << 63, UINT64_C(1) << 52}},
                       {{UINT64_C(1) << 63, 0x3f10000000000000u}, {UINT64_C(1) << 63, 0x3810000000000000u}, {UINT64_C(1) << 63, UINT64_C(1) << 52}}};
    const uint64_t sign = formats[wide][type - MSW_F16].sign;
    const int is_subnormal = (bits & (sign - 1)) - 1 < formats[wide][type - MSW_F16].least_normal - 1; /* zero is none */
    return is_subnormal ? flush_subnormal(push, sign, bits) : bits;
}

/* Vulkan bounds no quotient by what is beyond this range, nor any of a subnormal number, of which it may make zero. */
static int is_quotient_unknown(ms_op op, msw_scalar type, double a, double b)
{
    const double least = ms_scalar_least_normal(type);
    if (op != MS_OP_DIV && op != MS_OP_FLOORDIV && op != MS_OP_MOD) return 0;
    if (isnan(a) || isnan(b) || (a == 0 && b == 0)) return 0; /* NaN by any reciprocal */
    return !(fabs(b) >= least && fabs(b) <= 1 / least) || (a != 0 && fabs(a) < least);
}

/* Another number with every rule. */
static double unknown(ms_push *push)
{
    static const double any[] = {-INFINITY, -1, 1, INFINITY};
    push->has_guessed = 1;
    if (push->rule == MS_PUSH_AWAY) return NAN;
    return push->rule == MS_PUSH_UP ? 0 : any[(int)((random_part(push) + 1) * 1.999)];
}

/* As a device does it that may flush, and whose quotients are Vulkan's. values: the operands, flushed here. 1: the result is unknown: it is given. */
static inline int flush_operands(ms_push *push, const instruction *at, int wide, uint64_t *values, uint64_t *bits)
{
    const msw_scalar operand = (msw_scalar)at->operand, held = wide ? MSW_F64 : operand;
    if (at->rounding == MS_ROUNDS_BY_DEVICE && is_quotient_unknown((ms_op)at->op, operand, to_double(held, values[0]), to_double(held, values[1])))
        return *bits = from_double(held, unknown(push)), 1;
    for (uint32_t i = 0; i < at->arity; i++) values[i] = flush(push, operand, wide, values[i]);
    return 0;
}

/* What is infinite stays as it is; what may be off by any amount becomes infinite. */
static inline double pushed(ms_push *push, double z, double error)
{
    if (!(fabs(z) < (double)INFINITY)) return z;
    switch (push->rule) {
    case MS_PUSH_AWAY: return z < 0 ? z - error : z + error;
    case MS_PUSH_UP: return z + error;
    case MS_PUSH_DOWN: return z - error;
    case MS_PUSH_SIGN: return random_part(push) < 0 ? z - error : z + error;
    case MS_PUSH_PART: return z + random_part(push) * error;
    default: return z;
    }
}

/* The same for a number of that type, where a wider one is computed with: beyond the type's largest it is infinite. */
static double pushed_in(ms_push *push, msw_scalar type, double z, double error)
{
    const double moved = pushed(push, z, error);
    return push->rule != MS_PUSH_NONE && fabs(moved) > ms_scalar_largest(type) ? copysign((double)INFINITY, moved) : moved;
}

/* Where devices may take the neighbouring whole quotient, the push decides. */
static double pushed_quotient(ms_push *push, ms_op op, msw_scalar type, const double *x)
{
    const double quotient = x[0] / x[1];
    const double whole = floor(pushed_in(push, type, quotient, ms_op_error(MS_OP_DIV, type, x, quotient, push->is_loose)));
    if (op == MS_OP_FLOORDIV) return whole;
    const double product = whole * x[1];
    return x[0] - pushed_in(push, type, product, ms_scalar_unit(type) * fabs(product)); /* which may be much more than the difference */
}

/* What a device may have instead of `bits`, the result of an operation of floats. values: its operands, held as `wide` says. */
static uint64_t push_result(ms_push *push, const instruction *at, int wide, const uint64_t *values, uint64_t bits)
{
    const ms_op op = (ms_op)at->op;
    const msw_scalar type = (msw_scalar)at->result, operand = (msw_scalar)at->operand, held = wide ? MSW_F64 : type;
    double x[3] = {0}, z = to_double(held, bits);
    if (is_float(operand))
        for (int i = 0; i < 3; i++) x[i] = to_double(wide ? MSW_F64 : operand, values[i]);
    if (op == MS_OP_FLOORDIV || op == MS_OP_MOD) z = pushed_quotient(push, op, type, x);
    if (op == MS_OP_CONVERT && !is_float(operand) && to_double(type, from_double(type, z)) == z) return bits;
    const double times = wide && at->rounding == MS_ROUNDS_BY_DEVICE ? 2 : 1; /* a device's function may be off alike every time */
    const double error = op == MS_OP_FLOORDIV ? 0 : times * ms_op_error(op, type, x, z, push->is_loose);
    push->is_unbounded |= isinf(error) != 0;
    if (wide || at->rounding == MS_ROUNDS_BY_DEVICE) z = pushed_in(push, type, z, error);
    return from_double(held, z);
}

/* A NaN that was computed, with other bits: moves leave them alone. */
uint64_t ms_nan_other(msw_scalar scalar, uint64_t bits)
{
    const uint32_t mantissa_bits = scalar == MSW_F16 ? 10 : scalar == MSW_F32 ? 23 : 52;
    const uint64_t sign = (uint64_t)1 << (8 * ms_scalar_bytes(scalar) - 1), mantissa = ((uint64_t)1 << mantissa_bits) - 1;
    if (!isnan(ms_scalar_to_double(scalar, bits))) return bits;
    const uint64_t other = (bits & mantissa) == mantissa ? (uint64_t)1 << (mantissa_bits - 1) : mantissa;
    return ((bits ^ sign) & ~mantissa) | other;
}

static uint64_t replace_nan(const instruction *at, int wide, uint64_t bits)
{
    const ms_op op = (ms_op)at->op;
    if (!is_float(at->result) || is_move(op)) return bits;
    return ms_nan_other(wide ? MSW_F64 : (msw_scalar)at->result, bits);
}

/* Nobody knows what is rounded in there: arguments are taken as rounded once, and results as by four roundings. */
static int run_host_pushed(ms_eval *eval, ms_push *push, const uint64_t *const *args, uint64_t *result)
{
    uint64_t values[4][MS_MAX_ELEMENT_BYTES];
    const uint64_t *pushed_args[4];
    const ms_function *f = eval->function;
    for (uint32_t p = 0; p < f->param_count; p++) {
        const msw_type_info *info = &f->params[p].type->info;
        for (uint32_t i = 0; i < info->leaf_count; i++) {
            const double z = ms_double_of(args[p][i]);
            values[p][i] = is_float(info->leaves[i].scalar) ? bits_of(pushed(push, z, ms_scalar_unit(info->leaves[i].scalar) * fabs(z))) : args[p][i];
        }
        pushed_args[p] = values[p];
    }
    if (f->host(f->host_user, pushed_args, result, 1)) return -1;
    for (uint32_t i = 0; i < f->result->info.leaf_count; i++) {
        const msw_scalar scalar = f->result->info.leaves[i].scalar;
        if (is_float(scalar)) result[i] = bits_of(pushed(push, ms_double_of(result[i]), 4 * ms_scalar_unit(scalar) * fabs(ms_double_of(result[i]))));
    }
    return 0;
}

int ms_eval_run_pushed(ms_eval *eval, ms_push *push, const uint64_t *const *args, uint64_t *result)
{
    if (push->rule == MS_PUSH_NONE || (!eval->code && (!eval->wide || push->rule == MS_PUSH_NAN))) return ms_eval_run(eval, args, result);
    if (!eval->code) return run_host_pushed(eval, push, args, result);
    uint64_t *slots = eval->slots, *out = slots + eval->first_code_slot;
    for (uint32_t i = 0; i < eval->input_count; i++) slots[eval->inputs[i].slot] = args[eval->inputs[i].param][eval->inputs[i].leaf];
    const int may_flush = push->is_loose && push->rule != MS_PUSH_NAN;
    for (const instruction *at = eval->code, *end = at + eval->code_count; at < end; at++) {
        uint64_t values[3] = {slots[at->arg[0]], slots[at->arg[1]], slots[at->arg[2]]}, bits;
        const msw_scalar type = (msw_scalar)at->result;
        if (may_flush && at->flushes_operands && flush_operands(push, at, eval->wide, values, &bits)) {
            *out++ = bits;
            continue;
        }
        bits = run_instruction(at, eval->wide, values);
        if (push->rule == MS_PUSH_NAN) bits = replace_nan(at, eval->wide, bits);
        else if (at->rounding == MS_ROUNDS_ONCE && eval->wide && at->op != MS_OP_CONVERT)
            bits = bits_of(pushed_in(push, type, ms_double_of(bits), ms_scalar_unit(type) * fabs(ms_double_of(bits))));
        else if (at->rounding == MS_ROUNDS_BY_DEVICE || (at->rounding && eval->wide)) bits = push_result(push, at, eval->wide, values, bits);
        *out++ = may_flush && at->flushes_result ? flush(push, type, eval->wide, bits) : bits;
    }
    for (uint32_t i = 0; i < eval->function->result->info.leaf_count; i++) result[i] = slots[eval->results[i]];
    return 0;
}
