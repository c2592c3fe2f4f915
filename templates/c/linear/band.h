/* LU factorisation of a band matrix with partial pivoting, in the order of symlie/runtime/linear/band.py. The factors
 * can be reused for any number of right-hand sides.
 *
 * A row is stored with `left` numbers before its diagonal entry and padded to a multiple of LANES. Rows are processed
 * in a window with additional space to the right for exchanged rows. The factors are stored without gaps: the rows of
 * U, without pivots and padded to a multiple of LANES, replace the matrix. L follows in groups of LANES columns; in
 * each group the multipliers between its own rows come first. The rows of a group are exchanged before its columns are
 * applied.
 *
 * Pivots are compared relative to the sums of |entries| of their rows. A pivot below LOST_PIVOT times the sum of its
 * column is rejected. With SYMLIE_LANES, members have individual row exchanges, and the rows of U have the length for any
 * row exchange, so that factors of different matrices can be stored side by side. */
#ifndef SYMLIE_BAND_H
#define SYMLIE_BAND_H

#include "rows.h"

typedef struct {
    int size;                   /* unknowns */
    int left;
    int right;                  /* number of entries right of the diagonal in the window */
    int entries;                /* entries of a row before elimination, padded to a multiple of LANES */
    int row;                    /* stride between rows */
    int window;                 /* number of rows in the window */
    int multipliers;            /* number of stored multipliers of L */
    const int *order;           /* unknown at each position */
    const int *last;            /* last position coupled with this or an earlier position */
} elimination;

/* Read the tables of EliminationStructure.tables. */
static inline elimination read_elimination(const int *restrict tables)
{
    const int size = tables[0];
    const elimination E = {size, tables[1], tables[2], tables[3], tables[4], tables[5], tables[6], tables + 7, tables + 7 + size};
    return E;
}

#define WHOLE_LANES(count) (((count) + LANES - 1) / LANES * LANES)
#define MULTIPLIERS_WITHIN WHOLE_LANES(LANES * (LANES - 1) / 2)

/* Sections of `values`; the last ones are scratch of the elimination. */
typedef struct {
    symlie_real *U;
    symlie_real *L;
    symlie_real *reciprocal;    /* reciprocal pivots; before elimination, reciprocal sums of |entries| of the rows */
    symlie_real *x;             /* right-hand side in the order of elimination */
    symlie_whole *exchange;     /* distance of each pivot row from its original position */
    int *reach;                 /* number of entries of each row right of its pivot, and the stored length of U; without
                                 * lanes */
    symlie_real *column;        /* sum of |entries| of each column of the scaled matrix */
    symlie_real *window;
} band_parts;

static inline band_parts parts_of(const elimination *restrict E, symlie_real *restrict values)
{
    const long long n = E->size;
    symlie_real *L = values + n * E->row, *reciprocal = L + E->multipliers, *x = reciprocal + n;
    symlie_whole *exchange = (symlie_whole *)(x + n + E->right);
    symlie_real *column = x + 2 * n + E->right + LANES;
    const band_parts parts = {values, L, reciprocal, x, exchange, (int *)(exchange + n + LANES), column + E->left, column + n + E->left + E->right};
    return parts;
}

/* Set the matrix to zero before entries are added. */
static inline void clear_matrix(const elimination *restrict E, symlie_real *restrict values)
{
    const long long stored = (long long)E->size * E->row;
    for (long long k = 0; k < stored; k++) values[k] = SYMLIE_NUMBER(0);
}

/* Number of rows below a group of columns, padded to a multiple of LANES. */
static inline int rows_behind(const elimination *restrict E, int group)
{
    const int end = group + LANES, last = E->last[(end < E->size ? end : E->size) - 1];
    return last < end ? 0 : WHOLE_LANES(last + 1 - end);
}

/* Stored length of a row of U, at least LANES. */
static inline int stored_reach(int reach) { return reach ? WHOLE_LANES(reach) : LANES; }

/* Address of the multiplier of a row for a column of a group. */
static inline symlie_real *multiplier(symlie_real *restrict L, int rows, int column, int row)
{
    if (row < LANES) return L + row - 1 + column * (2 * LANES - 3 - column) / 2;
    return L + MULTIPLIERS_WITHIN + column * rows + row - LANES;
}

/* Copy rows up to `end` into the window, which begins at row `base`, and compute their sums. Return -1, or the index
 * of a row with an entry that is not finite. */
static inline int fill_window(const elimination *restrict E, const symlie_real *restrict values, const band_parts *restrict parts,
                              int base, int begin, int end)
{
    const int width = E->left + 1 + E->right;
    for (int k = begin; k < end; k++) {
        const symlie_real *restrict stored = values + (long long)k * E->row;
        symlie_real *restrict row = parts->window + (long long)(k - base) * width;
        const symlie_real sum = sum_of_sizes(E->entries, stored);
        if (!SYMLIE_ALL(sum < (symlie_scalar)INFINITY)) return k;
        parts->reciprocal[k] = row_scale(sum);
        add_sizes(E->entries, parts->reciprocal[k], stored, parts->column + k - E->left);
        copy_row(E->entries, stored, row);
        for (int j = E->entries; j < width; j++) row[j] = SYMLIE_NUMBER(0);
    }
    return -1;
}

/* Factorise in place. Return SYMLIE_SINGULAR if a pivot is too small, or SYMLIE_NOT_FINITE if an entry is not
 * finite; *lost is the index of the unknown. */
static inline int factorise_matrix(const elimination *restrict E, symlie_real *restrict values, int *restrict lost)
{
    const int n = E->size, left = E->left, stride = left + E->right;
    const band_parts parts = parts_of(E, values);
    symlie_real *restrict scale = parts.reciprocal, *restrict U = parts.U, *restrict L = parts.L;
    int base = 0, filled = 0, farthest = 0, rows = 0;
    for (int k = -left; k < n + E->right; k++) parts.column[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < E->multipliers; k++) L[k] = SYMLIE_NUMBER(0);
    for (int k = n; k < n + LANES; k++) parts.exchange[k] = SYMLIE_WHOLE(0);
    for (int k = 0; k < n; k++) {
        const int below = E->last[k] - k, of_group = k % LANES;
        if (of_group == 0 && k > 0) L += MULTIPLIERS_WITHIN + LANES * rows;
        if (of_group == 0) rows = rows_behind(E, k);
        if (k + below >= base + E->window) {
            copy_row((filled - k) * (stride + 1), parts.window + (long long)(k - base) * (stride + 1), parts.window);
            base = k;
        }
        symlie_real *restrict row = parts.window + (long long)(k - base) * (stride + 1) + left, *restrict factor = row - left;
        if (filled <= k + below) {
            const int found = fill_window(E, values, &parts, base, filled, k + below + 1);
            if (found >= 0) return *lost = E->order[found], SYMLIE_NOT_FINITE;
            filled = k + below + 1;
        }
        symlie_whole pivot;
        if (!pivot_row(below + 1, stride, row, scale + k, parts.column[k], &pivot)) return *lost = E->order[k], SYMLIE_SINGULAR;
        const int last = E->last[k + (SYMLIE_LANES > 1 ? below : (int)SYMLIE_OF_LANE(pivot, 0))];
        if (last > farthest) farthest = last;
        const int entries = farthest - k;
        EACH_PIVOT_ROW(i, 0, below, pivot) {
            exchange_rows(entries + 1, i, pivot, row, row + i * stride);
            for (int c = 0; c < of_group; c++)
                exchange_rows(1, i, pivot, multiplier(L, rows, c, of_group), multiplier(L, rows, c, of_group + i));
            scale[k + i] = IF_PIVOT_ROW(i, pivot, scale[k], scale[k + i]);
        }
        parts.exchange[k] = pivot;
        if (SYMLIE_LANES == 1) parts.reach[k] = entries;
        const symlie_real reciprocal = 1 / row[0];
        for (int i = 0; i < below; i++) *multiplier(L, rows, of_group, of_group + 1 + i) = factor[i] = row[(i + 1) * stride] * reciprocal;
        scale[k] = reciprocal;
        copy_row(stored_reach(entries), row + 1, U);
        U += stored_reach(entries);
        subtract_row(below, entries, stride, factor, row + 1, row + stride + 1);
    }
    if (SYMLIE_LANES == 1) parts.reach[n] = (int)(U - parts.U);
    return SYMLIE_DONE;
}

/* Number of entries of a row of U. */
static inline int row_reach(const elimination *restrict E, const band_parts *restrict parts, int k)
{
    return SYMLIE_LANES > 1 ? E->last[E->last[k]] - k : parts->reach[k];
}

/* End of the stored rows of U. */
static inline const symlie_real *end_of_rows(const elimination *restrict E, const band_parts *restrict parts)
{
    long long stored = 0;
    if (SYMLIE_LANES == 1) return parts->U + parts->reach[E->size];
    for (int k = 0; k < E->size; k++) stored += stored_reach(row_reach(E, parts, k));
    return parts->U + stored;
}

/* Solve for the right-hand side x in place. */
static inline void solve_factorised(const elimination *restrict E, symlie_real *restrict values, symlie_real *restrict x)
{
    const int n = E->size;
    const band_parts parts = parts_of(E, values);
    const symlie_real *restrict L = parts.L, *restrict U = end_of_rows(E, &parts);
    symlie_real *restrict y = parts.x;
    for (int k = 0; k < n; k++) y[k] = x[E->order[k]];
    for (int k = n; k < n + E->right; k++) y[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < n; k += LANES) {
        const int rows = rows_behind(E, k);
        symlie_real a[LANES];
        for (int c = k; c < k + LANES; c++)
            if (SYMLIE_ANY(parts.exchange[c] != 0)) exchange_first(y + c, parts.exchange[c]);
        for (int c = 0; c < LANES; c++) a[c] = y[k + c];
        for (int c = 0, place = 0; c < LANES; c++)
            for (int i = c + 1; i < LANES; i++) a[i] -= a[c] * L[place++];
        for (int c = 0; c < LANES; c++) y[k + c] = a[c];
        L += MULTIPLIERS_WITHIN;
        for (int i = 0; i < rows; i += LANES_AT_ONCE) {
            lanes rest = READ_LANES(y + k + LANES + i);
            for (int c = 0; c < LANES; c++) rest -= a[c] * READ_LANES(L + c * rows + i);
            WRITE_LANES(y + k + LANES + i, rest);
        }
        L += LANES * rows;
    }
    lanes behind[PARTS] = {{0}};
    for (int k = n - 1; k >= 0; k--) {
        const int reach = row_reach(E, &parts, k);
        U -= stored_reach(reach);
        const symlie_real found = (y[k] - product_with_lanes(reach, U, behind, y + k + 1)) * parts.reciprocal[k];
        place_before(found, behind);
        y[k] = found;
    }
    for (int k = 0; k < n; k++) x[E->order[k]] = y[k];
}

#endif
