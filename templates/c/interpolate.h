/* States between neighbouring recorded ones: the quintic Hermite polynomial theta(s) in local coordinates of their step. */
#ifndef SYMLIE_INTERPOLATE_H
#define SYMLIE_INTERPOLATE_H

#define DEGREE 5

long long symlie_interpolation_workspace(const symlie_problem *P)
{
    (void)P;
    return FIXED_TOPOLOGY ? 0 : (DEGREE + 12LL) * DIMENSION + 2LL * STORAGE;
}

/* (d/dt T^-1(theta)) v along theta', by the series of T^-1 in powers of ad and the product rule. */
static inline void rate_derivative(const symlie_problem *restrict P, const symlie_interpolation *restrict rule,
                                   double *restrict work, const double *restrict theta,
                                   const double *restrict theta_dot, const double *restrict v, double *restrict out)
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
        double largest = 0, largest_sum = 0;
        for (int k = 0; k < DIMENSION; k++) {
            const double term = rule->inverse[j] * dx[k];
            out[k] += term;
            largest = fmax(largest, fabs(term));
            largest_sum = fmax(largest_sum, fabs(out[k]));
        }
        if (j > 1 && !(largest > rule->tolerance * largest_sum)) break;
    }
    (void)P, (void)work;
}

/* The increment between two recorded configurations, on the branch of log that turns as far as the step did. */
static inline void increment_between(const symlie_problem *restrict P, double *restrict work, const double *restrict q,
                                     const double *restrict later, const double *restrict turned, double *restrict theta)
{
    symlie_difference(P, q, later, theta);
#if HAS_ANGLES
    ARRAY(moved, STORAGE);
    ARRAY(missing, DIMENSION);
    ARRAY(change, DIMENSION);
    int is_far = 0;
    for (int k = 0; k < ANGLES; k++)
        is_far |= !P->angle_place[4 * k + 3] && !(fabs(turned[k] - theta[P->angle_place[4 * k + 2]]) < 1);
    if (!is_far) return;
    for (int k = 0; k < ANGLES; k++) theta[P->angle_place[4 * k + 2]] = turned[k];
    /* Translations are linear in theirs at a given rotation: one step of Newton's method. */
    symlie_advance(P, q, theta, moved);
    symlie_difference(P, moved, later, missing);
    symlie_rate(P, theta, missing, change);
    for (int k = 0; k < DIMENSION; k++) theta[k] += change[k];
#endif
    (void)work, (void)turned;
}

/* Coefficients of s ... s^5 of the increment from a recorded state to the next, h apart; a are their accelerations. */
static inline void fit_increment(const symlie_problem *restrict P, const symlie_interpolation *restrict rule,
                                 double *restrict work, double h, const double *restrict q, const double *restrict v,
                                 const double *restrict a, const double *restrict turned, double *restrict coefficients)
{
    ARRAY(theta, DIMENSION);
    ARRAY(theta_dot, DIMENSION);
    ARRAY(theta_dot_dot, DIMENSION);
    ARRAY(change, DIMENSION);
    const double *restrict next_v = v + DIMENSION;
    increment_between(P, work, q, q + STORAGE, turned, theta);
    symlie_rate(P, theta, next_v, theta_dot);
    symlie_rate(P, theta, a + DIMENSION, theta_dot_dot);
    rate_derivative(P, rule, work, theta, theta_dot, next_v, change);
    for (int k = 0; k < DIMENSION; k++) {
        const double known[DEGREE] = {h * v[k], h * h * a[k], theta[k], h * theta_dot[k], h * h * (theta_dot_dot[k] + change[k])};
        for (int i = 0; i < DEGREE; i++) {
            double sum = 0;
            for (int j = 0; j < DEGREE; j++) sum += rule->hermite[i * DEGREE + j] * known[j];
            coefficients[i * DIMENSION + k] = sum;
        }
    }
}

void symlie_interpolate_states(const symlie_problem *P, const symlie_states *recorded, const double *acceleration,
                               const double *turned, const symlie_interpolation *rule, long long count,
                               const long long *interval, const double *t, double *q, double *v, double *turning,
                               double *workspace)
{
    double *work = workspace;
    ARRAY(coefficients, DEGREE * DIMENSION);
    ARRAY(theta, DIMENSION);
    ARRAY(theta_dot, DIMENSION);
    ARRAY(moved, STORAGE);
    for (long long i = 0; i < count; i++, q += STORAGE, v += DIMENSION, turning += ANGLES) {
        const long long n = interval[i];
        const double *begin = recorded->q + n * STORAGE;
        const double h = recorded->t[n + 1] - recorded->t[n], s = (t[i] - recorded->t[n]) / h;
        if (!i || n != interval[i - 1])
            fit_increment(P, rule, work, h, begin, recorded->v + n * DIMENSION, acceleration + n * DIMENSION,
                          turned + n * ANGLES, coefficients);
        for (int k = 0; k < DIMENSION; k++) {
            double value = 0, slope = 0;
            for (int j = DEGREE; j > 0; j--) {
                const double c = coefficients[(j - 1) * DIMENSION + k];
                value = (value + c) * s;
                slope = slope * s + j * c;
            }
            theta[k] = value;
            theta_dot[k] = slope / h;
        }
        for (int k = 0; k < ANGLES; k++) turning[k] = theta[P->angle_place[4 * k + 2]];
        symlie_advance(P, begin, theta, moved);
        symlie_normalize(P, moved, q);
        symlie_transport(P, theta, theta_dot, v);
        symlie_prescribe(P, t[i], q, v);
    }
}

#endif
