/* Locate zeros of an event function within a step by steps of the method, and record them. */
#ifndef SYMLIE_EVENT_ZEROS_H
#define SYMLIE_EVENT_ZEROS_H

#include <float.h>

#include "event_samples.h"
#include "step_interpolation.h"

#define EVENT_WIDTH (2 + STORAGE + DIMENSION + ROWS + CARRIED + OWN) /* width of an event record */

/* If a function with a specified direction is zero at the start of a run, it counts as not yet zero: while it
 * remains zero, its value is replaced by the smallest number with the sign from which the direction departs. */
#define AT_START DBL_MIN

/* Return whether a function that changes from a to b reaches zero in the requested direction. A function that starts
 * at zero does not, since the integration continues from zero after an event. */
static inline int is_crossing(symlie_real a, symlie_real b, int direction)
{
    return (a < 0 && b >= 0 && direction >= 0) || (a > 0 && b <= 0 && direction <= 0);
}

/* Return whether a value lies on the same side of zero as the previous one; a zero does if the function has been
 * zero since the start of the run. */
static inline int is_before(symlie_real before, symlie_real value)
{
    return value == 0 ? fabs(before) == AT_START : (value < 0) == (before < 0);
}

/* Return whether an event only releases and engages constraints which are released and engaged already, or belongs to
 * another mode of its contact. Such events do
 * not occur: their functions may vanish up to rounding. */
static inline int is_idle(const symlie_problem *restrict P, const symlie_real *restrict q, int event)
{
    if (is_in_other_mode(P, q, event)) return 1;
#if RELEASES
    int known = 0;
    for (long long k = 0; k < P->changes; k++) {
        const int *change = P->change + 3 * k;
        if (change[0] != event) continue;
        if (change[2] >= 0 || q[change[1] - DIMENSION] != (change[2] == ENGAGED)) return 0;
        known = 1;
    }
    return known;
#else
    (void)P, (void)q, (void)event;
    return 0;
#endif
}

/* Return whether functions that are zero at the start of a step count as not yet zero: at the start of a run, and after
 * a change of the state. */
static inline int is_start(const symlie_state *restrict state)
{
    return state->event_is_valid == BEGINS_RUN || (HAS_CHANGES && state->changes_at_once && state->t == state->changed_at);
}

/* Set a value directly after a zero at the start of a run to zero if it is round-off compared with the values of the
 * first step. */
static inline void clear_start(const step_inside *restrict in, int event, symlie_real scale)
{
    symlie_real *value = in->state->event + event;
    const symlie_real direction = in->control->event_direction[event];
    if (is_start(in->state) && *value * direction > 0 && fabs(*value) <= EVENT_TOUCH * scale)
        *value = -AT_START * direction;
}

/* Progress of the search for zeros of an event function along a step. */
typedef struct {
    int event;
    symlie_real x;              /* length of the part of the step searched so far */
    symlie_real value;
    symlie_real scale;          /* largest absolute value of the function within the step */
    symlie_real offset;         /* largest value beyond zero that counts as zero, for a function that has been zero since the start */
    int is_misled;              /* 1 if a step of the method contradicted an interpolated sign */
    symlie_record *record;
} event_path;

/* Locate the first zero between path->x and high, where the function has the value b. `other` becomes the state
 * directly after the zero, and *at_zero the value there. Uses the Illinois variant of regula falsi, and bisection if
 * it converges slowly. */
SYMLIE_COLD int locate_event(step_inside *restrict in, event_path *restrict path, symlie_real high, symlie_real b,
                             symlie_real *restrict length, symlie_real *restrict at_zero)
{
    symlie_real low = path->x, a = path->value, behind = -1; /* step length of `other` */
    const symlie_real t = in->t, width = ZERO_WIDTH * fmax(fabs(t), fabs(t + in->h));
    int side = 0, status = SYMLIE_DONE;
    path->is_misled = 0;
    for (int n = 0; n < EVENT_ITERATIONS && high - low > width && b != 0; n++) {
        symlie_real x = high - b * (high - low) / (b - a);
        if (!(x > low && x < high) || n % 4 == 3) x = low + 0.5 * (high - low);
        if (!(x > low && x < high)) break;
        status = step_to(in, x, t + x);
        if (status != SYMLIE_DONE) return status;
        behind = x;
        const symlie_real c = in->other->event[path->event];
        if (is_before(path->value, c)) {
            low = x, a = c;
            if (side == -1) b *= 0.5;
            side = -1;
        } else {
            high = x, b = c;
            if (side == 1) a *= 0.5;
            side = 1;
        }
    }
    *length = high;
    *at_zero = b;
    /* The value at an end that was never replaced may come from an interpolated state. */
    if (low == path->x && low > 0) {
        status = step_to(in, low, t + low);
        if (status != SYMLIE_DONE) return status;
        behind = low;
        const symlie_real c = in->other->event[path->event];
        path->is_misled = !is_before(path->value, c);
    }
    if (path->is_misled || high == in->h) return SYMLIE_DONE;
    if (behind != high) {
        status = step_to(in, high, t + high);
        if (status != SYMLIE_DONE) return status;
        const symlie_real c = in->other->event[path->event];
        path->is_misled = b != 0 && is_before(path->value, c);
    }
    *at_zero = in->other->event[path->event];
    return SYMLIE_DONE;
}

#if HAS_TANGENTS
/* Differentiate the length x of the part of a step up to a zero of a function g: x' = -g' / (dg/dx), with g' at constant
 * x. The last direction of the tangents is that of x. `other` becomes the state at the zero, with unchanged values. */
SYMLIE_COLD int differentiate_zero(step_inside *restrict in, const event_path *restrict path, symlie_real *restrict length)
{
    const symlie_problem *restrict P = in->P;
    symlie_real *restrict work = in->work;
    symlie_trial *restrict other = in->other;
    ARRAY(known, STORAGE + DIMENSION + ROWS + OWN);
    const int sizes[] = {STORAGE, DIMENSION, ROWS, OWN};
    symlie_real *const parts[] = {other->q, other->v, other->lambda, other->own};
    symlie_real *place = known, *const outside = in->work, x = SYMLIE_VALUE(*length);
    for (int k = 0; k < 4; place += sizes[k++]) copy(sizes[k], parts[k], place);
    in->work = work;
    set_tangent(x, SYMLIE_TANGENTS - 1, 1);
    int status = step_to(in, x, in->t + x);
    if (status == SYMLIE_DONE) {
        const symlie_real g = other->event[path->event];
        const double slope = tangent_of(g, SYMLIE_TANGENTS - 1);
        const int is_steep = fabs(slope) * SYMLIE_VALUE(in->h) >= EVENT_STEEP * SYMLIE_VALUE(path->scale);
        x = {x.value, g.tangent * (is_steep ? -1 / slope : (double)NAN)};
        set_tangent(x, SYMLIE_TANGENTS - 1, 0);
        status = step_to(in, x, in->t + x);
    }
    place = known;
    for (int k = 0; k < 4; place += sizes[k++])
        for (int i = 0; i < sizes[k]; i++) parts[k][i].value = place[i].value;
    in->work = outside;
    *length = x;
    return status;
}
#endif

/* Copy the state at the start of the step to `other`. */
static inline void copy_start(step_inside *restrict in)
{
    const symlie_problem *restrict P = in->P;
    const symlie_state *restrict state = in->state;
    (void)P;
    copy(STORAGE, state->q, in->other->q);
    copy(DIMENSION, state->v, in->other->v);
    copy(ROWS, state->lambda, in->other->lambda);
    copy(OWN, state->own, in->other->own);
    for (int k = 0; k < INCREMENTS; k++) in->other->increment[k] = 0;
}

/* Record an event at the time `at` with the state in `other`. */
static inline void record_event(step_inside *restrict in, const event_path *restrict path, symlie_real at)
{
    const symlie_problem *restrict P = in->P;
    const symlie_state *restrict state = in->state;
    symlie_trial *restrict other = in->other;
    carry(P, in->work, state->t, state->q, state->carried, at, other->q, other->increment, other->carried);
    symlie_real *row = path->record->event + EVENT_WIDTH * path->record->events++;
    row[0] = path->event;
    row[1] = at;
    copy(STORAGE, other->q, row + 2);
    copy(DIMENSION, other->v, row + 2 + STORAGE);
    copy(ROWS, other->lambda, row + 2 + STORAGE + DIMENSION);
    copy(CARRIED, other->carried, row + 2 + STORAGE + DIMENSION + ROWS);
    copy(OWN, other->own, row + 2 + STORAGE + DIMENSION + ROWS + CARRIED);
}

/* Return the offset of a function that counts as zero at the start, where it can be beyond zero by rounding: a contact that
 * lifts directly after an impact does not touch again. */
static inline symlie_real start_offset(step_inside *restrict in, int event)
{
    const symlie_problem *restrict P = in->P;
    symlie_real *work = in->work;
    (void)work;
    ARRAY(value, EVENTS);
    if (fabs(in->state->event[event]) != AT_START) return 0;
    take_events(P, in->t, in->state->q, in->state->v, in->state->lambda, value);
    return value[event] * in->control->event_direction[event] > 0 ? ROUGH_OFFSET * fabs(value[event]) : 0;
}

/* Return a value of the function, which counts as the one at the start while it has been zero since then. */
static inline symlie_real since_start(const event_path *restrict path, symlie_real value, symlie_real direction)
{
    const int is_zero = value == 0 || (value * direction > 0 && fabs(value) <= path->offset);
    return is_zero && fabs(path->value) == AT_START ? path->value : value;
}

/* Advance the search to the length x, where the function has the given value, and record a zero before x. */
static inline int follow(step_inside *restrict in, event_path *restrict path, symlie_real x, symlie_real value)
{
    const symlie_problem *restrict P = in->P;
    (void)P;
    value = since_start(path, value, in->control->event_direction[path->event]);
    if (is_crossing(path->value, value, in->control->event_direction[path->event])) {
        symlie_real length = x, at_zero = value;
        if (path->x == 0 && fabs(path->value) == AT_START && is_start(in->state)) {
            symlie_real at = in->t;
#if HAS_TANGENTS
            /* At the start of a run, functions are zero on one side only. */
            if (in->state->event_is_valid == BEGINS_RUN) at = {at.value, at.tangent * (double)NAN};
#endif
            copy_start(in);
            record_event(in, path, at);
            path->x = x, path->value = value;
            return SYMLIE_DONE;
        }
        const int status = locate_event(in, path, x, value, &length, &at_zero);
        if (status != SYMLIE_DONE || path->is_misled) return status;
        const int is_end = length == in->h;
        symlie_trial *restrict other = in->other;
        if (is_end) {
            copy(STORAGE, in->trial->q, other->q);
            copy(DIMENSION, in->trial->v, other->v);
            copy(ROWS, in->trial->lambda, other->lambda);
            copy(INCREMENTS, in->trial->increment, other->increment);
            copy(OWN, in->trial->own, other->own);
        }
        if (fabs(at_zero) <= EVENT_POLE * path->scale) {
            symlie_real at = is_end ? in->end : in->t + length;
#if HAS_TANGENTS
            const int differentiated = differentiate_zero(in, path, &length);
            if (differentiated != SYMLIE_DONE) return differentiated;
            at = {at.value, (in->t + length).tangent};
#endif
            record_event(in, path, at);
        }
    }
    path->x = x;
    path->value = value;
    return SYMLIE_DONE;
}

/* Search for a minimum (sign 1) or maximum (sign -1) near the length x by parabolas through three steps of the
 * method. *x becomes its position, or a point beyond a zero of the function; *value becomes the value there, zero if
 * the function only touches zero. */
SYMLIE_COLD int settle_extremum(step_inside *restrict in, const event_path *restrict path, symlie_real sign, symlie_real width,
                                symlie_real *restrict x, symlie_real *restrict value)
{
    symlie_real d = width, center = *x, g[3];
    int status;
    for (int n = 0; n < EXTREMUM_STEPS; n++) {
        d = fmin(d, 0.5 * fmin(center, in->h - center));
        if (!(d > 0)) break;
        for (int k = 0; k < 3; k++) {
            *x = center + (k - 1) * d;
            status = step_to(in, *x, in->t + *x);
            if (status != SYMLIE_DONE) return status;
            *value = g[k] = in->other->event[path->event];
            if (sign * g[k] < -EVENT_TOUCH * path->scale) return SYMLIE_DONE;
        }
        const symlie_real curvature = sign * (g[0] - 2 * g[1] + g[2]);
        if (!(curvature > 0)) break;
        const symlie_real shift = -sign * d * (g[2] - g[0]) / (2 * curvature);
        center += fmin(2 * d, fmax(-2 * d, shift));
        if (fabs(shift) <= 0.5 * d) d *= 0.0625;
        if (!(center > 0 && center < in->h) || fabs(shift) <= EXTREMUM_ENOUGH * in->h) break;
    }
    *x = fmin(fmax(center, 0), in->h);
    if (!(*x > 0)) return SYMLIE_DONE;
    status = step_to(in, *x, in->t + *x);
    *value = in->other->event[path->event];
    if (fabs(*value) <= EVENT_TOUCH * path->scale) *value = 0;
    return status;
}

#endif
