/* Coefficient arrays of series: their layout, and conversion to system vectors. */
#ifndef SYMLIE_TAYLOR_SERIES_H
#define SYMLIE_TAYLOR_SERIES_H

/* Size of the coefficient array of one order. With the batched layout of nodes and elements, the array has this
 * layout as well. */
#if ORDERS_BESIDE
#define STORED_SIZE ((int)STORED_BESIDE)
#define MOVING_STORED ((int)stored_of_moving(P)) /* components up to the last moving node */
#define MOVED_SIZE ((int)(FIELDS ? MOVED_BESIDE : VELOCITY_BESIDE))
#define VELOCITY_SIZE ((int)VELOCITY_BESIDE)
#define ROWS_SIZE ((int)ROWS_BESIDE)
static inline void find_nodes_of_orders(const symlie_problem *restrict P, symlie_jets *restrict jets) { jets->first = find_nodes_beside(P); }
#else
#define JACOBIAN_BESIDE 0
#define MOBILITY_BESIDE 0
static inline void find_nodes_of_orders(const symlie_problem *restrict P, symlie_jets *restrict jets) { (void)P, (void)jets; }
#define STORED_SIZE STORAGE
#define MOVING_STORED STORAGE
#define MOVED_SIZE DIMENSION
#define VELOCITY_SIZE DIMENSION
#define ROWS_SIZE ROWS
#define stored_from_beside(P, x, out) ((void)(P), copy(STORAGE, x, out))
#define stored_to_beside(P, x, out) ((void)(P), copy(STORAGE, x, out))
#define velocity_from_beside(P, x, out) ((void)(P), copy(DIMENSION, x, out))
#define velocity_to_beside(P, x, out) ((void)(P), copy(DIMENSION, x, out))
#define moved_from_beside(P, x, out) ((void)(P), copy(DIMENSION, x, out))
#define moved_to_beside(P, x, out) ((void)(P), copy(DIMENSION, x, out))
#define rows_from_beside(P, x, out) ((void)(P), copy(ROWS, x, out))
#define rows_to_beside(P, x, out) ((void)(P), copy(ROWS, x, out))
#endif
/* 1 if q and v fill few registers and have the layout of system vectors. */
#define SUMS_TOGETHER (FIXED_TOPOLOGY && !ORDERS_BESIDE && STORAGE <= ROWS_AT_ONCE * JET_WIDTH && DIMENSION <= ROWS_AT_ONCE * JET_WIDTH)
#define MOVED_ROWS(most) (FIELDS ? (FIELD_SERIES ? (most) + 1LL : 1LL) : 0LL)
#define NUMBERS_OF_SERIES CACHE_LINE /* space for the scalars before the coefficients */

/* Taylor coefficients about a state, one array per order. */
typedef struct {
    symlie_real *is_known;
    symlie_real *t;
    symlie_real *unit;          /* unit of time of the coefficients, a power of two in s */
    symlie_real *longest;       /* longest admissible step */
    symlie_real *searched;      /* length up to which `before` and `beyond` were searched */
    symlie_real *before;        /* length up to which the branches are known to be valid, if limited */
    symlie_real *beyond;        /* length from which the branches are known to be invalid */
    symlie_real *q;
    symlie_real *v;
    symlie_real *w;             /* v, with f for first-order states, if f has a series */
    symlie_real *lambda;
    symlie_real *q_0, *v_0, *w_0, *lambda_0; /* coefficients of order 0 as system vectors */
    symlie_real *q_1, *v_1;     /* rates per second as system vectors */
    symlie_real *conditions;    /* switching functions: sizes, then one array per order */
    symlie_real *events;        /* event functions, if they have series */
} symlie_series;

static inline long long series_workspace(const symlie_problem *restrict P, int most)
{
    const long long first = STORAGE + DIMENSION + (ORDERS_BESIDE ? STORAGE + 2LL * DIMENSION + ROWS : 0);
    const long long size = (most + 1LL) * (STORED_SIZE + VELOCITY_SIZE) + MOVED_ROWS(most) * MOVED_SIZE + most * (long long)ROWS_SIZE + first
                           + (most + 2LL) * CONDITIONS + EVENT_SERIES * most * (long long)EVENTS;
    return NUMBERS_OF_SERIES + (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Allocate a series of up to `most` orders. */
static inline symlie_real *place_series(const symlie_problem *restrict P, int most, symlie_real *memory, symlie_series *series)
{
    series->is_known = memory;
    series->t = series->is_known + 1;
    series->unit = series->t + 1;
    series->longest = series->unit + 1;
    series->searched = series->longest + 1;
    series->before = series->searched + 1;
    series->beyond = series->before + 1;
    series->q = memory + NUMBERS_OF_SERIES;
    series->v = series->q + (most + 1) * STORED_SIZE;
    series->w = FIELDS ? series->v + (most + 1) * VELOCITY_SIZE : series->v;
    series->lambda = series->v + (most + 1) * VELOCITY_SIZE + MOVED_ROWS(most) * MOVED_SIZE;
    series->conditions = series->lambda + most * ROWS_SIZE;
    series->events = series->conditions + (most + 2) * CONDITIONS;
    series->q_1 = series->events + EVENT_SERIES * most * EVENTS;
    series->v_1 = series->q_1 + STORAGE;
    if (ORDERS_BESIDE) {
        series->q_0 = series->v_1 + DIMENSION;
        series->v_0 = series->q_0 + STORAGE;
        series->w_0 = FIELDS ? series->v_0 + DIMENSION : series->v_0;
        series->lambda_0 = series->v_0 + 2 * DIMENSION;
    } else {
        series->q_0 = series->q, series->v_0 = series->v;
        series->w_0 = series->w, series->lambda_0 = series->lambda;
    }
    return memory + series_workspace(P, most);
}

/* Convert a time from s to the unit of a series. */
static inline symlie_real in_unit(const symlie_series *restrict series, symlie_real length)
{
    return length / *series->unit;
}

/* Convert coefficient arrays, or their sums, to system vectors; `array` receives a copy if the layouts differ. */
static inline const symlie_real *stored_vector(const symlie_problem *restrict P, const symlie_real *row, symlie_real *restrict array)
{
    if (!ORDERS_BESIDE) return row;
    stored_from_beside(P, row, array);
    return array;
}

static inline const symlie_real *moved_vector(const symlie_problem *restrict P, const symlie_real *row, symlie_real *restrict array)
{
    if (!ORDERS_BESIDE) return row;
    if (FIELDS) moved_from_beside(P, row, array);
    else velocity_from_beside(P, row, array);
    return array;
}

static inline const symlie_real *velocity_vector(const symlie_problem *restrict P, const symlie_real *row, symlie_real *restrict array)
{
    if (!ORDERS_BESIDE) return row;
    velocity_from_beside(P, row, array);
    return array;
}

#endif
