-- For expr_kernel.h: one kernel that evaluates many functions on rows of inputs. A row is the functions' parameters, a scalar in
-- two words; the result is every function's leaves, a scalar in one word or, of 64 bits, two.
local printer = file "gen/emit/printer.lua"

local backends = {
    vulkan = {
        head = [[
#version 460
$EXTENSIONS#pragma use_vulkan_memory_model
layout(local_size_x = 64) in;

layout(push_constant, scalar) uniform Parameters {
    uvec2 n, n_address, scratch, carry_in, carry_out, buffers[8];
} parameters;
]],
        main = "void main()",
        row = "gl_GlobalInvocationID.x", n = "parameters.n.x",
    },
    cuda = {
        head = [[
typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int uint;
typedef unsigned long long u64;
typedef long long i64;
typedef unsigned short f16;

struct Parameters {
    u64 n, n_address, scratch, carry_in, carry_out, buffers[8], reserved[2];
};
]],
        main = 'extern "C" __global__ void expressions(const __grid_constant__ Parameters parameters)',
        row = "blockIdx.x * 64u + threadIdx.x", n = "parameters.n",
    },
    host = {
        head = [[
#include <math.h>
#include <stdbool.h>

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int uint;
typedef unsigned long long u64;
typedef long long i64;
typedef unsigned short f16;

struct Parameters {
    u64 n, buffers[2];
};
]],
        main = '__attribute__((visibility("default"))) void expressions(Parameters parameters, u64 index)',
        row = "index", n = "parameters.n",
    },
}

local function words(base, leaf) return { ("inputs.at[%s + %du]"):format(base, 2 * leaf - 2), ("inputs.at[%s + %du]"):format(base, 2 * leaf - 1) } end

local function new_dialect(backend, features)
    return file("backends/" .. (backend == "host" and "simulator" or backend) .. "/dialect.lua")(features)
end

function print_function(fn, features, backend) return printer.function_text(fn, fn.name, new_dialect(backend, features)) end

function kernel_text(functions, features, backend)
    local d, language = new_dialect(backend, features), backends[backend]
    local types, texts, main = {}, {}, {}
    local function line(format, ...) main[#main + 1] = "    " .. format:format(...) .. "\n" end
    local row_leaves, result_words = 0, 0
    for _, param in ipairs(functions[1].params) do
        local leaves = {}
        types[#types + 1] = param.type
        for i, leaf in ipairs(param.type.leaves) do leaves[i] = d:from_words(leaf.scalar, words("first", row_leaves + i)) end
        row_leaves = row_leaves + #leaves
        line("%s %s = %s;", d:type_name(param.type), param.name, d:build(param.type, leaves))
    end
    for k, fn in ipairs(functions) do
        types[#types + 1] = fn.result
        texts[k] = printer.function_text(fn, fn.name, d)
        local arguments = {}
        for i, param in ipairs(fn.params) do arguments[i] = param.name end
        line("%s r%d = %s(%s);", d:type_name(fn.result), k, fn.name, table.concat(arguments, ", "))
        for i, leaf in ipairs(fn.result.leaves) do
            for _, word in ipairs(d:to_words(leaf.scalar, d:leaf(fn.result, "r" .. k, i))) do
                line("results.at[to + %du] = %s;", result_words, word)
                result_words = result_words + 1
            end
        end
    end
    local definitions, helpers, extensions = d:definitions(types), d:helpers(), ""
    for _, name in ipairs(d:extensions(1)) do extensions = extensions .. "#extension " .. name .. " : require\n" end
    local text = language.head:gsub("$EXTENSIONS", extensions) .. "\n" .. d:buffer_type("Words", "uint", 4) .. "\n\n" .. definitions
        .. "\n" .. helpers .. "\n"
        .. table.concat(texts, "\n") .. "\n" .. language.main .. "\n{\n"
        .. ("    uint row = %s;\n    if (row >= %s) return;\n"):format(language.row, language.n)
        .. "    Words inputs = Words(parameters.buffers[0]), results = Words(parameters.buffers[1]);\n"
        .. ("    uint first = row * %du, to = row * %du;\n"):format(2 * row_leaves, result_words) .. table.concat(main) .. "}\n"
    local lines = {}
    for line in text:gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
    return d:finished(lines)
end
