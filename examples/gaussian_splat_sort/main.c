/* The order in which Gaussian splats are blended: a splat is copied into every tile of the screen that it covers, the copies are sorted by tile
 * and depth, and each tile gets its range of them (Kerbl et al., 3D Gaussian Splatting for Real-Time Radiance Field Rendering, 2023). */
#include <monosweep/monosweep.h>
#include <stdio.h>
#include <stdlib.h>

enum { SPLATS = 200000, CLUSTERS = 40, WIDTH = 1280, HEIGHT = 720, TILE = 16, COLUMNS = WIDTH / TILE, ROWS = HEIGHT / TILE, TILES = COLUMNS * ROWS };

typedef struct splat {
    float depth;
    int left, right, top, bottom; /* the tiles that it covers; right and bottom not included */
} splat;

typedef struct key { /* Splat of splats.lua */
    uint32_t tile;
    float depth;
} key;

typedef struct range {
    uint32_t begin, end;
} range;

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

static int clamped(double x, int limit) { return x < 0 ? 0 : x > limit ? limit : (int)x; }

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

/* A key for each tile of each splat, and the splat of each key. Gives how many there are. */
static uint32_t copy_into_tiles(const splat *splats, key **keys, uint32_t **owners)
{
    uint32_t count = 0;
    for (int i = 0; i < SPLATS; i++) count += (uint32_t)((splats[i].right - splats[i].left) * (splats[i].bottom - splats[i].top));
    *keys = allocate(count, sizeof **keys);
    *owners = allocate(count, sizeof **owners);
    count = 0;
    for (int i = 0; i < SPLATS; i++)
        for (int y = splats[i].top; y < splats[i].bottom; y++)
            for (int x = splats[i].left; x < splats[i].right; x++) {
                (*keys)[count] = (key){(uint32_t)(y * COLUMNS + x), splats[i].depth};
                (*owners)[count++] = (uint32_t)i;
            }
    return count;
}

/* ---- the order ---- */

/* Sorts keys on the default device; order: each one's place in `keys`. */
static void sort(const key *keys, uint32_t count, key *sorted, uint32_t *order)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_file = "splats.lua"};
    msw_context *context;
    msw_kernel *kernel;
    msw_diag diag;
    double seconds;
    check(msw_context_create(NULL, &context, &diag), &diag);
    check(msw_kernel_create(context, &desc, &kernel, &diag), &diag);
    for (int i = 0; i < 2; i++) /* drivers may compile at the first run */
        check(msw_kernel_run_host(kernel, count, (const void *[]){keys}, (void *[]){sorted, order}, &seconds, &diag), &diag);
    fprintf(stderr, "%s: %.3g ms\n", msw_context_device(context)->name, seconds * 1e3);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
}

/* A tile's range begins where the tile before ends. */
static void find_ranges(const key *sorted, uint32_t count, range *ranges)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || sorted[i].tile != sorted[i - 1].tile) ranges[sorted[i].tile].begin = i;
        ranges[sorted[i].tile].end = i + 1;
    }
}

static int compare(const void *left, const void *right) /* of pointers to keys of one array */
{
    const key *a = *(const key *const *)left, *b = *(const key *const *)right;
    if (a->tile != b->tile) return a->tile < b->tile ? -1 : 1;
    if (a->depth < b->depth || a->depth > b->depth) return a->depth < b->depth ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* How many places are not those of qsort, and how many tiles have another number of copies than they were given. */
static uint32_t count_wrong(const key *keys, uint32_t count, const uint32_t *order, const range *ranges)
{
    const key **expected = allocate(count, sizeof *expected);
    uint32_t given[TILES] = {0}, wrong = 0;
    for (uint32_t i = 0; i < count; i++) expected[i] = &keys[i], given[keys[i].tile]++;
    qsort(expected, count, sizeof *expected, compare);
    for (uint32_t i = 0; i < count; i++) wrong += expected[i] != &keys[order[i]];
    for (int t = 0; t < TILES; t++) wrong += ranges[t].end - ranges[t].begin != given[t];
    free(expected);
    return wrong;
}

int main(void)
{
    key *keys;
    uint32_t *owners;
    splat *splats = make_splats();
    const uint32_t count = copy_into_tiles(splats, &keys, &owners);
    key *sorted = allocate(count, sizeof *sorted);
    uint32_t *order = allocate(count, sizeof *order);
    range ranges[TILES] = {{0, 0}};
    int fullest = 0;

    sort(keys, count, sorted, order);
    find_ranges(sorted, count, ranges);
    const uint32_t wrong = count_wrong(keys, count, order, ranges);
    for (int t = 0; t < TILES; t++)
        if (ranges[t].end - ranges[t].begin > ranges[fullest].end - ranges[fullest].begin) fullest = t;
    printf("%d splats, %u copies in %d tiles, %u wrong\n", SPLATS, count, TILES, wrong);
    printf("tile %d blends %u, from splat %u at depth %.3f\n", fullest, ranges[fullest].end - ranges[fullest].begin,
           owners[order[ranges[fullest].begin]], (double)sorted[ranges[fullest].begin].depth);

    free(order);
    free(sorted);
    free(owners);
    free(keys);
    free(splats);
    return wrong > 0;
}
