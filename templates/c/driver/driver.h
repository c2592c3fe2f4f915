/* Time loop of all one-step methods: plan, step size, projection, events, records, statistics. Each method defines
 * method_step in a file included before this one. */
#ifndef SYMLIE_DRIVER_H
#define SYMLIE_DRIVER_H

#include "finish.h"
#include "drift.h"
#include "rank_loss.h"
#include "pace.h"
#include "stiffness.h"
#include "events.h"
#include "event_changes.h"
#include "slip_directions.h"
#include "record.h"
#include "switches.h"
#if RESTARTS_AT_KINKS
#include "first_step.h"
#endif

long long symlie_workspace(const symlie_problem *P)
{
    if (FIXED_TOPOLOGY) return kept_workspace(P);
    long long inner = step_workspace(P) + substep_workspace(P);
    if (acceleration_workspace(P) > inner) inner = acceleration_workspace(P);
    if (projection_workspace(P) > inner) inner = projection_workspace(P);
    if (carried_workspace(P) > inner) inner = carried_workspace(P);
    if (drift_workspace(P) > inner) inner = drift_workspace(P);
    if (rank_workspace(P) > inner) inner = rank_workspace(P);
    if (stiffness_workspace(P) > inner) inner = stiffness_workspace(P);
    if (change_workspace(P) > inner) inner = change_workspace(P);
    if (slip_workspace(P) > inner) inner = slip_workspace(P);
#if RESTARTS_AT_KINKS
    if (estimate_workspace(P) > inner) inner = estimate_workspace(P);
#endif
    return kept_workspace(P) + mass_workspace(P) + (1 + (HAS_EVENTS || BY_SHORTER_STEPS || HAS_SWITCHES)) * trial_workspace(P) + event_workspace(P) + switch_workspace(P) + inner;
}

int symlie_acceleration(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *v, symlie_real *a, symlie_real *lambda)
{
    mass_matrix mass;
    symlie_real *work = place_mass(P, P->workspace + kept_workspace(P), &mass);
    if (!evaluate_mass(P, t, q, &mass)) return mass_failure(P, SYMLIE_NUMBER(0), &mass);
    return index1_acceleration(P, work, t, q, v, &mass, a, lambda);
}

static inline void record_state(const symlie_problem *restrict P, const symlie_state *s, symlie_record *record)
{
    if (record->acceleration) copy(DIMENSION, s->acceleration, record->acceleration + record->count * DIMENSION);
    if (record->own) copy(OWN, s->own, record->own + record->count * OWN);
    record_at(P, TIME_OF(s), s->q, s->v, s->lambda, s->carried, record);
}

/* Factor of the step size after a step. */
static inline symlie_scalar factor_of(const symlie_control *control, const symlie_trial *restrict trial)
{
    return CHOOSES_LENGTH ? SYMLIE_VALUE(trial->factor) : step_factor(control, SYMLIE_VALUE(trial->error));
}

/* Choose the length of a step without information from earlier steps. */
static inline void find_first_step(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_plan *plan,
                                   mass_matrix *restrict mass, symlie_state *state)
{
#if RESTARTS_AT_KINKS
    const symlie_control *control = plan->control;
    const symlie_real longest = fmin(plan->end[state->segment] - state->t, control->h_max);
    const symlie_real found = first_step(P, control, FIRST_ORDER, state->t, longest, state->q, state->v, mass, work);
    state->h = fmax(SYMLIE_VALUE(found), smallest_step(plan, state->t));
#if HAS_CHANGES
    limit_first_step(plan, state);
#endif
#endif
}

/* Compute v' and lambda after a jump, from which the next step starts. */
static inline int start_after_jump(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, mass_matrix *restrict mass,
                                   symlie_state *restrict state)
{
    const int status = index1_acceleration(P, work, t, state->q, state->v, mass, state->acceleration, state->lambda);
    if (status == SYMLIE_DONE) state->acceleration_is_valid = 1, state->is_after_jump = 0;
    return status;
}

#if HAS_TANGENTS
/* Planned end of a step. Equal steps of a segment change with its ends; other steps have a constant end. */
static inline symlie_real end_of_step(const symlie_plan *plan, const symlie_state *state, const symlie_attempt *attempt)
{
    symlie_real end = attempt->end;
    if (!plan->moving_end) return end;
    const symlie_real last = plan->moving_end[state->segment], first = state->segment ? plan->moving_end[state->segment - 1] : 0;
    const double part = (double)(state->step + 1) / (double)plan->steps[state->segment];
    if (attempt->is_last) end.tangent = last.tangent;
    else if (!plan->control->is_adaptive) end.tangent = first.tangent + (last.tangent - first.tangent) * part;
    return end;
}
#endif

static SYMLIE_INLINE int take_steps(const symlie_problem *P, symlie_state *state, const symlie_plan *plan, symlie_record *record)
{
    const symlie_control *control = plan->control;
    long long budget = plan->budget;
    symlie_attempt attempt = NO_ATTEMPT;
    mass_matrix mass;
    symlie_real *work = place_mass(P, P->workspace + kept_workspace(P), &mass);
    TRIAL(trial);
    clear_fields(P, trial.acceleration);
#if HAS_EVENTS || HAS_SWITCHES
    TRIAL(other);
    other.is_inside = 1;
#endif
#if VALUES_FIRST
    value_steps values;
    if (!begin_values(P, state, &values)) return SYMLIE_SINGULAR;
    trial.values = &values;
#if HAS_EVENTS || HAS_SWITCHES
    other.values = &values;
#endif
#endif
    if (!evaluate_mass(P, state->t, state->q, &mass)) return mass_failure(P, SYMLIE_NUMBER(0), &mass);
#if RELEASES && HAS_CHANGES
    if (!keep_rows(P, work, state, &mass)) return SYMLIE_NOT_FINITE;
#endif
    const int begun = begin_events(P, control, state);
    if (begun != SYMLIE_DONE) return begun;
    for (;;) {
        const int next = next_attempt(plan, state, record, &budget, HAS_EVENTS ? EVENTS : 0, &attempt);
        if (next == SYMLIE_RECORDS) record_state(P, state, record);
        if (next == SYMLIE_SEEKS_STEP) find_first_step(P, work, plan, &mass, state);
        if (next == SYMLIE_RECORDS || next == SYMLIE_SEEKS_STEP) continue;
        if (next != SYMLIE_GOES_ON) return next;
#if HAS_TANGENTS
        const symlie_real t = {attempt.t, state->time->tangent}, planned_end = end_of_step(plan, state, &attempt);
        const symlie_real h = {attempt.h, planned_end.tangent - t.tangent};
#else
        const symlie_scalar t = attempt.t, h = attempt.h, planned_end = attempt.end;
#endif
        trial.keeps_difference = looks_at_step(control, state);
        trial.ends_run = ends_run(plan, state, &attempt);
        trial.may_be_rough = HAS_SWITCHES, trial.is_rough = 0;
        const int begins = !state->own_is_valid;
        begin_counts(&trial);
        const long long rank_changes = state->rank_changes;
        int status = SYMLIE_DONE;
        if (STARTS_FROM_MULTIPLIERS && state->is_after_jump) status = start_after_jump(P, work, t, &mass, state);
        if (status == SYMLIE_DONE) status = begin_method(P, work, t, h, control, &mass, state);
        if (status == SYMLIE_DONE) status = try_step(P, work, t, h, control, &mass, state, &trial);
#if FOLLOWS_SLIP
        if (control->is_adaptive && status == SYMLIE_DONE && trial.error <= 1)
            trial.error = fmax(trial.error, turning_error(P, work, planned_end, state, &trial));
#endif
        if (control->is_adaptive && status != SYMLIE_CHATTERING) {
            const int failed = status != SYMLIE_DONE || !(trial.error <= (symlie_real)INFINITY);
            if (failed || !(trial.error <= 1)) {
                const symlie_scalar factor = failed ? FAILED_STEP : fmin(factor_of(control, &trial), REJECTED_STEP);
                const int is_tried = failed || !trial.is_untried;
                if (is_tried) record_tried(record, &attempt, failed ? (symlie_scalar)NAN : SYMLIE_VALUE(trial.error), 0, &trial.newton, 0, trial.order);
                if (!shorten_step(plan, state, &attempt, factor, is_tried, failed ? (symlie_scalar)INFINITY : SYMLIE_VALUE(trial.error))) return status != SYMLIE_DONE ? status : SYMLIE_STEP_UNDERFLOW;
                if (!failed) keep_first_stage(P, state, &trial);
                /* The initial method history depends on the length of the first step. */
                if (begins) state->own_is_valid = 0;
                continue;
            }
        }
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        status = finish_step(P, work, t, planned_end, control, &mass, state, &trial);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        symlie_scalar reached = 0;
        reach_by(record, SYMLIE_VALUE(t), SYMLIE_VALUE(h), 0, -1);
#if HAS_CHANGES
        const symlie_scalar planned = HAS_CONTACTS ? attempt.planned : attempt.end;
        const long long first_event = record->events;
#endif
#if HAS_SWITCHES
        const long long recorded = record->count;
        other.may_be_rough = 1;
        reached = SYMLIE_VALUE(find_switch(P, work, t, h, planned_end, control, &mass, state, &trial, &other, plan->record_switches ? record : 0));
        other.may_be_rough = trial.may_be_rough = 0;
        if (trial.is_rough && !(reached > 0)) {
            status = try_step(P, work, t, h, control, &mass, state, &trial);
            if (status == SYMLIE_DONE) status = finish_step(P, work, t, planned_end, control, &mass, state, &trial);
            if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        }
        const int is_part = reached > 0 && reached < h;
        if (is_part) attempt.end = SYMLIE_VALUE(t) + reached, attempt.is_last = 0;
#endif
        trial.is_moved = 0;
        status = follow_branch(P, work, t, attempt.end, control, &mass, state, &trial);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        if (SYMLIE_UNLIKELY(!keeps_constraints(P, work, attempt.end, &mass, state, &trial)))
            return SYMLIE_CONSTRAINT_DRIFT;
        if (SYMLIE_UNLIKELY(trial.keeps_difference)) look_at_step(P, work, attempt.end, h, control, &mass, state, &trial);
        record_tried(record, &attempt, control->with_estimate ? SYMLIE_VALUE(trial.error) : (symlie_scalar)NAN, 1, &trial.newton, 0, trial.order);
        int is_end = 0; /* 1 if the step ends at an event */
        symlie_real end = planned_end;
#if HAS_SWITCHES
        if (is_part) end = attempt.end + (t - SYMLIE_VALUE(t));
#endif
#if HAS_EVENTS
        symlie_real length = h;
        if (reached > 0 && reached < h) length = reached;
#if FOLLOWS_SLIP
        const symlie_scalar attempted = attempt.end;
#endif
        status = find_events(P, work, t, length, end, control, &mass, state, &trial, &other, record, &is_end, &end);
        attempt.end = SYMLIE_VALUE(end);
        if (status != SYMLIE_DONE) return status;
#endif
#if FOLLOWS_SLIP
        if (!is_end && attempt.end < attempted) attempt.is_last = 0, reached = 0;
#endif
        /* A step shortened at a switch gives no information on the admissible step size. */
        if (control->is_adaptive && !(reached > 0)) propose_step(state, &attempt, factor_of(control, &trial));
        if (!is_end)
            carry(P, work, state->t, state->q, state->carried, attempt.end, trial.q, trial.increment, trial.carried);
        accept(P, !FIXED_TOPOLOGY, state, end, &trial);
#if FOLLOWS_SLIP
        if (!is_end) follow_slip(P, work, state->t, state->q, state->v, state->lambda, state->event);
#endif
#if HAS_SWITCHES
        /* Discard records after the event. */
        while (is_end && record->count > recorded && record->t[record->count - 1] >= attempt.end) record->count--;
        if (reached > 0 && !is_end) go_on_from_switch(control, state, is_part && !control->is_adaptive);
        if (is_part && !is_end && !control->is_adaptive) {
            if (plan->record_switches) record_state(P, state, record);
            continue;
        }
#endif
#if HAS_CONTACTS
        if (attempt.end < attempt.planned && !is_end) {
            go_on_from_switch(control, state, !control->is_adaptive);
            if (plan->record_every == 1) record_state(P, state, record);
            continue;
        }
#endif
        record->reached[3] = (symlie_scalar)state->steps;
        /* The initial state of a run is already recorded. */
        const int is_recorded = is_end && plan->record_every && !(attempt.end > t);
#if HAS_CHANGES
        if (is_end && changes_state(P, control, record, first_event, attempt.end)) {
            const int is_early = attempt.end < planned;
            const int is_terminal = ends_run_at(P, control, record, first_event, attempt.end);
            if (is_early) attempt.is_last = 0;
            if (plan->record_changes && attempt.end > t) record_state(P, state, record);
            status = change_state(P, work, first_event, plan, planned, &mass, state, record);
            if (status == SYMLIE_ACCUMULATION) record_state(P, state, record);
            if (status != SYMLIE_DONE) return status;
            go_on_from_switch(control, state, is_early && !control->is_adaptive);
            limit_first_step(plan, state);
            if (is_terminal || plan->record_changes || records_end(plan, state, &attempt)) record_state(P, state, record);
            if (is_terminal) return SYMLIE_EVENT;
            continue;
        }
#endif
        if (!is_recorded && (is_end || records_end(plan, state, &attempt))) record_state(P, state, record);
        if (is_end) return SYMLIE_EVENT;
        /* Return to the caller, which may report the change of rank. */
        if (CONSTRAINED && SYMLIE_UNLIKELY(state->rank_changes != rank_changes)) budget = 0;
    }
}

int symlie_integrate(const symlie_problem *P, symlie_state *state, const symlie_plan *plan, symlie_record *record)
{
    symlie_real *const q = state->q, *const v = state->v, *const lambda = state->lambda, *const acceleration = state->acceleration;
    const int status = take_steps(P, state, plan, record);
    if (FIXED_TOPOLOGY) return status;
    bring_back(STORAGE, q, &state->q);
    bring_back(DIMENSION, v, &state->v);
    bring_back(ROWS, lambda, &state->lambda);
    bring_back(DIMENSION, acceleration, &state->acceleration);
    return status;
}

#endif
