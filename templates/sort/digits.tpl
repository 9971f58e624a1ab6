$ -- Digits of keys. A key's image is an unsigned number whose order is the sort's; digit `pass` is its bits from pass * DIGIT_BITS on.
$ assert(digit_bits >= 1 and digit_bits <= 11 and passes * digit_bits >= key_bits)
$ local word_names = ({ {"image"}, {"image.y", "image.x"}, {"image.z", "image.y", "image.x"}, {"image.w", "image.z", "image.y",
$     "image.x"} })[image_words]
$ -- The word in which the digit begins, or the one after that; words are listed from the lowest.
$ local function word(names)
$     local text = names[#names]
$     for w = #names - 1, 1, -1 do text = ("%s ^ ((%s ^ %s) & digit.below%d)"):format(text, names[w], #names - w > 1 and "(" .. text .. ")" or text,
$         32 * w) end
$     return text
$ end
$ local crosses = image_words > 1 and (32 % digit_bits ~= 0 or has_window)
const uint DIGIT_BITS = $(digit_bits)u;
const uint BINS = $(1 << digit_bits)u; // values of a digit
const uint PASSES = $(passes)u; // digits of the key's $(key_bits) bits, the lowest first

// A digit of all keys.
struct Digit {
    uint first_bit;
    uint mask;
$ for w = 1, image_words - 1 do
    uint below$(32 * w); // all ones where it begins below that bit, else 0
$ end
};

$ if is_hybrid then
Digit digit_from(uint first_bit, uint mask)
{
    Digit digit;
    digit.first_bit = first_bit;
    digit.mask = mask;
$ for w = 1, image_words - 1 do
    digit.below$(32 * w) = first_bit < $(32 * w)u ? 0xffffffffu : 0u;
$ end
    return digit;
}

const uint LEADING_BITS = $(math.min(32, key_bits))u; // of the key, as many as fit a word

// The window of so many bits, the last of them in front of the bit `end`: keys of a bucket agree in it, and all keys above it.
Digit window_digit(uint window_bits, uint end)
{
    return digit_from(end - window_bits, (1u << window_bits) - 1u);
}

// Whether the window is one digit, the lower one.
bool is_one_digit(uint window_bits)
{
    return window_bits <= DIGIT_BITS;
}

// Values of the window's lower digit, 0, or its upper one, 1, which has a bit more where bits are odd.
uint half_bins(uint window_bits, uint half_number)
{
    return 1u << (is_one_digit(window_bits) ? half_number == 0u ? window_bits : 0u : (window_bits + half_number) / 2u);
}

Digit half_of_window(uint window_bits, uint end, uint half_number)
{
    return digit_from(end - (half_number == 0u ? window_bits : (window_bits + 1u) / 2u), half_bins(window_bits, half_number) - 1u);
}

Digit digit_of_pass(uint pass)
{
    return digit_from(pass < PASSES ? pass * DIGIT_BITS : 0u, pass < PASSES ? BINS - 1u : 0u); // beyond the last digit all keys are equal
}
$ else
Digit digit_of_pass(uint pass)
{
    Digit digit;
    digit.first_bit = pass < PASSES ? pass * DIGIT_BITS : 0u;
    digit.mask = pass < PASSES ? BINS - 1u : 0u; // beyond the last digit all keys are equal
$ for w = 1, image_words - 1 do
    digit.below$(32 * w) = digit.first_bit < $(32 * w)u ? 0xffffffffu : 0u;
$ end
    return digit;
}
$ end

uint digit_of($(Key) key, Digit digit)
{
$ if not key_is_image then
    const $(Image) image = key_image(key);
$ end
$ if image_words == 1 then
    return $(key_is_image and "key" or "image") >> digit.first_bit & digit.mask;
$ elseif not crosses then
    const uint word = $(word(word_names));
    return word >> digit.first_bit % 32u & digit.mask;
$ else
    const uint word = $(word(word_names));
$ local above = table.move(word_names, 2, #word_names, 1, {})
$ above[#above + 1] = "0u"
    const uint above = $(word(above));
    const uint shift = digit.first_bit % 32u;
    return ($(shifted_pair("word", "above", "shift", true))) & digit.mask;
$ end
}
$ if is_hybrid then

// The LEADING_BITS in front of the bit `end`$(image_words == 1 and "; of a key of one word all of it" or "").
uint leading_bits_of($(Key) key, uint end)
{
$ if image_words == 2 then
$ if not key_is_image then
    const $(Image) image = key_image(key);
$ end
$ local image = key_is_image and "key" or "image"
    const uint shift = end - LEADING_BITS;
    return $(shifted_pair(image .. ".y", image .. ".x", "shift"));
$ elseif image_words == 1 then
    return $(key_is_image and "key" or "key_image(key)");
$ else
    return digit_of(key, digit_from(end - LEADING_BITS, 0xffffffffu));
$ end
}
$ end
