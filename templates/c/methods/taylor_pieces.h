/* How far a series goes: to its state at a length, and up to where a function that chooses pieces changes its sign. */
#ifndef SYMLIE_TAYLOR_PIECES_H
#define SYMLIE_TAYLOR_PIECES_H

#include "bernstein_form.h"
#include "taylor_formula.h"

#if CONSTRAINED && ROWS_OF_VELOCITIES
/* One step of Newton's method for Phi with the matrix at q, which is then brought back to its groups, and one for B v + b
 * behind it: errors of both that one step leaves would grow from step to step if v were not corrected for the new q. */
static inline int meet_constraints(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                   mass_matrix *restrict mass, symlie_real *restrict q, symlie_real *restrict v)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(r, DIMENSION);
    ARRAY(delta, DIMENSION);
    ARRAY(moved, STORAGE);
    ARRAY(c, ROWS);
    ARRAY(b, ROWS);
    ARRAY(mu, ROWS);
    system_jacobian(P, t, q, B);
    system_constraint(P, t, q, c);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    int status = along_constraints(P, t, q, B, c, r, mu, mass, delta);
    if (status != SYMLIE_DONE) return status;
    move_along(P, q, delta, moved);
    system_normalize(P, moved, q);
    system_jacobian(P, t, q, B);
    hidden_residual(P, t, q, B, v, 0, b, c);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    status = along_constraints(P, t, q, B, c, r, mu, mass, delta);
    if (status != SYMLIE_DONE) return status;
    for (int k = 0; k < DIMENSION; k++) v[k] += delta[k];
    return SYMLIE_DONE;
}
#endif

#ifdef UNWRAPPED
/* Put angles over turns into the configuration q after a length: they follow the polynomial from about radian to radian. */
static inline void follow_turns(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real length, int order,
                                const symlie_series *restrict series, symlie_real *restrict q, const symlie_real *restrict v)
{
    ARRAY(rate, UNWRAPPED);
    ARRAY(end_rate, UNWRAPPED);
    ARRAY(angle, UNWRAPPED);
    ARRAY(stored, STORAGE);
    ARRAY(moved, STORAGE);
    ARRAY(sum, STORED_SIZE);
    system_unwrapped_rate(P, t, series->q_0, series->v_0, rate);
    system_unwrapped_rate(P, t + length, q, v, end_rate);
    symlie_real turns = 0;
    for (int k = 0; k < UNWRAPPED; k++) turns = fmax(turns, length * fmax(fabs(rate[k]), fabs(end_rate[k])));
    const int parts = 1 + (int)fmin(turns, MOST_PARTS);
    for (int k = 0; k < UNWRAPPED; k++) angle[k] = series->q_0[STORAGE - UNWRAPPED + k];
    for (int i = 1; i < parts; i++) {
        sum_series(STORED_SIZE, order + 1, series->q, i * length / parts, sum);
        system_normalize(P, stored_vector(P, sum, stored), moved);
        copy(UNWRAPPED, angle, moved + STORAGE - UNWRAPPED);
        system_unwrapped(P, t + i * length / parts, moved, angle);
    }
    copy(UNWRAPPED, angle, q + STORAGE - UNWRAPPED);
    system_unwrapped(P, t + length, q, angle);
    copy(UNWRAPPED, angle, q + STORAGE - UNWRAPPED);
}
#endif

/* The state after a length. */
static inline int reach_state(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real length, int order,
                              mass_matrix *restrict mass, const symlie_series *restrict series, symlie_real *restrict q,
                              symlie_real *restrict v)
{
    ARRAY(stored, STORAGE);
    ARRAY(sum, STORED_SIZE);
    sum_series(STORED_SIZE, order + 1, series->q, length, sum);
    system_normalize(P, stored_vector(P, sum, stored), q);
    sum_velocities(P, work, order + 1, series->v, length, v);
    if (MOTIONS) system_prescribe(P, t + length, q, v);
    if (!(all_finite(STORAGE, q) && all_finite(DIMENSION, v))) return SYMLIE_NOT_FINITE;
#if CONSTRAINED && ROWS_OF_VELOCITIES
    const int status = meet_constraints(P, work, t + length, mass, q, v);
    if (status != SYMLIE_DONE) return status;
#endif
#ifdef UNWRAPPED
    follow_turns(P, work, t, length, order, series, q, v);
#endif
    (void)work, (void)mass;
    return SYMLIE_DONE;
}

#if HAS_CONDITIONS
/* Where a function that is positive at first, after it is multiplied by a sign and a number is added, is not there any more,
 * relative to a length; 2 if it stays so. Its last term is more by `shift` at the end. */
static inline symlie_real piece_end(const symlie_problem *restrict P, int last, const symlie_real *restrict rows, symlie_real length,
                                    symlie_real sign, symlie_real above, symlie_real shift)
{
    symlie_real b[MOST_ORDER + 1], sum = 0;
    (void)P;
    for (int k = last; k > 0; k--) sum = (sum + fabs(rows[(long long)k * CONDITIONS])) * length;
    if (!(sum + fabs(shift) + fabs(rows[0]) < (symlie_real)INFINITY) || fabs(rows[0]) > sum + fabs(shift) + fabs(above)) return 2;
    bernstein_form(last, rows, CONDITIONS, length, b);
    b[last] += shift;
    for (int k = 0; k <= last; k++) b[k] = sign * b[k] + above;
    return first_fall(last, b);
}

/* Find up to a length where pieces do not hold any more. Where a function vanishes, the state is looked at: its value is put
 * right by its last term, since a series is as exact as the step while a sign is to be exact. */
static inline int find_reach(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real length,
                             mass_matrix *restrict mass, const symlie_jets *restrict jets, symlie_series *restrict series,
                             symlie_series *restrict near)
{
    ARRAY(margin, CONDITIONS);
    ARRAY(shift, CONDITIONS);
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    const int last = jets->order - 1;
    const symlie_jets of_state = {1, jets->memory, near->conditions};
    const symlie_real *restrict rows = series->conditions + CONDITIONS;
    symlie_real span = length, at = length;
    int first = -1;
    /* What is found depends on the length by rounding: runs that are resumed are to find the same. */
    if (length == *series->searched || !(length < (symlie_real)INFINITY)) return SYMLIE_DONE;
    for (int i = 0; i < CONDITIONS; i++) {
        symlie_real sum = 0;
        for (int k = last; k >= 0; k--) sum = sum * length + fabs(rows[(long long)k * CONDITIONS + i]);
        margin[i] = CONDITION_ROUNDING * (series->conditions[i] + sum);
        shift[i] = 0;
    }
    for (int n = 0; n < REACH_CORRECTIONS; n++) {
        symlie_real nearest = 2;
        for (int i = 0; i < CONDITIONS; i++) {
            const symlie_real sign = rows[i] > 0 ? 1 : -1, missing = shift[i] * whole_power(span / at, last);
            const symlie_real place = piece_end(P, last, rows + i, span, sign, 2 * margin[i], missing);
            if (place < nearest) nearest = place, first = i;
        }
        if (nearest > 1) {
            *series->searched = length;
            *series->before = *series->beyond = (symlie_real)INFINITY;
            return SYMLIE_DONE;
        }
        at = nearest * span;
        int status = reach_state(P, work, t, at, jets->order, mass, series, q, v);
        if (status == SYMLIE_DONE) status = find_series(P, work, t + at, q, v, mass, &of_state, near);
        if (status != SYMLIE_DONE) return status;
        symlie_real change = 0;
        for (int i = 0; i < CONDITIONS; i++) {
            symlie_real value = 0;
            for (int k = last; k >= 0; k--) value = value * at + rows[(long long)k * CONDITIONS + i];
            const symlie_real found = near->conditions[CONDITIONS + i] - value;
            if (i == first) change = fabs(found - shift[i]);
            shift[i] = fabs(found) < (symlie_real)INFINITY ? found : 0;
        }
        span = fmin(length, REACH_ROOM * at);
        if (!(change > margin[first])) break;
    }
    *series->searched = length;
    *series->beyond = at;
    *series->before = 0;
    if (fabs(rows[first]) > margin[first]) {
        const symlie_real sign = rows[first] > 0 ? 1 : -1;
        const symlie_real place = piece_end(P, last, rows + first, at, sign, -margin[first], shift[first]);
        *series->before = place <= 1 ? place * at : at;
    }
    return SYMLIE_DONE;
}
#endif

#endif
