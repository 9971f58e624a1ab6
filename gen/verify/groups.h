/* groups.h - items in any order of elements (an append with order = "any"): what such a result is, and whether one is right.
 *
 * The rule. A group is the items of an element, in order; one without items has none. Of `count` items the array has the first `count`, or as many as
 * it has room for. These are groups one behind the other, in any order, each element's once. Where there is no room for all, they are some of the
 * groups, the last of which may end early. Groups of equal bits are one as good as the other. */
#ifndef MS_GROUPS_H
#define MS_GROUPS_H

#include "spec/spec.h"

typedef enum ms_groups_verdict {
    MS_GROUPS_RIGHT,
    MS_GROUPS_WRONG,
    MS_GROUPS_UNDECIDED, /* groups begin alike, and which one is where would take too long to find */
    MS_GROUPS_NO_MEMORY,
    MS_GROUPS_NO_ITEMS /* a function of the spec's host failed */
} ms_groups_verdict;

/* Judges the first items of `items`, an array of op's, `count` in all. input: an array of n elements, or records. *wrong: of a WRONG one, an item
 * that belongs to none of the groups that are left. */
ms_groups_verdict ms_groups_judge(const ms_operation *op, ms_arena *arena, uint64_t n, const void *input, const void *items, uint64_t count,
                                  uint64_t *wrong);

#endif
