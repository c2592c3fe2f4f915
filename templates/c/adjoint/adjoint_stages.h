/* Cotangents of stages. A stage solves
 *
 *   M a + g + B0^T lambda = 0,   B1 a = c
 *
 * and the cotangents of a and lambda determine w and mu by the transposed system, with B0 and B1 exchanged:
 *
 *   M w + B1^T mu = a',   B0 w = lambda'
 *
 * The cotangents of all other values are the gradient of -w^T(M a + g + B0^T lambda) + mu^T(c - B1 a) for fixed w, mu,
 * a and lambda. -B0^T lambda is the constraint force, with the friction of sliding contacts. */
#ifndef SYMLIE_ADJOINT_STAGES_H
#define SYMLIE_ADJOINT_STAGES_H

#include "minimal_cotangents.h"
#include "refined_stage.h"

/* Stages share a constant mass matrix, unless they omit different constraint equations. */
#if OMITS_ROWS
#define SHARES_MASS 0
#else
#define SHARES_MASS MASS_IS_CONSTANT
#endif
#define MASS_OF_STAGE(k) (SHARES_MASS ? masses : masses + (k))

/* Return the mass matrix of a stage, which omits the constraint equations that the one of an earlier stage omits. */
static inline mass_matrix *omit_rows(const symlie_problem *restrict P, const mass_matrix *from, mass_matrix *to)
{
#if OMITS_ROWS
    if (from != to) copy(ROWS, from->kept, to->kept);
#endif
    (void)P, (void)from;
    return to;
}

static inline long long adjoint_stage_workspace(const symlie_problem *restrict P)
{
    return 9LL * DIMENSION + 8LL * ROWS + (2 + SLIDES) * (long long)JACOBIAN_VALUES;
}

PART_OF_STEP void step_tangent_transpose(const symlie_problem *restrict P, const symlie_real *restrict theta, const symlie_real *restrict x,
                                         symlie_real *restrict out)
{
    system_tangent_transpose(P, theta, x, out);
}

PART_OF_STEP void step_inverse_tangent_transpose(const symlie_problem *restrict P, const symlie_real *restrict theta,
                                                 const symlie_real *restrict x, symlie_real *restrict out)
{
    system_inverse_tangent_transpose(P, theta, x, out);
}

PART_OF_STEP void step_inverse_tangent_gradient(const symlie_problem *restrict P, const symlie_real *restrict theta,
                                                const symlie_real *restrict x, const symlie_real *restrict y, symlie_real *restrict out)
{
    system_inverse_tangent_gradient(P, theta, x, y, out);
}

PART_OF_STEP void step_bracket_transpose(const symlie_problem *restrict P, const symlie_real *restrict x, const symlie_real *restrict y,
                                         symlie_real *restrict out)
{
    system_bracket_transpose(P, x, y, out);
}

/* Cotangents of the arguments of rates: v itself, and the fields of first-order states. */
PART_OF_STEP void field_cotangents(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict v,
                                   const symlie_real *restrict a, const symlie_real *restrict lambda, const symlie_real *restrict x,
                                   symlie_gradient *restrict gradient, symlie_real *restrict of_q, symlie_real *restrict of_v,
                                   symlie_real *restrict of_a, symlie_real *restrict of_lambda)
{
    fill_zero(DIMENSION, of_q);
    fill_zero(DIMENSION, of_a);
    fill_zero(ROWS, of_lambda);
    copy(DIMENSION, x, of_v);
    clear_states(P, of_v);
    add_field_gradient(P, t, q, v, a, lambda, x, gradient, of_q, of_v, of_a, of_lambda);
}

#if MOTIONS
/* Cotangents of q and v before prescribed and dependent nodes are computed. */
PART_OF_STEP void motion_cotangents(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict v,
                                    const symlie_real *with_q, const symlie_real *with_v, symlie_gradient *restrict gradient,
                                    symlie_real *restrict of_q, symlie_real *restrict of_v)
{
    take_cotangent(DIMENSION, with_q, of_q);
    take_cotangent(DIMENSION, with_v, of_v);
    pull_motions(P, t, q, v, gradient, of_q, of_v);
}
#endif

#if !CONSTRAINED || MASS_IS_REGULAR
/* Compute -w of M w = a'; B is any constraint Jacobian. */
static inline int solve_mass_transposed(const symlie_problem *restrict P, const mass_matrix *restrict mass, symlie_real *restrict work,
                                        const symlie_real *restrict B, const symlie_real *restrict of_a, symlie_real *restrict w)
{
    ARRAY(r, DIMENSION);
    ARRAY(zero, ROWS);
    fill_zero(ROWS, zero);
    for (int k = 0; k < DIMENSION; k++) r[k] = -of_a[k];
    return solve_with_mass(P, mass, r, B, zero, w);
}
#endif

#if CONSTRAINED
/* Compute -w and -mu. */
static inline int solve_stage_transposed(const symlie_problem *restrict P, mass_matrix *restrict mass, symlie_real *restrict work,
                                         const symlie_real *restrict B0, const symlie_real *restrict B1, const symlie_real *of_a,
                                         const symlie_real *of_lambda, symlie_real *restrict w, symlie_real *restrict mu)
{
    ARRAY(r, DIMENSION);
    ARRAY(c, ROWS);
    take_cotangent(DIMENSION, of_a, r);
    take_cotangent(ROWS, of_lambda, c);
    for (int k = 0; k < DIMENSION; k++) r[k] = -r[k];
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    return solve_refined(P, mass, B1, B0, r, c, w, mu, 0);
}
#endif

/* Cotangents of the state of a stage with constraints at its own point, or without constraints. */
PART_OF_STEP int stage_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                  const symlie_real *restrict v, const symlie_real *restrict a, const symlie_real *restrict lambda,
                                  const symlie_real *of_a, const symlie_real *of_lambda, mass_matrix *restrict mass,
                                  symlie_gradient *restrict gradient, symlie_real *restrict of_q, symlie_real *restrict of_v)
{
    ARRAY(w, DIMENSION);
    ARRAY(mu, ROWS);
    fill_zero(DIMENSION, of_q);
    fill_zero(DIMENSION, of_v);
#if CONSTRAINED
    ARRAY(unread, ROWS);
    ARRAY(B, JACOBIAN_VALUES);
    system_jacobian(P, t, q, v, B);
#if PROBES
    ARRAY(of_stage, ROWS);
    if (of_lambda && minimal_cotangents(P, work, t, q, v, lambda, of_lambda, mass, gradient, of_stage, of_q, of_v) != SYMLIE_DONE) return 0;
    if (of_lambda) of_lambda = of_stage;
#endif
    FORCE_ROWS(C, t, q, v, B);
    if (!solve_stage_transposed(P, mass, work, C, B, of_a, of_lambda, w, mu)) return 0;
    fill_zero(ROWS, unread);
    add_curvature_gradient(P, t, q, v, a, lambda, mu, gradient, of_q, of_v, unread);
    add_balance_gradient(P, t, q, v, a, lambda, w, gradient, of_q, of_v, unread);
#if PRESCRIBED
    /* a of prescribed nodes is known, also in B1 a. */
    for (int k = 0; k < ROWS; k++) mu[k] = -mu[k];
    take_cotangent(DIMENSION, of_a, w);
    subtract_constraint_force(P, B, mu, w);
    pull_prescribed(P, t, gradient, 0, 0, w);
#endif
#else
    if (!of_a) return 1;
    if (!solve_mass_transposed(P, mass, work, 0, of_a, w)) return 0;
    add_balance_gradient(P, t, q, v, a, lambda, w, gradient, of_q, of_v, mu);
#endif
    return 1;
}

/* The same for the first stage of a step, whose v' and lambda may be known from the previous step. */
PART_OF_STEP int first_stage_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_state *restrict state,
                                        symlie_real t, const symlie_real *restrict q, const symlie_real *restrict v,
                                        const symlie_real *restrict a, const symlie_real *restrict lambda, const symlie_real *of_a,
                                        const symlie_real *of_lambda, mass_matrix *restrict mass, symlie_cotangents *restrict start,
                                        symlie_real *restrict of_q, symlie_real *restrict of_v, symlie_real *restrict of_known)
{
    fill_zero(ROWS, of_known);
    if (!state->acceleration_is_valid) return stage_cotangents(P, work, t, q, v, a, lambda, of_a, of_lambda, mass, &start->gradient, of_q, of_v);
    fill_zero(DIMENSION, of_q);
    fill_zero(DIMENSION, of_v);
    if (of_a) copy(DIMENSION, of_a, start->acceleration);
    if (of_lambda) copy(ROWS, of_lambda, of_known);
    return 1;
}

#if CONSTRAINED && MASS_IS_REGULAR
/* Cotangents of the state and of lambda from which v' at the start of a step is computed, unless it is known. */
PART_OF_STEP int known_multiplier_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_state *restrict state,
                                             symlie_real t, const symlie_real *restrict q, const symlie_real *restrict v,
                                             const symlie_real *restrict B, const symlie_real *restrict a, const symlie_real *restrict lambda,
                                             const symlie_real *restrict of_a, mass_matrix *restrict mass, symlie_cotangents *restrict start,
                                             symlie_real *restrict of_q, symlie_real *restrict of_v, symlie_real *restrict of_lambda)
{
    ARRAY(w, DIMENSION);
    fill_zero(DIMENSION, of_q);
    fill_zero(DIMENSION, of_v);
    fill_zero(ROWS, of_lambda);
    if (state->acceleration_is_valid) {
        copy(DIMENSION, of_a, start->acceleration);
        return 1;
    }
    if (!solve_mass_transposed(P, mass, work, B, of_a, w)) return 0;
    add_balance_gradient(P, t, q, v, a, lambda, w, &start->gradient, of_q, of_v, of_lambda);
    return 1;
}
#endif

#if CONSTRAINED
/* Cotangents of a stage whose v' satisfies B1 V + b + alpha Phi = 0 at the next point, with V = known + length a. */
PART_OF_STEP int stage_between_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                          const symlie_real *restrict q, const symlie_real *restrict v, const symlie_real *restrict B,
                                          symlie_real next_t, const symlie_real *restrict next_q, const symlie_real *restrict next_B,
                                          const symlie_real *restrict known, symlie_real length, symlie_scalar alpha,
                                          const symlie_real *restrict a, const symlie_real *restrict lambda, const symlie_real *of_a,
                                          const symlie_real *of_lambda, mass_matrix *restrict mass, symlie_gradient *restrict gradient,
                                          symlie_real *restrict of_q, symlie_real *restrict of_v, symlie_real *restrict of_next,
                                          symlie_real *restrict of_known)
{
    ARRAY(w, DIMENSION);
    ARRAY(V, DIMENSION);
    ARRAY(mu, ROWS);
    ARRAY(unread, ROWS);
    fill_zero(DIMENSION, of_q);
    fill_zero(DIMENSION, of_v);
    fill_zero(DIMENSION, of_next);
    fill_zero(DIMENSION, of_known);
    fill_zero(ROWS, unread);
    FORCE_ROWS(C, t, q, v, B);
    if (!solve_stage_transposed(P, mass, work, C, next_B, of_a, of_lambda, w, mu)) return 0;
    add_balance_gradient(P, t, q, v, a, lambda, w, gradient, of_q, of_v, unread);
    for (int k = 0; k < DIMENSION; k++) V[k] = known[k] + length * a[k];
    for (int k = 0; k < ROWS; k++) mu[k] /= length;
    add_hidden_gradient(P, next_t, next_q, V, lambda, mu, gradient, of_next, of_known, unread);
    if (SYMLIE_UNLIKELY(alpha != 0)) {
        for (int k = 0; k < ROWS; k++) mu[k] *= alpha;
        add_position_gradient(P, next_t, next_q, V, lambda, mu, gradient, of_next, of_known, unread);
    }
    return 1;
}
#endif

#endif
