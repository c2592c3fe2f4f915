/* Changes of the state at events. */
#ifndef SYMLIE_EVENT_CHANGES_H
#define SYMLIE_EVENT_CHANGES_H

/* Return whether time separates a change from the last one. */
static inline int is_later_change(const symlie_state *restrict state)
{
    return !(state->t - state->changed_at < TIME_RESOLUTION * fmax(fabs(state->t), fabs(state->changed_at)));
}

#include "contacts.h"

#if HAS_CHANGES
#ifdef RESETS
#define HAS_RESETS
#else
#define RESETS 0
#endif

static inline long long change_workspace(const symlie_problem *restrict P)
{
    return STORAGE + RESETS + EVENTS + 3LL * DIMENSION + 2LL * JACOBIAN_VALUES + 3LL * ROWS + acceleration_workspace(P) + contact_workspace(P);
}

/* Return whether an event at time t, among those recorded from `first` on, changes the state. */
static inline int changes_state(const symlie_problem *restrict P, const symlie_control *restrict control,
                                const symlie_record *restrict record, long long first, symlie_real t)
{
    for (long long n = first; n < record->events; n++) {
        const symlie_real *row = record->event + EVENT_WIDTH * n;
        if (row[1] == t && control->event_changes[(int)row[0]]) return 1;
    }
    return 0;
}

/* Return whether such an event ends the run. */
static inline int ends_run_at(const symlie_problem *restrict P, const symlie_control *restrict control,
                              const symlie_record *restrict record, long long first, symlie_real t)
{
    for (long long n = first; n < record->events; n++) {
        const symlie_real *row = record->event + EVENT_WIDTH * n;
        if (row[1] == t && control->event_is_terminal[(int)row[0]]) return 1;
    }
    return 0;
}

/* Limit the first step after a change. */
static inline void limit_first_step(const symlie_plan *plan, symlie_state *restrict state)
{
    if (!plan->control->is_adaptive || !(state->flight > 0) || state->t != state->changed_at) return;
    state->h = fmin(state->h, fmax(FLIGHTS * state->flight, smallest_step(plan, state->t)));
}

/* Count changes that time does not separate. Return 0 if there are more than events, so that they accumulate. `flight` is
 * the time until the next impact if it is known, otherwise 0. */
static inline int time_goes_on(const symlie_problem *restrict P, symlie_state *restrict state, symlie_real flight)
{
    const symlie_real apart = state->t - state->changed_at;
    const int is_first = state->changes_at_once == 0, is_later = is_later_change(state);
    state->changes_at_once = is_first || is_later ? 1 : state->changes_at_once + 1;
    state->flight = is_first ? 0 : is_later ? SYMLIE_VALUE(apart) : state->flight;
    if (flight > 0) state->flight = SYMLIE_VALUE(flight);
    state->changed_at = state->t;
    return state->changes_at_once <= EVENTS + 1;
}

#if CONSTRAINED
/* Compute c = B v + b, and the sizes of the terms of each equation. */
static inline void sized_residual(const symlie_problem *restrict P, const symlie_state *restrict state, symlie_real *restrict B,
                                  symlie_real *restrict size_of_B, symlie_real *restrict size_of_v, symlie_real *restrict b,
                                  symlie_real *restrict c, symlie_real *restrict size)
{
    system_jacobian(P, TIME_OF(state), state->q, state->v, B);
    hidden_residual(P, TIME_OF(state), state->q, B, state->v, 0, b, c);
    for (int k = 0; k < JACOBIAN_VALUES; k++) size_of_B[k] = fabs(B[k]);
    for (int k = 0; k < DIMENSION; k++) size_of_v[k] = fabs(state->v[k]);
    multiply_jacobian(P, size_of_B, size_of_v, size);
}
#endif

#if RELEASES
/* Determine the constraint equations that are in force. */
static inline int keep_rows(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_state *restrict state, mass_matrix *restrict mass)
{
    ARRAY(B, JACOBIAN_VALUES);
    system_jacobian(P, TIME_OF(state), state->q, state->v, B);
    return find_dependent_rows(P, B, mass);
}

/* Change the velocities by the impulses of constraints: M (v+ - v-) + B^T Lambda = 0, B v+ + b = 0. */
static inline int add_impulses(const symlie_problem *restrict P, symlie_real *restrict B, symlie_real *restrict b, symlie_real *restrict c,
                               symlie_real *restrict r, symlie_real *restrict d, mass_matrix *restrict mass, symlie_state *restrict state)
{
    for (int n = 0, settled = 0; n < (NONLINEAR_ROWS ? VELOCITY_STEPS + settled : 1); n++) {
        system_jacobian(P, TIME_OF(state), state->q, state->v, B);
        hidden_residual(P, TIME_OF(state), state->q, B, state->v, 0, b, c);
        for (int k = 0; k < ROWS; k++) c[k] = -c[k];
        const int status = along_constraints(P, TIME_OF(state), state->q, B, c, r, b, mass, d);
        if (status != SYMLIE_DONE) return status;
        for (int k = 0; k < DIMENSION; k++) state->v[k] = corrected(!settled, state->v[k] + d[k], state->v[k]);
        if (!NONLINEAR_ROWS || !is_settled(P, d, state->v)) continue;
        if (settled == HAS_TANGENTS) break;
        settled = 1;
    }
    return SYMLIE_DONE;
}
#endif

/* Apply the changes of all events at the time of the state, within a step planned to end at `planned`. A function of such an event that remains zero counts as not
 * yet zero. In time stepping contacts do not take part: the next step contains their impulses, and lambda remains that of the last step. */
SYMLIE_COLD int change_state(const symlie_problem *restrict P, symlie_real *restrict work, long long first, const symlie_plan *plan,
                             symlie_real planned, mass_matrix *restrict mass, symlie_state *restrict state, const symlie_record *restrict record)
{
    const symlie_control *control = plan->control;
    symlie_real t = TIME_OF(state), flight = 0;
    ARRAY(value, RESETS);
    ARRAY(before, EVENTS);
    ARRAY(a, DIMENSION);
#ifdef STEPS_CONTACTS
    ARRAY(modes, STORAGE);
    set_contacts(P, state->q, 0, modes);
    swap_modes(P, state->q, modes);
#endif
#if CONSTRAINED
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(size_of_B, JACOBIAN_VALUES);
    ARRAY(size_of_v, DIMENSION);
    ARRAY(b, ROWS);
    ARRAY(c, ROWS);
    ARRAY(size, ROWS);
    sized_residual(P, state, B, size_of_B, size_of_v, b, c, size);
    const symlie_real residual = largest_entry(ROWS, c, 0);
#endif
    int moves = 0, engages = 0;
    take_events(P, t, state->q, state->v, state->lambda, before);
#ifdef HAS_RESETS
    system_resets(P, t, state->q, state->v, state->lambda, value);
#endif
    for (long long n = first; n < record->events; n++) {
        const symlie_real *row = record->event + EVENT_WIDTH * n;
        for (long long k = 0; row[1] == t && k < P->changes; k++) {
            const int *change = P->change + 3 * k, component = change[1];
            if (change[0] != (int)row[0]) continue;
            symlie_real *part = component < DIMENSION ? state->v + component : state->q + component - DIMENSION;
            *part = change[2] < 0 ? change[2] == ENGAGED : RESETS > 0 ? value[change[2]] : 0;
            moves |= component >= DIMENSION;
            engages |= change[2] == ENGAGED;
        }
    }
    if (MOTIONS) system_prescribe(P, t, state->q, state->v);
    if (moves) keep_angles(P, work, t, state->q);
    const symlie_real at = t;
#if HAS_CONTACTS
    const symlie_real end = control->is_adaptive ? plan->end[state->segment] : planned;
    const int switched = switch_contacts(P, work, control, first, end, mass, state, record, &flight);
    if (switched != SYMLIE_DONE) return switched;
    t = TIME_OF(state), moves = 1;
#endif
    if (!all_finite(STORAGE, state->q) || !all_finite(DIMENSION, state->v)) return SYMLIE_NOT_FINITE;
#if CONSTRAINED
    if (moves) {
        const symlie_real bound = POSITION_TOLERANCE * largest_entry(STORAGE, state->q, 1) + 2 * state->largest_constraint;
        system_constraint(P, t, state->q, c);
        if (!(largest_entry(ROWS, c, 0) <= bound)) return SYMLIE_INCONSISTENT_RESET;
    }
#if RELEASES
    if (engages) {
        const int met = add_impulses(P, B, b, c, size_of_v, a, mass, state);
        if (met != SYMLIE_DONE) return met;
    }
#endif
    sized_residual(P, state, B, size_of_B, size_of_v, b, c, size);
    /* Methods that satisfy constraints of velocities only approximately leave a residual. */
    for (int k = 0; k < ROWS; k++)
        if (!(fabs(c[k]) <= VELOCITY_TOLERANCE * fmax(1, size[k]) + 2 * residual)) return SYMLIE_INCONSISTENT_RESET;
#ifdef STEPS_CONTACTS
    swap_modes(P, state->q, modes);
#else
    const int status = index1_acceleration(P, work, t, state->q, state->v, mass, a, state->lambda);
    if (status != SYMLIE_DONE) return status;
#endif
#endif
    take_events(P, t, state->q, state->v, state->lambda, state->event);
    for (long long n = first; n < record->events; n++) {
        const symlie_real *row = record->event + EVENT_WIDTH * n;
        const int event = (int)row[0];
        if (row[1] == at && state->event[event] == before[event]) state->event[event] = -AT_START * (symlie_real)control->event_direction[event];
    }
    if (!are_numbers(P, state->event)) return SYMLIE_EVENT_NOT_A_NUMBER;
    (void)a, (void)value, (void)engages;
    return time_goes_on(P, state, flight) ? SYMLIE_DONE : SYMLIE_ACCUMULATION;
}
#else
static inline long long change_workspace(const symlie_problem *restrict P)
{
    return 0;
}
#endif

#endif
