/* Functions of main.c: the plan of an integration, and the output of a state as one line. */
#ifndef SYMLIE_MAIN_STEPS_H
#define SYMLIE_MAIN_STEPS_H

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "constants.h"

/* Number of equal steps from a to b with step size at most h. */
static inline long long steps_between(symlie_real a, symlie_real b, symlie_real h)
{
    const symlie_real ratio = (b - a) / h, nearest = rint(ratio);
    if (nearest >= 1 && fabs(ratio - nearest) <= GRID_TOLERANCE * ratio) return (long long)nearest;
    return ratio > 1 ? (long long)ceil(ratio) : 1;
}

/* A stop time, and the start time of the next step. */
typedef struct {
    symlie_real t, after;
} symlie_breakpoint;

#define BYTES_OF_SEGMENT (sizeof(symlie_breakpoint) + 2 * sizeof(symlie_real) + sizeof(long long) + 2)

/* Index of the period of a repeated breakpoint that contains a time; the period stored in the table has index 0. */
static inline long long period_of(int k, symlie_real t)
{
    return (long long)floor((t - repeated_breakpoint[k]) / breakpoint_period[k]);
}

static inline long long most_segments(symlie_real end)
{
    long long count = BREAKPOINTS + 1;
    for (int k = 0; k < REPEATED; k++) count += period_of(k, end) - period_of(k, 0) + 3;
    return count;
}

static inline int by_time(const void *a, const void *b)
{
    const symlie_real first = ((const symlie_breakpoint *)a)->t, second = ((const symlie_breakpoint *)b)->t;
    return (first > second) - (first < second);
}

/* Compute all breakpoints in order, including those of periodic tables in each period. A breakpoint that lies before
 * the start of the step after its predecessor is merged with it. Return the number of breakpoints. */
static inline long long breakpoints_until(symlie_real end, symlie_breakpoint *restrict found)
{
    long long n = 0, merged = 0;
    for (int k = 0; k < BREAKPOINTS; k++) found[n++] = (symlie_breakpoint){breakpoint[k], after_breakpoint[k]};
    for (int k = 0; k < REPEATED; k++)
        for (long long i = period_of(k, 0) - 1; i <= period_of(k, end) + 1; i++) {
            const symlie_real later = (symlie_real)i * breakpoint_period[k];
            found[n++] = (symlie_breakpoint){repeated_breakpoint[k] + later, after_repeated_breakpoint[k] + later};
        }
    qsort(found, (size_t)n, sizeof *found, by_time);
    for (long long i = 0; i < n; i++) {
        symlie_breakpoint *restrict last = found + merged - 1;
        const symlie_real t = found[i].t, after = found[i].after;
        if (merged && (t <= last->t || t - last->after < TIME_RESOLUTION * fmax(fabs(t), fabs(last->t))))
            last->after = fmax(last->after, after);
        else
            found[merged++] = (symlie_breakpoint){t, after};
    }
    return merged;
}

/* Divide the time from 0 to the end into segments at the breakpoints; the segments are stored in memory of
 * most_segments. */
static inline symlie_plan plan_until(symlie_real end, symlie_real h, void *memory)
{
    const long long most = most_segments(end);
    symlie_breakpoint *at = memory;
    symlie_real *starts = (symlie_real *)(at + most), *ends = starts + most;
    long long *steps = (long long *)(ends + most);
    unsigned char *record_end = (unsigned char *)(steps + most), *restarts = record_end + most;
    const long long count = breakpoints_until(end, at);
    long long n = 0;
    for (long long k = 0; k < count && at[k].t < end; k++) {
        if (at[k].t < 0) continue;
        /* If the end lies directly after a jump, the final state is the one at the jump. */
        if (!(at[k].after < end)) {
            end = at[k].t;
            break;
        }
        ends[n] = at[k].t;
        if (at[k].t > 0) restarts[++n] = at[k].after > at[k].t ? JUMP : KINK;
        starts[n] = at[k].after;
    }
    ends[n++] = end;
    for (long long k = 0; k < n; k++) steps[k] = steps_between(starts[k], ends[k], h);
    const symlie_plan plan = {.segments = n, .start = starts, .end = ends, .steps = steps, .record_end = record_end, .restarts = restarts,
                              .budget = LLONG_MAX, .control = &control};
    return plan;
}

/* Integrate to the end of the plan or to a terminal event; return a symlie_status. */
static inline int integrate(const symlie_plan *plan)
{
    int status;
    do {
        record.events = 0;
        status = symlie_integrate(&problem, &state, plan, &record);
    } while (status == SYMLIE_BUFFER_FULL || status == SYMLIE_BUDGET); /* also after rank changes of the constraints */
    return status == SYMLIE_EVENT || status == SYMLIE_ACCUMULATION ? SYMLIE_DONE : status;
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
