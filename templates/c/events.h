/* Events: zeros of functions of (t, q, v, lambda), located by steps of the method itself from the start of the step, so
 * that the state at an event is a state of the method like any other. */
#ifndef SYMLIE_EVENTS_H
#define SYMLIE_EVENTS_H

#define EVENT_ITERATIONS 200

/* Whether a function that went from a to b crossed zero in the direction that is asked for. A function that starts at
 * zero has not crossed it: this is where an integration goes on after an event. */
static inline int is_crossing(double a, double b, int direction)
{
    return (a < 0 && b >= 0 && direction >= 0) || (a > 0 && b <= 0 && direction <= 0);
}

#if HAS_EVENTS
static inline void begin_events(const symlie_problem *restrict P, symlie_state *restrict state)
{
    if (state->event_is_valid) return;
    system_events(P, state->t, state->q, state->v, state->lambda, state->event);
    state->event_is_valid = 1;
}

/* Values of the event functions after a step of length h, with its result in trial. */
static inline int step_to(const symlie_problem *restrict P, double *restrict work, double t, double h, double end,
                          const symlie_control *restrict control, mass_matrix *restrict mass,
                          symlie_state *restrict state, symlie_trial *restrict trial)
{
    int status = try_step(P, work, t, h, control, mass, state, trial);
    if (status == SYMLIE_DONE) status = finish_step(P, work, t, end, control, mass, state, trial);
    if (status == SYMLIE_DONE) system_events(P, end, trial->q, trial->v, trial->lambda, trial->event);
    return status;
}

/* The first zero of event i within a step: trial becomes the state just behind it, at time *end. Regula falsi in the
 * form of Illinois, with bisection as soon as it is slow. */
SYMLIE_COLD int locate_event(const symlie_problem *restrict P, double *restrict work, double t, int i,
                             const symlie_control *restrict control, mass_matrix *restrict mass,
                             symlie_state *restrict state, symlie_trial *restrict trial, double *restrict h,
                             double *restrict end)
{
    double low = 0, high = *h, a = state->event[i], b = trial->event[i];
    double behind = high; /* the step length that trial belongs to */
    const double width = 4.5e-16 * fmax(fabs(t), fabs(t + *h));
    int side = 0, status = SYMLIE_DONE;
    for (int n = 0; n < EVENT_ITERATIONS && high - low > width && b != 0; n++) {
        double x = high - b * (high - low) / (b - a);
        if (!(x > low && x < high) || n % 4 == 3) x = low + 0.5 * (high - low);
        if (!(x > low && x < high)) break;
        status = step_to(P, work, t, x, t + x, control, mass, state, trial);
        if (status != SYMLIE_DONE) return status;
        behind = x;
        const double c = trial->event[i];
        if ((c < 0) == (state->event[i] < 0) && c != 0) {
            low = x, a = c;
            if (side == -1) b *= 0.5;
            side = -1;
        } else {
            high = x, b = c;
            if (side == 1) a *= 0.5;
            side = 1;
        }
    }
    if (behind != high) {
        status = step_to(P, work, t, high, t + high, control, mass, state, trial);
        if (status != SYMLIE_DONE) return status;
    }
    if (high != *h) *end = t + high;
    *h = high;
    return SYMLIE_DONE;
}

/* Record events within a step. After a terminal one, trial is the state there and *end its time. */
static inline int find_events(const symlie_problem *restrict P, double *restrict work, double t, double h, double end_of_step,
                              const symlie_control *restrict control, mass_matrix *restrict mass, symlie_state *restrict state,
                              symlie_trial *restrict trial, symlie_trial *restrict other, symlie_record *restrict record,
                              int *restrict is_terminal, double *restrict end)
{
    double first = end_of_step;
    const long long width = 2 + STORAGE + DIMENSION + ROWS + CARRIED;
    const long long before = record->events;
    system_events(P, end_of_step, trial->q, trial->v, trial->lambda, trial->event);
    for (int i = 0; i < EVENTS; i++) {
        if (!is_crossing(state->event[i], trial->event[i], control->event_direction[i])) continue;
        double length = h, at = end_of_step;
        for (int k = 0; k < EVENTS; k++) other->event[k] = trial->event[k];
        copy(STORAGE, trial->q, other->q);
        copy(DIMENSION, trial->v, other->v);
        copy(ROWS, trial->lambda, other->lambda);
        copy(ANGLES, trial->turned, other->turned);
        const int status = locate_event(P, work, t, i, control, mass, state, other, &length, &at);
        if (status != SYMLIE_DONE) return status;
        if (control->event_is_terminal[i] && (!*is_terminal || at < first)) first = at, *is_terminal = 1;
        double *row = record->event + width * record->events++;
        row[0] = i;
        row[1] = at;
        copy(STORAGE, other->q, row + 2);
        copy(DIMENSION, other->v, row + 2 + STORAGE);
        copy(ROWS, other->lambda, row + 2 + STORAGE + DIMENSION);
        carry(P, work, at, state, other);
        copy(CARRIED, other->carried, row + 2 + STORAGE + DIMENSION + ROWS);
    }
    if (*is_terminal) {
        /* Events behind the terminal one did not happen; the state at it becomes the end of the step. */
        long long kept = before;
        for (long long n = before; n < record->events; n++) {
            double *row = record->event + width * n;
            if (row[1] > first) continue;
            if (row[1] == first && control->event_is_terminal[(int)row[0]]) {
                copy(STORAGE, row + 2, trial->q);
                copy(DIMENSION, row + 2 + STORAGE, trial->v);
                copy(ROWS, row + 2 + STORAGE + DIMENSION, trial->lambda);
                copy(CARRIED, row + 2 + STORAGE + DIMENSION + ROWS, trial->carried);
            }
            double *place = record->event + width * kept++;
            if (place != row)
                for (long long k = 0; k < width; k++) place[k] = row[k];
        }
        record->events = kept;
        trial->acceleration_is_valid = 0;
        system_events(P, first, trial->q, trial->v, trial->lambda, trial->event);
        *end = first;
    }
    for (int k = 0; k < EVENTS; k++) state->event[k] = trial->event[k];
    return SYMLIE_DONE;
}
#else
static inline void begin_events(const symlie_problem *restrict P, const symlie_state *restrict state) { (void)P, (void)state; }
#endif

#endif
