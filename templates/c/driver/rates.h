/* Rates of local coordinates, and neighbouring configurations. */
#ifndef SYMLIE_RATES_H
#define SYMLIE_RATES_H

/* Compute the rates of local coordinates at q from the velocities of nodes that have them. */
static inline void coordinate_rate(const symlie_problem *restrict P, const symlie_real *restrict q, const symlie_real *restrict v,
                                   symlie_real *restrict rate)
{
#if COORDINATE_RATES
    system_coordinate_rate(P, q, v, rate);
#else
    copy(DIMENSION, v, rate);
#endif
}

/* Replace velocities by rates of local coordinates at q: f for first-order states, and rho' for nodes that are
 * integrated in their stored coordinates rho. */
static inline void take_rates(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict a,
                              const symlie_real *restrict lambda, symlie_real *v)
{
    if (FIELDS) system_field(P, t, q, a, lambda, v);
#if COORDINATE_RATES
    system_coordinate_rate(P, q, v, v);
#endif
}

/* q o exp(delta), to first order for nodes integrated in stored coordinates; delta is overwritten in this case. */
static inline void move_along(const symlie_problem *restrict P, const symlie_real *restrict q, symlie_real *restrict delta,
                              symlie_real *restrict moved)
{
#if COORDINATE_RATES
    system_coordinate_rate(P, q, delta, delta);
#endif
    system_advance(P, q, delta, moved);
}

#endif
