/* Newton matrix of implicit steps for the unknowns theta, lambda and eta.
 *
 *   [ beta' M + gamma' C + K T   B^T   (beta' M + gamma' C) B_n^T ]
 *   [ B T                        0     0                          ]
 *   [ gamma' B + H T             0     gamma' B B_n^T             ]
 *
 * It is the derivative of [M v' + g + B^T lambda; Phi; B v + b], where dv = gamma' (dtheta + B_n^T deta) and dv' =
 * beta' (dtheta + B_n^T deta). The last row and column exist if HAS_ETA is 1. Nonholonomic constraints have gamma' B +
 * H T in the second row, and neither a third row nor an eta. For first-order states the residual is v' - f, and the
 * formula of the method computes v' from theta with dv' = delta' dtheta. Their rows are [Sq T + gamma' Sv + beta' Sa
 * Sl   (gamma' Sv + beta' Sa) B_n^T] with delta' added on the diagonal; Sq includes the derivatives of the forces with
 * respect to these states. Acceleration-level constraints have beta' B + gamma' Zv + Zq T in the second row. For dependent
 * nodes theta stands for v', and the variations x of q_d and gamma' y of v_d are further unknowns with
 *
 *   x - Fq (T dtheta, x) = 0,   y - Vq (T dtheta, x) / gamma' - Vv (dtheta, y) = 0.
 *
 * With such constraints or nodes and HAS_ETA, the increment dw = dtheta + B_n^T deta and the forces on dependent nodes, which
 * act on the others by Fq, are unknowns instead of the last column.
 *
 * Dynamic equations and acceleration-level constraints are divided by SCALE, and multipliers are multiplied by it. The
 * tables of symlie/runtime/kernels/iteration_tables.py give the position of each value. */
#ifndef SYMLIE_ITERATION_MATRIX_H
#define SYMLIE_ITERATION_MATRIX_H

#include "complement_diagonal.h"
#include "products.h"

#define UNKNOWNS (DIMENSION + (1 + HAS_ETA) * ROWS)

/* Matrices of features that the model does not have are empty. */
#ifndef VALUES_OF_Sq
#define VALUES_OF_Sq 0
#define VALUES_OF_Sv 0
#define VALUES_OF_Sa 0
#define VALUES_OF_Sl 0
#define system_fields(P, t, q, v, a, lambda, Sq, Sv, Sa, Sl) ((void)(Sq), (void)(Sv), (void)(Sa), (void)(Sl))
#endif
#ifndef VALUES_OF_Zq
#define VALUES_OF_Zq 0
#define VALUES_OF_Zv 0
#define system_variations(P, t, q, v, a, lambda, Zq, Zv) ((void)(Zq), (void)(Zv))
#endif
#ifndef VALUES_OF_Fq
#define VALUES_OF_Fq 0
#define VALUES_OF_Vq 0
#define VALUES_OF_Vv 0
#define system_dependents(P, t, q, v, a, lambda, Fq, Vq, Vv) ((void)(Fq), (void)(Vq), (void)(Vv))
#endif

#define VALUES_OF_S (VALUES_OF_Sv + VALUES_OF_Sa + VALUES_OF_Sl)
#define VALUES_OF_Z (VALUES_OF_Zq + VALUES_OF_Zv)
#define VALUES_OF_F (VALUES_OF_Fq + VALUES_OF_Vq + VALUES_OF_Vv)

/* Memory of the matrix and of its blocks. */
typedef struct {
    symlie_real *values;
    symlie_real *K;
    symlie_real *C;
    symlie_real *H;
    symlie_real *T;
    symlie_real *block;     /* beta' M + gamma' C */
    symlie_real *Sq;
    symlie_real *S;         /* Sv, Sa and Sl */
    symlie_real *Z;         /* Zq and Zv */
    symlie_real *F;         /* Fq, Vq and Vv */
    symlie_real *rounding;  /* |K| |q|, with |Sq| |q|; |B| |q|, or |Zq| |q| of acceleration-level constraints */
} iteration_matrix;

/* Sizes of the data stored with the factors, and of the scratch memory. */
static inline long long factors_workspace(const symlie_problem *restrict P)
{
    (void)P;
    return MATRIX_VALUES + DIMENSION + ROWS;
}

static inline long long iteration_workspace(const symlie_problem *restrict P)
{
    (void)P;
    return VALUES_OF_K + VALUES_OF_C + VALUES_OF_H + VALUES_OF_Sq + VALUES_OF_S + VALUES_OF_Z + VALUES_OF_F + SQUARES + HAS_ETA * (BLOCKS + 1LL);
}

/* 1 if a block of the matrix is multiplied by T. */
#define HAS_PRODUCTS                                                                                                 \
    (COUNT_OF_STIFFNESS_RUNS + COUNT_OF_PUSH_RUNS + COUNT_OF_HIDDEN_RUNS + COUNT_OF_STATE_RUNS + COUNT_OF_CURVATURE_RUNS + \
         COUNT_OF_FOLLOWING_RUNS + COUNT_OF_FOLLOWING_RATE_RUNS > 0)

/* Regularise redundant constraints: subtract a small multiple of the Schur complement B M^-1 B^T from the diagonal
 * block of lambda, and add a small multiple of gamma' B B^T to the diagonal block of eta. The row of T is scratch. */
static inline void regularise(const symlie_problem *restrict P, const symlie_real *restrict M, const symlie_real *restrict B,
                              symlie_real inertial, symlie_real velocity, iteration_matrix *restrict A)
{
    symlie_real *restrict mobility = A->T, *restrict values = A->values;
    const int *restrict place = SADDLE_DIAGONAL + DIMENSION;
    take_mobility(P, M, inertial, mobility);
    for (int k = 0; k < COUNT_OF_HELD; k++) mobility[HELD[k]] = SYMLIE_NUMBER(0);
    subtract_complement(P, B, mobility, values);
    for (int k = 0; HAS_ETA && k < JACOBIAN_VALUES; k++)
        if (HAS_PHI[JACOBIAN_ROW[k]]) values[place[ROWS + JACOBIAN_ROW[k]]] += REGULARISATION * velocity * B[k] * B[k];
    for (int k = 0; k < COUNT_OF_RATE_ROW; k++)
        if (RATE_UNKNOWN[k] < DIMENSION + ROWS) values[place[RATE_UNKNOWN[k] - DIMENSION]] *= velocity;
    for (int k = 0; k < COUNT_OF_OPEN_ROW; k++) values[place[OPEN_ROW[k]]] *= inertial;
    for (int k = 0; HAS_ETA && k < ROWS; k++)
        values[place[ROWS + k]] = SYMLIE_WHERE(values[place[ROWS + k]] == 0, REGULARISATION * velocity, values[place[ROWS + k]]);
}

/* Add the columns of eta, or the rows and columns of dw and of the forces on dependent nodes. */
static inline void add_eta_columns(const symlie_problem *restrict P, const symlie_real *restrict M, const symlie_real *restrict B,
                                   const symlie_real *restrict B_n, const symlie_real *restrict F_n, symlie_real inertial,
                                   symlie_real damped, symlie_real velocity, iteration_matrix *restrict A)
{
    symlie_real *restrict values = A->values, *restrict block = A->block;
    const symlie_real *restrict Sv = A->S, *restrict Sa = Sv + VALUES_OF_Sv;
    (void)P, (void)Sa;
    for (int k = 0; k < BLOCKS; k++) block[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < MASS_VALUES; k++) {
        block[MASS_BLOCK[k]] += inertial * M[k];
        block[MASS_BLOCK_MIRROR[k]] += inertial * M[k];
    }
    for (int k = 0; k < VALUES_OF_C; k++) block[DAMPING_BLOCK[k]] += damped * A->C[k];
    for (int k = 0; k < VALUES_OF_Sv; k++) block[STATE_VELOCITY_BLOCK[k]] += damped * Sv[k];
    for (int k = 0; k < VALUES_OF_Sa; k++) block[STATE_ACCELERATION_BLOCK[k]] += inertial * Sa[k];
    for (int k = 0; k < COUNT_OF_BACK_TO; k++)
        for (int i = 0; i < BACK_COUNT[k]; i++)
            values[BACK_TO[k] + i * BACK_STRIDE[k]] += block[BACK_COLUMN[k] + i * BACK_STEP[k]] * B_n[BACK_VALUE[k]];
    for (int k = 0; k < COUNT_OF_CORNER_TO; k++) values[CORNER_TO[k]] += velocity * B[CORNER_LEFT[k]] * B_n[CORNER_RIGHT[k]];
    for (int k = 0; k < COUNT_OF_SHIFT_TO; k++) values[SHIFT_TO[k]] -= 1;
    for (int k = 0; k < COUNT_OF_FORCE_TO; k++) values[FORCE_TO[k]] -= B_n[k];
    for (int k = 0; k < COUNT_OF_FOLLOWED_TO; k++) values[FOLLOWED_TO[k]] -= F_n[k];
}

/* Evaluate and factorise the matrix at the end of a step, with M and B there and B_n at the start. */
static inline int take_iteration_matrix(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q,
                                        const symlie_real *restrict v, const symlie_real *restrict a, const symlie_real *restrict lambda,
                                        const symlie_real *restrict theta, const symlie_real *restrict M, const symlie_real *restrict B,
                                        const symlie_real *restrict B_n, const symlie_real *restrict F_n, symlie_real acceleration, symlie_real velocity,
                                        symlie_real rate, symlie_real scale, iteration_matrix *restrict A)
{
    const elimination E = read_elimination(ELIMINATION);
    symlie_real *restrict values = A->values;
    const symlie_real inertial = acceleration / scale, damped = velocity / scale, stiff = 1 / scale;
    int lost = 0;
    system_newton(P, t, q, v, a, lambda, A->K, A->C, A->H);
    if (HAS_PRODUCTS) system_tangent_matrix(P, theta, A->T);
    clear_matrix(&E, values);
    for (int k = 0; k < MASS_VALUES; k++) {
        values[MASS_TO[k]] += inertial * M[k];
        values[MASS_MIRROR[k]] += inertial * M[k];
    }
    for (int k = 0; k < VALUES_OF_C; k++) values[DAMPING_TO[k]] += damped * A->C[k];
    if (HAS_STIFFNESS) { ADD_PRODUCT(STIFFNESS, stiff, A->K, A->T); }
    for (int k = 0; k < COUNT_OF_UNIT_TO; k++) values[UNIT_TO[k]] = SYMLIE_NUMBER(1);
    symlie_real *restrict Sv = A->S, *restrict Sa = Sv + VALUES_OF_Sv, *restrict Sl = Sa + VALUES_OF_Sa;
    system_fields(P, t, q, v, a, lambda, A->Sq, Sv, Sa, Sl);
    for (int k = 0; k < COUNT_OF_STATE; k++) values[STATE_UNIT_TO[k]] += rate / scale;
    ADD_PRODUCT(STATE, stiff, A->Sq, A->T);
    for (int k = 0; k < VALUES_OF_Sv; k++) values[STATE_VELOCITY_TO[k]] += damped * Sv[k];
    for (int k = 0; k < VALUES_OF_Sa; k++) values[STATE_ACCELERATION_TO[k]] += inertial * Sa[k];
    for (int k = 0; k < VALUES_OF_Sl; k++) values[STATE_MULTIPLIER_TO[k]] += Sl[k];
    symlie_real *restrict Zv = A->Z + VALUES_OF_Zq, *restrict Vq = A->F + VALUES_OF_Fq, *restrict Vv = Vq + VALUES_OF_Vq;
    system_variations(P, t, q, v, a, lambda, A->Z, Zv);
    for (int k = 0; k < COUNT_OF_OPEN_TO; k++) values[OPEN_TO[k]] += inertial * B[k];
    ADD_PRODUCT(CURVATURE, stiff, A->Z, A->T);
    for (int k = 0; k < VALUES_OF_Zv; k++) values[CURVATURE_VELOCITY_TO[k]] += damped * Zv[k];
    system_dependents(P, t, q, v, a, lambda, A->F, Vq, Vv);
    ADD_PRODUCT(FOLLOWING, SYMLIE_NUMBER(-1), A->F, A->T);
    ADD_PRODUCT(FOLLOWING_RATE, -1 / velocity, Vq, A->T);
    for (int k = 0; k < VALUES_OF_Vv; k++) values[FOLLOWING_VELOCITY_TO[k]] -= Vv[k];
    for (int k = 0; k < JACOBIAN_VALUES; k++) values[PULL_TO[k]] += B[k];
    ADD_PRODUCT(PUSH, SYMLIE_NUMBER(1), B, A->T);
    if (HAS_ETA || !HOLONOMIC) {
        for (int k = 0; k < JACOBIAN_VALUES; k++) values[RATE_TO[k]] += velocity * B[k];
        ADD_PRODUCT(HIDDEN, SYMLIE_NUMBER(1), A->H, A->T);
    }
    if (HAS_ETA) add_eta_columns(P, M, B, B_n, F_n, inertial, damped, velocity, A);
    if (PROBES) regularise(P, M, B, inertial, velocity, A);
    else if (RELEASES) hold_released_rows(P, B, HAS_ETA, values);
    return factorise_matrix(&E, values, &lost);
}

/* Solve the linear system for the right-hand side x in place; x has SOLVED entries. */
static inline void solve_iteration(const symlie_problem *restrict P, symlie_real scale, iteration_matrix *restrict A, symlie_real *restrict x)
{
    const elimination E = read_elimination(ELIMINATION);
    (void)P;
    for (int k = 0; k < DIMENSION; k++) x[k] /= scale;
    for (int k = 0; k < COUNT_OF_OPEN_ROW; k++) x[DIMENSION + OPEN_ROW[k]] /= scale;
    for (int k = UNKNOWNS; k < SOLVED; k++) x[k] = SYMLIE_NUMBER(0);
    solve_factorised(&E, A->values, x);
    for (int k = 0; k < ROWS; k++) x[DIMENSION + k] *= scale;
}

#endif
