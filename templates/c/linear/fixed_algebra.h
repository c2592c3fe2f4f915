/* Solution with the mass matrix and with the saddle point matrix of one stage, for models of fixed topology, by the
 * elimination code generated for the model. If a pivot is too small, the whole matrix is eliminated with partial
 * pivoting. Included after the model. */
#ifndef SYMLIE_FIXED_ALGEBRA_H
#define SYMLIE_FIXED_ALGEBRA_H

#include "fixed_products.h"
#include "released_rows.h"

#define SADDLE (DIMENSION + ROWS)

static inline void exchange_where(symlie_mask condition, symlie_real *restrict a, symlie_real *restrict b)
{
    const symlie_real first = *a, second = *b;
    *a = SYMLIE_WHERE(condition, second, first);
    *b = SYMLIE_WHERE(condition, first, second);
}

/* Solve A x = x by Gaussian elimination with partial pivoting and row equilibration; lanes have individual pivot rows.
 * Return 0 if A is singular in any lane. */
SYMLIE_COLD int solve_dense(int n, symlie_real *restrict A, symlie_real *restrict x)
{
    for (int i = 0; i < n; i++) {
        symlie_real scale = SYMLIE_NUMBER(0);
        for (int j = 0; j < n; j++) scale = fmax(scale, fabs(A[i * n + j]));
        if (!SYMLIE_ALL(scale > 0)) return 0;
        for (int j = 0; j < n; j++) A[i * n + j] /= scale;
        x[i] /= scale;
    }
    for (int k = 0; k < n; k++) {
        symlie_real largest = fabs(A[k * n + k]);
        symlie_whole pivot = SYMLIE_WHOLE(k);
        for (int i = k + 1; i < n; i++) {
            const symlie_mask is_larger = fabs(A[i * n + k]) > largest;
            pivot = SYMLIE_WHERE(is_larger, SYMLIE_WHOLE(i), pivot);
            largest = SYMLIE_WHERE(is_larger, fabs(A[i * n + k]), largest);
        }
        if (!SYMLIE_ALL(largest > LOST_PIVOT)) return 0;
        for (int i = k + 1; i < n; i++) {
            if (!SYMLIE_ANY(pivot == i)) continue;
            for (int j = 0; j < n; j++) exchange_where(pivot == i, A + k * n + j, A + i * n + j);
            exchange_where(pivot == i, x + k, x + i);
        }
        for (int i = k + 1; i < n; i++) {
            const symlie_real factor = A[i * n + k] / A[k * n + k];
            for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
    return 1;
}

static inline void fill_mass(const symlie_real *restrict M, int n, symlie_real *restrict A)
{
    for (int k = 0; k < MASS_VALUES; k++) {
        A[MASS_ROW[k] * n + MASS_COLUMN[k]] += M[k];
        if (MASS_ROW[k] != MASS_COLUMN[k]) A[MASS_COLUMN[k] * n + MASS_ROW[k]] += M[k];
    }
#if FIELDS
    for (int k = 0; k < DIMENSION; k++)
        if (!IS_VELOCITY[k]) A[k * n + k] = SYMLIE_NUMBER(1);
#endif
}

#if !FACTORS
SYMLIE_COLD int solve_mass_dense(const symlie_real *restrict M, symlie_real *restrict a)
{
    symlie_real A[DIMENSION * DIMENSION];
    for (int k = 0; k < DIMENSION * DIMENSION; k++) A[k] = SYMLIE_NUMBER(0);
    fill_mass(M, DIMENSION, A);
    return solve_dense(DIMENSION, A, a);
}
#endif

SYMLIE_COLD int solve_saddle_dense(const symlie_real *restrict M, const symlie_real *restrict B0, const symlie_real *restrict B1,
                                   const symlie_real *restrict r, const symlie_real *restrict c, symlie_real *restrict a,
                                   symlie_real *restrict lambda)
{
    symlie_real A[SADDLE * SADDLE], x[SADDLE];
    for (int k = 0; k < SADDLE * SADDLE; k++) A[k] = SYMLIE_NUMBER(0);
    fill_mass(M, SADDLE, A);
    for (int k = 0; k < JACOBIAN_VALUES; k++) {
        A[JACOBIAN_COLUMN[k] * SADDLE + DIMENSION + JACOBIAN_ROW[k]] += B0[k];
        A[(DIMENSION + JACOBIAN_ROW[k]) * SADDLE + JACOBIAN_COLUMN[k]] += B1[k];
    }
    for (int k = 0; k < DIMENSION; k++) x[k] = r[k];
    for (int k = 0; k < ROWS; k++) x[DIMENSION + k] = c[k];
    if (!solve_dense(SADDLE, A, x)) return 0;
    for (int k = 0; k < DIMENSION; k++) a[k] = x[k];
    for (int k = 0; k < ROWS; k++) lambda[k] = x[DIMENSION + k];
    return 1;
}

/* Mass matrix at a configuration and its generated factors; M without factors if it is structurally singular. */
typedef struct {
    symlie_real M[MASS_VALUES > 0 ? MASS_VALUES : 1];
    symlie_real F[FACTORS > 0 ? FACTORS : 1];
} mass_matrix;

static inline long long mass_workspace(const symlie_problem *restrict P)
{
    (void)P;
    return 0;
}

static inline symlie_real *place_mass(const symlie_problem *restrict P, symlie_real *work, mass_matrix *restrict m)
{
    (void)P, (void)m;
    return work;
}

/* Return 0 if M is not positive definite. */
static inline int evaluate_mass(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, mass_matrix *restrict m)
{
    system_mass(P, t, q, m->M);
#if FACTORS
    factorize(m->M, m->F);
    return has_positive_pivots(m->F);
#else
    return 1;
#endif
}

/* Compute a = M^-1 (r - B^T lambda). */
static inline int solve_with_mass(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict r,
                                  const symlie_real *restrict B, const symlie_real *restrict lambda, symlie_real *restrict a)
{
    (void)P, (void)B, (void)lambda;
#if FACTORS && ROWS
    solve_mass(m->F, r, B, lambda, a);
    return 1;
#elif FACTORS
    solve_mass(m->F, r, a);
    return 1;
#else
    for (int k = 0; k < DIMENSION; k++) a[k] = r[k];
    subtract_constraint_force(P, B, lambda, a);
    return solve_mass_dense(m->M, a);
#endif
}

static inline int solve_stage(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict B0,
                              const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c,
                              symlie_real *restrict a, symlie_real *restrict lambda)
{
    if (!ROWS) return solve_with_mass(P, m, r, B0, lambda, a);
#if FACTORS && ROWS
    symlie_real margin;
    solve_saddle(m->F, B0, B1, r, c, a, lambda, &margin);
    if (!SYMLIE_UNLIKELY(!SYMLIE_ALL(margin > 0))) return 1;
#endif
    return solve_saddle_dense(m->M, B0, B1, r, c, a, lambda);
}

#define solve_velocities solve_stage

#endif
