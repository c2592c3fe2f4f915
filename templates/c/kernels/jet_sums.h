/* Sums over 0 < j < k of products of coefficients, computed for all products of a jet together. Coefficient arrays
 * are padded to a multiple of eight numbers, the width of the widest vector registers. The sums are bitwise
 * independent of the register width. */
#ifndef SYMLIE_JET_SUMS_H
#define SYMLIE_JET_SUMS_H

#include "jet_rows.h"

/* With lanes, products share their factors; otherwise each product stores a left and a right factor. */
#define JET_SIDES (SYMLIE_LANES > 1 ? 1 : 2)
#define JET_ROW(products) (((products) + 7) / 8 * 8)

#define HALF(rows) (*(symlie_half *)((rows) + count)) /* half of the register after `count` whole registers */
#define ROWS_AT_ONCE 4 /* number of simultaneous sums that hides the latency of additions */
#define MOST_SUMS (JET_WIDTH == 8 ? 4 : 2) /* number of registers summed at a time, each with four accumulators;
                                            * processors have 32 or 16 registers */

/* Compute the sums of order k for `count` registers, and for half of the next register if the last products fill no
 * more. In the same loop, odd orders also compute the known part of the sums of the next two orders, which read the
 * same factors: processors rarely predict the end of such short loops, so fewer loops are faster. An order then waits
 * only for the products with the most recent factors. The last order omits this part. Odd and even j have separate
 * accumulators, which halves the dependency chain of the additions. */
static SYMLIE_INLINE void sum_products(const int count, const int half, const int row, const int k, const int is_last, const symlie_real *restrict left,
                                       const symlie_real *restrict right, symlie_real *restrict next, symlie_real *restrict second,
                                       symlie_real *restrict sums)
{
    symlie_row *of_next = (symlie_row *)next, *of_second = (symlie_row *)second, *out = (symlie_row *)sums;
    const symlie_row *known = k % 2 ? of_second : of_next;
    if (k == 1) {
        for (int p = 0; p < count + half; p++) out[p] = of_next[p] = of_second[p] = NO_PRODUCTS;
        return;
    }
    const symlie_row *a = (const symlie_row *)(left + row), *b = (const symlie_row *)(right + (k - 1) * row);
    for (int p = 0; p < count; p++) out[p] = FUSED_ROWS(a[p], b[p], known[p]);
    if (half) HALF(out) = FUSED_HALVES(HALF(a), HALF(b), HALF(known));
    if (k == 2) return;
    const symlie_row *c = (const symlie_row *)(left + (k - 1) * row), *d = (const symlie_row *)(right + row);
    for (int p = 0; p < count; p++) out[p] = FUSED_ROWS(c[p], d[p], out[p]);
    if (half) HALF(out) = FUSED_HALVES(HALF(c), HALF(d), HALF(out));
    a += row / JET_WIDTH, d += row / JET_WIDTH;
    if (k % 2 == 0) {
        for (int p = 0; p < count; p++) of_second[p] = FUSED_ROWS(c[p], d[p], FUSED_ROWS(a[p], b[p], of_second[p]));
        if (half) HALF(of_second) = FUSED_HALVES(HALF(c), HALF(d), FUSED_HALVES(HALF(a), HALF(b), HALF(of_second)));
        return;
    }
    if (is_last) return;
    symlie_row odd[MOST_SUMS], even[MOST_SUMS], second_odd[MOST_SUMS], second_even[MOST_SUMS], before[MOST_SUMS];
    symlie_half half_odd = {0}, half_even = {0}, half_second_odd = {0}, half_second_even = {0}, half_before = {0};
    for (int p = 0; p < count; p++) before[p] = b[p], even[p] = a[p] * before[p], odd[p] = second_odd[p] = second_even[p] = NO_PRODUCTS;
    if (half) half_before = HALF(b), half_even = HALF(a) * half_before;
    for (int j = 3; j < k; j += 2) {
        a = (const symlie_row *)(left + j * row), b = (const symlie_row *)(right + (k + 1 - j) * row);
        c = a + row / JET_WIDTH, d = b - row / JET_WIDTH;
        for (int p = 0; p < count; p++) {
            symlie_row factor = a[p], now = b[p];
            KEEP_IN_REGISTER(factor);
            KEEP_IN_REGISTER(now);
            odd[p] = FUSED_ROWS(factor, now, odd[p]), second_odd[p] = FUSED_ROWS(factor, before[p], second_odd[p]);
            factor = c[p], before[p] = d[p];
            KEEP_IN_REGISTER(factor);
            KEEP_IN_REGISTER(before[p]);
            even[p] = FUSED_ROWS(factor, before[p], even[p]), second_even[p] = FUSED_ROWS(factor, now, second_even[p]);
        }
        if (half) {
            symlie_half factor = HALF(a), now = HALF(b);
            KEEP_IN_REGISTER(factor);
            KEEP_IN_REGISTER(now);
            half_odd = FUSED_HALVES(factor, now, half_odd), half_second_odd = FUSED_HALVES(factor, half_before, half_second_odd);
            factor = HALF(c), half_before = HALF(d);
            KEEP_IN_REGISTER(factor);
            KEEP_IN_REGISTER(half_before);
            half_even = FUSED_HALVES(factor, half_before, half_even), half_second_even = FUSED_HALVES(factor, now, half_second_even);
        }
    }
    for (int p = 0; p < count; p++) of_next[p] = even[p] + odd[p], of_second[p] = second_even[p] + second_odd[p];
    if (half) HALF(of_next) = half_even + half_odd, HALF(of_second) = half_second_even + half_second_odd;
}

/* Compute sums = sum_{0<j<k} left_j right_{k-j}; the factors of each order form one array row in the order of the
 * products. All passes have about the same length. */
static SYMLIE_INLINE void jet_sums(const int products, const int k, const int is_last, const symlie_real *restrict left, const symlie_real *restrict right,
                                   symlie_real *restrict next, symlie_real *restrict second, symlie_real *restrict sums)
{
    const int row = JET_ROW(products), registers = (products + JET_WIDTH - 1) / JET_WIDTH, passes = (registers + MOST_SUMS - 1) / MOST_SUMS;
    const int most = (registers + passes - 1) / passes, whole = products / (most * JET_WIDTH) * (most * JET_WIDTH), rest = products - whole;
    const int half = JET_WIDTH == 8 && rest % 8 > 0 && rest % 8 <= 4, count = (rest + JET_WIDTH - 1) / JET_WIDTH - half;
    for (int p = 0; p < whole; p += most * JET_WIDTH) sum_products(most, 0, row, k, is_last, left + p, right + p, next + p, second + p, sums + p);
    if (rest) sum_products(count, half, row, k, is_last, left + whole, right + whole, next + whole, second + whole, sums + whole);
}

/* Store eight numbers with the same register width as later loads; add_eight adds to them. */
static SYMLIE_INLINE void put_eight(symlie_real *restrict row, const symlie_real a, const symlie_real b, const symlie_real c,
                                    const symlie_real d, const symlie_real e, const symlie_real f, const symlie_real g, const symlie_real h)
{
    symlie_row *out = (symlie_row *)row;
#if JET_WIDTH == 8
    out[0] = (symlie_row){a, b, c, d, e, f, g, h};
#elif JET_WIDTH == 4
    out[0] = (symlie_row){a, b, c, d}, out[1] = (symlie_row){e, f, g, h};
#else
    out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e, out[5] = f, out[6] = g, out[7] = h;
#endif
}

static SYMLIE_INLINE void add_eight(symlie_real *restrict row, const symlie_real a, const symlie_real b, const symlie_real c,
                                    const symlie_real d, const symlie_real e, const symlie_real f, const symlie_real g, const symlie_real h)
{
    symlie_row *out = (symlie_row *)row;
#if JET_WIDTH == 8
    out[0] += (symlie_row){a, b, c, d, e, f, g, h};
#elif JET_WIDTH == 4
    out[0] += (symlie_row){a, b, c, d}, out[1] += (symlie_row){e, f, g, h};
#else
    out[0] += a, out[1] += b, out[2] += c, out[3] += d, out[4] += e, out[5] += f, out[6] += g, out[7] += h;
#endif
}

static SYMLIE_INLINE void copy_numbers(const int size, const symlie_real *restrict x, symlie_real *restrict out)
{
    for (int n = 0; n < size; n++) out[n] = x[n];
}

#endif
