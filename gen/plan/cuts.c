#include "cuts.h"
#include "geometry.h"
#include "plan.h"
#include "tuning.h"

/* Processors of other drivers go by lavapipe's row. */
msw_result ms_cuts_find_device(ms_arena *arena, ms_cut_place *place, msw_diag *diag)
{
    const msw_target *target = place->target;
    const char *backend = ms_plan_backend(target);
    const int is_cpu = ms_is_cpu_driver(target);
    msw_result result = ms_tuning_device(arena, backend, target->arch, target, place->tuning_name, place->tuning, &place->device, &place->note, diag);
    if (!result && !place->note && is_cpu)
        result = ms_tuning_device(arena, backend, "lavapipe", target, place->tuning_name, place->tuning, &place->device, &place->note, diag);
    place->device.reads_twice = (uint32_t)is_cpu;
    return result;
}
