/* Convergence of corrections of a solution of a transposed linear system, with its tangents. */
#ifndef SYMLIE_COTANGENT_CONVERGENCE_H
#define SYMLIE_COTANGENT_CONVERGENCE_H

#include "tangent_convergence.h"

/* Sizes of the last correction relative to the solution, and whether earlier ones were small enough. */
typedef struct {
    double of_values;
    int has_values;
#if HAS_TANGENTS
    double of_tangents[SYMLIE_TANGENTS];
    int has_tangents[SYMLIE_TANGENTS];
#endif
} correction_sizes;

/* Return the ratio of the sizes of a correction and of a solution. */
static inline double size_ratio(double correction, double solution)
{
    return correction / (solution > 0 ? solution : 1);
}

#if HAS_TANGENTS
static inline double largest_tangent_in(int n, const symlie_real *restrict x, int direction)
{
    double largest = 0;
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(tangent_of(x[k], direction)));
    return largest;
}
#endif

/* Return whether the corrections d of a solution x and of its tangents are small enough, or rounding. Tangents converge
 * after the values; from then on, their corrections decrease until they are rounding. */
static inline int cotangents_are_settled(const symlie_problem *restrict P, int taken, const symlie_real *restrict d,
                                         const symlie_real *restrict x, correction_sizes *restrict last)
{
    const int n = DIMENSION, rest = UNKNOWNS - DIMENSION;
    /* Increments and multipliers have different units. */
    const double of_increments = size_ratio(SYMLIE_VALUE(largest_entry(n, d, 0)), SYMLIE_VALUE(largest_entry(n, x, 0)));
    const double moved = fmax(of_increments, size_ratio(SYMLIE_VALUE(largest_entry(rest, d + n, 0)), SYMLIE_VALUE(largest_entry(rest, x + n, 0))));
    (void)P;
    last->has_values |= tangents_are_settled(taken, moved, last->of_values);
    last->has_values |= taken + 1 == TANGENT_STEPS && of_increments <= TANGENT_UNRESOLVED;
    last->of_values = moved;
    int is_settled = last->has_values;
#if HAS_TANGENTS
    for (int j = 0; j < SYMLIE_TANGENTS; j++) {
        const double size = fmax(size_ratio(largest_tangent_in(n, d, j), largest_tangent_in(n, x, j)),
                                 size_ratio(largest_tangent_in(rest, d + n, j), largest_tangent_in(rest, x + n, j)));
        const double ratio = taken ? fmax(fmin(size / last->of_tangents[j], 1), LEAST_RATIO) : 1;
        const int is_rounding = taken && size >= TANGENT_STALLED * last->of_tangents[j];
        last->has_tangents[j] |= last->has_values & (!(size * ratio > TANGENT_REMAINDER) | is_rounding);
        last->of_tangents[j] = size;
        is_settled &= last->has_tangents[j];
    }
#endif
    return is_settled;
}

#endif
