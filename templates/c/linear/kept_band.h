/* Factorisation of a band matrix without row exchange, stored for several right-hand sides. The storage of rows is
 * described in complement.h. */
#ifndef SYMLIE_KEPT_BAND_H
#define SYMLIE_KEPT_BAND_H

#include "complement.h"

/* Factorise a row in a direction of elimination: factors replace its entries for previously eliminated rows. The
 * `following` entries after the diagonal entry remain entries of the matrix. */
static SYMLIE_INLINE void keep_factors(const int bandwidth, const int direction, const int farthest, const int nearest,
                                       const int following, const long long width, symlie_real *row)
{
    for (int i = farthest; i >= nearest; i--) {
        const symlie_real *before = row - direction * i * width;
        const symlie_real factor = row[-direction * i] * before[0];
        row[-direction * i] = factor;
        for (int j = 1; j <= bandwidth && j - i <= following; j++) row[direction * (j - i)] -= factor * before[direction * j];
    }
}

/* Factorise from both ends, like solve_from_ends. Return 0 if a pivot is too small. */
static SYMLIE_INLINE int factorize_from_ends(const int n, const int bandwidth, symlie_real *restrict S)
{
    const long long width = 3 * bandwidth + 1;
    const int first = (n - bandwidth) / 2, last = first + bandwidth;
    symlie_real *diagonal = S + bandwidth;
    int are_kept = 1;
    for (int k = 0, l = n - 1; l >= last; k++, l--) {
        const int before = k < bandwidth ? k : bandwidth;
        symlie_real *above = diagonal + k * width, *below = diagonal + l * width;
        const symlie_real of_above = above[0], of_below = below[0];
        if (k < first) {
            keep_factors(bandwidth, 1, before, 1, bandwidth, width, above);
            are_kept &= take_reciprocal(of_above, above) > 0;
        }
        keep_factors(bandwidth, -1, before, 1, bandwidth, width, below);
        are_kept &= take_reciprocal(of_below, below) > 0;
    }
    for (int k = first; k < last; k++) {
        symlie_real *row = diagonal + k * width;
        const symlie_real original = row[0];
        keep_factors(bandwidth, -1, bandwidth, last - k, bandwidth, width, row);
        keep_factors(bandwidth, 1, bandwidth, 1, last - 1 - k, width, row);
        are_kept &= take_reciprocal(original, row) > 0;
    }
    return are_kept;
}

static SYMLIE_INLINE void eliminate_right(const int direction, const int farthest, const int nearest, const symlie_real *row, symlie_real *x)
{
    symlie_real right = *x;
    for (int i = farthest; i >= nearest; i--) right -= row[-direction * i] * x[-direction * i];
    *x = right;
}

/* Compute x = S^-1 x with these factors. */
static SYMLIE_INLINE void solve_kept(const int n, const int bandwidth, const symlie_real *restrict S, symlie_real *restrict x)
{
    const long long width = 3 * bandwidth + 1;
    const int first = (n - bandwidth) / 2, last = first + bandwidth;
    const symlie_real *diagonal = S + bandwidth;
    for (int k = 0, l = n - 1; l >= last; k++, l--) {
        const int before = k < bandwidth ? k : bandwidth;
        if (k < first) eliminate_right(1, before, 1, diagonal + k * width, x + k);
        eliminate_right(-1, before, 1, diagonal + l * width, x + l);
    }
    for (int k = first; k < last; k++) {
        eliminate_right(-1, bandwidth, last - k, diagonal + k * width, x + k);
        eliminate_right(1, bandwidth, 1, diagonal + k * width, x + k);
    }
    for (int k = last - 1; k >= first; k--) substitute(last - 1 - k, 1, diagonal + k * width, x + k);
    for (int k = first - 1, l = last; l < n; k--, l++) {
        if (k >= 0) substitute(bandwidth, 1, diagonal + k * width, x + k);
        substitute(bandwidth, -1, diagonal + l * width, x + l);
    }
}

/* Store the coefficient of the previously eliminated neighbour as the last of the four numbers of a factorised
 * tridiagonal row. */
static inline void keep_last_factors(const int n, symlie_real *restrict S)
{
    const int middle = (n - 1) / 2;
    for (int k = 0; k < n; k++) {
        symlie_real *row = S + 4LL * k;
        row[3] = k < middle ? row[2] * row[1] : row[0] * row[1];
    }
}

/* Solve with tridiagonal factors. The values on the critical path stay in registers and cost one fused operation per
 * row. */
static SYMLIE_INLINE void solve_kept_tridiagonal(const int n, const symlie_real *restrict S, symlie_real *restrict x)
{
    const int middle = (n - 1) / 2;
    symlie_real above = 0, below = 0;
    for (int k = 0, l = n - 1; l > middle; k++, l--) {
        if (k < middle) x[k] = above = FUSED(-S[4LL * k], above, x[k]);
        x[l] = below = FUSED(-S[4LL * l + 2], below, x[l]);
    }
    const symlie_real *row = S + 4LL * middle;
    x[middle] = above = below = (x[middle] - row[2] * below - row[0] * above) * row[1];
    for (int k = middle - 1, l = middle + 1; l < n; k--, l++) {
        if (k >= 0) x[k] = above = FUSED(-S[4LL * k + 3], above, x[k] * S[4LL * k + 1]);
        x[l] = below = FUSED(-S[4LL * l + 3], below, x[l] * S[4LL * l + 1]);
    }
}

/* Factorise S if its band is narrow. Return 0 if this requires row exchange. */
static inline int factorize_band(int n, int bandwidth, symlie_real *restrict S)
{
    if (!(bandwidth % 2 == 1 && bandwidth <= LARGEST_NARROW_BANDWIDTH && n >= 3 * bandwidth)) return 0;
    if (bandwidth == 1) {
        if (!factorize_from_ends(n, 1, S)) return 0;
        keep_last_factors(n, S);
        return 1;
    }
#ifdef NARROW_BANDWIDTH
    if (bandwidth == NARROW_BANDWIDTH) return factorize_from_ends(n, NARROW_BANDWIDTH, S);
#endif
    return factorize_from_ends(n, bandwidth, S);
}

static inline void solve_with_band(int n, int bandwidth, const symlie_real *restrict S, symlie_real *restrict x)
{
    if (bandwidth == 1) {
        solve_kept_tridiagonal(n, S, x);
        return;
    }
#ifdef NARROW_BANDWIDTH
    if (bandwidth == NARROW_BANDWIDTH) {
        solve_kept(n, NARROW_BANDWIDTH, S, x);
        return;
    }
#endif
    solve_kept(n, bandwidth, S, x);
}

#endif
