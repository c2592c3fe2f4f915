/* Number types: double unless -DSYMLIE_REAL=... is given. With -DSYMLIE_LANES=... a symlie_real has this number of
 * lanes, one per member; a symlie_scalar is common to all members, and a symlie_lane is the number of one member. With
 * -DSYMLIE_TANGENTS=... the code is C++, and a symlie_real has this number of derivatives; a symlie_scalar has none. */
#ifndef SYMLIE_REAL_H
#define SYMLIE_REAL_H

/* Disable GCC passes that do not speed up the stages of explicit one-step methods, which are long and have few
 * branches; priority-based register allocation is faster for them. For code without steps, the additional passes
 * cost more than they gain. */
#if defined(__GNUC__) && !defined(__clang__)
#if defined(SYMLIE_EXPLICIT_STEPS) || defined(SYMLIE_NO_STEPS)
#pragma GCC optimize("no-thread-jumps", "no-gcse", "ira-algorithm=priority")
#endif
#ifdef SYMLIE_NO_STEPS
#pragma GCC optimize("no-tree-pre", "no-tree-vrp", "no-schedule-insns2", "no-ivopts", "no-code-hoisting")
#endif
#endif

/* Values with lanes have the size of registers: loops over them are faster than calls of memset and memcpy, which
 * lose cache locality, and stored common subexpressions occupy registers. Loops over the components of a node are
 * short. */
#if defined(__GNUC__) && !defined(__clang__) && defined(SYMLIE_LANES) && SYMLIE_LANES > 1
#pragma GCC optimize("no-tree-loop-distribute-patterns", "no-tree-pre", "no-gcse", "ira-algorithm=priority", "unroll-loops")
#endif

#ifndef SYMLIE_REAL
#define SYMLIE_REAL double
#endif
#ifndef SYMLIE_SINGLE
#define SYMLIE_SINGLE 0 /* 1 if the type of all numbers and constants is float */
#endif
#ifndef SYMLIE_LANES
#define SYMLIE_LANES 1
#endif
#ifndef SYMLIE_VALUES
#define SYMLIE_VALUES 0 /* 1 in steps without tangents, whose solutions are kept for their tangents */
#endif
typedef SYMLIE_REAL symlie_scalar;

#if SYMLIE_LANES > 1
#include "lanes.h"
#else
#ifdef SYMLIE_TANGENTS
#define HAS_TANGENTS 1
#ifndef VALUES_FIRST
#define VALUES_FIRST 0 /* 1 if each step is taken without tangents first */
#endif
#include "tangents.h"
#else
#define HAS_TANGENTS 0
#define VALUES_FIRST 0
typedef symlie_scalar symlie_real;
#define SYMLIE_VALUE(x) (x) /* the number without derivatives */
#endif
typedef symlie_real symlie_lane;
typedef int symlie_mask; /* condition for each lane */
typedef int symlie_whole; /* whole number for each lane */

#define SYMLIE_NUMBER(x) (x)
#define SYMLIE_WHOLE(n) (n)
#define SYMLIE_TRUE 1
#define SYMLIE_FALSE 0
#define SYMLIE_NOT(condition) (!(condition))
#define SYMLIE_ONES(condition) (condition)
#define SYMLIE_OF_LANE(x, lane) (x)
#define SYMLIE_AT(x, place) ((x)[place])
#define SYMLIE_PUT(x, place, value) ((x)[place] = (value))
#define SYMLIE_ALL(condition) (condition)
#define SYMLIE_ANY(condition) (condition)
#define SYMLIE_WHERE(condition, a, b) ((condition) ? (a) : (b))
#define SYMLIE_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SYMLIE_FUSED(a, b, c) __builtin_fma(a, b, c)
#define SYMLIE_ASSEMBLY static inline

/* Opening lines of a function that is valid up to z = upper; the function with the suffix _beyond handles other
 * arguments. */
#define SYMLIE_WITHIN(function, z, upper) \
    if (SYMLIE_UNLIKELY(!((z) <= (upper)))) return function##_beyond(z)

/* Replace the result by a function of two numbers in lanes where a condition is false. */
#define SYMLIE_UNLESS(condition, result, function, x, y) \
    if (SYMLIE_UNLIKELY(!(condition))) result = function(x, y)
#endif

#endif
