/* Switches: sign changes within a step of the functions that select branches of piecewise forces or constraints. If
 * accelerations jump at a switch, the step ends there, and methods with accelerations in their history restart. See
 * symlie/runtime/integrate/within/switch_search.py. */
#ifndef SYMLIE_SWITCHES_H
#define SYMLIE_SWITCHES_H

#if HAS_SWITCHES
static inline long long switch_workspace(const symlie_problem *restrict P)
{
    return 4LL * SWITCHES + 12LL * DIMENSION + 6LL * STORAGE + 5LL * ROWS + CARRIED;
}

/* Attempt the step with length x. */
static inline int step_of_length(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real x,
                                 const symlie_control *restrict control, mass_matrix *restrict mass, symlie_state *restrict state,
                                 symlie_trial *restrict trial)
{
    const int status = try_step(P, work, t, x, control, mass, state, trial);
    return status == SYMLIE_DONE ? finish_step(P, work, t, t + x, control, mass, state, trial) : status;
}

/* Extrapolate a state from t to another time to second order, and evaluate the switching functions at the result. */
static inline void move_state(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real to,
                              const symlie_real *restrict q, const symlie_real *restrict v, const symlie_real *restrict a,
                              const symlie_real *restrict lambda, symlie_real *restrict moved, symlie_real *restrict moved_v,
                              symlie_real *restrict value)
{
    ARRAY(rate, DIMENSION);
    ARRAY(at, STORAGE);
    const symlie_real x = to - t;
    for (int k = 0; k < DIMENSION; k++) rate[k] = v[k] + 0.5 * x * a[k];
    take_rates(P, t, q, a, lambda, rate);
    for (int k = 0; k < DIMENSION; k++) rate[k] = k >= MOVING_BEGIN && k < MOVING_END ? x * rate[k] : 0;
    for (int k = 0; k < DIMENSION; k++) moved_v[k] = v[k] + x * a[k];
    system_advance(P, q, rate, at);
    system_normalize(P, at, moved);
    if (MOTIONS) system_prescribe(P, to, moved, moved_v);
    keep_angles(P, work, to, moved);
    system_switches(P, to, moved, moved_v, value);
}

/* Return whether accelerations jump between two states, compared with accelerations of the given size. */
static inline int jumps(const symlie_problem *restrict P, const symlie_real *restrict before, const symlie_real *restrict after, symlie_real largest)
{
    symlie_real apart = 0;
    for (int k = 0; k < DIMENSION; k++) {
        largest = fmax(largest, fmax(fabs(before[k]), fabs(after[k])));
        apart = fmax(apart, fabs(after[k] - before[k]));
    }
    return apart > JUMP_OF_RATES * largest;
}

/* Return whether the time between two states can be resolved. */
static inline int are_apart(symlie_real t, symlie_real low, symlie_real high)
{
    return high - low > ZERO_WIDTH * fmax(fabs(t), fabs(t + high));
}

/* Decide by extrapolation from the start of the step whether to search for a switch: not if accelerations are
 * continuous across it, or if they drive the motion back at once. `last` belongs to the end of the step. */
static inline int is_worth_search(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h, mass_matrix *restrict mass,
                                  const symlie_state *restrict state, const symlie_real *restrict before, const symlie_real *restrict last)
{
    ARRAY(value, SWITCHES);
    ARRAY(first, SWITCHES);
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    ARRAY(a, DIMENSION);
    ARRAY(low_a, DIMENSION);
    ARRAY(high_a, DIMENSION);
    ARRAY(lambda, ROWS);
    ARRAY(high_lambda, ROWS);
    ARRAY(ahead, STORAGE);
    ARRAY(ahead_v, DIMENSION);
    symlie_real low = 0, high = h;
    if (index1_acceleration(P, work, t, state->q, state->v, mass, a, lambda) != SYMLIE_DONE) return 1;
    for (int n = 0; n < SWITCH_HALVINGS && are_apart(t, low, high); n++) {
        const symlie_real x = 0.5 * (low + high);
        move_state(P, work, t, t + x, state->q, state->v, a, lambda, q, v, value);
        if (signs_differ(P, before, value)) high = x;
        else low = x;
    }
    if (!(high < h)) return 1;
    move_state(P, work, t, t + low, state->q, state->v, a, lambda, q, v, value);
    if (index1_acceleration(P, work, t + low, q, v, mass, low_a, high_lambda) != SYMLIE_DONE) return 1;
    move_state(P, work, t, t + high, state->q, state->v, a, lambda, q, v, first);
    if (index1_acceleration(P, work, t + high, q, v, mass, high_a, high_lambda) != SYMLIE_DONE) return 1;
    const symlie_real on = 2 * DERIVATIVE_STEP * h, size = fmax(largest_entry(DIMENSION, a, 0), SLOW_RATE * largest_entry(DIMENSION, v, 0) / h);
    move_state(P, work, t + high, t + high + on, q, v, high_a, high_lambda, ahead, ahead_v, value);
    if (signs_differ(P, first, value)) return 0;
    return RESTARTS_AT_KINKS || jumps(P, low_a, high_a, size) || signs_differ(P, first, last);
}

/* Record the state on one side of a switch. */
static inline void record_side(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_state *restrict state, symlie_real t,
                               const symlie_real *restrict q, const symlie_real *restrict v, const symlie_real *restrict lambda,
                               const symlie_real *restrict increment, symlie_record *restrict record)
{
    ARRAY(carried, CARRIED);
    carry(P, work, state->t, state->q, state->carried, t, q, increment, carried);
    record_at(P, t, q, v, lambda, carried, record);
}

/* Search for the first switch in an accepted step from t of length h. If there is one, the trial becomes the step up
 * to the switch; return its length, otherwise 0. States on both sides are recorded if `record` is given. */
SYMLIE_COLD symlie_real find_switch(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h, symlie_real end,
                                    const symlie_control *restrict control, mass_matrix *restrict mass, symlie_state *restrict state,
                                    symlie_trial *restrict trial, symlie_trial *restrict other, symlie_record *restrict record)
{
    ARRAY(before, SWITCHES);
    ARRAY(found, SWITCHES);
    ARRAY(a, DIMENSION);
    ARRAY(before_a, DIMENSION);
    ARRAY(later_a, DIMENSION);
    ARRAY(v, DIMENSION);
    ARRAY(before_v, DIMENSION);
    ARRAY(ahead_v, DIMENSION);
    ARRAY(q, STORAGE);
    ARRAY(before_q, STORAGE);
    ARRAY(ahead, STORAGE);
    ARRAY(lambda, ROWS);
    ARRAY(before_lambda, ROWS);
    ARRAY(later_lambda, ROWS);
    symlie_real low = 0, high = SYMLIE_VALUE(h);
    /* The step is evaluated at its end t + h, which may lie after a switch due to round-off. */
    end = fmax(end, t + h);
    system_switches(P, t, state->q, state->v, before);
    system_switches(P, end, trial->q, trial->v, found);
    if (!signs_differ(P, before, found) || !is_worth_search(P, work, t, h, mass, state, before, found)) return 0;
    for (int n = 0; n < SWITCH_HALVINGS && are_apart(t, low, high); n++) {
        const symlie_real x = 0.5 * (low + high);
        const int status = step_of_length(P, work, t, x, control, mass, state, other);
        if (status == SYMLIE_DONE) system_switches(P, t + x, other->q, other->v, found);
        /* An implicit step may have no solution near a discontinuous force. */
        if (status != SYMLIE_DONE || signs_differ(P, before, found)) high = x;
        else low = x;
    }
    if (index1_acceleration(P, work, end, trial->q, trial->v, mass, a, lambda) != SYMLIE_DONE) return 0;
    const symlie_real size = fmax(largest_entry(DIMENSION, a, 0), SLOW_RATE * largest_entry(DIMENSION, trial->v, 0) / h);
    /* Much shorter steps would be inaccurate. */
    const symlie_real begin = high < SHORTEST_SWITCH * h ? 0 : low;
    if (begin > 0 && step_of_length(P, work, t, begin, control, mass, state, other) != SYMLIE_DONE) return 0;
    const symlie_real *from_q = begin > 0 ? other->q : state->q, *from_v = begin > 0 ? other->v : state->v;
    if (index1_acceleration(P, work, t + begin, from_q, from_v, mass, a, lambda) != SYMLIE_DONE) return 0;
    move_state(P, work, t + begin, t + low, from_q, from_v, a, lambda, before_q, before_v, found);
    if (index1_acceleration(P, work, t + low, before_q, before_v, mass, before_a, before_lambda) != SYMLIE_DONE) return 0;
    /* The step up to this point uses the branch before the switch; the rest is extrapolated with the rates at this
     * point. */
    symlie_real reached = high, at = end;
    for (int n = 0; n < SWITCH_HALVINGS; n++, reached = fmin(h, low + 2 * (reached - low))) {
        at = reached < h ? t + reached : end;
        move_state(P, work, t + begin, at, from_q, from_v, a, lambda, q, v, found);
        if (signs_differ(P, before, found) || !(reached < h)) break;
    }
    if (!signs_differ(P, before, found)) return 0;
    if (index1_acceleration(P, work, at, q, v, mass, later_a, later_lambda) != SYMLIE_DONE) return 0;
    if (!RESTARTS_AT_KINKS && !jumps(P, before_a, later_a, size)) return 0;
    /* A chattering force permits no motion beyond this point. */
    const symlie_real on = 2 * DERIVATIVE_STEP * h;
    move_state(P, work, at, at + on, q, v, later_a, later_lambda, ahead, ahead_v, before);
    if (signs_differ(P, found, before)) return 0;
    const int is_late = reached < h && h - reached < SHORTEST_SWITCH * h;
    if (is_late) {
        move_state(P, work, at, end, q, v, later_a, later_lambda, ahead, ahead_v, found);
        if (index1_acceleration(P, work, end, ahead, ahead_v, mass, a, lambda) != SYMLIE_DONE) return 0;
    }
    const symlie_real *restrict increment = other->increment;
    for (int k = 0; k < INCREMENTS; k++) {
        const symlie_real rest = k >= MOVING_BEGIN && k < MOVING_END ? (reached - begin) * v[k] : 0;
        trial->increment[k] = (begin > 0 ? increment[k] : 0) + rest;
    }
    if (record && low > 0) {
        reach_by(record, SYMLIE_VALUE(t), SYMLIE_VALUE(low), begin > 0 ? 8 : 16, -1);
        record_side(P, work, state, t + low, before_q, before_v, before_lambda, trial->increment, record);
    }
    if (record) reach_by(record, SYMLIE_VALUE(t + begin), SYMLIE_VALUE(at - (t + begin)), 32, -1);
    if (is_late) {
        if (record) record_side(P, work, state, at, q, v, later_lambda, trial->increment, record);
        if (record) reach_by(record, SYMLIE_VALUE(at), SYMLIE_VALUE(end - at), 32, -1);
        for (int k = 0; k < INCREMENTS; k++)
            if (k >= MOVING_BEGIN && k < MOVING_END) trial->increment[k] += (end - at) * ahead_v[k];
    }
    trial->largest_constraint = trial->largest_velocity = 0;
    copy(STORAGE, is_late ? ahead : q, trial->q);
    copy(DIMENSION, is_late ? ahead_v : v, trial->v);
    copy(ROWS, is_late ? lambda : later_lambda, trial->lambda);
    return is_late ? h : reached;
}
#else
static inline long long switch_workspace(const symlie_problem *restrict P)
{
    return 0;
}
#endif

#endif
