/* How BDF of variable order estimates errors, and chooses order and length of the next step; see
 * symlie/runtime/methods/bdf/orders.py, which makes the same decisions. */
#ifndef SYMLIE_BDF_ORDERS_H
#define SYMLIE_BDF_ORDERS_H

/* Weights of the values at some nodes in their divided difference. */
static inline void difference_weights(int count, const symlie_real *restrict node, symlie_real *restrict weight)
{
    for (int i = 0; i < count; i++) {
        symlie_real product = 1;
        for (int j = 0; j < count; j++)
            if (j != i) product *= node[i] - node[j];
        weight[i] = 1 / product;
    }
}

/* What the divided difference of order k + 1 is multiplied by in what k steps of order k add to the error, from the distances
 * from the start of one back to the k points that its formula takes. */
static inline symlie_real error_factor(int order, const symlie_real *restrict distance, symlie_real length)
{
    symlie_real product = order * length;
    for (int i = 0; i < order; i++) product *= distance[i] + length;
    return product;
}

/* The longest step between two bounds of which as many as its formula has add no more than one to the error. */
static inline symlie_real longest_step(int order, const symlie_real *restrict distance, symlie_real difference, symlie_real shortest,
                                       symlie_real bound)
{
    symlie_real low = shortest, high = bound;
    if (difference * error_factor(order, distance, bound) <= 1) return bound;
    for (int i = 0; i < LENGTH_ROOTS; i++) {
        const symlie_real middle = sqrt(low * high);
        if (difference * error_factor(order, distance, middle) <= 1) low = middle;
        else high = middle;
    }
    return low;
}

/* Factor of the length of a step that is rejected. */
static inline symlie_real shorter_step(const symlie_control *control, const symlie_real *restrict node, int order, symlie_real difference)
{
    symlie_real distance[STEPS];
    for (int i = 0; i < order; i++) distance[i] = -node[i + 1] - 1;
    return fmax(control->fac_min, control->safety * longest_step(order, distance, difference, SHORTENED_STEP, 1));
}

/* Order and factor of the length after a step that is accepted; difference[i] belongs to the order - 1 + i, -1 if it is not there. */
static inline int chosen_order(const symlie_control *control, const symlie_real *restrict point, int order,
                               const symlie_real *restrict difference, int is_free, symlie_real *restrict factor)
{
    symlie_real reached[3];
    int best = 1;
    for (int i = 0; i < 3; i++) {
        const int of = order - 1 + i;
        const symlie_real bound = of <= 2 ? control->fac_max : fmin(control->fac_max, ORDER_GROWTH);
        reached[i] = difference[i] < 0 ? 0 : longest_step(of, point, difference[i], SHORTENED_STEP, bound / control->safety);
    }
    *factor = 1;
    if (!is_free && reached[1] >= 1) return order;
    if (reached[0] > reached[best]) best = 0;
    if (is_free && reached[2] > reached[best]) best = 2;
    *factor = fmax(control->fac_min, control->safety * reached[best]);
    if (*factor >= 1 && *factor <= control->hold) *factor = 1;
    return order - 1 + best;
}

#endif
