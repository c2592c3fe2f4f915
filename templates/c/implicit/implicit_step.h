/* An implicit step, solved by Newton's method with optional reuse of factorisations; see
 * symlie/runtime/implicit/implicit_step.py. */
#ifndef SYMLIE_IMPLICIT_STEP_H
#define SYMLIE_IMPLICIT_STEP_H

#include "step_equations.h"

/* Argument m of T for which the derivative of v with respect to the configuration is gamma' T^-1(m), up to products
 * of increments. */
static inline const symlie_real *tangent_at(newton_problem *restrict s)
{
    const symlie_problem *P = s->P;
    const symlie_real *restrict offset = formula_offset(s->formula);
    for (int k = 0; SEES_END && k < DIMENSION; k++) s->mean[k] = s->theta[k] + offset[k];
    (void)P;
    return s->mean;
}

/* Evaluate and factorise the matrix at the end of a step for some lanes, with M and B there and B_n at the start. */
static inline int take_matrix(newton_problem *restrict s, symlie_mask of_lanes, symlie_real t, const symlie_real *restrict q,
                              const symlie_real *restrict v, const symlie_real *restrict v_dot, const symlie_real *restrict mean,
                              const symlie_real *restrict lambda)
{
    const symlie_problem *P = s->P;
    const int keeps_others = KEEPS_FACTORS && SYMLIE_LANES > 1 && !SYMLIE_ALL(of_lanes);
    iteration_matrix A = s->A;
    (void)P;
    if (keeps_others) A.values = s->fresh, A.rounding = s->fresh + MATRIX_VALUES;
    const int status = take_iteration_matrix(s->P, t, q, v, FULL_STIFFNESS ? v_dot : s->zero, FULL_STIFFNESS ? lambda : s->zero,
                                             TANGENT ? mean : s->zero, s->M, s->B, s->B_n, s->F_n, s->acceleration, s->velocity, s->rate,
                                             s->scale, &A);
    if (KEEPS_FACTORS) measure_rounding(P, q, s->B, s->terms, &A);
    if (keeps_others) copy_where(of_lanes, MATRIX_VALUES + DIMENSION + ROWS, A.values, s->A.values);
    return status;
}

/* Factors of the previous step with a record of the arguments at which they were evaluated. Within one process they
 * stay in memory; otherwise they are recomputed. */
static inline long long kept_workspace(const symlie_problem *restrict P)
{
    return KEEPS_FACTORS ? RECORD + factors_workspace(P) : 0;
}

/* Discard the factors: their record differs from all others. */
static inline void forget_kept(const symlie_problem *restrict P)
{
    if (KEEPS_FACTORS) P->workspace[2] = SYMLIE_NUMBER(0);
}

static inline void share_kept(const symlie_problem *restrict P, int from, int to)
{
    symlie_real *memory = P->workspace;
    for (long long k = 0; k < kept_workspace(P); k++) SYMLIE_OF_LANE(memory[k], to) = SYMLIE_OF_LANE(memory[k], from);
}

/* Records do not contain parameters, which are different for other members. */
static inline void forget_lane(const symlie_problem *restrict P, int lane)
{
    if (KEEPS_FACTORS) SYMLIE_OF_LANE(P->workspace[2], lane) = 0;
}

static inline void forget_alone(const symlie_problem *restrict P, void *workspace)
{
    (void)P;
    if (KEEPS_FACTORS) ((symlie_scalar *)workspace)[2] = 0;
}

static inline int take_again(newton_problem *restrict s, symlie_mask of_lanes, const symlie_real *restrict record)
{
    const symlie_problem *P = s->P;
    const symlie_real *q = record + 4, *q_n = q + STORAGE, *v = q_n + STORAGE, *v_dot = v + DIMENSION, *mean = v_dot + DIMENSION;
    if (!MASS_IS_CONSTANT) system_mass(P, record[0], q, s->M);
    system_jacobian(P, record[0], q, v, s->B);
    if (HAS_ETA) increment_coefficients(s, record[SEES_END ? 0 : 1], SEES_END ? q : q_n, v);
    return take_matrix(s, of_lanes, record[0], q, v, v_dot, mean, mean + DIMENSION);
}

/* Find the lanes with factors for the slopes of the step, and evaluate factors that are not in memory. */
static inline int find_factors(newton_problem *restrict s, const symlie_real *restrict kept, int at_hand)
{
    const symlie_problem *P = s->P;
    symlie_real *restrict known = P->workspace;
    s->A.values = known + RECORD, s->A.rounding = s->A.values + MATRIX_VALUES;
    s->has_factors = (kept[2] == s->velocity) & (kept[3] == s->acceleration);
    symlie_mask is_lost = s->has_factors;
    if (!at_hand && SYMLIE_ANY(is_lost)) is_lost &= differ(RECORD, kept, known);
    if (at_hand || !SYMLIE_ANY(is_lost)) return SYMLIE_DONE;
    const int status = take_again(s, is_lost, kept);
    if (status == SYMLIE_DONE) copy_where(is_lost, RECORD, kept, known);
    return status;
}

/* Record the arguments at which the factors of some lanes are evaluated. */
static inline void record_arguments(newton_problem *restrict s, symlie_mask of_lanes, const symlie_real *restrict mean)
{
    const symlie_problem *P = s->P;
    const symlie_real numbers[] = {s->t, s->t_n, s->velocity, s->acceleration};
    symlie_real *restrict part = s->record;
    copy_where(of_lanes, 4, numbers, part);
    copy_where(of_lanes, STORAGE, s->q, part += 4);
    copy_where(of_lanes, STORAGE, s->q_n, part += STORAGE);
    copy_where(of_lanes, DIMENSION, s->v, part += STORAGE);
    copy_where(of_lanes, DIMENSION, s->v_dot, part += DIMENSION);
    copy_where(of_lanes, DIMENSION, mean, part += DIMENSION);
    copy_where(of_lanes, ROWS, s->lambda, part += DIMENSION);
    copy_where(of_lanes, RECORD, s->record, P->workspace);
    s->has_factors |= of_lanes, s->is_refreshed |= of_lanes;
}

/* Begin a step of the given formula. `kept` is the record of the factors of the previous step, and at_hand is 1 if
 * these factors are known to be in memory. The record of new factors is written to `record`. */
static inline int begin_implicit_step(newton_problem *restrict s, const step_formula *restrict formula, symlie_real t_n, symlie_real t,
                                      symlie_real velocity, symlie_real acceleration, symlie_real rate,
                                      const symlie_real *restrict q_n, const symlie_real *restrict kept, int at_hand,
                                      symlie_real *restrict record)
{
    const symlie_problem *P = s->P;
    s->formula = formula, s->t_n = t_n, s->t = t, s->q_n = q_n, s->record = record;
    s->velocity = velocity, s->acceleration = acceleration, s->rate = rate, s->scale = SCALED ? acceleration : SYMLIE_NUMBER(1);
    s->has_factors = s->is_refreshed = SYMLIE_FALSE;
    if (!SEES_CONFIGURATION) copy(STORAGE, q_n, s->q);
    for (int k = 0; (NONLINEAR_ROWS || VALUES_OF_F > 0) && k < DIMENSION; k++) s->v[k] = SYMLIE_NUMBER(0);
    if (MASS_IS_CONSTANT) system_mass(P, t_n, q_n, s->M);
    const int status = KEEPS_FACTORS && !VALUES_FIRST ? find_factors(s, kept, at_hand) : SYMLIE_DONE;
    if (HAS_ETA && !SEES_END) increment_coefficients(s, t_n, q_n, s->v);
    return status;
}

static inline int newton_refresh(newton_problem *restrict s, symlie_mask of_lanes)
{
    const symlie_problem *P = s->P;
    const symlie_real *mean = tangent_at(s);
    if (INVERSE_DYNAMICS && !MASS_IS_CONSTANT) system_mass(P, s->t, s->q, s->M);
    if (KEEPS_FACTORS) record_arguments(s, of_lanes, mean);
    (void)P;
    return take_matrix(s, of_lanes, s->t, s->q, s->v, s->v_dot, mean, s->lambda);
}

#if VALUES_FIRST
#include "step_tangents.h"
#else
static SYMLIE_INLINE void solve_for_correction(newton_problem *restrict s, symlie_real *restrict d) { solve_iteration(s->P, s->scale, &s->A, d); }

static inline int complete_implicit_step(newton_problem *restrict s, const symlie_real *restrict lambda, symlie_trial *restrict trial)
{
    (void)s, (void)lambda, (void)trial;
    return SYMLIE_DONE;
}
#endif

/* Inlined: otherwise some compilers make the solution several times slower. */
static SYMLIE_INLINE int newton_correction(newton_problem *restrict s, const symlie_real *restrict r, symlie_real *restrict d)
{
    const symlie_problem *P = s->P;
    copy(UNKNOWNS, r, d);
    solve_for_correction(s, d);
    if (SEES_END && TANGENT) {
        /* The matrix has an unknown x with dv = gamma' x; the correction is T^-1(theta) T(m) x with m = theta + o. Up to
         * products of increments, which the derivative of v neglects as well, this is x - [o, x]/2. */
        system_bracket(P, formula_offset(s->formula), d, s->scratch);
        for (int k = 0; k < DIMENSION; k++) d[k] -= s->scratch[k] / 2;
    }
    return all_finite(UNKNOWNS, d) ? SYMLIE_DONE : SYMLIE_SINGULAR;
}

#include "newton.h"

#define IMPLICIT_POLICY {NEWTON_MAX, HALVINGS, 0, NEWTON_RTOL, NEWTON_ATOL, 1, KEEPS_FACTORS ? SYMLIE_TRUE : SYMLIE_FALSE, CONTRACTION, PATIENCE, RENEWS_FACTORS}

/* Solve the equations from the initial guess s->u and the given multipliers, or zero multipliers if lambda is null;
 * on return s contains the end of the step. */
static inline int solve_implicit_step(newton_problem *restrict s, const newton_policy *restrict policy,
                                      const symlie_real *restrict lambda, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    for (int k = 0; k < COUNT_OF_HELD; k++) s->u[HELD[k]] = SYMLIE_NUMBER(0);
    for (int k = DIMENSION; k < UNKNOWNS; k++) s->u[k] = SYMLIE_NUMBER(0);
    if (lambda) copy(ROWS, lambda, s->u + DIMENSION);
    const int status = newton_solve(s, policy, UNKNOWNS, SYMLIE_NUMBER(1), s->u, s->r, s->d, s->moved, s->guess, counts);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    if (!SEES_CONFIGURATION) system_advance(P, s->q_n, s->theta, s->q);
    const symlie_real angle = system_chart(P, s->q_n, s->theta);
    if (SYMLIE_UNLIKELY(!SYMLIE_ALL(angle < CHART_LIMIT))) return SYMLIE_ANY(angle >= CHART_LIMIT) ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    return all_finite(DIMENSION, s->v) ? SYMLIE_DONE : SYMLIE_NOT_FINITE;
}

/* Store the solution, and a factorised matrix near it: the one of the iteration, or a new one. */
static inline int keep_solution(newton_problem *restrict s, int has_matrix, symlie_real *restrict solution)
{
    const symlie_problem *P = s->P;
    symlie_real *restrict values = solution + UNKNOWNS;
    copy(UNKNOWNS, s->u, solution);
    (void)P;
    if (has_matrix) {
        copy(MATRIX_VALUES, s->A.values, values);
        return SYMLIE_DONE;
    }
    s->A.values = values, s->A.rounding = values + MATRIX_VALUES;
    return take_matrix(s, SYMLIE_TRUE, s->t, s->q, s->v, s->v_dot, tangent_at(s), s->lambda);
}

/* Record the factors that the next step reuses; `kept` is the record of the previous factors. After a step with many
 * corrections, including corrections with rejected factors, the next step computes new factors unless the iteration
 * has already done so. Events read the whole state. */
static inline void keep_record(const newton_problem *restrict s, const symlie_real *restrict kept, symlie_trial *restrict trial)
{
    const symlie_problem *P = s->P;
    symlie_real *restrict record = trial->own + OWN - RECORD;
    const symlie_mask is_slow = RENEWS_FACTORS ? SYMLIE_FALSE : trial->newton.iterations > NEWTON_SLOW;
    const symlie_mask is_kept = SYMLIE_NOT(s->is_refreshed);
    (void)P;
    if (!KEEPS_FACTORS) return;
    if (HAS_EVENTS || SYMLIE_LANES > 1 || SYMLIE_ANY(is_slow)) copy_where(is_kept, RECORD, kept, record);
    else if (SYMLIE_ANY(is_kept)) trial->own_rest = RECORD;
    if (SYMLIE_ANY(is_slow)) record[2] = SYMLIE_WHERE(is_slow, SYMLIE_NUMBER(0), record[2]);
}

/* Solve the equations from s->u, and record what the next step or the tangents of this step use. */
static inline int finish_implicit_step(newton_problem *restrict s, const newton_policy *restrict policy, const symlie_real *restrict lambda,
                                       const symlie_real *restrict kept, symlie_trial *restrict trial)
{
    const symlie_problem *P = s->P;
    const symlie_whole matrices = trial->newton.jacobians;
    (void)P;
    if (VALUES_FIRST) return complete_implicit_step(s, lambda, trial);
    const int status = solve_implicit_step(s, policy, lambda, &trial->newton);
    trial->rhs_evaluations = trial->newton.evaluations;
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    keep_record(s, kept, trial);
    for (int k = 0; k < DIMENSION; k++) s->v[k] = without_traces(s->v[k]), s->v_dot[k] = without_traces(s->v_dot[k]);
    if (!SYMLIE_VALUES) return SYMLIE_DONE;
    return keep_solution(s, SYMLIE_ANY(KEEPS_FACTORS ? s->has_factors : trial->newton.jacobians > matrices), trial->solution);
}

/* Pass the record of factors on after a step that does not use them. */
static inline void pass_record(const symlie_problem *restrict P, const symlie_state *restrict state, symlie_trial *restrict trial)
{
    (void)P;
    copy(RECORD, state->own + OWN - RECORD, trial->own + OWN - RECORD);
    trial->own_rest = 0;
}

/* Solve the equations of a step of length h from an initial guess of theta and of the multipliers, or zero multipliers if
 * lambda is null; velocity, acceleration and rate are the slopes of the formula. On return s contains the end of the
 * step. */
static inline int take_implicit_step(newton_problem *restrict s, const step_formula *restrict formula, symlie_real t, symlie_real h,
                                     symlie_real velocity, symlie_real acceleration, symlie_real rate,
                                     const symlie_real *restrict q_n, const symlie_real *restrict guess,
                                     const symlie_real *restrict lambda, const symlie_state *restrict state,
                                     symlie_trial *restrict trial)
{
    const symlie_problem *P = s->P;
    const newton_policy policy = IMPLICIT_POLICY;
    const symlie_real *kept = state->own + OWN - RECORD;
    const int at_hand = trial->own_rest > 0;
    (void)P;
    trial->own_rest = 0;
    int status = begin_implicit_step(s, formula, t, t + h, velocity, acceleration, rate, q_n, kept, at_hand, trial->own + OWN - RECORD);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    copy(DIMENSION, guess, s->u);
    return finish_implicit_step(s, &policy, lambda, kept, trial);
}

/* Clear the rows of constraints without Phi. */
static inline void clear_velocity_rows(const symlie_problem *restrict P, symlie_real *restrict c)
{
    (void)P;
    for (int k = 0; HAS_ETA && k < ROWS; k++) c[k] = HAS_PHI[k] ? c[k] : SYMLIE_NUMBER(0);
    for (int k = 0; !HAS_ETA && k < COUNT_OF_RATE_ROW; k++) c[RATE_ROW[k]] = SYMLIE_NUMBER(0);
}

/* d = M^-1 B^T mu with B d = B v + b for holonomic constraints, and B d = 0 for others; or zero if `needed` is zero and
 * the step has no error estimate. */
static inline int step_hidden_violation(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                        const symlie_real *restrict v, mass_matrix *restrict mass, symlie_real *restrict d,
                                        const symlie_control *restrict control, symlie_real needed)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(r, DIMENSION);
    ARRAY(b, ROWS);
    ARRAY(c, ROWS);
    for (int k = 0; k < DIMENSION; k++) d[k] = SYMLIE_NUMBER(0);
    if (!control->with_estimate && !SYMLIE_ANY(needed != 0)) return SYMLIE_DONE;
    system_jacobian(P, t, q, v, B);
    hidden_residual(P, t, q, B, v, 0, b, c);
    clear_velocity_rows(P, c);
    const int status = along_constraints(P, t, q, B, c, r, b, mass, d);
    for (int k = 0; k < DIMENSION && !control->with_estimate; k++) d[k] = SYMLIE_WHERE(needed != 0, d[k], SYMLIE_NUMBER(0));
    return status;
}

#endif
