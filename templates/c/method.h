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

/* out = base + h sum_j weight[j] x_j for vectors x_j one after the other; base may be null. Zero weights cost nothing
 * once the loops are unrolled. */
static inline void combine(int n, int count, double h, const double *restrict weight, const double *restrict x,
                           const double *restrict base, double *restrict out)
{
    for (int k = 0; k < n; k++) out[k] = 0;
SYMLIE_UNROLL
    for (int j = 0; j < count; j++)
        if (weight[j] != 0)
            for (int k = 0; k < n; k++) out[k] += weight[j] * x[j * n + k];
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
    double sum = 0;
    for (int k = 0; k < n; k++) sum += x[k] * 0;
    return sum == 0;
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

#endif
