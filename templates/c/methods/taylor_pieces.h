/* Validity of a series of a piecewise model: it ends at the first sign change of a switching function. */
#ifndef SYMLIE_TAYLOR_PIECES_H
#define SYMLIE_TAYLOR_PIECES_H

#include "bernstein_form.h"
#include "taylor_reach.h"

/* First point, relative to a length in the unit, where `sign` times a function plus a number, initially positive, is
 * no longer positive; 2 if it stays positive. `shift` corrects the last term of the function at the end. */
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

/* Find the length up to which the branches are valid. At a zero of a switching function, the function is evaluated
 * at the state there, and the difference corrects its last term: a series is only as accurate as the step, but the
 * sign must be exact. */
static inline int find_reach(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real length,
                             mass_matrix *restrict mass, const symlie_jets *restrict jets, symlie_series *restrict series,
                             symlie_series *restrict near)
{
    ARRAY(margin, CONDITIONS);
    ARRAY(shift, CONDITIONS);
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    const int last = jets->order - 1;
    const symlie_jets of_state = {.order = 1, .unit = jets->unit, .memory = jets->memory};
    const symlie_real *restrict rows = series->conditions + CONDITIONS;
    symlie_real span = length, at = length;
    int first = -1;
    /* The result depends on the length by rounding; resumed runs must obtain the same result. */
    if (length == *series->searched || !(length < (symlie_real)INFINITY)) return SYMLIE_DONE;
    for (int i = 0; i < CONDITIONS; i++) {
        symlie_real sum = 0;
        for (int k = last; k >= 0; k--) sum = sum * in_unit(series, length) + fabs(rows[(long long)k * CONDITIONS + i]);
        margin[i] = CONDITION_ROUNDING * (series->conditions[i] + sum);
        shift[i] = 0;
    }
    for (int n = 0; n < REACH_CORRECTIONS; n++) {
        symlie_real nearest = 2;
        for (int i = 0; i < CONDITIONS; i++) {
            const symlie_real sign = rows[i] > 0 ? 1 : -1, missing = shift[i] * whole_power(span / at, last);
            const symlie_real place = piece_end(P, last, rows + i, in_unit(series, span), sign, 2 * margin[i], missing);
            if (place < nearest) nearest = place, first = i;
        }
        if (nearest > 1) {
            *series->searched = length;
            *series->before = *series->beyond = (symlie_real)INFINITY;
            return SYMLIE_DONE;
        }
        at = nearest * span;
        int status = reach_state(P, work, t, at, jets->order, mass, series, q, v, 0, 0);
        if (status == SYMLIE_DONE) status = find_series(P, work, t + at, q, v, mass, &of_state, near);
        if (status != SYMLIE_DONE) return status;
        symlie_real change = 0;
        for (int i = 0; i < CONDITIONS; i++) {
            symlie_real value = 0;
            for (int k = last; k >= 0; k--) value = value * in_unit(series, at) + rows[(long long)k * CONDITIONS + i];
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
        const symlie_real place = piece_end(P, last, rows + first, in_unit(series, at), sign, -margin[first], shift[first]);
        *series->before = place <= 1 ? place * at : at;
    }
    return SYMLIE_DONE;
}

#endif
