/* What main.c needs besides main_data.h: the plan of an integration, and the state as one line. */
#ifndef SYMLIE_MAIN_STEPS_H
#define SYMLIE_MAIN_STEPS_H

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "constants.h"

/* Equal steps from a to b of at most the size h. */
static inline long long steps_between(symlie_real a, symlie_real b, symlie_real h)
{
    const symlie_real ratio = (b - a) / h, nearest = rint(ratio);
    if (nearest >= 1 && fabs(ratio - nearest) <= GRID_TOLERANCE * ratio) return (long long)nearest;
    return ratio > 1 ? (long long)ceil(ratio) : 1;
}

/* Segments from 0 to the end, between the times that must be ends of steps. */
static inline symlie_plan plan_until(symlie_real end, symlie_real h)
{
    static symlie_real starts[BREAKPOINTS + 1], ends[BREAKPOINTS + 1];
    static long long steps[BREAKPOINTS + 1];
    static unsigned char record_end[BREAKPOINTS + 1], restarts[BREAKPOINTS + 1];
    int n = 0;
    for (int k = 0; k < BREAKPOINTS && breakpoint[k] < end; k++) {
        if (breakpoint[k] < 0) continue;
        /* An end so near after a jump has the state at the jump. */
        if (!(after_breakpoint[k] < end)) {
            end = breakpoint[k];
            break;
        }
        ends[n] = breakpoint[k];
        if (breakpoint[k] > 0) restarts[++n] = after_breakpoint[k] > breakpoint[k] ? JUMP : KINK;
        starts[n] = after_breakpoint[k];
    }
    ends[n++] = end;
    for (int k = 0; k < n; k++) steps[k] = steps_between(starts[k], ends[k], h);
    const symlie_plan plan = {.segments = n, .start = starts, .end = ends, .steps = steps, .record_end = record_end, .restarts = restarts,
                              .budget = LLONG_MAX, .control = &control};
    return plan;
}

/* Integrate to the end of the plan, or to an event that ends the motion; a symlie_status. */
static inline int integrate(const symlie_plan *plan)
{
    int status;
    do {
        record.events = 0;
        status = symlie_integrate(&problem, &state, plan, &record);
    } while (status == SYMLIE_BUFFER_FULL || status == SYMLIE_BUDGET); /* also where the rank of constraints changes */
    return status == SYMLIE_EVENT ? SYMLIE_DONE : status;
}

static inline void print_state(void)
{
    printf("%.17g", state.t);
    for (long long k = 0; k < problem.storage; k++) printf(" %.17g", state.q[k]);
    for (long long k = 0; k < problem.dimension; k++) printf(" %.17g", state.v[k]);
    for (long long k = 0; k < problem.rows; k++) printf(" %.17g", state.lambda[k]);
    printf("\n");
}

#endif
