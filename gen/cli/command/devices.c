#include "commands.h"
#include "devices.h"
#include "device_text.h"
#include "cli/session.h"
#include "cli/values.h"

#include <stdlib.h>
#include <string.h>

static const char *backend_name(uint32_t backend)
{
    static const char *const names[] = {"auto", "host", "vulkan", "cuda"};
    return backend < sizeof names / sizeof names[0] ? names[backend] : "?";
}

static void print_text_field(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    ms_print_json_string(stdout, text);
}

static void print_device_json(const msw_device_info *device)
{
    const msw_target *target = &device->target;
    const char *separator = "";
    msw_diag diag;
    printf("{\"backend\": \"%s\"", backend_name(device->backend));
    print_text_field("id", device->id);
    print_text_field("name", device->name);
    print_text_field("driver", device->driver);
    print_text_field("why", device->why);
    print_text_field("compiler_why", ms_missing_compiler(device, &diag));
    printf(", \"cpu\": %s, \"usable\": %s, \"memory_bytes\": %llu, \"max_allocation_bytes\": %llu", device->target.is_cpu ? "true" : "false",
           device->is_usable ? "true" : "false", (unsigned long long)device->memory_bytes, (unsigned long long)device->max_allocation_bytes);
    printf(", \"subgroup_size\": %u, \"max_block_threads\": %u, \"shared_bytes\": %u, \"max_blocks\": %u, \"progress\": \"%s\", \"features\": [",
           target->subgroup_size, target->max_block_threads, target->shared_bytes, target->max_blocks, ms_progress_name(target->progress));
    for (uint32_t f = 0; msw_feature_name(f); f++) {
        if (!(target->features >> f & 1u)) continue;
        printf("%s\"%s\"", separator, msw_feature_name(f));
        separator = ", ";
    }
    printf("]}");
}

/* A backend without a device takes an entry's place after the last, so that it is said why. Returns how many there are then. */
static uint32_t add_missing(const msw_context_desc *desc, msw_device_info *devices, uint32_t count)
{
    static const uint32_t backends[] = {MSW_BACKEND_CUDA, MSW_BACKEND_VULKAN};
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        msw_device_info *missing = &devices[count];
        const char *name = backend_name(backends[b]);
        msw_diag diag;
        if (!msw_backend_check(desc, backends[b], &diag)) continue;
        const size_t prefix = strncmp(diag.message, name, strlen(name)) || diag.message[strlen(name)] != ':' ? 0 : strlen(name) + 2;
        *missing = (msw_device_info){.struct_size = sizeof *missing, .backend = backends[b]};
        snprintf(missing->id, sizeof missing->id, "%s", name);
        snprintf(missing->why, sizeof missing->why, "%.255s", diag.message + prefix);
        count++;
    }
    return count;
}

static void print_devices(const ms_options *options, const msw_device_info *devices, uint32_t count)
{
    if (options->json) printf("[");
    for (uint32_t i = 0; i < count; i++) {
        if (options->json) {
            if (i) printf(",\n ");
            print_device_json(&devices[i]);
        } else {
            ms_print_device(&devices[i], options->verbose);
        }
    }
    if (options->json) printf("]\n");
}

ms_exit ms_devices_command(const ms_options *options)
{
    enum { CAPACITY = 64, BACKENDS = 2 };
    msw_diag diag;
    uint32_t count = 0;
    const msw_context_desc desc = ms_context_desc(options);
    if (options->report) return ms_devices_report(options);
    msw_device_info *devices = calloc(CAPACITY + BACKENDS, sizeof *devices);
    if (!devices) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    devices->struct_size = sizeof *devices;
    const msw_result result = msw_devices(&desc, devices, CAPACITY, &count, &diag);
    if (!result) print_devices(options, devices, add_missing(&desc, devices, count < CAPACITY ? count : CAPACITY));
    free(devices);
    return result ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}
