/* Directions of sliding contacts whose slip turns; see symlie/runtime/system/contacts/slip_directions.py. */
#ifndef SYMLIE_SLIP_DIRECTIONS_H
#define SYMLIE_SLIP_DIRECTIONS_H

#if SLIDES && HAS_EVENTS
#include "contact_table.h"

static inline long long slip_workspace(const symlie_problem *restrict P)
{
    return STORAGE + EVENTS + 2LL * JACOBIAN_VALUES + DIMENSION + 3LL * ROWS;
}

/* Return whether a contact slides in two directions. */
static inline int slides_in_plane(const int *restrict contact, const symlie_real *restrict q)
{
    if (contact[CONTACT_SLIPS] < 2 || q[contact[CONTACT_CLOSED]] == 0 || q[contact[CONTACT_STICKS]] != 0) return 0;
    const symlie_real *d = q + contact[CONTACT_DIRECTION];
    return d[0] != 0 || d[1] != 0;
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
