/* Rows of the coefficients of series, and their sums. */
#ifndef SYMLIE_TAYLOR_SUMS_H
#define SYMLIE_TAYLOR_SUMS_H

/* Numbers of a row of coefficients. Where nodes and instances stand side by side, their components do so as well. */
#if ORDERS_BESIDE
#define STORED_SIZE ((int)STORED_BESIDE)
#define MOVING_STORED ((int)stored_of_moving(P)) /* up to the last node that moves */
#define MOVED_SIZE ((int)(FIELDS ? MOVED_BESIDE : VELOCITY_BESIDE))
#define VELOCITY_SIZE ((int)VELOCITY_BESIDE)
#define ROWS_SIZE ((int)ROWS_BESIDE)
#else
#define STORED_SIZE STORAGE
#define MOVING_STORED STORAGE
#define MOVED_SIZE DIMENSION
#define VELOCITY_SIZE DIMENSION
#define ROWS_SIZE ROWS
#endif
/* Whether q and v fill few registers, and are vectors of the system. */
#if FIXED_TOPOLOGY && !ORDERS_BESIDE
#define SUMS_TOGETHER (STORAGE <= ROWS_AT_ONCE * JET_WIDTH && DIMENSION <= ROWS_AT_ONCE * JET_WIDTH)
#else
#define SUMS_TOGETHER 0
#endif
#define MOVED_ROWS(most) (FIELDS ? (FIELD_SERIES ? (most) + 1LL : 1LL) : 0LL)
#define NUMBERS_OF_SERIES CACHE_LINE /* so much room have those before the rows */

/* Coefficients from a state, one row for each order. */
typedef struct {
    symlie_real *is_known;
    symlie_real *t;
    symlie_real *longest;       /* step that can be taken */
    symlie_real *searched;      /* length up to which the next two were sought */
    symlie_real *before;        /* length up to which pieces surely hold, where that ends */
    symlie_real *beyond;        /* where they surely do not any more */
    symlie_real *q;
    symlie_real *v;
    symlie_real *w;             /* v, with fields in the place of velocities, where these have series */
    symlie_real *lambda;
    symlie_real *q_0, *v_0, *w_0, *lambda_0, *q_1, *v_1; /* of the first orders, vectors of the system */
    symlie_real *conditions;    /* functions that choose pieces: sizes, then a row for each order */
    symlie_real *events;        /* event functions, where they have series */
} symlie_series;

static inline long long series_workspace(const symlie_problem *restrict P, int most)
{
    const long long first = ORDERS_BESIDE ? 2LL * STORAGE + 3LL * DIMENSION + ROWS : 0;
    const long long size = (most + 1LL) * (STORED_SIZE + VELOCITY_SIZE) + MOVED_ROWS(most) * MOVED_SIZE + most * (long long)ROWS_SIZE + first
                           + (most + 2LL) * CONDITIONS + EVENT_SERIES * most * (long long)EVENTS;
    return NUMBERS_OF_SERIES + (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Of so many orders at most. */
static inline symlie_real *place_series(const symlie_problem *restrict P, int most, symlie_real *memory, symlie_series *series)
{
    series->is_known = memory;
    series->t = series->is_known + 1;
    series->longest = series->t + 1;
    series->searched = series->longest + 1;
    series->before = series->searched + 1;
    series->beyond = series->before + 1;
    series->q = memory + NUMBERS_OF_SERIES;
    series->v = series->q + (most + 1) * STORED_SIZE;
    series->w = FIELDS ? series->v + (most + 1) * VELOCITY_SIZE : series->v;
    series->lambda = series->v + (most + 1) * VELOCITY_SIZE + MOVED_ROWS(most) * MOVED_SIZE;
    series->conditions = series->lambda + most * ROWS_SIZE;
    series->events = series->conditions + (most + 2) * CONDITIONS;
#if ORDERS_BESIDE
    series->q_0 = series->events + EVENT_SERIES * most * EVENTS;
    series->q_1 = series->q_0 + STORAGE;
    series->v_0 = series->q_1 + STORAGE;
    series->v_1 = series->v_0 + DIMENSION;
    series->w_0 = FIELDS ? series->v_1 + DIMENSION : series->v_0;
    series->lambda_0 = series->v_1 + 2 * DIMENSION;
#else
    series->q_0 = series->q, series->q_1 = series->q + STORAGE;
    series->v_0 = series->v, series->v_1 = series->v + DIMENSION;
    series->w_0 = series->w, series->lambda_0 = series->lambda;
#endif
    return memory + series_workspace(P, most);
}

/* Vectors of the system from rows of coefficients, or from sums of them; arrays that others are copied to. */
static inline const symlie_real *stored_vector(const symlie_problem *restrict P, const symlie_real *row, symlie_real *restrict array)
{
#if ORDERS_BESIDE
    stored_from_beside(P, row, array);
    return array;
#else
    return row;
#endif
}

static inline const symlie_real *moved_vector(const symlie_problem *restrict P, const symlie_real *row, symlie_real *restrict array)
{
#if ORDERS_BESIDE
    if (FIELDS) moved_from_beside(P, row, array);
    else velocity_from_beside(P, row, array);
    return array;
#else
    return row;
#endif
}

static inline const symlie_real *velocity_vector(const symlie_problem *restrict P, const symlie_real *row, symlie_real *restrict array)
{
#if ORDERS_BESIDE
    velocity_from_beside(P, row, array);
    return array;
#else
    return row;
#endif
}

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
        for (int m = 0; m < rows; m++) sum[m] = sum[m] * s + row_at(x + k * size + m * JET_WIDTH);
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
        for (int m = 0; m < rows; m++) sum[m] = sum[m] * s + row_at(x + k * size + m * JET_WIDTH);
        for (int m = 0; m < others; m++) other_sum[m] = other_sum[m] * s + row_at(other + k * other_size + m * JET_WIDTH);
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

/* Lengths of steps: the last terms, which they follow from, have few digits. */
static inline symlie_scalar of_few_digits(symlie_scalar h)
{
    int power;
    const symlie_scalar part = frexp(h, &power);
    return h < (symlie_scalar)INFINITY ? ldexp(floor(LENGTHS * part) / LENGTHS, power) : h;
}

#define WEIGHT_OF(k) (weight ? weight[k] : (symlie_scalar)((k) + 1)) /* that of a rate where there are none */
static SYMLIE_INLINE void sum_terms_of_rows(const int rows, int size, int rest, int half, int count, const symlie_scalar *restrict weight,
                                            const symlie_real *restrict x, symlie_real s, symlie_real power, symlie_real *restrict out)
{
    symlie_row low[ROWS_AT_ONCE / 2], high[ROWS_AT_ONCE / 2];
    for (int m = 0; m < rows; m++) low[m] = high[m] = NO_PRODUCTS;
    if (2 * half < count)
        for (int m = 0; m < rows; m++) high[m] = WEIGHT_OF(count - 1) * row_at(x + (count - 1) * size + m * JET_WIDTH);
    for (int k = half - 1; k >= 0; k--)
        for (int m = 0; m < rows; m++) {
            low[m] = low[m] * s + WEIGHT_OF(k) * row_at(x + k * size + m * JET_WIDTH);
            high[m] = high[m] * s + WEIGHT_OF(half + k) * row_at(x + (half + k) * size + m * JET_WIDTH);
        }
    for (int m = 0; m < rows; m++) put_row(low[m] + high[m] * power, rest - m * JET_WIDTH, out + m * JET_WIDTH);
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

static inline void sum_means(int size, int count, const symlie_real *restrict x, symlie_real s, symlie_real *restrict out)
{
    symlie_scalar weight[MOST_ORDER + 1];
    for (int k = 0; k < count; k++) weight[k] = 1 / (symlie_scalar)(k + 1);
    sum_terms(size, size, count, weight, x, s, out);
}

#endif
