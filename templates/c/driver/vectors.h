/* Vectors of a step: storage and linear combinations. */
#ifndef SYMLIE_VECTORS_H
#define SYMLIE_VECTORS_H

#include <string.h>

#include "primitives.h"

/* All models and methods use the same signatures, so some functions have unused parameters. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

/* Code that is to be small is not unrolled, nor that of processors on which each operation calls a function. */
#if UNROLL_STAGES && !defined(__OPTIMIZE_SIZE__) && !defined(__SOFTFP__)
#define UNROLLS_STAGES 1
#else
#define UNROLLS_STAGES 0
#endif

/* Loops over stages are unrolled for small models, so that the tableau coefficients become constants in the code. */
#if defined(__GNUC__) && UNROLLS_STAGES
#define SYMLIE_UNROLL _Pragma("GCC unroll 16")
#elif defined(__GNUC__)
#define SYMLIE_UNROLL _Pragma("GCC unroll 1")
#else
#define SYMLIE_UNROLL
#endif

/* A part of a stage: inlined into unrolled stages of small models, otherwise a separate function. */
#if !FIXED_TOPOLOGY
#define PART_OF_STAGE SYMLIE_APART
#else
#define PART_OF_STAGE static inline
#endif

/* Arrays of a step: on the stack for models of fixed topology, otherwise in the workspace. */
#if FIXED_TOPOLOGY
#define ARRAY(name, size) symlie_real name[(size) > 0 ? (size) : 1]
#else
#define ARRAY(name, size)        \
    symlie_real *restrict name = work; \
    work += (size)
#endif

/* An array shared by consecutive stages: each stage overwrites the values of the previous one. */
#if FIXED_TOPOLOGY
#define STAGE_ARRAY(name, size) ARRAY(name, size)
#define TAKE_NEXT(size, next, name) copy(size, next, name)
#else
#define STAGE_ARRAY(name, size) \
    symlie_real *name = work;   \
    work += (size)
#define TAKE_NEXT(size, next, name)       \
    do {                                  \
        symlie_real *const passed = name; \
        name = next;                      \
        next = passed;                    \
    } while (0)
#endif

/* A part of the state at the start of a step: a copy on the stack if ARRAY is on the stack, otherwise the original. */
#if FIXED_TOPOLOGY
#define START(name, size) \
    ARRAY(name, size);    \
    copy(size, state->name, name)
#else
#define START(name, size) const symlie_real *restrict name = state->name
#endif

/* Compute out = base + h sum_j weight[j] x_j for vectors x_j with the given stride; base may be null. In unrolled
 * loops zero weights cost nothing. */
#if !UNROLLS_STAGES && (SYMLIE_LANES > 1 || !FIXED_TOPOLOGY)
static SYMLIE_INLINE void combine_used(const int used, int n, symlie_real h, const symlie_scalar *restrict factor,
                                       const symlie_real *const *restrict x, const symlie_real *restrict base,
                                       symlie_real *restrict out)
{
    for (int k = 0; k < n; k++) {
        symlie_real sum = SYMLIE_NUMBER(0);
        for (int j = 0; j < used; j++) sum += factor[j] * x[j][k];
        out[k] = base ? base[k] + h * sum : h * sum;
    }
}

/* Long vectors are processed in one pass that accumulates each component in a register. */
PART_OF_STAGE void combine(int n, int stride, int count, symlie_real h, const symlie_scalar *restrict weight,
                           const symlie_real *restrict x, const symlie_real *restrict base, symlie_real *restrict out)
{
    const symlie_real *vector[count + 1];
    symlie_scalar factor[count + 1];
    int used = 0;
    for (int j = 0; j < count; j++)
        if (weight[j] != 0) vector[used] = x + j * stride, factor[used++] = weight[j];
    switch (used) {
    case 1: combine_used(1, n, h, factor, vector, base, out); break;
    case 2: combine_used(2, n, h, factor, vector, base, out); break;
    case 3: combine_used(3, n, h, factor, vector, base, out); break;
    case 4: combine_used(4, n, h, factor, vector, base, out); break;
    case 5: combine_used(5, n, h, factor, vector, base, out); break;
    case 6: combine_used(6, n, h, factor, vector, base, out); break;
    case 7: combine_used(7, n, h, factor, vector, base, out); break;
    default: combine_used(used, n, h, factor, vector, base, out);
    }
}
#else
PART_OF_STAGE void combine(int n, int stride, int count, symlie_real h, const symlie_scalar *restrict weight,
                           const symlie_real *restrict x, const symlie_real *restrict base, symlie_real *restrict out)
{
    for (int k = 0; k < n; k++) out[k] = SYMLIE_NUMBER(0);
#if UNROLLS_STAGES
SYMLIE_UNROLL
    for (int j = 0; j < count; j++)
        if (weight[j] != 0)
            for (int k = 0; k < n; k++) out[k] += weight[j] * x[j * stride + k];
#else
    /* Each pass over `out` adds two vectors. */
    int waiting = -1;
    for (int j = 0; j < count; j++) {
        if (weight[j] == 0) continue;
        if (waiting < 0) {
            waiting = j;
            continue;
        }
        const symlie_real *restrict first = x + waiting * stride, *restrict second = x + j * stride;
        for (int k = 0; k < n; k++) out[k] = out[k] + weight[waiting] * first[k] + weight[j] * second[k];
        waiting = -1;
    }
    if (waiting >= 0)
        for (int k = 0; k < n; k++) out[k] += weight[waiting] * x[waiting * stride + k];
#endif
    for (int k = 0; k < n; k++) out[k] = base ? base[k] + h * out[k] : h * out[k];
}
#endif

static inline symlie_real sum_of_squares(int n, const symlie_real *restrict x)
{
    symlie_real sum = SYMLIE_NUMBER(0);
    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    return sum;
}

static inline void copy(int n, const symlie_real *restrict from, symlie_real *restrict to)
{
    for (int k = 0; k < n; k++) to[k] = from[k];
}

static inline void copy_where(symlie_mask condition, int n, const symlie_real *restrict from, symlie_real *restrict to)
{
    if (SYMLIE_ALL(condition)) copy(n, from, to);
    else for (int k = 0; k < n; k++) to[k] = SYMLIE_WHERE(condition, from[k], to[k]);
}

/* Correction of Newton's method where it is active. Tangents converge one correction after the values. */
static inline symlie_real corrected(symlie_mask active, symlie_real found, symlie_real known)
{
#if HAS_TANGENTS
    return {active ? found.value : known.value, found.tangent};
#else
    return SYMLIE_WHERE(active, found, known);
#endif
}

/* Lanes in which the bits of two vectors differ. */
static inline symlie_mask differ(int n, const symlie_real *restrict x, const symlie_real *restrict y)
{
#if SYMLIE_LANES > 1
    symlie_mask found = SYMLIE_FALSE;
    for (int k = 0; k < n; k++) found |= (symlie_mask)x[k] != (symlie_mask)y[k];
    return found;
#else
    return memcmp(x, y, sizeof(symlie_real) * (size_t)n) != 0;
#endif
}

static inline void exchange(symlie_real **first, symlie_real **second)
{
    symlie_real *const passed = *first;
    *first = *second;
    *second = passed;
}

/* Shift the history by one vector: copy the newest vector, then all others except the last. */
static inline void shift(int vectors, int n, const symlie_real *restrict newest, const symlie_real *restrict others,
                         symlie_real *restrict out)
{
    copy(n, newest, out);
    copy((vectors - 1) * n, others, out + n);
}

/* The largest absolute entry, or bound >= 0 if that is larger. The bit patterns of nonnegative numbers have the
 * order of the numbers, with NaN above all others, so NaN propagates. */
PART_OF_STAGE symlie_real largest_entry(int n, const symlie_real *restrict x, symlie_real bound)
{
#if SYMLIE_LANES > 1
    for (int k = 0; k < n; k++)
        bound = SYMLIE_WHERE((symlie_mask)fabs(x[k]) > (symlie_mask)bound, fabs(x[k]), bound);
    return bound;
#else
#if SYMLIE_SINGLE
    float a = bound;
    int largest, bits;
#else
    double a = SYMLIE_VALUE(bound);
    long long largest, bits;
#endif
    memcpy(&largest, &a, sizeof largest);
    for (int k = 0; k < n; k++) {
        a = fabs(SYMLIE_VALUE(x[k]));
        memcpy(&bits, &a, sizeof bits);
        largest = bits > largest ? bits : largest;
    }
    memcpy(&a, &largest, sizeof a);
    return (symlie_real)a;
#endif
}

/* Return whether all entries are finite. In other doubles all exponent bits are set, and incrementing the exponent
 * carries into the sign bit. For small models the entries are in registers, and a sum of products with zero is
 * shorter code. */
PART_OF_STAGE int all_finite(int n, const symlie_real *restrict x)
{
#if SYMLIE_LANES > 1
    /* Several independent sums, which are computed in parallel. */
    symlie_real zero[4] = {SYMLIE_NUMBER(0), SYMLIE_NUMBER(0), SYMLIE_NUMBER(0), SYMLIE_NUMBER(0)};
    int k = 0;
    for (; k + 4 <= n; k += 4)
        for (int j = 0; j < 4; j++) zero[j] += x[k + j] * 0;
    for (; k < n; k++) zero[0] += x[k] * 0;
    return SYMLIE_ALL((zero[0] + zero[1]) + (zero[2] + zero[3]) == 0);
#elif UNROLLS_STAGES || SYMLIE_SINGLE
    symlie_real zero = SYMLIE_NUMBER(0);
    for (int k = 0; k < n; k++) zero += x[k] * 0;
    return SYMLIE_ALL(zero == 0);
#else
    unsigned long long carry = 0, bits;
    for (int k = 0; k < n; k++) {
        const double a = SYMLIE_VALUE(x[k]);
        memcpy(&bits, &a, sizeof bits);
        carry |= (bits & 0x7ff0000000000000ULL) + 0x0010000000000000ULL;
    }
    return !(carry >> 63);
#endif
}

#endif
