/* .npy files through `monosweep run`: specs that copy their input, so that files show what was read and written. */
#include "cli_driver.h"

/* A spec whose output is its input, of a type that the prelude may define. */
static void make_copy_spec(const char *path, const char *prelude, const char *type)
{
    char text[1024];
    snprintf(text, sizeof text,
             "%s\nreturn scan { monoid = sum(u32), input = %s, map = function(x) return u32(0) end, output = function(s, x) return x end }\n",
             prelude, type);
    make_text(path, text);
}

/* Writes a .npy file of the given major version around a dictionary. */
static void make_npy(const char *path, int version, const char *dictionary, const void *data, size_t bytes)
{
    char image[4096] = "\x93NUMPY";
    const size_t length = strlen(dictionary), prefix = version == 1 ? 10 : 12;
    image[6] = (char)version;
    image[8] = (char)(length & 255);
    image[9] = (char)(length >> 8);
    memcpy(image + prefix, dictionary, length);
    memcpy(image + prefix + length, data, bytes);
    make_file(path, image, prefix + length + bytes);
}

static void copy(const char *spec, const char *from, const char *to)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, "run %s --quiet --device host --input in=%s --output out=%s", spec, from, to);
    expect(arguments, 0, NULL, NULL);
}

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_cli_npy.files");
    make_copy_spec("u32.lua", "", "u32");
    make_copy_spec("f32.lua", "", "f32");
    make_copy_spec("vec3.lua", "", "vec(f32, 3)");
    make_copy_spec("mixed.lua", "local Mixed = struct 'Mixed' { {'flag', u8}, {'value', f32}, {'count', u16} }", "Mixed");
    make_copy_spec("point.lua", "local Point = struct 'Point' { {'where', vec(f32, 3)}, {'id', u32} }", "Point");
    return 0;
}

/* Raw to .npy: exactly this dictionary; and back to raw: the same bytes. */
static void test_every_dtype(void **state)
{
    static const struct {
        const char *prelude, *type, *descr, *shape;
        size_t bytes;
    } cases[] = {
        {"", "u8", "'|u1'", "(3,)", 1},
        {"", "i8", "'|i1'", "(3,)", 1},
        {"", "u16", "'<u2'", "(3,)", 2},
        {"", "i16", "'<i2'", "(3,)", 2},
        {"", "u32", "'<u4'", "(3,)", 4},
        {"", "i32", "'<i4'", "(3,)", 4},
        {"", "u64", "'<u8'", "(3,)", 8},
        {"", "i64", "'<i8'", "(3,)", 8},
        {"", "f16", "'<f2'", "(3,)", 2},
        {"", "f32", "'<f4'", "(3,)", 4},
        {"", "f64", "'<f8'", "(3,)", 8},
        {"", "vec(f32, 3)", "'<f4'", "(3, 3)", 12},
        {"", "vec(u8, 2)", "'|u1'", "(3, 2)", 2},
        {"local S = struct 'S' { {'flag', u8}, {'value', f32}, {'count', u16} }", "S",
         "[('flag', '|u1'), ('', '|V3'), ('value', '<f4'), ('count', '<u2'), ('', '|V2')]", "(3,)", 12},
        {"local S = struct 'S' { {'v', vec(f32, 3)}, {'x', f64} }", "S", "[('v', '<f4', (3,)), ('', '|V4'), ('x', '<f8')]", "(3,)", 24},
        {"local P = struct 'P' { {'x', f32}, {'y', u8} } local S = struct 'S' { {'p', P}, {'q', P}, {'w', vec(u16, 2)} }", "S",
         "[('p', [('x', '<f4'), ('y', '|u1')]), ('', '|V3'), ('q', [('x', '<f4'), ('y', '|u1')]), ('', '|V3'), ('w', '<u2', (2,))]", "(3,)", 20},
        {"local S = struct 'S' { {'x', f32}, {'y', f32} }", "S", "[('x', '<f4'), ('y', '<f4')]", "(3,)", 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char zeros[3 * 24] = {0}, dictionary[512];
        const size_t bytes = 3 * cases[i].bytes;
        make_copy_spec("copy.lua", cases[i].prelude, cases[i].type);
        make_file("raw.bin", zeros, bytes);
        copy("copy.lua", "raw.bin", "a.npy");
        cli_file file = load_file("a.npy");
        snprintf(dictionary, sizeof dictionary, "{'descr': %s, 'fortran_order': False, 'shape': %s, }", cases[i].descr, cases[i].shape);
        assert_non_null(file.data);
        assert_memory_equal(file.data, "\x93NUMPY\x01\x00", 8);
        const size_t header = file.bytes - bytes, text = (size_t)(unsigned char)file.data[8] + ((size_t)(unsigned char)file.data[9] << 8);
        assert_int_equal(header, 10 + text);
        assert_int_equal(header % 64, 0);
        assert_int_equal(file.data[header - 1], '\n');
        if (strncmp(file.data + 10, dictionary, strlen(dictionary))) fail_msg("%.*s is not %s", (int)text, file.data + 10, dictionary);
        assert_int_equal(strspn(file.data + 10 + strlen(dictionary), " \n"), text - strlen(dictionary));
        free(file.data);
        copy("copy.lua", "a.npy", "b.bin");
        expect_file("b.bin", zeros, bytes);
    }
}

/* Values survive; all versions of the format and both kinds of quotes are read. */
static void test_values(void **state)
{
    static const uint32_t numbers[3] = {1, 0x80000000u, 0xfffffffeu};
    static const unsigned char mixed[2][12] = {{7, 0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0}, {8, 0, 0, 0, 9, 8, 7, 6, 5, 4, 0, 0}};
    (void)state;
    for (int version = 1; version <= 3; version++) {
        make_npy("a.npy", version, "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }  \n", numbers, sizeof numbers);
        copy("u32.lua", "a.npy", "a.bin");
        expect_file("a.bin", numbers, sizeof numbers);
    }
    make_npy("a.npy", 1, "{\"shape\":(3,),\"fortran_order\":False,\"descr\":\"=u4\"}", numbers, sizeof numbers);
    copy("u32.lua", "a.npy", "b.npy");
    copy("u32.lua", "b.npy", "b.bin");
    expect_file("b.bin", numbers, sizeof numbers);
    make_file("mixed.bin", mixed, sizeof mixed);
    copy("mixed.lua", "mixed.bin", "m.npy");
    copy("mixed.lua", "m.npy", "m.bin");
    expect_file("m.bin", mixed, sizeof mixed);
    make_npy("a.npy", 1, "{'descr': '<u4', 'fortran_order': False, 'shape': (0,), }\n", numbers, 0);
    copy("u32.lua", "a.npy", "a.bin");
    expect_file("a.bin", "", 0);
}

/* The fields are found by name, wherever they lie. */
static void test_layouts(void **state)
{
    static const unsigned char expected[2][12] = {{1, 0, 0, 0, 2, 3, 4, 5, 6, 7, 0, 0}, {11, 0, 0, 0, 12, 13, 14, 15, 16, 17, 0, 0}};
    static const unsigned char packed[2][7] = {{1, 2, 3, 4, 5, 6, 7}, {11, 12, 13, 14, 15, 16, 17}};
    static const unsigned char turned[2][7] = {{6, 7, 2, 3, 4, 5, 1}, {16, 17, 12, 13, 14, 15, 11}};
    static const unsigned char loose[2][16] = {{9, 9, 1, 9, 2, 3, 4, 5, 9, 9, 6, 7, 9, 9, 9, 9},
                                               {9, 9, 11, 9, 12, 13, 14, 15, 9, 9, 16, 17, 9, 9, 9, 9}};
    static const struct {
        const char *descr;
        const void *data;
        size_t bytes;
    } cases[] = {
        {"[('flag', '|u1'), ('value', '<f4'), ('count', '<u2')]", packed, sizeof packed},
        {"[('count', '<u2'), ('value', '<f4'), ('flag', '|u1')]", turned, sizeof turned},
        {"[('flag', '|b1'), ('value', '<f4'), ('count', '<u2')]", packed, sizeof packed},
        {"[('', '|V2'), ('flag', 'u1'), ('', '|V1'), ('value', '<f4'), ('pad', '|V1', (2,)), ('count', '<u2'), ('', '|V4')]", loose, sizeof loose},
        {"{'names': ['flag', 'value', 'count'], 'formats': ['u1', '<f4', '<u2'], 'offsets': [2, 4, 10], 'itemsize': 16}", loose, sizeof loose},
        {"{'itemsize': 16, 'names': ['count', 'flag', 'value'], 'offsets': [10, 2, 4], 'formats': ['<u2', 'u1', '<f4'], 'aligned': True}", loose,
         sizeof loose},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char dictionary[512];
        snprintf(dictionary, sizeof dictionary, "{'descr': %s, 'fortran_order': False, 'shape': (2,), }\n", cases[i].descr);
        make_npy("a.npy", 1, dictionary, cases[i].data, cases[i].bytes);
        copy("mixed.lua", "a.npy", "a.bin");
        expect_file("a.bin", expected, sizeof expected);
    }
}

static void test_vecs(void **state)
{
    static const float points[2][3] = {{1, 2, 3}, {4, 5, 6}};
    static const struct {
        float where[3];
        uint32_t id;
    } records[2] = {{{1, 2, 3}, 7}, {{4, 5, 6}, 8}};
    static const char *const flat[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr': [('x', '<f4'), ('y', '<f4'), ('z', '<f4')], 'fortran_order': False, 'shape': (2,), }\n",
        "{'descr': ('<f4', (3,)), 'fortran_order': False, 'shape': (2,), }\n",
    };
    static const char *const structured[] = {
        "{'descr': [('where', '<f4', (3,)), ('id', '<u4')], 'fortran_order': False, 'shape': (2,), }\n",
        "{'descr': [('where', ('<f4', (3,))), ('id', '<u4')], 'fortran_order': False, 'shape': (2,), }\n",
        "{'descr': [('where', '<f4', 3), ('id', '<u4')], 'fortran_order': False, 'shape': (2,), }\n",
        "{'descr': [('where', [('x', '<f4'), ('y', '<f4'), ('z', '<f4')]), ('id', '<u4', ())], 'fortran_order': False, 'shape': (2,), }\n",
        "{'descr': [('where.x', '<f4'), ('where.y', '<f4'), ('where.z', '<f4'), ('id', '<u4')], 'fortran_order': False, 'shape': (2,), }\n",
        "{'descr': [('where_x', '<f4'), ('where_y', '<f4'), ('where_z', '<f4'), ('id', '<u4')], 'fortran_order': False, 'shape': (2,), }\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; i++) {
        make_npy("a.npy", 1, flat[i], points, sizeof points);
        copy("vec3.lua", "a.npy", "a.bin");
        expect_file("a.bin", points, sizeof points);
    }
    for (size_t i = 0; i < sizeof structured / sizeof structured[0]; i++) {
        make_npy("a.npy", 2, structured[i], records, sizeof records);
        copy("point.lua", "a.npy", "a.bin");
        expect_file("a.bin", records, sizeof records);
    }
}

/* numpy.save of a scalar is a uniform. */
static void test_scalar(void **state)
{
    static const uint32_t numbers[] = {7, 2, 5}, more[] = {1007, 1002, 1005}, thousand = 1000;
    (void)state;
    make_text("more.lua", "local k = uniform('k', u32)\nreturn map { input = u32, output = function(x) return x + k end }");
    make_npy("k.npy", 1, "{'descr': '<u4', 'fortran_order': False, 'shape': (), }\n", &thousand, sizeof thousand);
    make_file("k.bin", numbers, sizeof numbers);
    expect("run more.lua --device host --input in=k.bin --input k=k.npy --output out=more.bin", 0, NULL, NULL);
    expect_file("more.bin", more, sizeof more);
}

/* What does not fit is refused with the dtype that would. */
static void test_mismatches(void **state)
{
    static const struct {
        const char *spec, *dictionary, *message;
    } cases[] = {
        {"u32", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n",
         "'<f4' does not hold elements of type u32; expected descr '<u4', C order, shape (n,)"},
        {"u32", "{'descr': '>u4', 'fortran_order': False, 'shape': (3,), }    \n",
         "(3,), } does not hold elements of type u32; expected descr '<u4'"},
        {"u32", "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }\n", "expected descr '<u4', C order, shape (n,); save x.astype('<u4')\n"},
        {"u32", "{'descr': '|u4', 'fortran_order': False, 'shape': (3,), }\n", "expected descr '<u4'"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (3), }\n", "is not what numpy.save writes"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': 3, }\n", "is not what numpy.save writes"},
        {"u32", "{'descr': '|b1', 'fortran_order': False, 'shape': (12,), }\n", "; save x.astype('<u4')\n"},
        {"u32", "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }\n", "expected descr '<u4'"},
        {"u32", "{'descr': '<u4', 'fortran_order': True, 'shape': (3,), }\n", "C order"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (), }\n", "shape (n,)"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 3), }\n", "shape (n,)"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 1, 3), }\n", "shape (n,)"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (-3,), }\n", "shape (n,)"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (4,), }\n", "12 bytes of data do not fill its shape of 4 elements of 4 bytes"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }\n", "12 bytes of data do not fill"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (4611686018427387907,), }\n", "do not fill"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (99999999999999999999999,), }\n", "expected descr"},
        {"u32", "{'descr': '<u4', 'shape': (3,), }\n", "expected descr"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (18446744073709551616,), }\n", "is not what numpy.save writes"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (18446744073709551615,), }\n", "do not fill its shape"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), } garbage\n", "garbage is not what numpy.save writes"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), \n", "is not what numpy.save writes"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), 'descr': '<i4', }\n", "is not what numpy.save writes"},
        {"u32", "{'descr': '<u4', 'shape': (3,), 'fortran_order': False, \"shape\": (3,), }\n", "is not what numpy.save writes"},
        {"u32", "{'descr': '\x1b[31m', 'fortran_order': False, 'shape': (3,), }\n", "{'descr': '?[31m', 'fortran_order'"},
        {"u32", "{'descr': [[[[[[[[[[[[[[[[", "expected descr"},
        {"u32", "{'descr': [('", "expected descr"},
        {"u32", "", "expected descr"},
        {"vec3", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n",
         "a.npy: it has the shape (3,), expected shape (n, 3), a row for each vec(f32, 3)"},
        {"vec3", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }\n", "a.npy: it has the shape (1, 4), expected shape (n, 3)"},
        {"vec3", "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 4), }\n", "expected descr '<f4', C order, shape (n, 3)"},
        {"vec3", "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3), }\n", "C order"},
        {"mixed", "{'descr': [('flag', '|u1'), ('value', '<f4')], 'fortran_order': False, 'shape': (1,), }\n",
         "expected descr [('flag', '|u1'), ('', '|V3'), ('value', '<f4'), ('count', '<u2'), ('', '|V2')]"},
        {"mixed", "{'descr': [('flag', '|u1'), ('value', '<f4'), ('count', '<u2'), ('more', '<u4')], 'fortran_order': False, 'shape': (1,), }\n",
         "expected descr [("},
        {"mixed", "{'descr': [('flag', '|u1'), ('value', '<f4', (2,)), ('count', '<u2')], 'fortran_order': False, 'shape': (1,), }\n",
         "expected descr [("},
        {"mixed", "{'descr': [(('title', 'flag'), '|u1')], 'fortran_order': False, 'shape': (1,), }\n", "expected descr [("},
        {"mixed",
         "{'descr': {'names': ['flag', 'value', 'count'], 'formats': ['u1', '<f4', '<u2'], 'offsets': [0, 4, 11], 'itemsize': 12}, "
         "'fortran_order': False, 'shape': (1,), }\n",
         "expected descr [("},
        {"mixed", "{'descr': [('a', '|V1048576'), ('b', '|V1048576'), ('flag', '|u1')], 'fortran_order': False, 'shape': (1,), }\n",
         "expected descr [("},
    };
    static const char data[12] = {0};
    char arguments[512];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_npy("a.npy", 1, cases[i].dictionary, data, sizeof data);
        snprintf(arguments, sizeof arguments, "run %s.lua --device host --input in=a.npy --output out=out/a.npy", cases[i].spec);
        expect_failure(arguments, 1, cases[i].message);
    }
    static const char *const images[] = {"", "\x93NUMPY", "\x93NUMPY\x04", "plain text, not an array", "\x93NUMPY\x01 \xff\xff{'descr': '<u4'}"};
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        make_text("a.npy", images[i]);
        expect_failure("run u32.lua --device host --input in=a.npy --output out=out/a.npy", 1, "a.npy: not a complete .npy file");
    }
}

/* An operation goes over one dimension: an array of more, in C order, counts as one where that is asked for. */
static void test_flatten(void **state)
{
    static const uint32_t numbers[6] = {1, 2, 3, 4, 5, 6};
    static const float points[2][3] = {{1, 2, 3}, {4, 5, 6}};
    static const struct {
        const char *spec, *dictionary, *message;
    } cases[] = {
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }\n",
         "it has the shape (2, 3), expected shape (n,); add --flatten to take all of its 6 elements, in C order"},
        {"u32", "{'descr': '<u4', 'fortran_order': False, 'shape': (3, 1, 2), }\n", "it has the shape (3, 1, 2), expected shape (n,)"},
        {"u32", "{'descr': '<u4', 'fortran_order': True, 'shape': (2, 3), }\n",
         "it is in Fortran order, expected C order, shape (n,); save numpy.ascontiguousarray(x)"},
        {"vec3", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }\n",
         "it has the shape (1, 2) of such elements, expected shape (n, 3); add --flatten to take all of its 2"},
        {"vec3", "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n", "it has the shape (3, 2), expected shape (n, 3)"},
    };
    char arguments[512];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_npy("a.npy", 1, cases[i].dictionary, numbers, sizeof numbers);
        snprintf(arguments, sizeof arguments, "run %s.lua --device host --input in=a.npy --output out=out/a.npy", cases[i].spec);
        expect_failure(arguments, 1, cases[i].message);
    }
    for (size_t i = 0; i < 2; i++) {
        make_npy("a.npy", 1, cases[i].dictionary, numbers, sizeof numbers);
        expect("run u32.lua --device host --flatten --input in=a.npy --output out=flat.npy", 0, NULL, "n = 6, ");
        copy("u32.lua", "flat.npy", "flat.bin"); /* what is written has one dimension */
        expect_file("flat.bin", numbers, sizeof numbers);
    }
    make_npy("a.npy", 1, cases[3].dictionary, points, sizeof points);
    expect("run vec3.lua --device host --flatten --input in=a.npy --output out=flat.bin", 0, NULL, "n = 2, ");
    expect_file("flat.bin", points, sizeof points);
    make_npy("a.npy", 1, "{'descr': '<u4', 'fortran_order': False, 'shape': (), }\n", numbers, 4);
    expect("run u32.lua --device host --flatten --input in=a.npy --output out=flat.bin", 0, NULL, "n = 1, ");
    make_npy("a.npy", 1, cases[2].dictionary, numbers, sizeof numbers);
    expect_failure("run u32.lua --device host --flatten --input in=a.npy --output out=out/a", 1, "it is in Fortran order");
    make_npy("a.npy", 1, "{'descr': '<u4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 2), }\n", numbers, sizeof numbers);
    expect_failure("run u32.lua --device host --flatten --input in=a.npy --output out=out/a", 1,
                   "data do not fill its shape, which has more than 2^64 elements");
    make_npy("a.npy", 1, "{'descr': '<u4', 'fortran_order': False, 'shape': (4294967296, 0, 4294967296, 2), }\n", numbers, 0);
    expect("run u32.lua --device host --flatten --input in=a.npy --output out=flat.bin", 0, NULL, "n = 0, ");
}

/* Any damage to a header is an error or another valid reading, never a crash. */
static void test_damaged_headers(void **state)
{
    static const char dictionary[] =
        "{'descr': [('flag', '|u1'), ('', '|V3'), ('value', '<f4'), ('count', '<u2'), ('', '|V2')], 'fortran_order': False, 'shape': (1,), }\n";
    static const char data[12] = {0}, replacements[] = "'([{)]},:9 ";
    char damaged[sizeof dictionary];
    (void)state;
    for (size_t i = 0; i + 1 < sizeof dictionary; i += 3) {
        memcpy(damaged, dictionary, sizeof dictionary);
        damaged[i] = replacements[i % (sizeof replacements - 1)];
        make_npy("a.npy", 1, damaged, data, sizeof data);
        cli_result result = run("run mixed.lua --quiet --device host --input in=a.npy --output out=damaged.npy");
        if (result.code != 0 && result.code != 1) show_and_fail(damaged, &result, "crashed");
        drop(&result);
    }
}

/* What has no name that says so is a .npy file by its first bytes; else it is raw, as a file of another name is, whatever it holds. */
static void test_standard_input(void **state)
{
    static const char dictionary[] = "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }\n";
    static const char wrong[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n";
    static const uint32_t data[3] = {7, 8, 9};
    static const char *const inputs[] = {"- < a.npy", "/dev/stdin < a.npy", "- < a.bin", "/dev/stdin < a.bin"};
    char arguments[512], shared[64];
    (void)state;
    make_npy("a.npy", 1, dictionary, data, sizeof data);
    make_file("a.bin", data, sizeof data);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        snprintf(arguments, sizeof arguments, "run u32.lua --quiet --device host --output out=copied.bin --input in=%s", inputs[i]);
        expect(arguments, 0, NULL, NULL);
        expect_file("copied.bin", data, sizeof data);
    }
    if (system("mkfifo pipe && { cat a.npy > pipe & }")) fail_msg("no pipe");
    expect("run u32.lua --quiet --device host --output out=copied.bin --input in=pipe", 0, NULL, NULL);
    expect_file("copied.bin", data, sizeof data);
    make_npy("wrong.npy", 1, wrong, data, sizeof data);
    expect_failure("run u32.lua --device host --output out=out/a --input in=- < wrong.npy", 1, "standard input: ");
    for (int count = 6; count < 12; count++) {
        make_file("short.bin", "\x93NUMPY\1\0v\0{'", (size_t)count);
        expect_failure("run u32.lua --device host --output out=out/a --input in=- < short.bin", 1, "standard input: not a complete .npy file");
    }
    make_npy("npy.bin", 1, dictionary, data, sizeof data);
    expect("run u32.lua --device host --output out=copied.bin --input in=npy.bin", 0, NULL, "n = 20"); /* its header, too */
    snprintf(shared, sizeof shared, "/dev/shm/msw_npy_%d", (int)getpid()); /* a file among the devices is one all the same */
    snprintf(arguments, sizeof arguments, "cp npy.bin %s 2>/dev/null", shared);
    if (system(arguments)) return;
    snprintf(arguments, sizeof arguments, "run u32.lua --device host --output out=copied.bin --input in=%s", shared);
    expect(arguments, 0, NULL, "n = 20");
    remove(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_dtype),     cmocka_unit_test(test_values),
        cmocka_unit_test(test_layouts),         cmocka_unit_test(test_vecs),
        cmocka_unit_test(test_scalar),          cmocka_unit_test(test_mismatches),
        cmocka_unit_test(test_damaged_headers), cmocka_unit_test(test_flatten),
        cmocka_unit_test(test_standard_input),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
