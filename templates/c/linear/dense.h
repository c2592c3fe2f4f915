/* LU factorisation of a dense matrix of ELIMINATION_SIZE unknowns with partial pivoting. The factors can be reused for
 * any number of right-hand sides.
 *
 * Rows are padded with zeros to a multiple of LANES and always accessed in the same groups of LANES numbers: a load
 * that overlaps recent stores of other widths stalls the processor.
 *
 * Unknowns of different components, if components are listed, have no common entries; the elimination skips these
 * zeros.
 *
 * Pivots are compared relative to the sums of |entries| of their rows. A pivot below LOST_PIVOT times the sum of its
 * column is rejected. */
#ifndef SYMLIE_DENSE_H
#define SYMLIE_DENSE_H

#include "rows.h"

/* Loops over the pivots of small matrices are unrolled so that numbers stay in registers. SYMLIE_APART prevents
 * copies of the unrolled code. */
#if defined(__GNUC__) && ELIMINATION_SIZE <= 12
#define DENSE_UNROLL _Pragma("GCC unroll 12")
#else
#define DENSE_UNROLL
#endif

#ifdef COUNT_OF_COMPONENT
#define ARE_APART(i, k) (COMPONENT[i] != COMPONENT[k])
#else
#define ARE_APART(i, k) 0
#endif

enum { DENSE_ROW = (ELIMINATION_SIZE + LANES - 1) / LANES * LANES };

typedef struct {
    int size;                   /* unknowns */
} elimination;

typedef struct {
    symlie_real row[ELIMINATION_SIZE][DENSE_ROW]; /* the matrix; finally the rows of U, divided by the pivots */
    symlie_real factor[ELIMINATION_SIZE][DENSE_ROW]; /* columns of L */
    symlie_real reciprocal[ELIMINATION_SIZE];
    int origin[ELIMINATION_SIZE]; /* original index of each pivot row */
} dense_matrix;

static inline elimination read_elimination(const int *restrict tables)
{
    const elimination E = {tables[0]};
    return E;
}

/* Set the matrix to zero before entries are added. */
static inline void clear_matrix(const elimination *restrict E, symlie_real *restrict values)
{
    (void)E;
    for (int k = 0; k < ELIMINATION_SIZE * DENSE_ROW; k++) values[k] = 0;
}

/* Factorise in place. Return SYMLIE_SINGULAR if a pivot is too small, or SYMLIE_NOT_FINITE if an entry is not
 * finite; *lost is the index of the unknown. */
SYMLIE_APART int factorise_matrix(const elimination *restrict E, symlie_real *restrict values, int *restrict lost)
{
    dense_matrix *restrict A = (dense_matrix *)values;
    symlie_real scale[ELIMINATION_SIZE], column[DENSE_ROW] = {0};
    (void)E;
    for (int i = 0; i < ELIMINATION_SIZE; i++) {
        A->origin[i] = i;
        const symlie_real sum = sum_of_sizes(ELIMINATION_SIZE, A->row[i]);
        if (!(sum < (symlie_real)INFINITY)) return *lost = i, SYMLIE_NOT_FINITE;
        scale[i] = row_scale(sum);
        add_sizes(ELIMINATION_SIZE, scale[i], A->row[i], column);
    }
DENSE_UNROLL
    for (int k = 0; k < ELIMINATION_SIZE; k++) {
        symlie_real largest = 0;
        int pivot = k;
DENSE_UNROLL
        for (int i = k; i < ELIMINATION_SIZE; i++) {
            if (ARE_APART(i, k)) continue;
            const symlie_real size = fabs(A->row[i][k]) * scale[i];
            if (SYMLIE_UNLIKELY(size > largest)) largest = size, pivot = i;
        }
        if (!(largest > LOST_PIVOT * column[k])) return *lost = k, SYMLIE_SINGULAR;
        if (pivot != k) {
            const int origin = A->origin[k];
            for (int j = k / LANES * LANES; j < DENSE_ROW; j += LANES_AT_ONCE) {
                const lanes kept = READ_LANES(A->row[k] + j);
                WRITE_LANES(A->row[k] + j, READ_LANES(A->row[pivot] + j));
                WRITE_LANES(A->row[pivot] + j, kept);
            }
            for (int j = 0; j < k; j++) exchange_rows(1, A->factor[j] + k, A->factor[j] + pivot);
            A->origin[k] = A->origin[pivot];
            A->origin[pivot] = origin;
            scale[pivot] = scale[k];
        }
        const symlie_real reciprocal = 1 / A->row[k][k];
        A->reciprocal[k] = reciprocal;
DENSE_UNROLL
        for (int i = k + 1; i < ELIMINATION_SIZE; i++)
            if (!ARE_APART(i, k)) A->factor[k][i] = A->row[i][k] * reciprocal;
        /* Columns up to the pivot are no longer needed. */
DENSE_UNROLL
        for (int j = (k + 1) / LANES * LANES; j < DENSE_ROW; j += LANES_AT_ONCE) {
            const lanes kept = READ_LANES(A->row[k] + j);
DENSE_UNROLL
            for (int i = k + 1; i < ELIMINATION_SIZE; i++)
                if (!ARE_APART(i, k)) WRITE_LANES(A->row[i] + j, READ_LANES(A->row[i] + j) - A->factor[k][i] * kept);
            WRITE_LANES(A->row[k] + j, kept * reciprocal);
        }
    }
    return SYMLIE_DONE;
}

/* Solve for the right-hand side x in place. */
static inline void solve_factorised(const elimination *restrict E, symlie_real *restrict values, symlie_real *restrict x)
{
    const dense_matrix *restrict A = (const dense_matrix *)values;
    symlie_real y[ELIMINATION_SIZE];
    (void)E;
DENSE_UNROLL
    for (int k = 0; k < ELIMINATION_SIZE; k++) y[k] = x[A->origin[k]];
DENSE_UNROLL
    for (int k = 0; k < ELIMINATION_SIZE; k++)
DENSE_UNROLL
        for (int i = k + 1; i < ELIMINATION_SIZE; i++)
            if (!ARE_APART(i, k)) y[i] -= A->factor[k][i] * y[k];
DENSE_UNROLL
    for (int k = 0; k < ELIMINATION_SIZE; k++) y[k] *= A->reciprocal[k];
DENSE_UNROLL
    for (int k = ELIMINATION_SIZE - 1; k >= 0; k--)
DENSE_UNROLL
        for (int i = 0; i < k; i++)
            if (!ARE_APART(i, k)) y[i] -= A->row[i][k] * y[k];
    for (int k = 0; k < ELIMINATION_SIZE; k++) x[k] = y[k];
}

#endif
