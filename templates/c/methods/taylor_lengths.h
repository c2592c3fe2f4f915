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
/* x_i^(-1/(n-i)) of doubles that are neither zero nor subnormal nor infinite, to NEARLY: the logarithm of x = 2^e (1 + f) is
 * e + f + BEND f (1 - f) to 0.008, powers of two are a polynomial of the third degree to 1e-4, and one step of third order for
 * 1 - x r^n = 0 is behind that. */
#define BEND 0.3437
#define OF_POWER(g) (1 + (g) * (0.695556856 + (g) * (0.226173572 + 0.078269572 * (g))))
#define NEARLY 2e-7
static inline void near_roots(const symlie_real *restrict x, int n, symlie_real *restrict r)
{
    const symlie_real unit = SYMLIE_NUMBER(1 / (symlie_scalar)(PART_BITS + 1));
    symlie_real power[LAST_TERMS], square[LAST_TERMS];
    for (int i = 0; i < LAST_TERMS; i++) {
        const symlie_mask bits_of_x = (symlie_mask)x[i];
        const symlie_real f = unit * __builtin_convertvector(bits_of_x & PART_BITS, symlie_real);
        const symlie_real u = unit * __builtin_convertvector(bits_of_x, symlie_real) - 1023;
        const symlie_real of_root = 1023 - (u + BEND * f * (1 - f)) / (symlie_scalar)(n - i);
        const symlie_mask bits = __builtin_convertvector(of_root / unit, symlie_mask);
        const symlie_real g = unit * __builtin_convertvector(bits & PART_BITS, symlie_real);
        r[i] = (symlie_real)(bits & ~PART_BITS) * OF_POWER(g);
        power[i] = x[i], square[i] = r[i];
        for (int m = i + 1; m < LAST_TERMS; m++) power[i] *= r[i];
    }
    for (int m = n - (LAST_TERMS - 1); m; m /= 2)
        for (int i = 0; i < LAST_TERMS; i++) {
            if (m % 2) power[i] *= square[i];
            square[i] *= square[i];
        }
    for (int i = 0; i < LAST_TERMS; i++) {
        const symlie_scalar part = 1 / (symlie_scalar)(n - i);
        const symlie_real rest = 1 - power[i];
        r[i] += part * r[i] * rest * (1 + (1 + part) / 2 * rest);
    }
}
#endif

/* A bound h on the length of steps becomes less where one of the last terms, up to that of order n, is larger than it allows;
 * lanes may do with nearly that, which takes no calls. */
static inline symlie_real bounded_step(const int is_near, symlie_real h, symlie_scalar shrinks, const symlie_real *restrict size, int n)
{
#if SYMLIE_LANES > 1
    if (is_near) {
        symlie_real normal[LAST_TERMS], root[LAST_TERMS];
        const symlie_real one = SYMLIE_NUMBER(1), none = SYMLIE_NUMBER((symlie_scalar)NAN);
        for (int i = 0; i < LAST_TERMS; i++) normal[i] = SYMLIE_WHERE((size[i] >= 0x1p-1000) & (size[i] <= 0x1p1000), size[i], one);
        near_roots(normal, n, root);
        for (int i = 0; i < LAST_TERMS; i++) {
            const symlie_real bound = shrinks * root[i], least = SYMLIE_WHERE(bound < h, bound, h);
            h = SYMLIE_WHERE(size[i] == normal[i], least, SYMLIE_WHERE(size[i] == 0, h, none));
        }
        return h;
    }
    for (int i = 0; i < LAST_TERMS; i++) {
        const symlie_mask is_bound = size[i] * whole_power(h / shrinks, n - i) > 1;
        for (int l = 0; l < SYMLIE_LANES; l++)
            if (is_bound[l]) h[l] = shrinks * pow(size[i][l], -1 / (symlie_scalar)(n - i));
    }
#else
    (void)is_near;
    for (int i = 0; i < LAST_TERMS; i++)
        if (size[i] * whole_power(h / shrinks, n - i) > 1) h = shrinks * pow(size[i], -1 / (symlie_real)(n - i));
#endif
    return h;
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
    symlie_real h = SYMLIE_NUMBER(endless), size[LAST_TERMS];
    for (int k = 0; k < DIMENSION; k++) of_v[k] = 1 / (control->atol[DIMENSION + k] + control->rtol[DIMENSION + k] * fabs(series->v_0[k]));
    for (int i = 0; INTEGRATES_VELOCITIES && i < LAST_TERMS; i++)
        size[i] = control->tolerance * velocity_size(P, control, velocity_vector(P, series->v + (order - i) * VELOCITY_SIZE, of_row), of_v);
    if (INTEGRATES_VELOCITIES) h = bounded_step(is_near, h, shrinks, size, order);
    const symlie_real span = SYMLIE_WHERE(h < most, h, most);
    for (int k = 0; k < DIMENSION; k++)
        of_theta[k] = control->atol[k] + control->rtol[k] * fabs(series->w_0[k]) * SYMLIE_WHERE(span < endless, span, none);
    for (int i = 0; i < LAST_TERMS; i++)
        size[i] = control->tolerance * system_stored_size(P, stored_vector(P, series->q + (order - i) * STORED_SIZE, of_row), of_theta);
    return bounded_step(is_near, h, shrinks, size, order);
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
