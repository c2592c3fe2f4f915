/* Calls of the time loop for a state in a structure of the caller. */
#ifndef SYMLIE_EXPORTED_CALL_H
#define SYMLIE_EXPORTED_CALL_H

/* Statuses besides those of constants.h. */
#define EXPORTED_INCONSISTENT 32
#define EXPORTED_BAD_ARGUMENT 33
#define EXPORTED_CONSTANT_CHANGED 34

/* The system, and a state with pointers into the structure of the caller. */
typedef struct {
    symlie_problem P;
    symlie_elements elements[EXPORTED_ELEMENTS];
    symlie_state state;
    symlie_record record;
    symlie_scalar recorded[2 * (1 + EXPORTED_STORAGE + EXPORTED_DIMENSION + EXPORTED_ROWS + EXPORTED_CARRIED)];
} exported_call;

static void point_problem(exported_state *s, exported_call *call)
{
    call->P = problem;
    point_elements(s, call->elements);
    call->P.p = s->p, call->P.elements = call->elements, call->P.workspace = s->workspace;
}

SYMLIE_APART void open_call(exported_state *s, exported_call *call)
{
    symlie_state *state = &call->state;
    symlie_record *record = &call->record;
    symlie_scalar *place = call->recorded;
    point_problem(s, call);
    state->t = s->t, state->h = s->h;
    state->q = s->q, state->v = s->v, state->lambda = s->lambda;
    state->carried = s->carried, state->acceleration = s->acceleration, state->own = s->own, state->event = s->event;
    state->acceleration_is_valid = s->acceleration_is_valid;
    state->own_is_valid = s->own_is_valid;
    state->event_is_valid = s->event_is_valid;
    take_counters(s, state);
    record->capacity = 1, record->count = 0, record->tried = 0, record->trace = 0, record->acceleration = 0, record->own = 0, record->step = 0;
    record->t = place, place += 2;
    record->q = place, place += 2 * EXPORTED_STORAGE;
    record->v = place, place += 2 * EXPORTED_DIMENSION;
    record->lambda = place, place += 2 * EXPORTED_ROWS;
    record->carried = place;
    record->event_capacity = MOST_EVENTS * EXPORTED_EVENTS, record->events = 0, record->event = s->rows_of_events;
    s->events = 0;
}

SYMLIE_APART void close_call(exported_state *s, const exported_call *call)
{
    const symlie_state *state = &call->state;
    s->t = state->t, s->h = state->h;
    s->acceleration_is_valid = state->acceleration_is_valid;
    s->own_is_valid = state->own_is_valid;
    s->event_is_valid = state->event_is_valid;
    keep_counters(state, s);
}

/* Copy new events to the log. */
static void log_events(exported_state *s, exported_call *call)
{
#if EXPORTED_EVENTS
    const symlie_problem *P = &call->P;
    for (long long n = 0; n < call->record.events; n++, s->events++) {
        const symlie_scalar *row = call->record.event + EVENT_WIDTH * n;
        if (s->events >= EXPORTED_LOG) continue;
        s->event_number[s->events] = (long long)row[0];
        s->event_time[s->events] = row[1];
    }
    (void)P;
#else
    (void)s;
#endif
    call->record.events = 0, call->record.count = 0;
}

/* Attempt a number of steps of a segment from s->plan_begin to s->plan_end. */
SYMLIE_APART int follow_plan(exported_state *s, exported_call *call, const symlie_control *control, long long budget)
{
    const symlie_scalar start[3] = {s->plan_begin, s->plan_begin, s->plan_end}, end[3] = {s->plan_begin, s->plan_end, s->plan_end};
    const long long steps[3] = {0, s->plan_steps, 0};
    const unsigned char record_end[3] = {0, 0, 0}, restarts[3] = {0, (unsigned char)s->plan_restart, 0};
    symlie_plan plan = {.segments = 3, .start = start, .end = end, .steps = steps, .record_end = record_end, .restarts = restarts,
                        .budget = budget, .control = control};
    int status = SYMLIE_BUFFER_FULL;
    while (status == SYMLIE_BUFFER_FULL) {
        const long long before = call->state.steps + call->state.rejected;
        status = symlie_integrate(&call->P, &call->state, &plan, &call->record);
        log_events(s, call);
        plan.budget -= call->state.steps + call->state.rejected - before;
    }
    s->is_fresh = 0;
    return status;
}

/* Compute v' and lambda at a state. */
SYMLIE_APART int acceleration_of_state(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *v, symlie_real *a, symlie_real *lambda)
{
    return symlie_acceleration(P, t, q, v, a, lambda);
}

/* Compute prepared parameters if parameters have changed, and multipliers if they depend on changed values. */
SYMLIE_APART int make_ready(exported_state *s, const exported_parameters *p)
{
    symlie_scalar given[EXPORTED_GIVEN + 1];
    int is_changed = 0;
    collect_parameters(p, given);
    for (int k = 0; k < EXPORTED_GIVEN; k++) is_changed |= !(given[k] == s->given[k]);
    if (is_changed) {
        for (int k = 0; k < CONSTANTS_OF_PARAMETERS; k++)
            if (!(given[place_of_constant[k]] == value_of_constant[k])) return EXPORTED_CONSTANT_CHANGED;
        for (int k = 0; k < EXPORTED_GIVEN; k++) s->given[k] = given[k];
        prepare_all(s);
        s->is_stale = 1;
        /* Further steps begin where the parameters changed. */
        s->is_followed = 0, s->has_grid = 0;
    }
    return SYMLIE_DONE;
}

/* Compute lambda for changed inputs or parameters, and start the method again. */
SYMLIE_APART int make_current(exported_state *s, exported_call *call)
{
    const symlie_problem *P = &call->P;
    if (!s->is_stale) return SYMLIE_DONE;
    forget_kept(P);
    call->state.acceleration_is_valid = 0, call->state.own_is_valid = 0;
#if CONSTRAINED
    const int status = acceleration_of_state(P, s->t, s->q, s->v, s->acceleration, s->lambda);
    if (status != SYMLIE_DONE) return status;
#endif
    s->is_stale = 0;
    return SYMLIE_DONE;
}

#endif
