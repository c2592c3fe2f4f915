/* Solution with a band matrix S with `bandwidth` entries left and right of the diagonal, such as the Schur
 * complement of large systems.
 *
 * A row has 3 bandwidth + 1 numbers: its entries and space for the entries of exchanged rows. Narrow bands, as in
 * chains, are first eliminated without row exchange from both ends. If a pivot is too small, the elimination is
 * repeated with partial pivoting. */
#ifndef SYMLIE_COMPLEMENT_H
#define SYMLIE_COMPLEMENT_H

#include "tridiagonal.h"

/* Eliminate the entries below the diagonal entry of row k; `entries` numbers right of it change in each row. */
static inline void eliminate_below(int rows, int entries, long long width, const symlie_real *restrict row,
                                   symlie_real *restrict below, symlie_real *restrict x)
{
    for (int i = 0; i < rows; i++, below += width) {
        const symlie_real factor = below[0] * row[0];
        for (int j = 1; j <= entries; j++) below[j] -= factor * row[j];
        x[i + 1] -= factor * x[0];
    }
}

/* Index of the first entry of largest absolute value, or -1 if it differs between lanes; the members then repeat the
 * step individually. */
static inline int pivot_of(int below, long long stride, const symlie_real *restrict entry, symlie_real *restrict largest)
{
    int pivot = 0;
#if SYMLIE_LANES > 1
    for (int i = 1; i <= below; i++)
        if (fabs(entry[i * stride][0]) > fabs(entry[pivot * stride][0])) pivot = i;
    *largest = fabs(entry[pivot * stride]);
    for (int i = 0; i <= below; i++) {
        const symlie_real size = fabs(entry[i * stride]);
        if (i < pivot ? !SYMLIE_ALL(size < *largest) : !SYMLIE_ALL(size <= *largest)) return -1;
    }
#else
    *largest = 0;
    for (int i = 0; i <= below; i++) {
        const symlie_real size = fabs(entry[i * stride]);
        if (size > *largest) *largest = size, pivot = i;
    }
#endif
    return pivot;
}

/* Eliminate the band matrix in place; x becomes the solution. Return 0 if the matrix is singular. */
static inline int solve_band(int n, int bandwidth, symlie_real *restrict S, symlie_real *restrict x)
{
    const long long width = 3 * bandwidth + 1;
    int reach = 0; /* last column with a nonzero entry in the pivot row or in a row above it */
    for (int k = 0; k < n; k++) {
        const int below = k + bandwidth < n ? bandwidth : n - 1 - k;
        symlie_real *restrict row = S + k * width + bandwidth;
        symlie_real largest, scale = SYMLIE_NUMBER(0);
        const int pivot = pivot_of(below, width - 1, row, &largest);
        if (pivot < 0) return 0;
        if (k + pivot + bandwidth > reach) reach = k + pivot + bandwidth < n ? k + pivot + bandwidth : n - 1;
        const int entries = reach - k;
        symlie_real *restrict other = row + pivot * (width - 1);
        for (int j = 0; j <= entries; j++) {
            const symlie_real size = fabs(other[j]);
            scale = SYMLIE_WHERE(size > scale, size, scale);
        }
        if (!SYMLIE_ALL(largest > LOST_PIVOT * scale)) return 0;
        if (pivot) {
            for (int j = 0; j <= entries; j++) {
                const symlie_real a = row[j];
                row[j] = other[j];
                other[j] = a;
            }
            const symlie_real b = x[k];
            x[k] = x[k + pivot];
            x[k + pivot] = b;
        }
        row[0] = 1 / row[0];
        if (below == bandwidth && entries == bandwidth)
            eliminate_below(bandwidth, bandwidth, width - 1, row, row + width - 1, x + k);
        else
            eliminate_below(below, entries, width - 1, row, row + width - 1, x + k);
    }
    for (int k = n - 1; k >= 0; k--) {
        const int right = k + 2 * bandwidth < n ? 2 * bandwidth : n - 1 - k;
        const symlie_real *restrict row = S + k * width + bandwidth;
        for (int j = 1; j <= right; j++) x[k] -= row[j] * x[k + j];
        x[k] *= row[0];
    }
    return 1;
}

/* Eliminate from a row the entries of previously eliminated rows, at distances from `farthest` to `nearest` against
 * the direction of elimination. The row stays in registers. */
static SYMLIE_INLINE void subtract_rows(const int bandwidth, const int direction, const int farthest, const int nearest,
                                        const long long width, symlie_real *row, symlie_real *x)
{
    symlie_real entry[2 * LARGEST_NARROW_BANDWIDTH + 1], right = *x;
    for (int j = -bandwidth; j <= bandwidth; j++) entry[bandwidth + j] = row[direction * j];
    for (int i = farthest; i >= nearest; i--) {
        const symlie_real *before = row - direction * i * width;
        const symlie_real factor = entry[bandwidth - i] * before[0];
        for (int j = 1; j <= bandwidth; j++) entry[bandwidth - i + j] -= factor * before[direction * j];
        right -= factor * x[-direction * i];
    }
    for (int j = 1 - nearest; j <= bandwidth; j++) row[direction * j] = entry[bandwidth + j];
    *x = right;
}

/* Replace the diagonal entry of a row by its reciprocal; the return value is negative if the entry consists of
 * round-off only. Joints that constrain angles make S resemble the matrix of a beam, whose last pivots are N^-3
 * times its entries. Row exchange does not improve such pivots. */
static SYMLIE_INLINE symlie_real take_reciprocal(const symlie_real original, symlie_real *row)
{
    const symlie_real kept = fabs(row[0]) - LOST_PIVOT * fabs(original);
    row[0] = 1 / row[0];
    return kept;
}

static SYMLIE_INLINE symlie_real eliminate_row(const int bandwidth, const int direction, const int farthest, const long long width,
                                               symlie_real *row, symlie_real *x)
{
    const symlie_real original = row[0];
    subtract_rows(bandwidth, direction, farthest, 1, width, row, x);
    return take_reciprocal(original, row);
}

static SYMLIE_INLINE void substitute(const int count, const int direction, const symlie_real *row, symlie_real *x)
{
    symlie_real right = *x;
    for (int j = 1; j <= count; j++) right -= row[direction * j] * x[direction * j];
    *x = right * row[0];
}

/* Solve like solve_band, but without row exchange and from both ends at once: each pivot depends on its neighbour,
 * so this halves the dependency chain. Return 0 if a pivot is too small; S and x are then modified. */
static SYMLIE_INLINE int solve_from_ends(const int n, const int bandwidth, symlie_real *restrict S, symlie_real *restrict x)
{
    const long long width = 3 * bandwidth + 1;
    const int first = (n - bandwidth) / 2, last = first + bandwidth; /* the rows between them are eliminated last */
    symlie_real *diagonal = S + bandwidth, smallest = SYMLIE_NUMBER((symlie_scalar)INFINITY);
    for (int k = 0, l = n - 1; l >= last; k++, l--) {
        symlie_real above = SYMLIE_NUMBER((symlie_scalar)INFINITY), below;
        if (k >= bandwidth) {
            if (k < first) above = eliminate_row(bandwidth, 1, bandwidth, width, diagonal + k * width, x + k);
            below = eliminate_row(bandwidth, -1, bandwidth, width, diagonal + l * width, x + l);
        } else {
            above = eliminate_row(bandwidth, 1, k, width, diagonal + k * width, x + k);
            below = eliminate_row(bandwidth, -1, k, width, diagonal + l * width, x + l);
        }
        smallest = SYMLIE_WHERE(above < smallest, above, smallest);
        smallest = SYMLIE_WHERE(below < smallest, below, smallest);
    }
    for (int k = first; k < last; k++) {
        symlie_real *row = diagonal + k * width;
        const symlie_real original = row[0];
        subtract_rows(bandwidth, -1, bandwidth, last - k, width, row, x + k);
        subtract_rows(bandwidth, 1, bandwidth, 1, width, row, x + k);
        const symlie_real kept = take_reciprocal(original, row);
        smallest = SYMLIE_WHERE(kept >= smallest, smallest, kept); /* also true for NaN, which propagates to them */
    }
    if (!SYMLIE_ALL(smallest > 0)) return 0;
    for (int k = last - 1; k >= first; k--) substitute(last - 1 - k, 1, diagonal + k * width, x + k);
    for (int k = first - 1, l = last; l < n; k--, l++) {
        if (k >= 0) substitute(bandwidth, 1, diagonal + k * width, x + k);
        substitute(bandwidth, -1, diagonal + l * width, x + l);
    }
    return 1;
}

static inline int has_narrow_band(int n, int bandwidth)
{
    return bandwidth == 1 || (bandwidth % 2 == 1 && bandwidth <= LARGEST_NARROW_BANDWIDTH && n >= 3 * bandwidth);
}

/* Solve without row exchange for the bandwidths of chains with one to six constraint equations per joint. Loops over
 * rows and entries are unrolled for NARROW_BANDWIDTH, the bandwidth of the chains in the model. */
static inline int solve_narrow_band(int n, int bandwidth, symlie_real *restrict S, symlie_real *restrict x)
{
    if (bandwidth == 1) return solve_tridiagonal(n, S, x);
#ifdef NARROW_BANDWIDTH
    if (bandwidth == NARROW_BANDWIDTH) return solve_from_ends(n, NARROW_BANDWIDTH, S, x);
#endif
    return solve_from_ends(n, bandwidth, S, x);
}

#endif
