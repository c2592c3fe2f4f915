/* Functions used by generated code. */
#ifndef SYMLIE_PRIMITIVES_H
#define SYMLIE_PRIMITIVES_H

#include <math.h>

#include "real.h"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "symlie needs NaN and infinity: compile without -ffast-math, -Ofast and -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "symlie needs IEEE arithmetic: compile without -funsafe-math-optimizations, -fassociative-math and -freciprocal-math"
#endif
_Static_assert(sizeof(0.1) == sizeof(double), "symlie needs double constants: compile without -fsingle-precision-constant");

#if defined(__GNUC__)
#define SYMLIE_COLD __attribute__((noinline, cold, unused)) static
#define SYMLIE_APART __attribute__((noinline, unused)) static /* compiles faster as a separate function */
#define SYMLIE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SYMLIE_INLINE inline __attribute__((always_inline))
#define SYMLIE_ONE_BY_ONE __asm__ volatile("") /* prevents vectorisation over elements, which needs gathers */
#else
#define SYMLIE_COLD static
#define SYMLIE_APART static
#define SYMLIE_UNLIKELY(x) (x)
#define SYMLIE_INLINE inline
#define SYMLIE_ONE_BY_ONE (void)0
#endif

/* These functions propagate NaN as NumPy does. */
static inline symlie_lane symlie_sign(symlie_lane x) { return x > 0 ? 1 : x < 0 ? -1 : x * 0; }
static inline symlie_lane symlie_maximum(symlie_lane a, symlie_lane b) { return a > b || a != a ? a : b; }
static inline symlie_lane symlie_minimum(symlie_lane a, symlie_lane b) { return a < b || a != a ? a : b; }

/* a if c > 0, otherwise b; NaN if c is NaN. NaN in the branch that is not selected has no effect. */
static inline symlie_lane symlie_select(symlie_lane c, symlie_lane a, symlie_lane b) { return c > 0 ? a : c <= 0 ? b : c; }

/* Tables are parameters and interleaved over lanes; x, abscissa and value belong to one lane. */
#define SYMLIE_ENTRY(k) ((k) * SYMLIE_LANES)

/* Index among the parameters, which is the same in all lanes. */
#if SYMLIE_LANES > 1
#define SYMLIE_INDEX(x) ((long long)(x)[0])
#else
#define SYMLIE_INDEX(x) ((long long)(x))
#endif

/* Index, between 0 and n - 2, of the interval that contains x among n increasing abscissae. */
static inline int symlie_interval(symlie_lane x, const symlie_lane *abscissa, int n)
{
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (x < abscissa[SYMLIE_ENTRY(middle)]) high = middle;
        else low = middle;
    }
    return low;
}

/* Slope of a table on interval k. */
static inline symlie_lane symlie_slope(int k, const symlie_lane *abscissa, const symlie_lane *value)
{
    const int here = SYMLIE_ENTRY(k), next = SYMLIE_ENTRY(k + 1);
    return (value[next] - value[here]) / (abscissa[next] - abscissa[here]);
}

/* Linear interpolation in a table, constant outside it. */
static inline symlie_lane symlie_interpolate(symlie_lane x, const symlie_lane *abscissa, const symlie_lane *value, int n)
{
    if (x <= abscissa[0]) return value[0];
    if (x >= abscissa[SYMLIE_ENTRY(n - 1)]) return value[SYMLIE_ENTRY(n - 1)];
    const int k = symlie_interval(x, abscissa, n);
    return value[SYMLIE_ENTRY(k)] + symlie_slope(k, abscissa, value) * (x - abscissa[SYMLIE_ENTRY(k)]);
}

/* Slope of the interpolant; at a kink, on its right side. */
static inline symlie_lane symlie_interpolate_slope(symlie_lane x, const symlie_lane *abscissa, const symlie_lane *value, int n)
{
    if (x < abscissa[0] || x >= abscissa[SYMLIE_ENTRY(n - 1)]) return 0;
    return symlie_slope(symlie_interval(x, abscissa, n), abscissa, value);
}

/* Ends of the interval of linear interpolation that contains x; infinite outside the table. */
static inline symlie_lane symlie_interval_begin(symlie_lane x, const symlie_lane *abscissa, const symlie_lane *value, int n)
{
    (void)value;
    if (x < abscissa[0]) return -(symlie_lane)INFINITY;
    return x >= abscissa[SYMLIE_ENTRY(n - 1)] ? abscissa[SYMLIE_ENTRY(n - 1)] : abscissa[SYMLIE_ENTRY(symlie_interval(x, abscissa, n))];
}

static inline symlie_lane symlie_interval_end(symlie_lane x, const symlie_lane *abscissa, const symlie_lane *value, int n)
{
    (void)value;
    if (x >= abscissa[SYMLIE_ENTRY(n - 1)]) return (symlie_lane)INFINITY;
    return x < abscissa[0] ? abscissa[0] : abscissa[SYMLIE_ENTRY(symlie_interval(x, abscissa, n) + 1)];
}

/* Interval of a run-time table that contains x: the knots, their number, the number of knots not greater than x, and
 * the shift that brings x into the range of a periodic table. Periodic tables store their degree with a minus sign. */
typedef struct {
    const symlie_lane *knot;
    int n, degree, piece;
    symlie_lane shift;
} symlie_table_piece;

static inline symlie_table_piece symlie_find_piece(symlie_lane x, const symlie_lane *slot)
{
    symlie_table_piece at = {slot + SYMLIE_ENTRY((long long)slot[0]), (int)slot[SYMLIE_ENTRY(1)], (int)slot[SYMLIE_ENTRY(2)], 0, 0};
    if (at.degree < 0) {
        const symlie_lane first = at.knot[0], period = at.knot[SYMLIE_ENTRY(at.n - 1)] - first;
        at.degree = -at.degree;
        at.shift = period * floor((x - first) / period);
    }
    int high = at.n;
    while (high > at.piece) {
        const int middle = at.piece + (high - at.piece) / 2;
        if (x - at.shift < at.knot[SYMLIE_ENTRY(middle)]) high = middle;
        else at.piece = middle + 1;
    }
    return at;
}

/* Derivative of a component of a run-time table at x. The slot contains the position of the table, the number of
 * knots, and the degree of the polynomials. The polynomials follow the knots, component by component: before the
 * first knot, between knots, and after the last knot, with coefficients of powers of the distance from the knot.
 * Returns zero without a table. */
static inline symlie_lane symlie_input(symlie_lane x, const symlie_lane *slot, int component, int derivative)
{
    if ((int)slot[SYMLIE_ENTRY(1)] == 0) return 0;
    const symlie_table_piece at = symlie_find_piece(x, slot);
    const long long start = at.n + ((long long)component * (at.n + 1) + at.piece) * (at.degree + 1);
    const symlie_lane *coefficient = at.knot + SYMLIE_ENTRY(start);
    const symlie_lane distance = x - at.shift - at.knot[SYMLIE_ENTRY(at.piece > 0 ? at.piece - 1 : 0)];
    symlie_lane result = 0;
    for (int j = at.degree; j >= derivative; j--) {
        int factor = 1;
        for (int i = 0; i < derivative; i++) factor *= j - i;
        result = result * distance + factor * coefficient[SYMLIE_ENTRY(j)];
    }
    return result;
}

/* Ends of the interval of a run-time table that contains x; infinite outside the table. */
static inline symlie_lane symlie_input_begin(symlie_lane x, const symlie_lane *slot, int component, int derivative)
{
    (void)component, (void)derivative;
    if ((int)slot[SYMLIE_ENTRY(1)] == 0) return -(symlie_lane)INFINITY;
    const symlie_table_piece at = symlie_find_piece(x, slot);
    return at.piece > 0 ? at.shift + at.knot[SYMLIE_ENTRY(at.piece - 1)] : -(symlie_lane)INFINITY;
}

static inline symlie_lane symlie_input_end(symlie_lane x, const symlie_lane *slot, int component, int derivative)
{
    (void)component, (void)derivative;
    if ((int)slot[SYMLIE_ENTRY(1)] == 0) return (symlie_lane)INFINITY;
    const symlie_table_piece at = symlie_find_piece(x, slot);
    return at.piece < at.n ? at.shift + at.knot[SYMLIE_ENTRY(at.piece)] : (symlie_lane)INFINITY;
}

/* 2 atan(sqrt(n)/w)/sqrt(n), the factor in the quaternion logarithm; p and -p have the same principal value. For
 * rotations up to 0.84 the function is a polynomial in z = n/w^2 with relative error below 2^-57
 * (tests/emit/test_primitives.py). */
SYMLIE_COLD symlie_lane symlie_half_angle_ratio_beyond(symlie_lane w, symlie_lane n)
{
    const symlie_lane s = sqrt(n);
    return s > 0 ? 2 * atan(s / w) / s : 2 / w;
}

static inline symlie_real symlie_half_angle_ratio(symlie_real w, symlie_real n)
{
    const symlie_real r = 1 / w, z = n * r * r, z2 = z * z, z4 = z2 * z2;
    const symlie_real low = (0.11111111090508789 * z + (-0.14285714285494874)) * z2 + (0.19999999999999082 * z + (-0.3333333333333333));
    const symlie_real middle = (0.05875874276420333 * z + (-0.06666135472175476)) * z2 + (0.07692278787561817 * z + (-0.09090908088296466));
    const symlie_real high = (0.014167495261045805 * z + (-0.03250469913003793)) * z2 + (0.04464602259842926 * z + (-0.05209760982539282));
    symlie_real ratio = 2 * r * (((high * z4 + middle) * z4 + low) * z + 1);
    SYMLIE_UNLESS(z <= 0.2, ratio, symlie_half_angle_ratio_beyond, w, n);
    return ratio;
}

/* 2 atan2(sqrt(n), w)/sqrt(n): factor of a rotation vector of length up to 2 pi; for n = 0 the vector is zero. */
static inline symlie_lane symlie_full_angle_ratio(symlie_lane w, symlie_lane n)
{
    const symlie_lane s = sqrt(n);
    return s > 0 ? 2 * atan2(s, w) / s : 2 / fabs(w);
}

/* (phi/sin(phi) - 1)/(2 z), z = sin(phi/2)^2, from asin(sqrt(z))/sqrt(z (1 - z)). For angles up to 0.45 the function
 * is a polynomial with relative error below 2^-53, which comes from rounding its first coefficient. */
SYMLIE_COLD symlie_lane symlie_angle_excess_beyond(symlie_lane z)
{
    const symlie_lane s = sqrt(z), c = sqrt(1 - z);
    return (atan2(s, c) / (s * c) - 1) / (2 * z);
}

static inline symlie_real symlie_angle_excess(symlie_real z)
{
    SYMLIE_WITHIN(symlie_angle_excess, z, 0.05);
    const symlie_real z2 = z * z, z4 = z2 * z2;
    const symlie_real low = (0.20317460228911052 * z + 0.2285714285757534) * z2 + (0.26666666666665856 * z + 0.3333333333333333);
    const symlie_real middle = (0.14638688690013382 * z + 0.15930421759661906) * z2 + (0.17049097031803706 * z + 0.18470427536161113);
    return 0.1765083962953085 * (z4 * z4) + (middle * z4 + low);
}

/* Component k of the unit quaternion of a rotation matrix (row-major), computed from the quaternion component of
 * largest magnitude. */
static inline symlie_lane symlie_rotation_quaternion(symlie_lane k, symlie_lane r0, symlie_lane r1, symlie_lane r2, symlie_lane r3, symlie_lane r4,
                                                symlie_lane r5, symlie_lane r6, symlie_lane r7, symlie_lane r8)
{
    const symlie_lane trace = r0 + r4 + r8;
    symlie_lane p[4];
    if (trace >= r0 && trace >= r4 && trace >= r8) {
        p[0] = 1 + trace, p[1] = r7 - r5, p[2] = r2 - r6, p[3] = r3 - r1;
    } else if (r0 >= r4 && r0 >= r8) {
        p[0] = r7 - r5, p[1] = 1 + r0 - r4 - r8, p[2] = r1 + r3, p[3] = r2 + r6;
    } else if (r4 >= r8) {
        p[0] = r2 - r6, p[1] = r1 + r3, p[2] = 1 - r0 + r4 - r8, p[3] = r5 + r7;
    } else {
        p[0] = r3 - r1, p[1] = r2 + r6, p[2] = r5 + r7, p[3] = 1 - r0 - r4 + r8;
    }
    const symlie_lane norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    return p[(int)k] / (p[0] < 0 ? -norm : norm);
}

#if SYMLIE_LANES > 1
#include "lane_primitives.h"
#endif

/* a b + c, rounded once if the processor supports it; this is the critical path of the recursion over orders. */
#ifndef __FP_FAST_FMA
#define FUSED(a, b, c) ((a) * (b) + (c))
#elif SYMLIE_LANES > 1
#define FUSED(a, b, c) SYMLIE_FUSED((a) - SYMLIE_NUMBER(0), (b) - SYMLIE_NUMBER(0), (c) - SYMLIE_NUMBER(0))
#else
#define FUSED(a, b, c) SYMLIE_FUSED(a, b, c)
#endif

#endif
