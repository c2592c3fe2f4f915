/* Generalized-alpha methods on Lie groups, in index-3 or stabilised index-2 form.
 *
 *   q_{n+1} = q_n o exp(theta)                                                              (a)
 *   w = theta + B_n^T eta   (index 3 and without constraints: w = theta)                    (b)
 *   a_{n+1} = (w/h - v_n - h (1/2 - beta) a_n)/(h beta)                                     (1)
 *   v_{n+1} = v_n + h (1 - gamma) a_n + h gamma a_{n+1}                                     (2)
 *   (1 - alpha_f) v'_{n+1} + alpha_f v'_n = (1 - alpha_m) a_{n+1} + alpha_m a_n             (3)
 *   M v'_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}^T lambda_{n+1} = 0                  (c)
 *   Phi(t_{n+1}, q_{n+1}) = 0                                                               (d)
 *   B_{n+1} v_{n+1} + b = 0   (stabilised index 2; nonholonomic constraints in both)        (e)
 *   a_0 = v'_0 + (alpha_m - alpha_f) h v''_0                                                (4)
 *   B_0 dv = B_0 ((1 - 6 beta - 3 (alpha_m - alpha_f)) h^2 v''_0/6 + h^2 [v_0, v'_0]/12)    (5)
 *   a_n <- v'_n + r (a_n - v'_n),   v_n <- v_n + (r^2 - 1) d,   B d = B v_n + b             (6)
 *   theta = h (1 - gamma') z_n + h gamma' z_{n+1}                                           (8)
 *   (1 - alpha_f) z'_{n+1} + alpha_f z'_n = (1 - alpha_m') z_{n+1} + alpha_m' z_n           (9)
 *   z'_{n+1} = f(t_{n+1}, q_{n+1}, v_{n+1}, ...)                                            (f)
 *   theta_hat = h (z'_n + z'_{n+1})/2 - h^3/6 (D_{n+1} - D_n)/(h + h_n) + h^3 [z'_n, D_{n+1}]/12   (10)
 *   theta_hat = h (v_n - d) + h^2 (v'_n/3 + v'_{n+1}/6) + h^3 [v_n, v'_n]/12                (7)
 *
 * r is the ratio of two consecutive step sizes, and v''_0 is a derivative from the right. In index-3 form only, dv =
 * M^-1 B^T mu is added to v_0, and d = M^-1 B^T mu in (6). (8) to (10) apply to first-order states, with gamma' = 1 -
 * alpha_f and alpha_m' = 2 alpha_f - 1/2; z' is stored in v', z in a, and D_{n+1} = (z'_{n+1} - z'_n)/h in the array of
 * the perturbations of v_n. Source: [Holzinger2024], equations 33 to 43 and algorithms 4 and 5;
 * [Hante2022], section 5; (4), (5): [Arnold2016]; [Bruls2012]; (8), (9): [Jansen2000].
 *
 * The parameters are ALPHA_M, ALPHA_F, BETA, GAMMA, and HAS_ETA for stabilised index 2. Equations with letters are
 * implemented in step_equations.h. */
#ifndef SYMLIE_GENERALIZED_ALPHA_H
#define SYMLIE_GENERALIZED_ALPHA_H

#define SEES_END 0
#include "implicit_step.h"

struct step_formula {
    symlie_real h;
    symlie_real per_h;          /* 1/h */
    symlie_real per_h_beta;     /* 1/(h beta) */
    const symlie_real *v_n;
    const symlie_real *acceleration_n;
    const symlie_real *a_n;
};

/* (1) */
static inline symlie_real algorithmic(const step_formula *restrict f, const symlie_real *restrict w, int k)
{
    return (w[k] * f->per_h - f->v_n[k] - f->h * (0.5 - BETA) * f->a_n[k]) * f->per_h_beta;
}

/* (8), (9) and (10) for first-order states. */
#include "alpha_states.h"

/* (2), (3) */
static inline void formula_at(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict theta,
                              const symlie_real *restrict w, symlie_real *restrict v, symlie_real *restrict v_dot)
{
    const symlie_real h = f->h;
    (void)theta;
    for (int k = 0; k < DIMENSION; k++) {
        const symlie_real a = algorithmic(f, w, k);
        v[k] = f->v_n[k] + h * (1 - GAMMA) * f->a_n[k] + h * GAMMA * a;
        v_dot[k] = ((1 - ALPHA_M) * a + ALPHA_M * f->a_n[k] - ALPHA_F * f->acceleration_n[k]) * (1 / (1 - ALPHA_F));
    }
    rates_at_end(P, f, w, v, v_dot);
}

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return implicit_workspace(P) + (4LL + FIELDS) * DIMENSION + STORAGE + JACOBIAN_VALUES + (2LL + FIELDS) * ROWS;
}

/* (4), (5) */
#include "alpha_start.h"

/* (7) and (10); `off` is d, and `own` is the method history. s->terms and s->moved are overwritten. */
static inline void third_order(newton_problem *restrict s, const symlie_real *restrict off, const symlie_real *restrict own,
                               symlie_real *restrict theta)
{
    const symlie_problem *P = s->P;
    const step_formula *f = s->formula;
    const symlie_real h = f->h;
    copy(DIMENSION, f->v_n, s->terms);
    copy(DIMENSION, f->acceleration_n, s->moved);
    FOR_STATES(k) s->terms[k] = f->acceleration_n[k];
    FOR_STATES(k) s->moved[k] = (s->v_dot[k] - f->acceleration_n[k]) / h;
    system_bracket(P, s->terms, s->moved, theta);
    FOR_STATES(k) {
        const symlie_real bend = (s->moved[k] - own[OWN_PERTURBATION + k]) / (h + own[OWN_LENGTH]);
        s->terms[k] = third_order_of_state(h, f->acceleration_n[k], s->v_dot[k], bend, theta[k]);
    }
    for (int k = 0; k < DIMENSION; k++)
        theta[k] = h * (f->v_n[k] - off[k]) + h * h * (f->acceleration_n[k] / 3 + s->v_dot[k] / 6) + h * h * h * theta[k] / 12;
    FOR_STATES(k) theta[k] = s->terms[k];
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(q_n, STORAGE);
    ARRAY(v_n, DIMENSION);
    ARRAY(acceleration_n, DIMENSION);
    ARRAY(a_n, DIMENSION);
    ARRAY(off, DIMENSION);
    IMPLICIT_STEP(end);
    const newton_policy policy = IMPLICIT_POLICY;
    const symlie_real *own = state->own, ratio = h / own[OWN_LENGTH];
    copy(STORAGE, state->q, q_n);
    copy(DIMENSION, own + OWN_ACCELERATION, acceleration_n);
    copy(DIMENSION, own + OWN_ALGORITHMIC, a_n);
    for (int k = 0; k < DIMENSION; k++) v_n[k] = state->v[k] + own[OWN_PERTURBATION + k];
    FOR_STATES(k) v_n[k] = 0;
    for (int k = 0; k < DIMENSION; k++) off[k] = 0;
    const symlie_real *kept = own + OWN - RECORD;
    const int at_hand = trial->own_rest > 0;
    trial->own_rest = 0;
    const step_formula formula = {h, 1 / h, 1 / (h * BETA), v_n, acceleration_n, a_n};
    const symlie_real slope = (1 - ALPHA_M) / (BETA * (1 - ALPHA_F) * h * h);
    int status = begin_implicit_step(&end, &formula, t, t + h, GAMMA / (BETA * h), slope, STATE_RATE(h), q_n, kept,
                                     at_hand, trial->own + OWN - RECORD);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
#if CONSTRAINED && !HAS_ETA
    if (SYMLIE_UNLIKELY(ratio != 1 || control->with_estimate)) {
        system_jacobian(P, t, q_n, v_n, end.B);
        hidden_residual(P, t, q_n, end.B, v_n, 0, end.rows, end.lambda);
        for (int k = 0; k < COUNT_OF_RATE_ROW; k++) end.lambda[RATE_ROW[k]] = 0;
        status = along_constraints(P, t, q_n, end.B, end.lambda, end.terms, end.rows, mass, off);
        if (status != SYMLIE_DONE) return status;
    }
#endif
    if (SYMLIE_UNLIKELY(ratio != 1)) {
        /* (6) */
        for (int k = 0; k < DIMENSION; k++) {
            a_n[k] = acceleration_n[k] + ratio * (a_n[k] - acceleration_n[k]);
            v_n[k] += (ratio * ratio - 1) * off[k];
            off[k] *= ratio * ratio;
        }
    }
    for (int k = 0; k < DIMENSION; k++) {
        const symlie_real guess = PREVIOUS ? acceleration_n[k] : 0;
        const symlie_real a = ((1 - ALPHA_F) * guess + ALPHA_F * acceleration_n[k] - ALPHA_M * a_n[k]) / (1 - ALPHA_M);
        end.u[k] = h * (v_n[k] + h * (0.5 - BETA) * a_n[k] + h * BETA * a);
    }
    FOR_STATES(k) end.u[k] = predicted_state(&formula, PREVIOUS ? acceleration_n[k] : 0, k);
    status = solve_implicit_step(&end, &policy, PREVIOUS ? state->lambda : 0, &trial->newton);
    trial->rhs_evaluations = trial->newton.evaluations;
    copy(DIMENSION, acceleration_n, trial->first_acceleration);
    trial->acceleration_is_valid = 0;
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    keep_end(&end, work, trial);
    keep_record(&end, kept, trial);
    trial->own[OWN_LENGTH] = h;
    for (int k = 0; k < DIMENSION; k++) {
        trial->own[OWN_ACCELERATION + k] = trial->acceleration[k];
        trial->own[OWN_ALGORITHMIC + k] = without_traces(algorithmic(&formula, end.w, k));
        trial->own[OWN_PERTURBATION + k] = 0;
    }
    FOR_STATES(k) trial->own[OWN_ALGORITHMIC + k] = without_traces(algorithmic_rate(&formula, end.w, k));
    FOR_STATES(k) trial->own[OWN_PERTURBATION + k] = without_traces((end.v_dot[k] - acceleration_n[k]) / h);
    if (EMBEDDED && control->with_estimate) {
        third_order(&end, off, own, end.d);
        trial->error = error_norm(P, control, trial, end.theta, end.d, state->v, end.v, end.v);
    }
    return SYMLIE_DONE;
}

#endif
