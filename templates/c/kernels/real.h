/* Types of numbers, double unless -DSYMLIE_REAL=... says otherwise. With -DSYMLIE_LANES=... a symlie_real is that many of
 * them, one for each of several members side by side; a symlie_scalar is one for all. */
#ifndef SYMLIE_REAL_H
#define SYMLIE_REAL_H

/* Passes of GCC that bring nothing to stages of explicit one-step methods, which are long and have few branches; with
 * registers given by priority they are faster. Where no steps are taken, more passes cost more than they bring. */
#if defined(__GNUC__) && !defined(__clang__)
#if defined(SYMLIE_EXPLICIT_STEPS) || defined(SYMLIE_NO_STEPS)
#pragma GCC optimize("no-thread-jumps", "no-gcse", "ira-algorithm=priority")
#endif
#ifdef SYMLIE_NO_STEPS
#pragma GCC optimize("no-tree-pre", "no-tree-vrp", "no-schedule-insns2", "no-ivopts", "no-code-hoisting")
#endif
#endif

/* Numbers of lanes are as long as registers: loops over them are faster than calls of memset and memcpy, whose numbers come
 * out of caches later, and values that are kept for later ones only fill registers. Loops over parts of nodes are short. */
#if defined(__GNUC__) && !defined(__clang__) && defined(SYMLIE_LANES) && SYMLIE_LANES > 1
#pragma GCC optimize("no-tree-loop-distribute-patterns", "no-tree-pre", "no-gcse", "ira-algorithm=priority", "unroll-loops")
#endif

#ifndef SYMLIE_REAL
#define SYMLIE_REAL double
#endif
#ifndef SYMLIE_LANES
#define SYMLIE_LANES 1
#endif
typedef SYMLIE_REAL symlie_scalar;

#if SYMLIE_LANES > 1
#include "lanes.h"
#else
typedef symlie_scalar symlie_real;
typedef int symlie_mask; /* what holds in which lanes */

#define SYMLIE_NUMBER(x) (x)
#define SYMLIE_ALL(condition) (condition)
#define SYMLIE_ANY(condition) (condition)
#define SYMLIE_WHERE(condition, a, b) ((condition) ? (a) : (b))
#define SYMLIE_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SYMLIE_FUSED(a, b, c) __builtin_fma(a, b, c)
#define SYMLIE_ASSEMBLY static inline

/* At the beginning of a function whose text holds up to z = upper; what holds for other numbers has its name and _beyond. */
#define SYMLIE_WITHIN(function, z, upper) \
    if (SYMLIE_UNLIKELY(!((z) <= (upper)))) return function##_beyond(z)

/* In the lanes where a condition does not hold the result is that of a function of two numbers. */
#define SYMLIE_UNLESS(condition, result, function, x, y) \
    if (SYMLIE_UNLIKELY(!(condition))) result = function(x, y)
#endif

#endif
