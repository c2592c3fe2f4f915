/* Directions of reactions of constraints with friction; see symlie/runtime/layout/reactions.py. */
#ifndef SYMLIE_TURNING_REACTIONS_H
#define SYMLIE_TURNING_REACTIONS_H

#include "contact_table.h"

/* Replace the directions in q of reactions F with several components, and return the largest change of those on which sliding
 * friction acts. */
static inline symlie_real turn_reactions(const symlie_problem *restrict P, const symlie_real *restrict F, symlie_real *restrict q)
{
    symlie_real largest = 0;
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i), count = contact[CONTACT_REACTIONS];
        if (count < 2) continue;
        const symlie_real *own = F + contact[CONTACT_REACTION];
        symlie_real *n = q + contact[CONTACT_SPEED] + 2, size = 0;
        for (int k = 0; k < count; k++) size += own[k] * own[k];
        size = sqrt(size);
        for (int k = 0; k < count && size > 0; k++) {
            if (q[contact[CONTACT_CLOSED]] != 0 && q[contact[CONTACT_STICKS]] == 0) largest = fmax(largest, fabs(own[k] / size - n[k]));
            n[k] = own[k] / size;
        }
    }
    return largest;
}

/* Turn the directions in q to the reactions of given multipliers, and compute C there. Return 0 if they agree already. */
static inline int turn_force_rows(const symlie_problem *restrict P, symlie_real t, symlie_real *restrict q, const symlie_real *restrict v,
                                  const symlie_real *restrict lambda, symlie_real *restrict F, symlie_real *restrict C)
{
    system_reactions(P, t, q, v, lambda, F);
    if (!(turn_reactions(P, F, q) > SETTLED_REACTION)) return 0;
    system_columns(P, t, q, v, C);
    return 1;
}

#endif
