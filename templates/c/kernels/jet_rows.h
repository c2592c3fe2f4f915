/* Register rows of coefficients, which belong to several products, nodes or elements. */
#ifndef SYMLIE_JET_ROWS_H
#define SYMLIE_JET_ROWS_H

/* Number of values in a register, for members integrated individually. */
#if defined(__GNUC__) && defined(__AVX512F__)
#define REGISTER_NUMBERS 8
#elif defined(__GNUC__) && defined(__AVX__)
#define REGISTER_NUMBERS 4
#else
#define REGISTER_NUMBERS 1
#endif

#ifndef SYMLIE_PORTABLE
#define SYMLIE_PORTABLE 0 /* 1 for C99 without vectors, whose results have the same bits */
#endif

#if SYMLIE_LANES == 1 && REGISTER_NUMBERS > 1 && !SYMLIE_PORTABLE
#define JET_WIDTH REGISTER_NUMBERS
typedef symlie_real symlie_row __attribute__((vector_size(8 * JET_WIDTH), aligned(8), may_alias));
#define NO_PRODUCTS ((symlie_row){0})
#define EACH(x) (NO_PRODUCTS + (x))
#define OF_ROW(row, i) ((row)[i])
#else
#define JET_WIDTH 1
typedef symlie_real symlie_row;
#define NO_PRODUCTS SYMLIE_NUMBER(0)
#define EACH(x) SYMLIE_NUMBER(x)
#define OF_ROW(row, i) (row)
#endif
#if JET_WIDTH == 8
typedef symlie_real symlie_half __attribute__((vector_size(32), aligned(8), may_alias));
#else
typedef symlie_row symlie_half;
#endif

/* FUSED for register rows. */
#if !defined(__FP_FAST_FMA)
#define FUSED_ROWS(a, b, c) ((a) * (b) + (c))
#elif SYMLIE_LANES > 1
#define FUSED_ROWS(a, b, c) FUSED(a, b, c)
#else
#define FUSED_ROWS(a, b, c) fused_rows((a) - NO_PRODUCTS, (b) - NO_PRODUCTS, (c) - NO_PRODUCTS)
#endif
#if defined(__FP_FAST_FMA) && JET_WIDTH == 8
#define FUSED_HALVES(a, b, c) fused_halves(a, b, c)
#else
#define FUSED_HALVES(a, b, c) FUSED_ROWS(a, b, c)
#endif

#if JET_WIDTH == 8
static SYMLIE_INLINE symlie_half fused_halves(const symlie_half a, const symlie_half b, const symlie_half c)
{
#if !defined(__clang__) && defined(__FMA__)
    return __builtin_ia32_vfmaddpd256(a, b, c);
#else
    symlie_half result;
    for (int i = 0; i < 4; i++) result[i] = __builtin_fma(a[i], b[i], c[i]);
    return result;
#endif
}
#endif

#ifdef __FP_FAST_FMA
static SYMLIE_INLINE symlie_row fused_rows(const symlie_row a, const symlie_row b, const symlie_row c)
{
#if JET_WIDTH == 8 && !defined(__clang__)
    return __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4);
#elif JET_WIDTH == 4 && defined(__FMA__) && !defined(__clang__)
    return __builtin_ia32_vfmaddpd256(a, b, c);
#elif JET_WIDTH > 1
    symlie_row result;
    for (int i = 0; i < JET_WIDTH; i++) result[i] = __builtin_fma(a[i], b[i], c[i]);
    return result;
#else
    return SYMLIE_FUSED(a, b, c);
#endif
}
#endif

/* Compute out = x unit / n for a power of two `unit`. If it is as fast as a product, the reciprocal is used as an
 * unevaluated sum of two doubles: the result is bitwise identical to the division in a fraction of its time, since
 * no quotient with so small a denominator is as close to the midpoint of two doubles as this product. */
static SYMLIE_INLINE void divide_by(const int n, const symlie_real unit, long long size, const symlie_real *restrict x, symlie_real *restrict out)
{
#ifdef __FP_FAST_FMA
    const symlie_scalar whole = n, part = 1 / whole, rest = __builtin_fma(-part, whole, 1.0) * part;
    const symlie_real first = part * unit, second = rest * unit;
    for (long long i = 0; i < size; i++) out[i] = SYMLIE_FUSED(x[i], first, x[i] * second);
#else
    const symlie_real divisor = (symlie_scalar)n / unit;
    for (long long i = 0; i < size; i++) out[i] = x[i] / divisor;
#endif
}

/* The register row at an address. Its last numbers may lie in the memory of the next array. */
static SYMLIE_INLINE symlie_row row_at(const symlie_real *x)
{
    return *(const symlie_row *)x;
}

/* Keep a factor of several products in a register. Compilers otherwise reload it for each product, and loads limit
 * the speed of the sums. */
#if defined(__GNUC__) && defined(__AVX512F__) && SYMLIE_LANES <= 8
#define KEEP_IN_REGISTER(x) __asm__("" : "+v"(x))
#else
#define KEEP_IN_REGISTER(x) ((void)0)
#endif

#endif
