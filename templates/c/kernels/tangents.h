/* A symlie_real with derivatives in several directions, for a C++ compiler: value and tangents. The value has the bits
 * of a computation without tangents, and comparisons read it alone, so that tangents follow the branches of the run.
 * A symlie_scalar, such as the time, has no tangents. */
#ifndef SYMLIE_TANGENTS_H
#define SYMLIE_TANGENTS_H

#include <math.h>
#if defined(__AVX2__) && SYMLIE_TANGENTS >= 4
#include <immintrin.h>
#endif

#define restrict __restrict__
#define _Static_assert static_assert

#if SYMLIE_TANGENTS > 1
typedef double symlie_tangent __attribute__((vector_size(SYMLIE_TANGENTS * sizeof(double)), aligned(sizeof(double))));
#else
typedef double symlie_tangent;
#endif
#define SYMLIE_TANGENT static inline __attribute__((always_inline))

struct symlie_real {
    double value;
    symlie_tangent tangent;
    symlie_real() = default;
    constexpr symlie_real(double x) : value(x), tangent{} {}
    constexpr symlie_real(int n) : value(n), tangent{} {}
    constexpr symlie_real(long n) : value((double)n), tangent{} {}
    constexpr symlie_real(long long n) : value((double)n), tangent{} {}
    symlie_real(double x, symlie_tangent d) : value(x), tangent(d) {}
    /* A copy of the whole object would wait for the separate stores of its members. */
    symlie_real(const symlie_real &x) : value(x.value), tangent(x.tangent) {}
    symlie_real &operator=(const symlie_real &x)
    {
        value = x.value, tangent = x.tangent;
        return *this;
    }
    explicit operator double() const { return value; }
    explicit operator int() const { return (int)value; }
    explicit operator long long() const { return (long long)value; }
    explicit operator bool() const { return value != 0; }
};

#define SYMLIE_VALUE(x) ((double)(x))

#if SYMLIE_TANGENTS > 1
#define TANGENT_IN(x, direction) (x).tangent[direction]
#else
#define TANGENT_IN(x, direction) (x).tangent
#endif
SYMLIE_TANGENT double tangent_of(symlie_real x, int direction) { return TANGENT_IN(x, direction); }
SYMLIE_TANGENT void set_tangent(symlie_real &x, int direction, double d) { TANGENT_IN(x, direction) = d; }

/* d x + e: tangents need not have the same bits on all processors. */
SYMLIE_TANGENT symlie_tangent tangents_fused(symlie_tangent d, double x, symlie_tangent e)
{
#if SYMLIE_TANGENTS == 8 && defined(__AVX512F__)
    return (symlie_tangent)_mm512_fmadd_pd((__m512d)d, _mm512_set1_pd(x), (__m512d)e);
#elif SYMLIE_TANGENTS == 4 && defined(__AVX2__) && defined(__FMA__)
    return (symlie_tangent)_mm256_fmadd_pd((__m256d)d, _mm256_set1_pd(x), (__m256d)e);
#elif SYMLIE_TANGENTS == 1 && defined(__FP_FAST_FMA)
    return __builtin_fma(d, x, e);
#else
    return d * x + e;
#endif
}

SYMLIE_TANGENT symlie_real operator+(symlie_real x) { return x; }
SYMLIE_TANGENT symlie_real operator-(symlie_real x) { return {-x.value, -x.tangent}; }
SYMLIE_TANGENT bool operator!(symlie_real x) { return !x.value; }
SYMLIE_TANGENT symlie_real operator+(symlie_real x, symlie_real y) { return {x.value + y.value, x.tangent + y.tangent}; }
SYMLIE_TANGENT symlie_real operator-(symlie_real x, symlie_real y) { return {x.value - y.value, x.tangent - y.tangent}; }
SYMLIE_TANGENT symlie_real operator*(symlie_real x, symlie_real y)
{
    return {x.value * y.value, tangents_fused(y.tangent, x.value, x.tangent * y.value)};
}
SYMLIE_TANGENT symlie_real operator/(symlie_real x, symlie_real y)
{
    const double quotient = x.value / y.value;
    return {quotient, tangents_fused(y.tangent, -quotient, x.tangent) * (1 / y.value)};
}

/* Numbers without tangents. */
#define TANGENTS_WITH(type)                                                                                             \
    SYMLIE_TANGENT symlie_real operator+(symlie_real x, type y) { return {x.value + y, x.tangent}; }                    \
    SYMLIE_TANGENT symlie_real operator+(type x, symlie_real y) { return {x + y.value, y.tangent}; }                    \
    SYMLIE_TANGENT symlie_real operator-(symlie_real x, type y) { return {x.value - y, x.tangent}; }                    \
    SYMLIE_TANGENT symlie_real operator-(type x, symlie_real y) { return {x - y.value, -y.tangent}; }                   \
    SYMLIE_TANGENT symlie_real operator*(symlie_real x, type y) { return {x.value * y, x.tangent * (double)y}; }        \
    SYMLIE_TANGENT symlie_real operator*(type x, symlie_real y) { return {x * y.value, y.tangent * (double)x}; }        \
    SYMLIE_TANGENT symlie_real operator/(symlie_real x, type y) { return {x.value / y, x.tangent * (1 / (double)y)}; }  \
    SYMLIE_TANGENT symlie_real operator/(type x, symlie_real y) { return symlie_real(x) / y; }
TANGENTS_WITH(double)
TANGENTS_WITH(int)
TANGENTS_WITH(long long)

#define TANGENTS_ASSIGNMENT(op) \
    template <class other> SYMLIE_TANGENT symlie_real &operator op##=(symlie_real &x, other y) { return x = x op y; }
TANGENTS_ASSIGNMENT(+)
TANGENTS_ASSIGNMENT(-)
TANGENTS_ASSIGNMENT(*)
TANGENTS_ASSIGNMENT(/)

#define TANGENTS_COMPARISON(op)                                                                         \
    SYMLIE_TANGENT int operator op(symlie_real x, symlie_real y) { return x.value op y.value; }         \
    SYMLIE_TANGENT int operator op(symlie_real x, double y) { return x.value op y; }                    \
    SYMLIE_TANGENT int operator op(double x, symlie_real y) { return x op y.value; }                    \
    SYMLIE_TANGENT int operator op(symlie_real x, int y) { return x.value op y; }                       \
    SYMLIE_TANGENT int operator op(int x, symlie_real y) { return x op y.value; }
TANGENTS_COMPARISON(<)
TANGENTS_COMPARISON(>)
TANGENTS_COMPARISON(<=)
TANGENTS_COMPARISON(>=)
TANGENTS_COMPARISON(==)
TANGENTS_COMPARISON(!=)

/* f(x) with its derivative, in terms of x and the value y. */
#define TANGENTS_FUNCTION(f, slope)                  \
    SYMLIE_TANGENT symlie_real f(symlie_real number) \
    {                                                \
        const double x = number.value, y = ::f(x);   \
        (void)y;                                     \
        return {y, number.tangent * (slope)};        \
    }
TANGENTS_FUNCTION(sqrt, 0.5 / y)
TANGENTS_FUNCTION(sin, ::cos(x))
TANGENTS_FUNCTION(cos, -::sin(x))
TANGENTS_FUNCTION(tan, 1 + y * y)
TANGENTS_FUNCTION(exp, y)
TANGENTS_FUNCTION(log, 1 / x)
TANGENTS_FUNCTION(asin, 1 / ::sqrt(1 - x * x))
TANGENTS_FUNCTION(acos, -1 / ::sqrt(1 - x * x))
TANGENTS_FUNCTION(atan, 1 / (1 + x * x))
TANGENTS_FUNCTION(sinh, ::cosh(x))
TANGENTS_FUNCTION(cosh, ::sinh(x))
TANGENTS_FUNCTION(tanh, 1 - y * y)
TANGENTS_FUNCTION(fabs, (x < 0 ? -1.0 : 1.0))
TANGENTS_FUNCTION(rint, 0.0)
TANGENTS_FUNCTION(ceil, 0.0)
TANGENTS_FUNCTION(floor, 0.0)

SYMLIE_TANGENT symlie_real atan2(symlie_real y, symlie_real x)
{
    const double square = x.value * x.value + y.value * y.value;
    return {::atan2(y.value, x.value), (y.tangent * x.value - x.tangent * y.value) * (1 / square)};
}
SYMLIE_TANGENT symlie_real pow(symlie_real x, double y)
{
    return {::pow(x.value, y), x.tangent * (y * ::pow(x.value, y - 1))};
}
SYMLIE_TANGENT symlie_real pow(symlie_real x, symlie_real y)
{
    const double power = ::pow(x.value, y.value);
    const symlie_tangent of_base = x.tangent * (y.value * ::pow(x.value, y.value - 1));
    return {power, x.value > 0 ? of_base + y.tangent * (power * ::log(x.value)) : of_base};
}
SYMLIE_TANGENT symlie_real fmax(symlie_real x, symlie_real y) { return x.value > y.value ? x : y; }
SYMLIE_TANGENT symlie_real fmin(symlie_real x, symlie_real y) { return x.value < y.value ? x : y; }
SYMLIE_TANGENT symlie_real copysign(symlie_real x, symlie_real y)
{
    return ::copysign(1.0, x.value) == ::copysign(1.0, y.value) ? x : -x;
}

SYMLIE_TANGENT int tangents_isfinite(double x) { return __builtin_isfinite(x); }
SYMLIE_TANGENT int tangents_isfinite(symlie_real x) { return __builtin_isfinite(x.value); }
SYMLIE_TANGENT int tangents_isnan(double x) { return __builtin_isnan(x); }
SYMLIE_TANGENT int tangents_isnan(symlie_real x) { return __builtin_isnan(x.value); }
#undef isfinite
#undef isnan
#define isfinite(x) tangents_isfinite(x)
#define isnan(x) tangents_isnan(x)

#endif
