/* uniforms.h - the values of uniforms, as --uniform gives them. */
#ifndef MS_CLI_UNIFORMS_H
#define MS_CLI_UNIFORMS_H

#include "cli/io/array.h"
#include "cli/options.h"

/* Each returns DONE, or a code after a message. */
/* Whether each --uniform names one of an operation from first to end - 1, and has a value of its type. are_needed: and all have values. */
ms_exit ms_uniforms_check(const ms_options *options, const msw_spec *spec, uint32_t first, uint32_t end, int are_needed);
/* Whether --uniform gives it. */
int ms_uniform_is_given(const ms_options *options, const char *name);
/* The value of the operation's buffer b, which is a uniform. */
ms_exit ms_uniform_read(const ms_options *options, const msw_op_info *info, uint32_t b, ms_array *array);

/* Whether buffer b is the number of segments, one less than there are offsets: nobody needs to give it. */
int ms_counts_segments(const msw_op_info *info, uint32_t b);
/* Elements in buffer b of an operation over n elements, by the uniforms that `arrays` has. */
uint64_t ms_array_elements(const msw_op_info *info, const ms_array *arrays, uint32_t b, uint64_t n);
/* Those of so many elements that are read or written at the most: of a scattered output one for each of the n. */
uint64_t ms_moved_elements(const msw_op_buffer *buffer, uint64_t n, uint64_t elements);

#endif
