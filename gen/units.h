/* units.h - numbers for people: three digits that mean something, and the unit that fits. */
#ifndef MS_UNITS_H
#define MS_UNITS_H

enum { MS_UNIT_BYTES = 40 };

/* "12.3 GB/s" of 1.23e10 and "B/s", "259 us" of 2.59e-4 and "s", "1.50 k" of 1500 and ""; from n (nano) to P. Returns text. */
const char *ms_format_unit(double value, const char *unit, char text[MS_UNIT_BYTES]);

#endif
