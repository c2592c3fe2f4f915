/* Sums of the terms of series, and quotients by their orders. */
#ifndef SYMLIE_TAYLOR_SUMS_H
#define SYMLIE_TAYLOR_SUMS_H

#include "taylor_series.h"

/* A row whose address is never taken, which would keep it in memory while it is summed. */
static SYMLIE_INLINE void put_row(symlie_row row, int size, symlie_real *restrict out)
{
#if JET_WIDTH > 1
    if (size >= JET_WIDTH) *(symlie_row *)out = row;
    else
        for (int i = 0; i < size; i++) out[i] = row[i];
#else
    *out = row;
#endif
}

static SYMLIE_INLINE void sum_rows(const int rows, int size, int rest, int count, const symlie_real *restrict x, symlie_real s,
                                   symlie_real *restrict out)
{
    symlie_row sum[ROWS_AT_ONCE];
    for (int m = 0; m < rows; m++) sum[m] = row_at(x + (count - 1) * size + m * JET_WIDTH);
    for (int k = count - 2; k >= 0; k--)
        for (int m = 0; m < rows; m++) sum[m] = FUSED_ROWS(sum[m], s, row_at(x + k * size + m * JET_WIDTH));
    for (int m = 0; m < rows; m++) put_row(sum[m], rest - m * JET_WIDTH, out + m * JET_WIDTH);
}

/* out = sum_k x_k s^k over the orders below the count, by Horner's scheme, which adds the least rounding: of the first numbers
 * of rows that are so far from each other, or of whole rows. */
static inline void sum_first(int size, int stride, int count, const symlie_real *restrict x, symlie_real s, symlie_real *restrict out)
{
    int i = 0;
    for (; i + ROWS_AT_ONCE * JET_WIDTH <= size; i += ROWS_AT_ONCE * JET_WIDTH)
        sum_rows(ROWS_AT_ONCE, stride, size - i, count, x + i, s, out + i);
    for (; i + 2 * JET_WIDTH <= size; i += 2 * JET_WIDTH) sum_rows(2, stride, size - i, count, x + i, s, out + i);
    for (; i < size; i += JET_WIDTH) sum_rows(1, stride, size - i, count, x + i, s, out + i);
}

static inline void sum_series(int size, int count, const symlie_real *restrict x, symlie_real s, symlie_real *restrict out)
{
    sum_first(size, size, count, x, s, out);
}

/* Two of them together, of so many registers, since each addition waits for the one before. */
static SYMLIE_INLINE void sum_two_series(const int size, const int other_size, int count, const symlie_real *restrict x,
                                         const symlie_real *restrict other, symlie_real s, symlie_real *restrict out, symlie_real *restrict other_out)
{
    const int rows = (size + JET_WIDTH - 1) / JET_WIDTH, others = (other_size + JET_WIDTH - 1) / JET_WIDTH;
    symlie_row sum[ROWS_AT_ONCE], other_sum[ROWS_AT_ONCE];
    for (int m = 0; m < rows; m++) sum[m] = row_at(x + (count - 1) * size + m * JET_WIDTH);
    for (int m = 0; m < others; m++) other_sum[m] = row_at(other + (count - 1) * other_size + m * JET_WIDTH);
    for (int k = count - 2; k >= 0; k--) {
        for (int m = 0; m < rows; m++) sum[m] = FUSED_ROWS(sum[m], s, row_at(x + k * size + m * JET_WIDTH));
        for (int m = 0; m < others; m++) other_sum[m] = FUSED_ROWS(other_sum[m], s, row_at(other + k * other_size + m * JET_WIDTH));
    }
    for (int m = 0; m < rows; m++) put_row(sum[m], size - m * JET_WIDTH, out + m * JET_WIDTH);
    for (int m = 0; m < others; m++) put_row(other_sum[m], other_size - m * JET_WIDTH, other_out + m * JET_WIDTH);
}

/* v, or lambda of the system. */
static inline void sum_velocities(const symlie_problem *restrict P, symlie_real *restrict work, int count, const symlie_real *restrict x,
                                  symlie_real s, symlie_real *restrict out)
{
#if ORDERS_BESIDE
    ARRAY(sum, VELOCITY_SIZE);
    sum_series(VELOCITY_SIZE, count, x, s, sum);
    velocity_from_beside(P, sum, out);
#else
    sum_series(DIMENSION, count, x, s, out);
#endif
}

static inline void sum_multipliers(const symlie_problem *restrict P, symlie_real *restrict work, int count, const symlie_real *restrict x,
                                   symlie_real s, symlie_real *restrict out)
{
#if ORDERS_BESIDE
    ARRAY(sum, ROWS_SIZE);
    sum_series(ROWS_SIZE, count, x, s, sum);
    rows_from_beside(P, sum, out);
#else
    sum_series(ROWS, count, x, s, out);
#endif
}

/* out = x / n, by both parts of the reciprocal where that takes no longer than products: the same bits, in a fraction of the
 * time of divisions, since no quotient by so small a number is as near to the middle of two doubles as the product is to it. */
static SYMLIE_INLINE void divide_by(const int n, long long size, const symlie_real *restrict x, symlie_real *restrict out)
{
#ifdef __FP_FAST_FMA
    const symlie_scalar whole = n, part = 1 / whole, rest = __builtin_fma(-part, whole, 1.0) * part;
    for (long long i = 0; i < size; i++) out[i] = SYMLIE_FUSED(x[i], SYMLIE_NUMBER(part), x[i] * rest);
#else
    for (long long i = 0; i < size; i++) out[i] = x[i] / (symlie_scalar)n;
#endif
}

/* The n-th power. */
static inline symlie_real whole_power(symlie_real x, int n)
{
    symlie_real found = SYMLIE_NUMBER(1);
    for (; n; n /= 2, x *= x)
        if (n % 2) found *= x;
    return found;
}

#define WEIGHT_OF(k) (weight ? weight[k] : (symlie_scalar)((k) + 1)) /* that of a rate where there are none */
static SYMLIE_INLINE void begin_terms(const int rows, int size, int half, int count, const symlie_scalar *restrict weight,
                                      const symlie_real *restrict x, symlie_row *restrict low, symlie_row *restrict high)
{
    for (int m = 0; m < rows; m++) low[m] = high[m] = NO_PRODUCTS;
    if (2 * half < count)
        for (int m = 0; m < rows; m++) high[m] = WEIGHT_OF(count - 1) * row_at(x + (count - 1) * size + m * JET_WIDTH);
}

static SYMLIE_INLINE void add_terms(const int rows, int size, int half, int k, const symlie_scalar *restrict weight,
                                    const symlie_real *restrict x, symlie_real s, symlie_row *restrict low, symlie_row *restrict high)
{
    for (int m = 0; m < rows; m++) {
        low[m] = FUSED_ROWS(low[m], s, WEIGHT_OF(k) * row_at(x + k * size + m * JET_WIDTH));
        high[m] = FUSED_ROWS(high[m], s, WEIGHT_OF(half + k) * row_at(x + (half + k) * size + m * JET_WIDTH));
    }
}

static SYMLIE_INLINE void end_terms(const int rows, int rest, const symlie_row *restrict low, const symlie_row *restrict high,
                                    symlie_real power, symlie_real *restrict out)
{
    for (int m = 0; m < rows; m++) put_row(FUSED_ROWS(high[m], power, low[m]), rest - m * JET_WIDTH, out + m * JET_WIDTH);
}

static SYMLIE_INLINE void sum_terms_of_rows(const int rows, int size, int rest, int half, int count, const symlie_scalar *restrict weight,
                                            const symlie_real *restrict x, symlie_real s, symlie_real power, symlie_real *restrict out)
{
    symlie_row low[ROWS_AT_ONCE / 2], high[ROWS_AT_ONCE / 2];
    begin_terms(rows, size, half, count, weight, x, low, high);
    for (int k = half - 1; k >= 0; k--) add_terms(rows, size, half, k, weight, x, s, low, high);
    end_terms(rows, rest, low, high, power, out);
}

/* out = sum_k w_k x_k s^k of so many orders, in two halves that do not wait for each other. */
static SYMLIE_INLINE void sum_terms(int size, int stride, int count, const symlie_scalar *restrict weight, const symlie_real *restrict x, symlie_real s,
                                    symlie_real *restrict out)
{
    const int half = count / 2;
    const symlie_real power = whole_power(s, half);
    int i = 0;
    for (; i + 2 * JET_WIDTH <= size; i += 2 * JET_WIDTH)
        sum_terms_of_rows(2, stride, size - i, half, count, weight, x + i, s, power, out + i);
    for (; i < size; i += JET_WIDTH) sum_terms_of_rows(1, stride, size - i, half, count, weight, x + i, s, power, out + i);
}

/* The derivative of a series of orders below the count, of the first numbers of rows, and its mean from 0 to s. */
static inline void sum_rates(int size, int stride, int count, const symlie_real *restrict x, symlie_real s, symlie_real *restrict out)
{
    sum_terms(size, stride, count - 1, 0, x + stride, s, out);
}

/* Derivatives of two series together, of so many registers. */
static SYMLIE_INLINE void sum_two_rates(const int size, const int other_size, int count, const symlie_real *restrict x,
                                        const symlie_real *restrict other, symlie_real s, symlie_real *restrict out, symlie_real *restrict other_out)
{
    const int rows = (size + JET_WIDTH - 1) / JET_WIDTH, others = (other_size + JET_WIDTH - 1) / JET_WIDTH, half = (count - 1) / 2;
    const symlie_real power = whole_power(s, half);
    symlie_row low[ROWS_AT_ONCE], high[ROWS_AT_ONCE], other_low[ROWS_AT_ONCE], other_high[ROWS_AT_ONCE];
    begin_terms(rows, size, half, count - 1, 0, x + size, low, high);
    begin_terms(others, other_size, half, count - 1, 0, other + other_size, other_low, other_high);
    for (int k = half - 1; k >= 0; k--) {
        add_terms(rows, size, half, k, 0, x + size, s, low, high);
        add_terms(others, other_size, half, k, 0, other + other_size, s, other_low, other_high);
    }
    end_terms(rows, size, low, high, power, out);
    end_terms(others, other_size, other_low, other_high, power, other_out);
}

static inline void sum_means(int size, int count, const symlie_real *restrict x, symlie_real s, symlie_real *restrict out)
{
    symlie_scalar weight[MOST_ORDER + 1];
    for (int k = 0; k < count; k++) weight[k] = 1 / (symlie_scalar)(k + 1);
    sum_terms(size, size, count, weight, x, s, out);
}

#endif
