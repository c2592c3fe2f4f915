/* The end of an implicit step with tangents, whose values are known from the same step without tangents; see
 * value_steps.h. */
#ifndef SYMLIE_STEP_TANGENTS_H
#define SYMLIE_STEP_TANGENTS_H

static SYMLIE_INLINE void solve_for_correction(newton_problem *restrict s, symlie_real *restrict d)
{
    const symlie_problem *P = s->P;
    solve_for_tangents(UNKNOWNS, s->values, SYMLIE_VALUE(s->scale), d);
}

static inline int newton_tangents(newton_problem *restrict problem, int n, int has_matrix, symlie_real *restrict u,
                                  symlie_real *restrict r, symlie_real *restrict d);

/* Compute the tangents of the unknowns of a step whose values are known. */
static inline int complete_unknowns(newton_problem *restrict s, const symlie_real *restrict lambda)
{
    const symlie_problem *P = s->P;
    for (int k = 0; k < COUNT_OF_HELD; k++) s->u[HELD[k]] = SYMLIE_NUMBER(0);
    for (int k = DIMENSION; k < UNKNOWNS; k++) s->u[k] = SYMLIE_NUMBER(0);
    if (lambda) copy(ROWS, lambda, s->u + DIMENSION);
    for (int k = 0; k < UNKNOWNS; k++) s->u[k].value = s->values->trial.solution[k];
    const int status = newton_tangents(s, UNKNOWNS, 1, s->u, s->r, s->d);
    if (!SEES_CONFIGURATION) system_advance(P, s->q_n, s->theta, s->q);
    return status;
}

/* Take the record of factors and the statistics of the step without tangents. */
static inline int finish_values(const symlie_problem *restrict P, newton_problem *restrict s, symlie_trial *restrict trial)
{
    const value_steps *restrict known = s->values;
    for (int k = OWN - RECORD; k < OWN; k++) trial->own[k] = known->trial.own[k];
    trial->own_rest = known->trial.own_rest;
    memcpy(&trial->newton, &known->trial.newton, sizeof trial->newton);
    trial->rhs_evaluations = trial->newton.evaluations;
    for (int k = 0; k < DIMENSION; k++) s->v[k] = without_traces(s->v[k]), s->v_dot[k] = without_traces(s->v_dot[k]);
    return SYMLIE_DONE;
}

static inline int complete_implicit_step(newton_problem *restrict s, const symlie_real *restrict lambda, symlie_trial *restrict trial)
{
    s->values = trial->values;
    const int status = complete_unknowns(s, lambda);
    return status == SYMLIE_DONE ? finish_values(s->P, s, trial) : status;
}

#endif
