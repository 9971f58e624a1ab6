/* monosweep.hpp - the C interface for C++17 and later: handles that destroy what they hold, errors as exceptions, arrays with their lengths.
 *
 * get() is a class's handle for every function of the C headers; what is not wrapped here is called by it, through monosweep::call. Threads, lifetime
 * and units are those of the C functions: a context outlives what was made from it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MONOSWEEP_HPP
#define MONOSWEEP_HPP

#include <monosweep/monosweep.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace monosweep
{

/* what() is the diagnostic's message: the cause, then what to do. */
class error : public std::runtime_error
{
  public:
    explicit error(const msw_diag &diag) : std::runtime_error(diag.message), diag_(diag) {}
    error(msw_result code, const char *message) : std::runtime_error(message)
    {
        diag_.code = code;
        std::snprintf(diag_.stage, sizeof diag_.stage, "launch");
        std::snprintf(diag_.message, sizeof diag_.message, "%s", message);
    }
    msw_result code() const noexcept { return diag_.code; }
    const msw_diag &diag() const noexcept { return diag_; }

  private:
    msw_diag diag_{};
};

/* Throws what a C function fails with: call([&](msw_diag *diag) { return msw_vulkan_enqueue(kernel.get(), commands, &desc, diag); }) */
template <class Function> void call(Function function)
{
    msw_diag diag{};
    if (function(&diag) != MSW_OK) throw error(diag);
}

/* A description, or a struct for results, with its struct_size; all else is zero. */
template <class Struct> Struct sized()
{
    Struct result{};
    result.struct_size = sizeof result;
    return result;
}

/* An array that somebody else owns, and its length: made of a vector, std::array, std::span, C array, or of a pointer and a number. */
template <class Void> struct basic_array {
    Void *data = nullptr;
    std::size_t size = 0, element_bytes = 0;
    basic_array() = default; /* of an output: it is not written */
    template <class T> basic_array(T *elements, std::size_t count) : data(elements), size(count), element_bytes(sizeof(T)) {}
    template <class Array, class = decltype(std::data(std::declval<Array &>()))>
    basic_array(Array &&array) : basic_array(std::data(array), std::size(array))
    {
    }
};
using input = basic_array<const void>;
using output = basic_array<void>;

/* Owns what a msw_.._create made: it can be moved, not copied. */
template <class T, void (*Destroy)(T *)> class handle
{
  public:
    T *get() const noexcept { return made_.get(); }

  protected:
    template <class Create, class... Arguments> explicit handle(Create create, Arguments... arguments)
    {
        T *made = nullptr;
        call([&](msw_diag *diag) { return create(arguments..., &made, diag); });
        made_.reset(made);
    }

  private:
    struct destroyer {
        void operator()(T *made) const noexcept { Destroy(made); }
    };
    std::unique_ptr<T, destroyer> made_;
};

struct spec : handle<msw_spec, msw_spec_destroy> {
    explicit spec(const msw_spec_desc &desc) : handle(msw_spec_create, &desc) {}
};

struct program : handle<msw_program, msw_program_destroy> {
    program(const spec &of, const msw_program_desc &desc) : handle(msw_program_create, of.get(), &desc) {}
    const msw_plan &plan() const noexcept { return *msw_program_plan(get()); }
};

struct verification : handle<msw_verification, msw_verification_destroy> {
    explicit verification(const msw_verification_desc &desc) : handle(msw_verification_create, &desc) {}
};

struct context : handle<msw_context, msw_context_destroy> {
    explicit context(const msw_context_desc &desc) : handle(msw_context_create, &desc) {}
    explicit context(const char *device = "auto") : context(on(device)) {}
    const msw_device_info &device() const noexcept { return *msw_context_device(get()); }

  private:
    static msw_context_desc on(const char *device)
    {
        auto desc = sized<msw_context_desc>();
        desc.device = device;
        return desc;
    }
};

struct buffer : handle<msw_buffer, msw_buffer_destroy> {
    buffer(const context &on, std::uint64_t size_bytes) : handle(msw_buffer_create, on.get(), size_bytes) {}
    std::uint64_t address() const noexcept { return msw_buffer_address(get()); }
    void write(input from, std::uint64_t offset_bytes = 0)
    {
        call([&](msw_diag *diag) { return msw_buffer_write(get(), offset_bytes, from.data, from.size * from.element_bytes, diag); });
    }
    void read(output to, std::uint64_t offset_bytes = 0) const
    {
        call([&](msw_diag *diag) { return msw_buffer_read(get(), offset_bytes, to.data, to.size * to.element_bytes, diag); });
    }
};

struct kernel : handle<msw_kernel, msw_kernel_destroy> {
    kernel(const context &on, const msw_kernel_desc &desc) : handle(msw_kernel_create, on.get(), &desc) {}
    /* Of a spec's text; op NULL: its only operation. */
    kernel(const context &on, const char *spec_text, const char *op = nullptr) : kernel(on, of(spec_text, op)) {}
    kernel(const context &on, const std::string &spec_text, const char *op = nullptr) : kernel(on, spec_text.c_str(), op) {}
    /* Of plans that were made before: msw_kernel_load_any. */
    kernel(const context &on, const msw_plan *const *plans) : handle(msw_kernel_load_any, on.get(), plans) {}

    const msw_plan &plan() const noexcept { return *msw_kernel_plan(get()); }
    std::uint64_t scratch_bytes(std::uint64_t n_bound) const noexcept { return msw_scratch_bytes(&plan(), n_bound); }

    /* msw_kernel_wait: until an enqueue of n elements finds all its kernels. */
    void wait(std::uint64_t n, std::uint32_t flags = 0)
    {
        call([&](msw_diag *diag) { return msw_kernel_wait(get(), n, flags, diag); });
    }

    /* msw_kernel_run, on device memory. Returns seconds. */
    double run(const msw_enqueue_desc &desc)
    {
        double seconds = 0;
        call([&](msw_diag *diag) { return msw_kernel_run(get(), &desc, &seconds, diag); });
        return seconds;
    }

    /* msw_kernel_run_host, on host memory: run({x}, {y}), inputs and outputs in the plan's order. n is the length of the first array that has n
     * elements by the plan, an input if there is one. Returns seconds.
     * Errors: also INVALID_ARGUMENT where arrays are missing, or do not have the plan's size and number of elements: n, or what the plan says. */
    double run(std::initializer_list<input> inputs, std::initializer_list<output> outputs) { return run(length(inputs, outputs), inputs, outputs); }

    /* The same where no array's length is n, or to say it. */
    double run(std::uint64_t n, std::initializer_list<input> inputs, std::initializer_list<output> outputs)
    {
        const void *in[MSW_MAX_BUFFERS] = {};
        void *out[MSW_MAX_BUFFERS] = {};
        double seconds = 0;
        take(inputs, false, n, in);
        take(outputs, true, n, out);
        call([&](msw_diag *diag) { return msw_kernel_run_host(get(), n, in, out, &seconds, diag); });
        return seconds;
    }

  private:
    static msw_kernel_desc of(const char *spec_text, const char *op)
    {
        auto desc = sized<msw_kernel_desc>();
        desc.spec_text = spec_text;
        desc.op = op;
        return desc;
    }

    [[noreturn]] static void refuse(const msw_plan_buffer &buffer, unsigned long long size, std::size_t bytes, unsigned long long wanted)
    {
        char message[256];
        std::snprintf(message, sizeof message, "%s: an array of %llu elements of %zu bytes; give one of %llu of %lu bytes", buffer.name, size, bytes,
                      wanted, static_cast<unsigned long>(buffer.element_bytes));
        throw error(MSW_ERROR_INVALID_ARGUMENT, message);
    }

    /* The length of the first of these arrays that has n elements; returns whether there is one. */
    template <class Void> bool find_length(std::initializer_list<basic_array<Void>> arrays, bool is_output, std::uint64_t &n) const
    {
        auto array = arrays.begin();
        for (std::uint32_t b = 0; b < plan().buffer_count && array != arrays.end(); b++) {
            const msw_plan_buffer &buffer = plan().buffers[b];
            if ((buffer.role == MSW_ROLE_OUT) != is_output) continue;
            if (buffer.length == MSW_LENGTH_N && array->element_bytes) return n = array->size, true;
            ++array;
        }
        return false;
    }

    std::uint64_t length(std::initializer_list<input> inputs, std::initializer_list<output> outputs) const
    {
        std::uint64_t n = 0;
        if (!find_length(inputs, false, n)) find_length(outputs, true, n);
        return n;
    }

    template <class Void> void take(std::initializer_list<basic_array<Void>> arrays, bool is_output, std::uint64_t n, Void **pointers) const
    {
        auto array = arrays.begin();
        for (std::uint32_t b = 0; b < plan().buffer_count; b++) {
            const msw_plan_buffer &buffer = plan().buffers[b];
            if ((buffer.role == MSW_ROLE_OUT) != is_output) continue;
            if (array == arrays.end()) throw error(MSW_ERROR_INVALID_ARGUMENT, "an array is missing; give one for each buffer of the plan");
            const bool is_left_out = is_output && !array->element_bytes;
            const std::uint64_t wanted = msw_elements(buffer.length, n);
            const bool is_given = msw_given_by(buffer.length) >= 0; /* a uniform says how many; the caller's array has them */
            if (!is_left_out && (array->element_bytes != buffer.element_bytes || (!is_given && array->size != wanted)))
                refuse(buffer, array->size, array->element_bytes, wanted);
            *pointers++ = array++->data;
        }
        if (array != arrays.end()) throw error(MSW_ERROR_INVALID_ARGUMENT, "there are more arrays than the plan has buffers; leave the last out");
    }
};

} /* namespace monosweep */
#endif
