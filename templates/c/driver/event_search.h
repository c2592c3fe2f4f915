/* Search for all zeros of an event function within an accepted step.
 *
 * The function is sampled in subintervals on which a polynomial of degree five represents it: the last Chebyshev
 * coefficients of the polynomial are tiny, or they are small and the polynomial agrees with the function at
 * additional points. Between consecutive extrema the polynomial has at most one zero. Near extrema close to zero the
 * polynomial cannot decide whether the function has two zeros, touches zero, or stays on one side; these extrema are
 * located by steps of the method. Zeros are located by steps of the method from the start of the step, so the state
 * at an event is an ordinary state of the method. If such a step contradicts the sign of the polynomial, the search
 * is repeated with samples computed by steps, and then in shorter subintervals. */
#ifndef SYMLIE_EVENT_SEARCH_H
#define SYMLIE_EVENT_SEARCH_H

#include "event_zeros.h"

/* Search a subinterval of the step from extremum to extremum of the polynomial. */
static inline int follow_panel(step_inside *restrict in, event_path *restrict path, symlie_real start, symlie_real width,
                               const symlie_real *restrict c, symlie_real variation, symlie_real end_value)
{
    const symlie_real margin = EVENT_MARGIN * variation, x = start * in->h, length = width * in->h;
    symlie_real slope[EVENT_SAMPLES - 1], previous;
    int may_cross = 0, status;
    for (int i = 0; i + 1 < EVENT_SAMPLES; i++) slope[i] = c[i + 1] - c[i];
    /* A polynomial whose Bernstein coefficients all have the same sign has no zero. */
    for (int i = 0; i < EVENT_SAMPLES; i++) may_cross |= c[i] * c[0] <= 0 || fabs(c[i]) <= margin;
    previous = slope[0];
    for (int k = 1; may_cross && k <= EVENT_GRID; k++) {
        const symlie_real s = (symlie_real)k / EVENT_GRID, here = bernstein_value(EVENT_SAMPLES - 1, slope, s);
        if (previous * here < 0 || (here == 0 && previous != 0 && k < EVENT_GRID)) {
            const symlie_real at = s - here / ((here - previous) * EVENT_GRID);
            symlie_real place = x + at * length, value = bernstein_value(EVENT_SAMPLES, c, at);
            if (fabs(value) <= margin) {
                status = settle_extremum(in, path, previous < 0 ? 1 : -1, length / (2 * EVENT_GRID), &place, &value);
                if (status != SYMLIE_DONE) return status;
            }
            if (place > path->x) {
                status = follow(in, path, place, value);
                if (status != SYMLIE_DONE || path->is_misled) return status;
            }
        }
        previous = here;
    }
    symlie_real last = x + length;
    const int is_end = !(start + width < 1);
    if (is_end) last = in->h;
    if (!(last > path->x)) return SYMLIE_DONE;
    if (!is_end && fabs(end_value) <= margin) {
        status = step_to(in, last, in->t + last);
        if (status != SYMLIE_DONE) return status;
        end_value = in->other->event[path->event];
        if (fabs(end_value) <= EVENT_TOUCH * path->scale) end_value = 0;
    }
    return follow(in, path, last, end_value);
}

/* Return whether the polynomial also agrees with the function between the samples; `value` has space for all
 * functions. */
static inline int compare_samples(step_inside *restrict in, int event, symlie_real start, symlie_real width, const symlie_real *restrict c,
                                  symlie_real variation, symlie_real *restrict value, int *restrict agrees)
{
    *agrees = 1;
    for (int i = 0; i < EVENT_CHECKS && *agrees; i++) {
        const int status = events_inside(in, start + EVENT_CHECK[i] * width, value);
        if (status != SYMLIE_DONE) return status;
        *agrees = fabs(value[event] - bernstein_value(EVENT_SAMPLES, c, EVENT_CHECK[i])) <= EVENT_MARGIN * variation;
    }
    return SYMLIE_DONE;
}

/* Restart the search for a function whose values at interpolated states have wrong signs, with samples computed by
 * steps. */
SYMLIE_COLD int begin_by_steps(step_inside *restrict in, event_path *restrict path, symlie_real *restrict sample)
{
    const symlie_problem *restrict P = in->P;
    (void)P;
    in->is_by_steps = 1;
    for (int i = 1; i + 1 < EVENT_SAMPLES; i++) {
        const int status = events_inside(in, EVENT_NODE[i], sample + i * EVENTS);
        if (status != SYMLIE_DONE) return status;
    }
    path->x = 0;
    path->value = sample[path->event];
    return SYMLIE_DONE;
}

/* Search a subinterval that no polynomial represents from sample to sample. */
SYMLIE_COLD int follow_samples(step_inside *restrict in, event_path *restrict path, symlie_real start, symlie_real width,
                               const symlie_real *restrict values)
{
    const symlie_problem *restrict P = in->P;
    (void)P;
    for (int i = 1; i < EVENT_SAMPLES; i++) {
        const symlie_real s = start + EVENT_NODE[i] * width, x = s < 1 ? s * in->h : in->h;
        if (!(x > path->x)) continue;
        const int status = follow(in, path, x, values[i * EVENTS + path->event]);
        if (status != SYMLIE_DONE) return status;
    }
    return SYMLIE_DONE;
}

/* Record all zeros of one function within a step. `sample` contains values of all functions over the whole step,
 * `panel` has space for as many values, and `checked` for the values at one point. */
static inline int search_event(step_inside *restrict in, event_path *restrict path, symlie_real *restrict sample,
                               symlie_real *restrict panel, symlie_real *restrict checked)
{
    const symlie_problem *restrict P = in->P;
    const int e = path->event;
    const long long first = path->record->events;
    symlie_real start = 0, width = 1, c[EVENT_SAMPLES], variation;
    int status;
    while (start < 1) {
        if (!(start + width < 1)) width = 1 - start;
        const symlie_real *restrict values = sample;
        if (width < 1) {
            for (int i = 0; i < EVENT_SAMPLES; i++) {
                const symlie_real s = start + EVENT_NODE[i] * width;
                if (i == 0 ? start == 0 : i + 1 == EVENT_SAMPLES && !(start + width < 1)) {
                    copy(EVENTS, sample + i * EVENTS, panel + i * EVENTS);
                    continue;
                }
                status = events_inside(in, s, panel + i * EVENTS);
                if (status != SYMLIE_DONE) return status;
            }
            values = panel;
        }
        const symlie_real last = fit_samples(P, values, e, c, &variation);
        const int is_smallest = !(width > SMALLEST_PANEL);
        int is_resolved = is_smallest || last <= EVENT_RESOLVED * variation;
        if (is_resolved && !is_smallest && !(last <= EVENT_SURE * variation)) {
            status = compare_samples(in, e, start, width, c, variation, checked, &is_resolved);
            if (status != SYMLIE_DONE) return status;
        }
        if (!is_resolved) {
            width *= 0.5;
            continue;
        }
        const symlie_real x = path->x, value = path->value;
        const long long known = path->record->events;
        path->is_misled = 0;
        status = follow_panel(in, path, start, width, c, variation, values[(EVENT_SAMPLES - 1) * EVENTS + e]);
        if (status != SYMLIE_DONE) return status;
        if (path->is_misled) {
            if (!in->is_by_steps) {
                path->record->events = first;
                status = begin_by_steps(in, path, sample);
                if (status != SYMLIE_DONE) return status;
                start = 0, width = 1;
                continue;
            }
            path->record->events = known;
            path->x = x, path->value = value;
            if (!is_smallest) {
                width *= 0.5;
                continue;
            }
            status = follow_samples(in, path, start, width, values);
            if (status != SYMLIE_DONE) return status;
        }
        start += width;
        width *= 2;
    }
    return SYMLIE_DONE;
}

/* Size of the workspace of the search, in addition to the workspace of the step. */
static inline long long search_workspace(const symlie_problem *restrict P)
{
    return (2LL * EVENT_SAMPLES + 1) * EVENTS;
}

/* Record all events of a step. Values at its end that are zero up to round-off become zero. */
static inline int search_step(step_inside *restrict in, symlie_trial *restrict trial, symlie_record *restrict record)
{
    const symlie_problem *restrict P = in->P;
    symlie_real *work = in->work;
    ARRAY(sample, EVENT_SAMPLES * EVENTS);
    ARRAY(panel, EVENT_SAMPLES * EVENTS);
    ARRAY(checked, EVENTS);
    in->work = work;
    copy(EVENTS, in->state->event, sample);
    copy(EVENTS, trial->event, sample + (EVENT_SAMPLES - 1) * EVENTS);
    static const int order[] = {2, 3, 1, 4};
    for (int i = 0; i < 4; i++) {
        if (i == 2 && are_far(P, in->state->q, sample)) return SYMLIE_DONE;
        const int status = events_inside(in, EVENT_NODE[order[i]], sample + order[i] * EVENTS);
        if (status != SYMLIE_DONE) return status;
    }
    for (int e = 0; e < EVENTS; e++) {
        if (is_idle(P, in->state->q, e)) continue;
#if HAS_CONTACTS
        if (P->contact_event[e] >= 0 && is_far(P, sample, e)) continue;
#endif
        symlie_real *restrict last = sample + (EVENT_SAMPLES - 1) * EVENTS + e;
        event_path path = {.event = e, .record = record};
        for (int i = 0; i < EVENT_SAMPLES; i++) path.scale = fmax(path.scale, fabs(sample[i * EVENTS + e]));
        clear_start(in, e, path.scale);
        path.value = sample[e] = in->state->event[e];
        path.offset = start_offset(in, e);
        if (fabs(*last) <= EVENT_TOUCH * path.scale) *last = 0;
        const int status = search_event(in, &path, sample, panel, checked);
        if (status != SYMLIE_DONE) return status;
        *last = since_start(&path, *last, in->control->event_direction[e]);
    }
    copy(EVENTS, sample + (EVENT_SAMPLES - 1) * EVENTS, trial->event);
    return SYMLIE_DONE;
}

#endif
