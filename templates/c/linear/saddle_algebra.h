/* Solution with the whole saddle point matrix of one stage, for singular M:
 *
 *   [ M    B0^T ] [a     ]   [r]
 *   [ B1   0    ] [lambda] = [c]
 *
 * Redundant constraint equations that find_dependent_rows removes are omitted; their multipliers are zero. The matrix
 * is regular if M is regular on the null space of B. Clamped components have a one on the diagonal and are zero.
 * SADDLE_REFINEMENTS steps of iterative refinement compute the residual by products with M, B0 and B1. The tables of
 * symlie/runtime/linear/saddle.py give the position of each value. Included after the model. */
#ifndef SYMLIE_SADDLE_ALGEBRA_H
#define SYMLIE_SADDLE_ALGEBRA_H

#define MASS_IS_REGULAR 0
#define REFINEMENT_WORKSPACE (2LL * (DIMENSION + ROWS))

#include "saddle_tables.h"

/* Maximum number of redundant constraint equations; see dependent_rows.h. */
#ifndef PROBES
#define PROBES 0
#endif
/* Released constraint equations are omitted in the same way; see symlie/derive/constraints.py. */
#ifndef RELEASES
#define RELEASES 0
#endif
#define OMITS_ROWS (PROBES || RELEASES)
#if OMITS_ROWS
#define KEPT(row, x) (m->kept[row] * (x))
#else
#define KEPT(row, x) (x)
#endif

/* Completion of a singular M by constraint equations; see held_mass.h. It is used if the whole matrix would be a
 * band matrix, or if M has generated factors. */
#if FIXED_TOPOLOGY
#define HOLDS (FACTORS > 0 && COUNT_OF_HELD_TO > 0 && !OMITS_ROWS)
#elif defined(SYMLIE_BAND_H) && !OMITS_ROWS
#define HOLDS 1
#else
#define HOLDS 0
#endif
#if HOLDS
#include "held_mass.h"
#endif

/* Memory of a matrix: on the stack, or in the workspace for large systems. */
#if FIXED_TOPOLOGY
#include "fixed_products.h"

#define SADDLE_MEMORY(name, size) symlie_real name[size]

typedef struct {
    symlie_real M[MASS_VALUES > 0 ? MASS_VALUES : 1];
#if PROBES
    int dependent_rows;         /* number of dependent combinations of equations */
    int elastic;                /* number of these combinations whose multipliers follow from compliances */
    symlie_real combination[PROBES * ROWS];
    symlie_real rest[PROBES * ROWS];
    symlie_real scale[ROWS];
#endif
#if OMITS_ROWS
    symlie_real kept[ROWS];     /* 0 for omitted equations, 1 for others */
#endif
} mass_matrix;
#else
#define SADDLE_MEMORY(name, size) symlie_real *restrict name = m->name

typedef struct {
    symlie_real *M; /* values of all elements */
    symlie_real *matrix;
    symlie_real *x;
    symlie_real *y;
    symlie_real *held;
    symlie_real *refinement;
#if PROBES
    int dependent_rows;
    int elastic;
    symlie_real *combination;
    symlie_real *rest;
    symlie_real *scale;
#endif
#if OMITS_ROWS
    symlie_real *kept;
#endif
} mass_matrix;
#endif

static inline long long mass_workspace(const symlie_problem *restrict P)
{
    (void)P;
    long long size = FIXED_TOPOLOGY ? 0 : MASS_VALUES + MATRIX_VALUES + 2LL * SADDLE_UNKNOWNS + (PROBES ? (2 * PROBES + 1LL) * ROWS : 0) + OMITS_ROWS * ROWS;
#if HOLDS && !FIXED_TOPOLOGY
    size += held_workspace(P);
#endif
    return size + (FIXED_TOPOLOGY ? 0 : REFINEMENT_WORKSPACE);
}

/* Allocate the arrays in the workspace. Return the rest of the workspace. */
static inline symlie_real *place_mass(const symlie_problem *restrict P, symlie_real *work, mass_matrix *restrict m)
{
#if !FIXED_TOPOLOGY
    m->M = work;
    m->matrix = m->M + MASS_VALUES;
    m->x = m->matrix + MATRIX_VALUES;
    m->y = m->x + SADDLE_UNKNOWNS;
    m->held = m->y + SADDLE_UNKNOWNS;
    m->refinement = work + mass_workspace(P) - REFINEMENT_WORKSPACE;
#if PROBES
    m->combination = m->y + SADDLE_UNKNOWNS;
    m->rest = m->combination + PROBES * ROWS;
    m->scale = m->rest + PROBES * ROWS;
#endif
#if OMITS_ROWS
    m->kept = m->y + SADDLE_UNKNOWNS + (PROBES ? (2 * PROBES + 1) * ROWS : 0);
#endif
#endif
    (void)m;
    return work + mass_workspace(P);
}

/* A singular M is detected by solve_stage. */
static inline int evaluate_mass(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, mass_matrix *restrict m)
{
    system_mass(P, t, q, m->M);
    return 1;
}

/* Compute r -= M a. */
static inline void subtract_inertia(const symlie_problem *restrict P, const symlie_real *restrict M, const symlie_real *restrict a, symlie_real *restrict r)
{
    (void)P;
    for (int k = 0; k < MASS_VALUES; k++) {
        const int i = MASS_ROW[k], j = MASS_COLUMN[k];
        r[i] -= M[k] * a[j];
        if (i != j) r[j] -= M[k] * a[i];
    }
}

#include "dependent_rows.h"

/* Put ones on the diagonal of multipliers of released constraints, whose rows of B are zero, and of their eta if there
 * is one; the diagonal of multipliers is zero otherwise. */
static inline void hold_released_rows(const symlie_problem *restrict P, const symlie_real *restrict B, int has_eta, symlie_real *restrict matrix)
{
    const int *restrict place = SADDLE_DIAGONAL + DIMENSION;
    const symlie_real one = SYMLIE_NUMBER(1), zero = SYMLIE_NUMBER(0);
    (void)P;
    for (int k = 0; k < ROWS; k++) matrix[place[k]] = one;
    for (int k = 0; k < JACOBIAN_VALUES; k++) matrix[place[JACOBIAN_ROW[k]]] = SYMLIE_WHERE(B[k] != 0, zero, matrix[place[JACOBIAN_ROW[k]]]);
    for (int k = 0; has_eta && k < ROWS; k++)
        matrix[place[ROWS + k]] = SYMLIE_WHERE(matrix[place[k]] == 1, one, matrix[place[ROWS + k]]);
}

/* Complete a right-hand side x whose part for M is already stored. */
static inline void complete_right_side(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict c,
                                       symlie_real *restrict x)
{
    (void)P, (void)m;
    for (int k = 0; k < ROWS; k++) x[DIMENSION + k] = KEPT(k, c[k]);
    for (int k = DIMENSION + ROWS; k < SADDLE_UNKNOWNS; k++) x[k] = 0;
    for (int k = 0; k < COUNT_OF_SADDLE_HELD; k++) x[SADDLE_HELD[k]] = 0;
}

/* Solve the saddle point system. Return 0 if its matrix is singular or not finite. */
static inline int solve_stage(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict B0,
                              const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c,
                              symlie_real *restrict a, symlie_real *restrict lambda)
{
    const elimination E = read_elimination(ELIMINATION);
    SADDLE_MEMORY(matrix, MATRIX_VALUES);
    SADDLE_MEMORY(x, SADDLE_UNKNOWNS);
    SADDLE_MEMORY(y, SADDLE_UNKNOWNS);
    int lost = 0;
#if HOLDS
    held_mass held;
#if !FIXED_TOPOLOGY
    place_held(P, m->held, &held);
#endif
    if (COUNT_OF_HELD_TO && solve_held(P, &held, m->M, B0, B1, r, c, a, lambda)) return 1;
#endif
    clear_matrix(&E, matrix);
    for (int k = 0; k < MASS_VALUES; k++) {
        matrix[MASS_TO[k]] += m->M[k];
        matrix[MASS_MIRROR[k]] += m->M[k];
    }
    for (int k = 0; k < JACOBIAN_VALUES; k++) {
        matrix[PULL_TO[k]] += KEPT(JACOBIAN_ROW[k], B0[k]);
        matrix[SADDLE_PUSH_TO[k]] += KEPT(JACOBIAN_ROW[k], B1[k]);
    }
    for (int k = 0; k < COUNT_OF_SADDLE_UNIT_TO; k++) matrix[SADDLE_UNIT_TO[k]] = 1;
#if OMITS_ROWS
    for (int k = 0; k < ROWS; k++)
        if (m->kept[k] == 0) matrix[SADDLE_DIAGONAL[DIMENSION + k]] = 1;
#endif
    if (factorise_matrix(&E, matrix, &lost) != SYMLIE_DONE) return 0;
    for (int k = 0; k < DIMENSION; k++) x[k] = r[k];
    complete_right_side(P, m, c, x);
    solve_factorised(&E, matrix, x);
    for (int n = 0; n < SADDLE_REFINEMENTS; n++) {
        /* Compute the residual; lambda serves as scratch. */
        for (int k = 0; k < DIMENSION; k++) y[k] = r[k];
        subtract_inertia(P, m->M, x, y);
        subtract_constraint_force(P, B0, x + DIMENSION, y);
        multiply_jacobian(P, B1, x, lambda);
        for (int k = 0; k < ROWS; k++) lambda[k] = c[k] - lambda[k];
        complete_right_side(P, m, lambda, y);
        solve_factorised(&E, matrix, y);
        for (int k = 0; k < SADDLE_UNKNOWNS; k++) x[k] += y[k];
    }
    for (int k = 0; k < DIMENSION; k++) a[k] = x[k];
    for (int k = 0; k < ROWS; k++) lambda[k] = x[DIMENSION + k];
    return 1;
}

#define solve_velocities solve_stage

#endif
