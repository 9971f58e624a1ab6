#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- sizes ---- */

static const double most_items = 1099511627776.0; /* 2^40 */

/* A number, or 2^number; moves *text past it. Less than 0: neither. */
static double parse_number(const char **text)
{
    char *end;
    const int is_power = !strncmp(*text, "2^", 2);
    const char *digits = *text + (is_power ? 2 : 0);
    if (*digits < '0' || *digits > '9') return -1;
    const double value = strtod(digits, &end);
    *text = end;
    if (end[-1] == '.' && *end == '.') *text = --end; /* "1.." */
    return is_power ? pow(2, value) : value;
}

static int ascending_sizes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* One size or range; 0: it is none, or there is no room. */
static int add_sizes(const char **text, uint64_t sizes[MS_MAX_SIZES], uint32_t *count)
{
    const double first = parse_number(text);
    double last = first, factor = 2;
    if (!strncmp(*text, "..", 2)) {
        *text += 2;
        last = parse_number(text);
        if (**text == ':') ++*text, factor = parse_number(text);
    }
    if (first < 0 || last < first || last > most_items || factor < 1.001) return 0;
    for (uint32_t i = 0;; i++) {
        const double size = first * pow(factor, i);
        if (size > last * 1.000001 || (i && first == 0)) return 1;
        if (*count == MS_MAX_SIZES) return 0;
        sizes[(*count)++] = (uint64_t)(size + 0.5);
    }
}

uint32_t ms_parse_sizes(const char *text, uint64_t sizes[MS_MAX_SIZES])
{
    uint32_t count = 0, kept = 0;
    for (;; text++) {
        if (!add_sizes(&text, sizes, &count)) return 0;
        if (*text != ',') break;
    }
    if (*text) return 0;
    qsort(sizes, count, sizeof *sizes, ascending_sizes);
    for (uint32_t i = 0; i < count; i++)
        if (!i || sizes[i] != sizes[i - 1]) sizes[kept++] = sizes[i];
    return kept;
}

/* ---- times ---- */

double ms_now(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ms_median(double *seconds, uint32_t count)
{
    qsort(seconds, count, sizeof *seconds, ascending);
    return count ? (seconds[count / 2] + seconds[(count - 1) / 2]) / 2 : 0;
}

double ms_spread(const double *sorted, uint32_t count)
{
    const double median = count ? (sorted[count / 2] + sorted[(count - 1) / 2]) / 2 : 0;
    return count >= 4 && median > 0 ? (sorted[count - 1 - count / 4] - sorted[count / 4]) / median : 0;
}

/* ---- warming up ---- */

/* Seconds: of a window, whose median is looked at; without a change, until times are steady. */
static const double window_seconds = 0.05, quiet_seconds = 0.3;
/* A median below or above the reference by these factors is a change of the clock, not noise. */
static const double least_fall = 0.97, least_rise = 1.1;

int ms_warming_add(ms_warming *w, double now, double seconds)
{
    if (!w->is_begun) {
        w->is_begun = 1;
        w->window_start = now;
        return 0;
    }
    if (w->pass_count < MS_WARMING_PASSES) w->passes[w->pass_count++] = seconds;
    if (now - w->window_start < window_seconds) return 0;
    const double median = ms_median(w->passes, w->pass_count);
    const int is_change = !w->windows++ || median < least_fall * w->reference || median > least_rise * w->reference;
    if (is_change) w->reference = median;
    w->quiet_seconds = is_change ? 0 : w->quiet_seconds + now - w->window_start;
    w->window_start = now;
    w->pass_count = 0;
    return w->quiet_seconds >= quiet_seconds;
}

int ms_warm_up(double (*run)(void *user), void *user, double most_seconds)
{
    ms_warming warming = {0};
    const double start = ms_now();
    for (ms_warming_add(&warming, start, 0);;) {
        const double seconds = run(user), now = ms_now();
        if (seconds <= 0 || ms_warming_add(&warming, now, seconds)) return 1;
        if (now - start > most_seconds && warming.windows >= 2) return 0;
    }
}

/* ---- comparing ---- */

static const double tail = 0.005; /* of a confidence interval, on each side */

/* k: the k-th smallest of `count` values (from 0) is below the median of what they come from, but for `tail` of all samples. -1: not even the
 * smallest is. */
static int rank_below(uint32_t count)
{
    double term = pow(0.5, count), sum = term; /* the binomial distribution: how many of them are below that median */
    int k = -1;
    while (sum <= tail) {
        k++;
        term *= (double)(count - (uint32_t)k) / (double)(k + 1);
        sum += term;
    }
    return k;
}

ms_gain ms_gain_of(const double *a, const double *b, uint32_t rounds)
{
    double ratios[MS_MAX_ROUNDS];
    uint32_t count = 0;
    for (uint32_t r = 0; r < rounds && r < MS_MAX_ROUNDS; r++)
        if (a[r] > 0 && b[r] > 0) ratios[count++] = a[r] / b[r];
    const double median = ms_median(ratios, count);
    const int k = count ? rank_below(count) : -1;
    if (k < 0) return (ms_gain){median, 0, HUGE_VAL};
    return (ms_gain){median, ratios[k], ratios[count - 1 - (uint32_t)k]};
}

/* ---- rows ---- */

void ms_write_csv_text(FILE *file, const char *text)
{
    const int is_quoted = text[strcspn(text, ",\"\r\n")] != '\0';
    if (is_quoted) putc('"', file);
    for (; *text; text++) {
        if (*text == '"') putc('"', file);
        putc(*text, file);
    }
    if (is_quoted) putc('"', file);
}

static void write_share(FILE *file, double share)
{
    if (share > 0) fprintf(file, share < 0.1 ? ",%.3g" : ",%.1f", 100 * share);
    else putc(',', file);
}

static void write_microseconds(FILE *file, double seconds)
{
    if (seconds > 0) fprintf(file, ",%.2f", seconds * 1e6);
    else putc(',', file);
}

void ms_write_csv_head(FILE *file)
{
    fputs("device,kind,case,variant,n,rounds,median_us,gitems_per_s,gb_per_s,percent_of_memcpy,percent_of_cub,create_ms,result,steady,"
          "predicted_us,least_us\n",
          file);
}

void ms_write_csv_row(FILE *file, const ms_row *row)
{
    const int is_timed = row->seconds > 0;
    ms_write_csv_text(file, row->device);
    fprintf(file, ",%s,", row->kind);
    ms_write_csv_text(file, row->name);
    putc(',', file);
    ms_write_csv_text(file, row->variant);
    fprintf(file, ",%llu,%u", (unsigned long long)row->n, row->rounds);
    if (is_timed) fprintf(file, ",%.2f,%.4g,%.4g", row->seconds * 1e6, (double)row->n / row->seconds * 1e-9, row->bytes / row->seconds * 1e-9);
    else fputs(",,,", file);
    write_share(file, is_timed && row->memcpy_rate > 0 ? row->bytes / row->seconds / row->memcpy_rate : 0);
    write_share(file, is_timed ? row->cub_seconds / row->seconds : 0);
    if (row->create_seconds > 0) fprintf(file, ",%.1f", 1e3 * row->create_seconds);
    else putc(',', file);
    putc(',', file);
    ms_write_csv_text(file, row->result);
    fputs(!is_timed ? "," : row->is_unsteady ? ",no" : ",yes", file);
    write_microseconds(file, row->predicted_seconds);
    write_microseconds(file, row->least_seconds);
    putc('\n', file);
}
