/* Dense output between consecutive recorded states: a quintic Hermite polynomial theta(s) in the local coordinates
 * of the step. */
#ifndef SYMLIE_INTERPOLATE_H
#define SYMLIE_INTERPOLATE_H

long long symlie_interpolation_workspace(const symlie_problem *P)
{
    if (FIXED_TOPOLOGY) return 0;
    return mass_workspace(P) + acceleration_workspace(P) + carried_workspace(P)
           + (INTERPOLATION_DEGREE + 13LL) * DIMENSION + 2LL * STORAGE + ROWS + ANGLES;
}

/* Compute (d/dt T^-1(theta)) v for the rate theta' by the series of T^-1 in powers of ad and the product rule. */
static inline void rate_derivative(const symlie_problem *restrict P, const symlie_interpolation *restrict rule,
                                   symlie_real *restrict work, const symlie_real *restrict theta,
                                   const symlie_real *restrict theta_dot, const symlie_real *restrict v, symlie_real *restrict out)
{
    ARRAY(x, DIMENSION);
    ARRAY(dx, DIMENSION);
    ARRAY(first, DIMENSION);
    ARRAY(second, DIMENSION);
    copy(DIMENSION, v, x);
    for (int k = 0; k < DIMENSION; k++) dx[k] = out[k] = 0;
    for (long long j = 1; j < rule->terms; j++) {
        symlie_bracket(P, theta_dot, x, first);
        symlie_bracket(P, theta, dx, second);
        for (int k = 0; k < DIMENSION; k++) dx[k] = first[k] + second[k];
        symlie_bracket(P, theta, x, first);
        copy(DIMENSION, first, x);
        if (rule->inverse[j] == 0) continue;
        symlie_real largest = 0, largest_sum = 0;
        for (int k = 0; k < DIMENSION; k++) {
            const symlie_real term = rule->inverse[j] * dx[k];
            out[k] += term;
            largest = fmax(largest, fabs(term));
            largest_sum = fmax(largest_sum, fabs(out[k]));
        }
        if (j > 1 && !(largest > rule->tolerance * largest_sum)) break;
    }
}

/* Compute the increment between two recorded configurations. The rotation during the step selects the branch of log. */
static inline void increment_between(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_real *restrict q,
                                     const symlie_real *restrict later, const symlie_real *restrict carried, symlie_real *restrict theta)
{
    symlie_difference(P, q, later, theta);
#if HAS_ANGLES
    ARRAY(turned, ANGLES);
    ARRAY(moved, STORAGE);
    ARRAY(missing, DIMENSION);
    ARRAY(change, DIMENSION);
    int is_far = 0;
    for (int k = 0; k < ANGLES; k++)
        turned[k] = WHOLE_TURN * (carried[CARRIED + k] - carried[k]) + (principal_angle(P, k, later) - principal_angle(P, k, q));
    for (int k = 0; k < ANGLES; k++)
        is_far |= !P->angle_place[4 * k + 3] && !(fabs(turned[k] - theta[P->angle_place[4 * k + 2]]) < 1);
    if (!is_far) return;
    for (int k = 0; k < ANGLES; k++) theta[P->angle_place[4 * k + 2]] = turned[k];
    /* For a given rotation, the translations are linear in their increments: one Newton step suffices. */
    symlie_advance(P, q, theta, moved);
    symlie_difference(P, moved, later, missing);
    symlie_inverse_tangent_operator(P, theta, missing, change);
    for (int k = 0; k < DIMENSION; k++) theta[k] += change[k];
#endif
}

/* Compute the coefficients of s, ..., s^5 in the increment from recorded state n to the next; `a` contains the
 * accelerations at both. */
static inline void fit_increment(const symlie_problem *restrict P, const symlie_interpolation *restrict rule,
                                 symlie_real *restrict work, const symlie_states *restrict recorded, long long n,
                                 const symlie_real *restrict a, symlie_real *restrict coefficients)
{
    const symlie_real h = recorded->t[n + 1] - recorded->t[n];
    const symlie_real *restrict q = recorded->q + n * STORAGE, *restrict v = recorded->v + n * DIMENSION;
    ARRAY(theta, DIMENSION);
    ARRAY(theta_dot, DIMENSION);
    ARRAY(theta_dot_dot, DIMENSION);
    ARRAY(change, DIMENSION);
    const symlie_real *restrict next_v = v + DIMENSION;
    increment_between(P, work, q, q + STORAGE, recorded->carried + n * CARRIED, theta);
    symlie_inverse_tangent_operator(P, theta, next_v, theta_dot);
    symlie_inverse_tangent_operator(P, theta, a + DIMENSION, theta_dot_dot);
    rate_derivative(P, rule, work, theta, theta_dot, next_v, change);
    for (int k = 0; k < DIMENSION; k++) {
        const symlie_real known[INTERPOLATION_DEGREE] = {h * v[k], h * h * a[k], theta[k], h * theta_dot[k],
                                                    h * h * (theta_dot_dot[k] + change[k])};
        for (int i = 0; i < INTERPOLATION_DEGREE; i++) {
            symlie_real sum = 0;
            for (int j = 0; j < INTERPOLATION_DEGREE; j++) sum += rule->hermite[i * INTERPOLATION_DEGREE + j] * known[j];
            coefficients[i * DIMENSION + k] = sum;
        }
    }
}

/* Evaluate the state at the fraction s of a step of length h that starts at the configuration `begin`. */
static inline void state_within(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_real *restrict coefficients,
                                const symlie_real *restrict begin, symlie_real h, symlie_real s, symlie_real t, symlie_real *restrict theta,
                                symlie_real *restrict q, symlie_real *restrict v)
{
    ARRAY(theta_dot, DIMENSION);
    ARRAY(moved, STORAGE);
    for (int k = 0; k < DIMENSION; k++) {
        symlie_real value = 0, slope = 0;
        for (int j = INTERPOLATION_DEGREE; j > 0; j--) {
            const symlie_real c = coefficients[(j - 1) * DIMENSION + k];
            value = (value + c) * s;
            slope = slope * s + j * c;
        }
        theta[k] = value;
        theta_dot[k] = slope / h;
    }
    symlie_advance(P, begin, theta, moved);
    symlie_normalize(P, moved, q);
    symlie_tangent_operator(P, theta, theta_dot, v);
    symlie_prescribe(P, t, q, v);
}

void symlie_interpolate_states(const symlie_problem *P, const symlie_states *recorded, const symlie_interpolation *rule,
                               long long count, const long long *interval, const symlie_real *t, symlie_real *q, symlie_real *v,
                               symlie_real *lambda, symlie_real *carried, symlie_real *workspace)
{
    mass_matrix mass;
    symlie_real *work = place_mass(P, workspace, &mass);
    ARRAY(coefficients, INTERPOLATION_DEGREE * DIMENSION);
    ARRAY(theta, DIMENSION);
    ARRAY(a, 2 * DIMENSION);
    ARRAY(unused, ROWS);
    const int mass_is_regular = !MASS_IS_CONSTANT || !count || evaluate_mass(P, recorded->t[0], recorded->q, &mass);
    for (long long i = 0; i < count; i++, q += STORAGE, v += DIMENSION, lambda += ROWS, carried += CARRIED) {
        const long long n = interval[i];
        const symlie_real *begin = recorded->q + n * STORAGE;
        const symlie_real start = recorded->t[n], h = recorded->t[n + 1] - start;
        if (!i || n != interval[i - 1]) {
            const int follows = i && n == interval[i - 1] + 1;
            if (follows) copy(DIMENSION, a + DIMENSION, a);
            for (long long k = follows; k < 2; k++)
                observe_acceleration(P, work, recorded->t[n + k], recorded->q + (n + k) * STORAGE, recorded->v + (n + k) * DIMENSION,
                                     &mass, mass_is_regular, a + k * DIMENSION, unused);
            fit_increment(P, rule, work, recorded, n, a, coefficients);
        }
        state_within(P, work, coefficients, begin, h, (t[i] - start) / h, t[i], theta, q, v);
        keep_angles(P, work, t[i], q);
        carry(P, work, start, begin, recorded->carried + n * CARRIED, t[i], q, theta, carried);
        /* theta is scratch from here on: it receives the acceleration, which is not returned. */
        if (CONSTRAINED) observe_acceleration(P, work, t[i], q, v, &mass, mass_is_regular, theta, lambda);
    }
}

#endif
