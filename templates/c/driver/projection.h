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

SYMLIE_COLD int project(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real end,
                        int position, int velocity, mass_matrix *restrict mass,
                        const symlie_state *restrict state, symlie_trial *restrict trial)
{
#if CONSTRAINED
    ARRAY(B0, JACOBIAN_VALUES);
    ARRAY(B1, JACOBIAN_VALUES);
    ARRAY(r, DIMENSION);
    ARRAY(delta, DIMENSION);
    ARRAY(q, STORAGE);
    ARRAY(moved, STORAGE);
    ARRAY(c, ROWS);
    ARRAY(mu, ROWS);
    if (position) {
        symlie_real previous = SYMLIE_NUMBER((symlie_scalar)INFINITY);
        symlie_mask active = SYMLIE_TRUE;
        if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, state->q, mass)) return mass_failure(P, SYMLIE_NUMBER(0), mass);
        system_jacobian(P, t, state->q, state->v, B0);
        if (!find_dependent_rows(P, B0, mass)) return SYMLIE_NOT_FINITE;
        for (int n = 0; n < PROJECTION_STEPS; n++) {
            system_constraint(P, end, trial->q, c);
            const symlie_real largest = largest_entry(ROWS, c, SYMLIE_NUMBER(0));
            /* Newton's method converges quadratically here until round-off prevents further reduction. */
            active &= (largest > 0) & SYMLIE_NOT(largest > 0.5 * previous);
            if (!SYMLIE_ANY(active)) break;
            previous = largest;
            system_jacobian(P, end, trial->q, trial->v, B1);
            for (int k = 0; k < DIMENSION; k++) r[k] = SYMLIE_NUMBER(0);
            for (int k = 0; k < ROWS; k++) c[k] = -c[k];
            if (!solve_stage(P, mass, B0, B1, r, c, delta, mu)) return stage_failure(P, SYMLIE_NUMBER(0), mass, r, c);
            move_along(P, trial->q, delta, q);
            system_normalize(P, q, moved);
            copy_where(active, STORAGE, moved, trial->q);
        }
    }
    symlie_mask moves = SYMLIE_TRUE;
    for (int n = 0, settled = 0; velocity && n < (NONLINEAR_ROWS ? VELOCITY_STEPS + settled : 1); n++) {
        system_jacobian(P, end, trial->q, trial->v, B1);
        hidden_residual(P, end, trial->q, B1, trial->v, 0, mu, c);
        for (int k = 0; k < ROWS; k++) c[k] = -c[k];
        const int status = along_constraints(P, end, trial->q, B1, c, r, mu, mass, delta);
        if (status != SYMLIE_DONE) return status;
        for (int k = 0; k < DIMENSION; k++) trial->v[k] = corrected(moves, trial->v[k] + delta[k], trial->v[k]);
        moves &= SYMLIE_NOT(is_settled(P, delta, trial->v));
        if (SYMLIE_ANY(moves)) continue;
        if (settled == HAS_TANGENTS) break;
        settled = 1;
    }
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
