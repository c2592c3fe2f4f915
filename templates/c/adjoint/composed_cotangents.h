/* Adjoint of a composed step, whose substeps are repeated; see substeps.h. Included after the adjoint of a substep. */
#ifndef SYMLIE_COMPOSED_COTANGENTS_H
#define SYMLIE_COMPOSED_COTANGENTS_H

#include "trial.h"

#define SUBSTEP_STATE (STORAGE + 2 * DIMENSION + ROWS + OWN)

static inline long long adjoint_step_workspace(const symlie_problem *restrict P)
{
    const long long of_step = step_workspace(P) + carried_workspace(P) + trial_workspace(P), of_adjoint = adjoint_substep_workspace(P);
    return SUBSTEPS * (long long)SUBSTEP_STATE + 2 * (3LL * DIMENSION + ROWS + OWN) +
           (of_step > of_adjoint ? of_step : of_adjoint);
}

/* Place cotangents in memory. */
static inline symlie_cotangents substep_cotangents(const symlie_problem *restrict P, symlie_gradient gradient, symlie_real *restrict memory)
{
    symlie_cotangents found = {.q = memory, .v = memory + DIMENSION, .acceleration = memory + 2 * DIMENSION};
    found.lambda = found.acceleration + DIMENSION, found.own = found.lambda + ROWS, found.gradient = gradient;
    (void)P;
    return found;
}

static inline void copy_cotangents(const symlie_problem *restrict P, const symlie_cotangents *from, symlie_cotangents *to)
{
    copy(DIMENSION, from->q, to->q);
    copy(DIMENSION, from->v, to->v);
    copy(DIMENSION, from->acceleration, to->acceleration);
    copy(ROWS, from->lambda, to->lambda);
    copy(OWN, from->own, to->own);
}

/* Take a substep from one state to the next. */
static inline int take_substep(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h, int i,
                               const symlie_control *restrict control, mass_matrix *restrict mass, const symlie_state *restrict from,
                               symlie_state *restrict to)
{
    TRIAL(substep);
    const int status = single_step(P, work, t + SUBSTEP_START[i] * h, SUBSTEP[i] * h, control, mass, from, &substep);
    if (status == SYMLIE_DONE) go_on_in_step(P, &substep, to);
    return status;
}

static inline int adjoint_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_control *restrict control, mass_matrix *restrict masses, const symlie_state *restrict state,
                               const symlie_real *restrict ended, const symlie_cotangents *after, symlie_cotangents *start)
{
    ARRAY(memory, SUBSTEPS *SUBSTEP_STATE);
    ARRAY(end_memory, 3 * DIMENSION + ROWS + OWN);
    ARRAY(start_memory, 3 * DIMENSION + ROWS + OWN);
    symlie_cotangents end = substep_cotangents(P, start->gradient, end_memory), begin = substep_cotangents(P, start->gradient, start_memory);
    symlie_state at[SUBSTEPS];
    at[0] = *state;
    for (int i = 1; i < SUBSTEPS; i++) {
        at[i] = *state;
        at[i].q = memory + (i - 1) * SUBSTEP_STATE, at[i].v = at[i].q + STORAGE, at[i].acceleration = at[i].v + DIMENSION;
        at[i].lambda = at[i].acceleration + DIMENSION, at[i].own = at[i].lambda + ROWS;
        const int status = take_substep(P, work, t, h, i - 1, control, masses, at + i - 1, at + i);
        if (status != SYMLIE_DONE) return status;
    }
    copy_cotangents(P, after, &end);
    for (int i = SUBSTEPS; i-- > 0;) {
        const symlie_real *restrict later = i + 1 < SUBSTEPS ? at[i + 1].own : ended;
        fill_zero(DIMENSION, begin.acceleration);
        const int status = adjoint_substep(P, work, t + SUBSTEP_START[i] * h, SUBSTEP[i] * h, control, masses, at + i, later, &end, &begin);
        if (status != SYMLIE_DONE) return status;
        copy_cotangents(P, &begin, &end);
    }
    copy_cotangents(P, &end, start);
    return SYMLIE_DONE;
}

#endif
