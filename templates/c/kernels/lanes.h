/* A symlie_real with several lanes, for compilers with vector types. Each lane is bitwise identical to a scalar
 * computation: arithmetic acts lane by lane, and functions are called for each lane.
 *
 *   SYMLIE_NUMBER(x)          the same number in all lanes
 *   SYMLIE_WHOLE(n)           the same whole number in all lanes
 *   SYMLIE_TRUE               a condition that holds in all lanes
 *   SYMLIE_FALSE              a condition that holds in no lane
 *   SYMLIE_NOT(condition)     the negated condition
 *   SYMLIE_ONES(condition)    1 in lanes where the condition holds, 0 in the others
 *   SYMLIE_OF_LANE(x, lane)   the number in one lane
 *   SYMLIE_AT(x, place)       an entry of x with an individual index in each lane
 *   SYMLIE_PUT(x, place, a)   replace this entry by a
 *   SYMLIE_ALL(condition)     1 if the condition holds in all lanes
 *   SYMLIE_ANY(condition)     1 if the condition holds in at least one lane
 *   SYMLIE_WHERE(c, a, b)     a in lanes where c holds, b in the others
 *   SYMLIE_LARGER(a, b)       a in lanes where a > b, b in the others
 *   SYMLIE_FUSED(a, b, c)     a b + c, rounded once
 *
 * If the conditions of a branch differ between lanes, either all lanes follow one branch and the results of the lanes
 * that needed the other one are discarded, or the step is abandoned and the members take it individually. */
#ifndef SYMLIE_LANES_H
#define SYMLIE_LANES_H

#include <math.h>

typedef symlie_scalar symlie_real __attribute__((vector_size(SYMLIE_LANES * sizeof(symlie_scalar))));
/* The type of comparisons of vectors; some compilers cannot initialise that type itself. */
typedef __typeof__(((symlie_real){0} < (symlie_real){0})[0]) lanes_integer;
typedef lanes_integer symlie_whole __attribute__((vector_size(SYMLIE_LANES * sizeof(symlie_scalar))));
typedef symlie_whole symlie_mask;
typedef symlie_scalar symlie_lane;
#define HAS_TANGENTS 0
#define VALUES_FIRST 0
#define SYMLIE_VALUE(x) (x)

static inline symlie_real lanes_of_number(symlie_scalar x) { return x - (symlie_real){0}; }
static inline symlie_real lanes_of_lanes(symlie_real x) { return x; }
static inline symlie_scalar number_of_number(symlie_scalar x) { return x; }

#define SYMLIE_NUMBER(x) lanes_of_number(x)
#define SYMLIE_WHOLE(n) ((n) + (symlie_whole){0})
#define SYMLIE_TRUE ((symlie_whole){0} == 0)
#define SYMLIE_FALSE ((symlie_whole){0} != 0)
#define SYMLIE_NOT(condition) (~(condition))
#define SYMLIE_ONES(condition) (-(condition))
#define SYMLIE_OF_LANE(x, lane) ((x)[lane])
#define SYMLIE_AT(x, place) lanes_at(x, place)
#define SYMLIE_PUT(x, place, value) lanes_put(x, place, value)

static inline symlie_real lanes_at(const symlie_real *restrict x, symlie_whole place)
{
    symlie_real result;
    for (int l = 0; l < SYMLIE_LANES; l++) result[l] = x[place[l]][l];
    return result;
}

static inline void lanes_put(symlie_real *restrict x, symlie_whole place, symlie_real value)
{
    for (int l = 0; l < SYMLIE_LANES; l++) x[place[l]][l] = value[l];
}

static inline int lanes_all(symlie_mask condition)
{
#if defined(__AVX512DQ__) && SYMLIE_LANES == 8
    /* Comparisons have elements of type long, and the instruction those of type long long. */
    typedef long long whole_numbers __attribute__((vector_size(64)));
    return (unsigned char)__builtin_ia32_cvtq2mask512((whole_numbers)condition) == 0xff;
#elif defined(__AVX__) && SYMLIE_LANES == 4
    return __builtin_ia32_movmskpd256((symlie_real)condition) == 0xf;
#else
    int all = 1;
    for (int l = 0; l < SYMLIE_LANES; l++) all &= condition[l] != 0;
    return all;
#endif
}

static inline symlie_real lanes_where(symlie_mask condition, symlie_real a, symlie_real b)
{
    return (symlie_real)((condition & (symlie_mask)a) | (~condition & (symlie_mask)b));
}

static inline symlie_whole lanes_where_whole(symlie_mask condition, symlie_whole a, symlie_whole b)
{
    return (condition & a) | (~condition & b);
}

/* a > b ? a : b, with the result of the maximum instruction for NaN. */
static inline symlie_real lanes_larger(symlie_real a, symlie_real b)
{
#if !defined(__clang__) && defined(__AVX512DQ__) && SYMLIE_LANES == 8
    return __builtin_ia32_maxpd512_mask(a, b, b, -1, 4);
#elif !defined(__clang__) && defined(__AVX__) && SYMLIE_LANES == 4
    return __builtin_ia32_maxpd256(a, b);
#else
    return lanes_where(a > b, a, b);
#endif
}

static inline symlie_real lanes_fused(symlie_real a, symlie_real b, symlie_real c)
{
#if !defined(__clang__) && defined(__AVX512F__) && SYMLIE_LANES == 8
    return __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4);
#elif !defined(__clang__) && defined(__FMA__) && SYMLIE_LANES == 4
    return __builtin_ia32_vfmaddpd256(a, b, c);
#else
    symlie_real result;
    for (int l = 0; l < SYMLIE_LANES; l++) result[l] = __builtin_fma(a[l], b[l], c[l]);
    return result;
#endif
}

static inline int lanes_any(symlie_mask condition) { return !lanes_all(~condition); }

/* Scalar conditions are common to all lanes and have type int. */
static inline int same_in_all_lanes(int condition) { return condition; }

#define SYMLIE_ALL(condition) _Generic((condition), symlie_mask: lanes_all, default: same_in_all_lanes)(condition)
#define SYMLIE_ANY(condition) _Generic((condition), symlie_mask: lanes_any, default: same_in_all_lanes)(condition)
#define SYMLIE_WHERE(condition, a, b) _Generic((a), symlie_whole: lanes_where_whole, default: lanes_where)(condition, a, b)
#define SYMLIE_LARGER(a, b) lanes_larger(a, b)
#define SYMLIE_FUSED(a, b, c) lanes_fused(a, b, c)

/* Inlined into the stage, where the compiler recognises coinciding arguments and loads them once. */
#define SYMLIE_ASSEMBLY static SYMLIE_INLINE

/* Evaluate a function again for the lanes outside its interval. */
static inline symlie_real lanes_beyond(symlie_real z, symlie_mask within, symlie_real result, symlie_scalar (*beyond)(symlie_scalar))
{
    for (int l = 0; l < SYMLIE_LANES; l++)
        if (!within[l]) result[l] = beyond(z[l]);
    return result;
}

static inline int lanes_at_most(symlie_real z, symlie_scalar upper)
{
#if !defined(__clang__) && defined(__AVX512DQ__) && SYMLIE_LANES == 8
    return (unsigned char)__builtin_ia32_cmppd512_mask(z, SYMLIE_NUMBER(upper), 2, -1, 4) == 0xff;
#else
    return lanes_all(z <= upper);
#endif
}

#define SYMLIE_WITHIN(function, z, upper)          \
    if (SYMLIE_UNLIKELY(!lanes_at_most(z, upper))) \
        return lanes_beyond(z, z <= upper, function(lanes_where(z <= upper, z, (symlie_real){0})), function##_beyond)

#define SYMLIE_UNLESS(condition, result, function, x, y)  \
    if (SYMLIE_UNLIKELY(!lanes_all(condition)))           \
        for (int l = 0; l < SYMLIE_LANES; l++)            \
            if (!(condition)[l]) result[l] = function((x)[l], (y)[l])

/* A function whose statements stay in source order: GCC would otherwise place the operations of a dependency chain
 * directly one after another. */
#if defined(__GNUC__) && !defined(__clang__)
#define LANES_IN_ORDER __attribute__((noinline, unused, optimize("no-tree-ter"))) static
#else
#define LANES_IN_ORDER static inline
#endif

#define LANES_FUNCTION(function)                                                            \
    static inline symlie_real lanes_##function(symlie_real x)                               \
    {                                                                                       \
        symlie_real result;                                                                 \
        for (int l = 0; l < SYMLIE_LANES; l++) result[l] = function(x[l]);                  \
        return result;                                                                      \
    }
#define LANES_FUNCTION_OF_TWO(function)                                                     \
    static inline symlie_real lanes_##function(symlie_real x, symlie_real y)                \
    {                                                                                       \
        symlie_real result;                                                                 \
        for (int l = 0; l < SYMLIE_LANES; l++) result[l] = function(x[l], y[l]);            \
        return result;                                                                      \
    }

/* Select the scalar or the lane function by the type of the argument. A scalar combined with lanes has the same
 * value in all lanes. */
#define LANES_CALL(function, x) _Generic((x), symlie_real: lanes_##function, default: function)(x)
#define LANES_OF(x) _Generic((x), symlie_real: lanes_of_lanes, default: lanes_of_number)(x)
#define LANES_BESIDE(x, y)                                                                                              \
    _Generic((x) + (y), symlie_real: _Generic((x), symlie_real: lanes_of_lanes, default: lanes_of_number), default: number_of_number)(x)
#define LANES_CALL_OF_TWO(function, x, y) \
    _Generic((x) + (y), symlie_real: lanes_##function, default: function)(LANES_BESIDE(x, y), LANES_BESIDE(y, x))

LANES_FUNCTION(sqrt)
LANES_FUNCTION(sin)
LANES_FUNCTION(cos)
LANES_FUNCTION(tan)
LANES_FUNCTION(asin)
LANES_FUNCTION(acos)
LANES_FUNCTION(atan)
LANES_FUNCTION(sinh)
LANES_FUNCTION(cosh)
LANES_FUNCTION(tanh)
LANES_FUNCTION(exp)
LANES_FUNCTION(log)
LANES_FUNCTION(rint)
LANES_FUNCTION_OF_TWO(atan2)
LANES_FUNCTION_OF_TWO(pow)
LANES_FUNCTION_OF_TWO(fmax)
LANES_FUNCTION_OF_TWO(fmin)

static inline symlie_real lanes_fabs(symlie_real x) { return (symlie_real)((symlie_mask)x & ~(symlie_mask)-(symlie_real){0}); }

#define sqrt(x) LANES_CALL(sqrt, x)
#define sin(x) LANES_CALL(sin, x)
#define cos(x) LANES_CALL(cos, x)
#define tan(x) LANES_CALL(tan, x)
#define asin(x) LANES_CALL(asin, x)
#define acos(x) LANES_CALL(acos, x)
#define atan(x) LANES_CALL(atan, x)
#define sinh(x) LANES_CALL(sinh, x)
#define cosh(x) LANES_CALL(cosh, x)
#define tanh(x) LANES_CALL(tanh, x)
#define exp(x) LANES_CALL(exp, x)
#define log(x) LANES_CALL(log, x)
#define rint(x) LANES_CALL(rint, x)
#define fabs(x) LANES_CALL(fabs, x)
#define atan2(x, y) LANES_CALL_OF_TWO(atan2, x, y)
#define pow(x, y) LANES_CALL_OF_TWO(pow, x, y)
#define fmax(x, y) LANES_CALL_OF_TWO(fmax, x, y)
#define fmin(x, y) LANES_CALL_OF_TWO(fmin, x, y)

#endif
