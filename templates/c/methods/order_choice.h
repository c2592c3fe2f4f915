/* Error estimates of methods of variable order, and the choice of order and step size;
 * symlie/runtime/methods/bdf/orders.py takes the same decisions. */
#ifndef SYMLIE_ORDER_CHOICE_H
#define SYMLIE_ORDER_CHOICE_H

/* Error constant: the error that k steps of order k add is this factor times the divided difference of order k + 1.
 * It depends on the distances between the start of a step and the k points of its formula. */
static inline symlie_real error_factor(int order, const symlie_real *restrict distance, symlie_real length)
{
    symlie_real product = order * length;
    for (int i = 0; i < order; i++) product *= distance[i] + length;
    return product;
}

/* Longest step size between two bounds for which k steps of order k add at most an error of norm one. */
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

/* Step size factor after a rejected step. */
static inline symlie_real shorter_step(const symlie_control *control, const symlie_real *restrict node, int order, symlie_real difference)
{
    symlie_real distance[STEPS];
    for (int i = 0; i < order; i++) distance[i] = -node[i + 1] - 1;
    return fmax(control->fac_min, control->safety * longest_step(order, distance, difference, SHORTENED_STEP, 1));
}

/* Phase per step, at unit step size, of an oscillation with these divided differences of orders k + 1 and k - 1. */
static inline symlie_real phase_of(int order, symlie_real difference, symlie_real before)
{
    return before > 0 ? sqrt(order * (order + 1) * difference / before) : 0;
}

/* Return the order and the step size factor after an accepted step. difference[i] belongs to order - 2 + i and is -1
 * if unavailable. `equal` counts the steps since the last change of order or step size. */
static inline int chosen_order(const symlie_control *control, const symlie_real *restrict point, int order,
                               const symlie_real *restrict difference, int equal, int is_known, symlie_real *restrict factor)
{
    symlie_real reached[4];
    int best = 2;
    for (int i = 1; i < 4; i++) {
        const int of = order - 2 + i;
        const symlie_real bound = of <= 2 ? control->fac_max : fmin(control->fac_max, ORDER_GROWTH);
        reached[i] = difference[i] < 0 ? 0 : longest_step(of, point, difference[i], SHORTENED_STEP, bound / control->safety);
    }
    *factor = 1;
    /* Orders above two amplify unresolved oscillations until these limit the step size; order two damps them. */
    const int is_free = equal >= order || !is_known, is_held = is_known && control->safety * reached[2] <= control->hold;
    if (order > 2 && is_held && equal >= order) {
        const symlie_real turn = phase_of(order, difference[2], difference[0]);
        if (turn >= UNRESOLVED) {
            symlie_real second = difference[2];
            for (int of = 3; of <= order; of++) second *= (of + 1) / turn;
            const symlie_real bound = control->fac_max / control->safety;
            *factor = control->safety * longest_step(2, point, second, SHORTENED_STEP, bound);
            *factor = fmin(1, fmax(control->fac_min, *factor));
            return 2;
        }
    }
    if (!is_free && reached[2] >= 1) return order;
    if (reached[1] > reached[best]) best = 1;
    if (is_free && reached[3] > reached[best] &&
        (order < 2 || !is_held || phase_of(order + 1, difference[3], difference[1]) < UNRESOLVED))
        best = 3;
    *factor = fmax(control->fac_min, control->safety * reached[best]);
    if (*factor >= 1 && *factor <= control->hold) *factor = 1;
    return order - 2 + best;
}

typedef struct {
    symlie_real known;      /* number of known points before the end of the step */
    symlie_real order;
    symlie_real equal;      /* number of steps since the last change of order or step size */
    symlie_real is_omitted; /* 1 if the history omits the start of the step, which a shortened step would place too close
                             * to another point */
} next_order;

/* Set the error of a step, and choose order and size of the next one. norms[k] is the norm of the divided differences
 * for the order k + 1, and rotation the square of the bound of the rotation over all points. */
static inline next_order choose_order(const symlie_control *restrict control, const symlie_state *restrict state, symlie_real h,
                                      symlie_real known, symlie_real order, symlie_real equal, const symlie_real *restrict lengths,
                                      const symlie_real *restrict norms, symlie_real rotation, symlie_trial *restrict trial)
{
    const int of = (int)order, points = (int)known;
    symlie_real node[STEPS + 2] = {0, -1}, point[STEPS], difference[4];
    for (int i = 2; i < STEPS + 2; i++) node[i] = node[i - 1] - lengths[i - 2] / h;
    for (int i = 0; i < 4; i++) {
        const int k = of - 2 + i;
        difference[i] = k > 0 && k <= STEPS && k <= points ? norms[k - 1] : -1;
    }
    for (int i = 0; i < of; i++) point[i] = -node[i + 1] - 1;
    if (points < STEPS && of <= 3 && difference[3 - of] >= 0) difference[3 - of] *= FIRST_ERRORS;
    trial->order = of;
    trial->error = difference[2] * error_factor(of, point, 1);
    trial->factor = trial->error <= 1 ? 1 : shorter_step(control, node, of, difference[2]);

    const symlie_real planned = fmin(state->h, control->h_max);
    const int is_cut = h < planned, is_omitted = is_cut && lengths[0] + h <= NEAR_POINTS * planned;
    int next = of;
    for (int i = 0; i < STEPS; i++) point[i] = -node[i];
    if (trial->error <= 1 && !is_cut) {
        next = chosen_order(control, point, of, difference, (int)equal, points == STEPS, &trial->factor);
        if (rotation > 0) trial->factor = fmin(trial->factor, CHART_PART * sqrt(CHART_LIMIT / rotation));
    }
    return (next_order){
        .known = is_omitted ? known : fmin(known + 1, STEPS),
        .order = next,
        .equal = next == of && trial->factor == 1 ? equal + 1 : 0,
        .is_omitted = is_omitted,
    };
}

#endif
