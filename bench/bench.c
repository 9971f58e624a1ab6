#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WARMING_SECONDS = 3 };

void bench_die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

void bench_check(msw_result result, const msw_diag *diag)
{
    if (result != MSW_OK) bench_die(diag->message);
}

void *bench_memory(uint64_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) bench_die("out of memory");
    return memory;
}

/* ---- options ---- */

/* "16,20" are powers of two, which is what most benches want; else ms_parse_sizes's forms. */
static void parse_sizes(bench_options *o, const char *text)
{
    char powers[4096], *next = powers;
    if (strlen(text) >= sizeof powers / 4) bench_die("--n: too long a list");
    if (!strchr(text, '^')) {
        for (next += sprintf(next, "2^"); *text; text++)
            next += sprintf(next,
                            *text == ',' ? ","
                                           "2^"
                                         : "%c",
                            *text);
        text = powers;
    }
    o->n_count = ms_parse_sizes(text, o->n);
    if (!o->n_count) bench_die("--n: powers of two, 16,20,24, or 2^10..2^28, or 2^10..2^20:2^0.25; at most 256 sizes of at most 2^40");
}

/* Knobs of the text, which is cut up. */
static void parse_set(bench_set *set, char *text)
{
    snprintf(set->name, sizeof set->name, "%s", text);
    for (char *c = set->name; *c; c++)
        if (*c == ',') *c = ' '; /* it stands in CSV */
    for (char *knob = strtok(text, ","); knob; knob = strtok(NULL, ",")) {
        char *equals = strchr(knob, '=');
        if (!equals || set->count == BENCH_MAX_KNOBS) bench_die("--set: KNOB=VALUE[,KNOB=VALUE ..], 12 at most");
        *equals = '\0';
        set->knobs[set->count++] = (msw_knob){knob, equals + 1};
    }
}

static void parse_digits(bench_options *o, const char *text)
{
    char end;
    if (sscanf(text, "%u..%u%c", &o->least_digit_bits, &o->most_digit_bits, &end) != 2 || !o->least_digit_bits ||
        o->most_digit_bits < o->least_digit_bits || o->most_digit_bits > BENCH_MOST_DIGIT_BITS)
        bench_die("--digits: LEAST..MOST bits, of 1..11");
}

/* Each set with digits of all these numbers of bits. */
static void spread_sets(bench_options *o)
{
    static const char *const bits[BENCH_MOST_DIGIT_BITS] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"};
    bench_set given[BENCH_MAX_SETS];
    const int count = o->set_count;
    memcpy(given, o->sets, sizeof given);
    o->set_count = 0;
    for (int s = 0; s < count; s++)
        for (uint32_t d = o->least_digit_bits; d <= o->most_digit_bits; d++) {
            if (o->set_count == BENCH_MAX_SETS || given[s].count == BENCH_MAX_KNOBS) bench_die("--digits: 30 variants at most, of 12 knobs each");
            bench_set *set = &o->sets[o->set_count++];
            *set = given[s];
            set->digit_bits = d;
            set->knobs[set->count++] = (msw_knob){"digit_bits", bits[d - 1]};
            snprintf(set->name, sizeof set->name, "%.60s digit_bits=%u", given[s].name, d);
        }
}

bench_options bench_parse(int argc, char **argv, const char *default_n)
{
    static const char usage[] = "options: --device D --n 16,20 or 2^10..2^20:2^0.25 --csv FILE --rounds R --case NAME --entropy E (sorts) "
                                "--digits LEAST..MOST (sorts) --deterministic everywhere (sweeps) --in-offset BYTES --out-offset BYTES (scans) "
                                "--set KNOB=VALUE[,KNOB=VALUE ..]";
    bench_options o = {.rounds = 11, .csv = stdout};
    parse_sizes(&o, default_n);
    if (argc % 2 == 0) bench_die(usage);
    for (int i = 1; i + 1 < argc; i += 2) {
        char *value = argv[i + 1];
        if (!strcmp(argv[i], "--device")) o.device = value;
        else if (!strcmp(argv[i], "--case")) o.only = value;
        else if (!strcmp(argv[i], "--entropy")) o.entropy = value;
        else if (!strcmp(argv[i], "--deterministic")) o.deterministic = value;
        else if (!strcmp(argv[i], "--digits")) parse_digits(&o, value);
        else if (!strcmp(argv[i], "--n")) parse_sizes(&o, value);
        else if (!strcmp(argv[i], "--csv") && !(o.csv = fopen(value, "w"))) bench_die("--csv: cannot be written");
        else if (!strcmp(argv[i], "--csv")) continue;
        else if (!strcmp(argv[i], "--in-offset")) o.in_offset = (uint32_t)atoi(value);
        else if (!strcmp(argv[i], "--out-offset")) o.out_offset = (uint32_t)atoi(value);
        else if (!strcmp(argv[i], "--rounds")) o.rounds = (uint32_t)atoi(value);
        else if (!strcmp(argv[i], "--set") && o.set_count < BENCH_MAX_SETS) parse_set(&o.sets[o.set_count++], value);
        else bench_die(usage);
    }
    if (o.most_digit_bits && !o.set_count) bench_die("--digits: of which sort? Give a --set, strategy=onesweep for example");
    if (o.most_digit_bits) spread_sets(&o);
    if (o.in_offset > 256 || o.out_offset > 256) bench_die("--in-offset, --out-offset: at most 256 bytes");
    if (o.rounds < 1 || o.rounds > MS_MAX_ROUNDS) bench_die("--rounds: 1 to 101");
    return o;
}

int bench_is_wanted(const bench_options *options, const char *name) { return !options->only || !strcmp(options->only, name); }

msw_context *bench_open(const bench_options *options)
{
    const msw_context_desc desc = {.struct_size = sizeof desc, .device = options->device};
    char peers[64];
    msw_context *context;
    msw_diag diag;
    bench_check(msw_context_create(&desc, &context, &diag), &diag);
    const msw_device_info *device = msw_context_device(context);
    fprintf(stderr, "%s: %s, %s\n", device->id, device->name, device->driver);
    bench_peers_version(peers);
    fprintf(options->csv, "# device: %s\n# driver: %s\n", device->name, device->driver);
    if (peers[0] && device->backend == MSW_BACKEND_CUDA) fprintf(options->csv, "# peers: %s\n", peers);
    ms_write_csv_head(options->csv);
    return context;
}

/* ---- variants ---- */

void bench_add_peers(bench *b)
{
    const int has_peers = bench_peers[0].name && msw_context_device(b->context)->backend == MSW_BACKEND_CUDA;
    msw_kernel *kernel;
    msw_diag diag;
    for (const bench_peer *p = bench_peers; has_peers && p->name; p++)
        if (!p->serves || p->serves(b->which)) b->variants[b->count++] = (bench_variant){.name = p->name, .peer = p};
    if (has_peers) return;
    b->variants[b->count++] = (bench_variant){.name = "memcpy", .is_copy = 1};
    const double start = ms_now();
    if (ms_copy_create(b->context, &kernel, &diag)) fprintf(stderr, "bench: %s, copy kernel: %s\n", b->name, diag.message);
    if (kernel) b->variants[b->count++] = (bench_variant){.name = "copy kernel", .kernel = kernel, .is_copy = 1, .create_seconds = ms_now() - start};
}

void bench_add_own(bench *b, const char *name, uint32_t most_rounds, double (*run)(void *user, const bench_arrays *arrays))
{
    b->variants[b->count++] = (bench_variant){.name = name, .run = run, .most_rounds = most_rounds};
}

/* A kernel that cannot be made is left out, with a word why. */
void bench_add(bench *b, const char *spec, const char *name, const msw_knob *knobs, uint32_t knob_count)
{
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = spec, .knobs = knobs, .knob_count = knob_count};
    bench_variant *v = &b->variants[b->count];
    msw_diag diag;
    *v = (bench_variant){.name = name};
    const double start = ms_now();
    if (msw_kernel_create(b->context, &desc, &v->kernel, &diag)) {
        fprintf(stderr, "bench: %s, %s: %s\n", b->name, name, diag.message);
        return;
    }
    v->create_seconds = ms_now() - start;
    const uint64_t bytes = msw_scratch_bytes(msw_kernel_plan(v->kernel), b->options->n[b->options->n_count - 1]);
    if (bytes) bench_check(msw_buffer_create(b->context, bytes, &v->scratch, &diag), &diag);
    b->count++;
}

void bench_add_in_place(bench *b, const char *spec)
{
    const int count = b->count;
    bench_add(b, spec, "in place", NULL, 0);
    if (b->count > count) b->variants[count].is_in_place = 1;
}

void bench_add_sets(bench *b, const char *spec)
{
    for (const bench_set *set = b->options->sets; set < b->options->sets + b->options->set_count; set++) {
        const int count = b->count;
        bench_add(b, spec, set->name, set->knobs, set->count);
        if (b->count > count) b->variants[count].digit_bits = set->digit_bits;
    }
}

void bench_add_model(bench *b, const char *name, uint32_t digit_bits)
{
    b->variants[b->count++] = (bench_variant){.name = name, .digit_bits = digit_bits, .is_model = 1, .verdict = "-"};
}

void bench_free(bench *b)
{
    for (int v = 0; v < b->count; v++) {
        msw_kernel_destroy(b->variants[v].kernel);
        msw_buffer_destroy(b->variants[v].scratch);
    }
    b->count = 0;
}

/* ---- runs ---- */

/* Seconds of device time, or less than 0: failed. */
static double run(const bench *b, const bench_variant *v, const bench_arrays *arrays, int is_first)
{
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .flags = is_first ? MSW_SCRATCH_DIRTY : 0, .n = arrays->n};
    double seconds = -1;
    msw_diag diag;
    int in = 0, out = 0;
    if (v->peer) return v->peer->run(b->which, arrays);
    if (v->run) return v->run(b->user, arrays);
    if (v->is_copy) return b->copy(b->user, v->kernel);
    const msw_plan *plan = msw_kernel_plan(v->kernel);
    if (v->is_in_place) desc.flags |= MSW_IN_PLACE;
    for (uint32_t i = 0; i < plan->buffer_count; i++)
        desc.buffers[i] = plan->buffers[i].role == MSW_ROLE_OUT ? arrays->out[out++] : (v->is_in_place ? arrays->out : arrays->in)[in++];
    if (v->scratch) {
        desc.scratch = msw_buffer_address(v->scratch);
        desc.scratch_bytes = msw_scratch_bytes(plan, b->options->n[b->options->n_count - 1]);
    }
    if (msw_kernel_run(v->kernel, &desc, &seconds, &diag) == MSW_OK) return seconds;
    fprintf(stderr, "bench: %s, %s: %s\n", b->name, v->name, diag.message);
    return -1;
}

static const char *verify(const bench *b, const bench_variant *v, const bench_arrays *arrays)
{
    if (run(b, v, arrays, 1) < 0) return "failed";
    if (v->run || v->is_copy) return "-";
    b->clear(b->user);
    if (run(b, v, arrays, 0) < 0) return "failed";
    if (v->peer && !v->peer->writes_result) return "-";
    return b->verify(b->user, v);
}

static int is_memcpy(const bench_variant *v) { return v->is_copy || (v->peer && !strcmp(v->name, "memcpy")); }

static double bytes_of(const bench *b, const bench_variant *v, uint64_t n)
{
    if (b->moved_bytes && !is_memcpy(v)) return (double)b->moved_bytes;
    return (double)(is_memcpy(v) ? b->memcpy_bytes : b->element_bytes) * (double)n;
}

static int is_cub(const bench_variant *v) { return v->peer && !strncmp(v->name, "cub", 3) && !v->is_out; }

/* Shares are of the fastest copy, and of the faster of CUB's; what runs on the host has none. */
static void report(bench *b, uint64_t n)
{
    const msw_device_info *device = msw_context_device(b->context);
    char device_name[300];
    double medians[BENCH_MAX_VARIANTS], memcpy_rate = 0, cub_seconds = 0;
    int is_unsteady[BENCH_MAX_VARIANTS];
    snprintf(device_name, sizeof device_name, "%s %s", device->id, device->name);
    for (int i = 0; i < b->count; i++) {
        bench_variant *v = &b->variants[i];
        medians[i] = ms_median(v->seconds, v->rounds);
        is_unsteady[i] = (!b->is_warm && !v->run) || ms_spread(v->seconds, v->rounds) > ms_most_spread;
        if (is_memcpy(v) && medians[i] > 0) memcpy_rate = fmax(memcpy_rate, bytes_of(b, v, n) / medians[i]);
        if (is_cub(v) && medians[i] > 0 && (cub_seconds == 0 || medians[i] < cub_seconds)) cub_seconds = medians[i];
    }
    for (int i = 0; i < b->count; i++) {
        const bench_variant *v = &b->variants[i];
        if (v->is_out) continue;
        const ms_row row = {.device = device_name,
                            .kind = b->kind,
                            .name = b->name,
                            .variant = v->name,
                            .result = v->verdict,
                            .n = n,
                            .rounds = v->rounds,
                            .seconds = medians[i],
                            .bytes = bytes_of(b, v, n),
                            .memcpy_rate = v->run ? 0 : memcpy_rate,
                            .cub_seconds = v->run ? 0 : cub_seconds,
                            .create_seconds = v->create_seconds,
                            .predicted_seconds = b->predict ? b->predict(b->user, v, memcpy_rate) : 0,
                            .is_unsteady = is_unsteady[i]};
        ms_write_csv_row(b->options->csv, &row);
    }
    if (fflush(b->options->csv)) bench_die("--csv: cannot be written");
}

/* A pass over everything that runs on the device. */
typedef struct pass {
    bench *b;
    const bench_arrays *arrays;
    uint32_t number;
    int is_kept;
} pass;

static double run_pass(void *user)
{
    pass *p = user;
    double sum = 0;
    for (int i = 0; i < p->b->count; i++) {
        bench_variant *v = &p->b->variants[ms_turn(p->number, (uint32_t)i, (uint32_t)p->b->count)];
        if (v->run || v->is_out || v->is_model) continue;
        const double seconds = run(p->b, v, p->arrays, 0);
        if (p->is_kept) v->seconds[v->rounds++] = seconds;
        if (seconds > 0) sum += seconds;
    }
    p->number++;
    return sum;
}

/* The bench's own variants run on the host, after the others: a device that waits for them has slow clocks, as it has after verification. */
static void measure(bench *b, const bench_arrays *arrays)
{
    pass warming = {.b = b, .arrays = arrays}, kept = {.b = b, .arrays = arrays, .is_kept = 1};
    b->is_warm = ms_warm_up(run_pass, &warming, MOST_WARMING_SECONDS);
    if (!b->is_warm)
        fprintf(stderr, "bench: %s, n = %llu: times were not steady after %d s\n", b->name, (unsigned long long)arrays->n, MOST_WARMING_SECONDS);
    for (int v = 0; v < b->count; v++) b->variants[v].rounds = 0;
    while (kept.number < b->options->rounds) run_pass(&kept);
    for (bench_variant *v = b->variants; v < b->variants + b->count; v++)
        while (v->run && v->rounds < v->most_rounds && v->rounds < b->options->rounds) v->seconds[v->rounds++] = run(b, v, arrays, 0);
}

int bench_run(bench *b, const bench_arrays *arrays)
{
    int is_right = 1;
    for (bench_variant *v = b->variants; v < b->variants + b->count; v++) {
        v->is_out = v->peer && v->peer->n_max && arrays->n > v->peer->n_max;
        if (v->is_out || v->is_model) continue;
        v->verdict = verify(b, v, arrays);
        is_right = is_right && (!strcmp(v->verdict, "verified") || !strcmp(v->verdict, "-"));
    }
    measure(b, arrays);
    report(b, arrays->n);
    return is_right;
}
