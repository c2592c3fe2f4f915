/* Solution with a tridiagonal matrix whose rows have four numbers: the storage of complement.h for bandwidth one. */
#ifndef SYMLIE_TRIDIAGONAL_H
#define SYMLIE_TRIDIAGONAL_H

/* Row of a tridiagonal matrix after elimination of one neighbour: reciprocal pivot, entry of the other neighbour,
 * and right-hand side, the last two divided by the pivot. */
typedef struct {
    symlie_real reciprocal;
    symlie_real entry;
    symlie_real x;
} eliminated_row;

/* Eliminate a neighbour from a row; the entry of the other neighbour is divided by the pivot. */
static inline eliminated_row eliminate_neighbour(eliminated_row neighbour, int entry, int other, symlie_real *restrict row,
                                                 symlie_real *restrict x, symlie_real *restrict smallest)
{
    const symlie_real pivot = row[1] - row[entry] * neighbour.entry * neighbour.reciprocal;
    const symlie_real kept = fabs(pivot) - PIVOT_LOSS * fabs(row[1]);
    const symlie_real reciprocal = 1 / pivot;
    const eliminated_row result = {reciprocal, row[other], (*x - row[entry] * neighbour.x) * reciprocal};
    *smallest = SYMLIE_WHERE(kept < *smallest, kept, *smallest);
    row[other] *= reciprocal;
    *x = result.x;
    return result;
}

/* Solve like solve_band for a tridiagonal matrix, but without row exchange and from both ends at once: each pivot
 * depends on its neighbour, so this halves the dependency chain. Return 0 if a pivot is too small; S and x are then
 * modified. */
static inline int solve_tridiagonal(int n, symlie_real *restrict S, symlie_real *restrict x)
{
    const int middle = n / 2;
    eliminated_row above = {SYMLIE_NUMBER(0), SYMLIE_NUMBER(0), SYMLIE_NUMBER(0)}, below = above;
    symlie_real smallest = SYMLIE_NUMBER((symlie_scalar)INFINITY);
    for (int k = 0, l = n - 1; k < middle; k++, l--) {
        above = eliminate_neighbour(above, 0, 2, S + 4LL * k, x + k, &smallest);
        if (l > middle) below = eliminate_neighbour(below, 2, 0, S + 4LL * l, x + l, &smallest);
    }
    const symlie_real *restrict row = S + 4LL * middle;
    const symlie_real pivot = row[1] - row[0] * above.entry * above.reciprocal - row[2] * below.entry * below.reciprocal;
    const symlie_real kept = fabs(pivot) - PIVOT_LOSS * fabs(row[1]);
    if (!(SYMLIE_ALL(kept > 0) && SYMLIE_ALL(smallest > 0))) return 0;
    x[middle] = (x[middle] - row[0] * above.x - row[2] * below.x) / pivot;
    for (int k = middle - 1, l = middle + 1; k >= 0; k--, l++) {
        x[k] -= S[4LL * k + 2] * x[k + 1];
        if (l < n) x[l] -= S[4LL * l] * x[l - 1];
    }
    return 1;
}

#endif
