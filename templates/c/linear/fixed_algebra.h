/* Solution with the mass matrix and with the saddle point matrix of one stage, for models of fixed topology, by the
 * elimination code generated for the model. If a pivot is too small, the whole matrix is eliminated with partial
 * pivoting. Included after the model. */
#ifndef SYMLIE_FIXED_ALGEBRA_H
#define SYMLIE_FIXED_ALGEBRA_H

#include "fixed_products.h"
#include "dense_stage.h"
#include "released_rows.h"

#if !FACTORS
SYMLIE_COLD int solve_mass_dense(const symlie_real *restrict M, symlie_real *restrict a)
{
    symlie_real A[DIMENSION * DIMENSION];
    for (int k = 0; k < DIMENSION * DIMENSION; k++) A[k] = SYMLIE_NUMBER(0);
    fill_mass(M, DIMENSION, A);
    return solve_dense(DIMENSION, A, a);
}
#endif

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
    return solve_saddle_dense(ROWS, 0, m->M, B0, B1, r, c, a, lambda);
}

#define solve_velocities solve_stage

#endif
