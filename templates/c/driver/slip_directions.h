/* Directions of sliding contacts whose slip turns; see symlie/runtime/system/contacts/slip_directions.py. */
#ifndef SYMLIE_SLIP_DIRECTIONS_H
#define SYMLIE_SLIP_DIRECTIONS_H

#if FOLLOWS_SLIP
#include "contact_table.h"

static inline long long slip_workspace(const symlie_problem *restrict P)
{
    return STORAGE + 2LL * EVENTS + 2LL * JACOBIAN_VALUES + DIMENSION + 3LL * ROWS + 4LL * CONTACTS;
}

/* Return whether a contact slides in two directions. */
static inline int slides_in_plane(const int *restrict contact, const symlie_real *restrict q)
{
    if (contact[CONTACT_SLIPS] < 2 || q[contact[CONTACT_CLOSED]] == 0 || q[contact[CONTACT_STICKS]] != 0) return 0;
    const symlie_real *d = q + contact[CONTACT_DIRECTION];
    return d[0] != 0 || d[1] != 0;
}

/* Compute the components of slip along and across the stored directions, in which the event functions are linear. */
static inline void slip_components(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                   const symlie_real *restrict v, const symlie_real *restrict lambda, symlie_real *restrict along,
                                   symlie_real *restrict sideways)
{
    ARRAY(at, STORAGE);
    ARRAY(event, EVENTS);
    ARRAY(across, EVENTS);
    for (int k = 0; k < STORAGE; k++) at[k] = q[k];
    system_events(P, t, at, v, lambda, event);
    for (int i = 0; i < CONTACTS; i++) {
        const int first = contact_of(P, i)[CONTACT_DIRECTION];
        if (slides_in_plane(contact_of(P, i), q)) at[first] = -q[first + 1], at[first + 1] = q[first];
    }
    system_events(P, t, at, v, lambda, across);
    for (int i = 0; i < CONTACTS; i++) {
        if (!slides_in_plane(contact_of(P, i), q)) continue;
        const int stick = contact_of(P, i)[CONTACT_EVENT + 2];
        along[i] = event[stick], sideways[i] = across[stick];
    }
}

/* Return an error of a step to the time t in which slow slip turns, relative to the tolerances; 0 if none does. Slip that vanishes
 * within the rounding of the time does not count. */
static inline symlie_real turning_error(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_state *restrict state,
                                        const symlie_trial *restrict trial)
{
    ARRAY(first, 2 * CONTACTS);
    ARRAY(last, 2 * CONTACTS);
    int slides = 0, turns = 0, turned[CONTACTS + 1];
    symlie_real largest = 0;
    for (int i = 0; i < CONTACTS; i++) slides |= slides_in_plane(contact_of(P, i), state->q);
    if (!slides) return 0;
    slip_components(P, work, t, state->q, state->v, state->lambda, first, first + CONTACTS);
    slip_components(P, work, t, trial->q, trial->v, trial->lambda, last, last + CONTACTS);
    for (int i = 0; i < CONTACTS; i++) {
        turned[i] = 0;
        if (!slides_in_plane(contact_of(P, i), state->q)) continue;
        const symlie_real along = first[i] * last[i] + first[CONTACTS + i] * last[CONTACTS + i];
        turned[i] = along > 0 && fabs(first[i] * last[CONTACTS + i] - first[CONTACTS + i] * last[i]) > LARGEST_SLIP_TURN * along;
        turns |= turned[i];
    }
    if (!turns) return 0;
    ARRAY(at, STORAGE);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(sized, JACOBIAN_VALUES);
    ARRAY(speed, DIMENSION);
    ARRAY(size, ROWS);
    for (int k = 0; k < STORAGE; k++) at[k] = trial->q[k];
    for (int i = 0; i < CONTACTS; i++)
        if (slides_in_plane(contact_of(P, i), state->q)) at[contact_of(P, i)[CONTACT_STICKS]] = 1;
    system_jacobian(P, t, at, trial->v, B);
    for (int k = 0; k < JACOBIAN_VALUES; k++) sized[k] = fabs(B[k]);
    for (int k = 0; k < DIMENSION; k++) speed[k] = fabs(trial->v[k]);
    multiply_jacobian(P, sized, speed, size);
    for (int i = 0; i < CONTACTS; i++) {
        if (!turned[i]) continue;
        const symlie_real *own = size + contact_of(P, i)[CONTACT_SLIP], terms = sqrt(own[0] * own[0] + own[1] * own[1]);
        const symlie_real a0 = first[i], s0 = first[CONTACTS + i], a1 = last[i], s1 = last[CONTACTS + i];
        const symlie_real before = sqrt(a0 * a0 + s0 * s0), after = sqrt(a1 * a1 + s1 * s1);
        if (!(before <= SLOW_SLIP * terms && after <= SLOW_SLIP * terms && before > CONTACT_ROUNDING * terms)) continue;
        const symlie_real change = sqrt((a1 - a0) * (a1 - a0) + (s1 - s0) * (s1 - s0));
        if (!(before * (t - TIME_OF(state)) > CONTACT_ROUNDING * fabs(t) * change)) continue;
        largest = fmax(largest, fabs(a0 * s1 - s0 * a1) / (a0 * a1 + s0 * s1) / LARGEST_SLIP_TURN);
    }
    return fmin(largest * largest * (largest * largest), LARGEST_TURN_ERROR);
}

/* Renew the directions of contacts whose slip has turned from them, and their event values. */
static inline void follow_slip(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real *restrict q,
                               const symlie_real *restrict v, const symlie_real *restrict lambda, symlie_real *restrict event)
{
    int turned[CONTACTS + 1], slides = 0, turns = 0;
    ARRAY(at, STORAGE);
    ARRAY(sideways, EVENTS);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(sized, JACOBIAN_VALUES);
    ARRAY(speed, DIMENSION);
    ARRAY(rate, ROWS);
    ARRAY(size, ROWS);
    ARRAY(b, ROWS);
    for (int k = 0; k < STORAGE; k++) at[k] = q[k];
    for (int i = 0; i < CONTACTS; i++) {
        const int first = contact_of(P, i)[CONTACT_DIRECTION];
        turned[i] = slides_in_plane(contact_of(P, i), q);
        slides |= turned[i];
        if (turned[i]) at[first] = -q[first + 1], at[first + 1] = q[first];
    }
    if (!slides) return;
    /* The event functions are linear in the direction. */
    system_events(P, t, at, v, lambda, sideways);
    for (int k = 0; k < STORAGE; k++) at[k] = q[k];
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i), stick = contact[CONTACT_EVENT + 2];
        turned[i] = turned[i] && fabs(sideways[stick]) > TURNED_SLIP * event[stick];
        turns |= turned[i];
        if (turned[i]) at[contact[CONTACT_STICKS]] = 1;
    }
    if (!turns) return;
    system_jacobian(P, t, at, v, B);
    hidden_residual(P, t, at, B, v, 0, b, rate);
    for (int k = 0; k < JACOBIAN_VALUES; k++) sized[k] = fabs(B[k]);
    for (int k = 0; k < DIMENSION; k++) speed[k] = fabs(v[k]);
    multiply_jacobian(P, sized, speed, size);
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        if (!turned[i]) continue;
        const symlie_real *slip = rate + contact[CONTACT_SLIP], *terms = size + contact[CONTACT_SLIP];
        if (fabs(slip[0]) <= RESTING_SLIP * terms[0] && fabs(slip[1]) <= RESTING_SLIP * terms[1]) continue;
        const symlie_real length = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
        for (int k = 0; k < 2; k++) q[contact[CONTACT_DIRECTION] + k] = slip[k] / length;
        event[contact[CONTACT_EVENT + 2]] = length;
    }
}
#else
static inline long long slip_workspace(const symlie_problem *restrict P)
{
    return 0;
}
#endif

#endif
