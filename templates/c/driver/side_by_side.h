/* Members of one topology side by side in the lanes of vector registers, each with the bits that it has alone. Lanes share
 * what a step computes; t, h, errors and counts belong to each of them. A member takes a step alone, by symlie_integrate,
 * where the lanes' common step fails, where it is its first one or is to be looked at, and once it is the last that is
 * left; a lane whose member is done takes the next one. */
#ifndef SYMLIE_SIDE_BY_SIDE_H
#define SYMLIE_SIDE_BY_SIDE_H

#include "trial.h"
#include "pace.h"
#include "drift.h"

/* The members in the lanes, and what they have in common. */
typedef struct {
    const symlie_problem *problems;
    symlie_state *states;
    const symlie_plan *plan;
    symlie_record *records;
    const symlie_lanes *lanes;
    symlie_problem P;           /* parameters of all lanes */
    symlie_state state;         /* their states */
    symlie_real *p;             /* where parameters are written */
    long long member[SYMLIE_LANES]; /* -1: none */
    symlie_attempt attempt[SYMLIE_LANES];
} lane_members;

static inline void put_lane(long long n, const void *from, int lane, symlie_real *to)
{
    const symlie_scalar *numbers = from;
    for (long long k = 0; k < n; k++) to[k][lane] = numbers[k];
}

static inline void take_lane(long long n, const symlie_real *from, int lane, void *to)
{
    symlie_scalar *numbers = to;
    for (long long k = 0; k < n; k++) numbers[k] = from[k][lane];
}

static inline long long parameters_of(const symlie_lanes *lanes)
{
    long long all = 0;
    for (long long k = 0; k <= lanes->types; k++) all += lanes->parameters[k];
    return all;
}

/* Numbers of the lanes' states. */
static inline long long states_of(const symlie_problem *restrict P) { return STORAGE + 2LL * DIMENSION + ROWS + CARRIED; }

long long symlie_lanes_workspace(const symlie_problem *P, const symlie_lanes *lanes)
{
    long long inner = step_workspace(P);
    if (carried_workspace(P) > inner) inner = carried_workspace(P);
    if (drift_workspace(P) > inner) inner = drift_workspace(P);
    const long long steps = FIXED_TOPOLOGY ? 0 : mass_workspace(P) + trial_workspace(P) + inner;
    return (parameters_of(lanes) + states_of(P) + steps + 1) * SYMLIE_LANES;
}

/* The state of a lane's member, between calls and where it goes on alone. */
static inline void put_state(const symlie_problem *restrict P, lane_members *in, int lane)
{
    const symlie_state *s = in->states + in->member[lane];
    put_lane(STORAGE, s->q, lane, in->state.q);
    put_lane(DIMENSION, s->v, lane, in->state.v);
    put_lane(ROWS, s->lambda, lane, in->state.lambda);
    put_lane(CARRIED, s->carried, lane, in->state.carried);
    put_lane(DIMENSION, s->acceleration, lane, in->state.acceleration);
}

static inline void take_state(const symlie_problem *restrict P, const lane_members *in, int lane)
{
    symlie_state *s = in->states + in->member[lane];
    take_lane(STORAGE, in->state.q, lane, s->q);
    take_lane(DIMENSION, in->state.v, lane, s->v);
    take_lane(ROWS, in->state.lambda, lane, s->lambda);
    take_lane(CARRIED, in->state.carried, lane, s->carried);
    take_lane(DIMENSION, in->state.acceleration, lane, s->acceleration);
}

static inline void record_lane(const symlie_problem *restrict P, const lane_members *in, int lane)
{
    symlie_record *record = in->records + in->member[lane];
    const long long n = record->count++;
    record->t[n] = in->states[in->member[lane]].t;
    take_lane(STORAGE, in->state.q, lane, record->q + n * STORAGE);
    take_lane(DIMENSION, in->state.v, lane, record->v + n * DIMENSION);
    take_lane(ROWS, in->state.lambda, lane, record->lambda + n * ROWS);
    take_lane(CARRIED, in->state.carried, lane, record->carried + n * CARRIED);
}

/* So many steps of a member by itself; its status. */
SYMLIE_COLD int go_alone(lane_members *in, long long member, long long *budget, long long most)
{
    symlie_plan plan = *in->plan;
    symlie_problem P = in->problems[member];
    symlie_state *s = in->states + member;
    const long long before = s->steps + s->rejected;
    plan.budget = *budget < most ? *budget : most;
    P.workspace = in->lanes->workspace_alone;
    const int status = in->lanes->alone(&P, s, &plan, in->records + member);
    *budget -= s->steps + s->rejected - before;
    return status;
}

/* A member in a lane begins, or goes on. */
static inline void put_member(const symlie_problem *restrict P, lane_members *in, int lane)
{
    const symlie_problem *from = in->problems + in->member[lane];
    symlie_real *p = in->p;
    put_lane(in->lanes->parameters[0], from->p, lane, p);
    p += in->lanes->parameters[0];
    for (long long k = 0; k < in->lanes->types; k++) {
        put_lane(in->lanes->parameters[k + 1], from->elements[k].parameters, lane, p);
        p += in->lanes->parameters[k + 1];
    }
    put_state(P, in, lane);
}

/* A lane has the numbers of another one. */
static inline void share_lane(const symlie_problem *restrict P, lane_members *in, int from, int to)
{
    const long long n = parameters_of(in->lanes) + states_of(P);
    for (long long k = 0; k < n; k++) in->p[k][to] = in->p[k][from];
}

static inline void place_lanes(lane_members *in, const symlie_problem *first)
{
    const size_t size = sizeof(symlie_real);
    symlie_real *work = (symlie_real *)(((size_t)in->lanes->workspace + size - 1) / size * size);
    symlie_problem *P = &in->P;
    *P = *first;
    in->p = work;
    P->p = work;
    work += in->lanes->parameters[0];
    for (long long k = 0; k < in->lanes->types; k++) {
        in->lanes->elements[k] = first->elements[k];
        in->lanes->elements[k].parameters = work;
        work += in->lanes->parameters[k + 1];
    }
    P->elements = in->lanes->elements;
    in->state = (symlie_state){0};
    in->state.q = work, work += STORAGE;
    in->state.v = work, work += DIMENSION;
    in->state.lambda = work, work += ROWS;
    in->state.carried = work, work += CARRIED;
    in->state.acceleration = work, work += DIMENSION;
    P->workspace = work;
}

/* What of the lanes' states moves on to a step's end: those that took it. */
static inline void accept_lanes(const symlie_problem *restrict P, lane_members *in, symlie_mask taken, const symlie_trial *restrict trial)
{
    symlie_state *s = &in->state;
    for (int k = 0; k < STORAGE; k++) s->q[k] = SYMLIE_WHERE(taken, trial->q[k], s->q[k]);
    for (int k = 0; k < DIMENSION; k++) s->v[k] = SYMLIE_WHERE(taken, trial->v[k], s->v[k]);
    for (int k = 0; k < ROWS; k++) s->lambda[k] = SYMLIE_WHERE(taken, trial->lambda[k], s->lambda[k]);
    for (int k = 0; k < CARRIED; k++) s->carried[k] = SYMLIE_WHERE(taken, trial->carried[k], s->carried[k]);
    if (trial->acceleration_is_valid)
        for (int k = 0; k < DIMENSION; k++)
            s->acceleration[k] = SYMLIE_WHERE(taken, trial->acceleration[k], s->acceleration[k]);
}

enum { TAKEN, SHORTENED, ALONE };

/* Whether a lane's constraints are to be looked at behind a step, as keeps_constraints has it. */
static inline int is_looked_at(const lane_members *in, int lane, const symlie_trial *restrict trial)
{
    return CONSTRAINED && trial->largest_constraint[lane] > in->states[in->member[lane]].drift_bound;
}

/* What becomes of a lane after a common step; whatever is not ordinary, its member does alone. */
static inline int judge_lane(const symlie_problem *restrict P, lane_members *in, int lane, int has_left,
                             const symlie_trial *restrict trial)
{
    static const newton_counts none = NO_COUNTS;
    const symlie_control *control = in->plan->control;
    symlie_state *s = in->states + in->member[lane];
    symlie_record *record = in->records + in->member[lane];
    const symlie_attempt *attempt = in->attempt + lane;
    const symlie_scalar error = trial->error[lane], phi = trial->largest_constraint[lane], rate = trial->largest_velocity[lane];
    const int is_taken = !control->is_adaptive || error <= 1;
    if (control->is_adaptive && !(error <= (symlie_scalar)INFINITY)) return ALONE;
    if (!is_taken && !shorten_step(in->plan, s, attempt, fmin(step_factor(control, error), REJECTED_STEP))) return ALONE;
    if (is_taken && is_looked_at(in, lane, trial)) {
        if (has_left) return ALONE;
        s->drift_bound = 2 * phi;
    }
    s->rhs_evaluations += trial->rhs_evaluations - (s->acceleration_is_valid && !in->state.acceleration_is_valid);
    record_tried(record, attempt, is_taken && !control->with_estimate ? (symlie_scalar)NAN : error, is_taken, &none, 0);
    if (!is_taken) {
        if (!s->acceleration_is_valid)
            for (int k = 0; k < DIMENSION; k++) in->state.acceleration[k][lane] = trial->first_acceleration[k][lane];
        s->acceleration_is_valid = 1;
        return SHORTENED;
    }
    if (control->is_adaptive) propose_step(s, attempt, step_factor(control, error));
    if (CONSTRAINED && phi > s->largest_constraint) s->largest_constraint = phi;
    if (CONSTRAINED && rate > s->largest_velocity) s->largest_velocity = rate;
    s->acceleration_is_valid = trial->acceleration_is_valid;
    s->t = attempt->end;
    s->step++;
    s->steps++;
    return TAKEN;
}

/* A step of a lane's member by itself; what ends it, or SYMLIE_BUDGET. */
SYMLIE_COLD int step_alone(const symlie_problem *restrict P, lane_members *in, int lane, long long *budget)
{
    take_state(P, in, lane);
    const int status = go_alone(in, in->member[lane], budget, 1);
    if (status == SYMLIE_BUDGET) put_state(P, in, lane);
    return status;
}

/* The next step of a lane's member, if it is one that lanes take in common; otherwise what ends it. */
static inline int next_common_step(const symlie_problem *restrict P, lane_members *in, int lane, long long *budget)
{
    for (;;) {
        symlie_state *s = in->states + in->member[lane];
        const int next = next_attempt(in->plan, s, in->records + in->member[lane], budget, 0, in->attempt + lane);
        if (next != SYMLIE_GOES_ON || !looks_at_step(in->plan->control, s)) return next;
        ++*budget;
        const int status = step_alone(P, in, lane, budget);
        if (status != SYMLIE_BUDGET) return status;
    }
}

/* The next member that is not done, in a lane; those that end with their first step, which each takes alone, are done. Gives
 * how far members are taken. */
static inline long long take_member(const symlie_problem *restrict P, lane_members *in, int lane, long long next, long long count, int *restrict status,
                                    long long *budget)
{
    for (; next < count; next++) {
        if (status[next] != SYMLIE_BUDGET) continue;
        if (*budget <= 0) return next;
        if (in->states[next].steps == 0 && (status[next] = go_alone(in, next, budget, 1)) != SYMLIE_BUDGET) continue;
        in->member[lane] = next;
        put_member(P, in, lane);
        return next + 1;
    }
    return next;
}

long long symlie_integrate_lanes(const symlie_problem *problems, long long first, long long count, symlie_state *states,
                                 const symlie_plan *plan, symlie_record *records, int *status, const symlie_lanes *lanes)
{
    lane_members in = {.problems = problems, .states = states, .plan = plan, .records = records, .lanes = lanes};
    long long next = first, budget = plan->budget;
    mass_matrix mass;
    place_lanes(&in, problems + first);
    const symlie_problem *P = &in.P;
    symlie_real *work = place_mass(P, P->workspace, &mass);
    symlie_real t = SYMLIE_NUMBER(0), h = SYMLIE_NUMBER(0), end = SYMLIE_NUMBER(0);
    TRIAL(trial);
    for (int l = 0; l < SYMLIE_LANES; l++) in.member[l] = -1, in.attempt[l] = (symlie_attempt)NO_ATTEMPT;
    for (int is_over = 0; !is_over;) {
        int used = -1, uses = 0, has_new = 0;
        for (int l = 0; l < SYMLIE_LANES && !is_over; l++) {
            int of_member = SYMLIE_DONE;
            do {
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
        if (!is_over && uses == 1 && next >= count) {
            take_state(P, &in, used);
            status[in.member[used]] = go_alone(&in, in.member[used], &budget, budget);
            in.member[used] = -1;
            is_over = 1;
        }
        if (is_over) break;
        in.state.acceleration_is_valid = 1;
        for (int l = 0; l < SYMLIE_LANES; l++) {
            const int from = in.member[l] >= 0 ? l : used;
            /* A lane without a member does what another one does. */
            if (from != l) has_new = 1, share_lane(P, &in, from, l);
            t[l] = in.attempt[from].t, h[l] = in.attempt[from].h, end[l] = in.attempt[from].end;
            in.state.acceleration_is_valid &= states[in.member[from]].acceleration_is_valid != 0;
        }
        int is_done = !MASS_IS_CONSTANT || !has_new || evaluate_mass(P, t, in.state.q, &mass);
        trial.error = SYMLIE_NUMBER(0);
        trial.rhs_evaluations = 0;
        is_done = is_done && single_step(P, work, t, h, plan->control, &mass, &in.state, &trial) == SYMLIE_DONE;
        if (is_done) carry(P, work, t, in.state.q, in.state.carried, end, trial.q, trial.increment, trial.carried);
        int has_left = 0;
#if CONSTRAINED
        for (int l = 0; l < SYMLIE_LANES; l++) has_left |= is_done && in.member[l] >= 0 && is_looked_at(&in, l, &trial);
        has_left = has_left && has_drifted(P, work, end, &mass, trial.q, trial.largest_constraint);
#endif
        symlie_mask taken = t != t;
        int verdict[SYMLIE_LANES];
        for (int l = 0; l < SYMLIE_LANES; l++) {
            if (in.member[l] < 0) continue;
            verdict[l] = is_done ? judge_lane(P, &in, l, has_left, &trial) : ALONE;
            if (verdict[l] == TAKEN) taken[l] = -1;
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
