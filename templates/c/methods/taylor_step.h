/* A Taylor step of one member, in parts without branch changes. */
#ifndef SYMLIE_TAYLOR_STEP_H
#define SYMLIE_TAYLOR_STEP_H

#include "taylor_convergence.h"
#include "taylor_formula.h"
#include "taylor_pieces.h"
#include "taylor_steps.h"

static inline int begins_at(const symlie_problem *restrict P, const symlie_series *series, symlie_real t, const symlie_real *q,
                            const symlie_real *v)
{
    if (*series->is_known == 0 || *series->t != t) return 0;
    int differ = 0;
    for (int k = 0; k < STORAGE; k++) differ |= series->q_0[k] != q[k];
    for (int i = 0, begin, count; (count = part_of_vector(P, 1, i, &begin)) >= 0; i++)
        for (int k = begin; k < begin + count; k++) differ |= series->v_0[k] != v[k];
    return !differ;
}

static inline int rates_agree(int size, const symlie_real *restrict rate, const symlie_real *restrict there, symlie_real noticed)
{
    const symlie_real largest = largest_entry(size, rate, largest_entry(size, there, 0));
    int agree = 1;
    for (int i = 0; i < size; i++) {
        const symlie_real apart = fabs(rate[i] - there[i]);
        agree &= apart <= RATES_APART * largest || apart <= noticed;
    }
    return agree;
}

/* Return whether the rates at the end of a step are consistent with those of its series. */
static inline int follows_series(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real h, const symlie_series *restrict begin,
                                 const symlie_series *restrict end, const symlie_real *restrict rate_q, const symlie_real *restrict rate_v)
{
    ARRAY(of_q, STORAGE);
    ARRAY(of_v, DIMENSION);
    const symlie_real moved = largest_entry(STORAGE, begin->q_0, 0) / h + largest_entry(DIMENSION, begin->v_0, 0);
    if (!rates_agree(STORAGE, stored_vector(P, rate_q, of_q), end->q_1, RATES_NOTICED * moved)) return 0;
    return !INTEGRATES_VELOCITIES || rates_agree(DIMENSION, velocity_vector(P, rate_v, of_v), end->v_1, RATES_NOTICED * moved / h);
}

/* Compute the coefficients from a state, and the step size permitted by the last terms. */
static inline int series_at(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_control *restrict control,
                            symlie_real t, const symlie_real *q, const symlie_real *v, mass_matrix *restrict mass,
                            const symlie_jets *restrict jets, symlie_series *restrict series)
{
    const int status = find_series(P, work, t, q, v, mass, jets, series);
    if (status == SYMLIE_DONE && control->is_adaptive) *series->longest = longest_step(P, work, control, series);
    return status;
}

/* Provide the series of a state, from the cache if possible, and the part of the remaining step for which the series
 * is valid. */
static inline int begin_piece(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real rest,
                              const symlie_control *restrict control, mass_matrix *restrict mass, const symlie_real *q,
                              const symlie_real *v, series_places *restrict at, symlie_real *restrict length, int *restrict is_new)
{
    int status = SYMLIE_DONE;
    *is_new = 0;
    if (begins_at(P, &at->end, t, q, v)) {
        const symlie_series other = at->begin;
        at->begin = at->end, at->end = other;
    } else if (!begins_at(P, &at->begin, t, q, v)) {
        *is_new = 1;
        status = series_at(P, work, control, t, q, v, mass, &at->jets, &at->begin);
    }
    *length = rest;
    if (!HAS_CONDITIONS || status != SYMLIE_DONE) return status;
    const int has_end = control->is_adaptive && *at->begin.longest < (symlie_real)INFINITY;
    status = find_reach(P, work, t, has_end ? *at->begin.longest * STRETCH : rest, mass, &at->jets, &at->begin, &at->near);
    if (!(rest <= *at->begin.beyond * (1 + 4 * ROUNDING))) *length = *at->begin.beyond;
    return status;
}

/* Proposed end of a step from a series. A branch change soon after the end is included in the step. */
static inline symlie_real proposed_step(const symlie_series *restrict series)
{
    return *series->beyond > SOON * *series->searched ? fmin(*series->beyond, *series->longest) : *series->longest;
}

/* Estimate the error of a part of a step from the rates at a state of the series within it. */
SYMLIE_COLD int error_within(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real length,
                               const symlie_control *restrict control, mass_matrix *restrict mass, series_places *restrict at,
                               const symlie_real *restrict theta, symlie_real *restrict error)
{
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    ARRAY(rate_q, STORED_SIZE);
    ARRAY(rate_v, VELOCITY_SIZE);
    const int order = (int)control->order;
    const symlie_jets first = {.order = 1, .unit = at->jets.unit, .memory = at->jets.memory};
    int status = reach_state(P, work, t, length, order, mass, &at->begin, q, v, rate_q, rate_v);
    if (status == SYMLIE_DONE) status = find_series(P, work, t + length, q, v, mass, &first, &at->near);
    if (status == SYMLIE_DONE) *error = series_error(P, work, length, order, control, &at->begin, &at->near, rate_q, rate_v, theta);
    return status;
}

/* Estimate the error of a part of a step from the rates at its end, or at the last point where the branches of the
 * series are valid. An error that does not decrease with the length is rounding, which a shorter step would not
 * reduce. */
static inline int piece_error(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real length,
                              const symlie_control *restrict control, mass_matrix *restrict mass, series_places *restrict at,
                              const symlie_real *restrict rate_q, const symlie_real *restrict rate_v,
                              const symlie_real *restrict theta, symlie_real *restrict error)
{
    const int order = (int)control->order;
    const symlie_real before = fmin(length, *at->begin.before);
    int status = SYMLIE_DONE;
    symlie_real of_half = 0;
    *error = 0;
    if (!(before > 0)) return status;
    if (before < length) status = error_within(P, work, t, before, control, mass, at, theta, error);
    else *error = series_error(P, work, length, order, control, &at->begin, &at->end, rate_q, rate_v, theta);
    if (status != SYMLIE_DONE || !(control->is_adaptive && *error > 1 && *error * control->tolerance <= ROUNDED)) return status;
    status = error_within(P, work, t, before / 2, control, mass, at, theta, &of_half);
    if (status == SYMLIE_DONE && of_half > ldexp(*error, -(order / 2))) *error = 1;
    return status;
}

/* Determine why a part of a step failed; fixed steps may exceed the radius of convergence. */
SYMLIE_COLD int failure_of_piece(const symlie_problem *restrict P, int status, symlie_real length, const symlie_control *restrict control,
                                 const symlie_series *restrict series)
{
    if (control->is_adaptive || *series->is_known == 0 || seems_to_converge(P, (int)control->order, length, series)) return status;
    return SYMLIE_DIVERGING;
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(theta, DIMENSION);
    ARRAY(turned, DIMENSION);
    ARRAY(rate_q, STORED_SIZE);
    ARRAY(rate_v, VELOCITY_SIZE);
    const int order = (int)control->order;
    series_places at = places_of_series(P, order, h);
    const symlie_real *q = state->q, *v = state->v;
    symlie_real done = 0, rest = h, length = 0;
    int status = SYMLIE_DONE;
    trial->is_untried = 0;
    for (int k = 0; k < DIMENSION; k++) turned[k] = 0;
    for (int piece = 0; length < rest; piece++, done += length, q = trial->q, v = trial->v) {
        const symlie_real start = t + done;
        rest = h - done;
        if (piece >= MOST_PIECES + 2 * CONDITIONS) return SYMLIE_CHATTERING;
        int is_new;
        status = begin_piece(P, work, start, rest, control, mass, q, v, &at, &length, &is_new);
        /* The evaluations for the series at the end of a step are counted with this step, even if the series is
         * recomputed. */
        if (is_new && !state->acceleration_is_valid) trial->rhs_evaluations += order;
        if (status != SYMLIE_DONE) return failure_of_piece(P, status, rest, control, &at.begin);
        if (!piece) {
            copy(DIMENSION, at.begin.v_1, trial->first_acceleration);
            trial->acceleration_is_valid = 0;
        }
        if (control->is_adaptive && !(rest <= proposed_step(&at.begin) * STRETCH)) {
            trial->factor = (done + proposed_step(&at.begin)) / h;
            trial->error = (symlie_real)2;
            trial->is_untried = !piece;
            if (!piece) {
                copy(STORAGE, q, trial->q);
                copy(ROWS, at.begin.lambda_0, trial->lambda);
            }
            return SYMLIE_DONE;
        }
        status = reach_state(P, work, start, length, order, mass, &at.begin, trial->q, trial->v, rate_q, rate_v);
        if (status != SYMLIE_DONE) return failure_of_piece(P, status, length, control, &at.begin);
        if (trial->is_inside && !(length < rest)) {
            sum_multipliers(P, work, order, at.begin.lambda, in_unit(&at.begin, length), trial->lambda);
            moved_by_piece(P, work, length, order, &at.begin, &at.begin, theta);
            for (int k = 0; k < DIMENSION; k++) turned[k] += theta[k];
            continue;
        }
        const symlie_real end = length < rest ? t + (done + length) : t + h;
        const int is_end = trial->ends_run && !(length < rest);
        if (is_end) status = rates_of_end(P, work, end, trial->q, trial->v, mass, &at);
        else status = series_at(P, work, control, end, trial->q, trial->v, mass, &at.jets, &at.end);
        trial->rhs_evaluations += is_end ? 1 : order;
        if (status != SYMLIE_DONE) return failure_of_piece(P, status, length, control, &at.begin);
        moved_by_piece(P, work, length, order, &at.begin, &at.end, theta);
        for (int k = 0; k < DIMENSION; k++) turned[k] += theta[k];
        if (!control->is_adaptive && !(*at.begin.before < length) && !seems_to_converge(P, order, length, &at.begin)
            && !follows_series(P, work, length, &at.begin, &at.end, rate_q, rate_v))
            return SYMLIE_DIVERGING;
        if (!control->with_estimate) continue;
        symlie_real error;
        status = piece_error(P, work, start, length, control, mass, &at, rate_q, rate_v, theta, &error);
        if (status != SYMLIE_DONE) return status;
        trial->error = fmax(trial->error, error);
    }
    keep_increment(P, turned, trial->increment);
    if (CONSTRAINED && RESTRICTS_MOTION) measure_residuals(P, work, t + h, trial->q, trial->v, trial);
    if (trial->is_inside) return SYMLIE_DONE;
    copy(ROWS, at.end.lambda_0, trial->lambda);
    copy(DIMENSION, at.end.v_1, trial->acceleration);
    trial->acceleration_is_valid = 1;
    if (!control->is_adaptive) return SYMLIE_DONE;
    if (trial->ends_run) {
        trial->factor = trial->error <= 1 ? 1 : REJECTED_STEP;
        return SYMLIE_DONE;
    }
    if (HAS_CONDITIONS && trial->error <= 1) {
        status = find_reach(P, work, t + h, *at.end.longest * STRETCH, mass, &at.jets, &at.end, &at.near);
        if (status != SYMLIE_DONE) return status;
    }
    trial->factor = trial->error <= 1 ? proposed_step(&at.end) / h : REJECTED_STEP;
    return SYMLIE_DONE;
}

#endif
