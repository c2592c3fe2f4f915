/* Saddle point systems of models of which all contacts are open, with the operations of a model without contacts; see
 * symlie/runtime/system/contacts/open_rows.py. OPEN_ROW and OPEN_VALUE contain the equations that remain, and the values of
 * their B; in models over a topology, elements with the flag OPEN_TYPE remain. */
#ifndef SYMLIE_OPEN_ROWS_H
#define SYMLIE_OPEN_ROWS_H

#if OPEN_SOLVES && FIXED_TOPOLOGY
#include "dense_stage.h"

static inline long long open_workspace(const symlie_problem *restrict P) { return (void)P, 0; }

/* Compute a and lambda of B0 and B1 for the factors F of M. */
static inline int solve_open_rows(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_real *restrict M,
                                  const symlie_real *restrict F, const symlie_real *restrict B0, const symlie_real *restrict B1,
                                  const symlie_real *restrict r, const symlie_real *restrict c, symlie_real *restrict a,
                                  symlie_real *restrict lambda)
{
    symlie_real margin;
    (void)P, (void)work;
    solve_open_saddle(F, B0, B1, r, c, a, lambda, &margin);
    return margin > 0 || solve_saddle_dense(COUNT_OF_OPEN_ROW, OPEN_ROW, M, B0, B1, r, c, a, lambda);
}
#elif OPEN_SOLVES
#include "band_stage.h"

/* The model without the elements of contacts. */
#define OPEN_PROBLEM(name)                                                                                                \
    symlie_elements name##_elements[sizeof OPEN_TYPE / sizeof *OPEN_TYPE];                                                \
    symlie_problem name = *P;                                                                                             \
    for (unsigned long e = 0; e < sizeof OPEN_TYPE / sizeof *OPEN_TYPE; e++) {                                            \
        name##_elements[e] = P->elements[e];                                                                              \
        if (!OPEN_TYPE[e]) name##_elements[e].count = 0;                                                                  \
    }                                                                                                                     \
    name.elements = name##_elements, name.rows = COUNT_OF_OPEN_ROW, name.jacobian_values = COUNT_OF_OPEN_VALUE

static inline long long open_workspace(const symlie_problem *restrict P)
{
    return 3LL * COUNT_OF_OPEN_VALUE + COUNT_OF_OPEN_ROW * (3LL + band_width(P));
}

static inline int solve_open_rows(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_real *restrict M,
                                  const symlie_real *restrict F, const symlie_real *restrict B0, const symlie_real *restrict B1,
                                  const symlie_real *restrict r, const symlie_real *restrict c, symlie_real *restrict a,
                                  symlie_real *restrict lambda)
{
    const int rows = COUNT_OF_OPEN_ROW, values = COUNT_OF_OPEN_VALUE;
    symlie_real *right = work, *left = right + values, *W = left + values, *S = W + values, *x = S + (long long)rows * band_width(P);
    symlie_real *bound = x + rows, *found = bound + rows;
    OPEN_PROBLEM(open);
    (void)M;
    for (int k = 0; k < values; k++) right[k] = B0[OPEN_VALUE[k]], left[k] = B1[OPEN_VALUE[k]];
    for (int k = 0; k < rows; k++) bound[k] = c[OPEN_ROW[k]];
    clear_fields(P, a);
    if (!solve_complement(&open, F, W, S, x, right, left, r, bound, a, found)) return 0;
    for (int k = 0; k < ROWS; k++) lambda[k] = 0;
    for (int k = 0; k < rows; k++) lambda[OPEN_ROW[k]] = found[k];
    return 1;
}
#else
static inline long long open_workspace(const symlie_problem *restrict P) { return (void)P, 0; }

static inline int solve_open_rows(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_real *restrict M,
                                  const symlie_real *restrict F, const symlie_real *restrict B0, const symlie_real *restrict B1,
                                  const symlie_real *restrict r, const symlie_real *restrict c, symlie_real *restrict a,
                                  symlie_real *restrict lambda)
{
    (void)P, (void)work, (void)M, (void)F, (void)B0, (void)B1, (void)r, (void)c, (void)a, (void)lambda;
    return 0;
}
#endif

#endif
