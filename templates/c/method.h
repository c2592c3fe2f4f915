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

/* out = base + h sum_j weight[j] x[j]; base may be null. Zero weights cost nothing once the loops are unrolled. */
static inline void combine(int count, double h, const double *restrict weight, const double (*restrict x)[DIMENSION],
                           const double *restrict base, double *restrict out)
{
    double sum[DIMENSION];
    for (int k = 0; k < DIMENSION; k++) sum[k] = 0;
SYMLIE_UNROLL
    for (int j = 0; j < count; j++)
        if (weight[j] != 0)
            for (int k = 0; k < DIMENSION; k++) sum[k] += weight[j] * x[j][k];
    for (int k = 0; k < DIMENSION; k++) out[k] = base ? base[k] + h * sum[k] : h * sum[k];
}

static inline int all_finite(int n, const double *restrict x)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += x[k] * 0;
    return sum == 0;
}

/* Why a stage has no solution: its increment left the chart, its data are not finite, or its matrix is singular. The
 * right-hand side has a part c only with constraints; c may be null. */
SYMLIE_COLD int stage_failure(double angle, const mass_matrix *restrict mass, const double *restrict r,
                              const double *restrict c)
{
    if (angle >= CHART_LIMIT) return SYMLIE_OUTSIDE_CHART;
    const int finite = all_finite(MASS_VALUES, mass->M) && all_finite(DIMENSION, r) && (!c || all_finite(ROWS, c));
    return finite ? SYMLIE_SINGULAR : SYMLIE_NOT_FINITE;
}

#endif
