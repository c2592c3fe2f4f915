/* A step of the method with checks of its result: it must be finite and satisfy the constraints. */
#ifndef SYMLIE_TRIAL_H
#define SYMLIE_TRIAL_H

/* Initialise the method history at the start of a run and after a jump. */
static inline int begin_method(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_control *restrict control, mass_matrix *restrict mass,
                               symlie_state *restrict state)
{
#if HAS_OWN_STATE
    if (!state->own_is_valid) {
        const int status = method_begin(P, work, t, h, control, mass, state, state->own);
        if (status != SYMLIE_DONE) return status;
        state->own_is_valid = 1;
    }
#endif
    return SYMLIE_DONE;
}

/* Reset the statistics; methods without iterations leave them at zero. */
static inline void begin_counts(symlie_trial *restrict trial)
{
    if (CHOOSES_ORDER) trial->order = SYMLIE_WHOLE(0);
#ifdef SYMLIE_NEWTON_H
    trial->newton = (newton_counts)NO_COUNTS;
#endif
}

/* Add the Newton statistics of a lane in a step that starts at t, for methods with iterations. */
static inline void count_newton(symlie_scalar t, const newton_counts *restrict counts, int lane, symlie_state *restrict state)
{
#ifdef SYMLIE_NEWTON_H
    const long long iterations = SYMLIE_OF_LANE(counts->iterations, lane);
    state->newton_iterations += iterations;
    state->jacobians += SYMLIE_OF_LANE(counts->jacobians, lane);
    state->factorisations += SYMLIE_OF_LANE(counts->factorisations, lane);
    state->back_substitutions += SYMLIE_OF_LANE(counts->back_substitutions, lane);
    state->refreshes += SYMLIE_OF_LANE(counts->refreshes, lane);
    state->halvings += SYMLIE_OF_LANE(counts->halvings, lane);
    state->rounding_floor += SYMLIE_OF_LANE(counts->rounding_floor, lane);
    if (SYMLIE_UNLIKELY(iterations > state->most_newton_iterations)) {
        state->most_newton_iterations = iterations;
        state->slowest_step = t;
        state->slowest_entry = SYMLIE_OF_LANE(counts->slowest, lane);
    }
#endif
}

/* Count an accepted step by its order, for variable-order methods. */
static inline void count_order(long long order, symlie_state *restrict state)
{
#if CHOOSES_ORDER
    long long *const counts[] = {&state->steps_of_order_1, &state->steps_of_order_2, &state->steps_of_order_3,
                                 &state->steps_of_order_4, &state->steps_of_order_5};
    ++*counts[order - 1];
#endif
}

static inline int single_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
#if VALUES_FIRST
    const int failed = take_values(P, t, h, control, state, trial);
    if (SYMLIE_UNLIKELY(failed != SYMLIE_DONE)) return failed;
#endif
    const int status = method_step(P, work, t, h, control, mass, state, trial);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    if (SYMLIE_UNLIKELY(!is_finite(P, trial))) return SYMLIE_NOT_FINITE;
    /* Polynomial methods compute angles themselves. */
    if (POLYNOMIAL) return SYMLIE_DONE;
    return turn_angles(P, work, t, h, state->q, state->v, trial->q, trial->v) ? SYMLIE_DONE : SYMLIE_TURNED_TOO_FAR;
}

#if SUBSTEPS
#include "substeps.h"
#else
#define composed_step single_step
#define substep_workspace(P) 0
#endif

#endif
