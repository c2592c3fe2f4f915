/* Cotangents of states that are extrapolated to a switch and across it; see find_switch in switches.h. */
#ifndef SYMLIE_SWITCH_COTANGENTS_H
#define SYMLIE_SWITCH_COTANGENTS_H

#if HAS_SWITCHES
static inline long long switch_cotangents_workspace(const symlie_problem *restrict P)
{
    const long long of_acceleration = acceleration_workspace(P), of_stage = adjoint_stage_workspace(P);
    return 10LL * DIMENSION + 3LL * ROWS + (of_acceleration > of_stage ? of_acceleration : of_stage);
}

/* Replace the cotangents of lambda at a state where it is that of the acceleration-level system. */
static inline int renewed_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_trail *restrict trail,
                                     long long n, mass_matrix *restrict mass, symlie_cotangents *restrict bar)
{
    return start_cotangents(P, work, trail->t[n], trail->q + n * STORAGE, trail->v + n * DIMENSION, mass, bar);
}

/* Add the cotangents of state `from`, from which state `to` is extrapolated by step n:
 *
 *   q o exp(x r),  v + x a,  r = v + x a/2, with the fields of first-order states at this velocity */
static inline int extrapolation_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_trail *restrict trail,
                                           long long n, long long from, long long to, mass_matrix *restrict mass,
                                           symlie_cotangents *restrict end, symlie_cotangents *restrict start)
{
    ARRAY(a, DIMENSION);
    ARRAY(lambda, ROWS);
    ARRAY(middle, DIMENSION);
    ARRAY(theta, DIMENSION);
    ARRAY(of_rate, DIMENSION);
    ARRAY(of_a, DIMENSION);
    ARRAY(of_lambda, ROWS);
    ARRAY(of_q, DIMENSION);
    ARRAY(of_v, DIMENSION);
    const symlie_scalar t = trail->begin[n], x = trail->length[n];
    const symlie_real *restrict q = trail->q + from * STORAGE, *restrict v = trail->v + from * DIMENSION;
    symlie_gradient *restrict gradient = &start->gradient;
    const int status = index1_acceleration(P, work, t, q, v, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
    for (int k = 0; k < DIMENSION; k++) theta[k] = middle[k] = v[k] + 0.5 * x * a[k];
    take_rates(P, t, q, a, lambda, theta);
    for (int k = 0; k < DIMENSION; k++) theta[k] = k >= MOVING_BEGIN && k < MOVING_END ? x * theta[k] : SYMLIE_NUMBER(0);
#if MOTIONS
    motion_cotangents(P, trail->t[to], trail->q + to * STORAGE, trail->v + to * DIMENSION, end->q, end->v, gradient, of_q, of_v);
#else
    copy(DIMENSION, end->q, of_q);
    copy(DIMENSION, end->v, of_v);
#endif
    for (int k = 0; k < DIMENSION; k++) start->q[k] += of_q[k], start->v[k] += of_v[k], of_a[k] = x * of_v[k];
    step_tangent_transpose(P, theta, of_q, of_rate);
    step_bracket_transpose(P, theta, of_rate, of_q);
    for (int k = 0; k < DIMENSION; k++) {
        start->q[k] -= of_q[k];
        of_rate[k] = k >= MOVING_BEGIN && k < MOVING_END ? x * of_rate[k] : SYMLIE_NUMBER(0);
    }
    field_cotangents(P, t, q, middle, a, lambda, of_rate, gradient, of_q, of_v, theta, of_lambda);
    for (int k = 0; k < DIMENSION; k++) start->q[k] += of_q[k], start->v[k] += of_v[k], of_a[k] += 0.5 * x * of_v[k] + theta[k];
    if (!stage_cotangents(P, work, t, q, v, a, lambda, of_a, of_lambda, mass, gradient, of_q, of_v)) return SYMLIE_SINGULAR;
    for (int k = 0; k < DIMENSION; k++) start->q[k] += of_q[k], start->v[k] += of_v[k];
    return SYMLIE_DONE;
}

static inline void clear_cotangents(const symlie_problem *restrict P, symlie_cotangents *restrict bar)
{
    fill_zero(DIMENSION, bar->q);
    fill_zero(DIMENSION, bar->v);
    fill_zero(DIMENSION, bar->acceleration);
    fill_zero(ROWS, bar->lambda);
    fill_zero(OWN, bar->own);
    (void)P;
}

/* Compute the cotangents of the state from which step n extrapolates across a switch, from those of its end, which are
 * overwritten. If the step before extrapolates from the same state to the switch, they include those of its end. */
static inline int switch_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_trail *restrict trail, long long n,
                                    mass_matrix *restrict mass, symlie_cotangents *restrict end, symlie_cotangents *restrict start)
{
    const int is_aside = n > 0 && trail->kind[n - 1] == 16;
    clear_cotangents(P, start);
    int status = extrapolation_cotangents(P, work, trail, n, n - is_aside, n + 1, mass, end, start);
    if (status != SYMLIE_DONE || !is_aside || trail->weighted[n] < 0) return status;
    clear_cotangents(P, end);
    add_weights(P, trail, n, end);
    status = renewed_cotangents(P, work, trail, n, mass, end);
    return status == SYMLIE_DONE ? extrapolation_cotangents(P, work, trail, n - 1, n - 1, n, mass, end, start) : status;
}
#else
#define switch_cotangents_workspace(P) 0
#define renewed_cotangents(P, work, trail, n, mass, bar) SYMLIE_DONE
#define switch_cotangents(P, work, trail, n, mass, end, start) SYMLIE_DONE
#endif

#endif
