/* Rows of the coefficients of series: where they are, and vectors of the system from them. */
#ifndef SYMLIE_TAYLOR_SERIES_H
#define SYMLIE_TAYLOR_SERIES_H

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
    symlie_real *unit;          /* of time in which coefficients are, a power of two in s */
    symlie_real *longest;       /* step that can be taken */
    symlie_real *searched;      /* length up to which the next two were sought */
    symlie_real *before;        /* length up to which pieces surely hold, where that ends */
    symlie_real *beyond;        /* where they surely do not any more */
    symlie_real *q;
    symlie_real *v;
    symlie_real *w;             /* v, with fields in the place of velocities, where these have series */
    symlie_real *lambda;
    symlie_real *q_0, *v_0, *w_0, *lambda_0; /* of order 0, vectors of the system */
    symlie_real *q_1, *v_1;     /* rates per second, vectors of the system */
    symlie_real *conditions;    /* functions that choose pieces: sizes, then a row for each order */
    symlie_real *events;        /* event functions, where they have series */
} symlie_series;

static inline long long series_workspace(const symlie_problem *restrict P, int most)
{
    const long long first = STORAGE + DIMENSION + (ORDERS_BESIDE ? STORAGE + 2LL * DIMENSION + ROWS : 0);
    const long long size = (most + 1LL) * (STORED_SIZE + VELOCITY_SIZE) + MOVED_ROWS(most) * MOVED_SIZE + most * (long long)ROWS_SIZE + first
                           + (most + 2LL) * CONDITIONS + EVENT_SERIES * most * (long long)EVENTS;
    return NUMBERS_OF_SERIES + (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Of so many orders at most. */
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
#if ORDERS_BESIDE
    series->q_0 = series->v_1 + DIMENSION;
    series->v_0 = series->q_0 + STORAGE;
    series->w_0 = FIELDS ? series->v_0 + DIMENSION : series->v_0;
    series->lambda_0 = series->v_0 + 2 * DIMENSION;
#else
    series->q_0 = series->q, series->v_0 = series->v;
    series->w_0 = series->w, series->lambda_0 = series->lambda;
#endif
    return memory + series_workspace(P, most);
}

/* A time in s in the unit of a series. */
static inline symlie_real in_unit(const symlie_series *restrict series, symlie_real length)
{
    return length / *series->unit;
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

#endif
