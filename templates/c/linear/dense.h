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
 * column is rejected. With SYMLIE_LANES, the matrices of members have individual row exchanges. */
#ifndef SYMLIE_DENSE_H
#define SYMLIE_DENSE_H

#include "rows.h"

/* Loops over the pivots of small matrices are unrolled so that numbers stay in registers. SYMLIE_APART prevents
 * copies of the unrolled code. */
#if defined(__GNUC__) && SYMLIE_LANES == 1 && !defined(SYMLIE_TANGENTS) && ELIMINATION_SIZE <= 12
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

/* Loop over the groups of columns from column k on. */
#define EACH_COLUMN(j, k) for (int j = (k) / LANES_AT_ONCE * LANES_AT_ONCE; j < ELIMINATION_SIZE; j += LANES_AT_ONCE)

typedef struct {
    int size;                   /* unknowns */
} elimination;

typedef struct {
    symlie_real row[ELIMINATION_SIZE][DENSE_ROW]; /* the matrix; finally the rows of U, divided by the pivots */
    symlie_real factor[ELIMINATION_SIZE][DENSE_ROW]; /* columns of L */
    symlie_real reciprocal[ELIMINATION_SIZE];
    symlie_whole origin[ELIMINATION_SIZE]; /* original index of each pivot row */
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
    for (int k = 0; k < ELIMINATION_SIZE * DENSE_ROW; k++) values[k] = SYMLIE_NUMBER(0);
}

/* Factorise in place. Return SYMLIE_SINGULAR if a pivot is too small, or SYMLIE_NOT_FINITE if an entry is not
 * finite, in any lane; *lost is the index of the unknown. */
SYMLIE_APART int factorise_matrix(const elimination *restrict E, symlie_real *restrict values, int *restrict lost)
{
    dense_matrix *restrict A = (dense_matrix *)values;
    symlie_real scale[ELIMINATION_SIZE], column[DENSE_ROW] = {0};
    (void)E;
    for (int i = 0; i < ELIMINATION_SIZE; i++) {
        A->origin[i] = SYMLIE_WHOLE(i);
        const symlie_real sum = sum_of_sizes(ELIMINATION_SIZE, A->row[i]);
        if (!SYMLIE_ALL(sum < (symlie_scalar)INFINITY)) return *lost = i, SYMLIE_NOT_FINITE;
        scale[i] = row_scale(sum);
        add_sizes(ELIMINATION_SIZE, scale[i], A->row[i], column);
    }
DENSE_UNROLL
    for (int k = 0; k < ELIMINATION_SIZE; k++) {
        symlie_real largest = SYMLIE_NUMBER(0);
        symlie_whole pivot = SYMLIE_WHOLE(k);
DENSE_UNROLL
        for (int i = k; i < ELIMINATION_SIZE; i++) {
            if (ARE_APART(i, k)) continue;
            const symlie_real size = fabs(A->row[i][k]) * scale[i];
            const symlie_mask is_larger = size > largest;
            if (SYMLIE_UNLIKELY(SYMLIE_ANY(is_larger)))
                largest = SYMLIE_WHERE(is_larger, size, largest), pivot = SYMLIE_WHERE(is_larger, SYMLIE_WHOLE(i), pivot);
        }
        if (!SYMLIE_ALL(largest > LOST_PIVOT * column[k])) return *lost = k, SYMLIE_SINGULAR;
        EACH_PIVOT_ROW(i, k, ELIMINATION_SIZE - 1, pivot) {
            EACH_COLUMN(j, k) {
                const lanes kept = READ_LANES(A->row[k] + j), other = READ_LANES(A->row[i] + j);
                WRITE_LANES(A->row[k] + j, IF_PIVOT_ROW(i, pivot, other, kept));
                WRITE_LANES(A->row[i] + j, IF_PIVOT_ROW(i, pivot, kept, other));
            }
            for (int j = 0; j < k; j++) {
                const symlie_real kept = A->factor[j][k], other = A->factor[j][i];
                A->factor[j][k] = IF_PIVOT_ROW(i, pivot, other, kept);
                A->factor[j][i] = IF_PIVOT_ROW(i, pivot, kept, other);
            }
            const symlie_whole kept = A->origin[k], other = A->origin[i];
            A->origin[k] = IF_PIVOT_ROW(i, pivot, other, kept);
            A->origin[i] = IF_PIVOT_ROW(i, pivot, kept, other);
            scale[i] = IF_PIVOT_ROW(i, pivot, scale[k], scale[i]);
        }
        const symlie_real reciprocal = 1 / A->row[k][k];
        A->reciprocal[k] = reciprocal;
DENSE_UNROLL
        for (int i = k + 1; i < ELIMINATION_SIZE; i++)
            if (!ARE_APART(i, k)) A->factor[k][i] = A->row[i][k] * reciprocal;
        /* Columns up to the pivot are no longer needed. */
DENSE_UNROLL
        EACH_COLUMN(j, k + 1) {
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
    for (int k = 0; k < ELIMINATION_SIZE; k++) y[k] = SYMLIE_AT(x, A->origin[k]);
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
