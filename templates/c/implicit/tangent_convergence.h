/* Convergence of corrections of tangents or cotangents. */
#ifndef SYMLIE_TANGENT_CONVERGENCE_H
#define SYMLIE_TANGENT_CONVERGENCE_H

#if SEES_END
#define TANGENT_REMAINDER TANGENT_ENOUGH_OF_DIFFERENCES
#define LEAST_RATIO TANGENT_RATIO
#else
#define TANGENT_REMAINDER TANGENT_ENOUGH
#define LEAST_RATIO 0
#endif

/* Return whether the remainder, estimated from the ratio of the relative sizes of two corrections, is small enough, or
 * whether the corrections are rounding: they hardly decrease, or are small after the largest number of corrections. */
static inline int tangents_are_settled(int taken, double moved, double last)
{
    const double ratio = taken ? fmax(fmin(moved / last, 1), LEAST_RATIO) : 1;
    if (!(moved * ratio > TANGENT_REMAINDER)) return 1;
    return taken && moved <= TANGENT_ROUNDING && (moved >= TANGENT_STALLED * last || taken + 1 == TANGENT_STEPS);
}

#endif
