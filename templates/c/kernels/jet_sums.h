/* Sums over 0 < j < k of products of coefficients, of all products of a jet together. Rows of coefficients hold a multiple
 * of eight numbers, as the widest vector registers do; sums have the same bits whatever the registers are. */
#ifndef SYMLIE_JET_SUMS_H
#define SYMLIE_JET_SUMS_H

#define JET_ROW(products) (((products) + 7) / 8 * 8)

#if SYMLIE_LANES == 1 && defined(__GNUC__) && (defined(__AVX512F__) || defined(__AVX__))
#ifdef __AVX512F__
#define JET_WIDTH 8
#else
#define JET_WIDTH 4
#endif
typedef symlie_real symlie_row __attribute__((vector_size(8 * JET_WIDTH), aligned(8), may_alias));
#define NO_PRODUCTS ((symlie_row){0})
#else
#define JET_WIDTH 1
typedef symlie_real symlie_row;
#define NO_PRODUCTS SYMLIE_NUMBER(0)
#endif

#define MOST_SUMS 8 /* registers that hold sums at a time, as many as hide that additions take a while */

/* Of so many registers at a time: the sums of order k, and those of the next order as far as they are known without the
 * factors of this one, so that nothing waits for what was put down last. */
static SYMLIE_INLINE void sum_products(const int count, const int row, const int k, const symlie_real *restrict left,
                                       const symlie_real *restrict right, symlie_real *restrict inner, symlie_real *restrict sums)
{
    symlie_row sum[MOST_SUMS];
    for (int p = 0; p < count; p++) sum[p] = NO_PRODUCTS;
    for (int j = 2; j < k; j++) {
        const symlie_row *a = (const symlie_row *)(left + j * row), *b = (const symlie_row *)(right + (k + 1 - j) * row);
        for (int p = 0; p < count; p++) sum[p] += a[p] * b[p];
    }
    symlie_row *known = (symlie_row *)inner, *out = (symlie_row *)sums;
    if (k == 1) {
        for (int p = 0; p < count; p++) out[p] = NO_PRODUCTS;
    } else {
        const symlie_row *a = (const symlie_row *)(left + row), *b = (const symlie_row *)(right + (k - 1) * row);
        for (int p = 0; p < count; p++) out[p] = known[p] + a[p] * b[p];
        a = (const symlie_row *)(left + (k - 1) * row), b = (const symlie_row *)(right + row);
        if (k > 2)
            for (int p = 0; p < count; p++) out[p] += a[p] * b[p];
    }
    for (int p = 0; p < count; p++) known[p] = sum[p];
}

/* sums = sum_{0<j<k} left_j right_{k-j}; so many numbers belong to each order. */
static SYMLIE_INLINE void jet_sums(const int row, const int k, const symlie_real *restrict left, const symlie_real *restrict right,
                                   symlie_real *restrict inner, symlie_real *restrict sums)
{
    const int most = MOST_SUMS * JET_WIDTH, whole = row / most * most;
    for (int p = 0; p < whole; p += most) sum_products(MOST_SUMS, row, k, left + p, right + p, inner + p, sums + p);
    if (whole < row)
        sum_products((row - whole) / JET_WIDTH, row, k, left + whole, right + whole, inner + whole, sums + whole);
}

/* Add to factors of some products. */
static inline void add_factors(const int count, const symlie_real *restrict of_left, const symlie_real *restrict of_right,
                               symlie_real *restrict left, symlie_real *restrict right)
{
    for (int p = 0; p < count; p++) left[p] += of_left[p];
    for (int p = 0; p < count; p++) right[p] += of_right[p];
}

#endif
