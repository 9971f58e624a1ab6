-- reserved.lua - CUDA's words that no user's name may take, beside C++'s (gen/emit/cpp_words.lua): built-in types, variables and functions.

local file = ...

local words = [[
    ALL_LANES load_word store_word OutItem CarryItem store_outputs_item store_elements_item

    threadIdx blockIdx blockDim gridDim warpSize dim3 cudaStream_t cudaError_t uint ushort uchar ulong

    abs acos acosf acosh acoshf asin asinf asinh asinhf atan atan2 atan2f atanf atanh atanhf cbrt cbrtf ceil ceilf clock clock64 copysign
    copysignf cos cosf cosh coshf cospi cospif div erf erfc erfcf erfcinv erff erfinv exit exp exp10 exp10f exp2 exp2f expf expm1 expm1f fabs fabsf
    fdim
    fdimf fdivide fdividef floor floorf fma fmaf fmax fmaxf fmin fminf fmod fmodf free frexp frexpf hypot hypotf ilogb ilogbf index isfinite isinf
    isnan j0 j0f j1 j1f jn jnf labs ldexp ldexpf lgamma lgammaf llabs llmax llmin llrint llrintf llround llroundf log log10 log10f log1p
    log1pf log2 log2f logb logbf logf lrint lrintf lround lroundf malloc max memcmp memcpy memset min modf modff nan nanf nearbyint nearbyintf
    nextafter nextafterf norm norm3d norm4d normf pow powf printf rand remainder remainderf remove remquo remquof rename rhypot rindex rint rintf
    round roundf rsqrt rsqrtf scalbln scalbn scalbnf signal signbit sin sincos sincosf sincospi sinf sinh sinhf sinpi sinpif sqrt sqrtf system
    tan tanf tanh tanhf tgamma tgammaf time trunc truncf ullmax ullmin umax umin y0 y0f y1 y1f yn ynf
    atomicAdd atomicAnd atomicCAS atomicDec atomicExch atomicInc atomicMax atomicMin atomicOr atomicSub atomicXor
]]

local list = file "gen/emit/cpp_words.lua" ()
for word in words:gmatch("%S+") do list[#list + 1] = word end
for _, scalar in ipairs { "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong", "float", "double" } do
    for length = 1, 4 do list[#list + 1] = scalar .. length end
end
return list
