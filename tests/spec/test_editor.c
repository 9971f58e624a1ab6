/* The annotations for editors and the reference say what the vocabulary has, no less and no more (tests/spec/editor.lua compares them). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "choices.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <monosweep/monosweep.h>
#include <string.h>

/* What a spec says of its globals: it can only do so by an error, "spec:1: {text}; ..". */
static const char *ask(const char *text, msw_diag *diag)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text};
    msw_spec *spec;
    assert_int_equal(msw_spec_create(&desc, &spec, diag), MSW_ERROR_SPEC);
    char *start = strchr(diag->message, '{'), *end = strchr(diag->message, '}');
    if (!start || !end) fail_msg("%s", diag->message);
    *end = '\0';
    return start + 1;
}

static void test_annotations(void **state)
{
    msw_diag globals, absent;
    lua_State *L = luaL_newstate();
    (void)state;
    assert_non_null(L);
    luaL_openlibs(L);
    if (luaL_loadfile(L, MSW_SOURCE_DIR "/tests/spec/editor.lua")) fail_msg("%s", lua_tostring(L, -1));
    lua_pushstring(L, MSW_SOURCE_DIR);
    lua_pushstring(
        L, ask("local names = {} for name in pairs(_G) do names[#names + 1] = name end error('{' .. table.concat(names, ' ') .. '}')", &globals));
    lua_pushstring(
        L,
        ask("local names = {} for name, f in pairs(_G) do\n"
            "  local ok, message = pcall(f) if not ok and tostring(message):find('not in this version', 1, true) then names[#names + 1] = name end\n"
            "end error('{' .. table.concat(names, ' ') .. '}')",
            &absent));
    lua_pushliteral(L, "");
    for (const ms_knob *knob = ms_knobs; knob->name; knob++) {
        if (!(knob->traits & MS_KNOB_IN_SPECS)) continue;
        lua_pushfstring(L, "%s %s", lua_tostring(L, -1), knob->name);
        lua_remove(L, -2);
    }
    if (lua_pcall(L, 4, 1, 0)) fail_msg("%s", lua_tostring(L, -1));
    if (*lua_tostring(L, -1)) fail_msg("editor/monosweep.lua, docs/spec-reference.md:\n%s", lua_tostring(L, -1));
    lua_close(L);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_annotations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
