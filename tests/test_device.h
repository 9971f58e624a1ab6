/* test_device.h - for tests: the device of MSW_TEST_DEVICE ("vulkan" by default), watched by the validation layer. Include after cmocka.h. */
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_device {
    msw_context *context;
    const msw_device_info *info;
    int validation_messages;
} test_device;

static inline void test_device_log(void *user, const char *line)
{
    test_device *device = user;
    device->validation_messages += strncmp(line, "validation: ", 12) == 0;
    fprintf(stderr, "%s\n", line);
}

/* 0 on success; the device stays where it is until it is closed. */
static inline int test_device_open(test_device *device)
{
    const char *name = getenv("MSW_TEST_DEVICE");
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = name ? name : "vulkan", .log = test_device_log, .log_user = device,
                                   .enable_validation = 1};
    msw_diag diag;
    *device = (test_device){0};
    if (msw_context_create(&desc, &device->context, &diag)) {
        fprintf(stderr, "%s\n", diag.message);
        return -1;
    }
    device->info = msw_context_device(device->context);
    return 0;
}

/* What destroying the context finds counts too. */
static inline int test_device_close(test_device *device)
{
    msw_context_destroy(device->context);
    return device->validation_messages ? -1 : 0;
}

#endif
