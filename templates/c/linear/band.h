/* LU of a band matrix with partial pivoting, in the order that symlie/runtime/linear/band.py chooses, kept as long as wanted.
 *
 *   A row has `left` numbers before its diagonal entry and `right` behind it, with room for rows that are exchanged, up to a
 *   multiple of LANES, since LANES of them are worked on at a time. Once column k is eliminated, its multipliers lie before
 *   the diagonal entry of row k, where nothing else is left.
 *
 * Pivots are compared relative to the sums of |entries| of their rows; a pivot below LOST_PIVOT times the sum of its column
 * is lost. */
#ifndef SYMLIE_BAND_H
#define SYMLIE_BAND_H

#include "rows.h"

typedef struct {
    int size;                   /* unknowns */
    int left;
    int right;
    int entries;                /* of a row before it is worked on, up to a multiple of LANES */
    const int *order;           /* the unknown at each place */
    const int *last;            /* last place that the ones up to each place are coupled with */
} elimination;

/* What tables say; they are EliminationStructure.tables. */
static inline elimination read_elimination(const int *restrict tables)
{
    const int size = tables[0];
    const elimination E = {size, tables[1], tables[2], tables[3], tables + 4, tables + 4 + size};
    return E;
}

/* Where the parts of `values` are: the rows, then what only the elimination needs. */
typedef struct {
    symlie_real *row;           /* the diagonal entry of the first row */
    symlie_real *scale;         /* reciprocal sum of |entries| of each row */
    symlie_real *column;        /* sum of |entries| of each column of the scaled matrix */
    symlie_real *x;             /* right-hand side in the order of elimination */
    int *exchange;              /* how far the row of each pivot has come from */
    int *reach;                 /* entries of each row behind its pivot */
} band_parts;

static inline band_parts parts_of(const elimination *restrict E, symlie_real *restrict values)
{
    const long long n = E->size, margin = E->left + E->right;
    symlie_real *scale = values + n * (margin + 1), *column = scale + n, *x = column + n + margin;
    int *exchange = (int *)(x + n + margin);
    const band_parts parts = {values + E->left, scale, column + E->left, x, exchange, exchange + n};
    return parts;
}

/* Begin a new matrix: zeros, to which entries are added. */
static inline void clear_matrix(const elimination *restrict E, symlie_real *restrict values)
{
    const long long stored = (long long)E->size * (E->left + 1 + E->right);
    for (long long k = 0; k < stored; k++) values[k] = 0;
}

/* Eliminate in place. SYMLIE_SINGULAR with an unknown that the ones before it leave undetermined, or SYMLIE_NOT_FINITE with
 * one whose row has an entry that is not. */
static inline int factorise_matrix(const elimination *restrict E, symlie_real *restrict values, int *restrict lost)
{
    const int n = E->size, left = E->left;
    const long long stride = left + E->right;
    const band_parts parts = parts_of(E, values);
    symlie_real *restrict scale = parts.scale, *restrict column = parts.column;
    for (int k = -left; k < n + E->right; k++) column[k] = 0;
    for (int k = 0, measured = 0, farthest = 0; k < n; k++) {
        const int below = E->last[k] - k;
        symlie_real *restrict row = parts.row + k * (stride + 1), *restrict factor = row - left;
        for (; measured <= k + below; measured++) {
            const symlie_real *restrict entry = parts.row + measured * (stride + 1) - left;
            const symlie_real sum = sum_of_sizes(E->entries, entry);
            if (!(sum < (symlie_real)INFINITY)) return *lost = E->order[measured], SYMLIE_NOT_FINITE;
            scale[measured] = row_scale(sum);
            add_sizes(E->entries, scale[measured], entry, column + measured - left);
        }
        const int pivot = pivot_row(below + 1, stride, row, scale + k, column[k]);
        if (pivot < 0) return *lost = E->order[k], SYMLIE_SINGULAR;
        if (E->last[k + pivot] > farthest) farthest = E->last[k + pivot];
        const int entries = farthest - k;
        if (pivot) {
            exchange_rows(entries + 1, row, row + pivot * stride);
            scale[k + pivot] = scale[k];
        }
        parts.exchange[k] = pivot;
        parts.reach[k] = entries;
        const symlie_real reciprocal = 1 / row[0];
        for (int i = 0; i < below; i++) factor[i] = row[(i + 1) * stride] * reciprocal;
        for (int i = below; i < left; i++) factor[i] = 0;
        row[0] = reciprocal;
        subtract_row(below, entries, stride, factor, row + 1, row + stride + 1);
    }
    return SYMLIE_DONE;
}

/* x becomes the solution for the right-hand side x. */
static inline void solve_factorised(const elimination *restrict E, symlie_real *restrict values, symlie_real *restrict x)
{
    const int n = E->size, left = E->left;
    const long long width = left + 1 + E->right;
    const band_parts parts = parts_of(E, values);
    symlie_real *restrict y = parts.x;
    for (int k = 0; k < n; k++) y[k] = x[E->order[k]];
    for (int k = n; k < n + E->right; k++) y[k] = 0;
    for (int k = 0; k < n; k++) {
        const symlie_real *restrict factor = parts.row + k * width - left;
        const symlie_real a = y[k + parts.exchange[k]];
        y[k + parts.exchange[k]] = y[k];
        y[k] = a;
        for (int i = 0; i < E->last[k] - k; i += LANES_AT_ONCE)
            WRITE_LANES(y + k + 1 + i, READ_LANES(y + k + 1 + i) - a * READ_LANES(factor + i));
    }
    for (int k = n - 1; k >= 0; k--) {
        const symlie_real *restrict row = parts.row + k * width;
        y[k] = (y[k] - scalar_product(parts.reach[k], row + 1, y + k + 1)) * row[0];
    }
    for (int k = 0; k < n; k++) x[E->order[k]] = y[k];
}

#endif
