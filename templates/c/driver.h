/* The time loop that all one-step methods share: plan, records, budget, statistics. A method defines method_step and
 * is included before this file. */
#ifndef SYMLIE_DRIVER_H
#define SYMLIE_DRIVER_H

static inline void copy(int n, const double *restrict from, double *restrict to)
{
    for (int k = 0; k < n; k++) to[k] = from[k];
}

static inline double largest(int n, const double *restrict x, double bound)
{
    for (int k = 0; k < n; k++) {
        const double a = fabs(x[k]);
        bound = a > bound ? a : bound;
    }
    return bound;
}

static inline void record_state(const symlie_state *s, symlie_record *record)
{
    const long long n = record->count++;
    record->t[n] = s->t;
    copy(STORAGE, s->q, record->q + n * STORAGE);
    copy(DIMENSION, s->v, record->v + n * DIMENSION);
    copy(ROWS, s->lambda, record->lambda + n * ROWS);
}

int symlie_integrate(const double *p, symlie_state *state, const symlie_plan *plan, symlie_record *record)
{
    long long budget = plan->budget;
    mass_matrix mass;
    evaluate_mass(p, state->t, state->q, &mass);
    for (; state->segment < plan->segments; state->segment++, state->step = 0) {
        const double start = plan->start[state->segment], end = plan->end[state->segment];
        const long long steps = plan->steps[state->segment];
        const double h = (end - start) / (double)steps;
        while (state->step < steps) {
            if (record->count >= record->capacity) return SYMLIE_BUFFER_FULL;
            if (budget-- <= 0) return SYMLIE_BUDGET;
            const double t = start + (double)state->step * h;
            const int status = method_step(p, t, h, &mass, state);
            if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
            state->step++;
            state->steps++;
            state->t = state->step == steps ? end : start + (double)state->step * h;
            const int at_end = state->step == steps && plan->record_end[state->segment];
            if (at_end || (plan->record_every && state->steps % plan->record_every == 0)) record_state(state, record);
        }
    }
    return SYMLIE_DONE;
}

#endif
