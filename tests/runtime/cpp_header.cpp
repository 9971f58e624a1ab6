/* monosweep.hpp as a program uses it, on the device that is named: handles, arrays, errors. A file of two standards: tests/CMakeLists.txt. */
#include <monosweep/monosweep.hpp>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

static_assert(!std::is_copy_constructible_v<monosweep::kernel> && std::is_nothrow_move_constructible_v<monosweep::kernel>);
static_assert(!std::is_convertible_v<const char *, monosweep::context> && !std::is_constructible_v<monosweep::output, const std::vector<int> &, int>);

#define CHECK(condition)                                                                                             \
    do                                                                                                               \
        if (!(condition)) std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), std::exit(1); \
    while (0)

static const char sums[] = "return scan { name = 'sums', monoid = sum(u32) }";
static const char both[] = "return { reduce { name = 'total', monoid = sum(u32), output = function(s) return u64(s) end },"
                           "         sort { name = 'pairs', key = u32, value = u8 } }";

template <class Function> static void expect_error(msw_result code, const char *words, Function function)
{
    try {
        function();
    } catch (const monosweep::error &error) {
        if (error.code() == code && std::strstr(error.what(), words) && error.diag().stage[0]) return;
        std::fprintf(stderr, "%s: %s\n", msw_result_text(error.code()), error.what());
    }
    std::fprintf(stderr, "no %s: %s\n", msw_result_text(code), words);
    std::exit(1);
}

static void test_arrays(const monosweep::context &context)
{
    const std::vector<std::uint32_t> x = {1, 2, 3, 4}, empty;
    std::vector<std::uint32_t> y(4), none;
    std::uint32_t plain[4] = {}, *pointer = plain;
    monosweep::kernel scan(context, sums);
    CHECK(scan.run({x}, {y}) >= 0);
    CHECK((y == std::vector<std::uint32_t>{1, 3, 6, 10}));
    scan.run({std::array<std::uint32_t, 4>{1, 1, 1, 1}}, {plain});
    CHECK(plain[3] == 4);
    scan.run({{x.data() + 1, 3}}, {{pointer, 3}});
    CHECK(plain[2] == 9 && plain[3] == 4);
#if __cplusplus >= 202002L
    scan.run({std::span(x).first(2)}, {std::span(plain).last(2)});
    CHECK(plain[2] == 1 && plain[3] == 3);
#endif
    scan.run({empty}, {none});
    scan.run({x}, {monosweep::output()});
    expect_error(MSW_ERROR_INVALID_ARGUMENT, "out: an array of 0 elements of 4 bytes; give one of 4 of 4 bytes", [&] { scan.run({x}, {none}); });
    expect_error(MSW_ERROR_INVALID_ARGUMENT, "in: an array of 4 elements of 8 bytes; give one of 4 of 4 bytes",
                 [&] { scan.run({std::vector<double>(4)}, {y}); });
    expect_error(MSW_ERROR_INVALID_ARGUMENT, "missing", [&] { scan.run({x}, {}); });
    expect_error(MSW_ERROR_INVALID_ARGUMENT, "missing", [&] { scan.run({}, {y}); });
    expect_error(MSW_ERROR_INVALID_ARGUMENT, "more arrays", [&] { scan.run({x, x}, {y}); });
}

static void test_several_buffers(const monosweep::context &context)
{
    const std::vector<std::uint32_t> keys = {3, 1, 2};
    const std::vector<unsigned char> values = {'c', 'a', 'b'};
    std::vector<std::uint32_t> keys_out(3);
    std::vector<unsigned char> values_out(3);
    std::uint64_t total = 0;
    std::vector<monosweep::kernel> kernels;
    for (const char *op : {"total", "pairs"}) kernels.emplace_back(context, both, op);
    kernels[0].run({keys}, {{&total, 1}});
    CHECK(total == 6);
    kernels[1].run({keys, values}, {keys_out, values_out});
    CHECK((keys_out == std::vector<std::uint32_t>{1, 2, 3} && values_out == std::vector<unsigned char>{'a', 'b', 'c'}));
    expect_error(MSW_ERROR_INVALID_ARGUMENT, "values: an array of 2 elements of ", [&] {
        kernels[1].run({keys, {values.data(), 2}}, {keys_out, values_out});
    });
}

/* n is the length of an array that has n elements, wherever it stands. */
static void test_lengths(const monosweep::context &context)
{
    const std::string weighed =
        "return pipeline(function(p) local w, x = p.input('w', u32, 4), p.input('x', u32) "
        "p.output('y', p.map({ x }, function(v) return v * 2 end)) p.output('v', p.scan { monoid = sum(u32), input = w }) end)";
    const std::string fixed = "return pipeline(function(p) p.output('v', p.scan { monoid = sum(u32), input = p.input('w', u32, 4) }) end)";
    const std::vector<std::uint32_t> w = {1, 2, 3, 4}, x = {1, 2, 3, 4, 5, 6};
    std::vector<std::uint32_t> y(6), v(4), sum(4);
    monosweep::kernel kernel(context, weighed);
    kernel.run({w, x}, {y, v});
    CHECK((y == std::vector<std::uint32_t>{2, 4, 6, 8, 10, 12} && v == std::vector<std::uint32_t>{1, 3, 6, 10}));
    expect_error(MSW_ERROR_INVALID_ARGUMENT, "w: an array of 6 elements of 4 bytes; give one of 4 of 4 bytes", [&] { kernel.run({x, x}, {y, v}); });
    expect_error(MSW_ERROR_INVALID_ARGUMENT, "x: an array of 6 elements of 4 bytes; give one of 5 of 4 bytes", [&] {
        kernel.run(5, {w, x}, {y, v});
    });
    monosweep::kernel(context, fixed).run(1, {w}, {sum});
    CHECK((sum == std::vector<std::uint32_t>{1, 3, 6, 10}));
}

static void test_errors(const monosweep::context &context)
{
    expect_error(MSW_ERROR_DEVICE, "no device", [] { monosweep::context("nothing:7"); });
    expect_error(MSW_ERROR_SPEC, "summ", [&] { monosweep::kernel(context, "return scan { monoid = summ(u32) }"); });
    expect_error(MSW_ERROR_INVALID_ARGUMENT, "name one", [&] { monosweep::kernel(context, both); });
    expect_error(MSW_ERROR_INVALID_ARGUMENT, "spec is NULL",
                 [&] { monosweep::call([](msw_diag *diag) { return msw_spec_create(nullptr, nullptr, diag); }); });
}

static void test_device_memory(const monosweep::context &context)
{
    const std::vector<std::uint32_t> x = {1, 2, 3, 4};
    std::array<std::uint32_t, 2> last = {};
    monosweep::buffer in(context, 16), out(context, 16);
    monosweep::kernel scan(context, sums), moved(std::move(scan));
    moved.wait(4);
    CHECK(!scan.get() && moved.get() && moved.scratch_bytes(4) == msw_scratch_bytes(&moved.plan(), 4));
    in.write(x);
    auto desc = monosweep::sized<msw_enqueue_desc>();
    desc.n = 4;
    desc.buffers[0] = in.address();
    desc.buffers[1] = out.address();
    moved.run(desc);
    out.read(last, 8);
    CHECK(last[0] == 6 && last[1] == 10);
}

static void test_specs(const monosweep::context &context)
{
    auto text = monosweep::sized<msw_spec_desc>();
    text.text = sums;
    const monosweep::spec spec(text);
    auto of = monosweep::sized<msw_verification_desc>();
    of.spec = spec.get();
    CHECK(msw_verification_is_bitwise(monosweep::verification(of).get()));
    if (context.device().backend != MSW_BACKEND_VULKAN) return;
    auto wanted = monosweep::sized<msw_program_desc>();
    wanted.target = &context.device().target;
    const monosweep::program program(spec, wanted);
    monosweep::call([&](msw_diag *diag) { return msw_program_compile(program.get(), diag); });
    const msw_plan *const plans[] = {&program.plan(), nullptr};
    std::uint32_t y[2] = {};
    monosweep::kernel(context, plans).run({std::array<std::uint32_t, 2>{5, 6}}, {y});
    CHECK(y[1] == 11);
}

int main(int count, char **arguments)
{
    const monosweep::context context(count > 1 ? arguments[1] : "auto");
    CHECK(context.device().id[0]);
    test_arrays(context);
    test_several_buffers(context);
    test_lengths(context);
    test_errors(context);
    test_device_memory(context);
    test_specs(context);
    std::printf("%s\n", context.device().id);
    return 0;
}
