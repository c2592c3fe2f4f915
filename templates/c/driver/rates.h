/* Rates of local coordinates, and configurations near to others. */
#ifndef SYMLIE_RATES_H
#define SYMLIE_RATES_H

/* Rates of local coordinates at q along velocities, where nodes have these. */
static inline void coordinate_rate(const symlie_problem *restrict P, const symlie_real *restrict q, const symlie_real *restrict v,
                                   symlie_real *restrict rate)
{
#if COORDINATE_RATES
    system_coordinate_rate(P, q, v, rate);
#else
    copy(DIMENSION, v, rate);
#endif
}

/* Overwrite velocities by rates of local coordinates at q: fields of nodes that have no velocity, rho' of nodes that are
 * stepped in their stored coordinates rho. */
static inline void take_rates(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict a,
                              const symlie_real *restrict lambda, symlie_real *v)
{
    if (FIELDS) system_field(P, t, q, a, lambda, v);
#if COORDINATE_RATES
    system_coordinate_rate(P, q, v, v);
#endif
}

/* q o exp(delta), to first order where steps are taken in stored coordinates; delta is overwritten there. */
static inline void move_along(const symlie_problem *restrict P, const symlie_real *restrict q, symlie_real *restrict delta,
                              symlie_real *restrict moved)
{
#if COORDINATE_RATES
    system_coordinate_rate(P, q, delta, delta);
#endif
    system_advance(P, q, delta, moved);
}

#endif
