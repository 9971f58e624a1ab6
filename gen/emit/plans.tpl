/* $(header.name)_plans.h - plans of $(names), made ahead of time: for programs that link monosweep_runtime, with $(header.name)_plans.c.
$ if spdx then
 * SPDX-License-Identifier: $(comment(spdx))
$ end
 *
 * Made by monosweep $(header.version) (plan format $(header.format)) from $(comment(header.file)). Do not edit it, make it anew:
$ if command then
 *     $(comment(command))
$ end
 */
#ifndef $(base)_H
#define $(base)_H

#include <monosweep/monosweep_plan.h>

#if MSW_PLAN_FORMAT != $(header.format)u
#error "these plans and <monosweep/monosweep_plan.h> are of different versions; make the plans anew"
#endif

#ifdef __cplusplus
extern "C" {
#endif
$ for _, op in ipairs(header.operations) do

/* $(op.name): $(comment(op.title)).
$ if op.doc ~= "" then
 * $(comment(op.doc))
$ end
 *
$ for i in ipairs(op.buffers) do
 *   $(buffer_line(op, i))
$ end
$ if op.carry then
 *   carry_in, carry_out: 1 element of $(bytes(op.carry.size)), address a multiple of 16: $(layout(op.carry))
$ end
 *
 * A list for msw_kernel_load_any, which ends with NULL:
$ for _, plan in ipairs(op.plans) do
 *   $(plan.backend), $(plan.subgroup == 1 and "subgroups of any size" or "subgroups of " .. plan.subgroup)$(plan.backend == "Vulkan" and "; needs " .. features(plan) or "")
$ end
 */
extern const msw_plan *const $(op.prefix)_plans[];
$ end

#ifdef __cplusplus
}
#endif

#endif
