/* cuts.h - what the model of cuts (cut/cut.h) predicts of a pipeline on a device. */
#ifndef MS_CUTS_H
#define MS_CUTS_H

#include "spec/written.h"

/* What is predicted for: a target that has been read, with the constants of its device. */
typedef struct ms_cut_place {
    const msw_target *target;
    const char *tuning, *tuning_name; /* the text of a user's table, whose rows come first; NULL: none */
    ms_cut_device device;
    const char *note; /* the row that the device's constants are of; NULL: none serves it */
} ms_cut_place;

/* Fills device and note, in the arena. Errors: OUT_OF_MEMORY; INVALID_ARGUMENT (of the table, with its line). */
msw_result ms_cuts_find_device(ms_arena *arena, ms_cut_place *place, msw_diag *diag);

#endif
