/* public_functions.h - the names of the functions that the public headers declare. Include after cmocka.h. */
#ifndef PUBLIC_FUNCTIONS_H
#define PUBLIC_FUNCTIONS_H

#include <stdio.h>
#include <string.h>

static const char *const public_headers[] = {"monosweep.h", "monosweep_measure.h", "monosweep_plan.h", "monosweep_vulkan.h", "monosweep_cuda.h"};
enum { PUBLIC_HEADERS = sizeof public_headers / sizeof *public_headers };

/* Calls with each, and returns how many there are. */
static inline int for_public_functions(void (*with)(void *user, const char *name), void *user)
{
    int count = 0;
    for (int h = 0; h < PUBLIC_HEADERS; h++) {
        char line[1024], name[256];
        FILE *file;
        snprintf(line, sizeof line, "%s/include/monosweep/%s", MSW_SOURCE_DIR, public_headers[h]);
        file = fopen(line, "r");
        assert_non_null(file);
        while (fgets(line, sizeof line, file)) {
            const char *call = strncmp(line, "MSW_API ", 8) == 0 ? strstr(line, "msw_") : NULL;
            char *parenthesis = strchr(line, '(');
            for (const char *next = call; next && parenthesis && next < parenthesis; next = strstr(next + 1, "msw_")) call = next;
            if (call && parenthesis && sscanf(call, "%255[a-z0-9_](", name) == 1) with(user, name), count++;
        }
        fclose(file);
    }
    return count;
}

#endif
