-- For expr_kernel.h: one kernel that evaluates many functions on rows of inputs. A row is the functions' parameters, a scalar in
-- two words; the result is every function's leaves, a scalar in one word or, of 64 bits, two.
local printer = file "gen/printer.lua"
local new_dialect = file "backends/vulkan/dialect.lua"

local HEADER = [[
#version 460
%s#pragma use_vulkan_memory_model
layout(local_size_x = 64) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
    uint at[];
};

layout(push_constant, scalar) uniform Parameters {
    uvec2 n, n_address, scratch, carry_in, carry_out, buffers[8];
} parameters;

]]

local function words(base, leaf) return { ("inputs.at[%s + %du]"):format(base, 2 * leaf - 2), ("inputs.at[%s + %du]"):format(base, 2 * leaf - 1) } end

function print_function(fn, features) return printer.function_text(fn, fn.name, new_dialect(features)) end

function kernel_text(functions, features)
    local d = new_dialect(features)
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
    return HEADER:format(extensions) .. definitions .. "\n" .. helpers .. "\n" .. table.concat(texts, "\n") .. "\nvoid main()\n{\n"
        .. "    uint row = gl_GlobalInvocationID.x;\n    if (row >= parameters.n.x) return;\n"
        .. "    Words inputs = Words(parameters.buffers[0]), results = Words(parameters.buffers[1]);\n"
        .. ("    uint first = row * %du, to = row * %du;\n"):format(2 * row_leaves, result_words) .. table.concat(main) .. "}\n"
end
