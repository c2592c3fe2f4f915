/* Steps of exported programs: single steps on a grid of times, and segments that end at given times. */
#ifndef SYMLIE_EXPORTED_STEPS_H
#define SYMLIE_EXPORTED_STEPS_H

#define FEWEST_DOUBLINGS 20
#define MOST_DOUBLINGS 62
#define CONTINUOUS_INPUTS 1e-12 /* relative change of an input that is rounding */

/* Number of equal steps of at most the length h from a to b. */
static inline long long steps_between(symlie_scalar a, symlie_scalar b, symlie_scalar h)
{
    if (!(a < b)) return 0;
    const symlie_scalar ratio = (b - a) / h, nearest = rint(ratio);
    if (nearest >= 1 && fabs(ratio - nearest) <= GRID_TOLERANCE * ratio) return (long long)nearest;
    return ratio > 1 ? (long long)ceil(ratio) : 1;
}

#if HAS_FIXED
static inline symlie_scalar scaled(symlie_scalar x, int doublings)
{
    const symlie_scalar factor = (symlie_scalar)(1LL << doublings);
    return x * factor;
}

/* End and number of steps of a segment that is never reached, such that its step size is exactly h. */
static inline long long endless(symlie_scalar begin, symlie_scalar h, symlie_scalar *restrict end)
{
    for (int k = FEWEST_DOUBLINGS; k <= MOST_DOUBLINGS; k++) {
        *end = begin + scaled(h, k);
        if ((*end - begin) / (symlie_scalar)(1LL << k) == h) return 1LL << k;
    }
    return 1LL << MOST_DOUBLINGS;
}
#endif

/* Begin a segment, at one of its steps; `restart` as in depart. */
SYMLIE_APART void enter(exported_state *s, exported_call *call, symlie_scalar begin, symlie_scalar end, long long steps, int restart, long long step)
{
    const int is_long = end - begin >= TIME_RESOLUTION * fmax(fabs(begin), fabs(end));
    s->plan_begin = is_long ? begin : end, s->plan_end = end, s->plan_steps = steps, s->plan_restart = restart;
    s->has_gap = 0, s->gap = 0, s->has_kink = 0;
    call->state.segment = restart ? 0 : 1, call->state.step = step;
}

/* Start of the next step, its restart, and the next stop; a change of an input delays the start. */
SYMLIE_APART int depart_after_change(const exported_state *s, symlie_scalar t, symlie_scalar *restrict begin, symlie_scalar *restrict next)
{
    const int restart = depart(s, t, begin, next);
    if (!(s->has_gap && s->gap > 0)) return !restart && s->has_kink ? KINK : restart;
    *begin = fmax(*begin, t + s->gap);
    return JUMP;
}

#if HAS_FIXED
static void plan_fixed_step(exported_state *s, exported_call *call, symlie_scalar h)
{
    const symlie_scalar t = call->state.t;
    symlie_scalar begin, next;
    long long step;
    int restart = 0;
    if (s->has_grid && s->plan_h == h && s->grid_end > t) step = s->step_after >= 0 ? s->step_after : call->state.step;
    else {
        restart = s->has_gap ? depart(s, t, &begin, &next) : depart_after_change(s, t, &begin, &next);
        s->grid_begin = begin, s->grid_end = next, s->plan_h = h, s->has_grid = 1, step = 0;
        if (next < (symlie_scalar)HUGE_VAL) s->grid_steps = steps_between(begin, next, h);
        else s->grid_steps = endless(begin, h, &s->grid_end);
    }
    s->is_followed = 1, s->step_after = -1;
    if (!s->has_gap) {
        enter(s, call, s->grid_begin, s->grid_end, s->grid_steps, restart, step);
        return;
    }
    /* After a change of an input, a single step leads back to the grid. */
    restart = depart_after_change(s, t, &begin, &next);
    const symlie_scalar equal = (s->grid_end - s->grid_begin) / (symlie_scalar)s->grid_steps;
    const symlie_scalar end = step + 1 == s->grid_steps ? s->grid_end : s->grid_begin + (symlie_scalar)(step + 1) * equal;
    s->step_after = step + 1;
    enter(s, call, begin, end, 1, restart, 0);
}
#endif

static int step_exported(exported_state *s, const exported_parameters *p, symlie_real h)
{
#if HAS_FIXED
    exported_call call;
    int status = make_ready(s, p);
    if (status != SYMLIE_DONE) return status;
    if (!(h >= TIME_RESOLUTION * fabs(s->t) && h > 0 && h < (symlie_real)HUGE_VAL)) return EXPORTED_BAD_ARGUMENT;
    open_call(s, &call);
    status = make_current(s, &call);
    const long long before = call.state.steps;
    while (status == SYMLIE_DONE && call.state.steps == before) {
        if (!s->is_followed || s->has_gap || s->plan_h != h || !(s->plan_end > call.state.t)) plan_fixed_step(s, &call, h);
        status = follow_plan(s, &call, &fixed_control, 1);
        if (status == SYMLIE_BUDGET) status = SYMLIE_DONE;
    }
    close_call(s, &call);
    return status;
#else
    (void)s, (void)p, (void)h;
    return EXPORTED_BAD_ARGUMENT;
#endif
}

#if HAS_ADAPTIVE
/* Size of the first adaptive step of a segment. */
static symlie_scalar first_adaptive_step(const exported_state *s, const symlie_problem *P, symlie_scalar t, symlie_scalar end)
{
    const symlie_scalar longest = fmin(end - t, adaptive_control.h_max);
#if IS_POLYNOMIAL
    (void)s, (void)P;
    return longest;
#else
    symlie_scalar h;
    const symlie_states states = {.count = 1, .t = &t, .q = s->q, .v = s->v, .lambda = s->lambda};
    symlie_first_steps(P, &states, &adaptive_control, EXPORTED_FIRST_ORDER, longest, &h, P->workspace + EXPORTED_SCRATCH);
    return fmax(h, fmax(adaptive_control.h_min, TIME_RESOLUTION * fmax(fabs(t), end - t)));
#endif
}
#endif

static int advance_exported(exported_state *s, const exported_parameters *p, symlie_real until, symlie_real h)
{
    exported_call call;
    int status = make_ready(s, p);
    if (status != SYMLIE_DONE) return status;
    if (!(until >= s->t && until < (symlie_real)HUGE_VAL && h >= 0) || (h > 0 ? !HAS_FIXED : !HAS_ADAPTIVE)) return EXPORTED_BAD_ARGUMENT;
    open_call(s, &call);
    status = make_current(s, &call);
    while (status == SYMLIE_DONE && call.state.t < until) {
        symlie_scalar begin, next;
        const int is_first = s->is_fresh != 0, restart = depart_after_change(s, call.state.t, &begin, &next);
        const symlie_scalar end = fmin(next, until);
        s->is_followed = 0, s->has_grid = 0, s->step_after = -1;
        enter(s, &call, begin, end, h > 0 ? steps_between(begin, end, h) : 0, restart, 0);
#if HAS_ADAPTIVE
        if (is_first && !(h > 0)) call.state.h = first_adaptive_step(s, &call.P, s->plan_begin, end);
        if (!(h > 0)) status = follow_plan(s, &call, &adaptive_control, 1LL << 62);
#endif
#if HAS_FIXED
        if (h > 0) status = follow_plan(s, &call, &fixed_control, 1LL << 62);
#endif
        (void)is_first;
        if (status == SYMLIE_BUDGET) status = SYMLIE_DONE;
    }
    close_call(s, &call);
    return status;
}

/* Return whether new values of an input continue its old ones, so that only its rate jumps. */
static int continues_input(const exported_state *s, int size, const symlie_real *restrict packed, const symlie_real *restrict value)
{
    int is_same = 1;
    for (int k = 0; k < size; k++) {
        const symlie_real reached = packed[1 + 4 * k + 2] + packed[1 + 4 * k + 3] * (s->t - packed[0]);
        is_same &= fabs(reached - value[k]) <= CONTINUOUS_INPUTS * fmax(fabs(reached), fabs(value[k]));
    }
    return is_same;
}

/* Let an input be value + rate (t - time) from the current time on; rate may be null. Return 0 if it has this value. */
static int change_input(exported_state *s, int slot, int table, int size, const symlie_real *restrict value, const symlie_real *restrict rate,
                        symlie_real *restrict set_at, long long is_set)
{
    symlie_real *restrict packed = s->p + table;
    const int is_own = is_set && s->p[slot] == (symlie_real)(table - slot);
    const int is_continuous = is_own && !s->is_fresh && continues_input(s, size, packed, value);
    int is_same = is_own;
    for (int k = 0; k < size; k++) {
        const symlie_real slope = rate ? rate[k] : 0;
        is_same &= packed[1 + 4 * k + 2] == value[k] && packed[1 + 4 * k + 3] == 0 && slope == 0;
    }
    if (is_same) return 0;
    packed[0] = s->t;
    for (int k = 0; k < size; k++) {
        packed[1 + 4 * k] = value[k], packed[1 + 4 * k + 1] = 0;
        packed[1 + 4 * k + 2] = value[k], packed[1 + 4 * k + 3] = rate ? rate[k] : 0;
    }
    s->p[slot] = (symlie_real)(table - slot), s->p[slot + 1] = 1, s->p[slot + 2] = 1;
    if (is_continuous) {
        s->has_kink = 1, s->is_followed = 0, s->has_grid = 0, *set_at = s->t;
        return 1;
    }
    if (s->is_fresh) s->is_stale = 1, *set_at = s->t;
    const symlie_real gap = s->t > *set_at ? GAP_OF_INPUTS * fmax(fabs(s->t), fabs(*set_at)) : 0;
    s->gap = s->has_gap && s->gap > gap ? s->gap : gap;
    s->has_gap = 1, *set_at = s->t;
    return 1;
}

#endif
