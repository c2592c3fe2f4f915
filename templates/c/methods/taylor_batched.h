/* The linear system of all orders in the batched layout of nodes and elements. */
#ifndef SYMLIE_TAYLOR_BATCHED_H
#define SYMLIE_TAYLOR_BATCHED_H

typedef struct {
    int keeps_factors;          /* 1 if the factors of order 0 serve all orders */
} order_system;

#if defined(SYMLIE_STRUCTURED_ALGEBRA_H)
#include "taylor_band.h"
#else
static inline int factorize_batched_orders(const symlie_problem *restrict P, mass_matrix *restrict mass, const symlie_real *restrict B,
                                          const symlie_real *restrict r, const symlie_real *restrict c, symlie_real *restrict a,
                                          symlie_real *restrict lambda)
{
    return 0;
}

static inline void keep_batched_orders(const symlie_problem *restrict P, const mass_matrix *restrict mass, const symlie_real *restrict B,
                                      const symlie_jets *restrict J, const order_vectors *restrict x)
{
}

static inline void solve_batched_orders(const symlie_problem *restrict P, mass_matrix *restrict mass, const symlie_jets *restrict J,
                                     const order_vectors *restrict x)
{
}
#define KEEPS_FREE_FACTORS 0
#endif

/* Solve the system of order 0 for v' and lambda of (1) in taylor.h, and compute B. If no row exchange is needed, the
 * factors serve all orders. */
static inline int begin_orders(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                               const symlie_real *restrict v, mass_matrix *restrict mass, const symlie_jets *restrict J,
                               symlie_real *restrict r, symlie_real *restrict B, symlie_real *restrict c, symlie_real *restrict a,
                               symlie_real *restrict lambda, const order_vectors *restrict x, order_system *restrict s)
{
    s->keeps_factors = KEEPS_FREE_FACTORS;
    if (CONSTRAINED) {
        clear_fields(P, a);
        const int status = index1_system(P, t, q, v, mass, r, B, c, a, lambda);
        if (status != SYMLIE_DONE) return status;
        s->keeps_factors = factorize_batched_orders(P, mass, B, r, c, a, lambda);
        if (!s->keeps_factors && !solve_velocities(P, mass, B, B, r, c, a, lambda)) return stage_failure(P, SYMLIE_NUMBER(0), mass, r, c);
        take_minimal_multipliers(P, mass, lambda);
        add_prescribed(P, t, r, a);
    } else {
        const int status = stage_acceleration(P, work, t, q, v, r, mass, a, lambda);
        if (status != SYMLIE_DONE) return status;
    }
    keep_batched_orders(P, mass, B, J, x);
    return SYMLIE_DONE;
}

/* Compute a = M^-1 r - Y^T lambda and lambda of an order from Y r - c = Y B^T lambda. r and c are overwritten.
 * Without stored factors the solution uses system vectors. */
static inline int solve_order_system(const symlie_problem *restrict P, order_system *restrict s, const symlie_jets *restrict J,
                                     mass_matrix *restrict mass, const symlie_real *restrict B, symlie_real *restrict r,
                                     symlie_real *restrict c, symlie_real *restrict a, symlie_real *restrict lambda,
                                     const order_vectors *restrict x)
{
    if (s->keeps_factors) {
        solve_batched_orders(P, mass, J, x);
        return 1;
    }
    velocity_from_beside(P, x->r, r);
    rows_from_beside(P, x->c, c);
    if (!solve_stage(P, mass, B, B, r, c, a, lambda)) return 0;
    if (CONSTRAINED) rows_to_beside(P, lambda, x->lambda);
    velocity_to_beside(P, a, x->a);
    return 1;
}

#endif
