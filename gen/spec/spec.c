/* The public face of specs: msw_spec_*. */
#include "spec.h"
#include "c_locale.h"
#include "diag.h"
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint64_t default_memory_bytes = 256ull << 20;
static const char no_file[] = "spec";

/* The whole file in the arena, NUL-terminated. */
static msw_result read_file(ms_arena *arena, const char *path, char **text, size_t *bytes, msw_diag *diag)
{
    FILE *file = fopen(path, "rb");
    if (!file) return ms_diag(diag, MSW_ERROR_IO, "io", path, 0, "cannot be opened: %s; check the name and its permissions", strerror(errno));
    size_t capacity = 1 << 16;
    *text = NULL;
    *bytes = 0;
    for (;; capacity *= 2) {
        char *grown = ms_arena_alloc(arena, capacity + 1);
        if (!grown) break;
        if (*bytes) memcpy(grown, *text, *bytes);
        *text = grown;
        *bytes += fread(grown + *bytes, 1, capacity - *bytes, file);
        if (*bytes < capacity) {
            const int failed = ferror(file);
            fclose(file);
            return failed ? ms_diag(diag, MSW_ERROR_IO, "io", path, 0, "cannot be read: %s; check the name and its permissions", strerror(errno))
                          : MSW_OK;
        }
    }
    fclose(file);
    return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "io", path, 0, "out of memory");
}

/* The base name, which names operations, each define, how pipelines are cut if it is not as by default, a NUL, the text. Names and values have no NUL
 * in them, and no define an empty name or that of no identifier. */
static msw_result join_source(ms_arena *arena, const msw_spec_desc *desc, const char *text, size_t text_bytes, ms_source *source, msw_diag *diag)
{
    const char *file = desc->file ? desc->file : no_file, *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    char cut[24] = "";
    if (desc->cut) snprintf(cut, sizeof cut, "--cut %u", desc->cut);
    size_t bytes = strlen(name) + 1 + (*cut ? strlen(cut) + 1 : 0);
    for (uint32_t i = 0; i < desc->define_count; i++) bytes += strlen(desc->defines[i].name) + strlen(desc->defines[i].value) + 2;
    char *identity = ms_arena_alloc(arena, bytes + 1 + text_bytes + 1), *end = identity;
    if (!identity) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "spec", NULL, 0, "out of memory");
    end = stpcpy(end, name) + 1;
    for (uint32_t i = 0; i < desc->define_count; i++) end = stpcpy(stpcpy(end, desc->defines[i].name) + 1, desc->defines[i].value) + 1;
    if (*cut) end = stpcpy(end, cut) + 1;
    end++;
    memcpy(end, text, text_bytes);
    *source = (ms_source){.text = end, .text_bytes = text_bytes, .identity = identity, .identity_bytes = bytes + 1 + text_bytes};
    return MSW_OK;
}

msw_result ms_source_read(ms_arena *arena, const msw_spec_desc *desc, ms_source *source, msw_diag *diag)
{
    char *text = NULL;
    size_t bytes = 0;
    if (desc->text) return join_source(arena, desc, desc->text, desc->text_bytes ? desc->text_bytes : strlen(desc->text), source, diag);
    const msw_result result = read_file(arena, desc->file, &text, &bytes, diag);
    return result ? result : join_source(arena, desc, text, bytes, source, diag);
}

/* Whether the text has the name as a word of its own, if only in a comment. */
static int says(const char *text, size_t bytes, const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const size_t length = strlen(name);
    for (size_t i = 0, end; i < bytes; i = end + 1) {
        for (end = i; end < bytes && memchr(letters, text[end], sizeof letters - 1); end++) {}
        if (end - i == length && !memcmp(text + i, name, length)) return 1;
    }
    return 0;
}

/* A parameter with a slip in its name would leave the spec's own value as it is. */
static void warn_of_unused(const msw_spec *spec, const msw_spec_desc *desc)
{
    msw_diag found;
    for (uint32_t i = 0; desc->warning && i < desc->define_count; i++) {
        if (says(spec->source.text, spec->source.text_bytes, desc->defines[i].name)) continue;
        ms_diag(&found, MSW_ERROR_SPEC, "spec", spec->file, 1, "warning: %s is given (-D), but the spec does not use that name; check it",
                desc->defines[i].name);
        desc->warning(desc->warning_user, &found);
    }
}

static msw_result fill(msw_spec *spec, const msw_spec_desc *desc, msw_diag *diag)
{
    spec->file = ms_arena_strdup(&spec->arena, desc->file ? desc->file : no_file);
    if (!spec->file) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "spec", NULL, 0, "out of memory");
    msw_result result = ms_source_read(&spec->arena, desc, &spec->source, diag);
    if (!result) result = ms_spec_read(spec, desc, spec->source.text, spec->source.text_bytes, diag);
    if (result) return result;
    warn_of_unused(spec, desc);
    spec->summary = ms_operations_summary(spec);
    spec->json = ms_operations_json(spec);
    if (!spec->summary || !spec->json) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "spec", NULL, 0, "out of memory");
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

/* A spec that wants more than its limit is wrong; the machine has memory. diag tells of memory, with the line where it ended. */
static msw_result report_limit(const msw_spec *spec, msw_diag *diag)
{
    const int line = diag && diag->line ? diag->line : 1;
    return ms_diag(diag, MSW_ERROR_SPEC, "spec", spec->file, line,
                   "the spec needs more memory than its limit of %u MiB, or a text beyond 1 MiB; make its tables and texts smaller",
                   (unsigned)(spec->arena.limit_bytes >> 20));
}

static msw_result read_desc(const msw_spec_desc *given, msw_spec_desc *desc, msw_diag *diag)
{
    if (!given) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "spec", NULL, 0, "msw_spec_create: desc is NULL");
    const msw_result result = MS_SIZED_READ(msw_spec_desc, given, desc, "spec", diag);
    if (result) return result;
    if (!desc->text && !desc->file)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "spec", NULL, 0, "msw_spec_desc: there is no spec; give text or file");
    if (desc->define_count && !desc->defines)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "spec", NULL, 0, "msw_spec_desc: defines is NULL; give %u, or set define_count to 0",
                       desc->define_count);
    for (uint32_t i = 0; i < desc->define_count; i++)
        if (!desc->defines[i].name || !desc->defines[i].value || !ms_is_identifier(desc->defines[i].name))
            return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "spec", NULL, 0,
                           "msw_spec_desc: defines[%u] has no value, or no Lua name: letters, digits and _, not first a digit", i);
    if (desc->reserved)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "spec", NULL, 0, "msw_spec_desc: reserved is %u; set it to 0", desc->reserved);
    if (desc->cut > MSW_CUT_UNFUSED)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "spec", NULL, 0, "msw_spec_desc: cut is %u; give one of msw_cut_method", desc->cut);
    return MSW_OK;
}

static msw_result create(const msw_spec_desc *desc, msw_spec **spec, msw_diag *diag)
{
    ms_arena arena;
    ms_arena_init(&arena, desc->allocator, desc->memory_limit_bytes ? desc->memory_limit_bytes : default_memory_bytes);
    msw_spec *made = ms_arena_alloc(&arena, sizeof *made);
    if (!made) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "spec", NULL, 0, "out of memory");
    made->arena = arena;
    made->skips_laws = desc->skip_laws;
    ms_graph_init(&made->graph, &made->arena);
    msw_result result = fill(made, desc, diag);
    if (result == MSW_ERROR_OUT_OF_MEMORY && made->arena.refused == MS_REFUSED_BY_LIMIT) result = report_limit(made, diag);
    if (result) msw_spec_destroy(made);
    else *spec = made;
    return result;
}

/* Warnings reach the application in its own locale. */
typedef struct listener {
    msw_spec_desc desc;
    locale_t locale;
} listener;

static void pass_warning(void *user, const msw_diag *warning)
{
    const listener *to = user;
    const locale_t ours = uselocale(to->locale);
    to->desc.warning(to->desc.warning_user, warning);
    uselocale(ours);
}

msw_result msw_spec_create(const msw_spec_desc *desc, msw_spec **spec, msw_diag *diag)
{
    if (!spec) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "spec", NULL, 0, "msw_spec_create: spec is NULL");
    *spec = NULL;
    listener to = {.locale = uselocale((locale_t)0)};
    const msw_result result = read_desc(desc, &to.desc, diag);
    if (result) return result;
    msw_spec_desc described = to.desc;
    if (to.desc.warning) described.warning = pass_warning;
    described.warning_user = &to;
    const ms_c_locale locale = ms_c_locale_enter();
    const msw_result created = create(&described, spec, diag);
    ms_c_locale_leave(locale);
    return created;
}

void msw_spec_destroy(msw_spec *spec)
{
    if (!spec) return;
    ms_sandbox_close(spec->sandbox);
    ms_graph_free(&spec->graph);
    ms_arena arena = spec->arena; /* the spec lies in its own arena */
    ms_arena_free(&arena);
}

uint32_t msw_spec_op_count(const msw_spec *spec) { return spec ? spec->operation_count : 0; }

msw_result msw_spec_op(const msw_spec *spec, uint32_t index, msw_op_info *info)
{
    if (!spec || !info || !ms_spec_has(spec, index)) return MSW_ERROR_INVALID_ARGUMENT;
    const msw_result result = MS_SIZED_CHECK(msw_op_info, info, "spec", NULL);
    if (!result) ms_sized_write(info, &spec->operations[index].info, sizeof *info);
    return result;
}

msw_result msw_spec_stage(const msw_spec *spec, uint32_t index, uint32_t stage, msw_stage_info *info)
{
    if (!spec || !info || !ms_spec_has(spec, index)) return MSW_ERROR_INVALID_ARGUMENT;
    const ms_pipeline *pipeline = spec->operations[index].pipeline;
    if (!pipeline || stage >= pipeline->stage_count) return MSW_ERROR_INVALID_ARGUMENT;
    const msw_result result = MS_SIZED_CHECK(msw_stage_info, info, "spec", NULL);
    if (result) return result;
    const ms_stage *s = &pipeline->stages[stage];
    msw_stage_info found = {
        .op = (uint32_t)(s->op - spec->operations), .counted_by = s->counted_by, .length = s->length, .operations = s->operations};
    memcpy(found.arrays, s->arrays, sizeof found.arrays);
    ms_sized_write(info, &found, sizeof found);
    return MSW_OK;
}

int msw_spec_find(const msw_spec *spec, const char *name)
{
    if (!spec) return -1;
    if (!name) return spec->operation_count == 1 ? 0 : -1;
    for (uint32_t i = 0; ms_spec_has(spec, i); i++)
        if (!strcmp(spec->operations[i].info.name, name)) return (int)i;
    return -1;
}

const char *msw_spec_name(const msw_spec *spec) { return spec ? spec->name : ""; }

const char *msw_spec_summary(const msw_spec *spec) { return spec ? spec->summary : ""; }

const char *msw_spec_json(const msw_spec *spec) { return spec ? spec->json : ""; }

msw_result msw_spec_evaluate(const msw_spec *spec, uint32_t index, uint64_t n, const void *const *inputs, void *const *outputs, const void *carry_in,
                             void *carry_out, msw_diag *diag)
{
    static const void *const no_inputs[MSW_MAX_BUFFERS];
    void *no_outputs[MSW_MAX_BUFFERS] = {NULL};
    if (!spec) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "oracle", NULL, 0, "msw_spec_evaluate: spec is NULL");
    if (!ms_spec_has(spec, index))
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "oracle", NULL, 0, "msw_spec_evaluate: the spec has no operation %u; it has %u", index,
                       spec->operation_count);
    const msw_op_info *info = &spec->operations[index].info;
    for (uint32_t b = 0, input = 0; b < info->buffer_count; b++)
        if (info->buffers[b].role != MSW_ROLE_OUT && (!inputs || !inputs[input++]) &&
            (msw_elements(info->buffers[b].length, n) || msw_given_by(info->buffers[b].length) >= 0))
            return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "oracle", NULL, 0, "msw_spec_evaluate: input '%s' is NULL", info->buffers[b].name);
    const ms_c_locale locale = ms_c_locale_enter(); /* of host functions */
    const msw_result result = ms_oracle_run(&spec->operations[index], &spec->arena.allocator, n, inputs ? inputs : no_inputs,
                                            outputs ? outputs : no_outputs, carry_in, carry_out, MS_FLOATS_AS_PROMISED, diag);
    ms_c_locale_leave(locale);
    return result;
}
