/* Integrate members of one topology in SIMD lanes, with results that are bitwise identical to individual runs. Lanes
 * share the arithmetic of a step; t, h, errors and counts are individual. A member takes an individual step by
 * symlie_integrate if the common step fails, for its first steps and those after a restart, for steps to be checked, and
 * if no other member is left. When a member is finished, the next member takes its lane. */
#ifndef SYMLIE_SIDE_BY_SIDE_H
#define SYMLIE_SIDE_BY_SIDE_H

#include "pace.h"
#include "common_steps.h"

/* 1 if the members of a group start together and all finish before the next group starts: individual first steps
 * would otherwise be a large part of the work and make the other lanes recompute their cached data. */
#define IN_GROUPS POLYNOMIAL

/* Take at most `most` individual steps of a member. Return its status. */
SYMLIE_COLD int go_alone(lane_members *in, long long member, long long *budget, long long most)
{
    symlie_plan plan = *in->plan;
    symlie_problem P = in->problems[member];
    symlie_state *s = in->states + member;
    const long long before = s->steps + s->rejected;
    plan.budget = *budget < most ? *budget : most;
    P.workspace = in->lanes->workspace_alone;
    forget_alone(&P, P.workspace);
    const int status = in->lanes->alone(&P, s, &plan, in->records + member);
    *budget -= s->steps + s->rejected - before;
    return status;
}

enum { TAKEN, SHORTENED, ALONE };

/* Step size factor of a lane after a step. */
static inline symlie_scalar factor_of_lane(const symlie_control *control, const symlie_trial *restrict trial, int lane)
{
    return CHOOSES_LENGTH ? trial->factor[lane] : step_factor(control, trial->error[lane]);
}

/* Return whether the constraints of a lane are to be checked after a step; see keeps_constraints. */
static inline int is_looked_at(const lane_members *in, int lane, const symlie_trial *restrict trial)
{
    return CONSTRAINED && trial->largest_constraint[lane] > in->states[in->member[lane]].drift_bound;
}

/* Accept or reject a common step for one lane. In exceptional cases its member takes an individual step instead. */
static inline int judge_lane(const symlie_problem *restrict P, lane_members *in, int lane, int has_left,
                             const symlie_trial *restrict trial)
{
    const symlie_control *control = in->plan->control;
    symlie_state *s = in->states + in->member[lane];
    symlie_record *record = in->records + in->member[lane];
    const symlie_attempt *attempt = in->attempt + lane;
    const symlie_scalar error = trial->error[lane], phi = trial->largest_constraint[lane], rate = trial->largest_velocity[lane];
    const int is_taken = !control->is_adaptive || error <= 1, is_tried = trial->is_untried[lane] == 0;
    if (control->is_adaptive && !(error <= (symlie_scalar)INFINITY)) return ALONE;
    if (!is_taken && !shorten_step(in->plan, s, attempt, fmin(factor_of_lane(control, trial, lane), REJECTED_STEP), is_tried, error)) return ALONE;
    if (is_taken && is_looked_at(in, lane, trial)) {
        if (has_left) return ALONE;
        s->drift_bound = 2 * phi;
    }
    s->rhs_evaluations += evaluations_of_lane(control, trial, lane, s->acceleration_is_valid != 0, in->state.acceleration_is_valid != 0,
                                              ends_run(in->plan, s, attempt));
    if (is_tried) record_tried(record, attempt, is_taken && !control->with_estimate ? (symlie_scalar)NAN : error, is_taken, &trial->newton, lane, CHOOSES_ORDER ? trial->order[lane] : 0);
    count_newton(attempt->t, &trial->newton, lane, s);
    if (!is_taken) {
        if (!s->acceleration_is_valid)
            for (int k = 0; k < DIMENSION; k++) in->state.acceleration[k][lane] = trial->first_acceleration[k][lane];
        s->acceleration_is_valid = 1;
        return SHORTENED;
    }
    if (control->is_adaptive && control->watches_rank) remember_step(s);
    if (control->is_adaptive) propose_step(s, attempt, factor_of_lane(control, trial, lane));
    if (CONSTRAINED && phi > s->largest_constraint) s->largest_constraint = phi;
    if (CONSTRAINED && rate > s->largest_velocity) s->largest_velocity = rate;
    s->acceleration_is_valid = trial->acceleration_is_valid;
    if (CHOOSES_ORDER) count_order(trial->order[lane], s);
    s->t = attempt->end;
    s->surprises = 0;
    s->step++;
    s->steps++;
    return TAKEN;
}

/* Take an individual step of the member of a lane. Return its final status, or SYMLIE_BUDGET if it continues. */
SYMLIE_COLD int step_alone(const symlie_problem *restrict P, lane_members *in, int lane, long long *budget)
{
    take_state(P, in, lane);
    const int status = go_alone(in, in->member[lane], budget, 1);
    if (status == SYMLIE_BUDGET) put_state(P, in, lane);
    return status;
}

/* Return whether the member of a lane takes its next step individually. */
static inline int is_next_alone(const lane_members *in, int lane)
{
    const symlie_state *s = in->states + in->member[lane];
#ifdef FIRST_STEPS
    if (in->state.own[OWN_COUNT][lane] < FIRST_STEPS) return 1;
#endif
    if (STARTS_FROM_MULTIPLIERS && s->is_after_jump) return 1;
    const symlie_control *control = in->plan->control;
    if ((HAS_OWN_STATE && !s->own_is_valid) || looks_at_step(control, s)) return 1;
    return CONSTRAINED && (s->surprises > 0 || (control->is_adaptive && control->watches_rank && is_short(s)));
}

/* Determine the next step of the member of a lane if it is a common one; otherwise return its final status. */
static inline int next_common_step(const symlie_problem *restrict P, lane_members *in, int lane, long long *budget)
{
    for (;;) {
        symlie_state *s = in->states + in->member[lane];
        const int next = next_attempt(in->plan, s, in->records + in->member[lane], budget, 0, in->attempt + lane);
        if (next == SYMLIE_RECORDS) {
            record_lane(P, in, lane);
            continue;
        }
        if (next != SYMLIE_SEEKS_STEP && (next != SYMLIE_GOES_ON || !is_next_alone(in, lane))) return next;
        if (next == SYMLIE_GOES_ON) ++*budget;
        const int status = step_alone(P, in, lane, budget);
        if (status != SYMLIE_BUDGET) return status;
    }
}

/* Move the next unfinished member to a lane. Each member takes its first step individually, and some finish with it.
 * Return the index after the last member processed. */
static inline long long take_member(const symlie_problem *restrict P, lane_members *in, int lane, long long next, long long count, int *restrict status,
                                    long long *budget)
{
    for (; next < count; next++) {
        if (status[next] != SYMLIE_BUDGET) continue;
        if (*budget <= 0) return next;
        if (!IN_GROUPS && in->states[next].steps == 0 && (status[next] = go_alone(in, next, budget, 1)) != SYMLIE_BUDGET) continue;
        in->member[lane] = next;
        put_member(P, in, lane);
        forget_lane(P, lane);
        return next + 1;
    }
    return next;
}

long long symlie_integrate_lanes(const symlie_problem *problems, long long first, long long count, symlie_state *states,
                                 const symlie_plan *plan, symlie_record *records, int *status, const symlie_lanes *given)
{
    lane_members in = {.problems = problems, .states = states, .plan = plan, .records = records, .lanes = given};
    long long next = first, budget = plan->budget;
    mass_matrix mass;
    place_lanes(&in, problems + first);
    const symlie_problem *P = &in.P;
    symlie_real *work = place_mass(P, P->workspace + kept_workspace(P), &mass);
    forget_kept(P);
    symlie_real t = SYMLIE_NUMBER(0), h = SYMLIE_NUMBER(0), end = SYMLIE_NUMBER(0);
    TRIAL(trial);
    clear_fields(P, trial.acceleration);
    for (int l = 0; l < SYMLIE_LANES; l++) in.member[l] = -1, in.shares[l] = l, in.attempt[l] = (symlie_attempt)NO_ATTEMPT;
    for (int is_over = 0, all_took = 0; !is_over;) {
        int used = -1, uses = 0, has_new = 0, has_room = 1;
        if (all_took) budget -= take_steps_ahead(P, work, &mass, &in, &trial, budget);
        for (int l = 0; l < SYMLIE_LANES && IN_GROUPS; l++) has_room &= in.member[l] < 0;
        for (int l = 0; l < SYMLIE_LANES && !is_over; l++) {
            int of_member = SYMLIE_DONE;
            do {
                if (in.member[l] < 0 && !has_room) break;
                if (in.member[l] < 0) {
                    next = take_member(P, &in, l, next, count, status, &budget);
                    if (in.member[l] < 0) break;
                    has_new = 1;
                }
                of_member = next_common_step(P, &in, l, &budget);
                if (of_member == SYMLIE_GOES_ON) break;
                take_state(P, &in, l);
                status[in.member[l]] = of_member;
                in.member[l] = -1;
            } while (of_member != SYMLIE_BUDGET);
            is_over |= of_member == SYMLIE_BUDGET;
            if (in.member[l] >= 0) used = l, uses++;
        }
        is_over |= !uses || budget <= 0;
        if (!is_over && uses == 1 && (IN_GROUPS || next >= count)) {
            take_state(P, &in, used);
            status[in.member[used]] = go_alone(&in, in.member[used], &budget, budget);
            in.member[used] = -1;
            if (next < count && budget > 0) continue;
            is_over = 1;
        }
        if (is_over) break;
        in.state.acceleration_is_valid = 1;
        for (int l = 0; l < SYMLIE_LANES; l++) {
            const int from = in.member[l] >= 0 ? l : used;
            /* A lane without a member repeats another lane. */
            if (from != l) has_new = 1, share_lane(P, &in, from, l);
            if (from != in.shares[l]) share_kept(P, from, l), in.shares[l] = from;
            t[l] = in.attempt[from].t, h[l] = in.attempt[from].h, end[l] = in.attempt[from].end;
            in.state.acceleration_is_valid &= states[in.member[from]].acceleration_is_valid != 0;
        }
        int is_done = !MASS_IS_CONSTANT || !has_new || evaluate_mass(P, t, in.state.q, &mass);
        is_done = is_done && take_common_step(P, work, t, h, end, &mass, &in, &trial);
        int has_left = 0;
#if CONSTRAINED
        for (int l = 0; l < SYMLIE_LANES; l++) has_left |= is_done && in.member[l] >= 0 && is_looked_at(&in, l, &trial);
        has_left = has_left && has_drifted(P, work, end, &mass, trial.q, trial.v, trial.largest_constraint);
#endif
        symlie_mask taken = t != t;
        all_took = 1;
        int verdict[SYMLIE_LANES];
        for (int l = 0; l < SYMLIE_LANES; l++) {
            if (in.member[l] < 0) continue;
            verdict[l] = is_done ? judge_lane(P, &in, l, has_left, &trial) : ALONE;
            if (verdict[l] == TAKEN) taken[l] = -1;
            else all_took = 0;
        }
        if (is_done) accept_lanes(P, &in, taken, &trial);
        for (int l = 0; l < SYMLIE_LANES; l++) {
            const long long member = in.member[l];
            if (member < 0) continue;
            if (verdict[l] == TAKEN && records_end(plan, states + member, in.attempt + l)) record_lane(P, &in, l);
            if (verdict[l] != ALONE) continue;
            const int of_member = step_alone(P, &in, l, &budget);
            if (of_member == SYMLIE_BUDGET) continue;
            status[member] = of_member;
            in.member[l] = -1;
        }
    }
    for (int l = 0; l < SYMLIE_LANES; l++)
        if (in.member[l] >= 0) take_state(P, &in, l);
    for (next = first; next < count && status[next] != SYMLIE_BUDGET; next++) continue;
    return next;
}

#endif
