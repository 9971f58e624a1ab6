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
    int *validation_messages = user;
    *validation_messages += strncmp(line, "validation: ", 12) == 0;
    fprintf(stderr, "%s\n", line);
}

/* The description of a context that is watched: the layer's messages are shown, and counted in *validation_messages. */
static inline msw_context_desc watched_context(const char *device, int *validation_messages)
{
    return (msw_context_desc){
        .struct_size = sizeof(msw_context_desc), .device = device, .log = test_device_log, .log_user = validation_messages, .enable_validation = 1};
}

static inline const char *test_device_name(void)
{
    const char *name = getenv("MSW_TEST_DEVICE");
    return name ? name : "vulkan";
}

/* 0 on success; the device stays where it is until it is closed. */
static inline int test_device_open(test_device *device)
{
    const msw_context_desc desc = watched_context(test_device_name(), &device->validation_messages);
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
