/* values.h - what the flags' values mean. Each returns DONE, or USAGE after a message that names the flag. */
#ifndef MS_CLI_VALUES_H
#define MS_CLI_VALUES_H

#include "measure/data.h"
#include "options.h"

/* The target of that name, or NULL. */
const ms_target_name *ms_target_find(const char *name);

/* values ends with NULL. */
int ms_is_one_of(const char *value, const char *const *values);

ms_exit ms_parse_subgroup(const char *value, ms_options *options);
ms_exit ms_parse_backends(const char *value, uint32_t *backends);
ms_exit ms_parse_embed(const char *value, const char **embed);
ms_exit ms_parse_without(const char *flag, const char *value, uint32_t *without);
/* "optimum"; NULL: it is no msw_cut_method. */
const char *ms_cut_name(uint32_t cut);
ms_exit ms_parse_cut(const char *value, uint32_t *cut);
ms_exit ms_parse_progress(const char *value, uint32_t *progress);
ms_exit ms_parse_device(const char *value, const char **device);
ms_exit ms_parse_target(const char *value, const ms_target_name **target);
ms_exit ms_parse_arch(const char *value, char arch[16]);
ms_exit ms_parse_n(const char *value, const char **text);
ms_exit ms_parse_entropy(const char *value, const ms_entropy **entropy);
ms_exit ms_parse_budget(const char *value, double *seconds);
ms_exit ms_parse_rounds(const char *value, uint32_t *rounds);

#endif
