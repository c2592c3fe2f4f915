/* Start times and lengths of steps: the part of the time loop that does not compute with states. */
#ifndef SYMLIE_PACE_H
#define SYMLIE_PACE_H

#define SYMLIE_GOES_ON (-1) /* attempt the next step */
#define SYMLIE_RECORDS (-2) /* record the state */
#define SYMLIE_SEEKS_STEP (-3) /* the length of the next step is unknown */

/* A step to be attempted. */
typedef struct {
    symlie_scalar t;
    symlie_scalar h;
    symlie_scalar end;
    int is_last;                /* 1 if it is the last step of its segment */
    long long segment;          /* segment to which the step length `equal` applies; -1: none yet */
    symlie_scalar equal;
    symlie_scalar planned;      /* end of the fixed step of which a part is attempted, up to the next impact; else `end` */
} symlie_attempt;

#define NO_ATTEMPT {.segment = -1}

static inline void record_tried(symlie_record *record, const symlie_attempt *attempt, symlie_scalar error, int accepted,
                                const newton_counts *newton, int lane, long long order)
{
    if (!record->trace) return;
    symlie_scalar *row = record->trace + TRACE_WIDTH * record->tried++;
    row[0] = attempt->t;
    row[1] = attempt->h;
    row[2] = error;
    row[3] = (symlie_scalar)accepted;
    row[4] = (symlie_scalar)SYMLIE_OF_LANE(newton->iterations, lane);
    row[5] = (symlie_scalar)SYMLIE_OF_LANE(newton->jacobians, lane);
    row[6] = (symlie_scalar)SYMLIE_OF_LANE(newton->halvings, lane);
    row[7] = (symlie_scalar)SYMLIE_OF_LANE(newton->slowest, lane);
    row[8] = (symlie_scalar)order;
}

/* Step size factor after a step with the given error. */
static inline symlie_scalar step_factor(const symlie_control *control, symlie_scalar error)
{
    const symlie_scalar proposed = error > 0 ? control->safety * pow(error, -control->exponent) : control->fac_max;
    const symlie_scalar factor = fmin(control->fac_max, fmax(control->fac_min, proposed));
    return factor >= 1 && factor <= control->hold ? 1 : factor;
}

/* Smallest step size that advances time at t, and over the interval of the plan, by more than round-off. */
static inline symlie_scalar smallest_step(const symlie_plan *plan, symlie_scalar t)
{
    const symlie_scalar span = plan->end[plan->segments - 1] - plan->start[0];
    const symlie_scalar at = fabs(t), of_time = TIME_RESOLUTION * (at > span ? at : span);
    return of_time > plan->control->h_min ? of_time : plan->control->h_min;
}

/* Discard the method history and the proposed step size. */
static inline void begin_anew(const symlie_control *control, symlie_state *state)
{
    state->own_is_valid = 0;
    if (RESTARTS_AT_KINKS && control->is_adaptive) state->h = 0;
}

/* Enter a segment. A jump at its start invalidates data from before the jump. */
static inline void enter_segment(const symlie_plan *plan, symlie_state *state, long long segment)
{
    state->segment = segment, state->step = 0;
    if (segment >= plan->segments) return;
    if (plan->restarts[segment] == JUMP) state->acceleration_is_valid = 0, state->is_after_jump = STARTS_FROM_MULTIPLIERS;
    if (plan->restarts[segment] == JUMP || (RESTARTS_AT_KINKS && plan->restarts[segment] == KINK)) begin_anew(plan->control, state);
}

/* Determine the next step of a run if the returned status is SYMLIE_GOES_ON; other values request an action or are
 * the status of the run. The length of a polynomial step is the rounded difference of its end times, which differs
 * from h by round-off: fast motions are sensitive to this difference. */
static inline int next_attempt(const symlie_plan *plan, symlie_state *state, const symlie_record *record, long long *budget,
                               int event_values, symlie_attempt *attempt)
{
    const symlie_control *control = plan->control;
    for (; state->segment < plan->segments; enter_segment(plan, state, state->segment + 1)) {
        if (plan->pause > 0 && state->segment == plan->pause) return SYMLIE_DONE;
        const symlie_scalar start = plan->start[state->segment], end = plan->end[state->segment];
        const long long steps = plan->steps[state->segment];
        /* Steps start slightly after a jump of an input. */
        if (state->t < start) state->t = start;
        if (!(start < end) && plan->record_end[state->segment]) {
            if (record->count >= record->capacity) return SYMLIE_BUFFER_FULL;
            enter_segment(plan, state, state->segment + 1);
            return SYMLIE_RECORDS;
        }
        if (control->is_adaptive ? !(state->t < end) : state->step >= steps) continue;
        if (record->count + 2 * (HAS_SWITCHES && plan->record_switches) + (HAS_CHANGES && plan->record_changes) >= record->capacity || record->tried >= record->capacity
            || record->events + MOST_EVENTS * event_values > record->event_capacity)
            return SYMLIE_BUFFER_FULL;
        if (RESTARTS_AT_KINKS && control->is_adaptive && !(state->h > 0)) return SYMLIE_SEEKS_STEP;
        if (state->step >= control->max_steps) return SYMLIE_TOO_MANY_STEPS;
        if ((*budget)-- <= 0) return SYMLIE_BUDGET;
        if (control->is_adaptive) {
            const symlie_scalar t = state->t, h = state->h < control->h_max ? state->h : control->h_max;
            /* A remainder slightly longer than a step becomes a single step. */
            const int is_last = !(t + STRETCH * h < end);
            if (!is_last && h < smallest_step(plan, t)) return SYMLIE_STEP_UNDERFLOW;
            attempt->t = t, attempt->h = h, attempt->end = is_last ? end : t + h, attempt->is_last = is_last;
            if (is_last || POLYNOMIAL) attempt->h = attempt->end - t;
        } else {
            if (attempt->segment != state->segment)
                attempt->segment = state->segment, attempt->equal = (end - start) / (symlie_scalar)steps;
            attempt->t = start + (symlie_scalar)state->step * attempt->equal;
            attempt->h = attempt->equal;
            attempt->is_last = state->step + 1 == steps;
            attempt->end = attempt->is_last ? end : start + (symlie_scalar)(state->step + 1) * attempt->equal;
            /* After a switch or a change of the state, attempt the rest of the step. */
            if ((HAS_SWITCHES || HAS_CHANGES) && state->t > attempt->t) attempt->t = state->t, attempt->h = attempt->end - state->t;
            attempt->planned = attempt->end;
            const symlie_scalar part = HAS_CONTACTS && state->t == state->changed_at ? FLIGHTS * state->flight : 0;
            if (part > 0 && part < attempt->h) attempt->end = attempt->t + part, attempt->h = part, attempt->is_last = 0;
            if (POLYNOMIAL) attempt->h = attempt->end - attempt->t;
        }
        if (control->is_adaptive) attempt->planned = attempt->end;
        return SYMLIE_GOES_ON;
    }
    return SYMLIE_DONE;
}

/* Return whether the run ends with this step if it is accepted. */
static inline int ends_run(const symlie_plan *plan, const symlie_state *state, const symlie_attempt *attempt)
{
    return attempt->is_last && state->segment + 1 == plan->segments;
}

/* Return whether stiffness detection checks the next step, which then needs an error estimate. */
static inline int looks_at_step(const symlie_control *restrict control, const symlie_state *restrict state)
{
    if (!(control->stiffness_limit > 0) || state->stiff_step > 0 || state->chattering_step > 0) return 0;
    return state->suspicious_steps > 0 || (state->steps + 1) % STIFFNESS_EVERY == 0;
}

/* Return whether the planned step is much shorter than the longest recent one. */
static inline int is_short(const symlie_state *restrict state)
{
    return state->h < SHORT_STEP * state->watch_reference;
}

/* Store the length of the longest recent step, which decreases with each step. */
static inline void remember_step(symlie_state *restrict state)
{
    state->watch_reference = fmax(state->h, STEP_MEMORY * state->watch_reference);
}

/* Propose the next step size after an accepted step, scaled by a factor. */
static inline void propose_step(symlie_state *state, const symlie_attempt *attempt, symlie_scalar factor)
{
    const symlie_scalar proposed = attempt->h * factor;
    /* A step shortened to reach a stop time says little about the admissible step size. */
    state->h = attempt->is_last && !POLYNOMIAL ? fmax(proposed, state->h) : proposed;
}

/* Repeat a step with a smaller step size after an error. Return 0 if time would hardly advance. Steps that were not
 * attempted are not counted as rejected. */
static inline int shorten_step(const symlie_plan *plan, symlie_state *state, const symlie_attempt *attempt, symlie_scalar factor, int is_tried,
                               symlie_scalar error)
{
    if (attempt->h * factor < smallest_step(plan, attempt->t)) return 0;
    state->h = attempt->h * factor;
    state->rejected += is_tried;
    state->surprises += is_tried && !(error <= SURPRISE);
    return 1;
}

/* Continue after a step that ended at a switch; with a fixed step size, it was only a part of a step. */
static inline void go_on_from_switch(const symlie_control *control, symlie_state *state, int is_part)
{
    state->acceleration_is_valid = 0;
    begin_anew(control, state);
    if (is_part) state->step--, state->steps--;
}

/* Return whether the state at the end of a step is recorded. */
static inline int records_end(const symlie_plan *plan, const symlie_state *state, const symlie_attempt *attempt)
{
    return (attempt->is_last && plan->record_end[state->segment])
           || (plan->record_every && state->steps % plan->record_every == 0);
}

#endif
