/* Products with the constraint Jacobian of models of fixed topology, and a check of factors. Included after the
 * model. */
#ifndef SYMLIE_FIXED_PRODUCTS_H
#define SYMLIE_FIXED_PRODUCTS_H

#if !ROWS
static const int JACOBIAN_ROW[] = {0}, JACOBIAN_COLUMN[] = {0};
#endif

/* Compute r -= B^T lambda. */
static inline void subtract_constraint_force(const symlie_problem *restrict P, const symlie_real *restrict B, const symlie_real *restrict lambda, symlie_real *restrict r)
{
    (void)P;
    for (int k = 0; k < JACOBIAN_VALUES; k++) r[JACOBIAN_COLUMN[k]] -= B[k] * lambda[JACOBIAN_ROW[k]];
}

/* Compute out = B v. */
static inline void multiply_jacobian(const symlie_problem *restrict P, const symlie_real *restrict B, const symlie_real *restrict v, symlie_real *restrict out)
{
    (void)P;
#ifdef MULTIPLIES_ROWS
    multiply_rows(B, v, out);
#else
    for (int k = 0; k < ROWS; k++) out[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < JACOBIAN_VALUES; k++) out[JACOBIAN_ROW[k]] += B[k] * v[JACOBIAN_COLUMN[k]];
#endif
}

#if FACTORS
/* Return whether the matrix factorised by `factorize` is positive definite. */
static inline int has_positive_pivots(const symlie_real *restrict F)
{
    symlie_mask kept = F[0] >= 0;
    /* The reciprocal pivots come first; they are zero for components without a velocity. */
    for (int k = 0; k < DIMENSION; k++) kept &= (F[k] >= 0) & (F[k] < (symlie_scalar)INFINITY);
    return SYMLIE_ALL(kept);
}
#endif

#endif
