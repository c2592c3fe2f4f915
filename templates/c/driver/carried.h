/* Auxiliary integrator state: the number of full turns of each angle, see runtime/kernels/carried.py. Unwrapped
 * angles defined by a model are part of its configuration instead, see runtime/kernels/unwrapped.py. */
#ifndef SYMLIE_CARRIED_H
#define SYMLIE_CARRIED_H

#define CARRIED ANGLES

#ifndef STEP_ANGLE
#define STEP_ANGLE(x) (x) /* rotation angle of an increment with component x */
#endif

static inline long long carried_workspace(const symlie_problem *restrict P)
{
    const long long known = HAS_ANGLES ? STORAGE + DIMENSION + 6LL * ANGLES : 0;
#ifdef UNWRAPPED
    if (3LL * UNWRAPPED > known) return 3LL * UNWRAPPED;
#endif
    return known;
}

/* Increments are stored only if they are needed. */
#define INCREMENTS (HAS_ANGLES || HAS_EVENTS || HAS_OWN_STATE ? DIMENSION : 0)

static inline void keep_increment(const symlie_problem *restrict P, const symlie_real *restrict Theta, symlie_real *restrict increment)
{
    copy(INCREMENTS, Theta, increment);
}

#if HAS_ANGLES

static inline symlie_real principal_angle(const symlie_problem *restrict P, int k, const symlie_real *restrict q)
{
    return atan2(q[P->angle_place[4 * k + 1]], q[P->angle_place[4 * k]]);
}

#if PRESCRIBED
static inline void prescribed_at(const symlie_problem *restrict P, symlie_real t, symlie_real *restrict q, symlie_real *restrict v,
                                 symlie_real *restrict angle, symlie_real *restrict rate)
{
    system_prescribe(P, t, q, v);
    for (int k = 0; k < ANGLES; k++) {
        angle[k] = principal_angle(P, k, q);
        rate[k] = v[P->angle_place[4 * k + 2]];
    }
}

/* Compute the rotations of prescribed angles between two times by Simpson's rule on sufficiently short subintervals.
 * Lanes that have reached the end repeat their last subinterval. */
SYMLIE_COLD void prescribed_rotation(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real start, symlie_real end,
                                     const symlie_real *restrict at, symlie_real *restrict turned)
{
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    ARRAY(angle, ANGLES);
    ARRAY(rate, ANGLES);
    ARRAY(later_angle, ANGLES);
    ARRAY(later_rate, ANGLES);
    ARRAY(middle_rate, ANGLES);
    const symlie_real span = end - start;
    symlie_real t = start, width = span;
    symlie_mask active = start < end;
    copy(STORAGE, at, q);
    for (int k = 0; k < DIMENSION; k++) v[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < ANGLES; k++)
        if (P->angle_place[4 * k + 3]) turned[k] = SYMLIE_NUMBER(0);
    prescribed_at(P, t, q, v, angle, rate);
    while (SYMLIE_ANY(active)) {
        const symlie_mask is_last = SYMLIE_NOT(t + width < end);
        symlie_real apart = SYMLIE_NUMBER(0);
        width = SYMLIE_WHERE(is_last, end - t, width);
        prescribed_at(P, t + 0.5 * width, q, v, later_angle, middle_rate);
        prescribed_at(P, SYMLIE_WHERE(is_last, end, t + width), q, v, later_angle, later_rate);
        for (int k = 0; k < ANGLES; k++) {
            const symlie_real part = width * (rate[k] + 4 * middle_rate[k] + later_rate[k]) / 6;
            const symlie_real x = angle[k] + part - later_angle[k];
            const symlie_real off = fabs(x - WHOLE_TURN * rint(x / WHOLE_TURN))
                               + fabs(width * (rate[k] - 2 * middle_rate[k] + later_rate[k])) / 12;
            if (P->angle_place[4 * k + 3]) apart = SYMLIE_WHERE(off > apart, off, apart);
        }
        const symlie_mask is_coarse = active & (apart > CLEAR_ANGLE) & (width > SMALLEST_PART * span);
        const symlie_mask is_done = active & SYMLIE_NOT(is_coarse);
        for (int k = 0; k < ANGLES; k++) {
            const symlie_real sum = turned[k] + width * (rate[k] + 4 * middle_rate[k] + later_rate[k]) / 6;
            if (P->angle_place[4 * k + 3]) turned[k] = SYMLIE_WHERE(is_done, sum, turned[k]);
        }
        copy_where(is_done, ANGLES, later_angle, angle);
        copy_where(is_done, ANGLES, later_rate, rate);
        active &= SYMLIE_NOT(is_done & is_last);
        t = SYMLIE_WHERE(active & is_done, t + width, t);
        width = SYMLIE_WHERE(is_coarse, width * 0.5, SYMLIE_WHERE(active & is_done, width * 2, width));
    }
}
#endif
#endif

/* Compute the auxiliary state at the end of a step from (start, q) to (end, end_q). An angle is 2 pi n + atan2(sin,
 * cos); the rotation during the step determines n. */
static inline void carry(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real start, const symlie_real *restrict q,
                         const symlie_real *restrict carried, symlie_real end, const symlie_real *restrict end_q,
                         const symlie_real *restrict increment, symlie_real *restrict out)
{
#if HAS_ANGLES
    ARRAY(turned, ANGLES);
    for (int k = 0; k < ANGLES; k++) turned[k] = STEP_ANGLE(increment[P->angle_place[4 * k + 2]]);
#if PRESCRIBED
    int is_prescribed = 0;
    for (int k = 0; k < ANGLES; k++) is_prescribed |= P->angle_place[4 * k + 3];
    if (is_prescribed) prescribed_rotation(P, work, start, end, end_q, turned);
#endif
    for (int k = 0; k < ANGLES; k++) {
        const symlie_real x = principal_angle(P, k, q) + turned[k] - principal_angle(P, k, end_q);
        out[k] = carried[k] + rint(x / WHOLE_TURN);
    }
#endif
}

/* Store the angles of a configuration within a step. Each angle is the one nearest to its value at the start of the
 * step, which q contains on entry. */
static inline void keep_angles(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real *restrict q)
{
#ifdef UNWRAPPED
    ARRAY(angle, UNWRAPPED);
    system_unwrapped(P, t, q, angle);
    copy(UNWRAPPED, angle, q + STORAGE - UNWRAPPED);
#endif
}

/* Store the angles at the end of a step. Return 0 if the rates at both ends do not determine the number of turns. */
static inline int turn_angles(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_real *restrict q, const symlie_real *restrict v, symlie_real *restrict end_q,
                              const symlie_real *restrict end_v)
{
    int is_clear = 1;
#ifdef UNWRAPPED
    ARRAY(angle, UNWRAPPED);
    ARRAY(rate, UNWRAPPED);
    ARRAY(end_rate, UNWRAPPED);
    const symlie_real *restrict begin = q + STORAGE - UNWRAPPED;
    system_unwrapped(P, t + h, end_q, angle);
    system_unwrapped_rate(P, t, q, v, rate);
    system_unwrapped_rate(P, t + h, end_q, end_v, end_rate);
    for (int k = 0; k < UNWRAPPED; k++) {
        const symlie_real turned = angle[k] - begin[k], expected = 0.5 * h * (rate[k] + end_rate[k]);
        is_clear &= SYMLIE_ALL(fabs(turned) <= LARGEST_TURN) && SYMLIE_ALL(fabs(turned - expected) <= 0.5 * WHOLE_TURN);
    }
    copy(UNWRAPPED, angle, end_q + STORAGE - UNWRAPPED);
#endif
    return is_clear;
}

#endif
