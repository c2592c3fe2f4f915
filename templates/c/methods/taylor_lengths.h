/* Step sizes of Taylor series: the last terms of a step have the size of the tolerance. */
#ifndef SYMLIE_TAYLOR_LENGTHS_H
#define SYMLIE_TAYLOR_LENGTHS_H

#include "taylor_sums.h"
#if SYMLIE_LANES > 1
#include "near_roots.h"
#endif

/* Round a step size down to few digits; the last terms do not determine more. */
#if SYMLIE_LANES > 1
static inline symlie_real of_few_digits(symlie_real h)
{
    return (symlie_real)((symlie_mask)h & ~(2 * (PART_BITS + 1) / LENGTHS - 1));
}
#else
static inline symlie_real of_few_digits(symlie_real h)
{
    int power;
    const symlie_real part = frexp(h, &power);
    return h < (symlie_real)INFINITY ? ldexp(floor(LENGTHS * part) / LENGTHS, power) : h;
}
#endif

/* x^(-1/n) units of time, in s; the result is bitwise independent of the unit. */
static inline symlie_scalar root_in_seconds(symlie_scalar x, int n, symlie_scalar unit)
{
    int power, of_unit;
    if (!(x < (symlie_scalar)INFINITY)) return unit * pow(x, -1 / (symlie_scalar)n);
    const symlie_scalar part = frexp(x, &power);
    frexp(unit, &of_unit);
    power -= (of_unit - 1) * n;
    const int whole = power / n;
    return ldexp(pow(ldexp(part, power - whole * n), -1 / (symlie_scalar)n), -whole);
}

/* Reduce a bound h on the step size, in s, if one of the last terms, up to order n, exceeds its tolerance. Lanes may
 * use approximate roots, which need no function calls. */
static inline symlie_real bounded_step(const int is_near, symlie_real h, symlie_scalar shrinks, const symlie_real unit,
                                       const symlie_real *restrict size, int n)
{
    const symlie_real most = shrinks * unit;
#if SYMLIE_LANES > 1
    if (is_near) {
        symlie_real normal[LAST_TERMS], root[LAST_TERMS];
        const symlie_real one = SYMLIE_NUMBER(1), none = SYMLIE_NUMBER((symlie_scalar)NAN);
        for (int i = 0; i < LAST_TERMS; i++) normal[i] = SYMLIE_WHERE((size[i] >= 0x1p-1000) & (size[i] <= 0x1p1000), size[i], one);
        near_roots(normal, n, root);
        for (int i = 0; i < LAST_TERMS; i++) {
            const symlie_real bound = most * root[i], least = SYMLIE_WHERE(bound < h, bound, h);
            h = SYMLIE_WHERE(size[i] == normal[i], least, SYMLIE_WHERE(size[i] == 0, h, none));
        }
        return h;
    }
    for (int i = 0; i < LAST_TERMS; i++) {
        const symlie_mask is_bound = size[i] * whole_power(h / most, n - i) > 1;
        for (int l = 0; l < SYMLIE_LANES; l++)
            if (is_bound[l]) h[l] = shrinks * root_in_seconds(size[i][l], n - i, unit[l]);
    }
#else
    (void)is_near;
    for (int i = 0; i < LAST_TERMS; i++)
        if (size[i] * whole_power(h / most, n - i) > 1) h = shrinks * root_in_seconds(size[i], n - i, unit);
#endif
    return h;
}

/* Weighted norm of v relative to the tolerances; `inverse` contains reciprocals. The number of partial sums is the
 * width of a register. */
static inline symlie_real velocity_size(const symlie_problem *restrict P, const symlie_control *restrict control,
                                        const symlie_real *restrict row, const symlie_real *restrict inverse)
{
    const symlie_scalar *restrict weight = control->weight + DIMENSION;
#if ORDERS_BESIDE
    return system_velocity_size(P, weight, row, inverse);
#else
    symlie_real sum = SYMLIE_NUMBER(0);
    int k = 0;
#if SYMLIE_LANES > 1
    symlie_real squares[REGISTER_NUMBERS];
    for (int i = 0; i < REGISTER_NUMBERS; i++) squares[i] = SYMLIE_NUMBER(0);
    if (REGISTER_NUMBERS > 1)
        for (; k + REGISTER_NUMBERS <= DIMENSION; k += REGISTER_NUMBERS)
            for (int i = 0; i < REGISTER_NUMBERS; i++) {
                const symlie_real part = row[k + i] * inverse[k + i];
                squares[i] += weight[k + i] * part * part;
            }
    for (int i = 0; i < REGISTER_NUMBERS; i++) sum += squares[i];
#elif JET_WIDTH > 1
    symlie_row squares = NO_PRODUCTS;
    for (; k + JET_WIDTH <= DIMENSION; k += JET_WIDTH) {
        const symlie_row part = row_at(row + k) * row_at(inverse + k);
        squares += row_at(weight + k) * part * part;
    }
    for (int i = 0; i < JET_WIDTH; i++) sum += squares[i];
#endif
    for (; k < DIMENSION; k++) sum += weight[k] * (row[k] * inverse[k]) * (row[k] * inverse[k]);
    return sqrt(sum);
#endif
}

/* Longest step size for which the last terms are within the tolerance. */
static inline symlie_real longest_of_terms(const int is_near, const symlie_problem *restrict P, symlie_real *restrict work,
                                           const symlie_control *restrict control, const symlie_series *restrict series)
{
    ARRAY(of_theta, DIMENSION);
    ARRAY(of_v, DIMENSION);
    const int order = (int)control->order;
    const symlie_scalar shrinks = pow(control->tolerance, 1 / (symlie_scalar)order), endless = (symlie_scalar)INFINITY;
    const symlie_real none = SYMLIE_NUMBER(0), most = SYMLIE_NUMBER(control->h_max);
    symlie_real h = SYMLIE_NUMBER(endless), size[LAST_TERMS];
    int begin;
    for (int i = 0, count; (count = part_of_vector(P, 1, i, &begin)) >= 0; i++)
        for (int k = begin; k < begin + count; k++) of_v[k] = 1 / (control->atol[DIMENSION + k] + control->rtol[DIMENSION + k] * fabs(series->v_0[k]));
    for (int i = 0; INTEGRATES_VELOCITIES && i < LAST_TERMS; i++)
        size[i] = control->tolerance * velocity_size(P, control, series->v + (order - i) * VELOCITY_SIZE, of_v);
    if (INTEGRATES_VELOCITIES) h = bounded_step(is_near, h, shrinks, *series->unit, size, order);
    const symlie_real span = SYMLIE_WHERE(h < most, h, most);
    const symlie_real way = SYMLIE_WHERE(span < endless, span, none);
    for (int i = 0, count; (count = part_of_vector(P, 0, i, &begin)) >= 0; i++)
        for (int k = begin; k < begin + count; k++) of_theta[k] = control->atol[k] + control->rtol[k] * fabs(series->w_0[k]) * way;
    for (int i = 0; i < LAST_TERMS; i++)
        size[i] = control->tolerance * system_stored_size(P, series->q + (order - i) * STORED_SIZE, of_theta);
    return bounded_step(is_near, h, shrinks, *series->unit, size, order);
}

/* Compute the same bound, rounded to few digits; lanes with a result that depends on the accuracy of the roots use
 * exact ones. */
static inline symlie_real longest_step(const symlie_problem *restrict P, symlie_real *restrict work,
                                       const symlie_control *restrict control, const symlie_series *restrict series)
{
#if SYMLIE_LANES > 1
    const symlie_real near = longest_of_terms(1, P, work, control, series), least = of_few_digits(near * (1 - NEAR_ROOT));
    if (SYMLIE_ALL(least == of_few_digits(near * (1 + NEAR_ROOT)))) return least;
#endif
    return of_few_digits(longest_of_terms(0, P, work, control, series));
}

#endif
