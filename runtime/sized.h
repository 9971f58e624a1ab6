/* sized.h - structs that begin with struct_size, from and for programs of other versions (private; of the generator, too). */
#ifndef MS_SIZED_H
#define MS_SIZED_H

#include <monosweep/monosweep_measure.h>
#include <assert.h>
#include <stdalign.h>

/* Fields are only ever added, behind the others. What a program does not know is 0, the default; what the library does not know must be 0. */
typedef struct ms_sized {
    const char *name;
    uint32_t least_bytes; /* in the first version */
    uint32_t bytes;       /* in this library's */
} ms_sized;

/* `last`: the last field of the first version, which no later one changes. Nothing may lie behind it: else a new field would be where an old
 * program's padding was, and the size would not tell. */
#define MS_SIZED(type, last)                                                     \
    enum { ms_least_##type = offsetof(type, last) + sizeof(((type *)0)->last) }; \
    static_assert(offsetof(type, struct_size) == 0 && ms_least_##type % alignof(type) == 0, #type " has padding at its end")

MS_SIZED(msw_spec_desc, reserved);
MS_SIZED(msw_op_info, reserved);
MS_SIZED(msw_stage_info, operations);
MS_SIZED(msw_verification_desc, uniforms);
MS_SIZED(msw_probe_desc, state_user);
MS_SIZED(msw_structure, text);
MS_SIZED(msw_verification_report, reserved);
MS_SIZED(msw_target, reserved);
MS_SIZED(msw_choice, is_tuned);
MS_SIZED(msw_kind_info, is_multiple_pass);
MS_SIZED(msw_program_desc, tuning_name);
MS_SIZED(msw_tuning_class, fixed);
MS_SIZED(msw_header_desc, command);
MS_SIZED(msw_context_desc, vendor);
MS_SIZED(msw_kernel_desc, rest);
MS_SIZED(msw_launch_info, bytes_written);
MS_SIZED(msw_enqueue_desc, scratch_bytes);

/* Grows by its target alone, at its end: a field behind that would be where the target's next one comes. */
enum { ms_least_msw_device_info = offsetof(msw_device_info, target) + ms_least_msw_target };
static_assert(offsetof(msw_device_info, target) + sizeof(msw_target) == sizeof(msw_device_info), "the target is the last of a msw_device_info");

enum { MS_SIZED_MOST = 1 << 14 }; /* more is no struct's size */

/* Fills *to, of this library's size, with what `from` has. Errors: VERSION. */
msw_result ms_sized_read(const ms_sized *type, const void *from, void *to, const char *stage, msw_diag *diag);
#define MS_SIZED_READ(type, from, to, stage, diag) ms_sized_read(&(ms_sized){#type, ms_least_##type, sizeof *(to)}, from, to, stage, diag)

/* MSW_OK when `to`, of the caller's, has a size that results can be written to; before anything is done for them. */
msw_result ms_sized_check(const ms_sized *type, const void *to, const char *stage, msw_diag *diag);
#define MS_SIZED_CHECK(type, to, stage, diag) ms_sized_check(&(ms_sized){#type, ms_least_##type, sizeof *(to)}, to, stage, diag)

/* Writes as much of *from, of this library's size, as *to has room for; what is beyond becomes 0. *to keeps its struct_size, and has passed
 * ms_sized_check. */
void ms_sized_write(void *to, const void *from, uint32_t from_bytes);

/* A caller's array of msw_device_info, each of struct_size bytes. */
typedef struct ms_device_list {
    unsigned char *devices;
    uint32_t struct_size, capacity, count;
} ms_device_list;

/* Counts it, and writes it where there is room, with as much of its target as there is room for. */
void ms_device_list_add(ms_device_list *list, const msw_device_info *info);

#endif
