-- reserved.lua - GLSL's words that no user's name may take: keywords and words kept for the future, types, built-in functions.

local words = [[
    const uniform buffer shared attribute varying coherent volatile restrict readonly writeonly atomic_uint layout centroid flat smooth
    noperspective patch sample invariant precise break continue do for while switch case default if else subroutine in out inout true false
    discard return struct lowp mediump highp precision void bool int uint float double common partition active asm class union enum typedef
    template this resource goto inline noinline public static extern external interface long short half fixed unsigned superp input output
    filter sizeof cast namespace using sampler3DRect demote terminateInvocation nonprivate subgroupcoherent workgroupcoherent
    queuefamilycoherent devicecoherent shadercallcoherent spirv_instruction spirv_execution_mode nonuniformEXT sampler samplerShadow
    subpassInput subpassInputMS isubpassInput isubpassInputMS usubpassInput usubpassInputMS accelerationStructureEXT rayQueryEXT
    hitAttributeEXT rayPayloadEXT callableDataEXT pervertexEXT pervertexNV fvec2 fvec3 fvec4 hvec2 hvec3 hvec4 main VULKAN

    bvec2 bvec3 bvec4 dmat2 dmat2x2 dmat2x3 dmat2x4 dmat3 dmat3x2 dmat3x3 dmat3x4 dmat4 dmat4x2 dmat4x3 dmat4x4 dvec2 dvec3 dvec4 f16mat2
    f16mat2x2 f16mat2x3 f16mat2x4 f16mat3 f16mat3x2 f16mat3x3 f16mat3x4 f16mat4 f16mat4x2 f16mat4x3 f16mat4x4 f16vec2 f16vec3 f16vec4
    f32mat2 f32mat2x2 f32mat2x3 f32mat2x4 f32mat3 f32mat3x2 f32mat3x3 f32mat3x4 f32mat4 f32mat4x2 f32mat4x3 f32mat4x4 f32vec2 f32vec3
    f32vec4 f64mat2 f64mat2x2 f64mat2x3 f64mat2x4 f64mat3 f64mat3x2 f64mat3x3 f64mat3x4 f64mat4 f64mat4x2 f64mat4x3 f64mat4x4 f64vec2
    f64vec3 f64vec4 float16_t float32_t float64_t i16vec2 i16vec3 i16vec4 i32vec2 i32vec3 i32vec4 i64vec2 i64vec3 i64vec4 i8vec2 i8vec3
    i8vec4 iimage1D iimage1DArray iimage2D iimage2DArray iimage2DMS iimage2DMSArray iimage2DRect iimage3D iimageBuffer iimageCube
    iimageCubeArray image1D image1DArray image2D image2DArray image2DMS image2DMSArray image2DRect image3D imageBuffer imageCube
    imageCubeArray int16_t int32_t int64_t int8_t isampler1D isampler1DArray isampler2D isampler2DArray isampler2DMS isampler2DMSArray
    isampler2DRect isampler3D isamplerBuffer isamplerCube isamplerCubeArray itexture1D itexture1DArray itexture2D itexture2DArray
    itexture2DMS itexture2DMSArray itexture2DRect itexture3D itextureBuffer itextureCube itextureCubeArray ivec2 ivec3 ivec4 mat2 mat2x2
    mat2x3 mat2x4 mat3 mat3x2 mat3x3 mat3x4 mat4 mat4x2 mat4x3 mat4x4 sampler1D sampler1DArray sampler1DArrayShadow sampler1DShadow
    sampler2D sampler2DArray sampler2DArrayShadow sampler2DMS sampler2DMSArray sampler2DRect sampler2DRectShadow sampler2DShadow sampler3D
    samplerBuffer samplerCube samplerCubeArray samplerCubeArrayShadow samplerCubeShadow texture1D texture1DArray texture2D texture2DArray
    texture2DMS texture2DMSArray texture2DRect texture3D textureBuffer textureCube textureCubeArray u16vec2 u16vec3 u16vec4 u32vec2 u32vec3
    u32vec4 u64vec2 u64vec3 u64vec4 u8vec2 u8vec3 u8vec4 uimage1D uimage1DArray uimage2D uimage2DArray uimage2DMS uimage2DMSArray
    uimage2DRect uimage3D uimageBuffer uimageCube uimageCubeArray uint16_t uint32_t uint64_t uint8_t usampler1D usampler1DArray usampler2D
    usampler2DArray usampler2DMS usampler2DMSArray usampler2DRect usampler3D usamplerBuffer usamplerCube usamplerCubeArray utexture1D
    utexture1DArray utexture2D utexture2DArray utexture2DMS utexture2DMSArray utexture2DRect utexture3D utextureBuffer utextureCube
    utextureCubeArray uvec2 uvec3 uvec4 vec2 vec3 vec4

    abs acos acosh all allInvocations allInvocationsEqual any anyInvocation asin asinh atan atanh atomicAdd atomicAnd atomicCompSwap
    atomicCounter atomicExchange atomicLoad atomicMax atomicMin atomicOr atomicStore atomicXor ballotARB barrier bitCount bitfieldExtract
    bitfieldInsert bitfieldReverse ceil clamp controlBarrier cos cosh cross dFdx dFdy degrees determinant distance dot doubleBitsToInt64
    doubleBitsToUint64 equal exp exp2 faceforward findLSB findMSB float16BitsToInt16 float16BitsToUint16 floatBitsToInt floatBitsToUint
    floor fma fract frexp ftransform fwidth greaterThan greaterThanEqual groupMemoryBarrier halfBitsToInt16 halfBitsToUint16 imageLoad
    imageSamples imageSize imageStore imulExtended int16BitsToFloat16 int16BitsToHalf int64BitsToDouble intBitsToFloat inverse inversesqrt
    isinf isnan ldexp length lessThan lessThanEqual log log2 matrixCompMult max memoryBarrier memoryBarrierAtomicCounter memoryBarrierBuffer
    memoryBarrierImage memoryBarrierShared min mix mod modf noise1 noise2 noise3 noise4 normalize not notEqual outerProduct pack16 pack32
    pack64 pack8 packDouble2x32 packFloat2x16 packHalf2x16 packInt2x32 packSnorm2x16 packSnorm4x8 packUint2x32 packUnorm2x16 packUnorm4x8
    pow radians readFirstInvocationARB readInvocationARB reflect refract round roundEven sign sin sinh smoothstep sqrt step subgroupAdd
    subgroupAll subgroupAllEqual subgroupAnd subgroupAny subgroupBallot subgroupBallotBitCount subgroupBallotBitExtract
    subgroupBallotExclusiveBitCount subgroupBallotFindLSB subgroupBallotFindMSB subgroupBallotInclusiveBitCount subgroupBarrier
    subgroupBroadcast subgroupBroadcastFirst subgroupElect subgroupExclusiveAdd subgroupExclusiveAnd subgroupExclusiveMax
    subgroupExclusiveMin subgroupExclusiveMul subgroupExclusiveOr subgroupExclusiveXor subgroupInclusiveAdd subgroupInclusiveAnd
    subgroupInclusiveMax subgroupInclusiveMin subgroupInclusiveMul subgroupInclusiveOr subgroupInclusiveXor subgroupInverseBallot
    subgroupMax subgroupMemoryBarrier subgroupMemoryBarrierBuffer subgroupMemoryBarrierShared subgroupMin subgroupMul subgroupOr
    subgroupShuffle subgroupShuffleDown subgroupShuffleUp subgroupShuffleXor subgroupXor subpassLoad tan tanh texelFetch texelFetchOffset
    texture textureGather textureGrad textureLod textureOffset textureProj textureQueryLevels textureQueryLod textureSamples textureSize
    transpose trunc uaddCarry uint16BitsToFloat16 uint16BitsToHalf uint64BitsToDouble uintBitsToFloat umulExtended unpack16 unpack32 unpack8
    unpackDouble2x32 unpackFloat2x16 unpackHalf2x16 unpackInt2x32 unpackSnorm2x16 unpackSnorm4x8 unpackUint2x32 unpackUnorm2x16
    unpackUnorm4x8 usubBorrow
]]

local list = {}
for word in words:gmatch("%S+") do list[#list + 1] = word end
return list
