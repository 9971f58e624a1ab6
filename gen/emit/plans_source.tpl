/* $(header.name)_plans.c - plans of $(names), with their kernels' code.
$ if spdx then
 * SPDX-License-Identifier: $(comment(spdx))
$ end
 *
 * Made by monosweep $(header.version) (plan format $(header.format)) from $(comment(header.file))$(compiler and " with " .. compiler or ""). Do not edit it, make it anew:
$ if command then
 *     $(comment(command))
$ end
 */
#include "$(header.name)_plans.h"
$ for _, op in ipairs(header.operations) do
$ local name = op.prefix
$ for c, code in ipairs(op.codes) do

static const uint32_t $(name)_code_$(c - 1)[] = {
    $(code)
};
$ end

static const msw_plan $(name)_all[$(#op.plans)] = {
$ for _, plan in ipairs(op.plans) do
    $(plan.text)
$ end
};

const msw_plan *const $(name)_plans[] = {
$ for p in ipairs(op.plans) do
    &$(name)_all[$(p - 1)],
$ end
    NULL,
};
$ end
