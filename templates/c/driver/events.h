/* Events: zeros of functions of (t, q, v, lambda) within accepted steps, located by event_search.h or event_series.h.
 * All events are recorded. Steps end at events that end the run or change the state. */
#ifndef SYMLIE_EVENTS_H
#define SYMLIE_EVENTS_H

#if HAS_EVENTS
#if EVENT_SERIES
#include "event_series.h"
#else
#include "event_search.h"
#endif

static inline long long event_workspace(const symlie_problem *restrict P)
{
    const long long of_zeros = HAS_TANGENTS ? STORAGE + DIMENSION + ROWS + OWN : 0;
    return inside_workspace(P) + 2LL * DIMENSION + EVENTS + search_workspace(P) + of_zeros;
}

static inline int are_numbers(const symlie_problem *restrict P, const symlie_real *restrict value)
{
    int other = 0;
    for (int k = 0; k < EVENTS; k++) other |= !(value[k] == value[k]);
    return !other;
}

static inline int begin_events(const symlie_problem *restrict P, const symlie_control *restrict control, symlie_state *restrict state)
{
    if (state->event_is_valid) return SYMLIE_DONE;
    take_events(P, state->t, state->q, state->v, state->lambda, state->event);
    for (int e = 0; e < EVENTS; e++)
        if (state->event[e] == 0) state->event[e] = -AT_START * (symlie_real)control->event_direction[e];
    state->event_is_valid = BEGINS_RUN;
    return are_numbers(P, state->event) ? SYMLIE_DONE : SYMLIE_EVENT_NOT_A_NUMBER;
}

/* Return whether steps end at an event. */
static inline int ends_step(const symlie_control *restrict control, int event)
{
    return control->event_is_terminal[event] || (HAS_CHANGES && control->event_changes[event]);
}

#if FOLLOWS_SLIP
/* Return whether the slip of a contact in two directions vanishes at an event. */
static inline int ends_slip(const symlie_problem *restrict P, int event)
{
    const int found = P->contact_event[event];
    return found >= 0 && 1 << found % 4 == STICKS && P->contact[CONTACT_WIDTH * (found / 4) + CONTACT_SLIPS] > 1;
}

/* If slip in two directions vanishes at the time `first`, end the step shortly before, and discard later events; *end is its time.
 * Return whether it ends there. */
static inline int approach_stick(const symlie_problem *restrict P, step_inside *restrict in, long long before, symlie_real first,
                                 symlie_record *restrict record, symlie_trial *restrict trial, symlie_real *restrict end, int *restrict status)
{
    int is_approach = 0;
    for (long long n = before; n < record->events; n++) {
        const symlie_real *row = record->event + EVENT_WIDTH * n;
        is_approach |= row[1] == first && ends_slip(P, (int)row[0]);
    }
    if (!is_approach || !(first - in->t > APPROACH * in->h)) return 0;
    const symlie_real part = APPROACHED * (first - in->t);
    const symlie_trial *other = in->other;
    *end = in->t + part;
    *status = step_to(in, part, *end);
    copy(STORAGE, other->q, trial->q);
    copy(DIMENSION, other->v, trial->v);
    copy(ROWS, other->lambda, trial->lambda);
    copy(INCREMENTS, other->increment, trial->increment);
    copy(OWN, other->own, trial->own);
    copy(EVENTS, other->event, trial->event);
    trial->acceleration_is_valid = 0;
    long long kept = before;
    for (long long n = before; n < record->events; n++) {
        const symlie_real *row = record->event + EVENT_WIDTH * n;
        if (row[1] > *end) continue;
        symlie_real *place = record->event + EVENT_WIDTH * kept++;
        for (long long k = 0; place != row && k < EVENT_WIDTH; k++) place[k] = row[k];
    }
    record->events = kept;
    return 1;
}
#endif

/* Record events within a step. If a step ends at an event, trial contains the state there and *end its time. */
static inline int find_events(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h, symlie_real end_of_step,
                              const symlie_control *restrict control, mass_matrix *restrict mass, symlie_state *restrict state,
                              symlie_trial *restrict trial, symlie_trial *restrict other, symlie_record *restrict record,
                              int *restrict is_end, symlie_real *restrict end)
{
    const long long width = EVENT_WIDTH;
    const long long before = record->events;
    ARRAY(theta, DIMENSION);
    ARRAY(rate, DIMENSION);
    step_inside in = {P, work, control, mass, state, trial, other, t, h, end_of_step, theta, rate, BY_SHORTER_STEPS};
    symlie_real first = end_of_step;
    take_events(P, end_of_step, trial->q, trial->v, trial->lambda, trial->event);
    if (!are_numbers(P, trial->event)) return SYMLIE_EVENT_NOT_A_NUMBER;
    begin_inside(&in);
    const int status = search_step(&in, trial, record);
    if (status != SYMLIE_DONE) return status;
    for (long long n = before; n < record->events; n++) {
        const symlie_real *row = record->event + width * n;
        if (ends_step(control, (int)row[0]) && (!*is_end || row[1] < first)) first = row[1], *is_end = 1;
    }
#if FOLLOWS_SLIP
    int approached = SYMLIE_DONE;
    if (*is_end && approach_stick(P, &in, before, first, record, trial, end, &approached)) {
        if (approached != SYMLIE_DONE) return approached;
        *is_end = 0;
    }
#endif
    if (*is_end) {
        /* Discard events after this event; its state becomes the end of the step. */
        long long kept = before;
        for (long long n = before; n < record->events; n++) {
            symlie_real *row = record->event + width * n;
            if (row[1] > first) continue;
            if (row[1] == first && ends_step(control, (int)row[0])) {
                copy(STORAGE, row + 2, trial->q);
                copy(DIMENSION, row + 2 + STORAGE, trial->v);
                copy(ROWS, row + 2 + STORAGE + DIMENSION, trial->lambda);
                copy(CARRIED, row + 2 + STORAGE + DIMENSION + ROWS, trial->carried);
                copy(OWN, row + 2 + STORAGE + DIMENSION + ROWS + CARRIED, trial->own);
            }
            symlie_real *place = record->event + width * kept++;
            if (place != row)
                for (long long k = 0; k < width; k++) place[k] = row[k];
        }
        record->events = kept;
        trial->acceleration_is_valid = 0;
        take_events(P, first, trial->q, trial->v, trial->lambda, trial->event);
        *end = first;
    }
    copy(EVENTS, trial->event, state->event);
    state->event_is_valid = 1;
    return SYMLIE_DONE;
}
#else

static inline long long event_workspace(const symlie_problem *restrict P)
{
    return 0;
}

static inline int begin_events(const symlie_problem *restrict P, const symlie_control *restrict control, const symlie_state *restrict state)
{
    return SYMLIE_DONE;
}
#endif

#endif
