/* Taylor coefficients f^(j)(z) / j!, j = 1 ... order, of functions of one argument;
 * symlie/runtime/kernels/function_series.py has the same operations. */
#ifndef SYMLIE_FUNCTION_SERIES_H
#define SYMLIE_FUNCTION_SERIES_H

#include "constants.h"

#define ENOUGH ((symlie_scalar)0x1p-60)
#define SEED ((symlie_scalar)1e-100)
#define MOST_FUNCTIONS 256 /* number of c_{k,n} for n = 0, 1, ... */

/* c_{1,n} s^n by backward recurrence, normalised by sum (2n + 1) j_n^2 = 1. */
static inline int backward_bessel(symlie_scalar omega, symlie_scalar z, symlie_scalar s, int last, symlie_scalar *restrict y)
{
    int first = omega > last ? (int)ceil(omega) : last;
    for (symlie_scalar error = 1; error > ENOUGH;) {
        first++;
        error *= z / ((symlie_scalar)4 * first * first - 3 * z);
    }
    y[first + 1] = 0, y[first] = SEED;
    const symlie_scalar ratio = z / (s * s);
    for (int n = first; n > 0; n--) y[n - 1] = (2 * n + 1) / s * y[n] - ratio * y[n + 1];
    symlie_scalar total = 0, power = 1;
    for (int n = 0; n <= first; n++) {
        const symlie_scalar x = power * y[n];
        total += (2 * n + 1) * (x * x);
        power *= omega / s;
    }
    const symlie_scalar scale = 1 / sqrt(total);
    for (int n = 0; n <= first; n++) y[n] *= n % 2 ? -scale : scale;
    return first + 2;
}

/* The same by forward recurrence. */
static inline int forward_bessel(symlie_scalar omega, int last, symlie_scalar *restrict y)
{
    y[0] = sin(omega) / omega;
    y[1] = -(y[0] - cos(omega)) / omega;
    for (int n = 1; n <= last; n++) y[n + 1] = -(2 * n + 1) / omega * y[n] - y[n - 1];
    return last + 2;
}

/* c_{k+2,n} from c_{k,n}, by forward recurrence up to 4n + k + 2 = 2 omega and backward recurrence above; one number is
 * lost at the end. */
static inline void raise_index(int k, int count, symlie_scalar at_zero, symlie_scalar z, symlie_scalar omega, symlie_scalar s,
                  symlie_scalar *restrict y, symlie_scalar *restrict found)
{
    const symlie_scalar turn = omega / 2 - (k + 2) / (symlie_scalar)4;
    const int middle = !(turn >= 1) ? 0 : turn < count - 1 ? (int)turn : count - 1;
    found[0] = found[count - 1] = 0;
    for (int n = count - 1; n > middle + 1; n--) found[n - 1] = -(y[n] + z * found[n]) / (2 * n * s);
    if (middle > 0) {
        found[0] = (at_zero - y[0]) / z;
        for (int n = 1; n <= middle; n++) found[n] = -(y[n] + 2 * n * s * found[n - 1]) / z;
    }
    for (int n = 0; n < count; n++) y[n] = found[n];
}

/* c_{k,m}. */
static inline void coefficient_series(int k, int m, symlie_scalar z, int order, symlie_scalar *restrict out)
{
    symlie_scalar y[MOST_FUNCTIONS], other[MOST_FUNCTIONS], factor = 1, at_zero = 1;
    const symlie_scalar omega = sqrt(z), s = omega > 1 ? omega : 1;
    const int last = m + order + 1 + k / 2;
    const int count = omega < 2 * last + k ? backward_bessel(omega, z, s, last, y) : forward_bessel(omega, last, y);
    if (k % 2 == 0) {
        const symlie_scalar cosine = y[0] - z * -y[1] / s;
        for (int n = count - 1; n > 0; n--) y[n] = -s * y[n - 1];
        y[0] = cosine;
    }
    for (int level = k % 2; level < k; level += 2) {
        raise_index(level, count, at_zero, z, omega, s, y, other);
        at_zero /= (level + 1) * (level + 2);
    }
    for (int i = 0; i < m; i++) factor /= s;
    for (int j = 1; j <= order; j++) {
        factor /= 2 * j * s;
        out[j - 1] = y[m + j] * factor;
    }
}

/* Coefficients of the powers 1 to `last` of the sum over all poles in g_0, which determine those of all g_m; they are
 * positive. */
static inline void cotangent_terms(symlie_scalar z, int last, symlie_scalar *restrict terms)
{
    /* Coefficients of sum_{n>3} 1/(4 pi^2 n^2 - z), and 4 pi^2 as an unevaluated sum. */
    symlie_scalar further[] = {
        0.007189319455037842, 4.797777740389712e-06, 5.628571691501304e-09, 7.694489782590537e-12,
        1.1236594825402052e-14, 1.697178229881732e-17, 2.6118773492411107e-20, 4.0637074141552605e-23,
        6.364215240121328e-26, 1.0007294993394272e-28, 1.5775223401439616e-31, 2.4906676318987927e-34,
        3.936279142255365e-37, 6.224841831254412e-40, 9.84790367805057e-43, 1.5583659504789778e-45};
    const int count = sizeof further / sizeof *further;
    const symlie_scalar first = 39.47841760435743, second = 2.5061182034958845e-15;
    if (!(z >= 0 && (first - z) + second > 0)) z = (symlie_scalar)NAN;
    for (int n = 0; n < count; n++)
        for (int i = count - 2; i >= n; i--) further[i] += z * further[i + 1];
    symlie_scalar part[3], power[3];
    for (int n = 1; n <= 3; n++) power[n - 1] = part[n - 1] = 1 / ((n * n * first - z) + n * n * second);
    for (int n = 1; n <= last; n++) {
        terms[n] = n < count ? further[n] : z * 0;
        for (int i = 0; i < 3; i++) {
            power[i] *= part[i];
            terms[n] += power[i];
        }
    }
}

/* g_m from its terms of the powers m + 1 to m + order. */
static inline void cotangent_from_terms(int m, const symlie_scalar *restrict terms, int order, symlie_scalar *restrict out)
{
    symlie_scalar factor = 2;
    for (int i = 1; i <= m; i++) factor *= 2 * i;
    for (int j = 1; j <= order; j++) {
        factor *= (m + j) / (symlie_scalar)j;
        out[j - 1] = terms[m + j] * factor;
    }
}

/* g_m. */
static inline void cotangent_series(int m, symlie_scalar z, int order, symlie_scalar *restrict out)
{
    symlie_scalar terms[MOST_FUNCTIONS];
    cotangent_terms(z, m + order, terms);
    cotangent_from_terms(m, terms, order, out);
}

/* a_p by backward recurrence of 2x a' + (2p + 1) a = 1/(1 + x), in units of (-1)^n/(1 + x)^n. */
static inline void angle_series(int p, symlie_scalar x, int order, symlie_scalar *restrict out)
{
    if (!(x >= -0.0625 && x <= 1.0625)) x = (symlie_scalar)NAN;
    const symlie_scalar reciprocal = 1 / (1 + x), contraction = fabs(x * reciprocal);
    int last = order;
    for (symlie_scalar error = 1; error > ENOUGH; error *= contraction) last++;
    symlie_scalar a = 0, power = 1;
    for (int n = last; n > 0; n--) {
        a = (reciprocal + 2 * (n + 1) * (x * reciprocal) * a) / (2 * n + 2 * p + 1);
        if (n <= order) out[n - 1] = a;
    }
    for (int j = 0; j < order; j++) {
        power = -power * reciprocal;
        out[j] *= power;
    }
}

/* Copy coefficients to one lane of an interleaved array. */
static inline void put_series(int count, const symlie_real *restrict f, int lane, int lanes, symlie_real *restrict out)
{
    for (int j = 0; j < count; j++) out[j * lanes + lane] = f[j];
}

/* A user-defined series with coefficients about a centre. */
static inline void shifted_series(int count, const double *restrict coefficients, symlie_scalar delta, int order, symlie_scalar *restrict out)
{
    symlie_scalar terms[MOST_TERMS_OF_SERIES];
    for (int i = 0; i < count; i++) terms[i] = (symlie_scalar)coefficients[i];
    for (int n = 0; n <= order; n++) {
        for (int i = count - 2; i >= n; i--) terms[i] += delta * terms[i + 1];
        if (n) out[n - 1] = terms[n];
    }
}

#endif
