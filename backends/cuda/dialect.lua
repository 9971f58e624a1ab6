-- dialect.lua - CUDA C++ for NVRTC and nvcc: the C family with the device's own functions.

local file = ...

return file "gen/emit/c_dialect.lua" {
    language = "cuda",
    moves_whole_items = true,
    qualifier = "__device__ __forceinline__ ", long_qualifier = "__device__ __noinline__ ",
    functions = {
        max = "max", min = "min", f32_max = false, f32_min = false, f64_max = false, f64_min = false, f32_abs = false, f64_abs = false,
        u32_mulhi = "__umulhi", i32_mulhi = "__mulhi", u64_mulhi = "__umul64hi", i64_mulhi = "__mul64hi",
        u32_popcount = "__popc", u64_popcount = "__popcll", u32_clz = "__clz", u64_clz = "__clzll",
        u32_bitreverse = "__brev", u64_bitreverse = "__brevll",
        f32_rsqrt = "rsqrtf", f64_rsqrt = "rsqrt", f32_isnan = "isnan", f64_isnan = "isnan",
        f32_bits = "__float_as_uint", f32_from_bits = "__uint_as_float", f64_from_bits = "__longlong_as_double",
        -- cvt saturates; a NaN becomes 0 where neither side has 64 bits
        f32_to_u32 = "__float2uint_rz", f32_to_i32 = "__float2int_rz",
    },
    products = { f32 = "__fmul_rn", f64 = "__dmul_rn" },
    quotients = { f32 = "__fdiv_rn", f64 = "__ddiv_rn" },
    narrowings = { i16 = "int_to_i16" },
    constants = "__device__ const ", -- threads index them each with their own: memory that is called constant would serve one after the other
    helpers = file "backends/cuda/helpers.cuh" .. "\n" .. file "backends/c/helpers.h",
    reserved = file "backends/cuda/reserved.lua",
    construct = function(type_name, list) return type_name .. "{" .. list .. "}" end,
    kernel_head = function(entry, resident, helpers, cluster)
        local threads = helpers == 0 and "BLOCK" or helpers == 1 and "BLOCK + LANES" or ("BLOCK + %du * LANES"):format(helpers)
        local bounds = threads .. (resident > 0 and (", %d"):format(resident) or "")
        local dimensions = cluster and ("__cluster_dims__(%d, 1, 1) "):format(cluster) or ""
        return ('extern "C" __global__ void __launch_bounds__(%s) %s%s(const __grid_constant__ Parameters params)'):format(bounds, dimensions, entry)
    end,
    -- is_global: in a form in which the compiler sees what memory it is. For arrays of padded structs, stored in two places, NVVM 13.0 does not
    -- come to an end over it.
    buffer_type = function(name, element, _, is_global)
        local pointer = is_global and "__cvta_global_to_generic(address)" or "address"
        return ("struct %s {\n    %s *at;\n    __device__ explicit %s(u64 address) : at((%s *)%s) {}\n};"):format(name, element, name, element,
            pointer)
    end,
    shared_memory = function(type_name, name, count, is_aligned)
        return ("__shared__ %s%s %s%s;"):format(is_aligned and "alignas(16) " or "", type_name, name, count and "[" .. count .. "]" or "")
    end,
    dynamic_array = function(name, first, offset)
        if first then return ("#define %s (%s + %s)"):format(name, first, offset) end
        return ("extern __shared__ __align__(16) uint %s[]; // comes with the launch"):format(name)
    end,
    shifted_pair = function(low, high, shift) return ("__funnelshift_rc(%s, %s, %s)"):format(low, high, shift) end,
    update = function(_, what, place, operand) return ("atomic%s(&%s, %s)"):format(what == "add" and "Add" or "Max", place, operand) end,
}
