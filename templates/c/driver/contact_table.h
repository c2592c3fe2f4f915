/* Table of contacts and their events. */
#ifndef SYMLIE_CONTACT_TABLE_H
#define SYMLIE_CONTACT_TABLE_H

/* Columns of P->contact; see CONTACT_TABLE in symlie/runtime/layout/event_changes.py. */
enum { CONTACT_NORMAL, CONTACT_SLIP, CONTACT_SLIPS, CONTACT_CLOSED, CONTACT_STICKS, CONTACT_DIRECTION, CONTACT_SPEED, CONTACT_EVENT, CONTACT_REACTIONS = CONTACT_EVENT + 4, CONTACT_REACTION, CONTACT_WIDTH };

/* Kinds of events of contacts, as bits. */
enum { TOUCHES = 1, LIFTS = 2, STICKS = 4, SLIPS = 8 };

/* Contacts have a normal equation; friction of constraints has none, and the direction of its reaction follows the slack of a
 * configuration. */
static inline const int *contact_of(const symlie_problem *restrict P, int i)
{
    return P->contact + CONTACT_WIDTH * i;
}

static inline int is_contact(const symlie_problem *restrict P, int i)
{
    return contact_of(P, i)[CONTACT_NORMAL] >= 0;
}

/* Place in a configuration of the number that is 1 for an equation of slip that others imply. */
static inline int implied_place(const int *restrict contact, int k)
{
    return contact[CONTACT_DIRECTION] + contact[CONTACT_SLIPS] + k;
}

/* Return whether an event belongs to another mode of its contact than the present one. */
static inline int is_in_other_mode(const symlie_problem *restrict P, const symlie_real *restrict q, int event)
{
#if HAS_CONTACTS
    const int found = P->contact_event[event];
    if (found < 0) return 0;
    const int *contact = P->contact + CONTACT_WIDTH * (found / 4);
    const int is_closed = q[contact[CONTACT_CLOSED]] != 0, sticks = contact[CONTACT_STICKS] >= 0 && q[contact[CONTACT_STICKS]] != 0;
    const int is_possible[] = {!is_closed, is_closed, is_closed && !sticks, sticks};
    return !is_possible[found % 4];
#else
    (void)P, (void)q, (void)event;
    return 0;
#endif
}

#endif
