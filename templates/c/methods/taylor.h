/* Taylor series of the stored components, of the velocities and of the multipliers, of an order that a run chooses.
 *
 *   q' = S(q) v,   M(t, q) v' + B(t, q)^T lambda = -g(t, q, v),   B(t, q) v + b(t, q) = 0  (1)
 *
 * where nodes without velocities have fields f(t, q, v, v', lambda) in their place, on whose points no constraint depends.
 * Coefficients follow from order to order: with r_k and c_{k+1}, what M v' + g + B^T lambda and B v + b have of order k and
 * k + 1 without v'_k, lambda_k and v_{k+1},
 *
 *   q_{k+1} = (S v)_k / (k + 1),   [M_0 B_0^T; B_0 0] [v'_k; lambda_k] = [-r_k; -(k + 1) c_{k+1}],  v_{k+1} = v'_k / (k + 1)  (2)
 *
 * A step ends with sum_k q_k h^k, brought back to the groups, and where there are constraints with one Newton step for Phi
 * and B v + b. See symlie/runtime/methods/taylor.py. Both series at hand, at the start of a step and at its end, are
 * functions of their states alone. */
#ifndef SYMLIE_TAYLOR_H
#define SYMLIE_TAYLOR_H

#include <stdint.h>

#define ONE_EXPONENTIAL 0

/* Coefficients from a state, one row for each order. */
typedef struct {
    symlie_real *is_known;
    symlie_real *t;
    symlie_real *longest;       /* step that can be taken */
    symlie_real *q;
    symlie_real *v;
    symlie_real *w;             /* v, with fields in the place of velocities */
    symlie_real *lambda;
} symlie_series;

static inline symlie_real *place_series(const symlie_problem *restrict P, symlie_real *memory, symlie_series *series)
{
    series->is_known = memory;
    series->t = series->is_known + 1;
    series->longest = series->t + 1;
    series->q = series->longest + 1;
    series->v = series->q + (MOST_ORDER + 1) * STORAGE;
    series->w = FIELDS ? series->v + (MOST_ORDER + 1) * DIMENSION : series->v;
    series->lambda = series->w + (MOST_ORDER + 1) * DIMENSION;
    return series->lambda + MOST_ORDER * ROWS;
}

static inline long long series_workspace(const symlie_problem *restrict P)
{
    return 3 + (MOST_ORDER + 1LL) * (STORAGE + (1 + FIELDS) * DIMENSION) + MOST_ORDER * (long long)ROWS;
}

static inline long long kept_workspace(const symlie_problem *restrict P)
{
    const symlie_jets largest = {.order = MOST_ORDER}, *J = &largest;
    return 2 * series_workspace(P) + jets_workspace(P, J) + CACHE_LINE - 1;
}

/* Jets begin where a line of the cache does, so that no row of a register is in two of them. */
static inline symlie_real *aligned(symlie_real *memory)
{
    const uintptr_t size = CACHE_LINE * sizeof *memory, place = (uintptr_t)memory;
    return memory + (size - place % size) % size / sizeof *memory;
}

static inline void forget_kept(const symlie_problem *restrict P)
{
    P->workspace[0] = P->workspace[series_workspace(P)] = 0;
}

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return 6LL * DIMENSION + 3LL * STORAGE + JACOBIAN_VALUES + 3LL * ROWS + acceleration_workspace(P);
}

static inline int begins_at(const symlie_problem *restrict P, const symlie_series *series, symlie_real t, const symlie_real *q,
                            const symlie_real *v)
{
    if (*series->is_known == 0 || *series->t != t) return 0;
    int differ = 0;
    for (int k = 0; k < STORAGE; k++) differ |= series->q[k] != q[k];
    for (int k = 0; k < DIMENSION; k++) differ |= series->v[k] != v[k];
    return !differ;
}

/* out = sum_k x_k s^k over the orders below the count, and the derivative of it. */
static inline void sum_series(int size, int count, const symlie_real *restrict x, symlie_real s, symlie_real *restrict out)
{
    copy(size, x + (count - 1) * size, out);
    for (int k = count - 2; k >= 0; k--)
        for (int i = 0; i < size; i++) out[i] = out[i] * s + x[k * size + i];
}

static inline void sum_rates(int size, int count, const symlie_real *restrict x, symlie_real s, symlie_real *restrict out)
{
    for (int i = 0; i < size; i++) out[i] = (count - 1) * x[(count - 1) * size + i];
    for (int k = count - 2; k > 0; k--)
        for (int i = 0; i < size; i++) out[i] = out[i] * s + k * x[k * size + i];
}

/* Norm of v relative to the tolerances. */
static inline symlie_real velocity_size(const symlie_problem *restrict P, const symlie_control *restrict control,
                                        const symlie_real *restrict x, const symlie_real *restrict scale)
{
    symlie_real sum = 0;
    for (int k = 0; k < DIMENSION; k++) sum += control->weight[DIMENSION + k] * (x[k] / scale[k]) * (x[k] / scale[k]);
    return sqrt(sum);
}

/* The n-th power. */
static inline symlie_real whole_power(symlie_real x, int n)
{
    symlie_real found = 1;
    for (; n; n /= 2, x *= x)
        if (n % 2) found *= x;
    return found;
}

/* A bound h on the length of steps becomes less where a term of order n is larger than it allows. */
static inline symlie_real bounded_step(symlie_real h, symlie_real shrinks, symlie_real size, int n)
{
    return size * whole_power(h / shrinks, n) > 1 ? shrinks * pow(size, -1 / (symlie_real)n) : h;
}

/* The length of the longest step from which the last terms can be left out. */
static inline symlie_real longest_step(const symlie_problem *restrict P, symlie_real *restrict work,
                                       const symlie_control *restrict control, const symlie_series *restrict series)
{
    ARRAY(of_theta, DIMENSION);
    ARRAY(of_v, DIMENSION);
    const int order = (int)control->order;
    const symlie_real shrinks = pow(control->tolerance, 1 / (symlie_real)order);
    symlie_real h = (symlie_real)INFINITY;
    for (int k = 0; k < DIMENSION; k++) of_v[k] = control->atol[DIMENSION + k] + control->rtol[DIMENSION + k] * fabs(series->v[k]);
    for (int i = order; i > order - LAST_TERMS; i--)
        h = bounded_step(h, shrinks, control->tolerance * velocity_size(P, control, series->v + i * DIMENSION, of_v), i);
    const symlie_real span = h < control->h_max ? h : control->h_max;
    for (int k = 0; k < DIMENSION; k++)
        of_theta[k] = control->atol[k] + control->rtol[k] * fabs(series->w[k]) * (span < (symlie_real)INFINITY ? span : 0);
    for (int i = order; i > order - LAST_TERMS; i--)
        h = bounded_step(h, shrinks, control->tolerance * system_stored_size(P, series->q + i * STORAGE, of_theta), i);
    /* Of few digits: the last terms have few. */
    int power;
    const symlie_real part = frexp(h, &power);
    return h < (symlie_real)INFINITY ? ldexp(floor(LENGTHS * part) / LENGTHS, power) : h;
}

#if CONSTRAINED
#if defined(SYMLIE_FIXED_ALGEBRA_H) && FACTORS && SADDLE_FACTORS
#define KEPT_FACTORS SADDLE_FACTORS
#else
#define KEPT_FACTORS 0
#endif

/* The system of all orders: with factors that are kept, where the model has a derived elimination of which no pivot is lost. */
typedef struct {
    symlie_real factors[KEPT_FACTORS > 0 ? KEPT_FACTORS : 1];
    int are_sound;
} order_system;

static inline void begin_orders(const mass_matrix *restrict mass, const symlie_real *restrict B, order_system *restrict s)
{
#if KEPT_FACTORS
    factorize_saddle(mass->F, B, B, s->factors);
#endif
    s->are_sound = KEPT_FACTORS;
}

static inline int solve_order(const symlie_problem *restrict P, order_system *restrict s, mass_matrix *restrict mass,
                              const symlie_real *restrict B, symlie_real *restrict r, const symlie_real *restrict c,
                              symlie_real *restrict a, symlie_real *restrict lambda)
{
#if KEPT_FACTORS
    if (s->are_sound) {
        symlie_real margin;
        solve_factorized(mass->F, B, B, s->factors, r, c, a, lambda, &margin);
        s->are_sound = margin > 0;
    }
    if (s->are_sound) return 1;
#endif
    return solve_stage(P, mass, B, B, r, c, a, lambda);
}
#endif

/* Coefficients from a state. */
static inline int find_series(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_control *restrict control, symlie_real t,
                              const symlie_real *q_0, const symlie_real *v_0, mass_matrix *restrict mass,
                              const symlie_jets *restrict J, symlie_series *restrict series)
{
    ARRAY(r, DIMENSION);
    ARRAY(a, DIMENSION);
    ARRAY(rate, STORAGE);
    const int order = (int)control->order;
    for (int k = 0; k < STORAGE; k++) rate[k] = 0;
    *series->is_known = 0;
    *series->t = t;
    copy(STORAGE, q_0, series->q);
    copy(DIMENSION, v_0, series->v);
    /* (1) */
    const int status = stage_acceleration(P, work, t, q_0, v_0, r, mass, a, series->lambda);
    if (status != SYMLIE_DONE) return status;
    copy(DIMENSION, a, series->v + DIMENSION);
    system_begin_rate_jet(P, J, q_0, v_0, series->q + STORAGE);
#if FIELDS
    copy(DIMENSION, v_0, series->w);
    system_field(P, t, q_0, a, series->lambda, series->w);
    system_begin_field_jet(P, J, t, q_0, v_0, a, series->lambda);
    system_begin_field_rate_jet(P, J, q_0, series->w, series->q + STORAGE);
#endif
    system_begin_force_jet(P, J, t, q_0, v_0, a, series->lambda);
#if CONSTRAINED
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    order_system orders;
    system_jacobian(P, t, q_0, B);
    begin_orders(mass, B, &orders);
    system_begin_hidden_jet(P, J, t, q_0, v_0);
    system_hidden_jet(P, J, 1, 1, series->q + STORAGE, c);
#endif
    /* (2) */
    for (int k = 1; k < order; k++) {
        const symlie_real *q = series->q + k * STORAGE, *v = series->v + k * DIMENSION, t_k = k == 1;
        symlie_real *next_q = series->q + (k + 1) * STORAGE, *next_v = series->v + (k + 1) * DIMENSION;
        const symlie_real part = 1 / (symlie_real)(k + 1);
        system_rate_jet(P, J, k, q, v, rate);
        for (int i = 0; i < STORAGE; i++) next_q[i] = rate[i] * part;
        system_force_jet(P, J, k, t_k, q, v, r);
        for (int i = 0; i < DIMENSION; i++) r[i] = -r[i];
#if CONSTRAINED
        symlie_real *lambda = series->lambda + k * ROWS;
        system_end_hidden_jet(P, J, k, v);
        system_hidden_jet(P, J, k + 1, 0, next_q, c);
        for (int i = 0; i < ROWS; i++) c[i] *= -(k + 1);
        if (!solve_order(P, &orders, mass, B, r, c, a, lambda)) return stage_failure(P, 0, mass, r, c);
        system_end_force_jet(P, J, k, a, lambda);
#else
        if (!solve_with_mass(P, mass, r, 0, 0, a)) return stage_failure(P, 0, mass, r, 0);
        system_end_force_jet(P, J, k, a, series->lambda);
#endif
#if FIELDS
        symlie_real *w = series->w + k * DIMENSION;
        copy(DIMENSION, v, w);
        system_field_jet(P, J, k, t_k, q, v, a, series->lambda + k * ROWS, w);
        system_field_rate_jet(P, J, k, q, w, rate);
        for (int i = 0; i < STORAGE; i++) next_q[i] = rate[i] * part;
#endif
        for (int i = 0; i < DIMENSION; i++) next_v[i] = a[i] * part;
    }
    if (control->is_adaptive) *series->longest = longest_step(P, work, control, series);
    *series->is_known = 1;
    return SYMLIE_DONE;
}

#if CONSTRAINED
/* One step of Newton's method for Phi with the matrix at q, which is then brought back to its groups, and one for B v + b
 * behind it: errors of both that one step leaves would grow from step to step if v were not corrected for the new q. */
static inline int meet_constraints(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                   mass_matrix *restrict mass, symlie_real *restrict q, symlie_real *restrict v)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(r, DIMENSION);
    ARRAY(delta, DIMENSION);
    ARRAY(moved, STORAGE);
    ARRAY(c, ROWS);
    ARRAY(b, ROWS);
    ARRAY(mu, ROWS);
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, q, mass)) return mass_failure(P, 0, mass);
    system_jacobian(P, t, q, B);
    if (!find_dependent_rows(P, B, mass)) return SYMLIE_NOT_FINITE;
    system_constraint(P, t, q, c);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    for (int k = 0; k < DIMENSION; k++) r[k] = 0;
    if (!solve_stage(P, mass, B, B, r, c, delta, mu)) return stage_failure(P, 0, mass, r, c);
    system_advance(P, q, delta, moved);
    system_normalize(P, moved, q);
    system_jacobian(P, t, q, B);
    hidden_residual(P, t, q, B, v, 0, b, c);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    for (int k = 0; k < DIMENSION; k++) r[k] = 0;
    if (!solve_stage(P, mass, B, B, r, c, delta, mu)) return stage_failure(P, 0, mass, r, c);
    for (int k = 0; k < DIMENSION; k++) v[k] += delta[k];
    return SYMLIE_DONE;
}
#endif

/* What the rates at the end lack of those that begin there: h/order of it is what a step adds to the errors of theta and v. */
static inline symlie_real series_error(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real h,
                                       const symlie_control *restrict control, const symlie_series *restrict begin,
                                       const symlie_series *restrict end, const symlie_real *restrict theta)
{
    ARRAY(rate, STORAGE);
    ARRAY(acceleration, DIMENSION);
    ARRAY(scale, DIMENSION);
    const int order = (int)control->order;
    const symlie_real part = h / order;
    for (int k = 0; k < DIMENSION; k++) scale[k] = control->atol[k] + control->rtol[k] * fabs(theta[k]);
    sum_rates(STORAGE, order + 1, begin->q, h, rate);
    for (int k = 0; k < STORAGE; k++) rate[k] = part * (rate[k] - end->q[STORAGE + k]);
    const symlie_real of_q = system_stored_size(P, rate, scale);
    for (int k = 0; k < DIMENSION; k++) {
        const symlie_real a = fabs(begin->v[k]), b = fabs(end->v[k]);
        scale[k] = control->atol[DIMENSION + k] + control->rtol[DIMENSION + k] * (a > b ? a : b);
    }
    sum_rates(DIMENSION, order + 1, begin->v, h, acceleration);
    for (int k = 0; k < DIMENSION; k++) acceleration[k] = part * (acceleration[k] - end->v[DIMENSION + k]);
    const symlie_real of_v = velocity_size(P, control, acceleration, scale);
    return of_q > of_v ? of_q : of_v;
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(stored, STORAGE);
    ARRAY(theta, DIMENSION);
    const int order = (int)control->order;
    symlie_series begin, end;
    const symlie_jets jets = {order, aligned(place_series(P, place_series(P, P->workspace, &begin), &end))};
    int status;
    if (begins_at(P, &end, t, state->q, state->v)) {
        const symlie_series other = begin;
        begin = end, end = other;
    } else if (!begins_at(P, &begin, t, state->q, state->v)) {
        status = find_series(P, work, control, t, state->q, state->v, mass, &jets, &begin);
        /* The series of a step's end is counted with the step, also where it is found once more. */
        if (!state->acceleration_is_valid) trial->rhs_evaluations += order;
        if (status != SYMLIE_DONE) return status;
    }
    copy(DIMENSION, begin.v + DIMENSION, trial->first_acceleration);
    trial->acceleration_is_valid = 0;
    if (control->is_adaptive) {
        trial->factor = *begin.longest / h;
        trial->error = (symlie_real)2;
        if (!(h <= *begin.longest * STRETCH)) return SYMLIE_DONE;
    }
    sum_series(STORAGE, order + 1, begin.q, h, stored);
    sum_series(DIMENSION, order + 1, begin.v, h, trial->v);
    sum_series(ROWS, order, begin.lambda, h, trial->lambda);
    for (int k = 0; k < DIMENSION; k++) theta[k] = 0;
    for (int i = order - 1; i >= 0; i--)
        for (int k = 0; k < DIMENSION; k++) theta[k] = theta[k] * h + begin.w[i * DIMENSION + k] / (i + 1);
    for (int k = 0; k < DIMENSION; k++) theta[k] *= h;
    keep_increment(P, theta, trial->increment);
    system_normalize(P, stored, trial->q);
    if (!(all_finite(STORAGE, trial->q) && all_finite(DIMENSION, trial->v))) return SYMLIE_NOT_FINITE;
#if CONSTRAINED
    status = meet_constraints(P, work, t + h, mass, trial->q, trial->v);
    if (status != SYMLIE_DONE) return status;
    measure_residuals(P, work, t + h, trial->q, trial->v, trial);
#endif
    if (trial->is_inside) return SYMLIE_DONE;
    status = find_series(P, work, control, t + h, trial->q, trial->v, mass, &jets, &end);
    trial->rhs_evaluations += order;
    if (status != SYMLIE_DONE) return status;
    copy(ROWS, end.lambda, trial->lambda);
    copy(DIMENSION, end.v + DIMENSION, trial->acceleration);
    trial->acceleration_is_valid = 1;
    if (control->with_estimate) trial->error = series_error(P, work, h, control, &begin, &end, theta);
    if (control->is_adaptive) trial->factor = trial->error <= 1 ? *end.longest / h : REJECTED_STEP;
    return SYMLIE_DONE;
}

#endif
