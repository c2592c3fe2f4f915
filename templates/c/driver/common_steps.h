/* Steps common to all lanes. With a fixed step size, several steps are taken at a time until a member needs a
 * decision. */
#ifndef SYMLIE_COMMON_STEPS_H
#define SYMLIE_COMMON_STEPS_H

#include "trial.h"
#include "projection.h"
#include "drift.h"
#include "lane_members.h"

/* Take a common step in all lanes. Return 0 if it fails in a lane. */
SYMLIE_APART int take_common_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h, symlie_real end,
                                  mass_matrix *restrict mass, const lane_members *in, symlie_trial *restrict trial)
{
    trial->error = SYMLIE_NUMBER(0);
    trial->rhs_evaluations = SYMLIE_WHOLE(0);
    begin_counts(trial);
    trial->ends_run = 1;
    for (int l = 0; l < SYMLIE_LANES; l++) {
        const long long member = in->member[in->shares[l]];
        if (in->member[l] >= 0) trial->ends_run &= ends_run(in->plan, in->states + member, in->attempt + l);
        if (CHOOSES_ORDER) trial->planned[l] = fmin(in->states[member].h, in->plan->control->h_max);
    }
    if (composed_step(P, work, t, h, in->plan->control, mass, &in->state, trial) != SYMLIE_DONE) return 0;
    if (project_end(P, work, t, end, in->plan->control, mass, &in->state, trial) != SYMLIE_DONE) return 0;
    carry(P, work, t, in->state.q, in->state.carried, end, trial->q, trial->increment, trial->carried);
    return 1;
}

/* Number of steps that a member can take before a step that is recorded or ends a segment. */
static inline long long steps_ahead(const symlie_plan *plan, const symlie_state *s, const symlie_record *record)
{
    /* The lengths of polynomial steps differ by round-off. */
    if (POLYNOMIAL || plan->control->is_adaptive || record->trace) return 0;
    const long long to_end = plan->steps[s->segment] - 1 - s->step;
    if (!plan->record_every) return to_end;
    const long long unrecorded = plan->record_every - 1 - s->steps % plan->record_every;
    return unrecorded < to_end ? unrecorded : to_end;
}

/* Take further steps after a common step while all members succeed. Lanes without a member repeat another lane.
 * Return the total number of steps of all members, at most `most`. */
static inline long long take_steps_ahead(const symlie_problem *restrict P, symlie_real *restrict work, mass_matrix *restrict mass,
                                         lane_members *in, symlie_trial *restrict trial, long long most)
{
    symlie_real start = SYMLIE_NUMBER(0), h = start, step = start, constraint = start, velocity = start, bound = start;
    symlie_whole evaluations = SYMLIE_WHOLE(0);
    long long ahead = most / SYMLIE_LANES, done = 0, members = 0;
    int used = 0;
    for (int l = 0; l < SYMLIE_LANES; l++) {
        if (in->member[l] < 0) continue;
        const long long of_member = steps_ahead(in->plan, in->states + in->member[l], in->records + in->member[l]);
        if (of_member < ahead) ahead = of_member;
        used = l, members++;
    }
    if (!members || ahead <= 0) return 0;
    for (int l = 0; l < SYMLIE_LANES; l++) {
        const int from = in->member[l] >= 0 ? l : used;
        if (from != l) share_lane(P, in, from, l);
        const symlie_state *s = in->states + in->member[from];
        start[l] = in->plan->start[s->segment], h[l] = in->attempt[from].equal, step[l] = (symlie_scalar)s->step;
        constraint[l] = s->largest_constraint, velocity[l] = s->largest_velocity, bound[l] = s->drift_bound;
    }
    in->state.acceleration_is_valid = trial->acceleration_is_valid;
    for (; done < ahead; done++, step += 1) {
        if (!take_common_step(P, work, start + step * h, h, start + (step + 1) * h, mass, in, trial)) break;
#if CONSTRAINED
        const symlie_mask is_looked_at = trial->largest_constraint > bound;
        if (SYMLIE_UNLIKELY(SYMLIE_ANY(is_looked_at))) {
            if (has_drifted(P, work, start + (step + 1) * h, mass, trial->q, trial->v, trial->largest_constraint)) break;
            bound = SYMLIE_WHERE(is_looked_at, 2 * trial->largest_constraint, bound);
        }
        constraint = SYMLIE_LARGER(trial->largest_constraint, constraint);
        velocity = SYMLIE_LARGER(trial->largest_velocity, velocity);
#endif
        evaluations += trial->rhs_evaluations;
        for (int l = 0; l < SYMLIE_LANES; l++)
            if (in->member[l] >= 0) count_newton((start + step * h)[l], &trial->newton, l, in->states + in->member[l]);
        accept_in_all(P, in, trial);
    }
    const symlie_real end = start + step * h;
    for (int l = 0; l < SYMLIE_LANES; l++) {
        if (in->member[l] < 0) continue;
        symlie_state *s = in->states + in->member[l];
        s->largest_constraint = constraint[l], s->largest_velocity = velocity[l], s->drift_bound = bound[l];
        s->rhs_evaluations += evaluations[l];
        s->t = done ? end[l] : s->t;
        s->step += done;
        s->steps += done;
    }
    return done * members;
}

#endif
