#include "sized.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint32_t size_of(const void *sized)
{
    uint32_t bytes;
    memcpy(&bytes, sized, sizeof bytes);
    return bytes;
}

static msw_result __attribute__((format(printf, 3, 4))) refuse(msw_diag *diag, const char *stage, const char *format, ...)
{
    va_list arguments;
    if (!diag) return MSW_ERROR_VERSION;
    *diag = (msw_diag){.code = MSW_ERROR_VERSION};
    snprintf(diag->stage, sizeof diag->stage, "%s", stage);
    va_start(arguments, format);
    vsnprintf(diag->message, sizeof diag->message, format, arguments);
    va_end(arguments);
    return MSW_ERROR_VERSION;
}

msw_result ms_sized_check(const ms_sized *type, const void *to, const char *stage, msw_diag *diag)
{
    const uint32_t given = size_of(to);
    if (given >= type->least_bytes && given <= MS_SIZED_MOST) return MSW_OK;
    return refuse(diag, stage, "%s: struct_size is %u, which no version has; set it to sizeof(%s)", type->name, given, type->name);
}

msw_result ms_sized_read(const ms_sized *type, const void *from, void *to, const char *stage, msw_diag *diag)
{
    const uint32_t given = size_of(from);
    const msw_result result = ms_sized_check(type, from, stage, diag);
    if (result != MSW_OK) return result;
    for (uint32_t b = type->bytes; b < given; b++)
        if (((const unsigned char *)from)[b])
            return refuse(diag, stage,
                          "%s: byte %u is set, of a field that version %s does not know; leave the field 0, or use the version that has it",
                          type->name, b, msw_version());
    memset(to, 0, type->bytes);
    memcpy(to, from, given < type->bytes ? given : type->bytes);
    memcpy(to, &type->bytes, sizeof type->bytes);
    return MSW_OK;
}

void ms_sized_write(void *to, const void *from, uint32_t from_bytes)
{
    const uint32_t given = size_of(to), room = given < from_bytes ? given : from_bytes;
    unsigned char *const bytes = to;
    memcpy(bytes + sizeof given, (const unsigned char *)from + sizeof given, room - sizeof given);
    memset(bytes + room, 0, given - room);
}

void ms_device_list_add(ms_device_list *list, const msw_device_info *info)
{
    const size_t target = offsetof(msw_device_info, target);
    const uint32_t target_bytes = list->struct_size - (uint32_t)target;
    const uint32_t index = list->count++;
    if (index >= list->capacity) return;
    unsigned char *const place = list->devices + (size_t)index * list->struct_size;
    memcpy(place, &list->struct_size, sizeof list->struct_size);
    ms_sized_write(place, info, sizeof *info);
    memcpy(place + target, &target_bytes, sizeof target_bytes);
}
