---@meta monosweep
-- The words of a monosweep spec, never run, for editors that speak to the Lua language server. A .luarc.json beside the specs turns it on:
--   { "runtime.version": "Lua 5.4", "workspace.library": ["PREFIX/share/monosweep/lua"],
--     "runtime.builtin": { "coroutine": "disable", "debug": "disable", "io": "disable", "os": "disable", "package": "disable" } }

---A value of a kernel: a scalar, a vec, a struct or a condition, whose number is not known when the spec is read.
---Compare with `lt le gt ge eq ne`, choose with `where`; `<`, `==`, `if`, `and` cannot see it.
---@class monosweep.Expression
---@operator add(monosweep.Operand): monosweep.Expression
---@operator sub(monosweep.Operand): monosweep.Expression
---@operator mul(monosweep.Operand): monosweep.Expression
---@operator div(monosweep.Operand): monosweep.Expression
---@operator idiv(monosweep.Operand): monosweep.Expression
---@operator mod(monosweep.Operand): monosweep.Expression
---@operator band(monosweep.Operand): monosweep.Expression
---@operator bor(monosweep.Operand): monosweep.Expression
---@operator bxor(monosweep.Operand): monosweep.Expression
---@operator shl(monosweep.Operand): monosweep.Expression
---@operator shr(monosweep.Operand): monosweep.Expression
---@operator unm: monosweep.Expression
---@operator bnot: monosweep.Expression
---@operator len: integer
---@field [string] monosweep.Expression a struct's fields; a vec's x, y, z, w
---@field [integer] monosweep.Expression a vec's components, from 1

---An expression, or a number, which takes the other operand's type.
---@alias monosweep.Operand monosweep.Expression|number

---What is a value where a type is known: an expression, a number, a table of fields or components.
---@alias monosweep.Value monosweep.Expression|number|table

---A type. Called, it makes a value: `u32(x)` converts, `Name { a = .., b = .. }` or `Name(x, y)` builds a struct, `vec(f32, 2)(x, y)` a vec.
---@class monosweep.Type
---@overload fun(...: monosweep.Value): monosweep.Expression

---@class monosweep.Integer: monosweep.Type
---@field min monosweep.Expression the least value
---@field max monosweep.Expression the greatest value

---@class monosweep.Float: monosweep.Type
---@field inf monosweep.Expression
---@field lowest monosweep.Expression the least finite value
---@field max monosweep.Expression the greatest finite value
---@field epsilon monosweep.Expression from 1 to the next value

---An associative operator with its identity.
---@class monosweep.Monoid
---@field type monosweep.Type

---What a sort orders by.
---@class monosweep.Key

---An opaque function: kernel text in place of a Lua function.
---@class monosweep.Source

---What a spec returns, alone or in a list.
---@class monosweep.Operation

---Constants that kernels index, from 0; an index beyond the last entry, or below 0, means the last one.
---@class monosweep.Table
---@operator len: integer
---@field [monosweep.Operand] monosweep.Expression

-- ---- types ----

---Conditions; never in memory.
---@type monosweep.Type
bool = nil
---@type monosweep.Integer
u8 = nil
---@type monosweep.Integer
i8 = nil
---@type monosweep.Integer
u16 = nil
---@type monosweep.Integer
i16 = nil
---@type monosweep.Integer
u32 = nil
---@type monosweep.Integer
i32 = nil
---@type monosweep.Integer
u64 = nil
---@type monosweep.Integer
i64 = nil
---@type monosweep.Float
f16 = nil
---@type monosweep.Float
f32 = nil
---@type monosweep.Float
f64 = nil

---n scalars, n = 2, 3 or 4. In memory an array; its arithmetic is elementwise.
---@param T monosweep.Type
---@param n 2|3|4
---@return monosweep.Type
function vec(T, n) end

---`struct "Affine" { {"a", f32}, {"b", f32} }`: fields in memory order, as C lays them out; at most 128 bytes.
---@param name string
---@return fun(fields: { [1]: string, [2]: monosweep.Type }[]): monosweep.Type
function struct(name) end

---The bits of x as another scalar type of the same size.
---@param T monosweep.Type
---@param x monosweep.Operand
---@return monosweep.Expression
function bitcast(T, x) end

---`local steps = table_of(u8, { 3, 1, 2 })`: constants, which `steps[x]` indexes by an integer expression, from 0. At most 64 KiB in a file.
---@param T monosweep.Type
---@param list monosweep.Value[]
---@return monosweep.Table
function table_of(T, list) end

---`local alpha = uniform("alpha", f32)`: a value that the caller gives when an operation runs, in a buffer of one element. Functions of elements may
---use it, combine may not.
---@param name string
---@param T monosweep.Type
---@return monosweep.Value
function uniform(name, T) end

---A spec may begin with `spec_version(1)`: it is refused by versions that read it otherwise.
---@param version 1
function spec_version(version) end

-- ---- choosing and comparing ----

---a where the condition holds, else b.
---@param condition monosweep.Expression|boolean
---@param a monosweep.Value
---@param b monosweep.Value
---@return monosweep.Expression
function where(condition, a, b) end

---a < b
---@param a monosweep.Operand
---@param b monosweep.Operand
---@return monosweep.Expression
function lt(a, b) end

---a <= b
---@param a monosweep.Operand
---@param b monosweep.Operand
---@return monosweep.Expression
function le(a, b) end

---a > b
---@param a monosweep.Operand
---@param b monosweep.Operand
---@return monosweep.Expression
function gt(a, b) end

---a >= b
---@param a monosweep.Operand
---@param b monosweep.Operand
---@return monosweep.Expression
function ge(a, b) end

---a == b
---@param a monosweep.Operand
---@param b monosweep.Operand
---@return monosweep.Expression
function eq(a, b) end

---a ~= b
---@param a monosweep.Operand
---@param b monosweep.Operand
---@return monosweep.Expression
function ne(a, b) end

---Both conditions hold.
---@param a monosweep.Expression|boolean
---@param b monosweep.Expression|boolean
---@return monosweep.Expression
function land(a, b) end

---One of the conditions holds, or both.
---@param a monosweep.Expression|boolean
---@param b monosweep.Expression|boolean
---@return monosweep.Expression
function lor(a, b) end

---The condition does not hold.
---@param a monosweep.Expression|boolean
---@return monosweep.Expression
function lnot(a) end

---x is no number.
---@param x monosweep.Operand
---@return monosweep.Expression
function isnan(x) end

-- ---- arithmetic ----

---The lesser; -0 is less than +0, and of a NaN and a number it is the number.
---@param a monosweep.Operand
---@param b monosweep.Operand
---@return monosweep.Expression
function min(a, b) end

---The greater; +0 is greater than -0, and of a NaN and a number it is the number.
---@param a monosweep.Operand
---@param b monosweep.Operand
---@return monosweep.Expression
function max(a, b) end

---x, but not less than the one and not greater than the other.
---@param x monosweep.Operand
---@param least monosweep.Operand
---@param greatest monosweep.Operand
---@return monosweep.Expression
function clamp(x, least, greatest) end

---Without its sign; the least integer stays what it is.
---@param x monosweep.Operand
---@return monosweep.Expression
function abs(x) end

---a * b + c; of floats rounded once where the device can.
---@param a monosweep.Operand
---@param b monosweep.Operand
---@param c monosweep.Operand
---@return monosweep.Expression
function fma(a, b, c) end

---The upper half of the product of two integers.
---@param a monosweep.Operand
---@param b monosweep.Operand
---@return monosweep.Expression
function mulhi(a, b) end

---@param x monosweep.Operand
---@return monosweep.Expression
function sqrt(x) end

---1 / sqrt(x)
---@param x monosweep.Operand
---@return monosweep.Expression
function rsqrt(x) end

---@param x monosweep.Operand
---@return monosweep.Expression
function exp(x) end

---@param x monosweep.Operand
---@return monosweep.Expression
function exp2(x) end

---@param x monosweep.Operand
---@return monosweep.Expression
function log(x) end

---@param x monosweep.Operand
---@return monosweep.Expression
function log2(x) end

---@param x monosweep.Operand
---@return monosweep.Expression
function sin(x) end

---@param x monosweep.Operand
---@return monosweep.Expression
function cos(x) end

---@param x monosweep.Operand
---@return monosweep.Expression
function tanh(x) end

---The greatest whole number that is not greater.
---@param x monosweep.Operand
---@return monosweep.Expression
function floor(x) end

---The least whole number that is not less.
---@param x monosweep.Operand
---@return monosweep.Expression
function ceil(x) end

---The nearest whole number; from the middle between two the even one.
---@param x monosweep.Operand
---@return monosweep.Expression
function round(x) end

---The whole number towards zero.
---@param x monosweep.Operand
---@return monosweep.Expression
function trunc(x) end

-- ---- bits ----

---How many bits are set.
---@param x monosweep.Operand
---@return monosweep.Expression
function popcount(x) end

---Zeros before the highest set bit; the width, of 0.
---@param x monosweep.Operand
---@return monosweep.Expression
function clz(x) end

---Zeros behind the lowest set bit; the width, of 0.
---@param x monosweep.Operand
---@return monosweep.Expression
function ctz(x) end

---@param x monosweep.Operand
---@return monosweep.Expression
function bitreverse(x) end

---Rotates to the left by `count` bits, modulo the width.
---@param x monosweep.Operand
---@param count monosweep.Operand
---@return monosweep.Expression
function rotl(x, count) end

---Rotates to the right by `count` bits, modulo the width.
---@param x monosweep.Operand
---@param count monosweep.Operand
---@return monosweep.Expression
function rotr(x, count) end

-- ---- monoids ----

---Draws numbers for a monoid's `sample`: between two, both included, or any.
---@class monosweep.Sampler
---@field bool fun(r: monosweep.Sampler): boolean
---@field u8 fun(r: monosweep.Sampler, lo?: integer, hi?: integer): integer
---@field i8 fun(r: monosweep.Sampler, lo?: integer, hi?: integer): integer
---@field u16 fun(r: monosweep.Sampler, lo?: integer, hi?: integer): integer
---@field i16 fun(r: monosweep.Sampler, lo?: integer, hi?: integer): integer
---@field u32 fun(r: monosweep.Sampler, lo?: integer, hi?: integer): integer
---@field i32 fun(r: monosweep.Sampler, lo?: integer, hi?: integer): integer
---@field u64 fun(r: monosweep.Sampler, lo?: integer, hi?: integer): integer
---@field i64 fun(r: monosweep.Sampler, lo?: integer, hi?: integer): integer
---@field f16 fun(r: monosweep.Sampler, lo?: number, hi?: number): number
---@field f32 fun(r: monosweep.Sampler, lo?: number, hi?: number): number
---@field f64 fun(r: monosweep.Sampler, lo?: number, hi?: number): number

---@class monosweep.monoid
---@field type monosweep.Type of the elements
---@field identity monosweep.Value combined with any element it changes nothing
---@field combine (fun(a: monosweep.Expression, b: monosweep.Expression): monosweep.Value)|monosweep.Source a comes before b
---@field commutative? boolean the order of a and b does not matter (false)
---@field laws? "trusted"|"strict" trusted: not tested; strict: warnings are errors
---@field sample? fun(r: monosweep.Sampler): monosweep.Value an element of those that the laws hold for (any)
---@field name? string

---An associative operator with its identity; the laws are tested when the spec is read.
---@param t monosweep.monoid
---@return monosweep.Monoid
function monoid(t) end

---@param T monosweep.Type
---@return monosweep.Monoid
function sum(T) end

---@param T monosweep.Type
---@return monosweep.Monoid
function product(T) end

---Of floats the identity is +inf.
---@param T monosweep.Type
---@return monosweep.Monoid
function minimum(T) end

---Of floats the identity is -inf.
---@param T monosweep.Type
---@return monosweep.Monoid
function maximum(T) end

---@param T monosweep.Integer
---@return monosweep.Monoid
function bit_and(T) end

---@param T monosweep.Integer
---@return monosweep.Monoid
function bit_or(T) end

---@param T monosweep.Integer
---@return monosweep.Monoid
function bit_xor(T) end

---struct { value T, index u32 } with the least value; of equal ones that with the lower index, a NaN behind all numbers. index_type: u32 or u64.
---@param T monosweep.Type
---@param index_type? monosweep.Integer
---@return monosweep.Monoid
function argmin(T, index_type) end

---struct { value T, index u32 } with the greatest value; of equal ones that with the lower index, a NaN behind all numbers. index_type: u32 or u64.
---@param T monosweep.Type
---@param index_type? monosweep.Integer
---@return monosweep.Monoid
function argmax(T, index_type) end

---Several monoids at once: a struct with fields `_1 _2 ..`, or, from `pair { name1 = m1, .. , order = {..} }`, with the names.
---@param ... monosweep.Monoid
---@return monosweep.Monoid
---@overload fun(named: table<string, monosweep.Monoid|string[]>): monosweep.Monoid
function pair(...) end

---struct { flag u32, value }: a set flag starts a segment at its element.
---@param m monosweep.Monoid
---@return monosweep.Monoid
function segmented(m) end

---@class monosweep.source
---@field cuda? string the function's body in CUDA C++
---@field glsl? string .. in GLSL
---@field host? function .. on plain Lua numbers, for the oracle and the laws
---@field parameters? string[] the names in the bodies (those of host)
---@field type? monosweep.Type of the result; an output's must be said

---An opaque function, for combine, map or output.
---@param t monosweep.source
---@return monosweep.Source
function source(t) end

-- ---- operations ----

---Numbers that the planner would choose; `--set` wins over them.
---@class monosweep.tune
---@field strategy? string
---@field block? integer threads of a block
---@field blocks? integer
---@field items? integer of a thread
---@field subgroup? integer
---@field digit_bits? integer of a sort's pass
---@field lookback? integer|string
---@field stages? integer
---@field vector? integer items that a thread moves at once

---What lies near an element, in memory order.
---@class monosweep.near
---@field before monosweep.Expression the input element at i - 1; zeros where there is none
---@field after monosweep.Expression the input element at i + 1; zeros where there is none
---@field first monosweep.Expression a condition: this element is the first
---@field last monosweep.Expression a condition: this element is the last
---@field head monosweep.Expression of segments, a condition: this element is its segment's first
---@field tail monosweep.Expression of segments, a condition: this element is its segment's last
---@field segment monosweep.Expression of a segmented_scan's outputs, not with reverse: the segment's number, a u32

---Of an element: its value, or a record of its values by the names of `inputs`; its place i, a u64; what is near it.
---@alias monosweep.of_element fun(x: monosweep.Expression, i: monosweep.Expression, near: monosweep.near): monosweep.Value

---Of a place of a scan: what has been combined, the element, its place i, what is near it.
---@alias monosweep.of_place fun(s: monosweep.Expression, x: monosweep.Expression, i: monosweep.Expression, near: monosweep.near): monosweep.Value

---@class monosweep.array
---@field [1] string its name
---@field [2]? monosweep.Type of its elements
---@field generate? fun(i: monosweep.Expression): monosweep.Value in the place of the type: what it is at i, in no memory; n is given where all are

---An output of map: an element for each of the input's; with keep of those that are kept, in order; then NAME_count has their number, a u64; with at
---scattered.
---@class monosweep.element_output
---@field [1] string its name
---@field value monosweep.of_element
---@field keep? monosweep.of_element a condition
---@field at? monosweep.of_element where the element goes, u32 or u64: the output is scattered, and nothing is counted
---@field length? integer|monosweep.Value beside at: the elements of the output, or a uniform that says it (n)

---An output of scan, likewise.
---@class monosweep.scan_output
---@field [1] string its name
---@field value monosweep.of_place
---@field keep? monosweep.of_place a condition
---@field at? monosweep.of_place where the element goes, u32 or u64: the output is scattered, and nothing is counted
---@field length? integer|monosweep.Value beside at: the elements of the output, or a uniform that says it (n)

---An output where the operation itself says what is kept.
---@class monosweep.kept_output
---@field [1] string its name
---@field value monosweep.of_element

---An output of reduce: one element.
---@class monosweep.total_output
---@field [1] string its name
---@field value fun(s: monosweep.Expression): monosweep.Value

---@class monosweep.scan
---@field monoid monosweep.Monoid
---@field kind? "inclusive"|"exclusive" ("inclusive")
---@field input? monosweep.Type of the elements of `in` (the monoid's)
---@field inputs? monosweep.array[] in the place of `input`: several arrays; x is a record of their elements
---@field map? monosweep.of_element|monosweep.Source the monoid's element of input element x (x)
---@field output? monosweep.of_place|monosweep.Source the element of `out` (s)
---@field outputs? monosweep.scan_output[] in the place of `output`: several arrays
---@field init? monosweep.Value comes before everything
---@field reverse? boolean from the last element to the first (false)
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere" the same bits from run to run, for floats too; or on every device (false)

---out[i] is what in[0] .. in[i], or before i, come to.
---@param t monosweep.scan
---@return monosweep.Operation
function scan(t) end

---@class monosweep.reduce
---@field monoid monosweep.Monoid
---@field input? monosweep.Type of the elements of `in` (the monoid's)
---@field inputs? monosweep.array[] in the place of `input`: several arrays; x is a record of their elements
---@field map? monosweep.of_element|monosweep.Source the monoid's element of input element x (x)
---@field output? (fun(s: monosweep.Expression): monosweep.Value)|monosweep.Source is written (s)
---@field outputs? monosweep.total_output[] in the place of `output`: several arrays of one element
---@field init? monosweep.Value comes before everything
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere" the same bits from run to run, for floats too; or on every device (false)

---out is what all elements come to: one element.
---@param t monosweep.reduce
---@return monosweep.Operation
function reduce(t) end

---@class monosweep.map
---@field input? monosweep.Type of the elements of `in`
---@field inputs? monosweep.array[] in the place of `input`: several arrays; x is a record of their elements
---@field output? monosweep.of_element|monosweep.Source the element of `out` at place i
---@field outputs? monosweep.element_output[] in the place of `output`: several arrays
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere"

---What is written at place i is made of what is read there.
---@param t monosweep.map
---@return monosweep.Operation
function map(t) end

---@class monosweep.compact
---@field input? monosweep.Type of the elements of `in`
---@field inputs? monosweep.array[] in the place of `input`: several arrays; x is a record of their elements
---@field keep monosweep.of_element a condition
---@field output? monosweep.of_element the element of `out` (x)
---@field outputs? monosweep.kept_output[] in the place of `output`: several arrays
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere"

---The elements that are kept, in order, and in `count` their number, a u64.
---@param t monosweep.compact
---@return monosweep.Operation
function compact(t) end

---@class monosweep.partition
---@field input? monosweep.Type of the elements of `in`
---@field inputs? monosweep.array[] in the place of `input`: several arrays; x is a record of their elements
---@field first monosweep.of_element a condition: x goes to `out`, not to `rest`
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere"

---Some elements in `out`, the others in `rest`, both in order, and in `count` how many `out` has, a u64.
---@param t monosweep.partition
---@return monosweep.Operation
function partition(t) end

---@class monosweep.unique
---@field input? monosweep.Type of the elements of `in`
---@field inputs? monosweep.array[] in the place of `input`: several arrays; x is a record of their elements
---@field equal? fun(a: monosweep.Expression, b: monosweep.Expression): monosweep.Expression b belongs to the run of a, before it (eq)
---@field output? monosweep.of_element the element of `out` (x)
---@field outputs? monosweep.kept_output[] in the place of `output`: several arrays
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere"

---The first element of each run of equal neighbours, and in `count` the number of runs, a u64.
---@param t monosweep.unique
---@return monosweep.Operation
function unique(t) end

---@class monosweep.run_length_encode
---@field input monosweep.Type of the elements of `in`
---@field equal? fun(a: monosweep.Expression, b: monosweep.Expression): monosweep.Expression b belongs to the run of a, before it (eq)
---@field length? monosweep.Integer of the elements of `lengths`: u32 or u64 (u32)
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere"

---Of each run of equal neighbours the first element in `out` and its length in `lengths`; in `count` the number of runs, a u64.
---@param t monosweep.run_length_encode
---@return monosweep.Operation
function run_length_encode(t) end

---@class monosweep.reduce_by_key
---@field key monosweep.Type of the elements of `keys`
---@field value? monosweep.Type of the elements of `values` (the monoid's)
---@field monoid monosweep.Monoid
---@field equal? fun(a: monosweep.Expression, b: monosweep.Expression): monosweep.Expression key b belongs to the run of a, before it (eq)
---@field map? fun(x: monosweep.Expression, i: monosweep.Expression): monosweep.Value the monoid's element of value x at place i (x)
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere" the same bits from run to run, for floats too; or on every device (false)

---Of each run of equal keys the first key in `keys_out`, what its values come to in `values_out`; in `count` the number of runs, a u64.
---@param t monosweep.reduce_by_key
---@return monosweep.Operation
function reduce_by_key(t) end

---@class monosweep.segmented_scan
---@field segments "offsets"|"flags"|"keys" what the buffer `segments` has: u64, where segments begin, then n; u8, not 0 at heads; or keys
---@field key? monosweep.Type of keys
---@field equal? fun(a: monosweep.Expression, b: monosweep.Expression): monosweep.Expression key b belongs to the segment of a, before it (eq)
---@field monoid monosweep.Monoid
---@field kind? "inclusive"|"exclusive" ("inclusive")
---@field input? monosweep.Type of the elements of `in` (the monoid's)
---@field inputs? monosweep.array[] in the place of `input`: several arrays; x is a record of their elements, and of `segments`
---@field map? monosweep.of_element the monoid's element of input element x (x)
---@field output? monosweep.of_place the element of `out` (s)
---@field outputs? monosweep.scan_output[] in the place of `output`: several arrays
---@field init? monosweep.Value comes before everything in each segment
---@field reverse? boolean from each segment's last element to its first (false)
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere" the same bits from run to run, for floats too; or on every device (false)

---A scan of each segment by itself.
---@param t monosweep.segmented_scan
---@return monosweep.Operation
function segmented_scan(t) end

---@class monosweep.segmented_reduce
---@field segments "offsets"|"flags"|"keys" what the buffer `segments` has: u64, where segments begin, then n; u8, not 0 at heads; or keys
---@field key? monosweep.Type of keys
---@field equal? fun(a: monosweep.Expression, b: monosweep.Expression): monosweep.Expression key b belongs to the segment of a, before it (eq)
---@field monoid monosweep.Monoid
---@field input? monosweep.Type of the elements of `in` (the monoid's)
---@field inputs? monosweep.array[] in the place of `input`: several arrays; x is a record of their elements, and of `segments`
---@field map? monosweep.of_element the monoid's element of input element x (x)
---@field output? fun(s: monosweep.Expression): monosweep.Value is written of each segment (s)
---@field outputs? monosweep.total_output[] in the place of `output`: several arrays
---@field init? monosweep.Value comes before everything in each segment
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere" the same bits from run to run, for floats too; or on every device (false)

---What each segment comes to, in order; and in `count` the number of segments, a u64, which by offsets is a uniform, `segment_count`.
---@param t monosweep.segmented_reduce
---@return monosweep.Operation
function segmented_reduce(t) end

---@class monosweep.append
---@field input? monosweep.Type of the elements of `in`
---@field inputs? monosweep.array[] in the place of `input`: several arrays; x is a record of their elements
---@field length fun(x: monosweep.Expression, i: monosweep.Expression): monosweep.Value how many items an element has, a u32
---@field item fun(x: monosweep.Expression, i: monosweep.Expression, k: monosweep.Expression): monosweep.Value item k of an element, k from 0
---@field capacity? integer how many items `out` has room for (n)
---@field order? "input"|"any" in which order elements' items come; any: as timing decides ("input")
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean the same bits from run to run, for floats too (false)

---The items of all elements, in order, as far as `out` has room for them; in `count` their number, a u64.
---@param t monosweep.append
---@return monosweep.Operation
function append(t) end

---@class monosweep.by
---@field [1] string a field, "a" or "a.b"
---@field bits? integer its lowest bits, of a float its image's top ones (all)
---@field order? "ascending"|"descending" ("ascending")

---@class monosweep.key
---@field type monosweep.Type
---@field by? monosweep.by[] fields, the most significant first
---@field bits? { [1]: integer, [2]: integer } bits from the first up to the second, which does not count (all)

---What a sort orders by, of a type: fields, bits; at most 128 bits in all.
---@param t monosweep.key
---@return monosweep.Key
function key(t) end

---@class monosweep.sort
---@field key monosweep.Key|monosweep.Type
---@field value? monosweep.Type|"index" moved along with the keys; "index": each one's place in the input (none)
---@field index? monosweep.Integer the type of value = "index", u32 or u64 (u32)
---@field order? "ascending"|"descending" ("ascending"); stable both ways; descending turns the whole key around, each field's order, too
---@field input? monosweep.Type of the elements that map makes keys of
---@field map? (fun(x: monosweep.Expression, i: monosweep.Expression): monosweep.Value)|monosweep.Source the key of input element x at place i
---@field name? string an identifier (the file's name)
---@field doc? string
---@field tune? monosweep.tune
---@field deterministic? boolean|"everywhere"

---@param t monosweep.sort
---@return monosweep.Operation
function sort(t) end

---@deprecated not in this version
function segmented_sort() end
---@deprecated not in this version
function histogram() end
---@deprecated not in this version
function topk() end
---An array of a pipeline, or of a pipeline's operation the arrays and values that it makes, by name.
---@class monosweep.Array
---@field [string] monosweep.Array

---What a pipeline's function gets: its inputs and outputs, and the operations, which take arrays in the place of types.
---@class monosweep.Pipeline
---@field input fun(name: string, type: monosweep.Type, length?: integer|{ segments: integer }): monosweep.Array a buffer of the caller's
---@field output fun(name: string, array: monosweep.Array|monosweep.Expression) makes it a buffer of the caller's
---@field map fun(arrays: monosweep.Array[]|table, f?: function): monosweep.Array
---@field [string] fun(t: table): monosweep.Array|monosweep.Expression

---Several operations on arrays of each other, as one.
---@param f fun(p: monosweep.Pipeline)
---@param t? { name?: string, doc?: string, tune?: monosweep.tune, deterministic?: boolean|"everywhere", fuse?: boolean }
---@return monosweep.Operation
function pipeline(f, t) end
