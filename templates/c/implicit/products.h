/* Products of derivatives with T of the increment, added to the matrices of implicit steps, by tables of
 * symlie/runtime/kernels/iteration_tables.py. */
#ifndef SYMLIE_PRODUCTS_H
#define SYMLIE_PRODUCTS_H

/* Add K, B or H times T and a factor. `runs` describes rows of values in the columns of one node: first value,
 * length, target of the product, first number of T, length of a row of T, and stride of the rows of T. `units`
 * contains the values that T does not change, with their targets. */
static inline void add_product(const int *restrict runs, int numbers, const int *restrict units, int pairs, symlie_real factor,
                               const symlie_real *restrict part, const symlie_real *restrict T, symlie_real *restrict values)
{
    for (const int *unit = units; unit < units + pairs; unit += 2) values[unit[1]] += factor * part[unit[0]];
    for (const int *run = runs; run < runs + numbers; run += 6) {
        const symlie_real *restrict x = part + run[0], *restrict row = T + run[3];
        symlie_real *restrict to = values + run[2];
        if (run[1] == 3 && run[4] == 3) {
            const symlie_real a = factor * x[0], b = factor * x[1], c = factor * x[2], *second = row + run[5], *third = second + run[5];
            for (int k = 0; k < 3; k++) to[k] += a * row[k] + b * second[k] + c * third[k];
        } else {
            for (int n = 0; n < run[1]; n++, row += run[5])
                for (int k = 0; k < run[4]; k++) to[k] += factor * x[n] * row[k];
        }
    }
}

#define ADD_PRODUCT(name, factor, part, T) \
    add_product(name##_RUNS, COUNT_OF_##name##_RUNS, name##_UNITS, COUNT_OF_##name##_UNITS, factor, part, T, values)

#endif
