/* Items in any order of elements: what verification takes for right, and that every mistake is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <monosweep/monosweep_measure.h>

#include <string.h>

enum { MOST = 400 };

/* An append in any order, and a result that a device may have made of it. */
typedef struct subject {
    msw_spec *spec;
    msw_verification *verification;
    uint32_t lengths[MOST], n, order[MOST];
    uint32_t items[2 * MOST]; /* of the first room + 1 the array has all but the last */
    uint64_t count, room;
    msw_verification_report report;
} subject;

#define APPEND(more, item) \
    "return append { order = 'any', input = u32, length = function(x) return x & 7 end, item = function(x, i, k) return " item " end" more " }"

static void open_subject(subject *s, const char *text, msw_backend_kind backend, const uint32_t *lengths, uint32_t n, uint64_t room)
{
    const msw_spec_desc read = {.struct_size = sizeof read, .text = text};
    msw_diag diag;
    *s = (subject){.n = n, .room = room, .report = {.struct_size = sizeof s->report}};
    if (msw_spec_create(&read, &s->spec, &diag)) fail_msg("%s", diag.message);
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = s->spec, .backend = backend};
    for (uint32_t i = 0; i < n; i++) s->lengths[i] = lengths ? lengths[i] : (i * 7 + i / 3) % 6, s->order[i] = i;
    if (msw_verification_create(&desc, &s->verification, &diag)) fail_msg("%s", diag.message);
    if (msw_verification_expect(s->verification, n, (const void *[]){s->lengths}, &diag)) fail_msg("%s", diag.message);
}

static void close_subject(subject *s)
{
    msw_verification_destroy(s->verification);
    msw_spec_destroy(s->spec);
}

/* The items of the elements in the subject's order, as u32(i) * 8 + k makes them. */
static void write_in_order(subject *s)
{
    s->count = 0;
    memset(s->items, 0, sizeof s->items);
    for (uint32_t o = 0; o < s->n; o++)
        for (uint32_t k = 0; k < (s->lengths[s->order[o]] & 7); k++, s->count++)
            if (s->count < s->room) s->items[s->count] = s->order[o] * 8 + k;
}

static msw_verdict judged(subject *s)
{
    msw_diag diag;
    if (msw_verification_judge(s->verification, (const void *[]){s->items, &s->count}, NULL, &s->report, &diag)) fail_msg("%s", diag.message);
    return s->report.verdict;
}

static void reverse(subject *s)
{
    for (uint32_t i = 0; i < s->n; i++) s->order[i] = s->n - 1 - i;
}

static void shuffle(subject *s, uint32_t seed)
{
    for (uint32_t i = s->n - 1; i > 0; i--) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t other = (seed >> 8) % (i + 1), kept = s->order[i];
        s->order[i] = s->order[other];
        s->order[other] = kept;
    }
}

static void test_any_order_is_right(void **state)
{
    subject s;
    (void)state;
    open_subject(&s, APPEND(", capacity = 800", "u32(i) * 8 + k"), MSW_BACKEND_HOST, NULL, 200, 800);
    write_in_order(&s);
    assert_int_equal(judged(&s), MSW_VERIFIED);
    assert_non_null(strstr(s.report.text, "verified bit for bit, elements in any order"));
    reverse(&s);
    write_in_order(&s);
    assert_int_equal(judged(&s), MSW_VERIFIED);
    for (uint32_t seed = 1; seed < 20; seed++) {
        shuffle(&s, seed);
        write_in_order(&s);
        assert_int_equal(judged(&s), MSW_VERIFIED);
    }
    close_subject(&s);
}

/* Where there is no room for all, some elements' items are there, and the last may lack its end. */
static void test_no_room(void **state)
{
    subject s;
    (void)state;
    open_subject(&s, APPEND(", capacity = 100", "u32(i) * 8 + k"), MSW_BACKEND_HOST, NULL, 200, 100);
    for (uint32_t seed = 1; seed < 40; seed++) {
        shuffle(&s, seed);
        write_in_order(&s);
        assert_true(s.count > s.room);
        assert_int_equal(judged(&s), MSW_VERIFIED);
        const uint32_t last = s.items[99];
        s.items[99] = last + 1;
        assert_int_equal(judged(&s), MSW_FAILED);
    }
    close_subject(&s);
}

/* ---- mistakes ---- */

typedef enum mistake { ONE_ITEM, LOST, DOUBLED, SPLIT, SWAPPED, SHIFTED, NUMBER_LESS, NUMBER_MORE, MISTAKES } mistake;

/* Elements 0 and 6 have no items, 1 and 2 have some. */
static void spoil(subject *s, mistake m)
{
    uint32_t first = 0, length = 0, next, next_length; /* the two groups in the middle */
    for (uint32_t o = 0, at = 0; o < s->n / 2 || length < 2; o++) {
        first = at, length = s->lengths[s->order[o]] & 7;
        at += length;
    }
    next = first + length, next_length = 0;
    while (s->items[next + next_length] / 8 == s->items[next] / 8) next_length++;
    const uint32_t kept = s->items[first];
    switch (m) {
    case ONE_ITEM: s->items[first] = kept + 1; break;
    case LOST: memset(&s->items[first], 0, length * sizeof kept); break;
    case DOUBLED: /* in the place of another that is as long */
        for (uint32_t k = 0; k < length; k++) s->items[first + k] = s->items[0] / 8 == kept / 8 ? 0 : s->items[k];
        break;
    case SPLIT: /* the next group's items between this one's */
        memmove(&s->items[first + 1], &s->items[next], next_length * sizeof kept);
        for (uint32_t k = 1; k < length; k++) s->items[first + next_length + k] = kept / 8 * 8 + k;
        break;
    case SWAPPED: s->items[first] = s->items[first + 1], s->items[first + 1] = kept; break;
    case SHIFTED: memmove(&s->items[1], &s->items[0], (s->count - 1) * sizeof kept); break;
    case NUMBER_LESS: s->count--; break;
    default: s->count++;
    }
}

static void test_mistakes(void **state)
{
    subject s;
    (void)state;
    open_subject(&s, APPEND(", capacity = 800", "u32(i) * 8 + k"), MSW_BACKEND_HOST, NULL, 200, 800);
    for (uint32_t seed = 1; seed < 20; seed++) {
        shuffle(&s, seed);
        for (int m = 0; m < MISTAKES; m++) {
            write_in_order(&s);
            spoil(&s, (mistake)m);
            if (judged(&s) != MSW_FAILED) fail_msg("seed %u: mistake %d is not found: %s", seed, m, s.report.text);
            assert_non_null(s.report.failure);
        }
    }
    close_subject(&s);
}

/* ---- items that are alike ---- */

/* Equal groups are one as good as the other; where one begins like another the search goes back. */
static void test_alike(void **state)
{
    static const uint32_t lengths[] = {2, 1, 3, 2, 3, 0, 7}; /* ones, but for the last */
    subject s;
    (void)state;
    open_subject(&s, APPEND(", capacity = 40", "where(eq(x, 7), k, 1)"), MSW_BACKEND_HOST, lengths, 7, 40);
    s.count = 18;
    for (uint32_t from = 0; from <= 11; from++) { /* 0 1 2 .. after some ones */
        for (uint32_t i = 0; i < 18; i++) s.items[i] = i < from || i >= from + 7 ? 1 : i - from;
        assert_int_equal(judged(&s), MSW_VERIFIED);
        s.items[from] = 1;
        assert_int_equal(judged(&s), MSW_FAILED);
    }
    close_subject(&s);
}

/* Sums of lengths that nobody can find in a while are not called wrong. */
static void test_undecided(void **state)
{
    subject s;
    uint32_t lengths[MOST], at = 0;
    (void)state;
    for (uint32_t i = 0; i < 300; i++) lengths[i] = i < 100 ? 2 + i % 6 : 1 + 8 * (i & 1); /* of 1 item: ones and zeros */
    open_subject(&s, APPEND(", capacity = 800", "where(lt(i, 100), u32(1), x >> 3)"), MSW_BACKEND_HOST, lengths, 300, 800);
    for (uint32_t i = 0; i < 300; i++) s.count += lengths[i] & 7;
    /* Ones and zeros by turns, but that there are too few groups of one item: the search goes back and back. */
    for (; at < s.count; at++) s.items[at] = at % 3 != 0;
    const msw_verdict verdict = judged(&s);
    assert_true(verdict != MSW_VERIFIED);
    close_subject(&s);
}

/* What a device rounds tells not whose it is; the number is judged all the same. */
static void test_rounded(void **state)
{
    subject s;
    (void)state;
    open_subject(&s, APPEND("", "sqrt(f32(x)) / 3"), MSW_BACKEND_VULKAN, NULL, 50, 50);
    write_in_order(&s);
    assert_int_equal(judged(&s), MSW_NOT_VERIFIED);
    assert_non_null(strstr(s.report.text, "verify them with order = \"input\""));
    s.count++;
    assert_int_equal(judged(&s), MSW_FAILED);
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_order_is_right), cmocka_unit_test(test_no_room),
                                       cmocka_unit_test(test_mistakes),           cmocka_unit_test(test_alike),
                                       cmocka_unit_test(test_undecided),          cmocka_unit_test(test_rounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
