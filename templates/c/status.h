/* What an integration reports. */
#ifndef SYMLIE_STATUS_H
#define SYMLIE_STATUS_H

enum symlie_status {
    SYMLIE_DONE = 0,
    SYMLIE_BUFFER_FULL = 1,
    SYMLIE_BUDGET = 2,
    SYMLIE_NOT_FINITE = 3,
    SYMLIE_SINGULAR = 4,
    SYMLIE_OUTSIDE_CHART = 5,
    SYMLIE_EVENT = 6,
    SYMLIE_STEP_UNDERFLOW = 7,
    SYMLIE_NOT_CONVERGED = 8
};

#endif
