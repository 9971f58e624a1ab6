/* The order in which Gaussian splats are blended: a splat is copied into every tile of the screen that it covers, the copies are sorted by tile
 * and depth, and each tile gets its range of them (Kerbl et al., 3D Gaussian Splatting for Real-Time Radiance Field Rendering, 2023). All of it
 * is one pipeline, so that the number of copies stays on the device. The argument is a file for the splats. */
#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPLATS = 50000, CLUSTERS = 40, WIDTH = 1280, HEIGHT = 720, TILE = 16, COLUMNS = WIDTH / TILE, ROWS = HEIGHT / TILE, TILES = COLUMNS * ROWS };
enum { MOST_COPIES = 1 << 18 };

typedef struct splat { /* Splat of splats.lua */
    float depth;
    uint32_t left, right, top, bottom; /* the tiles that it covers; right and bottom not included */
} splat;

typedef struct copy { /* Copy of splats.lua */
    uint32_t tile;
    float depth;
    uint32_t splat;
} copy;

/* What the device finds: the copies in order, and where those of a tile begin and end. */
typedef struct blending {
    uint64_t count;
    copy *copies;
    uint32_t begins[TILES], ends[TILES];
} blending;

static void check(msw_result result, const msw_diag *diag)
{
    if (result == MSW_OK) return;
    fprintf(stderr, "%s\n", diag->message);
    exit(1);
}

static void *allocate(size_t count, size_t bytes)
{
    void *block = calloc(count + 1, bytes);
    if (!block) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

/* ---- the scene ---- */

static double uniform(uint32_t *state, double lo, double hi)
{
    *state = *state * 1664525u + 1013904223u;
    return lo + (hi - lo) * (*state >> 8) / (1 << 24);
}

/* Nearly normal: a sum of twelve uniform numbers. */
static double normal(uint32_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += uniform(state, 0, 1);
    return sum;
}

static uint32_t clamped(double x, int limit) { return x < 0 ? 0 : x > limit ? (uint32_t)limit : (uint32_t)x; }

/* A ball of some size at a point, seen from the origin along z by a pinhole camera: the tiles of the square around it, none when it is not seen. */
static splat project(const double *at, double size)
{
    const double focal = 1000, near = 0.2;
    splat s = {.depth = (float)at[2]};
    if (at[2] < near) return s;
    const double x = WIDTH / 2 + focal * at[0] / at[2], y = HEIGHT / 2 + focal * at[1] / at[2], radius = 3 * focal * size / at[2];
    s.left = clamped((x - radius) / TILE, COLUMNS);
    s.right = clamped((x + radius) / TILE + 1, COLUMNS);
    s.top = clamped((y - radius) / TILE, ROWS);
    s.bottom = clamped((y + radius) / TILE + 1, ROWS);
    return s;
}

/* Clusters of splats in front of the camera, the same in every run. */
static splat *make_splats(void)
{
    splat *splats = allocate(SPLATS, sizeof *splats);
    uint32_t state = 1;
    for (int c = 0; c < CLUSTERS; c++) {
        const double depth = uniform(&state, 2, 20), spread = uniform(&state, 0.1, 1);
        const double centre[3] = {depth * uniform(&state, -0.6, 0.6), depth * uniform(&state, -0.35, 0.35), depth};
        for (int i = c; i < SPLATS; i += CLUSTERS) {
            double at[3];
            for (int axis = 0; axis < 3; axis++) at[axis] = centre[axis] + spread * normal(&state);
            splats[i] = project(at, uniform(&state, 0.002, 0.03));
        }
    }
    return splats;
}

/* ---- on the device ---- */

static msw_buffer *make_buffer(msw_context *context, const void *data, size_t bytes)
{
    msw_buffer *buffer;
    msw_diag diag;
    check(msw_buffer_create(context, bytes, &buffer, &diag), &diag);
    if (data) check(msw_buffer_write(buffer, 0, data, bytes, &diag), &diag);
    return buffer;
}

enum { GIVEN, SORTED, BEGINS, ENDS, COUNT, BUFFERS }; /* as `monosweep check splats.lua` has them */

/* Returns the seconds of a second run: drivers may compile at the first. */
static double run(msw_context *context, msw_buffer *const *buffers)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_file = "splats.lua"};
    msw_enqueue_desc work = {.struct_size = sizeof work, .n = SPLATS};
    msw_kernel *kernel;
    msw_diag diag;
    double seconds;
    for (int b = 0; b < BUFFERS; b++) work.buffers[b] = msw_buffer_address(buffers[b]);
    check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
    for (int i = 0; i < 2; i++) check(msw_kernel_run(kernel, &work, &seconds, &diag), &diag);
    msw_kernel_destroy(kernel);
    return seconds;
}

static void blend(const splat *splats, blending *found)
{
    msw_context *context;
    msw_diag diag;
    check(msw_context_create(NULL, &context, &diag), &diag);
    msw_buffer *buffers[BUFFERS] = {[GIVEN] = make_buffer(context, splats, SPLATS * sizeof *splats),
                                    [SORTED] = make_buffer(context, NULL, MOST_COPIES * sizeof *found->copies),
                                    [BEGINS] = make_buffer(context, NULL, sizeof found->begins),
                                    [ENDS] = make_buffer(context, NULL, sizeof found->ends),
                                    [COUNT] = make_buffer(context, NULL, sizeof found->count)};
    const double seconds = run(context, buffers);
    fprintf(stderr, "%s: %.3g ms\n", msw_context_device(context)->name, seconds * 1e3);
    check(msw_buffer_read(buffers[COUNT], 0, &found->count, sizeof found->count, &diag), &diag);
    if (found->count > MOST_COPIES) {
        fprintf(stderr, "%llu copies, with room for %d\n", (unsigned long long)found->count, MOST_COPIES);
        exit(1);
    }
    found->copies = allocate(found->count, sizeof *found->copies);
    check(msw_buffer_read(buffers[SORTED], 0, found->copies, found->count * sizeof *found->copies, &diag), &diag);
    check(msw_buffer_read(buffers[BEGINS], 0, found->begins, sizeof found->begins, &diag), &diag);
    check(msw_buffer_read(buffers[ENDS], 0, found->ends, sizeof found->ends, &diag), &diag);
    for (int b = 0; b < BUFFERS; b++) msw_buffer_destroy(buffers[b]);
    msw_context_destroy(context);
}

/* ---- one splat after the other ---- */

static int compare(const void *left, const void *right) /* of copies: those of one tile and depth are of different splats */
{
    const copy *a = left, *b = right;
    if (a->tile != b->tile) return a->tile < b->tile ? -1 : 1;
    if (a->depth < b->depth || a->depth > b->depth) return a->depth < b->depth ? -1 : 1;
    return a->splat < b->splat ? -1 : 1;
}

static copy *sort_copies(const splat *splats, size_t count)
{
    copy *copies = allocate(count, sizeof *copies);
    size_t next = 0;
    for (uint32_t i = 0; i < SPLATS; i++)
        for (uint32_t y = splats[i].top; y < splats[i].bottom; y++)
            for (uint32_t x = splats[i].left; x < splats[i].right; x++) copies[next++] = (copy){y * COLUMNS + x, splats[i].depth, i};
    qsort(copies, count, sizeof *copies, compare);
    return copies;
}

/* How many copies, and ranges, are not those of loops over the splats. */
static size_t count_wrong(const splat *splats, const blending *found)
{
    size_t count = 0, wrong = 0, begin = 0;
    for (int i = 0; i < SPLATS; i++) count += (size_t)(splats[i].right - splats[i].left) * (splats[i].bottom - splats[i].top);
    if (count != found->count) return count + 1;
    copy *expected = sort_copies(splats, count);
    for (size_t i = 0; i < count; i++) wrong += memcmp(&expected[i], &found->copies[i], sizeof *expected) != 0;
    for (uint32_t t = 0; t < TILES; t++) {
        size_t end = begin;
        while (end < count && expected[end].tile == t) end++;
        wrong += end > begin ? found->begins[t] != begin || found->ends[t] != end : found->begins[t] != found->ends[t];
        begin = end;
    }
    free(expected);
    return wrong;
}

/* For `monosweep run splats.lua --input splats=PATH`. */
static void save(const char *path, const splat *splats)
{
    FILE *file = fopen(path, "wb");
    const int is_written = file && fwrite(splats, sizeof *splats, SPLATS, file) == SPLATS;
    if (!file || fclose(file) || !is_written) {
        perror(path);
        exit(1);
    }
}

int main(int count, char **arguments)
{
    splat *splats = make_splats();
    if (count > 1) save(arguments[1], splats);
    blending found = {0};
    int fullest = 0;
    blend(splats, &found);
    const size_t wrong = count_wrong(splats, &found);
    for (int t = 0; t < TILES; t++)
        if (found.ends[t] - found.begins[t] > found.ends[fullest] - found.begins[fullest]) fullest = t;
    const copy *first = &found.copies[found.begins[fullest]];
    printf("%d splats, %llu copies in %d tiles, %zu wrong\n", SPLATS, (unsigned long long)found.count, TILES, wrong);
    printf("tile %d blends %u, from splat %u at depth %.3f\n", fullest, found.ends[fullest] - found.begins[fullest], first->splat,
           (double)first->depth);
    free(found.copies);
    free(splats);
    return wrong > 0;
}
