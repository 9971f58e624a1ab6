/* items.c - where a spec's text has a name alone as an item of a table: `{ kind = exclusive }`. Lua drops such an item without a word when the
 * name has no value. */
#include "sandbox.h"

#include <lauxlib.h>
#include <string.h>

enum { MAX_DEPTH = 1024 }; /* Lua's parser refuses 200 levels of its own */

/* The text, token by token. */
typedef struct scanner {
    const char *at, *end;
    const char *token; /* the last one */
    size_t bytes;
    int line; /* it begins on */
} scanner;

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); }
static int is_one_of(char c, const char *set) { return c && strchr(set, c) != NULL; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int token_is(const scanner *s, const char *word) { return s->bytes == strlen(word) && !memcmp(s->token, word, s->bytes); }

/* Steps over [[..]], [=[..]=] and the like; 0: there is none. */
static int skip_long(scanner *s)
{
    const char *open = s->at + 1;
    while (open < s->end && *open == '=') open++;
    if (open >= s->end || *open != '[') return 0;
    const size_t level = (size_t)(open - s->at) - 1;
    for (s->at = open; s->at < s->end; s->at++) {
        s->line += *s->at == '\n';
        if (*s->at != ']' || (size_t)(s->end - s->at) < level + 2 || s->at[level + 1] != ']') continue;
        size_t equal = 0;
        while (equal < level && s->at[equal + 1] == '=') equal++;
        if (equal < level) continue;
        s->at += level + 2;
        return 1;
    }
    return 1;
}

static void skip_quoted(scanner *s)
{
    const char quote = *s->at++;
    while (s->at < s->end && *s->at != quote) {
        if (*s->at == '\\' && s->at + 1 < s->end) s->at++;
        s->line += *s->at++ == '\n';
    }
    if (s->at < s->end) s->at++;
}

static void skip_blanks(scanner *s)
{
    while (s->at < s->end) {
        if (is_one_of(*s->at, " \t\r\n\v\f")) {
            s->line += *s->at++ == '\n';
        } else if (s->end - s->at > 1 && s->at[0] == '-' && s->at[1] == '-') {
            s->at += 2;
            if (s->at < s->end && *s->at == '[' && skip_long(s)) continue;
            while (s->at < s->end && *s->at != '\n') s->at++;
        } else {
            return;
        }
    }
}

/* 0: the text has ended. Numbers and signs may come in pieces: only names, brackets and what separates items matter. */
static int next_token(scanner *s)
{
    skip_blanks(s);
    s->token = s->at;
    if (s->at == s->end) return 0;
    if (is_letter(*s->at)) {
        while (s->at < s->end && (is_letter(*s->at) || is_digit(*s->at))) s->at++;
    } else if (is_digit(*s->at)) {
        while (s->at < s->end && (is_letter(*s->at) || is_digit(*s->at) || *s->at == '.')) s->at++;
    } else if (*s->at == '"' || *s->at == '\'') {
        skip_quoted(s);
    } else if (*s->at != '[' || !skip_long(s)) {
        const int is_comparison = s->end - s->at > 1 && is_one_of(s->at[0], "=~<>") && s->at[1] == '=';
        s->at += is_comparison ? 2 : 1;
    }
    s->bytes = (size_t)(s->at - s->token);
    return 1;
}

/* What is open where a token stands: brackets, and blocks that `end` or `until` closes. */
typedef struct nesting {
    char open[MAX_DEPTH];
    size_t depth;
} nesting;

static void follow(nesting *n, const scanner *s)
{
    static const char *const blocks[] = {"function", "do", "if", "repeat"};
    const char first = *s->token;
    int opens = s->bytes == 1 && is_one_of(first, "({[");
    const int closes = (s->bytes == 1 && is_one_of(first, ")}]")) || token_is(s, "end") || token_is(s, "until");
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) opens |= token_is(s, blocks[i]);
    if (opens && n->depth < MAX_DEPTH) n->open[n->depth++] = first;
    if (closes && n->depth) n->depth--;
}

/* Whether the name stands alone as an item on that line. *key: what it is to be the value of, `"key ="`, NULL: a place in a list. */
static int is_item(const ms_sandbox *sandbox, int line, const char *name, const char **key, size_t *key_bytes)
{
    scanner s = {.at = sandbox->text, .end = sandbox->text + sandbox->text_bytes, .line = 1};
    nesting n = {.depth = 0};
    const char *before = NULL, *two_before = NULL; /* the tokens before this one */
    size_t two_before_bytes = 0, before_bytes = 0;
    while (next_token(&s)) {
        const int can_begin = n.depth && n.open[n.depth - 1] == '{' && before && before_bytes == 1 && is_one_of(*before, "={,;");
        if (can_begin && s.line == line && token_is(&s, name)) {
            scanner ahead = s;
            if (next_token(&ahead) && ahead.bytes == 1 && is_one_of(*ahead.token, ",;}")) {
                *key = *before == '=' ? two_before : NULL;
                *key_bytes = two_before_bytes;
                return 1;
            }
        }
        follow(&n, &s);
        two_before = before, two_before_bytes = before_bytes;
        before = s.token, before_bytes = s.bytes;
    }
    return 0;
}

/* is_item(name) -> false, or true and the key that it is to be the value of, if any. On the line that runs. */
static int c_is_item(lua_State *L)
{
    const ms_sandbox *sandbox = ms_sandbox_of(L);
    const char *name = luaL_checkstring(L, 1), *key = NULL;
    size_t key_bytes = 0;
    const int is = sandbox->text && is_item(sandbox, ms_sandbox_line(L), name, &key, &key_bytes);
    ms_sandbox_check_time(L);
    lua_pushboolean(L, is);
    if (!is || !key || key_bytes > 64) return 1;
    lua_pushlstring(L, key, key_bytes);
    return 2;
}

void ms_push_items(lua_State *L)
{
    lua_pushcfunction(L, c_is_item);
    lua_setfield(L, -2, "is_item");
}
