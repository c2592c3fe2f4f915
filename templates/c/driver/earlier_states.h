/* Steps that read earlier states: a method that does not read them takes the first steps of a run and those after each
 * jump. The method history contains the number of known states and the states, latest first. Members in lanes take the
 * first steps individually. */
#ifndef SYMLIE_EARLIER_STATES_H
#define SYMLIE_EARLIER_STATES_H

static inline long long step_workspace(const symlie_problem *restrict P)
{
    const long long later = later_step_workspace(P);
#if SYMLIE_LANES == 1
    const long long start = start_step_workspace(P);
    if (start > later) return start;
#endif
    return later;
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
#if SYMLIE_LANES == 1
    if (state->own[OWN_COUNT] < FIRST_STEPS) return start_step(P, work, t, h, control, mass, state, trial);
#endif
    return later_step(P, work, t, h, control, mass, state, trial);
}

#endif
