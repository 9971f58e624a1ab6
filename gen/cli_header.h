/* cli_header.h - one vendored header of `monosweep gen --target header`. */
#ifndef MS_CLI_HEADER_H
#define MS_CLI_HEADER_H

#include "cli.h"

typedef struct ms_header {
    const char *backend;  /* "vulkan" */
    ms_programs programs; /* to be released also after a failure; they own the text */
    const char *text;
} ms_header;

/* DONE, or a code after a message. backend: msw_backend_kind. */
ms_exit ms_header_make(const ms_options *options, msw_spec *spec, uint32_t backend, ms_header *header);

#endif
