/* html_page.h - pages that the command line has written. */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

#include "cli_driver.h"

#include <ctype.h>

static inline int is_void(const char *name) { return !strcmp(name, "meta") || !strcmp(name, "br"); }

/* Every element is closed by its own end, in order, and texts have no bare & or <. */
static inline void check_page(const char *path)
{
    static const char *const references[] = {"http", "src=", "url(", "@import", "<script", "<link", "<img"};
    char open[64][32];
    int depth = 0;
    cli_file page = load_file(path);
    assert_non_null(page.data);
    for (size_t r = 0; r < sizeof references / sizeof *references; r++)
        if (strstr(page.data, references[r])) fail_msg("%s refers to something outside: %s", path, references[r]);
    assert_int_equal(strncmp(page.data, "<!DOCTYPE html>\n", 16), 0);
    for (const char *at = page.data + 16; *at; at++) {
        char name[32];
        if (*at == '&' && strncmp(at, "&amp;", 5) && strncmp(at, "&lt;", 4) && strncmp(at, "&gt;", 4) && strncmp(at, "&quot;", 6))
            fail_msg("a bare &: %.40s", at);
        if (*at != '<') continue;
        const int is_end = at[1] == '/';
        const char *start = at + 1 + is_end, *close = strchr(at, '>');
        size_t length = 0;
        assert_non_null(close);
        while (isalnum((unsigned char)start[length])) length++;
        if (!length || length >= sizeof name) fail_msg("a bare <: %.40s", at);
        memcpy(name, start, length);
        name[length] = '\0';
        if (is_end) {
            if (!depth || strcmp(open[--depth], name)) fail_msg("</%s> ends <%s>", name, open[depth]);
        } else if (close[-1] != '/' && !is_void(name)) {
            assert_true(depth < 64);
            strcpy(open[depth++], name);
        }
        at = close;
    }
    if (depth) fail_msg("<%s> has no end", open[depth - 1]);
    free(page.data);
}

static inline void expect_text(const char *path, const char *text)
{
    cli_file file = load_file(path);
    if (!file.data || !strstr(file.data, text)) fail_msg("%s has no \"%s\":\n%.2000s", path, text, file.data ? file.data : "(no file)");
    free(file.data);
}

#endif
