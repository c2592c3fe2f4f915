/* A starting step: the starting method in substeps so short that halving them changes velocities by at most
 * START_TOLERANCE, or by less than the resolution of configuration differences. */
#ifndef SYMLIE_STARTING_STEP_H
#define SYMLIE_STARTING_STEP_H

#if HAS_SWITCHES
#define SIGNS_OF_START (2LL * SWITCHES)
#else
#define SIGNS_OF_START 0
#endif

static inline long long starting_workspace(const symlie_problem *restrict P)
{
    return starter_step_workspace(P) + 4LL * DIMENSION + STORAGE + ROWS + SIGNS_OF_START;
}

/* Return whether a switching function has a different sign at the end of a step. */
static inline int is_over_switch(const symlie_problem *restrict P, symlie_real t, symlie_real h, const symlie_state *restrict state,
                                 const symlie_trial *restrict trial, symlie_real *restrict work)
{
#if HAS_SWITCHES
    ARRAY(before, SWITCHES);
    ARRAY(after, SWITCHES);
    system_switches(P, t, state->q, state->v, before);
    system_switches(P, t + h, trial->q, trial->v, after);
    return signs_differ(P, before, after);
#else
    (void)P, (void)t, (void)h, (void)state, (void)trial, (void)work;
    return 0;
#endif
}

/* Take the step in equal substeps by the starting method. */
static inline int take_parts(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h, int parts,
                             const symlie_control *restrict control, mass_matrix *restrict mass, const symlie_state *restrict state,
                             symlie_state *restrict at, symlie_real *restrict first, symlie_trial *restrict trial)
{
    symlie_whole evaluations = SYMLIE_WHOLE(0);
    copy(STORAGE, state->q, at->q);
    copy(DIMENSION, state->v, at->v);
    copy(ROWS, state->lambda, at->lambda);
    copy(DIMENSION, state->acceleration, at->acceleration);
    at->acceleration_is_valid = state->acceleration_is_valid;
    for (int part = 0; part < parts; part++) {
        const int status = starter_step(P, work, t + (symlie_scalar)part * (h / (symlie_scalar)parts), h / (symlie_scalar)parts, control, mass, at, trial);
        if (status != SYMLIE_DONE) return status;
        if (!all_finite(STORAGE, trial->q) || !all_finite(ROWS, trial->lambda)) return SYMLIE_NOT_FINITE;
        evaluations += trial->rhs_evaluations;
        if (part == 0) copy(DIMENSION, trial->first_acceleration, first);
        copy(STORAGE, trial->q, at->q);
        copy(DIMENSION, trial->v, at->v);
        copy(ROWS, trial->lambda, at->lambda);
        copy(DIMENSION, trial->acceleration, at->acceleration);
        at->acceleration_is_valid = trial->acceleration_is_valid;
    }
    copy(DIMENSION, first, trial->first_acceleration);
    trial->rhs_evaluations = evaluations;
    return SYMLIE_DONE;
}

/* Take a step in sufficiently short substeps; increment is scratch until the end. Across a switch, substeps do
 * not converge because of the jump: such a step may be inaccurate if it will be replaced by the step up to the
 * switch. */
static inline int take_starting_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                             const symlie_control *restrict control, mass_matrix *restrict mass, const symlie_state *restrict state,
                             symlie_real *restrict increment, symlie_trial *restrict trial)
{
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    ARRAY(lambda, ROWS);
    ARRAY(acceleration, DIMENSION);
    ARRAY(coarse, DIMENSION);
    symlie_state at = *state;
    at.q = q, at.v = v, at.lambda = lambda, at.acceleration = acceleration;
    int is_known = 0;
    for (int k = 0; k < DIMENSION; k++) increment[k] = SYMLIE_NUMBER(0);
    trial->is_rough = 0;
    for (int parts = 1; parts <= MOST_PARTS; parts *= 2) {
        const int status = take_parts(P, work, t, h, parts, control, mass, state, &at, increment, trial);
        if (status != SYMLIE_DONE && status != SYMLIE_NOT_FINITE && status != SYMLIE_OUTSIDE_CHART) return status;
        if (status == SYMLIE_DONE && is_known) {
            const symlie_real largest = largest_entry(DIMENSION, trial->v, largest_entry(DIMENSION, coarse, 0));
            for (int k = 0; k < DIMENSION; k++) coarse[k] -= trial->v[k];
            trial->is_rough = trial->may_be_rough && parts >= ROUGH_PARTS && is_over_switch(P, t, h, state, trial, work);
            const symlie_real tolerance = trial->is_rough ? ROUGH_START : START_TOLERANCE;
            const symlie_real unseen = ROUNDING * largest_entry(STORAGE, trial->q, 0) / h;
            if (largest_entry(DIMENSION, coarse, 0) <= symlie_maximum(tolerance * largest, unseen)) {
                trial->parts = parts;
                system_difference(P, state->q, trial->q, increment);
                keep_increment(P, increment, trial->increment);
                return SYMLIE_DONE;
            }
        }
        is_known = status == SYMLIE_DONE;
        if (is_known) copy(DIMENSION, trial->v, coarse);
    }
    return SYMLIE_NOT_CONVERGED;
}

#endif
