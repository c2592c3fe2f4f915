/* BDF of variable order: bdf.h with the order in the method history. At the start, the history contains a fictitious
 * point one step back, extrapolated by v and v'. The errors of a step and of neighbouring orders follow from divided
 * differences of theta_i and of v; see bdf_orders.h. If a step was shortened to reach a stop time, its start is
 * omitted from the history if points would be too close together. See symlie/runtime/methods/bdf/variable.py. */
#ifndef SYMLIE_BDF_VARIABLE_H
#define SYMLIE_BDF_VARIABLE_H

#include "bdf_orders.h"

static inline long long step_workspace(const symlie_problem *restrict P)
{
    const long long begins = acceleration_workspace(P) + 3LL * DIMENSION + ROWS;
    const long long inner = implicit_workspace(P) + formula_workspace(P) + 9LL * DIMENSION + STORAGE + JACOBIAN_VALUES + 2LL * ROWS;
    return begins > inner ? begins : inner;
}

static inline int method_begin(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_control *restrict control, mass_matrix *restrict mass,
                               const symlie_state *restrict state, symlie_real *restrict own)
{
    ARRAY(a, DIMENSION);
    ARRAY(r, DIMENSION);
    ARRAY(rate, DIMENSION);
    ARRAY(lambda, ROWS);
    (void)control;
    for (int k = 0; k < OWN; k++) own[k] = 0;
    copy(ROWS, state->lambda, lambda);
    const int status = stage_acceleration(P, work, t, state->q, state->v, r, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
    copy(DIMENSION, state->v, rate);
    if (FIELDS) system_field(P, t, state->q, a, lambda, rate);
    symlie_real *restrict increment = own + OWN_INCREMENTS;
    begin_elements(P, STEPS, own + OWN_ELEMENTS, own + OWN_VELOCITIES);
    for (int k = MOVING_BEGIN; k < MOVING_END; k++) increment[k] = h * h * a[k] / 2 - h * rate[k];
#if FIELDS
    for (int n = 0; n < COUNT_OF_STATE; n++) increment[STATE[n]] = -h * rate[STATE[n]], a[STATE[n]] = rate[STATE[n]];
#endif
    system_exponential(P, increment, own + OWN_ELEMENTS);
    own[OWN_COUNT] = own[OWN_ORDER] = 1;
    own[OWN_LENGTHS] = h;
    for (int k = 0; k < DIMENSION; k++) {
        own[OWN_VELOCITIES + k] = state->v[k];
        own[OWN_VELOCITIES + DIMENSION + k] = state->v[k] - h * a[k];
    }
#if FIELDS
    for (int n = 0; n < COUNT_OF_STATE; n++) own[OWN_VELOCITIES + DIMENSION + STATE[n]] = state->v[STATE[n]];
#endif
    copy(DIMENSION, a, own + OWN_ACCELERATION);
    return SYMLIE_DONE;
}

/* Norms of the divided differences of theta_i and of v for the order of a step, for the two orders below and the
 * order above; -1 if unavailable. The error of a step is their product with the error factor. */
static inline void measure_differences(const symlie_problem *restrict P, const symlie_control *restrict control, const newton_problem *restrict s,
                                       const symlie_real *restrict node, int count, const symlie_real *restrict v_n,
                                       symlie_trial *restrict trial, symlie_real *restrict sums, symlie_real *restrict norm)
{
    const step_formula *f = s->formula;
    symlie_real weight[4][STEPS + 2];
    int nodes[4];
    for (int i = 0; i < 4; i++) {
        const int of = f->order - 2 + i;
        nodes[i] = of > 0 && of <= STEPS && of <= count ? of + 2 : 0;
        difference_weights(nodes[i], node, weight[i]);
        for (int k = 0; k < DIMENSION; k++) {
            sums[2 * i * DIMENSION + k] = nodes[i] ? -weight[i][1] * s->theta[k] : 0;
            sums[(2 * i + 1) * DIMENSION + k] = nodes[i] ? weight[i][0] * s->v[k] + weight[i][1] * f->velocities[k] : 0;
        }
    }
    for (int j = 2; j < STEPS + 2; j++) {
        if (j >= nodes[2] && j >= nodes[3]) break;
        for (int i = 0; i < 4; i++) {
            if (j >= nodes[i]) continue;
            for (int k = 0; k < DIMENSION; k++) {
                sums[2 * i * DIMENSION + k] += weight[i][j] * f->theta_i[(j - 1) * DIMENSION + k];
                sums[(2 * i + 1) * DIMENSION + k] += weight[i][j] * f->velocities[(j - 1) * DIMENSION + k];
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        symlie_real *restrict theta_hat = sums + 2 * i * DIMENSION, *restrict v_hat = theta_hat + DIMENSION;
        for (int k = 0; k < DIMENSION; k++) theta_hat[k] += s->theta[k], v_hat[k] += s->v[k];
        norm[i] = nodes[i] ? error_norm(P, control, trial, s->theta, theta_hat, v_n, s->v, v_hat) : -1;
    }
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(q_n, STORAGE);
    ARRAY(sums, 8 * DIMENSION);
    FORMULA(formula);
    IMPLICIT_STEP(end);
    const newton_policy policy = IMPLICIT_POLICY;
    const symlie_real *own = state->own, *kept = own + OWN - RECORD;
    const int at_hand = trial->own_rest > 0, order = (int)own[OWN_ORDER], count = (int)own[OWN_COUNT];
    symlie_real node[STEPS + 2] = {0, -1}, point[STEPS], norm[4];
    (void)mass;
    formula.order = order, formula.increments = own + OWN_INCREMENTS, formula.elements = own + OWN_ELEMENTS, formula.velocities = own + OWN_VELOCITIES;
    take_weights(&formula, h, own + OWN_LENGTHS);
    take_known(P, &formula);
    for (int i = 2; i < STEPS + 2; i++) node[i] = node[i - 1] - own[OWN_LENGTHS + i - 2] / h;
    trial->own_rest = 0;
    copy(STORAGE, state->q, q_n);
    const symlie_real slope = formula.weight[0];
    int status = begin_implicit_step(&end, &formula, t, t + h, slope, slope * slope, slope, q_n, kept, at_hand, trial->own + OWN - RECORD);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    predict(P, &formula, own + OWN_ACCELERATION, end.u);
    status = solve_implicit_step(&end, &policy, state->lambda, &trial->newton);
    trial->rhs_evaluations = trial->newton.evaluations;
    copy(DIMENSION, own + OWN_ACCELERATION, trial->first_acceleration);
    trial->acceleration_is_valid = 0;
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    keep_end(&end, work, trial);
    keep_record(&end, kept, trial);
    const symlie_real angle = 4 * (STEPS + 2) * (STEPS + 2) * system_chart(P, q_n, end.theta);
    if (SYMLIE_UNLIKELY(!(angle < CHART_LIMIT))) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    look_back(P, &formula, order + 1, POINTS);
    take_apart(P, &formula, end.theta, POINTS);
    measure_differences(P, control, &end, node, count, state->v, trial, sums, norm);
    for (int i = 0; i < order; i++) point[i] = -node[i + 1] - 1;
    if (count < STEPS && order <= 3 && norm[3 - order] >= 0) norm[3 - order] *= FIRST_ERRORS;
    trial->order = order;
    trial->error = norm[2] * error_factor(order, point, 1);
    trial->factor = trial->error <= 1 ? 1 : shorter_step(control, node, order, norm[2]);

    const symlie_real planned = fmin(state->h, control->h_max);
    const int is_cut = h < planned, is_left_out = is_cut && own[OWN_LENGTHS] + h <= NEAR_POINTS * planned;
    int next = order;
    symlie_real *restrict out = trial->own;
    for (int i = 0; i < STEPS; i++) point[i] = -node[i];
    out[OWN_COUNT] = is_left_out ? count : fmin(count + 1, STEPS);
    if (trial->error <= 1 && !is_cut) {
        next = chosen_order(control, point, order, norm, (int)own[OWN_EQUAL], count == STEPS, &trial->factor);
        if (angle > 0) trial->factor = fmin(trial->factor, CHART_PART * sqrt(CHART_LIMIT / angle));
    }
    out[OWN_ORDER] = next;
    out[OWN_EQUAL] = next == order && trial->factor == 1 ? own[OWN_EQUAL] + 1 : 0;
    if (is_left_out) {
        copy(STEPS, own + OWN_LENGTHS, out + OWN_LENGTHS);
        out[OWN_LENGTHS] += h;
        copy(STEPS * DIMENSION, own + OWN_VELOCITIES + DIMENSION, out + OWN_VELOCITIES + DIMENSION);
        copy(DIMENSION, trial->v, out + OWN_VELOCITIES);
    } else {
        shift(STEPS, 1, &h, own + OWN_LENGTHS, out + OWN_LENGTHS);
        shift(STEPS + 1, DIMENSION, trial->v, own + OWN_VELOCITIES, out + OWN_VELOCITIES);
    }
    copy(STEPS * DIMENSION, formula.theta_i + is_left_out * DIMENSION, out + OWN_INCREMENTS);
    copy(STEPS * STORAGE, formula.apart + is_left_out * STORAGE, out + OWN_ELEMENTS);
    copy(DIMENSION, trial->acceleration, out + OWN_ACCELERATION);
    return SYMLIE_DONE;
}

#endif
