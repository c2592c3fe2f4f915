/* Projection of the state at the end of a step onto the constraints.
 *
 * Position: q = q^ o exp(delta) with Phi(q) = 0 and M(q_n) delta + B(q_n)^T mu = 0, by Newton steps
 *     [M(q_n)  B(q_n)^T; B(q)  0] [delta; mu] = [0; -Phi(q)],  q <- q o exp(delta)
 * Velocity: v <- v + delta with [M(q)  B(q)^T; B(q)  0] [delta; mu] = [0; -(B v + b)], repeated if B depends on v.
 * Source: [Tumiotto2024b], with the increment taken at the projected configuration. */
#ifndef SYMLIE_PROJECTION_H
#define SYMLIE_PROJECTION_H

static inline long long projection_workspace(const symlie_problem *restrict P)
{
    return 3LL * DIMENSION + 2LL * STORAGE + 2LL * JACOBIAN_VALUES + 4LL * ROWS;
}

#if CONSTRAINED
/* Compute a Newton step delta, with mu, from a configuration with the constraints c, which change their signs. */
static inline int position_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real end, const symlie_real *restrict q,
                                const symlie_real *restrict v, const symlie_real *restrict B0, symlie_real *restrict B1,
                                const mass_matrix *restrict mass, symlie_real *restrict c, symlie_real *restrict delta,
                                symlie_real *restrict mu)
{
    ARRAY(r, DIMENSION);
    system_jacobian(P, end, q, v, B1);
    for (int k = 0; k < DIMENSION; k++) r[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    return solve_stage(P, mass, B0, B1, r, c, delta, mu) ? SYMLIE_DONE : stage_failure(P, SYMLIE_NUMBER(0), mass, r, c);
}

/* Project a configuration at the end of a step. The configurations before each Newton step and their number are
 * written to path and steps, unless path is null. */
static inline int project_position(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real end,
                                   mass_matrix *restrict mass, const symlie_state *restrict state, const symlie_real *restrict v,
                                   symlie_real *restrict at, symlie_real *restrict path, int *restrict steps)
{
    ARRAY(B0, JACOBIAN_VALUES);
    ARRAY(B1, JACOBIAN_VALUES);
    ARRAY(delta, DIMENSION);
    ARRAY(q, STORAGE);
    ARRAY(moved, STORAGE);
    ARRAY(c, ROWS);
    ARRAY(mu, ROWS);
    symlie_real previous = SYMLIE_NUMBER((symlie_scalar)INFINITY);
    symlie_mask active = SYMLIE_TRUE;
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, state->q, mass)) return mass_failure(P, SYMLIE_NUMBER(0), mass);
    system_jacobian(P, t, state->q, state->v, B0);
    if (!find_dependent_rows(P, B0, mass)) return SYMLIE_NOT_FINITE;
    for (int n = 0; n < PROJECTION_STEPS; n++) {
        system_constraint(P, end, at, c);
        const symlie_real largest = largest_entry(ROWS, c, SYMLIE_NUMBER(0));
        /* Newton's method converges quadratically here until round-off prevents further reduction. */
        active &= (largest > 0) & SYMLIE_NOT(largest > 0.5 * previous);
        if (!SYMLIE_ANY(active)) break;
        previous = largest;
        if (path) copy(STORAGE, at, path + (*steps)++ * STORAGE);
        const int status = position_step(P, work, end, at, v, B0, B1, mass, c, delta, mu);
        if (status != SYMLIE_DONE) return status;
        move_along(P, at, delta, q);
        system_normalize(P, q, moved);
        copy_where(active, STORAGE, moved, at);
    }
    return SYMLIE_DONE;
}

/* The same for a velocity; derivatives converge one step after the values. */
static inline int project_velocity(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real end, mass_matrix *restrict mass,
                                   const symlie_real *restrict q, symlie_real *restrict v, symlie_real *restrict path, int *restrict steps)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(r, DIMENSION);
    ARRAY(delta, DIMENSION);
    ARRAY(c, ROWS);
    ARRAY(mu, ROWS);
    symlie_mask moves = SYMLIE_TRUE;
    for (int n = 0, settled = 0; n < (NONLINEAR_ROWS ? VELOCITY_STEPS + settled : 1); n++) {
        if (path) copy(DIMENSION, v, path + (*steps)++ * DIMENSION);
        system_jacobian(P, end, q, v, B);
        hidden_residual(P, end, q, B, v, 0, mu, c);
        for (int k = 0; k < ROWS; k++) c[k] = -c[k];
        const int status = along_constraints(P, end, q, B, c, r, mu, mass, delta);
        if (status != SYMLIE_DONE) return status;
        for (int k = 0; k < DIMENSION; k++) v[k] = corrected(moves, v[k] + delta[k], v[k]);
        moves &= SYMLIE_NOT(is_settled(P, delta, v));
        if (SYMLIE_ANY(moves)) continue;
        if (settled == (HAS_TANGENTS || path)) break;
        settled = 1;
    }
    return SYMLIE_DONE;
}
#endif

SYMLIE_COLD int project(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real end,
                        int position, int velocity, mass_matrix *restrict mass,
                        const symlie_state *restrict state, symlie_trial *restrict trial)
{
#if CONSTRAINED
    int status = SYMLIE_DONE;
    if (position) status = project_position(P, work, t, end, mass, state, trial->v, trial->q, 0, 0);
    if (status == SYMLIE_DONE && velocity) status = project_velocity(P, work, end, mass, trial->q, trial->v, 0, 0);
    if (status != SYMLIE_DONE) return status;
    trial->acceleration_is_valid = 0;
    measure_residuals(P, work, end, trial->q, trial->v, trial);
#endif
    return SYMLIE_DONE;
}

/* Project the state at the end of a step if requested. */
static inline int project_end(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real end,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    if (SYMLIE_UNLIKELY(control->project_position || control->project_velocity)) {
        const int status = project(P, work, t, end, control->project_position != 0, control->project_velocity != 0, mass, state, trial);
        if (status != SYMLIE_DONE) return status;
        if (!(is_finite(P, trial) && all_finite(DIMENSION, trial->v))) return SYMLIE_NOT_FINITE;
    }
    return SYMLIE_DONE;
}

#endif
