/* gen_header.h - one vendored header of `monosweep gen --target header`, or the plans of `--target plans`. */
#ifndef MS_CLI_HEADER_H
#define MS_CLI_HEADER_H

#include "cli/session.h"

typedef struct ms_header {
    const char *part;          /* of its file's name: "vulkan", "cuda", "plans" */
    ms_programs programs;      /* to be released also after a failure; they own the texts */
    const char *text, *source; /* source: of plans, the C file beside the header; NULL: none */
} ms_header;

/* DONE, or a code after a message. backends: bits, 1 << msw_backend_kind; one of them for a vendored header. */
ms_exit ms_header_make(const ms_options *options, msw_spec *spec, uint32_t backends, ms_header *header);

#endif
