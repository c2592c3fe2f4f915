/* Samples of event functions, and zeros of the degree-five polynomials that interpolate them. */
#ifndef SYMLIE_EVENT_SAMPLES_H
#define SYMLIE_EVENT_SAMPLES_H

#include "contact_table.h"
#include "event_tables.h"

/* Return whether a function is smooth and far from zero, judged by its values at both ends and at the two middle nodes; functions of
 * contacts at rest are constant up to rounding. */
static inline int is_far(const symlie_problem *restrict P, const symlie_real *restrict sample, int e)
{
    const symlie_real a = sample[e], b = sample[2 * EVENTS + e], c = sample[3 * EVENTS + e], d = sample[5 * EVENTS + e];
    const symlie_real low = fmin(fmin(a, b), fmin(c, d)), high = fmax(fmax(a, b), fmax(c, d)), nearest = low > 0 ? low : -high;
    const symlie_real cubic = CUBIC[0] * a + CUBIC[1] * b + CUBIC[2] * c + CUBIC[3] * d;
#if HAS_CONTACTS
    if (P->contact_event[e] >= 0 && nearest > SURELY_FAR * (high - low)) return 1;
#endif
    return nearest > EVENT_FAR * (high - low) && fabs(cubic) <= EVENT_FAR_CUBIC * (high - low);
}

/* Return whether all functions are; those of other modes of contacts do not matter. */
static inline int are_far(const symlie_problem *restrict P, const symlie_real *restrict q, const symlie_real *restrict sample)
{
    int near = 0;
    for (int e = 0; e < EVENTS; e++) near |= !is_far(P, sample, e) && !is_in_other_mode(P, q, e);
    return !near;
}

/* Compute the Bernstein coefficients of the polynomial through the samples of one function, and its variation. Return
 * the size of its last two Chebyshev coefficients. */
static inline symlie_real fit_samples(const symlie_problem *restrict P, const symlie_real *restrict sample, int event,
                                   symlie_real *restrict c, symlie_real *restrict variation)
{
    symlie_real low = (symlie_real)INFINITY, high = -(symlie_real)INFINITY;
    for (int i = 0; i < EVENT_SAMPLES; i++) {
        c[i] = 0;
        for (int j = 0; j < EVENT_SAMPLES; j++) c[i] += BERNSTEIN[i][j] * sample[j * EVENTS + event];
        low = fmin(low, sample[i * EVENTS + event]);
        high = fmax(high, sample[i * EVENTS + event]);
    }
    const symlie_real a = c[0] - 4 * c[1] + 6 * c[2] - 4 * c[3] + c[4], b = c[1] - 4 * c[2] + 6 * c[3] - 4 * c[4] + c[5];
    *variation = high - low;
    return 5 * fabs(a + b) / 256 + fabs(b - a) / 512;
}

/* Evaluate a polynomial with n Bernstein coefficients by de Casteljau's algorithm. */
static inline symlie_real bernstein_value(int n, const symlie_real *restrict c, symlie_real s)
{
    symlie_real b[EVENT_SAMPLES];
    for (int i = 0; i < n; i++) b[i] = c[i];
    for (int m = n - 1; m > 0; m--)
        for (int i = 0; i < m; i++) b[i] += s * (b[i + 1] - b[i]);
    return b[0];
}

#endif
