/* Initial values of exported programs. */
#ifndef SYMLIE_EXPORTED_START_H
#define SYMLIE_EXPORTED_START_H

/* Compute the configuration and velocity as stated by the model for the parameters. */
static void state_values(const exported_state *s, symlie_real *restrict q, symlie_real *restrict v)
{
    symlie_real computed_q[EXPORTED_STORAGE + 1] = {0}, computed_v[EXPORTED_DIMENSION + 1] = {0};
    symlie_initial(s->p, computed_q, computed_v);
    for (int k = 0; k < EXPORTED_STORAGE; k++) q[k] = source_of_q[k] >= 0 ? computed_q[source_of_q[k]] : stated_q[k];
    for (int k = 0; k < EXPORTED_DIMENSION; k++) v[k] = source_of_v[k] >= 0 ? computed_v[source_of_v[k]] : stated_v[k];
}

#if ACCEPTS_GUESSES || COMPLETES
/* Complete and check the stated values. Return whether they pass all checks. */
static int complete_state(exported_state *s, const symlie_problem *P, const symlie_real *restrict stated, const symlie_real *restrict guess, int accepts_guesses)
{
    symlie_starts starts = start_tables;
    symlie_real v[EXPORTED_DIMENSION];
    unsigned char is_ordinary = 0, is_open[EXPORTED_DIMENSION];
    for (int k = 0; k < EXPORTED_DIMENSION; k++) {
        const int is_held = accepts_guesses || is_given[k] || !is_free[k];
        is_open[k] = !is_held;
        v[k] = is_held && is_free[k] ? guess[k] : 0;
    }
    starts.count = 1, starts.t = s->t, starts.stated = stated;
    starts.q = s->q, starts.v = v, starts.lambda = s->lambda;
    starts.is_ordinary = &is_ordinary, starts.is_open = is_open;
    symlie_begin(P, &starts, s->workspace + EXPORTED_SCRATCH);
    for (int k = 0; k < EXPORTED_DIMENSION; k++) {
        if (accepts_guesses && ACCEPTS_GUESSES == 2 && v[k] != 0) return 0;
        s->v[k] = v[k];
    }
    return is_ordinary;
}
#endif

/* Return whether the initial values are those that were computed when the program was written. */
static int has_default_values(const exported_state *s)
{
    int is_default = s->t == 0;
    for (int k = 0; k < EXPORTED_GIVEN; k++) is_default &= s->given[k] == default_given[k];
    return is_default;
}

SYMLIE_APART int residuals_at(const symlie_problem *P, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict v,
                        symlie_real *restrict position, symlie_real *restrict velocity)
{
#if CONSTRAINED
    symlie_real *restrict work = P->workspace + EXPORTED_SCRATCH;
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(b, ROWS);
    symlie_constraint(P, t, q, position);
    symlie_jacobian(P, t, q, v, B);
    hidden_residual(P, t, q, B, v, 0, b, velocity);
    (void)work;
#else
    (void)P, (void)t, (void)q, (void)v, (void)position, (void)velocity;
#endif
    return SYMLIE_DONE;
}

/* Keep the values that were computed when the program was written, if they satisfy the constraints for the
 * parameters. */
static int keep_default_values(exported_state *s, const symlie_problem *P, const symlie_real *restrict stated)
{
    for (int k = 0; k < EXPORTED_STORAGE; k++) s->q[k] = source_of_q[k] >= 0 ? stated[k] : default_q[k];
    for (int k = 0; k < EXPORTED_DIMENSION; k++) s->v[k] = default_v[k];
    system_prescribe(P, s->t, s->q, s->v);
#if CONSTRAINED
    symlie_real position[EXPORTED_ROWS], velocity[EXPORTED_ROWS], largest = 1, speed = 1;
    residuals_at(P, s->t, s->q, s->v, position, velocity);
    for (int k = 0; k < EXPORTED_STORAGE; k++) largest = fmax(largest, fabs(s->q[k]));
    for (int k = 0; k < EXPORTED_DIMENSION; k++) speed = fmax(speed, fabs(s->v[k]));
    for (int k = 0; k < EXPORTED_ROWS; k++)
        if (!(fabs(position[k]) <= POSITION_TOLERANCE * largest && fabs(velocity[k]) <= VELOCITY_TOLERANCE * speed)) return EXPORTED_INCONSISTENT;
    return acceleration_of_state(P, s->t, s->q, s->v, s->acceleration, s->lambda);
#else
    return SYMLIE_DONE;
#endif
}

static int initialize_exported(exported_state *s, const exported_parameters *p, symlie_real t)
{
    exported_call call;
    symlie_real stated[EXPORTED_STORAGE], guess[EXPORTED_DIMENSION];
    unsigned char *bytes = (unsigned char *)s;
    for (unsigned long k = 0; k < sizeof(*s); k++) bytes[k] = 0;
    s->identity = EXPORTED_HASH, s->t = t, s->is_fresh = 1, s->step_after = -1, s->dependent_rows = EXPORTED_DEPENDENT_ROWS;
    for (int k = EXPORTED_PREPARED; k < EXPORTED_P; k++) s->p[k] = default_tables[k - EXPORTED_PREPARED];
    collect_parameters(p, s->given);
    for (int k = 0; k < CONSTANTS_OF_PARAMETERS; k++)
        if (!(s->given[place_of_constant[k]] == value_of_constant[k])) return EXPORTED_CONSTANT_CHANGED;
    prepare_all(s);
    s->is_prepared = 1;
    if (!(fabs(t) < (symlie_real)HUGE_VAL)) return EXPORTED_BAD_ARGUMENT;
    if (has_default_values(s)) {
        for (int k = 0; k < EXPORTED_STORAGE; k++) s->q[k] = default_q[k];
        for (int k = 0; k < EXPORTED_DIMENSION; k++) s->v[k] = default_v[k];
        for (int k = 0; k < EXPORTED_ROWS; k++) s->lambda[k] = default_lambda[k];
        return SYMLIE_DONE;
    }
    point_problem(s, &call);
    state_values(s, stated, guess);
#if ACCEPTS_GUESSES
    if (complete_state(s, &call.P, stated, guess, 1)) return SYMLIE_DONE;
#endif
#if COMPLETES
    if (complete_state(s, &call.P, stated, guess, 0)) return SYMLIE_DONE;
#endif
    return keep_default_values(s, &call.P, stated);
}

#endif
