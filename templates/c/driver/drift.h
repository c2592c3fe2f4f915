/* Drift check. Let delta be the Newton step back to the constraints,
 *
 *     [M(q)  B(q)^T; B(q)  0] [delta; mu] = [0; -Phi(q)],  q' = q o exp(delta).
 *
 * The configuration has drifted if delta is a considerable part of its size max(1, |q|), in m and rad, or if delta
 * exceeds round-off and hardly reduces Phi. In the second case the constraints may have no solution nearby, since
 * Newton's method converges if |Phi(q')| < |Phi(q)| / 4 (Kantorovich; equality holds for a quadratic Phi with a double
 * zero). With redundant constraints, a considerable residual of a dependent combination also indicates drift. Time
 * stepping solves for gaps itself, so that contacts are excluded. */
#ifndef SYMLIE_DRIFT_H
#define SYMLIE_DRIFT_H

static inline long long drift_workspace(const symlie_problem *restrict P)
{
    return 2LL * DIMENSION + 2LL * STORAGE + JACOBIAN_VALUES + 2LL * ROWS;
}

#if CONSTRAINED
/* The configuration and its largest |Phi| are passed separately: the time loop can hold a trial in registers only if
 * its address does not escape. With lanes, the result is 1 if any lane has drifted or the check is inconclusive. */
SYMLIE_COLD int has_drifted(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                            mass_matrix *restrict mass, const symlie_real *restrict at, const symlie_real *restrict v,
                            symlie_real largest)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(r, DIMENSION);
    ARRAY(delta, DIMENSION);
    ARRAY(q, STORAGE);
    ARRAY(c, ROWS);
    ARRAY(mu, ROWS);
#ifdef STEPS_CONTACTS
    ARRAY(opened, STORAGE);
    set_contacts(P, at, 0, opened);
    at = opened;
#endif
    const symlie_real size = largest_entry(STORAGE, at, SYMLIE_NUMBER(1));
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, at, mass)) return SYMLIE_LANES > 1;
    system_jacobian(P, t, at, v, B);
    system_constraint(P, t, at, c);
#ifdef STEPS_CONTACTS
    largest = largest_entry(ROWS, c, SYMLIE_NUMBER(0));
#endif
    for (int k = 0; k < DIMENSION; k++) r[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    /* The next stage reports the singular matrix. */
    if (!find_dependent_rows(P, B, mass) || !solve_stage(P, mass, B, B, r, c, delta, mu)) return SYMLIE_LANES > 1;
    if (contradicts(P, mass, c, fmax(DRIFT_ROUND_OFF * size, DRIFT_LIMIT * largest))) return 1;
    const symlie_real way = largest_entry(DIMENSION, delta, SYMLIE_NUMBER(0));
    if (SYMLIE_ALL(way <= DRIFT_ROUND_OFF * size)) return 0;
    if (!SYMLIE_ALL(way <= DRIFT_LIMIT * size)) return 1;
    move_along(P, at, delta, q);
    system_constraint(P, t, q, c);
    return !SYMLIE_ALL(largest_entry(ROWS, c, SYMLIE_NUMBER(0)) <= DRIFT_LIMIT * largest);
}
#endif

#if SYMLIE_LANES == 1
/* Check the constraints whenever the largest |Phi| of a run has doubled, which is rare. */
static inline int keeps_constraints(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                    mass_matrix *restrict mass, symlie_state *restrict state,
                                    const symlie_trial *restrict trial)
{
#if CONSTRAINED
    if (SYMLIE_UNLIKELY(trial->largest_constraint > state->drift_bound)) {
        if (has_drifted(P, work, t, mass, trial->q, trial->v, trial->largest_constraint)) return 0;
        state->drift_bound = 2 * SYMLIE_VALUE(trial->largest_constraint);
    }
#endif
    return 1;
}
#endif

#endif
