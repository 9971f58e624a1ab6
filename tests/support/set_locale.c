/* An application that has a locale of its own, as LC_ALL says: loaded before a test's program (LD_PRELOAD). The library never sets one. */
#include <locale.h>
#include <stdlib.h>

__attribute__((constructor)) static void set_locale(void)
{
    if (!setlocale(LC_ALL, "")) abort(); /* a test without its locale would pass for nothing */
}
