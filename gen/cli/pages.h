/* pages.h - the command line's own Lua: functions of embedded modules that make texts. */
#ifndef MS_PAGES_H
#define MS_PAGES_H

#include "messages.h"

/* Calls `function` of the module "gen/cli/measure/page.lua", .. with two lists of `count` strings; gives its string, malloc'd. DONE, or `failed`
 * after its message. */
ms_exit ms_lua_make(const char *module, const char *function, const char *const *names, const char *const *texts, uint32_t count, ms_exit failed,
                    char **text, size_t *bytes);

#endif
