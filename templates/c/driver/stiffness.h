/* Detect stiffness or chattering forces that limit the adaptive step size.
 *
 * Every STIFFNESS_EVERY steps, and at each step while steps are suspicious, two additional evaluations of the
 * right-hand side give the rate of change in the direction of the error estimate delta = y_hat - y of a step,
 *
 *     |lambda| = |f(y o exp(delta)) - f(y)| / |delta|,
 *
 * separately for both parts of y = (q, v), which have different units. The smaller quotient is used; both agree if a
 * single fast mode dominates the error, as in steps at the limit of stability. A step is suspicious if h |lambda| is
 * near the limit, or if a velocity and its acceleration change sign together and nonlinearly, that is, delta changes
 * the acceleration by half or twice the amount expected from the change over the step. Stiffness is detected after
 * STIFF_STEPS suspicious steps with never CALM_STEPS other steps in a row between them. Source of the rule: Hairer and
 * Wanner, Solving Ordinary Differential Equations II, section IV.2. */
#ifndef SYMLIE_STIFFNESS_H
#define SYMLIE_STIFFNESS_H

static inline long long stiffness_workspace(const symlie_problem *restrict P)
{
    return STORAGE + 6LL * DIMENSION + ROWS + acceleration_workspace(P);
}

/* Compute v' and the rate of the configuration at a state; r is scratch. */
static inline int rates_at(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                           const symlie_real *restrict v, symlie_real *restrict r, mass_matrix *restrict mass, symlie_real *restrict a,
                           symlie_real *restrict lambda, symlie_real *restrict rate)
{
    const int status = stage_acceleration(P, work, t, q, v, r, mass, a, lambda);
    copy(DIMENSION, v, rate);
    if (status == SYMLIE_DONE) take_rates(P, t, q, a, lambda, rate);
    return status;
}

static inline void count_step(symlie_state *restrict state, symlie_real t, symlie_real h, int is_fast, int is_flipped)
{
    if (!is_fast && !is_flipped) {
        if (++state->calm_steps >= CALM_STEPS) state->suspicious_steps = state->flipped_steps = state->calm_steps = 0;
        return;
    }
    state->calm_steps = 0;
    state->suspicious_steps++;
    state->flipped_steps += is_flipped;
    if (state->suspicious_steps < STIFF_STEPS) return;
    if (3 * state->flipped_steps >= STIFF_STEPS) state->chattering_since = SYMLIE_VALUE(t), state->chattering_step = SYMLIE_VALUE(h);
    else state->stiff_since = SYMLIE_VALUE(t), state->stiff_step = SYMLIE_VALUE(h);
}

/* Check an accepted step before the state at its end, at time t, replaces the current one. */
SYMLIE_COLD void look_at_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              symlie_state *restrict state, const symlie_trial *restrict trial)
{
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    ARRAY(r, DIMENSION);
    ARRAY(a, DIMENSION);
    ARRAY(rate, DIMENSION);
    ARRAY(other_a, DIMENSION);
    ARRAY(other_rate, DIMENSION);
    ARRAY(lambda, ROWS);
    const int n = DIMENSION;
    const symlie_real *restrict delta = trial->difference;
    const symlie_scalar *restrict weight = control->weight;
    symlie_real moved = 0, moved_rate = 0, pushed = 0, pushed_rate = 0;
    int is_flipped = 0;
    system_advance(P, trial->q, delta, q);
    for (int k = 0; k < n; k++) v[k] = trial->v[k] + delta[n + k];
    if (MOTIONS) system_prescribe(P, t, q, v);
    state->rhs_evaluations += 2;
    if (rates_at(P, work, t, trial->q, trial->v, r, mass, a, lambda, rate) != SYMLIE_DONE) return;
    if (rates_at(P, work, t, q, v, r, mass, other_a, lambda, other_rate) != SYMLIE_DONE) return;
    for (int k = 0; k < n; k++) {
        const symlie_real x = other_rate[k] - rate[k], y = other_a[k] - a[k];
        moved += weight[k] * delta[k] * delta[k];
        moved_rate += weight[k] * x * x;
        pushed += weight[n + k] * delta[n + k] * delta[n + k];
        pushed_rate += weight[n + k] * y * y;
        if (!(weight[n + k] > 0 && state->v[k] * trial->v[k] < 0 && trial->first_acceleration[k] * a[k] < 0)) continue;
        if (!(fabs(trial->v[k] - state->v[k]) > UNNOTICED * control->atol[n + k])) continue;
        const symlie_real found = fabs(y * (trial->v[k] - state->v[k]));
        const symlie_real expected = fabs(delta[n + k] * (a[k] - trial->first_acceleration[k]));
        is_flipped |= !(found >= 0.5 * expected && found <= 2 * expected);
    }
    const symlie_real limit = control->stiffness_limit * control->stiffness_limit / (h * h);
    const int is_fast = (moved > 0 || pushed > 0) && (!(moved > 0) || moved_rate > limit * moved)
                     && (!(pushed > 0) || pushed_rate > limit * pushed);
    count_step(state, t, h, is_fast, is_flipped);
}

#endif
