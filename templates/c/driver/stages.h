/* Accelerations and multipliers of stages. */
#ifndef SYMLIE_STAGES_H
#define SYMLIE_STAGES_H

#include "dependent_rows.h"

#if HAS_TANGENTS
#include "refined_stage.h"
#define SOLVE_STAGE(...) solve_refined(__VA_ARGS__, 1)
#define SOLVE_VELOCITIES SOLVE_STAGE
#else
#define SOLVE_STAGE solve_stage
#define SOLVE_VELOCITIES solve_velocities
#endif

/* Some solvers read forces and write accelerations only for components with velocities. */
#ifndef FORCES_BEGIN
#define FORCES_BEGIN 0
#define FORCES_END DIMENSION
#define force_of_stage system_force
#endif
#if FIXED_TOPOLOGY
#define clear_fields(P, a)
#endif

/* Determine why a stage has no solution: the increment left the domain of the local coordinates, data are not
 * finite, or the matrix is singular. The part c of the right-hand side exists only with constraints; c may be null. */
SYMLIE_COLD int stage_failure(const symlie_problem *restrict P, symlie_real angle, const mass_matrix *restrict mass,
                              const symlie_real *restrict r, const symlie_real *restrict c)
{
    if (SYMLIE_ANY(angle >= CHART_LIMIT)) return SYMLIE_OUTSIDE_CHART;
    const int finite = all_finite(MASS_VALUES, mass->M) && all_finite(FORCES_END - FORCES_BEGIN, r + FORCES_BEGIN) && (!c || all_finite(CONSTRAINED ? ROWS : 0, c));
    return finite ? SYMLIE_SINGULAR : SYMLIE_NOT_FINITE;
}

/* Determine the cause of a failed factorisation of M. */
SYMLIE_COLD int mass_failure(const symlie_problem *restrict P, symlie_real angle, const mass_matrix *restrict mass)
{
    if (SYMLIE_ANY(angle >= CHART_LIMIT)) return SYMLIE_OUTSIDE_CHART;
    return all_finite(MASS_VALUES, mass->M) ? SYMLIE_INDEFINITE_MASS : SYMLIE_NOT_FINITE;
}

/* Rows C of the constraint forces -C^T lambda at a state with the matrix B: B itself unless contacts slide. */
#ifndef SLIDES
#define SLIDES 0
#endif
#ifndef TURNS
#define REACTIONS 0
#define TURNS 0
#endif
#if TURNS
/* With friction on the norm of a reaction F, C depends on the direction of F, for which the array turned_q has a place. */
#define FORCE_ROWS(C, t, q, v, B) \
    ARRAY(C, JACOBIAN_VALUES);    \
    ARRAY(turned_q, STORAGE);     \
    ARRAY(found_F, REACTIONS);    \
    copy(STORAGE, q, turned_q);   \
    system_columns(P, t, turned_q, v, C)
#define FORCE_ROWS_TURN(C, t, v, lambda) turn_force_rows(P, t, turned_q, v, lambda, found_F, C)
#include "turning_reactions.h"
#elif SLIDES
#define FORCE_ROWS(C, t, q, v, B) \
    ARRAY(C, JACOBIAN_VALUES);    \
    system_columns(P, t, q, v, C)
#define FORCE_ROWS_TURN(C, t, v, lambda) 0
#else
#define FORCE_ROWS(C, t, q, v, B) const symlie_real *restrict C = B
#define FORCE_ROWS_TURN(C, t, v, lambda) 0
#endif

/* Solve as solve_stage does, with B at two configurations; constraints may be redundant at the second configuration
 * alone. */
static inline int solve_between(const symlie_problem *restrict P, mass_matrix *restrict mass, const symlie_real *restrict B0,
                                const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c,
                                symlie_real *restrict a, symlie_real *restrict lambda)
{
    if (SOLVE_STAGE(P, mass, B0, B1, r, c, a, lambda)) return 1;
    return PROBES > 0 && find_dependent_rows(P, B1, mass) && SOLVE_STAGE(P, mass, B0, B1, r, c, a, lambda);
}

/* Return whether a Newton iteration for a velocity has converged to round-off, judged by its last correction. */
static inline symlie_mask is_settled(const symlie_problem *restrict P, const symlie_real *restrict correction, const symlie_real *restrict v)
{
    return largest_entry(DIMENSION, correction, SYMLIE_NUMBER(0)) <= SETTLED * largest_entry(DIMENSION, v, SYMLIE_NUMBER(0));
}

SYMLIE_COLD void add_baumgarte(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, symlie_scalar alpha,
                               symlie_real *restrict work, symlie_real *restrict c)
{
    system_constraint(P, t, q, work);
    for (int k = 0; k < ROWS; k++) c[k] += alpha * work[k];
}

/* Compute c = B v + b + alpha Phi; b is scratch. */
static inline void hidden_residual(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q,
                                   const symlie_real *restrict B, const symlie_real *restrict v, symlie_scalar alpha, symlie_real *restrict b,
                                   symlie_real *restrict c)
{
    multiply_jacobian(P, B, v, c);
    if (HAS_CONSTRAINT_RATE) {
        system_constraint_rate(P, t, q, v, b);
        for (int k = 0; k < ROWS; k++) c[k] += b[k];
    }
    if (SYMLIE_UNLIKELY(alpha != 0)) add_baumgarte(P, t, q, alpha, b, c);
#if ACCELERATION_ROWS
    clear_acceleration_rows(P, c);
#endif
}

/* Compute a and lambda of a stage from the constraints at the next stage, whose velocity is V = known + length a.
 * Constraints that are nonlinear in the velocities are linearised about V, initially a guess, until they are
 * satisfied. next_B is B at the next stage; b and c are scratch. */
static inline int stage_between(const symlie_problem *restrict P, symlie_real angle, mass_matrix *restrict mass, const symlie_real *restrict B,
                                const symlie_real *restrict r, symlie_real next_t, const symlie_real *restrict next_Q,
                                const symlie_real *restrict known, symlie_real length, symlie_scalar alpha,
                                symlie_real *restrict V, symlie_real *restrict change, symlie_real *restrict next_B,
                                symlie_real *restrict b, symlie_real *restrict c, symlie_real *restrict a, symlie_real *restrict lambda)
{
    const symlie_real scale = -1 / length;
    if (!NONLINEAR_ROWS) {
        hidden_residual(P, next_t, next_Q, next_B, known, alpha, b, c);
        for (int k = 0; k < ROWS; k++) c[k] *= scale;
        return solve_between(P, mass, B, next_B, r, c, a, lambda) ? SYMLIE_DONE : stage_failure(P, angle, mass, r, c);
    }
    symlie_mask active = SYMLIE_TRUE; /* lanes in which the constraints are not yet satisfied */
    for (int n = 0, settled = 0; n < VELOCITY_STEPS + settled; n++) {
        hidden_residual(P, next_t, next_Q, next_B, V, alpha, b, c);
        for (int k = 0; k < DIMENSION; k++) change[k] = known[k] - V[k];
        multiply_jacobian(P, next_B, change, b);
        for (int k = 0; k < ROWS; k++) c[k] = (c[k] + b[k]) * scale;
        copy(DIMENSION, a, change);
        if (!solve_between(P, mass, B, next_B, r, c, change, b)) return stage_failure(P, angle, mass, r, c);
        for (int k = 0; k < ROWS; k++) lambda[k] = corrected(active, b[k], lambda[k]);
        for (int k = 0; k < DIMENSION; k++) {
            a[k] = corrected(active, change[k], a[k]);
            const symlie_real found = corrected(active, known[k] + length * a[k], V[k]);
            change[k] = found - V[k], V[k] = found;
        }
        system_jacobian(P, next_t, next_Q, V, next_B);
        active &= SYMLIE_NOT(is_settled(P, change, V));
        if (SYMLIE_ANY(active)) continue;
        if (settled == HAS_TANGENTS) return SYMLIE_DONE;
        settled = 1;
    }
    return all_finite(DIMENSION, V) ? SYMLIE_NOT_CONVERGED : SYMLIE_NOT_FINITE;
}

/* Measure the largest absolute entries of Phi and of B v + b at the end of a step. */
static inline void measure_residuals(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                     const symlie_real *restrict q, const symlie_real *restrict v, symlie_trial *restrict trial)
{
    if (!RESTRICTS_MOTION) {
        trial->largest_constraint = trial->largest_velocity = SYMLIE_NUMBER(0);
        return;
    }
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    ARRAY(b, ROWS);
    system_constraint(P, t, q, c);
    trial->largest_constraint = largest_entry(ROWS, c, SYMLIE_NUMBER(0));
    system_jacobian(P, t, q, v, B);
    hidden_residual(P, t, q, B, v, 0, b, c);
    trial->largest_velocity = largest_entry(ROWS, c, SYMLIE_NUMBER(0));
}

static inline int is_finite(const symlie_problem *restrict P, const symlie_trial *restrict trial)
{
    const symlie_real residual = trial->largest_constraint + trial->largest_velocity;
    return all_finite(STORAGE, trial->q) & all_finite(ROWS, trial->lambda) & all_finite(1, &residual);
}

/* Compute d = M^-1 B^T mu with B d = c; r and mu are scratch. */
static inline int along_constraints(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q,
                                    const symlie_real *restrict B, const symlie_real *restrict c, symlie_real *restrict r,
                                    symlie_real *restrict mu, mass_matrix *restrict mass, symlie_real *restrict d)
{
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, q, mass)) return mass_failure(P, SYMLIE_NUMBER(0), mass);
    for (int k = 0; k < DIMENSION; k++) r[k] = SYMLIE_NUMBER(0);
    return find_dependent_rows(P, B, mass) && solve_stage(P, mass, B, B, r, c, d, mu) ? SYMLIE_DONE : stage_failure(P, SYMLIE_NUMBER(0), mass, r, c);
}

static inline long long acceleration_workspace(const symlie_problem *restrict P)
{
    return DIMENSION + (1 + SLIDES) * (long long)JACOBIAN_VALUES + 2LL * ROWS + (TURNS ? STORAGE + (long long)REACTIONS : 0);
}

/* Compute r = -g for the components that solvers read. */
static SYMLIE_INLINE void take_forces(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q,
                                      const symlie_real *restrict v, symlie_real *restrict r)
{
    force_of_stage(P, t, q, v, r);
    for (int k = VELOCITIES_BEGIN; k < VELOCITIES_END; k++) r[k] = -r[k];
}

/* Compute the right-hand sides -g and -Z and the matrix B, without prescribed accelerations; the arrays a and lambda
 * are overwritten. */
static SYMLIE_INLINE int index1_system(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q,
                                       const symlie_real *restrict v, mass_matrix *restrict mass, symlie_real *restrict r,
                                       symlie_real *restrict B, symlie_real *restrict c, symlie_real *restrict a, symlie_real *restrict lambda)
{
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, q, mass)) return mass_failure(P, SYMLIE_NUMBER(0), mass);
    take_forces(P, t, q, v, r);
    system_jacobian(P, t, q, v, B);
    system_curvature(P, t, q, v, c);
    if (PRESCRIBED) {
        system_prescribed_acceleration(P, t, a);
        multiply_jacobian(P, B, a, lambda);
        for (int k = 0; k < ROWS; k++) c[k] += lambda[k];
    }
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    return find_dependent_rows(P, B, mass) ? SYMLIE_DONE : stage_failure(P, SYMLIE_NUMBER(0), mass, r, c);
}

#if !CONSTRAINED
/* Compute a = -M^-1 g. */
static inline int free_acceleration(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict v,
                                    symlie_real *restrict r, mass_matrix *restrict mass, symlie_real *restrict a)
{
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, q, mass)) return mass_failure(P, SYMLIE_NUMBER(0), mass);
    take_forces(P, t, q, v, r);
    return solve_stage(P, mass, 0, 0, r, 0, a, 0) ? SYMLIE_DONE : stage_failure(P, SYMLIE_NUMBER(0), mass, r, 0);
}
#endif

/* Add the accelerations of prescribed nodes to a; the array is overwritten. */
static SYMLIE_INLINE void add_prescribed(const symlie_problem *restrict P, symlie_real t, symlie_real *restrict array, symlie_real *restrict a)
{
    if (!PRESCRIBED) return;
    system_prescribed_acceleration(P, t, array);
    for (int k = 0; k < DIMENSION; k++) a[k] += array[k];
}

/* Compute the same as index1_acceleration, but possibly leave components of a without a velocity unchanged. */
static inline int index1_velocities(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                    const symlie_real *restrict q, const symlie_real *restrict v, mass_matrix *restrict mass,
                                    symlie_real *restrict a, symlie_real *restrict lambda)
{
    ARRAY(r, DIMENSION);
#if CONSTRAINED
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    const int status = index1_system(P, t, q, v, mass, r, B, c, a, lambda);
    if (status != SYMLIE_DONE) return status;
    FORCE_ROWS(C, t, q, v, B);
    int turns = 0; /* turns of reactions with friction */
    do {
        if (turns++ > REACTION_STEPS) return SYMLIE_NOT_CONVERGED;
        if (!SOLVE_VELOCITIES(P, mass, C, B, r, c, a, lambda)) return stage_failure(P, SYMLIE_NUMBER(0), mass, r, c);
    } while (FORCE_ROWS_TURN(C, t, v, lambda));
    take_minimal_multipliers(P, mass, lambda);
#else
    const int status = free_acceleration(P, t, q, v, r, mass, a);
    if (status != SYMLIE_DONE) return status;
#endif
    add_prescribed(P, t, r, a);
    return SYMLIE_DONE;
}

/* Compute v' and lambda of [M B^T; B 0][v'; lambda] = [-g; -Z], including the accelerations of prescribed nodes. */
static inline int index1_acceleration(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                      const symlie_real *restrict q, const symlie_real *restrict v, mass_matrix *restrict mass,
                                      symlie_real *restrict a, symlie_real *restrict lambda)
{
    clear_fields(P, a);
    return index1_velocities(P, work, t, q, v, mass, a, lambda);
}

/* Compute v' of a stage, and lambda if the model has constraints. */
static inline int stage_acceleration(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                     const symlie_real *restrict Q, const symlie_real *restrict V, symlie_real *restrict r,
                                     mass_matrix *restrict mass, symlie_real *restrict a, symlie_real *restrict lambda)
{
#if CONSTRAINED
    return index1_acceleration(P, work, t, Q, V, mass, a, lambda);
#else
    return free_acceleration(P, t, Q, V, r, mass, a);
#endif
}

#endif
