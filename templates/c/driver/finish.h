/* A step of the time loop: attempt of the method or of its composition, projection, acceptance. The first stage of a
 * rejected step is reused. */
#ifndef SYMLIE_FINISH_H
#define SYMLIE_FINISH_H

#include "trial.h"
#include "projection.h"

/* Replace the multipliers of redundant constraints by the solution of minimal norm. The hidden constraints must be
 * consistent. */
static inline int minimise_multipliers(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real end,
                                       const symlie_control *restrict control, mass_matrix *restrict mass, symlie_trial *restrict trial)
{
#if PROBES
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    ARRAY(b, ROWS);
    system_jacobian(P, end, trial->q, trial->v, B);
    if (!find_dependent_rows(P, B, mass)) return SYMLIE_NOT_FINITE;
    hidden_residual(P, end, trial->q, B, trial->v, 0, b, c);
    const symlie_real speed = largest_entry(DIMENSION, trial->v, SYMLIE_NUMBER(1));
    if (contradicts(P, mass, c, RANK_LIMIT * speed)) return SYMLIE_CONSTRAINT_DRIFT;
    /* Equations that were dependent at the start of the step may be independent at its end. */
    if (control->hidden_limit > 0 && !(largest_entry(ROWS, c, 0) <= control->hidden_limit * speed)) return SYMLIE_CONSTRAINT_DRIFT;
    take_minimal_multipliers(P, mass, trial->lambda);
    trial->dependent_rows = mass->dependent_rows;
#endif
    return SYMLIE_DONE;
}

/* Project the state at the end of a step and minimise the multipliers, if requested. */
static inline int finish_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real end,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    const int status = project_end(P, work, t, end, control, mass, state, trial);
    return status != SYMLIE_DONE ? status : minimise_multipliers(P, work, end, control, mass, trial);
}

/* Replace the multipliers at the end of a step of any length by those of the acceleration-level system: explicit and
 * implicit steps divide hidden constraints by the length, which amplifies rounding in short ones. The scratch vector has
 * the size of v. */
static inline int renew_multipliers(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real end, mass_matrix *restrict mass,
                                    symlie_trial *restrict trial, symlie_real *restrict scratch)
{
#if CONSTRAINED && !POLYNOMIAL
    return index1_acceleration(P, work, end, trial->q, trial->v, mass, scratch, trial->lambda);
#else
    (void)P, (void)work, (void)end, (void)mass, (void)trial, (void)scratch;
    return SYMLIE_DONE;
#endif
}

/* Store the first stage of a rejected step: it depends on the state, not on the step size. */
static inline void keep_first_stage(const symlie_problem *restrict P, symlie_state *restrict state,
                                    const symlie_trial *restrict trial)
{
    if (trial->rhs_evaluations == 0) return;
    copy(DIMENSION, trial->first_acceleration, state->acceleration);
    state->acceleration_is_valid = 1;
}

/* Set the time of a state. Its derivatives vanish except at events and moving jumps of inputs: the ends of all other steps
 * are constant. */
static inline void set_time(symlie_state *restrict state, symlie_real t)
{
    state->t = SYMLIE_VALUE(t);
#if HAS_TANGENTS
    *state->time = t;
#endif
}

/* Replace the state by the state at the end of the step: exchange or copy the arrays. */
static inline void accept(const symlie_problem *restrict P, int exchanges, symlie_state *restrict state, symlie_real t,
                          symlie_trial *restrict trial)
{
    if (exchanges) {
        exchange(&trial->q, &state->q);
        exchange(&trial->v, &state->v);
        exchange(&trial->lambda, &state->lambda);
        if (trial->acceleration_is_valid) exchange(&trial->acceleration, &state->acceleration);
    } else {
        copy(STORAGE, trial->q, state->q);
        copy(DIMENSION, trial->v, state->v);
        copy(ROWS, trial->lambda, state->lambda);
        if (trial->acceleration_is_valid) copy(DIMENSION, trial->acceleration, state->acceleration);
    }
    copy(CARRIED, trial->carried, state->carried);
    copy(OWN - (KEEPS_FACTORS ? (int)trial->own_rest : 0), trial->own, state->own);
    state->own_is_valid = 1;
    state->acceleration_is_valid = trial->acceleration_is_valid;
#if CONSTRAINED
    if (trial->largest_constraint > state->largest_constraint) state->largest_constraint = SYMLIE_VALUE(trial->largest_constraint);
    if (trial->largest_velocity > state->largest_velocity) state->largest_velocity = SYMLIE_VALUE(trial->largest_velocity);
#endif
    if (PROBES > 0 && trial->dependent_rows != state->dependent_rows) {
        state->dependent_rows = trial->dependent_rows;
        state->rank_changes++;
    }
    /* The step after a projection is also checked, since it starts without the v' shared by lanes. */
    state->surprises = trial->is_moved;
    count_order(trial->order, state);
    set_time(state, t);
    state->step++;
    state->steps++;
}

/* Copy the values of a state back to their original array. */
static inline void bring_back(int n, symlie_real *restrict own, symlie_real **now)
{
    if (*now != own) copy(n, *now, own);
    *now = own;
}

/* Attempt a step of the method, or of its composition, without projection. */
static inline int try_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                           const symlie_control *restrict control, mass_matrix *restrict mass,
                           symlie_state *restrict state, symlie_trial *restrict trial)
{
    trial->error = SYMLIE_NUMBER(0);
    trial->rhs_evaluations = 0;
    begin_counts(trial);
    if (CHOOSES_ORDER) trial->planned = fmin(state->h, control->h_max);
    const int status = composed_step(P, work, t, h, control, mass, state, trial);
    state->rhs_evaluations += trial->rhs_evaluations;
    count_newton(SYMLIE_VALUE(t), &trial->newton, 0, state);
    return status;
}

#endif
