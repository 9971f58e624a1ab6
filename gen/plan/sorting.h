/* sorting.h - what the planners of sorts share (sorting.c): sort.c, and hybrid.c, whose sorts fall back to the passes of Onesweep. */
#ifndef MS_SORTING_H
#define MS_SORTING_H

#include "planning.h"

/* What kernels of a sort agree on. Offsets are bytes, in the scratch. */
typedef struct ms_sort_layout {
    uint32_t passes;           /* digits of the key */
    uint32_t joins_passes;     /* 1: one launch has all of them, of as many keys as ms_sort_joins says */
    uint32_t histogram_copies; /* of every bin, in a block's shared memory */
    uint32_t histogram_offset, starts_offset, varies_offset, keys_end_offset;
    uint32_t tile_descriptor_bytes, most_descriptor_bytes; /* most: where a kernel serves passes of several counts */
    uint32_t few_posts_bytes;                              /* room for the posts of sorts of few keys; other variants keep their keys out of it */
    uint32_t tile_spare_bytes;                             /* of a tile's keys and values on their way, in the scratch */
    uint32_t image_counts_offset, image_starts_offset;     /* of a sort by counting keys of several digits, with counted_bits */
    uint32_t window_bits, counted_bits; /* of the window; of one that a block can count at once; at most. From here on: of a hybrid */
    uint32_t bucket_items;              /* that a block sorts, at most */
    uint32_t mean_bucket_items;         /* at most, so that of random keys no bucket has more than bucket_items */
    uint32_t large_bucket_items, large_mean_bucket_items; /* the same for n that bucket_items is too small for; 0: there are no such kernels */
    uint32_t bucket_counts_offset, bucket_starts_offset, bucket_groups_offset, listed_groups_offset, bucket_totals_offset;
    uint32_t part_rooms_offset, bucket_rooms_offset;
    uint32_t keys_are_images; /* 1: items of equal keys are equal, so their order does not matter */
    msw_scalar count, index;  /* u32 or u64: of a post; of an item's place */
} ms_sort_layout;

/* The kernels of Onesweep: of all digits' histogram, of its scan, of a pass, of all passes; of a hybrid's pass that partitions keys with values. */
enum { MS_SORT_HISTOGRAM, MS_SORT_STARTS, MS_SORT_PASS, MS_SORT_ALL_PASSES, MS_SORT_PARTITION_PASS, MS_SORT_KERNELS };

/* Keys of more than one tile that are few: their planning, of smaller tiles, and kernels, for n up to n_max. */
typedef struct ms_sort_few {
    ms_planning *p;
    uint32_t kernels[MS_SORT_KERNELS];
    uint32_t one_tile; /* of others: so many one block sorts */
    uint64_t n_max;
} ms_sort_few;

/* Added to a pass's argument where outputs may be inputs, or take turns with them (templates/sort/route.tpl); ALONE: where nothing is partitioned
 * although the kernels could (templates/sort/bucket_table.tpl). */
enum { MS_SORT_ALONE = 0x8000, MS_SORT_IN_PLACE = 0x10000, MS_SORT_PING_PONG = 0x20000 };

ms_kernel_shape ms_sort_shape(const ms_planning *p, const ms_sort_layout *layout, const char *template_name, const char *reads, const char *writes);
/* Words of an item on its way through a block's shared memory. */
uint32_t ms_sort_exchange_words(const ms_operation *op);
/* Of a tile's items there, and counts of digits by subgroup. */
uint32_t ms_sort_launch_bytes(const ms_operation *op, const ms_geometry *g);
/* In the scratch. */
uint64_t ms_sort_tile_bytes(const ms_sort_layout *layout, uint32_t mode);
/* The steps of Onesweep: the two that count digits; launches of one pass's kernel; all passes of up to n_max keys, whose number it returns (in place
 * there is one more where their number is odd). argument: MS_SORT_IN_PLACE or PING_PONG, and ALONE. */
void ms_sort_add_launches(ms_planning *p, uint32_t pass, uint32_t argument, uint32_t count);
void ms_sort_add_counting(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[MS_SORT_KERNELS], uint32_t argument);
uint32_t ms_sort_add_passes(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[MS_SORT_KERNELS], uint32_t argument, uint64_t n_max);
/* Whether a block comes for each tile of a pass: by CUDA many pairs of words gain from blocks that come and go (bench/NOTES.md). Of more than
 * MOST_JOINED of those each pass is a launch. */
int ms_sort_takes_block_a_tile(const ms_planning *p);
enum { MS_SORT_MOST_JOINED = 1 << 22 };
/* The largest n that the plan's variants serve so far. */
uint64_t ms_sort_planned(const ms_planning *p);
/* Whether one launch has all passes of up to n_max keys. Whether fewer keys of a variant up to n_max need one before it, up to MOST_JOINED. */
int ms_sort_joins(const ms_planning *p, const ms_sort_layout *layout, uint64_t n_max);
int ms_sort_joins_some(const ms_planning *p, const ms_sort_layout *layout, uint64_t n_max);
enum { MS_SORT_BANKS = 32 }; /* of shared memory */

/* Whether the device has room for kernels that count in one block a multiprocessor; their geometry; launched blocks of a kernel that counts. */
int ms_sort_counts_roomily(const ms_planning *p);
ms_geometry ms_sort_roomy_counting(const ms_planning *p);
uint32_t ms_sort_counting_blocks(const ms_planning *p, uint32_t kernel);
/* A kernel that has room for so many bytes of other things counts all passes' digits there: in as many copies as fit, of which a bank of shared
 * memory needs no more than one. Returns how many bytes it has room for then. */
uint32_t ms_sort_tell_digit_counts(ms_kernel_shape *shape, const ms_sort_layout *layout, uint32_t digit_bits, uint32_t bytes);
/* A kernel of that geometry, whose block shares launch_bytes and other_bytes; launch_bytes come with the launch where a text may not ask for both. */
uint32_t ms_sort_add_kernel(ms_planning *p, const char *entry, ms_kernel_shape shape, const ms_geometry *g, uint32_t launch_bytes,
                            uint32_t other_bytes);
/* What a block's scans take. */
uint32_t ms_sort_block_bytes(const ms_geometry *g);
/* Multiprocessors, 1 where that is not known. */
uint32_t ms_sort_units(const ms_planning *p);
/* Bytes an element of what is stored beside keys and values. */
uint32_t ms_sort_result_bytes(const ms_operation *op);
/* Ends a variant whose steps have been added. */
void ms_sort_end_variant(ms_planning *p, const ms_sort_layout *layout, msw_plan_variant *variant, uint32_t mode);
/* Whether the inputs may be used as space. */
int ms_sort_can_ping_pong(const ms_operation *op);

/* ---- hybrid.c ---- */

/* Words that a hybrid's launches tell each other (templates/sort/bucket_table.tpl). Digits that must vary: of fewer the device takes passes in any
 * case. */
enum { MS_SORT_TOTALS = 6, MS_SORT_LEAST_PASSES = 4 };

/* The largest n that is partitioned by default: of more random keys buckets are too large for a block. */
uint64_t ms_hybrid_most_items(const ms_planning *p);
/* Shared memory of the kernels that count all digits of a key where it is in vain to count buckets, or to partition. */
uint32_t ms_hybrid_count_bytes(const ms_operation *op, const ms_geometry *g, uint32_t passes);
/* What a hybrid's kernels agree on, beside what the layout has; how large the part of the scratch is that does not depend on n. */
uint32_t ms_hybrid_complete_layout(const ms_planning *p, ms_sort_layout *layout, uint32_t end);
/* Variants for n <= n_max: a histogram of buckets, two passes that partition the keys into them, a sort of each; or, where the device finds a bucket
 * too large, the steps of Onesweep, of which few keys (NULL: there are none) have their own passes. UNSUPPORTED: a block's shared memory is too
 * small for any of them. */
msw_result ms_hybrid_add(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[MS_SORT_KERNELS], const ms_sort_few *few,
                         uint64_t n_max, msw_diag *diag);
/* Whether a block has room for the keys of a bucket, and for the counts of all digits. */
int ms_hybrid_fits(const ms_planning *p);

#endif
