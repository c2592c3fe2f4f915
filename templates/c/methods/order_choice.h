/* Error estimates of methods of variable order, and the choice of order and step size;
 * symlie/runtime/methods/bdf/orders.py takes the same decisions. */
#ifndef SYMLIE_ORDER_CHOICE_H
#define SYMLIE_ORDER_CHOICE_H

/* Error constant: the error that k steps of order k add is this factor times the divided difference of order k + 1.
 * It depends on the distances between the start of a step and the k points of its formula. */
static inline symlie_lane error_factor(int order, const symlie_lane *restrict distance, symlie_lane length)
{
    symlie_lane product = order * length;
    for (int i = 0; i < order; i++) product *= distance[i] + length;
    return product;
}

/* Longest step size between two bounds for which k steps of order k add at most an error of norm one. */
static inline symlie_lane longest_step(int order, const symlie_lane *restrict distance, symlie_lane difference, symlie_lane shortest,
                                       symlie_lane bound)
{
    symlie_lane low = shortest, high = bound;
    if (difference * error_factor(order, distance, bound) <= 1) return bound;
    for (int i = 0; i < LENGTH_ROOTS; i++) {
        const symlie_lane middle = sqrt(low * high);
        if (difference * error_factor(order, distance, middle) <= 1) low = middle;
        else high = middle;
    }
    return low;
}

/* Step size factor after a rejected step. */
static inline symlie_lane shorter_step(const symlie_control *control, const symlie_lane *restrict node, int order, symlie_lane difference)
{
    symlie_lane distance[STEPS];
    for (int i = 0; i < order; i++) distance[i] = -node[i + 1] - 1;
    return fmax(control->fac_min, control->safety * longest_step(order, distance, difference, SHORTENED_STEP, 1));
}

/* Phase per step, at unit step size, of an oscillation with these divided differences of orders k + 1 and k - 1. */
static inline symlie_lane phase_of(int order, symlie_lane difference, symlie_lane before)
{
    return before > 0 ? sqrt(order * (order + 1) * difference / before) : 0;
}

/* Return the order and the step size factor after an accepted step. difference[i] belongs to order - 2 + i and is -1
 * if unavailable. `equal` counts the steps since the last change of order or step size. */
static inline int chosen_order(const symlie_control *control, const symlie_lane *restrict point, int order,
                               const symlie_lane *restrict difference, int equal, int is_known, symlie_lane *restrict factor)
{
    symlie_lane reached[4];
    int best = 2;
    for (int i = 1; i < 4; i++) {
        const int of = order - 2 + i;
        const symlie_lane bound = of <= 2 ? control->fac_max : fmin(control->fac_max, ORDER_GROWTH);
        reached[i] = difference[i] < 0 ? 0 : longest_step(of, point, difference[i], SHORTENED_STEP, bound / control->safety);
    }
    *factor = 1;
    /* Orders above two amplify unresolved oscillations until these limit the step size; order two damps them. */
    const int is_free = equal >= order || !is_known, is_held = is_known && control->safety * reached[2] <= control->hold;
    if (order > 2 && is_held && equal >= order) {
        const symlie_lane turn = phase_of(order, difference[2], difference[0]);
        if (turn >= UNRESOLVED) {
            symlie_lane second = difference[2];
            for (int of = 3; of <= order; of++) second *= (of + 1) / turn;
            const symlie_lane bound = control->fac_max / control->safety;
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

/* Set the error of a step of one lane, and choose order and size of the next one. `now` contains known, order and
 * equal of the step. */
static inline void choose_in_lane(const symlie_control *restrict control, int lane, symlie_lane h, const next_order *restrict now,
                                  const symlie_real *restrict lengths, const symlie_real *restrict norms, symlie_lane rotation,
                                  symlie_trial *restrict trial, next_order *restrict next)
{
    const int of = (int)SYMLIE_OF_LANE(now->order, lane), points = (int)SYMLIE_OF_LANE(now->known, lane);
    const symlie_lane length = SYMLIE_OF_LANE(lengths[0], lane), equal = SYMLIE_OF_LANE(now->equal, lane);
    symlie_lane node[STEPS + 2] = {0, -1}, point[STEPS], difference[4], factor = 1;
    for (int i = 2; i < STEPS + 2; i++) node[i] = node[i - 1] - SYMLIE_OF_LANE(lengths[i - 2], lane) / h;
    for (int i = 0; i < 4; i++) {
        const int k = of - 2 + i;
        difference[i] = k > 0 && k <= STEPS && k <= points ? SYMLIE_OF_LANE(norms[k - 1], lane) : -1;
    }
    for (int i = 0; i < of; i++) point[i] = -node[i + 1] - 1;
    if (points < STEPS && of <= 3 && difference[3 - of] >= 0) difference[3 - of] *= FIRST_ERRORS;
    const symlie_lane error = difference[2] * error_factor(of, point, 1);
    if (!(error <= 1)) factor = shorter_step(control, node, of, difference[2]);

    const symlie_lane planned = SYMLIE_OF_LANE(trial->planned, lane);
    const int is_cut = h < planned, is_omitted = is_cut && length + h <= NEAR_POINTS * planned;
    int chosen = of;
    for (int i = 0; i < STEPS; i++) point[i] = -node[i];
    if (error <= 1 && !is_cut) {
        chosen = chosen_order(control, point, of, difference, (int)equal, points == STEPS, &factor);
        if (rotation > 0) factor = fmin(factor, CHART_PART * sqrt(CHART_LIMIT / rotation));
    }
    SYMLIE_OF_LANE(trial->order, lane) = of;
    SYMLIE_OF_LANE(trial->error, lane) = error;
    SYMLIE_OF_LANE(trial->factor, lane) = factor;
    SYMLIE_OF_LANE(next->known, lane) = is_omitted ? points : fmin(points + 1, STEPS);
    SYMLIE_OF_LANE(next->order, lane) = chosen;
    SYMLIE_OF_LANE(next->equal, lane) = chosen == of && factor == 1 ? equal + 1 : 0;
    SYMLIE_OF_LANE(next->is_omitted, lane) = is_omitted;
}

/* Set the error of a step, and choose order and size of the next one. norms[k] is the norm of the divided differences
 * for the order k + 1, and rotation the square of the bound of the rotation over all points. */
static inline next_order choose_order(const symlie_control *restrict control, const symlie_state *restrict state, symlie_real h,
                                      symlie_real known, symlie_real order, symlie_real equal, const symlie_real *restrict lengths,
                                      const symlie_real *restrict norms, symlie_real rotation, symlie_trial *restrict trial)
{
    const next_order now = {.known = known, .order = order, .equal = equal};
    next_order next = now;
    for (int l = 0; l < SYMLIE_LANES; l++)
        choose_in_lane(control, l, SYMLIE_OF_LANE(h, l), &now, lengths, norms, SYMLIE_OF_LANE(rotation, l), trial, &next);
    return next;
}

#endif
