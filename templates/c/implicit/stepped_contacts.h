/* Modes of contacts in time stepping. */
#ifndef SYMLIE_STEPPED_CONTACTS_H
#define SYMLIE_STEPPED_CONTACTS_H

#include "contact_solution.h"

static inline void exchange_numbers(int n, symlie_real *restrict a, symlie_real *restrict b)
{
    for (int k = 0; k < n; k++) {
        const symlie_real first = a[k];
        a[k] = b[k], b[k] = first;
    }
}

/* Copy a configuration with the equations of all contacts in force (1), or with all contacts open (0). */
static inline void set_contacts(const symlie_problem *restrict P, const symlie_real *restrict q, symlie_real activity, symlie_real *restrict out)
{
    for (int k = 0; k < STORAGE; k++) out[k] = q[k];
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        out[contact[CONTACT_CLOSED]] = activity;
        out[contact[CONTACT_SPEED]] = out[contact[CONTACT_SPEED] + 1] = 0;
        if (contact[CONTACT_SLIPS]) out[contact[CONTACT_STICKS]] = activity;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) out[contact[CONTACT_DIRECTION] + k] = out[implied_place(contact, k)] = 0;
    }
}

/* Exchange the modes of contacts in two configurations. */
static inline void swap_modes(const symlie_problem *restrict P, symlie_real *restrict q, symlie_real *restrict other)
{
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i), slips = contact[CONTACT_SLIPS];
        exchange_numbers(1, q + contact[CONTACT_CLOSED], other + contact[CONTACT_CLOSED]);
        exchange_numbers(2, q + contact[CONTACT_SPEED], other + contact[CONTACT_SPEED]);
        if (slips) exchange_numbers(1, q + contact[CONTACT_STICKS], other + contact[CONTACT_STICKS]);
        exchange_numbers(slips, q + contact[CONTACT_DIRECTION], other + contact[CONTACT_DIRECTION]);
    }
}

/* Set multipliers of contacts without a normal force to zero. */
static inline void drop_rounding(const symlie_problem *restrict P, symlie_real *restrict mu)
{
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        if (mu[contact[CONTACT_NORMAL]] < 0) continue;
        mu[contact[CONTACT_NORMAL]] = 0;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) mu[contact_tangent(contact, k)] = 0;
    }
}

/* Velocity that Newton's law adds to the one after an impact: none for closed contacts and those that hardly approach. */
static inline symlie_real rebound(symlie_real is_closed, symlie_real restitution, symlie_real rate, symlie_real fastest)
{
    return is_closed != 0 || !(rate < -SLOW_IMPACT * fastest) ? 0 : restitution * rate;
}

/* Store the modes of contacts in q, and leave their multipliers in `force`: a contact is closed if it has a force and does
 * not separate. The multipliers of slip are zero while a contact slides. */
static inline void keep_contacts(const symlie_problem *restrict P, const contact_problem *restrict C, symlie_real h, const symlie_real *restrict rate,
                                 const symlie_real *restrict size, symlie_real *restrict q, symlie_real *restrict force)
{
    drop_rounding(P, force);
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i), n = contact[CONTACT_NORMAL], slips = contact[CONTACT_SLIPS];
        if (!(force[n] < 0)) continue;
        const int is_closed = fabs(rate[n]) <= CONTACT_ROUNDING * fmax(size[n], -h * force[n] / C->weight[2 * i]);
        symlie_real length = 0;
        for (int k = 0; k < slips; k++) length += force[contact_tangent(contact, k)] * force[contact_tangent(contact, k)];
        length = sqrt(length);
        const int slides = C->set[i] == CONTACT_SLIDES && C->law[2 * i] > 0 && length > 0;
        q[contact[CONTACT_CLOSED]] = is_closed;
        if (slips) q[contact[CONTACT_STICKS]] = is_closed && !slides && C->law[2 * i] > 0;
        for (int k = 0; k < slips && slides; k++) {
            symlie_real *own = force + contact_tangent(contact, k);
            q[contact[CONTACT_DIRECTION] + k] = *own / length, *own = 0;
        }
    }
}

#endif
