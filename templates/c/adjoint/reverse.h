/* Propagation of cotangents through the steps of a run in reverse. Included after adjoint_step.h. */
#ifndef SYMLIE_REVERSE_H
#define SYMLIE_REVERSE_H

#define MASSES (SHARES_MASS ? 1 : STAGES)

/* Size of the initial values of the method history and of their adjoint. */
static inline long long begin_workspace(const symlie_problem *restrict P)
{
#if HAS_OWN_STATE
    return adjoint_begin_workspace(P) + DIMENSION;
#else
    return 0;
#endif
}

static inline int start_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                   const symlie_real *restrict v, mass_matrix *restrict mass, symlie_cotangents *restrict bar)
{
    ARRAY(a, DIMENSION);
    ARRAY(lambda, ROWS);
    ARRAY(of_q, DIMENSION);
    ARRAY(of_v, DIMENSION);
    const int status = index1_acceleration(P, work, t, q, v, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
    if (!stage_cotangents(P, work, t, q, v, a, lambda, bar->acceleration, bar->lambda, mass, &bar->gradient, of_q, of_v)) return SYMLIE_SINGULAR;
    for (int k = 0; k < DIMENSION; k++) bar->q[k] += of_q[k], bar->v[k] += of_v[k];
#if PRESCRIBED && !CONSTRAINED
    pull_prescribed(P, t, &bar->gradient, 0, 0, bar->acceleration);
#endif
    fill_zero(DIMENSION, bar->acceleration);
    fill_zero(ROWS, bar->lambda);
    return SYMLIE_DONE;
}

int symlie_reverse_start(const symlie_problem *P, symlie_scalar t, const symlie_real *q, const symlie_real *v, int moves, symlie_cotangents *bar)
{
    mass_matrix mass;
    symlie_real *work = place_mass(P, P->workspace + kept_workspace(P), &mass);
    if (moves) {
        if (!evaluate_mass(P, t, q, &mass)) return SYMLIE_INDEFINITE_MASS;
        const int status = start_cotangents(P, work, t, q, v, &mass, bar);
        if (status != SYMLIE_DONE) return status;
    }
#if MOTIONS
    pull_motions(P, t, q, v, &bar->gradient, bar->q, bar->v);
#endif
    return SYMLIE_DONE;
}

/* Add the cotangents of a state whose outputs have weights. */
static inline void add_weights(const symlie_problem *restrict P, const symlie_trail *restrict trail, long long n, symlie_cotangents *restrict bar)
{
    const symlie_real *weights[OUTPUT_TYPES > 0 ? OUTPUT_TYPES : 1];
    if (trail->weighted[n] < 0) return;
    place_weights(P, trail->weighted[n], trail->weights, weights);
    add_output_gradient(P, trail->t[n], trail->q + n * STORAGE, trail->v + n * DIMENSION, trail->lambda + n * ROWS, weights,
                        &bar->gradient, bar->q, bar->v, bar->lambda);
}

#include "switch_cotangents.h"

long long symlie_reverse_workspace(const symlie_problem *P)
{
    const long long of_start = 2LL * DIMENSION + 2LL * ROWS + acceleration_workspace(P) + adjoint_stage_workspace(P);
    const long long of_steps = adjoint_step_workspace(P), of_begin = begin_workspace(P);
    const long long of_step = (of_steps > of_begin ? of_steps : of_begin) + DIMENSION + ROWS + OWN;
    const long long of_all = of_step > of_start ? of_step : of_start, of_switch = switch_cotangents_workspace(P) + RELEASES * (long long)JACOBIAN_VALUES;
    return kept_workspace(P) + MASSES * mass_workspace(P) + (of_all > of_switch ? of_all : of_switch);
}

/* Compute the cotangents at the start of step n from those at its end. */
static inline int reverse_step(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_control *control,
                               const symlie_trail *restrict trail, long long n, mass_matrix *restrict masses, symlie_cotangents *end,
                               symlie_cotangents *start)
{
    ARRAY(a, DIMENSION);
    ARRAY(lambda, ROWS);
    ARRAY(own, OWN);
    const symlie_scalar t = trail->begin[n], h = trail->length[n];
    const int is_after_jump = (trail->kind[n] & 2) != 0, begins = (trail->kind[n] & 4) != 0;
    symlie_state state = {.t = t};
    copy(ROWS, trail->lambda + n * ROWS, lambda);
    if (STARTS_FROM_ACCELERATION) copy(DIMENSION, trail->acceleration + n * DIMENSION, a);
    state.q = (symlie_real *)trail->q + n * STORAGE;
    state.v = (symlie_real *)trail->v + n * DIMENSION;
    state.lambda = lambda, state.acceleration = a;
    state.own = own;
    state.acceleration_is_valid = is_after_jump || trail->kind[n] & 1;
    fill_zero(DIMENSION, start->acceleration);
    int status = SYMLIE_DONE;
    if (is_after_jump) status = index1_acceleration(P, work, t, state.q, state.v, masses, a, lambda);
#if HAS_OWN_STATE
    if (!begins) copy(OWN, trail->own + n * OWN, own);
    else if (status == SYMLIE_DONE) status = method_begin(P, work, t, h, control, masses, &state, own);
#endif
    if (status == SYMLIE_DONE) status = adjoint_step(P, work, t, h, control, masses, &state, trail->own + (n + 1) * OWN, end, start);
#if HAS_OWN_STATE
    if (status == SYMLIE_DONE && begins) {
        status = adjoint_begin(P, work, t, h, control, masses, &state, 0, start, start);
        fill_zero(OWN, start->own);
    }
#else
    (void)begins;
#endif
    return status == SYMLIE_DONE && is_after_jump ? start_cotangents(P, work, t, state.q, state.v, masses, start) : status;
}

/* Determine the constraint equations in force, which do not change. Return 0 if B is not finite. */
static inline int keep_rows(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_trail *restrict trail, mass_matrix *restrict masses)
{
#if RELEASES
    ARRAY(B, JACOBIAN_VALUES);
    system_jacobian(P, trail->t[0], trail->q, trail->v, B);
    for (int k = 0; k < MASSES; k++)
        if (!find_dependent_rows(P, B, masses + k)) return 0;
#endif
    (void)P, (void)work, (void)trail, (void)masses;
    return 1;
}

int symlie_reverse(const symlie_problem *P, const symlie_control *control, const symlie_trail *trail, symlie_cotangents *bar,
                   symlie_cotangents *other)
{
    mass_matrix masses[MASSES];
    symlie_real *work = P->workspace + kept_workspace(P);
    symlie_cotangents *end = bar, *start = other;
    for (int k = 0; k < MASSES; k++) work = place_mass(P, work, masses + k);
    for (int k = 0; k < MASSES; k++)
        if ((k == 0 || MASS_IS_CONSTANT) && !evaluate_mass(P, trail->t[0], trail->q, masses + k)) return SYMLIE_INDEFINITE_MASS;
    if (!keep_rows(P, work, trail, masses)) return SYMLIE_NOT_FINITE;
    forget_kept(P);
    start->gradient = end->gradient;
    for (long long n = trail->steps; n-- > 0;) {
        int status = SYMLIE_DONE;
        if (trail->kind[n] == 16) continue;
        add_weights(P, trail, n + 1, end);
        if (trail->kind[n] >= 8) status = renewed_cotangents(P, work, trail, n + 1, masses, end);
        if (status != SYMLIE_DONE) return status;
        status = trail->kind[n] == 32 ? switch_cotangents(P, work, trail, n, masses, end, start) : reverse_step(P, work, control, trail, n, masses, end, start);
        if (status != SYMLIE_DONE) return status;
        symlie_cotangents *const passed = end;
        end = start, start = passed;
    }
    if (trail->weighted[0] >= 0) add_weights(P, trail, 0, end);
    if (end != bar) {
        copy(DIMENSION, end->q, bar->q);
        copy(DIMENSION, end->v, bar->v);
        copy(DIMENSION, end->acceleration, bar->acceleration);
        copy(ROWS, end->lambda, bar->lambda);
        copy(OWN, end->own, bar->own);
    }
    return SYMLIE_DONE;
}

#endif
