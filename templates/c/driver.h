/* The time loop that all one-step methods share: plan, records, budget, statistics. A method defines method_step and
 * is included before this file. */
#ifndef SYMLIE_DRIVER_H
#define SYMLIE_DRIVER_H

static inline void record_state(const symlie_problem *restrict P, const symlie_state *s, symlie_record *record)
{
    const long long n = record->count++;
    (void)P;
    record->t[n] = s->t;
    copy(STORAGE, s->q, record->q + n * STORAGE);
    copy(DIMENSION, s->v, record->v + n * DIMENSION);
    copy(ROWS, s->lambda, record->lambda + n * ROWS);
}

long long symlie_workspace(const symlie_problem *P) { return FIXED_TOPOLOGY ? 0 : mass_workspace(P) + step_workspace(P); }

int symlie_acceleration(const symlie_problem *P, double t, const double *q, const double *v, double *a, double *lambda)
{
    mass_matrix mass;
    double *work = place_mass(P, P->workspace, &mass);
    ARRAY(r, DIMENSION);
    if (!evaluate_mass(P, t, q, &mass)) return SYMLIE_SINGULAR;
    system_force(P, t, q, v, r);
    for (int k = 0; k < DIMENSION; k++) r[k] = -r[k];
#if CONSTRAINED
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    system_jacobian(P, t, q, B);
    system_curvature(P, t, q, v, c);
    if (MOTIONS) {
        system_prescribed_acceleration(P, t, a);
        multiply_jacobian(P, B, a, lambda);
        for (int k = 0; k < ROWS; k++) c[k] += lambda[k];
    }
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    const int solved = solve_stage(P, &mass, B, B, r, c, a, lambda);
#else
    (void)lambda;
    const int solved = solve_with_mass(P, &mass, r, 0, 0, a);
#endif
    if (MOTIONS) {
        system_prescribed_acceleration(P, t, r);
        for (int k = 0; k < DIMENSION; k++) a[k] += r[k];
    }
    (void)work;
    return solved ? SYMLIE_DONE : SYMLIE_SINGULAR;
}

int symlie_integrate(const symlie_problem *P, symlie_state *state, const symlie_plan *plan, symlie_record *record)
{
    long long budget = plan->budget;
    mass_matrix mass;
    double *work = place_mass(P, P->workspace, &mass);
    if (!evaluate_mass(P, state->t, state->q, &mass)) return SYMLIE_SINGULAR;
    for (; state->segment < plan->segments; state->segment++, state->step = 0) {
        const double start = plan->start[state->segment], end = plan->end[state->segment];
        const long long steps = plan->steps[state->segment];
        const double h = (end - start) / (double)steps;
        while (state->step < steps) {
            if (record->count >= record->capacity) return SYMLIE_BUFFER_FULL;
            if (budget-- <= 0) return SYMLIE_BUDGET;
            const double t = start + (double)state->step * h;
            const int status = method_step(P, work, t, h, &mass, state);
            if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
            state->step++;
            state->steps++;
            state->t = state->step == steps ? end : start + (double)state->step * h;
            const int at_end = state->step == steps && plan->record_end[state->segment];
            if (at_end || (plan->record_every && state->steps % plan->record_every == 0)) record_state(P, state, record);
        }
    }
    return SYMLIE_DONE;
}

#endif
