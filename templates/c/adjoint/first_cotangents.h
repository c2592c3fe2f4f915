/* Adjoint of a step of a method whose first steps another method takes; see earlier_states.h. */
#ifndef SYMLIE_FIRST_COTANGENTS_H
#define SYMLIE_FIRST_COTANGENTS_H

static inline long long adjoint_step_workspace(const symlie_problem *restrict P)
{
    const long long later = adjoint_later_step_workspace(P), start = adjoint_start_step_workspace(P);
    return start > later ? start : later;
}

static inline int adjoint_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_control *restrict control, mass_matrix *restrict masses, const symlie_state *restrict state,
                               const symlie_real *restrict ended, const symlie_cotangents *after, symlie_cotangents *start)
{
    if (state->own[OWN_COUNT] < FIRST_STEPS) return adjoint_start_step(P, work, t, h, control, masses, state, ended, after, start);
    return adjoint_later_step(P, work, t, h, control, masses, state, ended, after, start);
}

#endif
