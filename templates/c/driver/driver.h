/* The time loop that all one-step methods share: plan, step size, projection, events, records, statistics. A method
 * defines method_step and is included before this file. */
#ifndef SYMLIE_DRIVER_H
#define SYMLIE_DRIVER_H

#include "trial.h"
#include "drift.h"
#include "stiffness.h"
#include "events.h"

static inline long long trial_workspace(const symlie_problem *restrict P)
{
    return STORAGE + 5LL * DIMENSION + ROWS + EVENTS + INCREMENTS + CARRIED + OWN;
}

long long symlie_workspace(const symlie_problem *P)
{
    if (FIXED_TOPOLOGY) return kept_workspace(P);
    long long inner = step_workspace(P);
#if SUBSTEPS
    inner += substep_workspace(P);
#endif
    if (acceleration_workspace(P) > inner) inner = acceleration_workspace(P);
    if (projection_workspace(P) > inner) inner = projection_workspace(P);
    if (carried_workspace(P) > inner) inner = carried_workspace(P);
    if (drift_workspace(P) > inner) inner = drift_workspace(P);
    if (stiffness_workspace(P) > inner) inner = stiffness_workspace(P);
    return kept_workspace(P) + mass_workspace(P) + (1 + (HAS_EVENTS || FIELDS)) * trial_workspace(P) + event_workspace(P) + inner;
}

int symlie_acceleration(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *v, symlie_real *a, symlie_real *lambda)
{
    mass_matrix mass;
    symlie_real *work = place_mass(P, P->workspace + kept_workspace(P), &mass);
    if (!evaluate_mass(P, t, q, &mass)) return mass_failure(P, 0, &mass);
    return index1_acceleration(P, work, t, q, v, &mass, a, lambda);
}

static inline void record_state(const symlie_problem *restrict P, const symlie_state *s, symlie_record *record)
{
    const long long n = record->count++;
    record->t[n] = s->t;
    copy(STORAGE, s->q, record->q + n * STORAGE);
    copy(DIMENSION, s->v, record->v + n * DIMENSION);
    copy(ROWS, s->lambda, record->lambda + n * ROWS);
    copy(CARRIED, s->carried, record->carried + n * CARRIED);
}

static inline void record_tried(symlie_record *record, symlie_real t, symlie_real h, symlie_real error, int accepted,
                                const symlie_trial *restrict trial)
{
    const newton_counts *restrict newton = &trial->newton;
    if (!record->trace) return;
    symlie_real *row = record->trace + TRACE_WIDTH * record->tried++;
    row[0] = t;
    row[1] = h;
    row[2] = error;
    row[3] = accepted;
    row[4] = (symlie_real)newton->iterations;
    row[5] = (symlie_real)newton->jacobians;
    row[6] = (symlie_real)newton->halvings;
    row[7] = (symlie_real)newton->slowest;
    row[8] = (symlie_real)trial->order;
}

/* Factor of the step size after a step. */
static inline symlie_real step_factor(const symlie_control *control, const symlie_trial *restrict trial)
{
    if (CHOOSES_ORDER) return trial->factor;
    const symlie_real error = trial->error;
    const symlie_real proposed = error > 0 ? control->safety * pow(error, -control->exponent) : control->fac_max;
    const symlie_real factor = fmin(control->fac_max, fmax(control->fac_min, proposed));
    return factor >= 1 && factor <= control->hold ? 1 : factor;
}

/* The smallest step that moves time by more than its rounding, at t and over the interval of the plan. */
static inline symlie_real smallest_step(const symlie_plan *plan, symlie_real t)
{
    const symlie_real span = plan->end[plan->segments - 1] - plan->start[0];
    return fmax(plan->control->h_min, TIME_RESOLUTION * fmax(fabs(t), span));
}

int symlie_integrate(const symlie_problem *P, symlie_state *state, const symlie_plan *plan, symlie_record *record)
{
    const symlie_control *control = plan->control;
    long long budget = plan->budget;
    mass_matrix mass;
    symlie_real *work = place_mass(P, P->workspace + kept_workspace(P), &mass);
    TRIAL(trial);
#if HAS_EVENTS
    TRIAL(other);
#endif
    if (!evaluate_mass(P, state->t, state->q, &mass)) return mass_failure(P, 0, &mass);
    const int begun = begin_events(P, state);
    if (begun != SYMLIE_DONE) return begun;
    for (; state->segment < plan->segments; state->segment++, state->step = 0) {
        const symlie_real start = plan->start[state->segment], end = plan->end[state->segment];
        const long long steps = plan->steps[state->segment];
        /* After a jump of an input steps begin a little later, and what was known before it is of no use. */
        if (state->t < start) state->t = start, state->acceleration_is_valid = state->own_is_valid = 0;
        const symlie_real equal = control->is_adaptive ? 0 : (end - start) / (symlie_real)steps;
        while (control->is_adaptive ? state->t < end : state->step < steps) {
            if (record->count >= record->capacity || record->tried >= record->capacity
                || record->events + MOST_EVENTS * EVENTS > record->event_capacity)
                return SYMLIE_BUFFER_FULL;
            if (state->step >= control->max_steps) return SYMLIE_TOO_MANY_STEPS;
            if (budget-- <= 0) return SYMLIE_BUDGET;
            const symlie_real t = control->is_adaptive ? state->t : start + (symlie_real)state->step * equal;
            symlie_real h = equal, end_of_step;
            int is_last;
            if (control->is_adaptive) {
                h = fmin(state->h, control->h_max);
                /* A rest that is hardly longer than a step becomes one step. */
                is_last = !(t + STRETCH * h < end);
                if (is_last) h = end - t;
                else if (h < smallest_step(plan, t)) return SYMLIE_STEP_UNDERFLOW;
                end_of_step = is_last ? end : t + h;
            } else {
                is_last = state->step + 1 == steps;
                end_of_step = is_last ? end : start + (symlie_real)(state->step + 1) * equal;
            }
            trial.keeps_difference = looks_at_step(control, state);
            const int begins = !state->own_is_valid;
            begin_counts(&trial);
            const long long rank_changes = state->rank_changes;
            int status = begin_method(P, work, t, h, control, &mass, state);
            if (status == SYMLIE_DONE) status = try_step(P, work, t, h, control, &mass, state, &trial);
            if (control->is_adaptive) {
                const int failed = status != SYMLIE_DONE || !(trial.error <= (symlie_real)INFINITY);
                if (failed || !(trial.error <= 1)) {
                    const symlie_real factor = failed ? FAILED_STEP : fmin(step_factor(control, &trial), REJECTED_STEP);
                    record_tried(record, t, h, failed ? (symlie_real)NAN : trial.error, 0, &trial);
                    if (h * factor < smallest_step(plan, t)) return status != SYMLIE_DONE ? status : SYMLIE_STEP_UNDERFLOW;
                    if (!failed) keep_first_stage(P, state, &trial);
                    /* What a method begins with belongs to the length of its first step. */
                    if (begins) state->own_is_valid = 0;
                    state->h = h * factor;
                    state->rejected++;
                    continue;
                }
            }
            if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
            status = finish_step(P, work, t, end_of_step, control, &mass, state, &trial);
            if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
            if (SYMLIE_UNLIKELY(!keeps_constraints(P, work, end_of_step, &mass, state, &trial)))
                return SYMLIE_CONSTRAINT_DRIFT;
            if (SYMLIE_UNLIKELY(trial.keeps_difference)) look_at_step(P, work, end_of_step, h, control, &mass, state, &trial);
            record_tried(record, t, h, control->with_estimate ? trial.error : (symlie_real)NAN, 1, &trial);
            int is_terminal = 0;
#if HAS_EVENTS
            status = find_events(P, work, t, h, end_of_step, control, &mass, state, &trial, &other, record, &is_terminal,
                                 &end_of_step);
            if (status != SYMLIE_DONE) return status;
#endif
            if (control->is_adaptive) {
                const symlie_real proposed = h * step_factor(control, &trial);
                /* A step that was cut short to hit a time says little about the step size that is possible. */
                state->h = is_last ? fmax(proposed, state->h) : proposed;
            }
            if (!is_terminal)
                carry(P, work, state->t, state->q, state->carried, end_of_step, trial.q, trial.increment, trial.carried);
            accept(P, state, end_of_step, &trial);
            const int at_end = is_last && plan->record_end[state->segment];
            if (at_end || is_terminal || (plan->record_every && state->steps % plan->record_every == 0))
                record_state(P, state, record);
            if (is_terminal) return SYMLIE_EVENT;
            /* For whoever wants to tell of it. */
            if (PROBES > 0 && SYMLIE_UNLIKELY(state->rank_changes != rank_changes)) budget = 0;
        }
    }
    return SYMLIE_DONE;
}

#endif
