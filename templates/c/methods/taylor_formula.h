/* Coefficients of a motion from one of its states, by (1) and (2) of taylor.h. */
#ifndef SYMLIE_TAYLOR_FORMULA_H
#define SYMLIE_TAYLOR_FORMULA_H

#include <stdint.h>

#include "taylor_steps.h"

static inline long long kept_workspace(const symlie_problem *restrict P)
{
    const symlie_jets largest = {.order = MOST_ORDER}, *J = &largest;
    return 2 * series_workspace(P, MOST_ORDER) + series_workspace(P, 1) + jets_workspace(P, J) + CACHE_LINE - 1;
}

/* Jets begin where a line of the cache does, so that no row of a register is in two of them. */
static inline symlie_real *aligned(symlie_real *memory)
{
    const uintptr_t size = CACHE_LINE * sizeof *memory, place = (uintptr_t)memory;
    return memory + (size - place % size) % size / sizeof *memory;
}

static inline void forget_kept(const symlie_problem *restrict P)
{
    P->workspace[0] = P->workspace[series_workspace(P, MOST_ORDER)] = 0;
}

static inline int begins_at(const symlie_problem *restrict P, const symlie_series *series, symlie_real t, const symlie_real *q,
                            const symlie_real *v)
{
    if (*series->is_known == 0 || *series->t != t) return 0;
    int differ = 0;
    for (int k = 0; k < STORAGE; k++) differ |= series->q[k] != q[k];
    for (int k = 0; k < DIMENSION; k++) differ |= series->v[k] != v[k];
    return !differ;
}

#if CONSTRAINED
#if defined(SYMLIE_FIXED_ALGEBRA_H) && FACTORS && SADDLE_FACTORS
#define KEPT_FACTORS SADDLE_FACTORS
#else
#define KEPT_FACTORS 0
#endif

/* The system of all orders: with factors that are kept, where the model has a derived elimination of which no pivot is lost. */
typedef struct {
    symlie_real factors[KEPT_FACTORS > 0 ? KEPT_FACTORS : 1];
    int are_sound;
} order_system;

static inline void begin_orders(const mass_matrix *restrict mass, const symlie_real *restrict B, order_system *restrict s)
{
#if KEPT_FACTORS
    factorize_saddle(mass->F, B, B, s->factors);
#endif
    s->are_sound = KEPT_FACTORS;
}

static inline int solve_order(const symlie_problem *restrict P, order_system *restrict s, mass_matrix *restrict mass,
                              const symlie_real *restrict B, symlie_real *restrict r, const symlie_real *restrict c,
                              symlie_real *restrict a, symlie_real *restrict lambda)
{
#if KEPT_FACTORS
    if (s->are_sound) {
        symlie_real margin;
        solve_factorized(mass->F, B, B, s->factors, r, c, a, lambda, &margin);
        s->are_sound = margin > 0;
    }
    if (s->are_sound) return 1;
#endif
    return solve_stage(P, mass, B, B, r, c, a, lambda);
}
#endif

#define PLACES_NODES (MOTIONS > PRESCRIBED)

/* Coefficients from a state, of so many orders as jets have. */
static inline int find_series(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                              const symlie_real *q_0, const symlie_real *v_0, mass_matrix *restrict mass,
                              const symlie_jets *restrict jets, symlie_series *restrict series)
{
    ARRAY(r, DIMENSION);
    ARRAY(a, DIMENSION);
    ARRAY(rate, STORAGE);
    const symlie_jets of_series = {jets->order, jets->memory, series->conditions}, *J = &of_series;
    const int order = J->order;
    for (int k = 0; k < STORAGE; k++) rate[k] = 0;
    *series->is_known = *series->searched = 0;
    *series->before = *series->beyond = (symlie_real)INFINITY;
    *series->t = t;
    copy(STORAGE, q_0, series->q);
    copy(DIMENSION, v_0, series->v);
    /* (1) */
    const int status = stage_acceleration(P, work, t, q_0, v_0, r, mass, a, series->lambda);
    if (status != SYMLIE_DONE) return status;
    copy(DIMENSION, a, series->v + DIMENSION);
    system_begin_rate_jet(P, J, q_0, v_0, series->q + STORAGE);
#if PRESCRIBED
    ARRAY(prescribed, DIMENSION);
    for (int k = 0; k < DIMENSION; k++) prescribed[k] = 0;
    system_begin_motion_jet(P, J, t);
    system_motion_jet(P, J, 1, 1, 1, series->q + STORAGE, series->v + DIMENSION);
    copy(DIMENSION, series->v + DIMENSION, a);
#endif
#if FIELDS
    copy(DIMENSION, v_0, series->w);
    system_field(P, t, q_0, a, series->lambda, series->w);
    system_begin_field_jet(P, J, t, q_0, v_0, a, series->lambda);
    system_begin_field_rate_jet(P, J, q_0, series->w, series->q + STORAGE);
#endif
#if PLACES_NODES
    system_begin_place_jet(P, J, t, q_0, v_0);
    system_place_jet(P, J, 1, 1, series->q + STORAGE, series->v + DIMENSION);
#endif
#if EVENT_SERIES
    system_events(P, t, q_0, v_0, series->lambda, series->events);
    system_begin_event_jet(P, J, t, q_0, v_0, series->lambda);
#endif
#if CONSTRAINED
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    order_system orders;
    system_jacobian(P, t, q_0, B);
    begin_orders(mass, B, &orders);
#if ACCELERATION_ROWS
    system_begin_index1_jet(P, J, t, q_0, v_0, a);
#endif
    system_begin_hidden_jet(P, J, t, q_0, v_0);
#endif
    /* What it shares with hidden constraints has the order that these had last. */
    system_begin_force_jet(P, J, t, q_0, v_0, a, series->lambda);
#if CONSTRAINED
    system_hidden_jet(P, J, 1, 1, series->q + STORAGE, c);
#endif
    /* (2) */
    for (int k = 1; k < order; k++) {
        const symlie_real *q = series->q + k * STORAGE, *v = series->v + k * DIMENSION, t_k = k == 1;
        symlie_real *next_q = series->q + (k + 1) * STORAGE, *next_v = series->v + (k + 1) * DIMENSION;
        system_rate_jet(P, J, k, q, v, rate);
#if PRESCRIBED
        system_motion_jet(P, J, k + 1, 0, k + 1, rate, prescribed);
#endif
        if (CONSTRAINED || !FIELDS)
            for (int i = 0; i < STORAGE; i++) next_q[i] = rate[i] / (k + 1);
        system_force_jet(P, J, k, t_k, q, v, r);
        for (int i = 0; i < DIMENSION; i++) r[i] = -r[i];
#if CONSTRAINED
        symlie_real *lambda = series->lambda + k * ROWS;
        system_end_hidden_jet(P, J, k, v);
        system_hidden_jet(P, J, k + 1, 0, next_q, c);
#if PRESCRIBED
        multiply_jacobian(P, B, prescribed, lambda);
        for (int i = 0; i < ROWS; i++) c[i] += lambda[i];
#endif
        for (int i = 0; i < ROWS; i++) c[i] *= -(k + 1);
#if ACCELERATION_ROWS
        system_index1_jet(P, J, k, t_k, q, v, c);
#endif
        if (!solve_order(P, &orders, mass, B, r, c, a, lambda)) return stage_failure(P, 0, mass, r, c);
#else
        const symlie_real *lambda = series->lambda;
        if (!solve_with_mass(P, mass, r, 0, 0, a)) return stage_failure(P, 0, mass, r, 0);
#endif
#if PRESCRIBED
        for (int i = 0; i < DIMENSION; i++) a[i] += (k + 1) * prescribed[i];
#endif
        system_end_force_jet(P, J, k, a, lambda);
#if ACCELERATION_ROWS
        system_end_index1_jet(P, J, k, a);
#endif
#if FIELDS
        symlie_real *w = series->w + k * DIMENSION;
        copy(DIMENSION, v, w);
        system_field_jet(P, J, k, t_k, q, v, a, lambda, w);
        system_field_rate_jet(P, J, k, q, w, rate);
        for (int i = 0; i < STORAGE; i++) next_q[i] = rate[i] / (k + 1);
#endif
        for (int i = 0; i < DIMENSION; i++) next_v[i] = a[i] / (k + 1);
#if PLACES_NODES
        system_place_jet(P, J, k + 1, 0, next_q, next_v);
#endif
#if EVENT_SERIES
        system_event_jet(P, J, k, t_k, q, v, lambda, series->events + k * EVENTS);
#endif
    }
    *series->is_known = 1;
    return SYMLIE_DONE;
}

#endif
