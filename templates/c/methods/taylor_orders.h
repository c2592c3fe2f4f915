/* Vectors of one order, and the linear system common to all orders. */
#ifndef SYMLIE_TAYLOR_ORDERS_H
#define SYMLIE_TAYLOR_ORDERS_H

#include "taylor_numbers.h"

/* Vectors of one order: coefficient arrays of series, and other vectors with the same layout. */
typedef struct {
    symlie_real *q, *v, *w, *lambda;
    symlie_real *next_q, *next_v;
    symlie_real *a, *r, *c, *rate, *prescribed;
    symlie_real *F, *Y;         /* with the batched layout: M^-1 and B M^-1, common to all orders */
} order_vectors;

static inline void take_order(const symlie_problem *restrict P, int k, const symlie_series *restrict series, order_vectors *restrict x)
{
    x->q = series->q + k * STORED_SIZE, x->v = series->v + k * VELOCITY_SIZE, x->w = series->w + k * MOVED_SIZE;
    x->next_q = x->q + STORED_SIZE, x->next_v = x->v + VELOCITY_SIZE;
    x->lambda = series->lambda + (CONSTRAINED ? k * ROWS_SIZE : 0);
}

static inline long long vectors_workspace(const symlie_problem *restrict P)
{
    return !ORDERS_BESIDE ? 0 : STORED_SIZE + 3LL * VELOCITY_SIZE + ROWS_SIZE + JACOBIAN_BESIDE + MOBILITY_BESIDE;
}

/* Place the vectors of an order in the given arrays, or after the jets with the batched layout, where entries that
 * belong to no node are set to zero. */
static inline void place_vectors(const symlie_problem *restrict P, symlie_jets *restrict jets, symlie_real *restrict a, symlie_real *restrict r,
                                 symlie_real *restrict c, symlie_real *restrict rate, symlie_real *restrict prescribed,
                                 order_vectors *restrict x)
{
    if (!ORDERS_BESIDE) {
        for (int k = 0; k < (PRESCRIBED ? DIMENSION : 0); k++) prescribed[k] = SYMLIE_NUMBER(0);
        x->a = a, x->r = r, x->c = c, x->rate = rate, x->prescribed = prescribed;
        return;
    }
    const long long size = STORED_SIZE + 3LL * VELOCITY_SIZE + ROWS_SIZE;
    symlie_real *restrict memory = jets->memory + jets_workspace(P, jets);
    find_nodes_of_orders(P, jets);
    for (long long k = 0; k < size; k++) memory[k] = SYMLIE_NUMBER(0);
    x->rate = memory;
    x->a = x->rate + STORED_SIZE, x->r = x->a + VELOCITY_SIZE, x->prescribed = x->r + VELOCITY_SIZE;
    x->c = x->prescribed + VELOCITY_SIZE;
    x->Y = x->c + ROWS_SIZE, x->F = x->Y + JACOBIAN_BESIDE;
}

/* take_first copies system vectors to the coefficient arrays of the first orders; keep_first copies the coefficients
 * of order 1 back. */
static inline void take_first(const symlie_problem *restrict P, symlie_series *restrict series, symlie_real *q, symlie_real *v)
{
    const symlie_real unit = *series->unit;
    if (!ORDERS_BESIDE) q = series->q + STORAGE, v = series->v + DIMENSION;
    for (int k = 0; k < STORAGE; k++) q[k] = unit * series->q_1[k];
    for (int k = 0; k < DIMENSION; k++) v[k] = unit * series->v_1[k];
    if (!ORDERS_BESIDE) return;
    stored_to_beside(P, series->q_0, series->q);
    velocity_to_beside(P, series->v_0, series->v);
    stored_to_beside(P, q, series->q + STORED_SIZE);
    velocity_to_beside(P, v, series->v + VELOCITY_SIZE);
    if (FIELDS && FIELD_SERIES) moved_to_beside(P, series->w_0, series->w);
    if (CONSTRAINED) rows_to_beside(P, series->lambda_0, series->lambda);
}

static inline void keep_first(const symlie_problem *restrict P, symlie_series *restrict series)
{
    const symlie_real per_second = 1 / *series->unit;
    stored_from_beside(P, series->q + STORED_SIZE, series->q_1);
    velocity_from_beside(P, series->v + VELOCITY_SIZE, series->v_1);
    for (int k = 0; k < STORAGE; k++) series->q_1[k] *= per_second;
    for (int k = 0; k < DIMENSION; k++) series->v_1[k] *= per_second;
}

#if ORDERS_BESIDE
#include "taylor_batched.h"
#else
#include "taylor_elimination.h"
#endif

#endif
