/* Operations of taylor_numbers.h for several members in SIMD lanes. */
#ifndef SYMLIE_TAYLOR_OF_LANES_H
#define SYMLIE_TAYLOR_OF_LANES_H

#include "near_roots.h"

static inline symlie_real unit_near(symlie_real length, symlie_real before)
{
    const symlie_scalar least = 1 / (symlie_scalar)LARGEST_UNIT;
    const symlie_real power = (symlie_real)((symlie_mask)length & (0x7ffLL << 52));
    return SYMLIE_WHERE((length >= least) & (length <= (symlie_scalar)LARGEST_UNIT), power, before);
}

static inline symlie_real of_few_digits(symlie_real h)
{
    return (symlie_real)((symlie_mask)h & ~(2 * (PART_BITS + 1) / LENGTHS - 1));
}

static inline symlie_real bounded_step(const int is_near, symlie_real h, symlie_scalar shrinks, const symlie_real unit,
                                       const symlie_real *restrict size, int n)
{
    const symlie_real most = shrinks * unit;
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
    return h;
}

static inline symlie_real weighted_squares(int size, const symlie_scalar *restrict weight, const symlie_real *restrict row,
                                           const symlie_real *restrict inverse)
{
    symlie_real sum = SYMLIE_NUMBER(0);
    int k = 0;
    symlie_real squares[REGISTER_NUMBERS];
    for (int i = 0; i < REGISTER_NUMBERS; i++) squares[i] = SYMLIE_NUMBER(0);
    if (REGISTER_NUMBERS > 1)
        for (; k + REGISTER_NUMBERS <= size; k += REGISTER_NUMBERS)
            for (int i = 0; i < REGISTER_NUMBERS; i++) {
                const symlie_real part = row[k + i] * inverse[k + i];
                squares[i] += weight[k + i] * part * part;
            }
    for (int i = 0; i < REGISTER_NUMBERS; i++) sum += squares[i];
    for (; k < size; k++) sum += weight[k] * (row[k] * inverse[k]) * (row[k] * inverse[k]);
    return sum;
}

static inline int growth_beyond_range(const symlie_problem *restrict P, const symlie_series *restrict series, int order)
{
    const symlie_scalar most = LARGEST_COEFFICIENT;
    symlie_real size = SYMLIE_NUMBER(0);
    for (int k = order; k > 0 && SYMLIE_ANY(size == 0); k--) {
        const symlie_real of_order = order_size(P, series, k);
        size = SYMLIE_WHERE(size == 0, of_order, size);
    }
    return !SYMLIE_ALL((size == 0) | ((size >= 1 / most) & (size <= most)));
}

#endif
