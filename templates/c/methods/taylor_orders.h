/* Vectors of one order, and the linear system common to all orders. */
#ifndef SYMLIE_TAYLOR_ORDERS_H
#define SYMLIE_TAYLOR_ORDERS_H

#include "taylor_sums.h"

/* Vectors of one order: coefficient arrays of series, and other vectors with the same layout. */
typedef struct {
    symlie_real *q, *v, *w, *lambda;
    symlie_real *next_q, *next_v;
    symlie_real *a, *r, *c, *rate, *prescribed;
#if ORDERS_BESIDE
    symlie_real *F, *Y;         /* M^-1 and B M^-1, common to all orders */
    int keeps_factors;
#endif
} order_vectors;

static inline void take_order(const symlie_problem *restrict P, int k, const symlie_series *restrict series, order_vectors *restrict x)
{
    x->q = series->q + k * STORED_SIZE, x->v = series->v + k * VELOCITY_SIZE, x->w = series->w + k * MOVED_SIZE;
    x->next_q = x->q + STORED_SIZE, x->next_v = x->v + VELOCITY_SIZE;
    x->lambda = series->lambda + (CONSTRAINED ? k * ROWS_SIZE : 0);
}

#if ORDERS_BESIDE
static inline long long vectors_workspace(const symlie_problem *restrict P)
{
    return STORED_SIZE + 3LL * VELOCITY_SIZE + ROWS_SIZE + JACOBIAN_BESIDE + MOBILITY_BESIDE;
}

/* Set entries that belong to no node to zero. */
static inline void place_vectors(const symlie_problem *restrict P, symlie_real *restrict memory, order_vectors *restrict x)
{
    const long long size = STORED_SIZE + 3LL * VELOCITY_SIZE + ROWS_SIZE;
    for (long long k = 0; k < size; k++) memory[k] = 0;
    x->rate = memory;
    x->a = x->rate + STORED_SIZE, x->r = x->a + VELOCITY_SIZE, x->prescribed = x->r + VELOCITY_SIZE;
    x->c = x->prescribed + VELOCITY_SIZE;
    x->Y = x->c + ROWS_SIZE, x->F = x->Y + JACOBIAN_BESIDE;
}
#else
static inline long long vectors_workspace(const symlie_problem *restrict P)
{
    return 0;
}
#endif

/* take_first copies system vectors to the coefficient arrays of the first orders; keep_first copies the coefficients
 * of order 1 back. */
static inline void take_first(const symlie_problem *restrict P, symlie_series *restrict series, symlie_real *restrict q, symlie_real *restrict v)
{
    const symlie_real unit = *series->unit;
#if ORDERS_BESIDE
    stored_to_beside(P, series->q_0, series->q);
    velocity_to_beside(P, series->v_0, series->v);
    for (int k = 0; k < STORAGE; k++) q[k] = unit * series->q_1[k];
    for (int k = 0; k < DIMENSION; k++) v[k] = unit * series->v_1[k];
    stored_to_beside(P, q, series->q + STORED_SIZE);
    velocity_to_beside(P, v, series->v + VELOCITY_SIZE);
    if (FIELDS && FIELD_SERIES) moved_to_beside(P, series->w_0, series->w);
    if (CONSTRAINED) rows_to_beside(P, series->lambda_0, series->lambda);
#else
    for (int k = 0; k < STORAGE; k++) series->q[STORAGE + k] = unit * series->q_1[k];
    for (int k = 0; k < DIMENSION; k++) series->v[DIMENSION + k] = unit * series->v_1[k];
    (void)P, (void)q, (void)v;
#endif
}

static inline void keep_first(const symlie_problem *restrict P, symlie_series *restrict series)
{
    const symlie_real per_second = 1 / *series->unit;
#if ORDERS_BESIDE
    stored_from_beside(P, series->q + STORED_SIZE, series->q_1);
    velocity_from_beside(P, series->v + VELOCITY_SIZE, series->v_1);
#else
    copy(STORAGE, series->q + STORAGE, series->q_1);
    copy(DIMENSION, series->v + DIMENSION, series->v_1);
    (void)P;
#endif
    for (int k = 0; k < STORAGE; k++) series->q_1[k] *= per_second;
    for (int k = 0; k < DIMENSION; k++) series->v_1[k] *= per_second;
}

#if ORDERS_BESIDE
#if defined(SYMLIE_STRUCTURED_ALGEBRA_H)
#include "kept_band.h"
#define KEEPS_BAND 1
#else
#define KEEPS_BAND 0
#endif

/* Solve the system of order 0 for v' and lambda of (1) in taylor.h, and compute B. If no row exchange is needed, the
 * factors serve all orders. */
static inline int begin_system(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                               const symlie_real *restrict v, mass_matrix *restrict mass, const symlie_jets *restrict J,
                               symlie_real *restrict r, symlie_real *restrict B, symlie_real *restrict c, symlie_real *restrict a,
                               symlie_real *restrict lambda, order_vectors *restrict x)
{
    x->keeps_factors = KEEPS_BAND;
#if CONSTRAINED
    clear_fields(P, a);
    const int status = index1_system(P, t, q, v, mass, r, B, c, a, lambda);
    if (status != SYMLIE_DONE) return status;
#if KEEPS_BAND
    assemble_band(P, mass, B, B, r, c);
    x->keeps_factors = factorize_band(ROWS, (int)P->bandwidth, mass->S);
    if (x->keeps_factors) {
        solve_with_band(ROWS, (int)P->bandwidth, mass->S, mass->x);
        for (int k = 0; k < ROWS; k++) lambda[k] = mass->x[P->position[k]];
        accelerate(P, mass->F, B, lambda, r, a);
    }
#endif
    if (!x->keeps_factors && !solve_velocities(P, mass, B, B, r, c, a, lambda)) return stage_failure(P, SYMLIE_NUMBER(0), mass, r, c);
    take_minimal_multipliers(P, mass, lambda);
    add_prescribed(P, t, r, a);
#else
    const int status = stage_acceleration(P, work, t, q, v, r, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
#endif
#if KEEPS_BAND
    mobility_to_beside(P, mass->F, x->F);
#if CONSTRAINED
    jacobian_to_beside(P, B, x->Y);
    mobility_of_rows_beside(P, J, x->F, x->Y);
#endif
#endif
    (void)work, (void)J, (void)B, (void)c;
    return SYMLIE_DONE;
}

/* Compute a = M^-1 r - Y^T lambda and lambda of an order from Y r - c = Y B^T lambda. r and c are overwritten.
 * Without stored factors the solution uses system vectors. */
static inline int solve_beside(const symlie_problem *restrict P, const symlie_jets *restrict J, mass_matrix *restrict mass,
                               const symlie_real *restrict B, symlie_real *restrict r, symlie_real *restrict c, symlie_real *restrict a,
                               symlie_real *restrict lambda, order_vectors *restrict x)
{
#if KEEPS_BAND
    if (x->keeps_factors) {
        apply_mobility_beside(P, x->F, x->r, x->a);
#if CONSTRAINED
        residual_from_beside(P, J, x->Y, x->r, x->c, mass->x);
        solve_with_band(ROWS, (int)P->bandwidth, mass->S, mass->x);
        multipliers_to_beside(P, mass->x, x->lambda);
        subtract_force_beside(P, J, x->Y, x->lambda, x->a);
#endif
        return 1;
    }
#endif
    velocity_from_beside(P, x->r, r);
#if CONSTRAINED
    rows_from_beside(P, x->c, c);
    if (!solve_stage(P, mass, B, B, r, c, a, lambda)) return 0;
    rows_to_beside(P, lambda, x->lambda);
#else
    if (!solve_with_mass(P, mass, r, 0, 0, a)) return 0;
#endif
    velocity_to_beside(P, a, x->a);
    return 1;
}
#endif

#if !ORDERS_BESIDE
#if defined(SYMLIE_FIXED_ALGEBRA_H) && FACTORS && KEPT_FACTORS >= 0
#define HAS_KEPT_FACTORS 1
#else
#define HAS_KEPT_FACTORS 0
#endif

/* The system of all orders. Factors are stored if the elimination generated for the model finds no small pivot. */
typedef struct {
    symlie_real factors[KEPT_FACTORS > 0 ? KEPT_FACTORS : 1];
    int are_sound;
} order_system;

static inline void begin_orders(const mass_matrix *restrict mass, const symlie_real *restrict B, order_system *restrict s)
{
#if HAS_KEPT_FACTORS && CONSTRAINED
    factorize_orders(mass->F, B, s->factors);
#elif HAS_KEPT_FACTORS
    factorize_orders(mass->F, s->factors);
#endif
    s->are_sound = HAS_KEPT_FACTORS;
    (void)mass, (void)B;
}

static inline int solve_orders(const symlie_problem *restrict P, order_system *restrict s, mass_matrix *restrict mass,
                               const symlie_real *restrict B, symlie_real *restrict r, const symlie_real *restrict c,
                               symlie_real *restrict a, symlie_real *restrict lambda)
{
#if CONSTRAINED
#if HAS_KEPT_FACTORS
    if (s->are_sound) {
        symlie_real margin;
        solve_order(mass->F, B, s->factors, r, c, a, lambda, &margin);
        s->are_sound = SYMLIE_ALL(margin > 0);
    }
    if (s->are_sound) return 1;
    /* The elimination below would change the results of lanes whose pivots are large enough. */
    if (SYMLIE_LANES > 1) return 0;
#endif
    return solve_stage(P, mass, B, B, r, c, a, lambda);
#elif HAS_KEPT_FACTORS
    (void)P, (void)B, (void)c, (void)lambda;
    solve_order(mass->F, s->factors, r, a);
    return 1;
#else
    return solve_with_mass(P, mass, r, 0, 0, a);
#endif
}
#endif

#endif
