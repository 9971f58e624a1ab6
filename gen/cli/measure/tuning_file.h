/* tuning_file.h - a user's tuning table: checked, and rewritten with rows more. */
#ifndef MS_TUNING_FILE_H
#define MS_TUNING_FILE_H

#include "cli/messages.h"

/* Each returns DONE, or a code after a message. A table that is not there has no rows. */

/* Whether a table's text has rows that can be, or says nothing; path: what messages call it. */
ms_exit ms_table_judge(const char *path, const char *text);
/* Whether it can be read, and written: directories that it needs are made. */
ms_exit ms_table_check(const char *path);
/* Its text (malloc'd) with the rows in the place of those for the same. */
ms_exit ms_table_with(const char *path, const char *rows, char **text, size_t *bytes);
/* Writes that; others who do the same at this moment wait, and lose nothing. */
ms_exit ms_table_update(const char *path, const char *rows);

#endif
