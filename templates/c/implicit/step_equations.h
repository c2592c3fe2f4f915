/* The equations at the end of an implicit step, for Newton's method; see symlie/runtime/implicit/implicit_step.py.
 *
 *   q = q_n o exp(theta)                                                    (a)
 *   w = theta + B_n^T eta   (or B^T eta; without eta: w = theta)            (b)
 *   M v' + g(t, q, v) + B^T lambda = 0                                      (c)
 *   Phi(t, q) = 0                                                           (d)
 *   B v + b = 0   (with eta; without it the nonholonomic constraints)       (e)
 *   v' = f(t, q, v, v', lambda)   (first-order states)                      (f)
 *   B v' + Z = 0   (acceleration-level constraints)                         (g)
 *
 * A method defines v and v' as functions of an increment w; for first-order states v' is the rate of the increment. It
 * defines, after this file,
 *
 *   struct step_formula                          parameters of these functions
 *   formula_at(P, formula, theta, w, v, v_dot)   compute v and v'
 *   formula_advance(P, formula, q_n, theta, q)   (a), with SEES_END
 *   formula_offset(formula)                      m - theta, where m is the argument of T in the matrix, with SEES_END
 *   formula_span(formula)                        amplification of the rounding of theta in v', with SEES_END; else 1
 *
 * as well as the constants KEEPS_FACTORS, TANGENT, FULL_STIFFNESS, SCALED and SEES_END. With SEES_END, v and B in (b)
 * are expressed in the coordinates at the end of the step. The tables define HAS_ETA. */
#ifndef SYMLIE_STEP_EQUATIONS_H
#define SYMLIE_STEP_EQUATIONS_H

#define ONE_EXPONENTIAL 1

#include "iteration_tables.h"
#include "iteration_matrix.h"

/* Record of the arguments of stored factors: t, t_n, gamma', beta'; q, q_n; v, v', argument of T; lambda. */
#define RECORD (KEEPS_FACTORS ? 4 + 2 * STORAGE + 3 * DIMENSION + ROWS : 0)

typedef struct step_formula step_formula;

static inline void formula_at(const symlie_problem *restrict P, const step_formula *restrict formula, const symlie_real *restrict theta,
                              const symlie_real *restrict w, symlie_real *restrict v, symlie_real *restrict v_dot);

#if SEES_END
static inline void formula_advance(const symlie_problem *restrict P, const step_formula *restrict formula, const symlie_real *restrict q_n,
                                   const symlie_real *restrict theta, symlie_real *restrict q);

static inline const symlie_real *formula_offset(const step_formula *restrict formula);

static inline symlie_real formula_span(const step_formula *restrict formula);
#else
#define formula_advance(P, formula, q_n, theta, q) system_advance(P, q_n, theta, q)
#define formula_offset(formula) ((void)(formula), (const symlie_real *)0)
#define formula_span(formula) 1
#endif

#define FINDS_JACOBIAN (HAS_ETA && SEES_END) /* 1 if B is evaluated at the end of a step */

typedef struct {
    const symlie_problem *P;
    const step_formula *formula;
    symlie_real t_n;
    symlie_real t;                  /* time at the end of the step */
    symlie_real velocity;           /* gamma' = dv/dw, in 1/s */
    symlie_real acceleration;       /* beta' = dv'/dw, in 1/s^2 */
    symlie_real rate;               /* delta' = dv'/dw of first-order states, in 1/s */
    symlie_real scale;              /* scale of dynamic equations and multipliers */
    const symlie_real *q_n;
    symlie_real *B_n;               /* B_n in (b) */
    symlie_real *F_n;               /* Fq there, and the other derivatives of dependent nodes */
    symlie_real *theta;             /* theta of the last residual; the following arrays depend on it */
    symlie_real *w;                 /* equal to theta without eta */
    symlie_real *mean;              /* argument of T in the last matrix; equal to theta without SEES_END */
    symlie_real *q;
    symlie_real *v;
    symlie_real *v_dot;
    symlie_real *lambda;
    symlie_real *M;
    symlie_real *B;
    symlie_real *rows;              /* scratch of the size of lambda */
    symlie_real *scratch;           /* scratch of the size of v or of lambda */
    symlie_real *terms;             /* sizes of the terms of each dynamic equation */
    symlie_real *zero;              /* zeros of the size of v or of lambda, for terms that the matrix omits */
    symlie_real *u;                 /* unknowns; the following arrays are scratch of Newton's method */
    symlie_real *r;
    symlie_real *d;
    symlie_real *moved;
    symlie_real *guess;
    symlie_mask has_factors;
    symlie_mask is_refreshed;       /* lanes whose previous factors have been replaced by new ones */
    symlie_real *record;            /* arguments of these factors */
    symlie_real *fresh;             /* new factors of some lanes */
    iteration_matrix A;
    struct value_steps *values;     /* steps without tangents */
} newton_problem;

#include "rounding_floor.h"

/* 1 if the residual depends on the configuration; otherwise the configuration is computed from the solution only. */
#define SEES_CONFIGURATION (FORCES_SEE_CONFIGURATION || SEES_END || CONSTRAINED || FIELDS || MOTIONS > 0 || KEEPS_FACTORS)

#define LEAVES_OUT (!(FULL_STIFFNESS && TANGENT))

/* Memory of a step. */
#define IMPLICIT_STEP(name)                                                                                          \
    ARRAY(name##_B_n, (HAS_ETA && !SEES_END) * JACOBIAN_VALUES);                                                   \
    ARRAY(name##_F_n, HAS_ETA * VALUES_OF_F);                                                                        \
    ARRAY(name##_w, HAS_ETA * DIMENSION);                                                                            \
    ARRAY(name##_theta, DIMENSION);                                                                                  \
    ARRAY(name##_mean, SEES_END * DIMENSION);                                                                        \
    ARRAY(name##_q, STORAGE);                                                                                        \
    ARRAY(name##_v, DIMENSION);                                                                                      \
    ARRAY(name##_v_dot, DIMENSION);                                                                                  \
    ARRAY(name##_lambda, ROWS);                                                                                      \
    ARRAY(name##_M, MASS_VALUES);                                                                                    \
    ARRAY(name##_B, JACOBIAN_VALUES);                                                                                \
    ARRAY(name##_rows, ROWS);                                                                                        \
    ARRAY(name##_scratch, DIMENSION + ROWS);                                                                         \
    ARRAY(name##_terms, DIMENSION);                                                                                  \
    ARRAY(name##_zero, LEAVES_OUT * (DIMENSION + ROWS));                                                             \
    ARRAY(name##_u, UNKNOWNS);                                                                                       \
    ARRAY(name##_r, UNKNOWNS);                                                                                       \
    ARRAY(name##_d, SOLVED);                                                                                         \
    ARRAY(name##_moved, UNKNOWNS);                                                                                   \
    ARRAY(name##_guess, KEEPS_FACTORS * UNKNOWNS);                                                                   \
    ARRAY(name##_values, KEEPS_FACTORS ? 0 : MATRIX_VALUES);                                                         \
    ARRAY(name##_K, VALUES_OF_K);                                                                                    \
    ARRAY(name##_C, VALUES_OF_C);                                                                                    \
    ARRAY(name##_H, VALUES_OF_H);                                                                                    \
    ARRAY(name##_T, SQUARES);                                                                                        \
    ARRAY(name##_block, HAS_ETA * (BLOCKS + 1));                                                                     \
    ARRAY(name##_Sq, VALUES_OF_Sq);                                                                                  \
    ARRAY(name##_S, VALUES_OF_S);                                                                                    \
    ARRAY(name##_Z, VALUES_OF_Z);                                                                                    \
    ARRAY(name##_F, VALUES_OF_F);                                                                                    \
    ARRAY(name##_rounding, KEEPS_FACTORS ? 0 : DIMENSION + ROWS);                                                    \
    ARRAY(name##_fresh, KEEPS_FACTORS && SYMLIE_LANES > 1 ? MATRIX_VALUES + DIMENSION + ROWS : 0);                   \
    newton_problem name = {                                                                                          \
        .P = P, .B_n = FINDS_JACOBIAN ? name##_B : name##_B_n, .F_n = name##_F_n, .theta = name##_theta, .w = HAS_ETA ? name##_w : name##_theta, .mean = SEES_END ? name##_mean : name##_theta, .q = name##_q, .v = name##_v, \
        .v_dot = name##_v_dot, .lambda = name##_lambda, .M = name##_M, .B = name##_B, .rows = name##_rows,           \
        .scratch = name##_scratch, .terms = name##_terms, .zero = name##_zero, .u = name##_u, .r = name##_r,         \
        .d = name##_d, .moved = name##_moved, .guess = name##_guess, .fresh = name##_fresh,                          \
        .A = {name##_values, name##_K, name##_C, name##_H, name##_T, name##_block, name##_Sq, name##_S, name##_Z, name##_F, name##_rounding}}; \
    for (int k = 0; k < LEAVES_OUT * (DIMENSION + ROWS); k++) name##_zero[k] = SYMLIE_NUMBER(0)

static inline long long implicit_workspace(const symlie_problem *restrict P)
{
    return (6LL + HAS_ETA + SEES_END + LEAVES_OUT) * DIMENSION + STORAGE + MASS_VALUES + (1LL + HAS_ETA) * JACOBIAN_VALUES + (3LL + LEAVES_OUT) * ROWS +
           (3LL + KEEPS_FACTORS) * UNKNOWNS + SOLVED + iteration_workspace(P) + HAS_ETA * VALUES_OF_F + (KEEPS_FACTORS && SYMLIE_LANES == 1 ? 0 : factors_workspace(P));
}

/* B and Fq in (b) at a configuration; Vq and Vv depend on the velocity v and are not used. */
static inline void increment_coefficients(newton_problem *restrict s, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict v)
{
    const symlie_problem *P = s->P;
    system_jacobian(P, t, q, v, s->B_n);
    symlie_real *restrict Vq = s->F_n + VALUES_OF_Fq, *restrict Vv = Vq + VALUES_OF_Vq;
    system_dependents(P, t, q, v, v, s->lambda, s->F_n, Vq, Vv);
    (void)P;
}

/* w with the increments of eta */
static inline void add_eta(newton_problem *restrict s, const symlie_real *restrict u)
{
    const symlie_problem *P = s->P;
    (void)P;
    copy(DIMENSION, u, s->w);
    for (int k = 0; k < COUNT_OF_DEPENDENT; k++) s->w[DEPENDENT[k]] = SYMLIE_NUMBER(0);
    for (int k = 0; k < JACOBIAN_VALUES; k++)
        s->w[JACOBIAN_COLUMN[k]] += HAS_PHI[JACOBIAN_ROW[k]] ? s->B_n[k] * u[DIMENSION + ROWS + JACOBIAN_ROW[k]] : SYMLIE_NUMBER(0);
    for (int n = 0; n < COUNT_OF_FOLLOWED; n++) {
        const int k = FOLLOWED[n];
        s->w[FOLLOWED_COLUMN[k]] += s->F_n[k] * s->w[FOLLOWED_ROW[k]];
    }
    for (int k = 0; k < COUNT_OF_DEPENDENT; k++) s->w[DEPENDENT[k]] = u[DEPENDENT[k]];
    for (int k = 0; k < COUNT_OF_HELD; k++) s->w[HELD[k]] = SYMLIE_NUMBER(0);
}

/* (a), (b) */
static inline void end_of_step(newton_problem *restrict s, const symlie_real *restrict u)
{
    const symlie_problem *P = s->P;
    copy(DIMENSION, u, s->theta);
    if (SEES_CONFIGURATION) formula_advance(P, s->formula, s->q_n, s->theta, s->q);
    for (int k = 0; k < ROWS; k++) s->lambda[k] = u[DIMENSION + k];
    if (FINDS_JACOBIAN) {
        if (MOTIONS > 0) system_prescribe(P, s->t, s->q, s->v);
        increment_coefficients(s, s->t, s->q, s->v);
    }
    if (HAS_ETA) add_eta(s, u);
    formula_at(P, s->formula, s->theta, s->w, s->v, s->v_dot);
    if (MOTIONS > 0) system_prescribe(P, s->t, s->q, s->v);
    if (COUNT_OF_HELD > 0) {
        if (PRESCRIBED) system_prescribed_acceleration(P, s->t, s->scratch);
        for (int k = 0; k < COUNT_OF_HELD; k++) s->v_dot[HELD[k]] = PRESCRIBED ? s->scratch[HELD[k]] : SYMLIE_NUMBER(0);
    }
}

/* (c), (d), (e) */
static inline void newton_residual(newton_problem *restrict s, const symlie_real *restrict u, symlie_real *restrict r)
{
    const symlie_problem *P = s->P;
    end_of_step(s, u);
    /* B precedes the forces, since these may depend on v. */
    if (!FINDS_JACOBIAN || NONLINEAR_ROWS) system_jacobian(P, s->t, s->q, s->v, s->B);
    system_constraint(P, s->t, s->q, r + DIMENSION);
#if INVERSE_DYNAMICS
    system_inverse_dynamics(P, s->t, s->q, s->v, s->v_dot, r);
#else
    if (!MASS_IS_CONSTANT) system_mass(P, s->t, s->q, s->M);
    system_force(P, s->t, s->q, s->v, r);
    for (int k = 0; k < MASS_VALUES; k++) {
        const int i = MASS_ROW[k], j = MASS_COLUMN[k];
        r[i] += s->M[k] * s->v_dot[j];
        if (i != j) r[j] += s->M[k] * s->v_dot[i];
    }
#endif
    for (int k = 0; k < JACOBIAN_VALUES; k++) r[JACOBIAN_COLUMN[k]] += s->B[k] * s->lambda[JACOBIAN_ROW[k]];
    if (HAS_ETA || !HOLONOMIC) {
        hidden_residual(P, s->t, s->q, s->B, s->v, 0, s->rows, s->scratch);
        for (int k = 0; k < COUNT_OF_RATE_ROW; k++) r[RATE_UNKNOWN[k]] = s->scratch[RATE_ROW[k]];
    }
    if (COUNT_OF_OPEN_ROW > 0) {
        /* (g) */
        system_curvature(P, s->t, s->q, s->v, s->rows);
        multiply_jacobian(P, s->B, s->v_dot, s->scratch);
        for (int k = 0; k < COUNT_OF_OPEN_ROW; k++) r[DIMENSION + OPEN_ROW[k]] = s->scratch[OPEN_ROW[k]] + s->rows[OPEN_ROW[k]];
    }
    if (FIELDS) {
        /* (f) */
        copy(DIMENSION, s->v, s->terms);
        system_field(P, s->t, s->q, s->v_dot, s->lambda, s->terms);
        for (int k = 0; k < COUNT_OF_STATE; k++) r[STATE[k]] = s->v_dot[STATE[k]] - s->terms[STATE[k]];
    }
    for (int k = 0; k < COUNT_OF_HELD; k++) r[HELD[k]] = SYMLIE_NUMBER(0);
    for (int k = 0; k < COUNT_OF_NO_ETA; k++) r[NO_ETA[k]] = SYMLIE_NUMBER(0);
}

#endif
