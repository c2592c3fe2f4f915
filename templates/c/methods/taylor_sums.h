/* Summation of Taylor series. */
#ifndef SYMLIE_TAYLOR_SUMS_H
#define SYMLIE_TAYLOR_SUMS_H

#include "taylor_series.h"

/* Passing a row by value avoids taking its address, which would force it into memory during the summation. */
static SYMLIE_INLINE void put_row(symlie_row row, int size, symlie_real *restrict out)
{
    if (size >= JET_WIDTH) *(symlie_row *)out = row;
    else
        for (int i = 0; i < size; i++) out[i] = OF_ROW(row, i);
}

/* Sum coefficient arrays by Horner's scheme, which has the smallest rounding error, and their derivatives if
 * requested. */
static SYMLIE_INLINE void begin_sums(const int rows, int size, int count, const symlie_real *restrict x, symlie_row *restrict sum,
                                     symlie_row *restrict slope)
{
    for (int m = 0; m < rows; m++) sum[m] = row_at(x + (count - 1) * size + m * JET_WIDTH), slope[m] = NO_PRODUCTS;
}

static SYMLIE_INLINE void add_order(const int with_slopes, const int rows, int size, int k, const symlie_real *restrict x, symlie_real s,
                                    symlie_row *restrict sum, symlie_row *restrict slope)
{
    for (int m = 0; m < rows; m++) {
        if (with_slopes) slope[m] = FUSED_ROWS(slope[m], s, sum[m]);
        sum[m] = FUSED_ROWS(sum[m], s, row_at(x + k * size + m * JET_WIDTH));
    }
}

static SYMLIE_INLINE void put_sums(const int with_slopes, const int rows, int rest, const symlie_row *restrict sum,
                                   const symlie_row *restrict slope, symlie_real *out, symlie_real *rate)
{
    for (int m = 0; m < rows; m++) put_row(sum[m], rest - m * JET_WIDTH, out + m * JET_WIDTH);
    for (int m = 0; with_slopes && m < rows; m++) put_row(slope[m], rest - m * JET_WIDTH, rate + m * JET_WIDTH);
}

static SYMLIE_INLINE void sum_rows(const int with_slopes, const int rows, int size, int rest, int count, const symlie_real *restrict x,
                                   symlie_real s, symlie_real *out, symlie_real *rate)
{
    symlie_row sum[ROWS_AT_ONCE], slope[ROWS_AT_ONCE];
    begin_sums(rows, size, count, x, sum, slope);
    for (int k = count - 2; k >= 0; k--) add_order(with_slopes, rows, size, k, x, s, sum, slope);
    put_sums(with_slopes, rows, rest, sum, slope, out, rate);
}

static SYMLIE_INLINE void sum_parts(const int with_slopes, int size, int stride, int count, const symlie_real *restrict x, symlie_real s,
                                    symlie_real *out, symlie_real *rate)
{
    int i = 0;
    for (; i + ROWS_AT_ONCE * JET_WIDTH <= size; i += ROWS_AT_ONCE * JET_WIDTH)
        sum_rows(with_slopes, ROWS_AT_ONCE, stride, size - i, count, x + i, s, out + i, rate + i);
    for (; i + 2 * JET_WIDTH <= size; i += 2 * JET_WIDTH)
        sum_rows(with_slopes, 2, stride, size - i, count, x + i, s, out + i, rate + i);
    for (; i < size; i += JET_WIDTH) sum_rows(with_slopes, 1, stride, size - i, count, x + i, s, out + i, rate + i);
}

/* Compute out = sum_k x_k s^k over k < count for the first `size` numbers of arrays with the given stride, and its
 * derivative if rate is not null. */
static inline void sum_first(int size, int stride, int count, const symlie_real *restrict x, symlie_real s, symlie_real *restrict out,
                             symlie_real *restrict rate)
{
    if (rate) sum_parts(1, size, stride, count, x, s, out, rate);
    else sum_parts(0, size, stride, count, x, s, out, out);
}

static inline void sum_series(int size, int count, const symlie_real *restrict x, symlie_real s, symlie_real *restrict out)
{
    sum_first(size, size, count, x, s, out, 0);
}

/* Sum two series of a fixed number of registers together: the additions of one series depend on each other. */
static SYMLIE_INLINE void sum_two_series(const int with_slopes, const int size, const int other_size, int count, const symlie_real *restrict x,
                                         const symlie_real *restrict other, symlie_real s, symlie_real *restrict out,
                                         symlie_real *restrict other_out, symlie_real *restrict rate, symlie_real *restrict other_rate)
{
    const int rows = (size + JET_WIDTH - 1) / JET_WIDTH, others = (other_size + JET_WIDTH - 1) / JET_WIDTH;
    symlie_row sum[ROWS_AT_ONCE], slope[ROWS_AT_ONCE], other_sum[ROWS_AT_ONCE], other_slope[ROWS_AT_ONCE];
    begin_sums(rows, size, count, x, sum, slope);
    begin_sums(others, other_size, count, other, other_sum, other_slope);
    for (int k = count - 2; k >= 0; k--) {
        add_order(with_slopes, rows, size, k, x, s, sum, slope);
        add_order(with_slopes, others, other_size, k, other, s, other_sum, other_slope);
    }
    put_sums(with_slopes, rows, size, sum, slope, out, rate);
    put_sums(with_slopes, others, other_size, other_sum, other_slope, other_out, other_rate);
}

/* Sum the series of the stored components at a time in the unit, and of their rates if rate is not null.
 * Coefficients of nodes that do not move are not read: these nodes are constant or recomputed. */
static inline void sum_stored(const symlie_problem *restrict P, int order, const symlie_series *restrict series, symlie_real s,
                              symlie_real *restrict sum, symlie_real *restrict rate)
{
    const int moving = MOVING_STORED;
    sum_first(moving, STORED_SIZE, order + 1, series->q, s, sum, rate);
    copy(STORED_SIZE - moving, series->q + moving, sum + moving);
    for (int k = moving; rate && k < STORED_SIZE; k++) rate[k] = SYMLIE_NUMBER(0);
}

/* Sum v or lambda to a system vector. */
static inline void sum_velocities(const symlie_problem *restrict P, symlie_real *restrict work, int count, const symlie_real *restrict x,
                                  symlie_real s, symlie_real *restrict out, symlie_real *restrict rate)
{
    ARRAY(sum, ORDERS_BESIDE ? VELOCITY_SIZE : 0);
    sum_first(VELOCITY_SIZE, VELOCITY_SIZE, count, x, s, ORDERS_BESIDE ? sum : out, rate);
    if (ORDERS_BESIDE) velocity_from_beside(P, sum, out);
}

static inline void sum_multipliers(const symlie_problem *restrict P, symlie_real *restrict work, int count, const symlie_real *restrict x,
                                   symlie_real s, symlie_real *restrict out)
{
    ARRAY(sum, ORDERS_BESIDE ? ROWS_SIZE : 0);
    sum_series(ROWS_SIZE, count, x, s, ORDERS_BESIDE ? sum : out);
    if (ORDERS_BESIDE) rows_from_beside(P, sum, out);
}

/* Integer power of x. */
static inline symlie_real whole_power(symlie_real x, int n)
{
    symlie_real found = SYMLIE_NUMBER(1);
    for (; n; n /= 2, x *= x)
        if (n % 2) found *= x;
    return found;
}

static SYMLIE_INLINE void sum_means_of_rows(const int rows, int size, int rest, int count, const symlie_scalar *restrict weight,
                                            const symlie_real *restrict x, symlie_real s, symlie_real power, symlie_real *restrict out)
{
    const int half = count / 2;
    symlie_row low[ROWS_AT_ONCE / 2], high[ROWS_AT_ONCE / 2];
    for (int m = 0; m < rows; m++) low[m] = high[m] = NO_PRODUCTS;
    if (2 * half < count)
        for (int m = 0; m < rows; m++) high[m] = weight[count - 1] * row_at(x + (count - 1) * size + m * JET_WIDTH);
    for (int k = half - 1; k >= 0; k--)
        for (int m = 0; m < rows; m++) {
            low[m] = low[m] * s + weight[k] * row_at(x + k * size + m * JET_WIDTH);
            high[m] = high[m] * s + weight[half + k] * row_at(x + (half + k) * size + m * JET_WIDTH);
        }
    for (int m = 0; m < rows; m++) put_row(low[m] + high[m] * power, rest - m * JET_WIDTH, out + m * JET_WIDTH);
}

/* Compute the mean from 0 to s of a series with terms k < count, in two independent halves. */
static inline void sum_means(int size, int count, const symlie_real *restrict x, symlie_real s, symlie_real *restrict out)
{
    symlie_scalar weight[MOST_ORDER + 1];
    for (int k = 0; k < count; k++) weight[k] = 1 / (symlie_scalar)(k + 1);
    const symlie_real power = whole_power(s, count / 2);
    int i = 0;
    for (; i + 2 * JET_WIDTH <= size; i += 2 * JET_WIDTH) sum_means_of_rows(2, size, size - i, count, weight, x + i, s, power, out + i);
    for (; i < size; i += JET_WIDTH) sum_means_of_rows(1, size, size - i, count, weight, x + i, s, power, out + i);
}

#endif
