/* The linear system of all orders in the layout of system vectors. Factors are stored if the elimination generated for
 * the model finds no small pivot. */
#ifndef SYMLIE_TAYLOR_ELIMINATION_H
#define SYMLIE_TAYLOR_ELIMINATION_H

typedef struct {
    symlie_real factors[KEPT_FACTORS > 0 ? KEPT_FACTORS : 1];
    int are_sound;
} order_system;

#if defined(SYMLIE_FIXED_ALGEBRA_H) && FACTORS && KEPT_FACTORS >= 0 && CONSTRAINED
#define HAS_KEPT_FACTORS 1

static inline int begin_kept(const mass_matrix *restrict mass, const symlie_real *restrict B, order_system *restrict s)
{
    factorize_orders(mass->F, B, s->factors);
    return 1;
}

static inline int solve_kept(const mass_matrix *restrict mass, const symlie_real *restrict B, const order_system *restrict s,
                             const order_vectors *restrict x)
{
    symlie_real margin;
    solve_order(mass->F, B, s->factors, x->r, x->c, x->a, x->lambda, &margin);
    return SYMLIE_ALL(margin > 0);
}
#elif defined(SYMLIE_FIXED_ALGEBRA_H) && FACTORS && KEPT_FACTORS >= 0
#define HAS_KEPT_FACTORS 1

static inline int begin_kept(const mass_matrix *restrict mass, const symlie_real *restrict B, order_system *restrict s)
{
    factorize_orders(mass->F, s->factors);
    return 1;
}

static inline int solve_kept(const mass_matrix *restrict mass, const symlie_real *restrict B, const order_system *restrict s,
                             const order_vectors *restrict x)
{
    solve_order(mass->F, s->factors, x->r, x->a);
    return 1;
}
#else
#define HAS_KEPT_FACTORS 0

static inline int begin_kept(const mass_matrix *restrict mass, const symlie_real *restrict B, order_system *restrict s)
{
    return 0;
}

static inline int solve_kept(const mass_matrix *restrict mass, const symlie_real *restrict B, const order_system *restrict s,
                             const order_vectors *restrict x)
{
    return 0;
}
#endif

/* Solve the system of order 0 for v' and lambda of (1) in taylor.h, compute B, and factorise the system of all orders. */
static inline int begin_orders(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                               const symlie_real *restrict v, mass_matrix *restrict mass, const symlie_jets *restrict J,
                               symlie_real *restrict r, symlie_real *restrict B, symlie_real *restrict c, symlie_real *restrict a,
                               symlie_real *restrict lambda, const order_vectors *restrict x, order_system *restrict s)
{
    const int status = stage_acceleration(P, work, t, q, v, r, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
    if (CONSTRAINED) system_jacobian(P, t, q, v, B);
    s->are_sound = begin_kept(mass, B, s);
    return SYMLIE_DONE;
}

static inline int solve_order_system(const symlie_problem *restrict P, order_system *restrict s, const symlie_jets *restrict J,
                                     mass_matrix *restrict mass, const symlie_real *restrict B, symlie_real *restrict r,
                                     symlie_real *restrict c, symlie_real *restrict a, symlie_real *restrict lambda,
                                     const order_vectors *restrict x)
{
    const int was_sound = s->are_sound;
    if (was_sound) s->are_sound = solve_kept(mass, B, s, x);
    if (s->are_sound) return 1;
    /* The elimination below would change the results of lanes whose pivots are large enough. */
    if (SYMLIE_LANES > 1 && HAS_KEPT_FACTORS && CONSTRAINED) return 0;
    return solve_stage(P, mass, B, B, r, c, a, x->lambda);
}

/* Weighted norm of velocities relative to the tolerances; `inverse` contains reciprocals. */
static inline symlie_real system_velocity_size(const symlie_problem *restrict P, const symlie_scalar *restrict weight,
                                               const symlie_real *restrict row, const symlie_real *restrict inverse)
{
    return sqrt(weighted_squares(DIMENSION, weight, row, inverse));
}

#endif
