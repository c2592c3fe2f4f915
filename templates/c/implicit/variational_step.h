/* Both stages of a variational step, for Newton's method; see symlie/runtime/implicit/variational_step.py.
 *
 *   h (p+(q_n, q, theta) + h w0 l_n - p_n) + B_n^T mu = 0,  Phi(t, q) = 0        mu = h^2 lambda+/2   (a)
 *   p(t, q, v) - p-(q_n, q, theta) + h w1 l(t, q, v) + B^T mu = 0,  B v + b = 0    mu = h lambda-/2     (b)
 *
 * with q = q_n o exp(theta) at the end of the step. In (a), system_rolling gives the equations of nonholonomic
 * constraints. The matrices are [h S, B_n^T; B T, 0] and [M + h w1 D, B^T; B, 0]; the simplified matrices contain M
 * alone. */
#ifndef SYMLIE_VARIATIONAL_STEP_H
#define SYMLIE_VARIATIONAL_STEP_H

#include "variational_problem.h"
#if SAMPLES
#include "variational_samples.h"
#else
static inline void add_to_start(newton_problem *restrict s, symlie_real *restrict p) { (void)s, (void)p; }
static inline void subtract_from_end(newton_problem *restrict s, symlie_real *restrict p) { (void)s, (void)p; }
#endif
#if HAS_MATRIX
#include "variational_matrix.h"
#else
#define STAGE_VALUES 0
#define STAGE_SQUARES 0
static inline int take_stage_matrix(newton_problem *restrict s) { return (void)s, SYMLIE_DONE; }
static inline void solve_stage_matrix(newton_problem *restrict s, const symlie_real *restrict r, symlie_real *restrict d)
{
    (void)s, (void)r, (void)d;
}
#endif

static inline long long stages_workspace(const symlie_problem *restrict P)
{
    return MASS_ALONE + open_workspace(P) + (6LL + 2 * SAMPLED) * DIMENSION + (1LL + SAMPLED) * STORAGE + 2LL * JACOBIAN_VALUES + 2LL * ROWS + 5LL * UNKNOWNS +
           STAGE_VALUES + FULL * (VALUES_OF_S + VALUES_OF_N) + HAS_MATRIX * (VALUES_OF_K + VALUES_OF_D) + STAGE_SQUARES;
}

/* Add B^T mu. Components that do not move have no residual. */
static inline void add_constraint_force(newton_problem *restrict s, const symlie_real *restrict B, const symlie_real *restrict mu,
                                        symlie_real *restrict r)
{
    const symlie_problem *P = s->P;
    (void)P;
    if (IS_BOUND(s)) {
        for (int k = 0; k < DIMENSION; k++) s->pulled[k] = SYMLIE_NUMBER(0);
        subtract_constraint_force(P, B, mu, s->pulled);
        for (int k = 0; k < DIMENSION; k++) r[k] -= s->pulled[k], s->terms[k] += fabs(s->pulled[k]);
    }
    for (int k = 0; k < DIMENSION; k++)
        if (!IS_FREE(k)) r[k] = s->terms[k] = SYMLIE_NUMBER(0);
}

/* Evaluate the load l at an end of a step; it is zero if the discrete Lagrangian does not sample the potential
 * energy there. */
static inline void take_end_load(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q,
                                 const symlie_real *restrict v, symlie_real *restrict load)
{
    if (LOADS_AT_ENDS) system_load(P, t, q, v, load);
    else for (int k = 0; k < DIMENSION; k++) load[k] = SYMLIE_NUMBER(0);
}

/* (a) */
static inline void start_residual(newton_problem *restrict s, const symlie_real *restrict u, symlie_real *restrict r)
{
    const symlie_problem *P = s->P;
    (void)P;
    const symlie_real h = s->h;
    for (int k = 0; k < DIMENSION; k++) s->theta[k] = IS_FREE(k) ? u[k] : SYMLIE_NUMBER(0);
    system_advance(P, s->q_n, s->theta, s->q);
    if (MOTIONS > 0) system_prescribe(P, s->t, s->q, s->v);
    if (PRESCRIBED)
        for (int k = 0; k < DIMENSION; k++) s->theta[k] = IS_FREE(k) ? u[k] : s->held[k];
    system_start_momentum(P, s->t_n, s->q_n, s->q, s->theta, h, r);
    add_to_start(s, r);
    for (int k = 0; k < DIMENSION; k++) {
        s->terms[k] = h * (fabs(r[k]) + fabs(s->target[k]));
        r[k] = h * (r[k] - s->target[k]);
    }
    if (IS_BOUND(s)) {
        system_jacobian(P, s->t, s->q, s->v, s->B);
        system_constraint(P, s->t, s->q, r + DIMENSION);
    }
    if (IS_BOUND(s) && ROLLS) {
        system_rolling(P, s->t_n, s->q_n, s->q, s->theta, h, s->rows);
        for (int k = 0; k < ROWS; k++) r[DIMENSION + k] += s->rows[k];
    }
    add_constraint_force(s, s->B_n, u + DIMENSION, r);
}

/* (b) */
static inline void end_residual(newton_problem *restrict s, const symlie_real *restrict u, symlie_real *restrict r)
{
    const symlie_problem *P = s->P;
    (void)P;
    const symlie_real push = s->h * END_WEIGHT;
    copy(DIMENSION, u, s->v);
    if (MOTIONS > 0) system_prescribe(P, s->t, s->q, s->v);
    system_conjugate_momentum(P, s->t, s->q, s->v, r);
    take_end_load(P, s->t, s->q, s->v, s->load);
    for (int k = 0; k < DIMENSION; k++) {
        s->terms[k] = fabs(r[k]) + fabs(s->target[k]) + fabs(push * s->load[k]);
        r[k] = r[k] - s->target[k] + push * s->load[k];
    }
    if (IS_BOUND(s)) hidden_residual(P, s->t, s->q, s->B, s->v, 0, s->rows, r + DIMENSION);
    else for (int k = 0; k < ROWS; k++) r[DIMENSION + k] = SYMLIE_NUMBER(0);
    add_constraint_force(s, s->B, u + DIMENSION, r);
}

PART_OF_STAGE void newton_residual(newton_problem *restrict s, const symlie_real *restrict u, symlie_real *restrict r)
{
    if (s->is_end) end_residual(s, u, r);
    else start_residual(s, u, r);
}

PART_OF_STAGE int newton_refresh(newton_problem *restrict s, symlie_mask of_lanes)
{
    s->has_factors |= of_lanes;
    if (s->is_end && LOADS_SEE_VELOCITY) s->takes_matrix |= of_lanes;
    return SYMLIE_ANY(s->takes_matrix) ? take_stage_matrix(s) : SYMLIE_DONE;
}


/* d = matrix^-1 r with M as the only block of the matrix. */
PART_OF_STAGE int correction_with_mass(newton_problem *restrict s, const symlie_real *restrict r, symlie_real *restrict d)
{
    const symlie_problem *P = s->P;
    (void)P;
#ifdef STEPS_CONTACTS
    if (s->is_unbound) return solve_with_mass_alone(P, s->factors, r, d), SYMLIE_DONE;
#endif
    copy(UNKNOWNS, r, s->pulled);
    const symlie_real *restrict right = s->is_end ? s->B : s->B_n;
#ifdef STEPS_CONTACTS
    if (s->is_open && solve_open_rows(P, s->open, s->mass->M, s->factors, right, s->B, s->pulled, s->pulled + DIMENSION, d, d + DIMENSION))
        return SYMLIE_DONE;
#endif
    if (!solve_between(P, s->mass, right, s->B, s->pulled, s->pulled + DIMENSION, d, d + DIMENSION))
        return stage_failure(P, SYMLIE_NUMBER(0), s->mass, r, r + DIMENSION);
    return SYMLIE_DONE;
}

PART_OF_STAGE int newton_correction(newton_problem *restrict s, const symlie_real *restrict r, symlie_real *restrict d)
{
    if (!HAS_MATRIX || !SYMLIE_ALL(s->takes_matrix)) {
        const int status = correction_with_mass(s, r, d);
        if (status != SYMLIE_DONE) return status;
    }
    if (HAS_MATRIX && SYMLIE_ANY(s->takes_matrix)) solve_stage_matrix(s, r, d);
    return SYMLIE_DONE;
}

/* Norm of the rounding of all terms of the residual, and of the configuration in Phi. */
SYMLIE_COLD symlie_real newton_floor(newton_problem *restrict s, const symlie_real *restrict r)
{
    const symlie_problem *P = s->P;
    (void)P;
    symlie_real sum = sum_of_squares(DIMENSION, s->terms);
    (void)r;
    const symlie_real size = largest_entry(STORAGE, s->q, SYMLIE_NUMBER(0));
    if (IS_BOUND(s)) sum += size * size * sum_of_squares(JACOBIAN_VALUES, s->B);
    return ROUNDING * sqrt(sum);
}

/* The Newton policies of both stages contain bounds on the corrections. */
static inline symlie_mask newton_is_rounding(const newton_problem *restrict s, const symlie_real *restrict d)
{
    (void)s, (void)d;
    return SYMLIE_FALSE;
}

#include "newton.h"

#endif
