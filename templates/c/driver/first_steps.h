/* First adaptive step sizes of several systems of one topology. */
#ifndef SYMLIE_FIRST_STEPS_H
#define SYMLIE_FIRST_STEPS_H

#include "first_step.h"

long long symlie_first_step_workspace(const symlie_problem *P)
{
    if (FIXED_TOPOLOGY) return 0;
    return mass_workspace(P) + estimate_workspace(P);
}

/* Compute the first step size of each system from its state, at most `longest`; `control` supplies only the error
 * norm. */
void symlie_first_steps(const symlie_problem *problems, const symlie_states *states, const symlie_control *control, long long order,
                        symlie_real longest, symlie_real *h, symlie_real *workspace)
{
    for (long long i = 0; i < states->count; i++) {
        const symlie_problem *P = problems + i;
        const symlie_real t = states->t[i], *q = states->q + i * STORAGE, *v = states->v + i * DIMENSION;
        mass_matrix mass;
        symlie_real *work = place_mass(P, workspace, &mass);
        const int is_known = !MASS_IS_CONSTANT || evaluate_mass(P, t, q, &mass);
        h[i] = is_known ? first_step(P, control, order, t, longest, q, v, &mass, work) : fmin(SMALL_STEP, longest);
    }
}

#endif
