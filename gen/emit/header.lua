-- header.lua - a vendored header: the plans of a spec's operations as data, their kernels, and the launcher that the runtime has too; or, for
-- programs that link the runtime, the plans alone, as a header that declares them and a source that has them.
--
-- emit(header) -> text
--   header     { form = "header"|"plans"|"plans_source", version, number, format, backend = "vulkan"|"cuda" (form header), name, file,
--                compiler ("": none), spdx|nil, command|nil, operations = {..} }
-- operation  as gen/emit/emit.lua's, with doc, prefix (of its identifiers), alignments = {bytes of each buffer's address}, codes = {words as C
-- text}, plans = {..}
-- plan       { text = a msw_plan's initialiser, backend = "Vulkan"|"CUDA", subgroup, scratch_alignment, stages = their number,
--                kernels = {{ entry, text, template, threads, shared, features, knobs }},
--                variants = {{ strategy, mode = "in place"|"ping-pong"|nil, n_max, tile, blocks, base, per_block, per_tile }} }

local file = ...
local template = file "gen/emit/template.lua"
local share = file "gen/emit/share.lua"

-- Files of the tree that every header has, in order; each guards itself.
local FRAGMENTS = {
    vulkan = { "include/monosweep/monosweep_plan.h", "runtime/launch.h", "backends/vulkan/pipelines.h", "backends/vulkan/vendored.h" },
    cuda = { "include/monosweep/monosweep_plan.h", "runtime/launch.h", "backends/cuda/vendored.h" },
}

-- Device features by msw_feature's bits, as Vulkan calls them.
local FEATURES = {
    "shaderInt8 and storageBuffer8BitAccess", "shaderInt16 and storageBuffer16BitAccess", "shaderInt64", "shaderFloat16 and storageBuffer16BitAccess",
    "shaderFloat64", "shaderBufferInt64Atomics", "subgroup operations basic, vote, ballot, shuffle and relative shuffle in compute",
    "long loops (all drivers but lavapipe)",
    "shaderSubgroupUniformControlFlow (VK_KHR_shader_subgroup_uniform_control_flow)",
}

-- As it is in the tree, but for the includes of other fragments and the licence, which is the header's.
local function fragment(name)
    return (file(name):gsub('#include "[^\n]*\n', ""):gsub("#include <monosweep/[^\n]*\n", ""):gsub(" %*\n %* SPDX[^\n]*%*/", " */"))
end

-- A user's text within a comment, on one line.
local function comment(text)
    return (text:gsub("[%c]", " "):gsub("%*/", "* /"):gsub("/%*", "/ *"):gsub("%?%?", "? ?"))
end

local reserved = {}
for _, word in ipairs(file "gen/emit/cpp_words.lua" ()) do reserved[word] = true end
for _, own in ipairs { "uint32_t", "uint64_t" } do reserved[own] = true end -- the fields' types
local is_macro = file "gen/emit/c_macros.lua"

local function is_taken(name) return reserved[name] or name:find "^_[_%u]" or is_macro(name) end

-- The fields of a buffer each in an operation's arguments: the buffers' names, with _ behind words of C and C++ and macros of other headers.
local function argument_names(op)
    local taken, names = {}, {}
    for _, buffer in ipairs(op.buffers) do taken[buffer.name] = true end
    for i, buffer in ipairs(op.buffers) do
        local name = buffer.name
        while is_taken(name) or (name ~= buffer.name and taken[name]) do
            local starts_so = name:find "^_" or is_macro(name) and is_macro(name .. "_") -- cudaX
            name = starts_so and "x" .. name or name .. "_"
        end
        names[i], taken[name] = name, true
    end
    return names
end

-- "u32", "Affine: f32 a at 0, f32 b at 4".
local function layout(T)
    if T.kind ~= "struct" then return T.name end
    local leaves = {}
    for i, leaf in ipairs(T.leaves) do leaves[i] = ("%s %s at %d"):format(leaf.scalar, leaf.path, leaf.offset) end
    return T.name .. ": " .. table.concat(leaves, ", ")
end

local function bytes(count) return count == 1 and "1 byte" or count .. " bytes" end

local function buffer_line(op, i)
    local buffer = op.buffers[i]
    local length = buffer.is_single and "1 element" or "n elements"
    if buffer.is_scattered then
        length = (buffer.length and buffer.length .. " elements" or "n elements") .. ", of which those are written that elements are sent to,"
    end
    if buffer.count then length = ("n elements, of which the first %s are written,"):format(buffer.count) end
    return ("%s: %s of %s, address a multiple of %d: %s"):format(buffer.name, length, bytes(buffer.type.size), op.alignments[i], layout(buffer.type))
end

-- "2448 + 32 * ceil(n / 4096) bytes of scratch": for n elements. Of a pipeline it is what stages and the arrays between them take.
local function scratch(op, plan, v)
    if plan.stages > 0 then return "scratch as " .. op.prefix .. "_scratch_bytes says" end
    local parts = {}
    local tiles = ("ceil(n / %d)"):format(v.tile)
    if v.base > 0 then parts[1] = tostring(v.base) end
    if v.per_block > 0 then
        parts[#parts + 1] = ("%d * %s"):format(v.per_block, v.blocks == 1 and "1" or ("clamp(%s, 1, %d)"):format(tiles, v.blocks))
    end
    if v.per_tile > 0 then parts[#parts + 1] = ("%d * %s"):format(v.per_tile, tiles) end
    return (#parts == 0 and "0" or table.concat(parts, " + ")) .. " bytes of scratch"
end

-- The features that a plan needs, sorted by bit.
local function features(plan)
    local bits, names = 0, {}
    for _, kernel in ipairs(plan.kernels) do bits = bits | kernel.features end
    for i, name in ipairs(FEATURES) do
        if bits >> (i - 1) & 1 == 1 then names[#names + 1] = name end
    end
    return #names > 0 and table.concat(names, ", ") or "no more"
end

-- "lines_of", "scan and sort", "a, b and c".
local function listed(names)
    local last = names[#names]
    return #names == 1 and last or table.concat(names, ", ", 1, #names - 1) .. " and " .. last
end

local function share_texts(header)
    local texts, names, own = {}, {}, {}
    for _, op in ipairs(header.operations) do
        for _, kernel in ipairs(op.plans[1].kernels) do
            local text, entries = kernel.text:gsub('extern "C" __global__', "__global__")
            assert(entries == 1, "a kernel's text has one entry point")
            texts[#texts + 1], names[#names + 1], own[#own + 1] = text, op.prefix .. "_" .. kernel.entry, kernel
        end
    end
    local function finish(part)
        local lines = { part.text }
        for i, number in ipairs(part.parts) do table.insert(lines, i, ("using namespace %s_parts_%d;"):format(header.name, number)) end
        if #lines > 1 then table.insert(lines, #lines, "") end
        part.text = table.concat(lines, "\n")
        for i, name in ipairs(part.macros) do part.macros[i] = "#undef " .. name end
        part.ends = #part.macros > 0 and table.concat(part.macros, "\n")
        return part
    end
    local parts, kernels = share(texts)
    header.parts, header.ends = parts, {}
    for _, part in ipairs(parts) do
        finish(part)
        for i, k in ipairs(part.kernels) do part.kernels[i] = names[k] end
        part.users = #part.kernels == #texts and "all kernels" or listed(part.kernels)
        header.ends[#header.ends + 1] = part.ends or nil
    end
    header.ends = #header.ends > 0 and table.concat(header.ends, "\n")
    for k, kernel in ipairs(kernels) do own[k].own = finish(kernel) end
end

local function has_ping_pong(op)
    for _, variant in ipairs(op.plans[1].variants) do
        if variant.mode == "ping-pong" then return true end
    end
    return false
end

return function(header)
    local fragments = {}
    for i, name in ipairs(header.form == "header" and FRAGMENTS[header.backend] or {}) do fragments[i] = fragment(name) end
    local operations = {}
    if header.form == "header" and header.backend == "cuda" then share_texts(header) end
    for i, op in ipairs(header.operations) do operations[i], op.arguments = op.name, argument_names(op) end
    local is_cuda = header.backend == "cuda"
    return template.expand(header.form, function(name) return file("gen/emit/" .. name .. ".tpl") end, {
        ipairs = ipairs, comment = comment, bytes = bytes, layout = layout, buffer_line = buffer_line, scratch = scratch, features = features,
        has_ping_pong = has_ping_pong, listed = listed,
        header = header, is_cuda = is_cuda, compiler = header.compiler ~= "" and header.compiler, spdx = header.spdx or false,
            command = header.command or false,
        base = ("%s_%s"):format(header.name, header.form == "header" and header.backend or "plans"):upper(), names = table.concat(operations, ", "),
        fragments = table.concat(fragments, "\n"),
        vendor = is_cuda and "msw_cuda" or "msw_vulkan", where_type = is_cuda and "msw_cuda_stream" or "VkCommandBuffer", where = is_cuda
            and "stream" or "commands",
        enqueue = is_cuda and "msw_cuda_enqueue_steps" or "msw_vulkan_record", initialise = is_cuda
            and "msw_cuda_enqueue_init" or "msw_vulkan_record_init",
    })
end
