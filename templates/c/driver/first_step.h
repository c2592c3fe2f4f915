/* First adaptive step size, from the norms of y, y' and y'' for y = (theta, v); see symlie/runtime/solution/start.py.
 * Included after the algebra of the model. Source: [HairerNorsettWanner1993], section II.4. */
#ifndef SYMLIE_FIRST_STEP_H
#define SYMLIE_FIRST_STEP_H

static inline long long estimate_workspace(const symlie_problem *restrict P)
{
    return acceleration_workspace(P) + 6LL * DIMENSION + STORAGE + ROWS;
}

/* Norm of the increment (theta, w) at velocity v. */
static inline symlie_real size_of_change(const symlie_problem *restrict P, const symlie_control *restrict control, const symlie_real *restrict v,
                                         const symlie_real *restrict theta, const symlie_real *restrict w)
{
    const int n = DIMENSION;
    symlie_real sum = 0;
    for (int k = 0; k < n; k++) {
        const symlie_real a = theta[k] / control->atol[k], b = w[k] / (control->atol[n + k] + control->rtol[n + k] * fabs(v[k]));
        sum += control->weight[k] * a * a + control->weight[n + k] * b * b;
    }
    return sqrt(sum);
}

/* Compute the rates of q and v. Return 0 if they are undetermined. */
static inline int find_rates(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                             const symlie_real *restrict v, mass_matrix *restrict mass, symlie_real *restrict rate,
                             symlie_real *restrict a, symlie_real *restrict lambda)
{
    if (index1_acceleration(P, work, t, q, v, mass, a, lambda) != SYMLIE_DONE) return 0;
    copy(DIMENSION, v, rate);
    take_rates(P, t, q, a, lambda, rate);
    return 1;
}

/* Estimate the first step size. Return 0 if the norms give no estimate. */
static inline symlie_real estimated_step(const symlie_problem *restrict P, const symlie_control *restrict control, long long order,
                                         symlie_real t, symlie_real longest, const symlie_real *restrict q, const symlie_real *restrict v,
                                         mass_matrix *restrict mass, symlie_real *restrict work)
{
    ARRAY(rate, DIMENSION);
    ARRAY(a, DIMENSION);
    ARRAY(later_rate, DIMENSION);
    ARRAY(later_a, DIMENSION);
    ARRAY(theta, DIMENSION);
    ARRAY(later_v, DIMENSION);
    ARRAY(later_q, STORAGE);
    ARRAY(lambda, ROWS);
    if (!find_rates(P, work, t, q, v, mass, rate, a, lambda)) return 0;
    for (int k = 0; k < DIMENSION; k++) theta[k] = 0;
    const symlie_real d0 = size_of_change(P, control, v, theta, v), d1 = size_of_change(P, control, v, rate, a);
    const int tell = d0 >= TELLING_SIZE && d1 >= TELLING_SIZE && d0 < (symlie_real)INFINITY && d1 < (symlie_real)INFINITY;
    const symlie_real h0 = fmin(tell ? (symlie_real)0.01 * d0 / d1 : SMALL_STEP, longest);
    for (int k = 0; k < DIMENSION; k++) theta[k] = h0 * rate[k], later_v[k] = v[k] + h0 * a[k];
    system_advance(P, q, theta, later_q);
    if (!find_rates(P, work, t + h0, later_q, later_v, mass, later_rate, later_a, lambda)) return 0;
    for (int k = 0; k < DIMENSION; k++) later_rate[k] -= rate[k], later_a[k] -= a[k];
    const symlie_real d2 = size_of_change(P, control, v, later_rate, later_a) / h0;
    if (!(d1 < (symlie_real)INFINITY && d2 < (symlie_real)INFINITY)) return 0;
    const symlie_real largest = d1 > d2 ? d1 : d2;
    const symlie_real h1 = largest <= RESTING_SIZE ? SMALL_STEP : pow((symlie_real)0.01 / largest, 1 / (symlie_real)(order + 1));
    return fmin(fmin(100 * h0, h1), longest);
}

/* First step size of a system, at most `longest`; a small value if the norms give no estimate. */
static inline symlie_real first_step(const symlie_problem *restrict P, const symlie_control *restrict control, long long order, symlie_real t,
                                     symlie_real longest, const symlie_real *restrict q, const symlie_real *restrict v,
                                     mass_matrix *restrict mass, symlie_real *restrict work)
{
    const symlie_real h = estimated_step(P, control, order, t, longest, q, v, mass, work);
    return h > 0 ? h : fmin(SMALL_STEP, longest);
}

#endif
