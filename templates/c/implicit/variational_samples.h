/* Loads l at configurations q_n o exp(xi theta) between the ends of a step; see
 * symlie/runtime/implicit/variational_samples.py.
 *
 *   p+ = ... + h w A_xi(theta)^T l,   p- = ... - h w A_{1-xi}(-theta)^T l,   v = theta/h
 *
 * The derivative of the sum in p+ is h w (A^T (xi K T(xi theta) + D/h) + d/dtheta A^T l), with K = D_q l and D = dl/dv. */
#ifndef SYMLIE_VARIATIONAL_SAMPLES_H
#define SYMLIE_VARIATIONAL_SAMPLES_H

#include "variational_problem.h"

/* Evaluate q, v and l at a sample. */
static inline void take_sample(newton_problem *restrict s, int n)
{
    const symlie_problem *P = s->P;
    system_advance_interpolation(P, s->q_n, s->theta, SYMLIE_NUMBER(SAMPLE_PART[n]), s->sample_q);
    for (int k = 0; k < DIMENSION; k++) s->sample_v[k] = s->theta[k] / s->h;
    system_load(P, s->t_n + SAMPLE_PART[n] * s->h, s->sample_q, s->sample_v, s->sample_load);
}

/* Add the contribution of loads to p+. */
static inline void add_to_start(newton_problem *restrict s, symlie_real *restrict p)
{
    const symlie_problem *P = s->P;
    symlie_real *restrict pulled = s->sample_v;
    for (int n = 0; n < SAMPLES; n++) {
        const symlie_real push = s->h * SAMPLE_WEIGHT[n];
        take_sample(s, n);
        system_cotangent_interpolation(P, s->theta, s->sample_load, SYMLIE_NUMBER(SAMPLE_PART[n]), pulled);
        for (int k = 0; k < DIMENSION; k++) p[k] += push * pulled[k];
    }
}

/* Subtract the contribution of loads to p-. */
static inline void subtract_from_end(newton_problem *restrict s, symlie_real *restrict p)
{
    const symlie_problem *P = s->P;
    symlie_real *restrict pulled = s->sample_v, *restrict back = s->pulled;
    for (int k = 0; k < DIMENSION; k++) back[k] = -s->theta[k];
    for (int n = 0; n < SAMPLES; n++) {
        const symlie_real push = s->h * SAMPLE_WEIGHT[n];
        take_sample(s, n);
        system_cotangent_interpolation(P, back, s->sample_load, SYMLIE_NUMBER(1 - SAMPLE_PART[n]), pulled);
        for (int k = 0; k < DIMENSION; k++) p[k] -= push * pulled[k];
    }
}

#endif
