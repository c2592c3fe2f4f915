/* Taylor coefficients of a motion from a state, by (1) and (2) of taylor.h. */
#ifndef SYMLIE_TAYLOR_FORMULA_H
#define SYMLIE_TAYLOR_FORMULA_H

#include <stdint.h>

#include "taylor_orders.h"

/* Series and jets are aligned to cache lines, so that no register load crosses a line. */
static inline symlie_real *aligned(symlie_real *memory)
{
    const uintptr_t size = CACHE_LINE * sizeof *memory, place = (uintptr_t)memory;
    return memory + (size - place % size) % size / sizeof *memory;
}

static inline void forget_kept(const symlie_problem *restrict P)
{
    symlie_real *memory = aligned(P->workspace);
    symlie_series series;
    for (int i = 0; i < 2; i++) {
        memory = place_series(P, MOST_ORDER, memory, &series);
        *series.is_known = SYMLIE_NUMBER(0);
        *series.unit = SYMLIE_NUMBER(1);
    }
}

/* Series about the start of a part, about its end, and, of low order, about a state within it; their jets share
 * memory. */
typedef struct {
    symlie_series begin, end, near;
    symlie_jets jets;
} series_places;

/* Allocate the series for a step of the given length, which determines the unit of new coefficients. */
static inline series_places places_of_series(const symlie_problem *restrict P, int order, symlie_real h)
{
    series_places at;
    symlie_real *memory = place_series(P, MOST_ORDER, aligned(P->workspace), &at.begin);
    memory = place_series(P, MOST_ORDER, memory, &at.end);
    at.jets = (symlie_jets){.order = order, .unit = unit_near(h, *at.begin.unit), .memory = aligned(place_series(P, 1, memory, &at.near))};
    return at;
}

static inline long long kept_workspace(const symlie_problem *restrict P)
{
    const symlie_jets largest = {.order = MOST_ORDER}, *J = &largest;
    return 2 * series_workspace(P, MOST_ORDER) + series_workspace(P, 1) + jets_workspace(P, J) + vectors_workspace(P) + 2 * (CACHE_LINE - 1);
}

#define HAS_DEPENDENTS (MOTIONS > PRESCRIBED)

/* Compute c += factor B x for a prescribed x; both arrays are overwritten. */
static inline void add_jacobian(const symlie_problem *restrict P, const symlie_real *restrict B, symlie_real factor, const order_vectors *restrict x,
                                symlie_real *restrict moved, symlie_real *rows)
{
    multiply_jacobian(P, B, velocity_vector(P, x->prescribed, moved), rows);
    if (ORDERS_BESIDE) rows_to_beside(P, rows, x->lambda);
    for (int i = 0; i < ROWS_SIZE; i++) x->c[i] += factor * (ORDERS_BESIDE ? x->lambda : rows)[i];
}

#if EVENT_SERIES
static inline void begin_events_series(const symlie_problem *restrict P, const symlie_jets *restrict J, symlie_real t, const symlie_real *restrict q_0,
                                       const symlie_real *restrict v_0, symlie_series *restrict series)
{
    system_events(P, t, q_0, v_0, series->lambda_0, series->events);
    system_begin_event_jet(P, J, t, q_0, v_0, series->lambda_0);
}

static inline void continue_events_series(const symlie_problem *restrict P, const symlie_jets *restrict J, int k, symlie_real t_k,
                                          const order_vectors *restrict x, symlie_series *restrict series)
{
    system_event_jet(P, J, k, t_k, x->q, x->v, x->lambda, series->events + k * EVENTS);
}
#else
static inline void begin_events_series(const symlie_problem *restrict P, const symlie_jets *restrict J, symlie_real t, const symlie_real *restrict q_0,
                                       const symlie_real *restrict v_0, symlie_series *restrict series)
{
}

static inline void continue_events_series(const symlie_problem *restrict P, const symlie_jets *restrict J, int k, symlie_real t_k,
                                          const order_vectors *restrict x, symlie_series *restrict series)
{
}
#endif

/* Compute the coefficients from a state, in the unit of the jets and up to their order. */
static inline int find_coefficients(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                              const symlie_real *q_0, const symlie_real *v_0, mass_matrix *restrict mass,
                              const symlie_jets *restrict jets, symlie_series *restrict series)
{
    ARRAY(r, DIMENSION);
    ARRAY(a, DIMENSION);
    symlie_jets of_series = *jets;
    const symlie_jets *J = &of_series;
    const int order = J->order;
    order_vectors x = {0};
    of_series.q = series->q, of_series.v = series->v, of_series.conditions = series->conditions;
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    ARRAY(rate, ORDERS_BESIDE ? 0 : STORAGE);
    ARRAY(prescribed, PRESCRIBED && !ORDERS_BESIDE ? DIMENSION : 0);
    place_vectors(P, &of_series, a, r, c, rate, prescribed, &x);
    const symlie_real unit = J->unit, per_second = 1 / unit;
    ARRAY(of_q, ORDERS_BESIDE ? STORAGE : 0);
    ARRAY(of_v, ORDERS_BESIDE ? DIMENSION : 0);
    *series->is_known = *series->searched = SYMLIE_NUMBER(0);
    *series->before = *series->beyond = SYMLIE_NUMBER((symlie_scalar)INFINITY);
    *series->t = t;
    *series->unit = unit;
    copy(STORAGE, q_0, series->q_0);
    copy(DIMENSION, v_0, series->v_0);
    ARRAY(multipliers, CONSTRAINED && (ORDERS_BESIDE || PRESCRIBED) ? ROWS : 0);
    order_system orders;
    /* (1) */
    const int status = begin_orders(P, work, t, q_0, v_0, mass, J, r, B, c, a, series->lambda_0, &x, &orders);
    if (status != SYMLIE_DONE) return status;
    copy(DIMENSION, a, series->v_1);
    system_begin_rate_jet(P, J, q_0, v_0, series->q_1);
    take_order(P, 0, series, &x);
    if (PRESCRIBED) {
        take_first(P, series, of_q, of_v);
        system_begin_motion_jet(P, J, t);
        system_motion_jet(P, J, 1, unit, x.next_q, x.next_v);
        keep_first(P, series);
        copy(DIMENSION, series->v_1, a);
    }
    if (FIELDS) {
        copy(DIMENSION, v_0, series->w_0);
        system_field(P, t, q_0, a, series->lambda_0, series->w_0);
        system_begin_field_jet(P, J, t, q_0, v_0, a, series->lambda_0, series->q_1);
    }
    take_first(P, series, of_q, of_v);
    if (HAS_DEPENDENTS) {
        /* Dependent nodes without series remain constant, and their velocities follow from the accelerations; they are
         * recomputed for each state. */
        system_begin_dependent_jet(P, J, t, q_0, v_0);
        system_dependent_jet(P, J, 1, unit, x.next_q, x.next_v);
        keep_first(P, series);
    }
    begin_events_series(P, J, t, q_0, v_0, series);
    if (ACCELERATION_ROWS || NONLINEAR_ROWS) system_begin_index1_jet(P, J, t, q_0, v_0, a);
    if (CONSTRAINED) system_begin_hidden_jet(P, J, t, q_0, v_0);
    /* Quantities shared with the hidden constraints are computed with the order of the latter, which comes last. */
    system_begin_force_jet(P, J, t, q_0, v_0, a, series->lambda_0);
    /* (2); order 0 is known, and hidden constraints store their first order. With a single call site compilers can
     * inline the functions into the loop. */
    for (int k = CONSTRAINED ? 0 : 1; k < order; k++) {
        const symlie_real zero = SYMLIE_NUMBER(0), t_k = k == 1 ? unit : zero, rate_of_next = (symlie_scalar)(k + 1) * per_second;
        take_order(P, k, series, &x);
        if (k > 0) {
            system_rate_jet(P, J, k, x.q, x.v, x.rate, x.next_q);
            if (PRESCRIBED) system_motion_jet(P, J, k + 1, zero, x.next_q, x.prescribed);
            system_known_jets(P, J, k, t_k, x.q, x.v, x.r, x.c);
        }
        if (CONSTRAINED) {
            system_hidden_jet(P, J, k + 1, k == 0 ? unit : zero, x.next_q, -rate_of_next, x.c);
            if (k == 0) continue;
            if (PRESCRIBED) add_jacobian(P, B, -rate_of_next, &x, r, multipliers);
        }
        if (!solve_order_system(P, &orders, J, mass, B, r, c, a, multipliers, &x)) return stage_failure(P, zero, mass, r, c);
        for (int i = 0; PRESCRIBED && i < VELOCITY_SIZE; i++) x.a[i] += rate_of_next * x.prescribed[i];
        if (FIELDS && FIELD_SERIES) {
            for (int i = 0; i < VELOCITY_SIZE; i++) x.w[i] = x.v[i];
            for (int i = VELOCITY_SIZE; i < MOVED_SIZE; i++) x.w[i] = zero;
        }
        system_found_jets(P, J, k, t_k, x.q, x.v, x.a, x.lambda, x.w, x.rate, x.next_q);
        divide_by(k + 1, unit, VELOCITY_SIZE, x.a, x.next_v);
        if (HAS_DEPENDENTS) system_dependent_jet(P, J, k + 1, zero, x.next_q, x.next_v);
        continue_events_series(P, J, k, t_k, &x, series);
    }
    *series->is_known = SYMLIE_NUMBER(1);
    return SYMLIE_DONE;
}

/* Repeat the computation in another unit if coefficients are near the limits of doubles; lanes then take individual
 * steps. */
static inline int find_series(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                              const symlie_real *q_0, const symlie_real *v_0, mass_matrix *restrict mass,
                              const symlie_jets *restrict jets, symlie_series *restrict series)
{
    symlie_jets J = *jets;
    for (int n = 0;; n++) {
        const int status = find_coefficients(P, work, t, q_0, v_0, mass, &J, series);
        if (status != SYMLIE_DONE || J.order < 2) return status;
        const int growth = growth_beyond_range(P, series, J.order);
        if (growth && SYMLIE_LANES > 1) return SYMLIE_NOT_FINITE;
        if (!growth || n == UNIT_CHANGES) return status;
        J.unit = unit_near(SYMLIE_NUMBER(ldexp(SYMLIE_OF_LANE(J.unit, 0), -growth)), J.unit);
    }
}

/* Compute only the rates at the end of a run, since no step uses a series from there. */
static inline int rates_of_end(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *q,
                               const symlie_real *v, mass_matrix *restrict mass, series_places *restrict at)
{
    const symlie_jets first = {.order = 1, .unit = at->jets.unit, .memory = at->jets.memory};
    const int status = find_series(P, work, t, q, v, mass, &first, &at->end);
    *at->end.is_known = SYMLIE_NUMBER(0);
    return status;
}

#endif
