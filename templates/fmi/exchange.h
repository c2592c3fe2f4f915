/* Model exchange: another program integrates the states of a unit. */
#ifndef SYMLIE_EXCHANGE_H
#define SYMLIE_EXCHANGE_H

#define SHORTER_PAUSES 4 /* number of consecutive pauses, each shorter than the one before, after which changes may accumulate */

/* Copy states, in the order of the variables, or their rates if `is_rate`. */
static void get_states(unit_data *d, int is_rate, double *to)
{
    for (int i = 0; i < VARIABLES; i++) {
        const unit_variable *variable = variables + i;
        if (!variable->is_state) continue;
        const double *from = variable->kind == OF_Q ? (is_rate ? d->q_dot : d->s.q) : (is_rate ? d->v_dot : d->s.v);
        for (int k = 0; k < variable->size; k++) *to++ = from[variable->place + k];
    }
}

static void set_states(unit_data *d, const double *from)
{
    for (int i = 0; i < VARIABLES; i++) {
        const unit_variable *variable = variables + i;
        if (!variable->is_state) continue;
        double *to = variable->kind == OF_Q ? d->s.q : d->s.v;
        for (int k = 0; k < variable->size; k++) to[variable->place + k] = *from++;
    }
    /* Unwrapped angles are near those before the step. */
    for (int k = FIRST_ANGLE_OF_UNIT; k < STORAGE_OF_UNIT; k++) d->s.q[k] = d->q_before[k];
    take_unit_state(d);
}

static void set_exchange_time(unit_data *d, double t)
{
    if (t == d->s.t) return;
    d->s.t = t;
    take_unit_state(d);
}

/* Keep the state and its event functions, with which later ones are compared. */
static void keep_state(unit_data *d)
{
    for (int k = 0; k < EVENTS_OF_UNIT; k++) d->event_before[k] = d->event[k];
    for (int k = 0; k < STORAGE_OF_UNIT; k++) d->q_before[k] = d->s.q[k];
    for (int k = 0; k < DIMENSION_OF_UNIT; k++) d->v_before[k] = d->s.v[k];
    d->t_before = d->s.t;
}

/* Return whether an event function has crossed zero in its direction since the state was kept. The gap of an open contact,
 * which an impact can leave slightly closed, also has if it does not grow. */
static int has_crossed(const unit_data *d, int k)
{
    const double before = d->event_before[k], now = d->event[k];
    if (is_gap[k] && before <= 0 && now <= before && d->s.t > d->t_before) return 1;
    return (before < 0 && now >= 0 && direction[k] >= 0) || (before > 0 && now <= 0 && direction[k] <= 0);
}

/* Count a change of the state by an event. */
static void count_change(unit_data *d, int k)
{
    const double pause = d->s.t - d->changed_at[k];
    d->shorter[k] = d->changes[k] > 1 && pause < d->pause[k] ? d->shorter[k] + 1 : 0;
    d->changes[k]++, d->changed_at[k] = d->s.t, d->changed_from[k] = d->event_before[k], d->pause[k] = pause;
}

/* Return whether changes by an event accumulate: after ever shorter pauses, its function has not returned for longer than the
 * last pause, because the solver does not resolve the next one. */
static int accumulates(const unit_data *d, int k)
{
    return d->shorter[k] >= SHORTER_PAUSES && d->s.t - d->changed_at[k] > d->pause[k] && d->event[k] * d->changed_from[k] < 0;
}

/* Take over a step of the other program. *needs_events becomes 1 if the states drifted or an event happened. Changes that
 * accumulate end the run. */
static int complete_step(unit_data *d, int *needs_events)
{
    double drift = 0;
    int status = drift_of_unit(d, &drift);
    *needs_events = drift > LARGEST_DRIFT;
    if (!status) status = refresh(d);
    if (status) return status;
    for (int k = 0; k < EVENTS_OF_UNIT; k++) {
        *needs_events |= has_crossed(d, k);
        if (accumulates(d, k)) d->has_ended = 1;
    }
    status = complete_unit(d, *needs_events);
    if (!status) status = refresh(d);
    if (!*needs_events) keep_state(d);
    return status;
}

/* Project the states if they drifted, and change them at events; terminal events end the run. */
static int handle_events(unit_data *d, int *is_moved)
{
    double drift = 0;
    unsigned char has_happened[EVENTS_OF_UNIT + 1] = {0};
    int is_changed = 0;
    *is_moved = 0;
    int status = refresh(d);
    if (!status) status = drift_of_unit(d, &drift);
    if (!status && drift > LARGEST_DRIFT) {
        status = project_unit(d);
        *is_moved = 1;
        if (!status) status = refresh(d);
    }
    for (int k = 0; !status && k < EVENTS_OF_UNIT; k++) {
        if (!has_crossed(d, k)) continue;
        if (is_terminal[k]) d->has_ended = 1;
        if (changes_state_at[k] && !is_gap[k]) count_change(d, k);
        has_happened[k] = 1, is_changed |= changes_state_at[k];
        d->event_before[k] = d->event[k];
    }
    if (!status && is_changed) {
        status = change_unit(d, has_happened);
        *is_moved = 1;
        if (!status) status = refresh(d);
        if (!status) keep_state(d);
    }
    return status;
}

#endif
