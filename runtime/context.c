#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of "auto"; each lists GPUs before CPU drivers. */
static const ms_backend *const backends[] = {&ms_backend_cuda, &ms_backend_vulkan, &ms_backend_host};
enum { BACKEND_COUNT = sizeof backends / sizeof backends[0] };

/* given: NULL is all defaults. */
static msw_result read_desc(const msw_context_desc *given, msw_context_desc *desc, msw_diag *diag)
{
    *desc = (msw_context_desc){.struct_size = sizeof *desc};
    const msw_result result = given ? MS_SIZED_READ(msw_context_desc, given, desc, "device", diag) : MSW_OK;
    if (result != MSW_OK) return result;
    if (desc->progress > MSW_PROGRESS_NONE)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "msw_context_desc: progress is %u, no msw_progress", desc->progress);
    return MSW_OK;
}

/* "vulkan:1" names `name` and index 1, "vulkan" the first usable; 0 when the text names no device of this backend. */
static int parse_device(const char *text, const char *name, uint32_t *index)
{
    const size_t length = strlen(name);
    char *end;
    unsigned long number;
    *index = MS_DEVICE_FIRST;
    if (strncmp(text, name, length) != 0) return 0;
    text += length;
    if (*text == '\0') return 1;
    if (text[0] != ':' || text[1] < '0' || text[1] > '9') return 0;
    number = strtoul(text + 1, &end, 10);
    *index = (uint32_t)number;
    return *end == '\0' && number < MS_DEVICE_FIRST;
}

/* No such device: says which there are. */
static msw_result fail_unknown(const msw_context_desc *desc, msw_diag *diag)
{
    char known[700] = "";
    size_t length = 0;
    msw_device_info devices[8] = {{.struct_size = sizeof *devices}};
    uint32_t count = 0;
    if (msw_devices(desc, devices, 8, &count, NULL) != MSW_OK) count = 0;
    for (uint32_t i = 0; i < count && i < 8 && length < sizeof known; i++)
        length += (size_t)snprintf(known + length, sizeof known - length, ", %s (%.60s)", devices[i].id, devices[i].name);
    return ms_fail(diag, MSW_ERROR_DEVICE, "device", "no device '%.64s'; known are auto%s", desc->device, known);
}

static msw_result open_named(const msw_context_desc *desc, msw_context *context, msw_diag *diag)
{
    for (uint32_t b = 0; b < BACKEND_COUNT; b++) {
        uint32_t index;
        if (!parse_device(desc->device, backends[b]->name, &index)) continue;
        context->backend = backends[b];
        return backends[b]->open(desc, &context->allocator, index, &context->device, &context->info, diag);
    }
    return fail_unknown(desc, diag);
}

static msw_result open_first(const msw_context_desc *desc, msw_context *context, msw_diag *diag)
{
    msw_result result = MSW_ERROR_DEVICE;
    for (uint32_t b = 0; b < BACKEND_COUNT && result != MSW_OK; b++) {
        context->backend = backends[b];
        result = backends[b]->open(desc, &context->allocator, MS_DEVICE_FIRST, &context->device, &context->info, diag);
    }
    return result;
}

/* What the caller says of the scheduler, where that is more than the device is known to promise. Drivers on the CPU are known to run blocks in
 * turn. Of a GPU's driver the caller may know better; the log says what depends on it. */
static msw_result take_progress(const msw_context_desc *desc, msw_device_info *info, msw_diag *diag)
{
    const int is_more = desc->progress && desc->progress < info->target.progress && info->backend != MSW_BACKEND_HOST;
    char line[512];
    if (is_more && info->target.is_cpu)
        return ms_fail(
            diag, MSW_ERROR_INVALID_ARGUMENT, "device",
            "%s: this driver runs blocks in turn, so kernels that count on more would be wrong or wait forever; leave the progress model out",
            info->name);
    if (is_more && desc->log) {
        snprintf(line, sizeof line,
                 "%s: it is not known that blocks make progress as the progress model says; where they do not, results are wrong: verify them",
                 info->name);
        desc->log(desc->log_user, line);
    }
    if (desc->progress) info->target.progress = desc->progress;
    return MSW_OK;
}

msw_result msw_context_create(const msw_context_desc *given, msw_context **context, msw_diag *diag)
{
    msw_context_desc read;
    const msw_context_desc *const desc = &read;
    msw_context *c;
    msw_result result;
    int is_auto;
    if (!context) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "msw_context_create: context is NULL");
    *context = NULL;
    if ((result = read_desc(given, &read, diag)) != MSW_OK) return result;
    is_auto = !desc->device || strcmp(desc->device, "auto") == 0;
    if (desc->vendor && (is_auto || (strcmp(desc->device, "vulkan") != 0 && strncmp(desc->device, "cuda", 4) != 0)))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device",
                       "msw_context_desc: vendor objects need device \"vulkan\" or \"cuda\", to say which they are");
    c = ms_alloc(desc->allocator, sizeof *c);
    if (!c) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "device", "msw_context_create: out of memory");
    if (desc->allocator) c->allocator = *desc->allocator;
    result = is_auto ? open_first(desc, c, diag) : open_named(desc, c, diag);
    if (result == MSW_OK && (result = take_progress(desc, &c->info, diag)) != MSW_OK) c->backend->close(c->device);
    if (result != MSW_OK) {
        ms_free(desc->allocator, c, sizeof *c);
        return result;
    }
    c->info.struct_size = sizeof c->info;
    snprintf(c->info.target.device, sizeof c->info.target.device, "%.63s", c->info.name);
    if (c->info.backend != MSW_BACKEND_HOST) ms_cache_open(&c->cache, desc);
    *context = c;
    return ms_ok(diag);
}

void msw_context_destroy(msw_context *context)
{
    msw_allocator allocator;
    if (!context) return;
    ms_cache_close(&context->cache);
    context->backend->close(context->device);
    allocator = context->allocator;
    ms_free(&allocator, context, sizeof *context);
}

const msw_device_info *msw_context_device(const msw_context *context) { return context ? &context->info : NULL; }

msw_result msw_devices(const msw_context_desc *given, msw_device_info *devices, uint32_t capacity, uint32_t *count, msw_diag *diag)
{
    ms_device_list list = {.capacity = capacity};
    msw_context_desc desc;
    msw_result result;
    if (!count || (capacity && !devices)) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "msw_devices: count or devices is NULL");
    *count = 0;
    if ((result = read_desc(given, &desc, diag)) != MSW_OK) return result;
    if (capacity && (result = MS_SIZED_CHECK(msw_device_info, devices, "device", diag)) != MSW_OK) return result;
    if (capacity) list.devices = (unsigned char *)devices, list.struct_size = devices->struct_size;
    for (uint32_t b = 0; b < BACKEND_COUNT; b++)
        if (backends[b]->list(&desc, desc.allocator, &list, diag) == MSW_ERROR_OUT_OF_MEMORY) return MSW_ERROR_OUT_OF_MEMORY;
    *count = list.count;
    return ms_ok(diag);
}

msw_result msw_backend_check(const msw_context_desc *given, uint32_t backend, msw_diag *diag)
{
    ms_device_list list = {.capacity = 0};
    msw_context_desc desc;
    uint32_t b = 0;
    msw_result result;
    if ((result = read_desc(given, &desc, diag)) != MSW_OK) return result;
    while (b < BACKEND_COUNT && backends[b]->kind != backend) b++;
    if (b == BACKEND_COUNT)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "device", "msw_backend_check: there is no backend %u; see msw_backend_kind", backend);
    result = backends[b]->list(&desc, desc.allocator, &list, diag);
    if (result != MSW_OK) return result;
    if (list.count) return ms_ok(diag);
    return ms_fail(diag, MSW_ERROR_DEVICE, "device", "%s: its driver knows no device; look whether there is one, and this user may use it",
                   backends[b]->name);
}
