/* What all methods use before they define method_step. */
#ifndef SYMLIE_METHOD_H
#define SYMLIE_METHOD_H

/* Stages are unrolled for small models, where the tableau's constants then vanish into the code. */
#if defined(__GNUC__) && UNROLL_STAGES
#define SYMLIE_UNROLL _Pragma("GCC unroll 16")
#elif defined(__GNUC__)
#define SYMLIE_UNROLL _Pragma("GCC unroll 1")
#else
#define SYMLIE_UNROLL
#endif

#define CHART_LIMIT 39.4 /* (2 pi)^2 = 39.478..., where the inverse tangent operator is singular */

/* Arrays of a step: on the stack for models of fixed topology, else in the workspace. */
#if FIXED_TOPOLOGY
#define ARRAY(name, size) double name[(size) > 0 ? (size) : 1]
#else
#define ARRAY(name, size)        \
    double *restrict name = work; \
    work += (size)
#endif

/* A part of the state that a step starts from: copied to the stack where ARRAY is there, else where it is. */
#if FIXED_TOPOLOGY
#define START(name, size) \
    ARRAY(name, size);    \
    copy(size, state->name, name)
#else
#define START(name, size) const double *restrict name = state->name
#endif

/* out = base + h sum_j weight[j] x_j for vectors x_j one after the other; base may be null. Zero weights cost nothing
 * once the loops are unrolled. */
static inline void combine(int n, int count, double h, const double *restrict weight, const double *restrict x,
                           const double *restrict base, double *restrict out)
{
    for (int k = 0; k < n; k++) out[k] = 0;
#if UNROLL_STAGES
SYMLIE_UNROLL
    for (int j = 0; j < count; j++)
        if (weight[j] != 0)
            for (int k = 0; k < n; k++) out[k] += weight[j] * x[j * n + k];
#else
    /* Two vectors in each pass over out. */
    int waiting = -1;
    for (int j = 0; j < count; j++) {
        if (weight[j] == 0) continue;
        if (waiting < 0) {
            waiting = j;
            continue;
        }
        const double *restrict first = x + waiting * n, *restrict second = x + j * n;
        for (int k = 0; k < n; k++) out[k] = out[k] + weight[waiting] * first[k] + weight[j] * second[k];
        waiting = -1;
    }
    if (waiting >= 0)
        for (int k = 0; k < n; k++) out[k] += weight[waiting] * x[waiting * n + k];
#endif
    for (int k = 0; k < n; k++) out[k] = base ? base[k] + h * out[k] : h * out[k];
}

static inline void copy(int n, const double *restrict from, double *restrict to)
{
    for (int k = 0; k < n; k++) to[k] = from[k];
}

static inline double largest_entry(int n, const double *restrict x, double bound)
{
    for (int k = 0; k < n; k++) {
        const double a = fabs(x[k]);
        bound = a > bound ? a : bound;
    }
    return bound;
}

static inline int all_finite(int n, const double *restrict x)
{
    int other = 0;
    for (int k = 0; k < n; k++) other |= !(x[k] * 0 == 0);
    return !other;
}

/* The result of a step that may still be tried again. */
typedef struct {
    double *q;
    double *v;
    double *lambda;
    double *acceleration;       /* v' at the end, if it can serve as the next first stage */
    long long acceleration_is_valid;
    double *first_acceleration; /* v' of the first stage, which serves again if the step is rejected */
    double *event;              /* event functions at the end, once they are computed */
    double error;               /* at most 1 if acceptable */
    long long rhs_evaluations;
    long long newton_iterations;
    double largest_constraint;
    double largest_velocity;
} symlie_trial;

/* Multipliers of a stage: those of the state where its v' is known, else what the stage's solution left in the trial. */
#define LAMBDA_OF_STAGE(i) ((i) == 0 && state->acceleration_is_valid ? state->lambda : trial->lambda)

#define TRIAL(name)                                                                                                 \
    ARRAY(name##_q, STORAGE);                                                                                       \
    ARRAY(name##_v, DIMENSION);                                                                                     \
    ARRAY(name##_lambda, ROWS);                                                                                     \
    ARRAY(name##_acceleration, DIMENSION);                                                                          \
    ARRAY(name##_first, DIMENSION);                                                                                 \
    ARRAY(name##_event, EVENTS);                                                                                    \
    symlie_trial name = {name##_q, name##_v, name##_lambda, name##_acceleration, 0, name##_first, name##_event, 0, 0, 0, 0, 0}

/* Norm of y_hat - y for y = (theta, v), relative to the tolerances; theta is zero at the start of a step.
 * Source: Tumiotto and Arnold 2024, equation (21). */
static inline double error_norm(const symlie_problem *restrict P, const symlie_control *restrict control,
                                const double *restrict theta, const double *restrict theta_hat, const double *restrict v_n,
                                const double *restrict v, const double *restrict v_hat)
{
    const int n = DIMENSION;
    double sum = 0;
    (void)P;
    for (int k = 0; k < n; k++) {
        const double scale = control->atol[k] + control->rtol[k] * fabs(theta[k]);
        const double e = (theta_hat[k] - theta[k]) / scale;
        sum += control->weight[k] * e * e;
    }
    for (int k = 0; k < n; k++) {
        const double a = fabs(v_n[k]), b = fabs(v[k]);
        const double scale = control->atol[n + k] + control->rtol[n + k] * (a > b ? a : b);
        const double e = (v_hat[k] - v[k]) / scale;
        sum += control->weight[n + k] * e * e;
    }
    return sqrt(sum);
}

/* Why a stage has no solution: its increment left the chart, its data are not finite, or its matrix is singular. The
 * right-hand side has a part c only with constraints; c may be null. */
SYMLIE_COLD int stage_failure(const symlie_problem *restrict P, double angle, const mass_matrix *restrict mass,
                              const double *restrict r, const double *restrict c)
{
    (void)P;
    if (angle >= CHART_LIMIT) return SYMLIE_OUTSIDE_CHART;
    const int finite = all_finite(MASS_VALUES, mass->M) && all_finite(DIMENSION, r) && (!c || all_finite(CONSTRAINED ? ROWS : 0, c));
    return finite ? SYMLIE_SINGULAR : SYMLIE_NOT_FINITE;
}

#if CONSTRAINED
SYMLIE_COLD void add_baumgarte(const symlie_problem *restrict P, double t, const double *restrict q, double alpha,
                               double *restrict work, double *restrict c)
{
    system_constraint(P, t, q, work);
    for (int k = 0; k < ROWS; k++) c[k] += alpha * work[k];
}

/* c = B v + b + alpha Phi; b is scratch. */
static inline void hidden_residual(const symlie_problem *restrict P, double t, const double *restrict q,
                                   const double *restrict B, const double *restrict v, double alpha, double *restrict b,
                                   double *restrict c)
{
    multiply_jacobian(P, B, v, c);
    if (HAS_CONSTRAINT_RATE) {
        system_constraint_rate(P, t, q, b);
        for (int k = 0; k < ROWS; k++) c[k] += b[k];
    }
    if (SYMLIE_UNLIKELY(alpha != 0)) add_baumgarte(P, t, q, alpha, b, c);
#if ACCELERATION_ROWS
    clear_acceleration_rows(P, c);
#endif
}

/* Largest entries of Phi and of B v + b at the end of a step. */
SYMLIE_COLD void measure_residuals(const symlie_problem *restrict P, double *restrict work, double t,
                                   const double *restrict q, const double *restrict v, symlie_trial *restrict trial)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    ARRAY(b, ROWS);
    system_constraint(P, t, q, c);
    trial->largest_constraint = largest_entry(ROWS, c, 0);
    system_jacobian(P, t, q, B);
    hidden_residual(P, t, q, B, v, 0, b, c);
    trial->largest_velocity = largest_entry(ROWS, c, 0);
    (void)work;
}
#endif

static inline long long acceleration_workspace(const symlie_problem *restrict P)
{
    (void)P;
    return DIMENSION + JACOBIAN_VALUES + 2LL * ROWS;
}

/* v' and lambda of [M B^T; B 0][v'; lambda] = [-g; -Z], with the acceleration of prescribed nodes. */
static inline int index1_acceleration(const symlie_problem *restrict P, double *restrict work, double t,
                                      const double *restrict q, const double *restrict v, mass_matrix *restrict mass,
                                      double *restrict a, double *restrict lambda)
{
    ARRAY(r, DIMENSION);
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, q, mass)) return stage_failure(P, 0, mass, v, 0);
    system_force(P, t, q, v, r);
    for (int k = 0; k < DIMENSION; k++) r[k] = -r[k];
#if CONSTRAINED
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    system_jacobian(P, t, q, B);
    system_curvature(P, t, q, v, c);
    if (PRESCRIBED) {
        system_prescribed_acceleration(P, t, a);
        multiply_jacobian(P, B, a, lambda);
        for (int k = 0; k < ROWS; k++) c[k] += lambda[k];
    }
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    if (!solve_stage(P, mass, B, B, r, c, a, lambda)) return stage_failure(P, 0, mass, r, c);
#else
    (void)lambda;
    if (!solve_with_mass(P, mass, r, 0, 0, a)) return stage_failure(P, 0, mass, r, 0);
#endif
    if (PRESCRIBED) {
        system_prescribed_acceleration(P, t, r);
        for (int k = 0; k < DIMENSION; k++) a[k] += r[k];
    }
    (void)work;
    return SYMLIE_DONE;
}

/* v' of a stage, and with constraints its lambda. */
static inline int stage_acceleration(const symlie_problem *restrict P, double *restrict work, double t,
                                     const double *restrict Q, const double *restrict V, double *restrict r,
                                     mass_matrix *restrict mass, double *restrict a, double *restrict lambda)
{
#if CONSTRAINED
    (void)r;
    return index1_acceleration(P, work, t, Q, V, mass, a, lambda);
#else
    (void)work, (void)lambda;
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, Q, mass)) return stage_failure(P, 0, mass, V, 0);
    system_force(P, t, Q, V, r);
    for (int k = 0; k < DIMENSION; k++) r[k] = -r[k];
    return solve_with_mass(P, mass, r, 0, 0, a) ? SYMLIE_DONE : stage_failure(P, 0, mass, r, 0);
#endif
}

#endif
