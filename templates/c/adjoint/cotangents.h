/* Sums of cotangents. */
#ifndef SYMLIE_COTANGENTS_H
#define SYMLIE_COTANGENTS_H

static inline void fill_zero(int n, symlie_real *restrict x)
{
    for (int k = 0; k < n; k++) x[k] = SYMLIE_NUMBER(0);
}

/* Add a cotangent, unless it is a null pointer. */
static inline void add_cotangent(int n, const symlie_real *restrict x, symlie_real *restrict out)
{
    for (int k = 0; x && k < n; k++) out[k] += x[k];
}

/* Copy a cotangent; a null pointer is zero. */
static inline void take_cotangent(int n, const symlie_real *restrict x, symlie_real *restrict out)
{
    if (x) copy(n, x, out);
    else fill_zero(n, out);
}

#if CONSTRAINED
/* Add the gradient of n^T B x by q and v, for fixed n and x. */
static inline void add_jacobian_gradient(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                         const symlie_real *restrict q, const symlie_real *restrict v, const symlie_real *restrict n,
                                         const symlie_real *restrict x, symlie_gradient *restrict gradient, symlie_real *restrict of_q,
                                         symlie_real *restrict of_v)
{
    ARRAY(zero, DIMENSION);
    ARRAY(minus, DIMENSION + ROWS);
    ARRAY(unread, DIMENSION + ROWS);
    fill_zero(DIMENSION, zero);
    fill_zero(DIMENSION + ROWS, unread);
    if (NONLINEAR_ROWS || ACCELERATION_ROWS) {
        /* x^T (g + B^T n) without x^T g */
        symlie_real *restrict no_rows = minus + DIMENSION;
        for (int k = 0; k < DIMENSION; k++) minus[k] = -x[k];
        fill_zero(ROWS, no_rows);
        add_balance_gradient(P, t, q, v, zero, n, x, gradient, of_q, of_v, unread);
        add_balance_gradient(P, t, q, v, zero, no_rows, minus, gradient, of_q, of_v, unread);
        return;
    }
    /* n^T (B x + b) without n^T b */
    add_hidden_gradient(P, t, q, x, n, n, gradient, of_q, unread, unread + DIMENSION);
    if (!HAS_CONSTRAINT_RATE) return;
    for (int k = 0; k < ROWS; k++) minus[k] = -n[k];
    add_hidden_gradient(P, t, q, zero, n, minus, gradient, of_q, unread, unread + DIMENSION);
}
#endif

#endif
