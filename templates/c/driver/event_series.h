/* Search for all zeros of event functions with Taylor series, by polynomials on subintervals of an accepted step.
 *
 * A subinterval is bisected until the Bernstein coefficients of its polynomial have one sign, or the coefficients of
 * the derivative change sign at most once. At most one zero then lies between consecutive extrema or ends, so no
 * zero is missed. Where values are close to zero, the function is evaluated at a state of the method to obtain its
 * exact sign. Zeros are located by steps of the method as well. */
#ifndef SYMLIE_EVENT_SERIES_H
#define SYMLIE_EVENT_SERIES_H

#include "event_zeros.h"

/* Size of the workspace of the search, in addition to the workspace of the step. */
static inline long long search_workspace(const symlie_problem *restrict P)
{
    return STORAGE + DIMENSION;
}

/* Return the length of the interval on which the truncated series is accurate, at most `length`: the series of an
 * event function may converge more slowly than the series of the motion. Return `length` if the function is clearly
 * nonzero. */
static inline symlie_real resolved_length(int n, const symlie_real *restrict x, long long apart, symlie_real length, symlie_real *restrict b)
{
    symlie_real sum = 0, last = 0, part = 1, low, high, power = 1;
    for (int k = 0; k <= n; k++, power *= length) sum += fabs(x[k * apart]) * power;
    power /= length;
    for (int k = n; k > n - LAST_TERMS; k--, power /= length) {
        const symlie_real term = fabs(x[k * apart]) * power;
        last += term;
        if (term > EVENT_EXACT * sum) part = fmin(part, pow(EVENT_EXACT * sum / term, 1 / (symlie_real)k));
    }
    bernstein_form(n, x, apart, length, b);
    extremes(n + 1, b, &low, &high);
    const symlie_real near = EVENT_MARGIN * (high - low) + 1 / (symlie_real)EVENT_MARGIN * last;
    if (!(part < 1) || low > near || high < -near) return length;
    part = fmax(part, 1 / (symlie_real)EVENT_PARTS);
    bernstein_form(n, x, apart, part * length, b);
    return part * length;
}

/* Compute the Bernstein form of an event function on an interval that starts at a state within the step, and the
 * length of the interval; the state becomes the state at the end of the interval. */
static inline int event_form(step_inside *restrict in, symlie_real *restrict work, int event, symlie_real done, symlie_real *restrict q,
                             symlie_real *restrict v, symlie_real *restrict length, symlie_real *restrict b)
{
    const symlie_problem *restrict P = in->P;
    const int order = (int)in->control->order;
    series_places at = places_of_series(P, order, in->h);
    int is_new;
    const symlie_real rest = in->h - done;
    int status = begin_piece(P, work, in->t + done, rest, in->control, in->mass, q, v, &at, length, &is_new);
    if (status != SYMLIE_DONE) return status;
    *length = *at.begin.unit * resolved_length(order - 1, at.begin.events + event, EVENTS, in_unit(&at.begin, *length), b);
    if (*length < rest) status = reach_state(P, work, in->t + done, *length, order, in->mass, &at.begin, q, v, 0, 0);
    return status;
}

/* Evaluate the function at the length x if it may be close to zero there; with `touches`, values of the size of
 * round-off count as zero. */
static inline int exact_value(step_inside *restrict in, const event_path *restrict path, symlie_real near, int touches, symlie_real x,
                              symlie_real *restrict value)
{
    if (!in->is_by_steps && !(fabs(*value) <= near)) return SYMLIE_DONE;
    const int status = step_to(in, x, in->t + x);
    *value = in->other->event[path->event];
    if (touches && fabs(*value) <= EVENT_TOUCH * path->scale) *value = 0;
    return status;
}

/* Search a subinterval of the step on which the function has the Bernstein form b. */
static inline int follow_form(step_inside *restrict in, event_path *restrict path, int n, const symlie_real *restrict b, symlie_real done,
                              symlie_real length, int is_end, symlie_real end_value)
{
    symlie_part parts[PARTS_AT_ONCE];
    symlie_real slope[MOST_ORDER + 1], low, high;
    int open = 1;
    extremes(n + 1, b, &low, &high);
    const symlie_real near = EVENT_MARGIN * (high - low), flat = EVENT_TOUCH * path->scale;
    parts[0].start = 0, parts[0].width = 1;
    copy(n + 1, b, parts[0].b);
    while (open) {
        symlie_part *part = parts + --open;
        const int is_last = !(part->start + part->width < 1);
        const symlie_real x = is_last && is_end ? in->h : done + (part->start + part->width) * length;
        extremes(n + 1, part->b, &low, &high);
        const int is_clear = low > near || high < -near;
        for (int i = 0; i < n; i++) slope[i] = part->b[i + 1] - part->b[i];
        const int turns = is_clear || !(high - low > flat) ? 0 : sign_changes(n - 1, slope);
        if (turns > 1 && part->width > SMALLEST_FORM) {
            symlie_part whole = *part;
            halve_part(n, &whole, part);
            parts[open + 1] = whole;
            open += 2;
            continue;
        }
        if (turns == 1) {
            const symlie_real s = form_zero(n - 1, slope), place = done + (part->start + s * part->width) * length;
            symlie_real value = form_value(n, part->b, s);
            if (place > path->x && place < x) {
                int status = exact_value(in, path, near, 1, place, &value);
                if (status == SYMLIE_DONE) status = follow(in, path, place, value);
                if (status != SYMLIE_DONE || path->is_misled) return status;
            }
        }
        if ((is_clear && !is_last) || !(x > path->x)) continue;
        symlie_real value = is_last && is_end ? end_value : part->b[n];
        int status = is_last && is_end ? SYMLIE_DONE : exact_value(in, path, near, 0, x, &value);
        if (status == SYMLIE_DONE) status = follow(in, path, x, value);
        if (status != SYMLIE_DONE || path->is_misled) return status;
    }
    return SYMLIE_DONE;
}

/* Record all zeros of one function within a step. A value at its end that is zero up to round-off becomes zero. */
static inline int search_pieces(step_inside *restrict in, symlie_real *restrict work, event_path *restrict path, symlie_real *restrict last)
{
    const symlie_problem *restrict P = in->P;
    const int n = (int)in->control->order - 1;
    const long long first = path->record->events;
    symlie_real b[MOST_ORDER + 1], done = 0, length = 0, low, high;
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    copy(STORAGE, in->state->q, q);
    copy(DIMENSION, in->state->v, v);
    path->is_misled = 0;
    (void)P;
    for (int is_end = 0; !is_end; done += length) {
        const symlie_real rest = in->h - done;
        int status = event_form(in, work, path->event, done, q, v, &length, b);
        if (status != SYMLIE_DONE) return status;
        is_end = !(length < rest);
        extremes(n + 1, b, &low, &high);
        path->scale = fmax(path->scale, fmax(fabs(low), fabs(high)));
        if (is_end && fabs(*last) <= EVENT_TOUCH * path->scale) *last = 0;
        status = follow_form(in, path, n, b, done, length, is_end, *last);
        if (status != SYMLIE_DONE) return status;
        if (path->is_misled && !in->is_by_steps) {
            /* The series are as accurate as the step, so the repeated search takes all values from steps. */
            in->is_by_steps = 1;
            path->record->events = first;
            path->x = 0, path->value = in->state->event[path->event];
            path->is_misled = 0;
            copy(STORAGE, in->state->q, q);
            copy(DIMENSION, in->state->v, v);
            done = length = 0, is_end = 0;
        }
    }
    return SYMLIE_DONE;
}

/* Record all events of a step. */
static inline int search_step(step_inside *restrict in, symlie_trial *restrict trial, symlie_record *restrict record)
{
    const symlie_problem *restrict P = in->P;
    symlie_real *const work = in->work;
    in->work += search_workspace(P);
    for (int e = 0; e < EVENTS; e++) {
        if (is_idle(P, in->state->q, e)) continue;
        event_path path = {.event = e, .record = record};
        path.scale = fmax(fabs(in->state->event[e]), fabs(trial->event[e]));
        clear_start(in, e, path.scale);
        path.value = in->state->event[e];
        path.offset = start_offset(in, e);
        in->is_by_steps = 0;
        const int status = search_pieces(in, work, &path, trial->event + e);
        if (status != SYMLIE_DONE) return status;
        trial->event[e] = since_start(&path, trial->event[e], in->control->event_direction[e]);
    }
    return SYMLIE_DONE;
}

#endif
