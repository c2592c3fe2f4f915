/* A Taylor step without branch changes for several members in SIMD lanes, bitwise identical to taylor.h. The cached
 * series belong to all lanes; if the state of one lane differs, all series are recomputed. */
#ifndef SYMLIE_TAYLOR_SIDE_BY_SIDE_H
#define SYMLIE_TAYLOR_SIDE_BY_SIDE_H

#include "taylor_convergence.h"
#include "taylor_formula.h"
#include "taylor_lengths.h"
#include "taylor_reach.h"

static inline symlie_real series_error(const symlie_problem *restrict P, symlie_real h, int order, const symlie_control *restrict control,
                                       const symlie_series *restrict begin, const symlie_series *restrict end,
                                       symlie_real *restrict rate, symlie_real *restrict acceleration, const symlie_real *restrict theta)
{
    ARRAY(scale, DIMENSION);
    const symlie_real part = h / (symlie_scalar)order;
    for (int k = 0; k < DIMENSION; k++) scale[k] = control->atol[k] + control->rtol[k] * fabs(theta[k]);
    for (int k = 0; k < STORAGE; k++) rate[k] = part * (rate[k] - end->q_1[k]);
    const symlie_real of_q = system_stored_size(P, rate, scale);
    for (int k = 0; k < DIMENSION; k++) {
        const symlie_real a = fabs(begin->v_0[k]), b = fabs(end->v_0[k]);
        scale[k] = 1 / (control->atol[DIMENSION + k] + control->rtol[DIMENSION + k] * SYMLIE_LARGER(a, b));
    }
    for (int k = 0; k < DIMENSION; k++) acceleration[k] = part * (acceleration[k] - end->v_1[k]);
    const symlie_real of_v = system_velocity_size(P, control->weight + DIMENSION, acceleration, scale);
    return SYMLIE_LARGER(of_q, of_v);
}

static inline void moved_by_piece(const symlie_problem *restrict P, symlie_real h, int order, const symlie_series *restrict begin,
                                  const symlie_series *restrict end, symlie_real *restrict theta)
{
    if (!HAS_ANGLES) {
        for (int k = 0; k < DIMENSION; k++) theta[k] = h * (begin->w_0[k] + end->w_0[k]) / 2;
        return;
    }
    sum_means(DIMENSION, order, begin->w, in_unit(begin, h), theta);
    for (int k = 0; k < DIMENSION; k++) theta[k] = h * theta[k];
}

static inline symlie_mask begin_at(const symlie_problem *restrict P, const symlie_series *series, symlie_real t, const symlie_real *q,
                                   const symlie_real *v)
{
    symlie_mask agree = (*series->is_known != 0) & (*series->t == t);
    for (int k = 0; k < STORAGE; k++) agree &= series->q_0[k] == q[k];
    for (int k = 0; k < DIMENSION; k++) agree &= series->v_0[k] == v[k];
    return agree;
}

static inline int series_of_lanes(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_control *restrict control,
                                  symlie_real t, const symlie_real *q, const symlie_real *v, mass_matrix *restrict mass,
                                  const symlie_jets *restrict jets, symlie_series *restrict series)
{
    const int status = find_series(P, work, t, q, v, mass, jets, series);
    if (status == SYMLIE_DONE && control->is_adaptive) *series->longest = longest_step(P, work, control, series);
    return status;
}

/* Provide the series at the start of a step, from the cached series whose states are the states of the lanes if
 * there is one. */
static inline int begin_series(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_control *restrict control,
                               mass_matrix *restrict mass, const symlie_state *restrict state, series_places *restrict at)
{
    const symlie_mask ended = begin_at(P, &at->end, t, state->q, state->v);
    if (SYMLIE_ALL(ended)) {
        const symlie_series other = at->begin;
        at->begin = at->end, at->end = other;
        return SYMLIE_DONE;
    }
    const symlie_mask begun = begin_at(P, &at->begin, t, state->q, state->v);
    if (SYMLIE_ALL(begun)) return SYMLIE_DONE;
    if (SYMLIE_ALL(ended | begun)) {
        symlie_real *begin = at->begin.is_known;
        const symlie_real *end = at->end.is_known;
        for (long long k = series_workspace(P, MOST_ORDER) - 1; k >= 0; k--) begin[k] = SYMLIE_WHERE(ended, end[k], begin[k]);
        return SYMLIE_DONE;
    }
    return series_of_lanes(P, work, control, t, state->q, state->v, mass, &at->jets, &at->begin);
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(theta, DIMENSION);
    ARRAY(rate, STORAGE);
    ARRAY(acceleration, DIMENSION);
    const int order = (int)control->order;
    const symlie_real none = SYMLIE_NUMBER(0);
    series_places at = places_of_series(P, order, h);
    int status = begin_series(P, work, t, control, mass, state, &at);
    if (status != SYMLIE_DONE) return status;
    copy(DIMENSION, at.begin.v_1, trial->first_acceleration);
    trial->acceleration_is_valid = 1;
    trial->is_untried = h != h;
    symlie_real length = h;
    if (control->is_adaptive) {
        if (!SYMLIE_ALL(*at.begin.longest == *at.begin.longest)) return SYMLIE_NOT_FINITE;
        trial->is_untried = ~(h <= *at.begin.longest * STRETCH);
        trial->factor = *at.begin.longest / h;
        /* Lanes whose step is too long do not advance. */
        length = SYMLIE_WHERE(trial->is_untried, none, h);
    }
    if (SYMLIE_ALL(trial->is_untried)) {
        copy(STORAGE, state->q, trial->q);
        copy(ROWS, at.begin.lambda_0, trial->lambda);
        trial->error = SYMLIE_NUMBER(2);
        return SYMLIE_DONE;
    }
    status = reach_state(P, work, t, length, order, mass, &at.begin, trial->q, trial->v, rate, acceleration);
    if (status != SYMLIE_DONE) return status;
    if (trial->ends_run) status = rates_of_end(P, work, t + h, trial->q, trial->v, mass, &at);
    else status = series_of_lanes(P, work, control, t + h, trial->q, trial->v, mass, &at.jets, &at.end);
    if (status != SYMLIE_DONE) return status;
    if (!control->is_adaptive && !seems_to_converge(P, order, h, &at.begin)) return SYMLIE_DIVERGING;
    moved_by_piece(P, length, order, &at.begin, &at.end, theta);
    if (control->with_estimate) {
        const symlie_real error = series_error(P, length, order, control, &at.begin, &at.end, rate, acceleration, theta);
        const symlie_mask may_be_rounding = (error > 1) & (error * control->tolerance <= ROUNDED) & ~trial->is_untried;
        if (!SYMLIE_ALL(error == error) || (control->is_adaptive && SYMLIE_ANY(may_be_rounding))) return SYMLIE_NOT_FINITE;
        trial->error = SYMLIE_WHERE(trial->is_untried, SYMLIE_NUMBER(2), error);
    }
    for (int k = 0; k < DIMENSION; k++) theta[k] = none + theta[k];
    keep_increment(P, theta, trial->increment);
    if (CONSTRAINED && RESTRICTS_MOTION) measure_residuals(P, work, t + h, trial->q, trial->v, trial);
    copy(ROWS, at.end.lambda_0, trial->lambda);
    copy(DIMENSION, at.end.v_1, trial->acceleration);
    if (!control->is_adaptive) return SYMLIE_DONE;
    const symlie_real proposed = trial->ends_run ? SYMLIE_NUMBER(1) : *at.end.longest / h;
    const symlie_real next = SYMLIE_WHERE(trial->error <= 1, proposed, SYMLIE_NUMBER(REJECTED_STEP));
    trial->factor = SYMLIE_WHERE(trial->is_untried, trial->factor, next);
    return SYMLIE_DONE;
}

/* Number of evaluations that a member would have in an individual run, where no series is computed after the last
 * step. */
static inline long long evaluations_of_lane(const symlie_control *restrict control, const symlie_trial *restrict trial, int lane,
                                            int has_first, int have_first, int is_last)
{
    (void)have_first;
    return (trial->is_untried[lane] == 0) * (is_last ? 1 : control->order) + !has_first * control->order;
}

/* Copy the series of one lane to another. */
static inline void share_kept(const symlie_problem *restrict P, int from, int to)
{
    symlie_real *memory = aligned(P->workspace);
    for (long long k = 2 * series_workspace(P, MOST_ORDER) - 1; k >= 0; k--) memory[k][to] = memory[k][from];
}

/* Another member has other parameters: discard the cached series. */
static inline void forget_lane(const symlie_problem *restrict P, int lane)
{
    symlie_real *memory = aligned(P->workspace);
    memory[0][lane] = memory[series_workspace(P, MOST_ORDER)][lane] = 0;
}

/* Members that take individual steps have other parameters than the previous ones: discard the cached series. */
static inline void forget_alone(const symlie_problem *restrict P, void *workspace)
{
    const uintptr_t size = CACHE_LINE * sizeof(symlie_scalar), place = (uintptr_t)workspace;
    symlie_scalar *memory = (symlie_scalar *)workspace + (size - place % size) % size / sizeof *memory;
    memory[0] = memory[series_workspace(P, MOST_ORDER)] = 0;
}

#endif
