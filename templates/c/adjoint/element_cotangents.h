/* Cotangents of products and inverses of group elements, such as earlier configurations relative to the current one. */
#ifndef SYMLIE_ELEMENT_COTANGENTS_H
#define SYMLIE_ELEMENT_COTANGENTS_H

static inline long long element_workspace(const symlie_problem *restrict P)
{
    return 3LL * DIMENSION + STORAGE;
}

/* Compute Ad(x)^T y for sign = 1, and Ad(x^-1)^T y for sign = -1. With theta = log(x),
 *
 *   Ad(exp(theta))^T y = y + ad(theta)^T T(-theta)^T y */
PART_OF_STEP void element_transpose(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_real *restrict x,
                                    const symlie_real *restrict y, int sign, symlie_real *restrict out)
{
    ARRAY(theta, DIMENSION);
    ARRAY(back, DIMENSION);
    ARRAY(moved, DIMENSION);
    ARRAY(identity, STORAGE);
    fill_zero(DIMENSION, theta);
    system_exponential(P, theta, identity);
    system_increment(P, identity, x, theta);
    for (int k = 0; k < DIMENSION; k++) back[k] = -sign * theta[k], theta[k] *= sign;
    system_tangent_transpose(P, back, y, moved);
    system_bracket_transpose(P, theta, moved, back);
    for (int k = 0; k < DIMENSION; k++) out[k] = y[k] + back[k];
}

#endif
