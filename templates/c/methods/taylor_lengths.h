/* How long steps of series may be: the last terms of a step are as small as its tolerance. */
#ifndef SYMLIE_TAYLOR_LENGTHS_H
#define SYMLIE_TAYLOR_LENGTHS_H

#include "taylor_sums.h"

/* Lengths have few digits, since the last terms, which they follow from, have few: the next one below. */
#if SYMLIE_LANES > 1
#define PART_BITS ((1LL << 52) - 1) /* of a double, those behind its sign and its exponent */
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

#if SYMLIE_LANES > 1
/* x^(-1/n) of doubles that are neither zero nor subnormal nor infinite: with u = e + f of x = 2^e (1 + f) the logarithm is
 * u + BEND f (1 - f) to 0.008, and powers of two follow the other way round. Two steps of third order for 1 - x r^n = 0 are
 * behind that, which leave less than NEARLY. */
#define BEND 0.3437
#define NEARLY 1e-8
static inline symlie_real near_root(symlie_real x, int n)
{
    const symlie_real unit = SYMLIE_NUMBER(1 / (symlie_scalar)(PART_BITS + 1));
    const symlie_mask bits_of_x = (symlie_mask)x;
    const symlie_real f = unit * __builtin_convertvector(bits_of_x & PART_BITS, symlie_real);
    const symlie_real u = unit * __builtin_convertvector(bits_of_x, symlie_real) - 1023;
    const symlie_scalar part = 1 / (symlie_scalar)n;
    const symlie_mask bits = __builtin_convertvector((1023 - part * (u + BEND * f * (1 - f))) / unit, symlie_mask);
    const symlie_real g = unit * __builtin_convertvector(bits & PART_BITS, symlie_real);
    symlie_real r = (symlie_real)bits - (symlie_real)(bits & ~PART_BITS) * (BEND * g * (1 - g));
    for (int i = 0; i < 2; i++) {
        const symlie_real rest = 1 - x * whole_power(r, n);
        r += part * r * rest * (1 + (1 + part) / 2 * rest);
    }
    return r;
}
#endif

/* A bound h on the length of steps becomes less where a term of order n is larger than it allows; lanes may do with nearly
 * that, which takes no calls. */
static inline symlie_real bounded_step(const int is_near, symlie_real h, symlie_scalar shrinks, symlie_real size, int n)
{
#if SYMLIE_LANES > 1
    if (is_near) {
        const symlie_mask is_normal = (size >= 0x1p-1000) & (size <= 0x1p1000), is_zero = size == 0;
        const symlie_real one = SYMLIE_NUMBER(1), none = SYMLIE_NUMBER((symlie_scalar)NAN);
        const symlie_real bound = shrinks * near_root(SYMLIE_WHERE(is_normal, size, one), n);
        return SYMLIE_WHERE(is_normal, SYMLIE_WHERE(bound < h, bound, h), SYMLIE_WHERE(is_zero, h, none));
    }
    const symlie_mask is_bound = size * whole_power(h / shrinks, n) > 1;
    for (int l = 0; l < SYMLIE_LANES; l++)
        if (is_bound[l]) h[l] = shrinks * pow(size[l], -1 / (symlie_scalar)n);
    return h;
#else
    (void)is_near;
    return size * whole_power(h / shrinks, n) > 1 ? shrinks * pow(size, -1 / (symlie_real)n) : h;
#endif
}

/* Norm of v times numbers, one over what the tolerances allow; its sum has as many parts as a register has numbers. */
static inline symlie_real velocity_size(const symlie_problem *restrict P, const symlie_control *restrict control,
                                        const symlie_real *restrict x, const symlie_real *restrict inverse)
{
    const symlie_scalar *restrict weight = control->weight + DIMENSION;
    symlie_real sum = SYMLIE_NUMBER(0);
    int k = 0;
#if SYMLIE_LANES > 1
    symlie_real squares[REGISTER_NUMBERS];
    for (int i = 0; i < REGISTER_NUMBERS; i++) squares[i] = SYMLIE_NUMBER(0);
    if (REGISTER_NUMBERS > 1)
        for (; k + REGISTER_NUMBERS <= DIMENSION; k += REGISTER_NUMBERS)
            for (int i = 0; i < REGISTER_NUMBERS; i++) {
                const symlie_real part = x[k + i] * inverse[k + i];
                squares[i] += weight[k + i] * part * part;
            }
    for (int i = 0; i < REGISTER_NUMBERS; i++) sum += squares[i];
#elif JET_WIDTH > 1
    symlie_row squares = NO_PRODUCTS;
    for (; k + JET_WIDTH <= DIMENSION; k += JET_WIDTH) {
        const symlie_row part = row_at(x + k) * row_at(inverse + k);
        squares += row_at(weight + k) * part * part;
    }
    for (int i = 0; i < JET_WIDTH; i++) sum += squares[i];
#endif
    for (; k < DIMENSION; k++) sum += weight[k] * (x[k] * inverse[k]) * (x[k] * inverse[k]);
    return sqrt(sum);
}

/* The longest step from which the last terms can be left out. */
static inline symlie_real longest_of_terms(const int is_near, const symlie_problem *restrict P, symlie_real *restrict work,
                                           const symlie_control *restrict control, const symlie_series *restrict series)
{
    ARRAY(of_theta, DIMENSION);
    ARRAY(of_v, DIMENSION);
    ARRAY(of_row, STORAGE + DIMENSION);
    const int order = (int)control->order;
    const symlie_scalar shrinks = pow(control->tolerance, 1 / (symlie_scalar)order), endless = (symlie_scalar)INFINITY;
    const symlie_real none = SYMLIE_NUMBER(0), most = SYMLIE_NUMBER(control->h_max);
    symlie_real h = SYMLIE_NUMBER(endless);
    for (int k = 0; k < DIMENSION; k++) of_v[k] = 1 / (control->atol[DIMENSION + k] + control->rtol[DIMENSION + k] * fabs(series->v_0[k]));
    for (int i = order; INTEGRATES_VELOCITIES && i > order - LAST_TERMS; i--) {
        const symlie_real *row = velocity_vector(P, series->v + i * VELOCITY_SIZE, of_row);
        h = bounded_step(is_near, h, shrinks, control->tolerance * velocity_size(P, control, row, of_v), i);
    }
    const symlie_real span = SYMLIE_WHERE(h < most, h, most);
    for (int k = 0; k < DIMENSION; k++)
        of_theta[k] = control->atol[k] + control->rtol[k] * fabs(series->w_0[k]) * SYMLIE_WHERE(span < endless, span, none);
    for (int i = order; i > order - LAST_TERMS; i--) {
        const symlie_real *row = stored_vector(P, series->q + i * STORED_SIZE, of_row);
        h = bounded_step(is_near, h, shrinks, control->tolerance * system_stored_size(P, row, of_theta), i);
    }
    return h;
}

/* The same, of few digits; lanes go the way of numbers where these may be others than what is near has. */
static inline symlie_real longest_step(const symlie_problem *restrict P, symlie_real *restrict work,
                                       const symlie_control *restrict control, const symlie_series *restrict series)
{
#if SYMLIE_LANES > 1
    const symlie_real near = longest_of_terms(1, P, work, control, series), least = of_few_digits(near * (1 - NEARLY));
    if (SYMLIE_ALL(least == of_few_digits(near * (1 + NEARLY)))) return least;
#endif
    return of_few_digits(longest_of_terms(0, P, work, control, series));
}

#endif
