/* Any text as a table that bench wrote, for its page and as JSON: they are made, or what is wrong is told with its line. */
#include "complaint.h"
#include "outcome.h"

#include "cli/pages.h"

/* 1 when it was made and has this beginning and end. */
static int make(const char *function, const char *text, const char *first, const char *last)
{
    static const char *const names[] = {"fuzz.csv"};
    size_t bytes = 0;
    char *made = NULL;
    if (ms_lua_make("gen/cli/measure/page.lua", function, names, &text, 1, MS_EXIT_FAILED, &made, &bytes)) {
        if (strncmp(complaint, "fuzz.csv:", 9) || !strstr(complaint, "; ")) abort();
        return 0;
    }
    if (strlen(made) != bytes || bytes < strlen(last) || strncmp(made, first, strlen(first)) || strcmp(made + bytes - strlen(last), last)) abort();
    if (strstr(made, "nan") && !strstr(text, "nan")) abort(); /* of numbers that were none */
    free(made);
    return 1;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    if (!text) abort();
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    const int is_report = !strncmp(text, "# report.", 9) || strstr(text, "\n# report.") != NULL; /* then JSON may be an object */
    if (make("page", text, "<!DOCTYPE html>", "</html>\n") != make("json", text, is_report ? "" : "[", is_report ? "\n" : "]\n")) abort();
    free(text);
    return 0;
}
