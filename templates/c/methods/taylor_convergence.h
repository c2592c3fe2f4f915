/* Whether a step of one length is longer than its series converges. Terms that do not fall are a hint only, since motions may
 * begin with high orders: the step has to fail, or to lead where rates have nothing to do with those of the series. */
#ifndef SYMLIE_TAYLOR_CONVERGENCE_H
#define SYMLIE_TAYLOR_CONVERGENCE_H

#include "taylor_steps.h"

/* The largest component of the terms of three orders, after a length. */
static inline symlie_real largest_term(int size, const symlie_real *restrict x, int first, symlie_real h)
{
    symlie_real largest = 0, power = whole_power(h, first);
    for (int k = first; k < first + LAST_TERMS; k++, power *= h)
        for (int i = 0; i < size; i++) {
            const symlie_real term = fabs(x[k * size + i]) * power;
            if (!(term <= largest)) largest = term;
        }
    return largest;
}

static inline int terms_fall(int size, int order, const symlie_real *restrict x, symlie_real h)
{
    const symlie_real last = largest_term(size, x, order - LAST_TERMS + 1, h);
    const symlie_real first = largest_term(size, x, 1, h), middle = largest_term(size, x, order / 2 - 1, h);
    return last == 0 || last < TERMS_FALL * fmin(first, middle);
}

/* Whether a series looks as if it converged up to a length: its last terms are clearly smaller than its first ones and those
 * in the middle. */
static inline int seems_to_converge(const symlie_problem *restrict P, int order, symlie_real h, const symlie_series *restrict series)
{
    (void)P;
    return terms_fall(STORAGE, order, series->q, h) && terms_fall(DIMENSION, order, series->v, h);
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

/* Whether the rates where a step ends have to do with those of the series that it begins with. */
static inline int follows_series(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real h, int order,
                                 const symlie_series *restrict begin, const symlie_series *restrict end)
{
    ARRAY(of_q, STORAGE);
    ARRAY(of_v, DIMENSION);
    const symlie_real moved = largest_entry(STORAGE, begin->q, 0) / h + largest_entry(DIMENSION, begin->v, 0);
    sum_rates(STORAGE, order + 1, begin->q, h, of_q);
    sum_rates(DIMENSION, order + 1, begin->v, h, of_v);
    return rates_agree(STORAGE, of_q, end->q + STORAGE, RATES_NOTICED * moved)
           && rates_agree(DIMENSION, of_v, end->v + DIMENSION, RATES_NOTICED * moved / h);
}

#endif
