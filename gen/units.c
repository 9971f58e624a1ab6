#include "units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = -3, MOST = 5 }; /* powers of 1000 that have a prefix */

const char *ms_format_unit(double value, const char *unit, char text[MS_UNIT_BYTES])
{
    static const char prefixes[MOST - LEAST + 1][2] = {"n", "u", "m", "", "k", "M", "G", "T", "P"};
    char rounded[32];
    if (!(value > 0) || isinf(value)) return snprintf(text, MS_UNIT_BYTES, "%g%s%.24s", value > 0 ? value : 0.0, unit[0] ? " " : "", unit), text;
    snprintf(rounded, sizeof rounded, "%.2e", value); /* to three digits first: 999.6 is 1.00 k */
    const int exponent = atoi(strchr(rounded, 'e') + 1);
    int thousands = exponent >= 0 ? exponent / 3 : -((2 - exponent) / 3);
    thousands = thousands < LEAST ? LEAST : thousands > MOST ? MOST : thousands;
    const int decimals = 2 - (exponent - 3 * thousands);
    const char *prefix = prefixes[thousands - LEAST];
    snprintf(text, MS_UNIT_BYTES, "%.*f%s%s%.24s",
             decimals < 0   ? 0
             : decimals > 2 ? 2
                            : decimals,
             value / pow(1000, thousands), prefix[0] || unit[0] ? " " : "", prefix, unit);
    return text;
}
