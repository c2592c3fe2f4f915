/* Operations of taylor_numbers.h for one member. */
#ifndef SYMLIE_TAYLOR_OF_ONE_H
#define SYMLIE_TAYLOR_OF_ONE_H

static inline symlie_real unit_near(symlie_real length, symlie_real before)
{
    int power;
    if (!(length >= 1 / (symlie_real)LARGEST_UNIT && length <= (symlie_real)LARGEST_UNIT)) return before;
    frexp(length, &power);
    return ldexp(1, power - 1);
}

static inline symlie_real of_few_digits(symlie_real h)
{
    int power;
    const symlie_real part = frexp(h, &power);
    return h < (symlie_real)INFINITY ? ldexp(floor(LENGTHS * part) / LENGTHS, power) : h;
}

static inline symlie_real bounded_step(const int is_near, symlie_real h, symlie_scalar shrinks, const symlie_real unit,
                                       const symlie_real *restrict size, int n)
{
    const symlie_real most = shrinks * unit;
    (void)is_near;
    for (int i = 0; i < LAST_TERMS; i++)
        if (size[i] * whole_power(h / most, n - i) > 1) h = shrinks * root_in_seconds(size[i], n - i, unit);
    return h;
}

static inline symlie_real weighted_squares(int size, const symlie_scalar *restrict weight, const symlie_real *restrict row,
                                           const symlie_real *restrict inverse)
{
    symlie_real sum = SYMLIE_NUMBER(0);
    int k = 0;
    symlie_row squares = NO_PRODUCTS;
    for (; k + JET_WIDTH <= size; k += JET_WIDTH) {
        const symlie_row part = row_at(row + k) * row_at(inverse + k);
        squares += row_at(weight + k) * part * part;
    }
    for (int i = 0; i < JET_WIDTH; i++) sum += OF_ROW(squares, i);
    for (; k < size; k++) sum += weight[k] * (row[k] * inverse[k]) * (row[k] * inverse[k]);
    return sum;
}

static inline int growth_beyond_range(const symlie_problem *restrict P, const symlie_series *restrict series, int order)
{
    const symlie_real most = LARGEST_COEFFICIENT;
    int overflows = 0;
    for (int k = order; k > 0; k--) {
        const symlie_real size = order_size(P, series, k);
        int power;
        if (size == 0) continue;
        if (!(size < (symlie_real)INFINITY)) {
            overflows = 1;
            continue;
        }
        if (!overflows && size >= 1 / most && size <= most) return 0;
        frexp(size, &power);
        return power / k;
    }
    return 0;
}

#endif
