-- reserved.lua - words that no user's name may take: C's keywords, what stdbool.h, stdalign.h, math.h and the prelude define.

local words = [[
    auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short
    signed sizeof static struct switch typedef union unsigned void volatile while asm typeof main bool true false alignas alignof

    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot
    ilogb isfinite isgreater isinf isless isnan isnormal j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan
    nearbyint nextafter pow remainder remquo rint round scalbn signbit sin sinh sqrt tan tanh tgamma trunc y0 y1 yn gamma significand drem
    INFINITY NAN HUGE_VAL HUGE_VALF HUGE_VALL FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL FP_ILOGB0
    FP_ILOGBNAN MATH_ERRNO MATH_ERREXCEPT math_errhandling fpclassify isgreaterequal islessequal islessgreater isunordered scalbln nexttoward
    signgam float_t double_t _Bool _Complex _Imaginary

    ms_place ms_order ms_update ms_machine ms_machine_running MS_KERNEL MS_RELAXED MS_ACQUIRE MS_RELEASE MS_ACQUIRE_RELEASE MS_ADD MS_AND MS_OR
    MS_MIN MS_MAX MS_EXCHANGE MS_COMPARE_EXCHANGE min shuffle_at last_lane_at Word load_word store_word linux unix
]]

local list = {}
for word in words:gmatch("%S+") do list[#list + 1] = word end
return list
