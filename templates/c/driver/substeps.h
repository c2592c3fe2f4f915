/* A composed step: SUBSTEPS steps of the method, some of them backwards, with lengths SUBSTEP[i] h and start times
 * SUBSTEP_START[i] h. Newton statistics are summed. See symlie/runtime/methods/self_adjoint.py. */
#ifndef SYMLIE_SUBSTEPS_H
#define SYMLIE_SUBSTEPS_H

#if KEEPS_FACTORS
#error "factors that are kept over steps belong to steps of one length"
#endif

static inline long long substep_workspace(const symlie_problem *restrict P)
{
    return STORAGE + 2LL * DIMENSION + ROWS + OWN + INCREMENTS;
}

/* Start the next substep at the end of the previous one. */
static inline void go_on_in_step(const symlie_problem *restrict P, const symlie_trial *restrict trial, symlie_state *restrict at)
{
    copy(STORAGE, trial->q, at->q);
    copy(DIMENSION, trial->v, at->v);
    copy(ROWS, trial->lambda, at->lambda);
    if (trial->acceleration_is_valid) copy(DIMENSION, trial->acceleration, at->acceleration);
    copy(OWN, trial->own, at->own);
    at->acceleration_is_valid = trial->acceleration_is_valid;
}

static inline int composed_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                                const symlie_control *restrict control, mass_matrix *restrict mass,
                                const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    ARRAY(lambda, ROWS);
    ARRAY(acceleration, DIMENSION);
    ARRAY(own, OWN);
    ARRAY(increment, INCREMENTS);
    symlie_state at = *state;
    at.q = q, at.v = v, at.lambda = lambda, at.acceleration = acceleration, at.own = own;
    copy(STORAGE, state->q, q);
    copy(DIMENSION, state->v, v);
    copy(ROWS, state->lambda, lambda);
    copy(DIMENSION, state->acceleration, acceleration);
    copy(OWN, state->own, own);
    for (int k = 0; k < INCREMENTS; k++) increment[k] = SYMLIE_NUMBER(0);
    for (int i = 0; i < SUBSTEPS; i++) {
        if (i) go_on_in_step(P, trial, &at);
        const int status = single_step(P, work, t + SUBSTEP_START[i] * h, SUBSTEP[i] * h, control, mass, &at, trial);
        if (status != SYMLIE_DONE) return status;
        for (int k = 0; k < INCREMENTS; k++) increment[k] += trial->increment[k];
    }
    copy(INCREMENTS, increment, trial->increment);
    return SYMLIE_DONE;
}

#endif
