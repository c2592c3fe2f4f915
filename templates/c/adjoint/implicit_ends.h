/* Cotangents of the end of an implicit step, by the implicit function theorem.
 *
 * The unknowns u = (theta, lambda, eta) solve r(u, x) = 0 for known x. With the cotangent u' of u that follows from those
 * of the results of the step, mu solves
 *
 *   (dr/du)^T mu = -u'
 *
 * and x has the cotangents of these results and (dr/dx)^T mu in addition. The factors of the step belong to a matrix near
 * dr/du: corrections of mu with them are repeated until u' of all terms vanishes. The gradients of mu^T r are those of
 * the terms of the equations of motion. */
#ifndef SYMLIE_IMPLICIT_ENDS_H
#define SYMLIE_IMPLICIT_ENDS_H

#include "correction_cotangents.h"
#include "cotangent_convergence.h"
#include "transposed_factors.h"

/* Cotangents of the state at the end, of the increment w, and of the unknowns. In local coordinates at the end, w is that
 * of v with that of v', and there are those of the increments to earlier configurations, and the one of B^T eta for which
 * the cotangents of B are contained in q. */
typedef struct {
    symlie_real *q;
    symlie_real *v;
    symlie_real *v_dot;
    symlie_real *lambda;
    symlie_real *w;
    symlie_real *u;
    symlie_real *pulled;
    symlie_real *const *points;
} end_bar;

/* Cotangents of theta, w, exp(theta) and increments to earlier configurations, apart from those of the state. */
typedef struct {
    const symlie_real *theta;
    const symlie_real *w;
    const symlie_real *element;
    const symlie_real *const *points;
} end_given;

static inline long long implicit_end_workspace(const symlie_problem *restrict P)
{
    return (7LL + FINDS_JACOBIAN) * DIMENSION + 8LL * ROWS + 3LL * UNKNOWNS + JACOBIAN_VALUES + (SEES_END ? 4LL * DIMENSION : 0) +
           (HAS_ETA ? 2LL * DIMENSION + 2LL * ROWS : 0);
}

/* Solve the transposed Newton system for the right-hand side x in place; x has SOLVED entries. */
static inline void solve_iteration_transposed(const symlie_problem *restrict P, symlie_real scale, iteration_matrix *restrict A,
                                              symlie_real *restrict x)
{
    const elimination E = read_elimination(ELIMINATION);
    (void)P;
    for (int k = 0; k < ROWS; k++) x[DIMENSION + k] *= scale;
    for (int k = UNKNOWNS; k < SOLVED; k++) x[k] = SYMLIE_NUMBER(0);
    solve_transposed(&E, A->values, x);
    for (int k = 0; k < DIMENSION; k++) x[k] /= scale;
    for (int k = 0; k < COUNT_OF_OPEN_ROW; k++) x[DIMENSION + OPEN_ROW[k]] /= scale;
}

/* Add the cotangents of mu^T r; mu is overwritten. */
static inline void add_residual_cotangents(const newton_problem *restrict s, symlie_real *restrict mu, symlie_real *restrict work,
                                           symlie_gradient *restrict gradient, const end_bar *restrict bar)
{
    const symlie_problem *P = s->P;
    for (int k = 0; k < COUNT_OF_HELD; k++) mu[HELD[k]] = SYMLIE_NUMBER(0);
#if HAS_ETA
    for (int k = 0; k < COUNT_OF_NO_ETA; k++) mu[NO_ETA[k]] = SYMLIE_NUMBER(0);
#endif
#if CONSTRAINED
    ARRAY(rows, ROWS);
    copy(ROWS, mu + DIMENSION, rows);
    for (int k = 0; k < COUNT_OF_RATE_ROW; k++)
        if (RATE_UNKNOWN[k] < DIMENSION + ROWS) rows[RATE_UNKNOWN[k] - DIMENSION] = SYMLIE_NUMBER(0);
    for (int k = 0; k < COUNT_OF_OPEN_ROW; k++) rows[OPEN_ROW[k]] = SYMLIE_NUMBER(0);
    add_position_gradient(P, s->t, s->q, s->v, s->lambda, rows, gradient, bar->q, bar->v, bar->lambda);
    if (HAS_ETA || !HOLONOMIC) {
        fill_zero(ROWS, rows);
        for (int k = 0; k < COUNT_OF_RATE_ROW; k++) rows[RATE_ROW[k]] = mu[RATE_UNKNOWN[k]];
        add_hidden_gradient(P, s->t, s->q, s->v, s->lambda, rows, gradient, bar->q, bar->v, bar->lambda);
    }
    if (COUNT_OF_OPEN_ROW > 0) {
        fill_zero(ROWS, rows);
        for (int k = 0; k < COUNT_OF_OPEN_ROW; k++) rows[OPEN_ROW[k]] = mu[DIMENSION + OPEN_ROW[k]];
        add_curvature_gradient(P, s->t, s->q, s->v, s->v_dot, s->lambda, rows, gradient, bar->q, bar->v, bar->lambda);
        for (int k = 0; k < JACOBIAN_VALUES; k++) bar->v_dot[JACOBIAN_COLUMN[k]] += s->B[k] * rows[JACOBIAN_ROW[k]];
    }
#endif
    if (FIELDS) {
        for (int k = 0; k < COUNT_OF_STATE; k++) bar->v_dot[STATE[k]] += mu[STATE[k]];
        for (int k = 0; k < DIMENSION; k++) mu[k] = -mu[k];
        add_field_gradient(P, s->t, s->q, s->v, s->v_dot, s->lambda, mu, gradient, bar->q, bar->v, bar->v_dot, bar->lambda);
        for (int k = 0; k < DIMENSION; k++) mu[k] = -mu[k];
        for (int k = 0; k < COUNT_OF_STATE; k++) mu[STATE[k]] = SYMLIE_NUMBER(0);
    }
    add_balance_gradient(P, s->t, s->q, s->v, s->v_dot, s->lambda, mu, gradient, bar->q, bar->v, bar->lambda);
    for (int k = 0; k < MASS_VALUES; k++) {
        const int i = MASS_ROW[k], j = MASS_COLUMN[k];
        bar->v_dot[i] += s->M[k] * mu[j];
        if (i != j) bar->v_dot[j] += s->M[k] * mu[i];
    }
}

/* Replace the cotangents of nodes that increments do not move, whose state at the end of the step is known or computed
 * from the others. */
static inline void pull_state(const newton_problem *restrict s, symlie_gradient *restrict gradient, const end_bar *restrict bar)
{
#if PRESCRIBED
    pull_prescribed(s->P, s->t, gradient, 0, 0, bar->v_dot);
#endif
#if MOTIONS
    pull_motions(s->P, s->t, s->q, s->v, gradient, bar->q, bar->v);
#endif
    (void)s, (void)gradient, (void)bar;
}

#if HAS_ETA
#include "eta_cotangents.h"
#endif
#if SEES_END
#include "seen_ends.h"
#else
#include "known_increments.h"
#endif

/* Compute the cotangents of q at the start of the step, and of v and v' at its end as functions of known vectors; those of
 * v' are separate for first-order states. */
PART_OF_STEP int implicit_end_cotangents(newton_problem *restrict s, int has_matrix, const symlie_real *of_q, const symlie_real *of_v,
                                         const symlie_real *of_v_dot, const symlie_real *of_lambda, const symlie_real *of_theta,
                                         const symlie_real *of_w, const symlie_real *of_element, const symlie_real *const *of_points,
                                         symlie_real *const *points, symlie_gradient *restrict gradient, symlie_real *restrict work,
                                         symlie_real *restrict start_q, symlie_real *restrict v, symlie_real *restrict v_dot,
                                         symlie_real *restrict rate)
{
    const symlie_problem *P = s->P;
    ARRAY(q, DIMENSION);
    ARRAY(w, DIMENSION);
    ARRAY(lambda, ROWS);
    ARRAY(u, UNKNOWNS);
    ARRAY(mu, UNKNOWNS);
    ARRAY(weights, UNKNOWNS);
    ARRAY(pulled, FINDS_JACOBIAN * DIMENSION);
    const end_bar bar = {q, v, v_dot, lambda, w, u, pulled, points};
    const end_given given = {of_theta, of_w, of_element, of_points};
    correction_sizes last = {0};
    take_cotangent(DIMENSION, of_q, q);
    take_cotangent(DIMENSION, of_v, v);
    take_cotangent(DIMENSION, of_v_dot, v_dot);
    take_cotangent(ROWS, of_lambda, lambda);
    fill_zero(UNKNOWNS, mu);
    fill_zero(FINDS_JACOBIAN * DIMENSION, pulled);
    if (!MASS_IS_CONSTANT) system_mass(P, s->t, s->q, s->M);
    if (!has_matrix) {
        const int status = newton_refresh(s, SYMLIE_TRUE);
        if (status != SYMLIE_DONE) return status;
    }
    pull_unknowns(s, &given, work, gradient, &bar);
    for (int taken = 0;; taken++) {
        if (taken == TANGENT_STEPS) return SYMLIE_NOT_CONVERGED;
        copy(UNKNOWNS, u, s->d);
        pull_correction(s, s->d);
        solve_iteration_transposed(P, s->scale, &s->A, s->d);
        for (int k = 0; k < UNKNOWNS; k++) weights[k] = -s->d[k], mu[k] += weights[k];
        if (!all_finite(UNKNOWNS, mu)) return SYMLIE_SINGULAR;
        const int is_settled = cotangents_are_settled(P, taken, weights, mu, &last);
        add_residual_cotangents(s, weights, work, gradient, &bar);
        pull_unknowns(s, &given, work, gradient, &bar);
        if (is_settled) break;
    }
    /* q = q_n o exp(theta), and B_n of w */
    if (SEES_END) copy(DIMENSION, w, v);
    system_tangent_transpose(P, s->theta, q, u);
    system_bracket_transpose(P, s->theta, u, start_q);
    for (int k = 0; k < DIMENSION; k++) start_q[k] = q[k] - start_q[k];
#if HAS_ETA && !SEES_END
    add_eta_gradient(s, work, s->t_n, s->q_n, w, gradient, start_q);
#endif
    fill_zero(DIMENSION, rate);
    for (int n = 0; n < COUNT_OF_STATE; n++) {
        const int k = STATE[n];
        rate[k] = v_dot[k], v_dot[k] = SYMLIE_NUMBER(0);
    }
    return SYMLIE_DONE;
}

#if CONSTRAINED
/* Cotangents of q and v from that of the violation d of hidden constraints; see step_hidden_violation. */
PART_OF_STEP int hidden_violation_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                             const symlie_real *restrict q, const symlie_real *restrict v, const symlie_real *restrict of_d,
                                             mass_matrix *restrict mass, symlie_gradient *restrict gradient, symlie_real *restrict of_q,
                                             symlie_real *restrict of_v)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    ARRAY(of_c, ROWS);
    fill_zero(DIMENSION, of_q);
    fill_zero(DIMENSION, of_v);
    if (!SYMLIE_ANY(largest_entry(DIMENSION, of_d, SYMLIE_NUMBER(0)) > 0)) return SYMLIE_DONE;
    system_jacobian(P, t, q, v, B);
    hidden_residual(P, t, q, B, v, 0, of_c, c);
    clear_velocity_rows(P, c);
    const int status = correction_cotangents(P, work, t, q, v, B, c, of_d, mass, gradient, of_c, of_q, of_v);
    if (status != SYMLIE_DONE) return status;
    clear_velocity_rows(P, of_c);
    fill_zero(ROWS, c);
    add_hidden_gradient(P, t, q, v, of_c, of_c, gradient, of_q, of_v, c);
    return SYMLIE_DONE;
}
#endif

#endif
