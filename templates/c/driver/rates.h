/* Rates of local coordinates, and displaced configurations. */
#ifndef SYMLIE_RATES_H
#define SYMLIE_RATES_H

/* Compute the rates of local coordinates at q from the velocities, for nodes with velocities. */
static inline void coordinate_rate(const symlie_problem *restrict P, const symlie_real *restrict q, const symlie_real *restrict v,
                                   symlie_real *restrict rate)
{
#if COORDINATE_RATES
    system_coordinate_rate(P, q, v, rate);
#else
    copy(DIMENSION, v, rate);
#endif
}

/* Replace velocities by rates of local coordinates at q: by f for first-order states, and by rho' for nodes
 * integrated in their stored coordinates rho. */
static inline void take_rates(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict a,
                              const symlie_real *restrict lambda, symlie_real *v)
{
    if (FIELDS) system_field(P, t, q, a, lambda, v);
#if COORDINATE_RATES
    system_coordinate_rate(P, q, v, v);
#endif
}

/* Compute q o exp(delta); for nodes integrated in stored coordinates to first order, with delta overwritten. */
static inline void move_along(const symlie_problem *restrict P, const symlie_real *restrict q, symlie_real *restrict delta,
                              symlie_real *restrict moved)
{
#if COORDINATE_RATES
    system_coordinate_rate(P, q, delta, delta);
#endif
    system_advance(P, q, delta, moved);
}

#endif
