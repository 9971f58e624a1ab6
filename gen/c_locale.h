/* c_locale.h - the calling thread's locale while the library works: C's, whatever the application has set. Lua compares texts by strcoll, knows
 * letters by isalpha and numbers by the locale's decimal point; so do printf and the compilers. */
#ifndef MS_C_LOCALE_H
#define MS_C_LOCALE_H

#include <locale.h>

typedef struct ms_c_locale {
    locale_t own, before;
} ms_c_locale;

/* Without memory for it, which the C libraries do not need, the locale stays. */
static inline ms_c_locale ms_c_locale_enter(void)
{
    ms_c_locale entered = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (entered.own) entered.before = uselocale(entered.own);
    return entered;
}

static inline void ms_c_locale_leave(ms_c_locale entered)
{
    if (!entered.own) return;
    uselocale(entered.before);
    freelocale(entered.own);
}

#endif
