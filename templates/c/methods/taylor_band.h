/* Stored factors of the linear system of all orders in the batched layout, if M is block diagonal by nodes. */
#ifndef SYMLIE_TAYLOR_BAND_H
#define SYMLIE_TAYLOR_BAND_H

#include "kept_band.h"

#define KEEPS_FREE_FACTORS 1 /* 1 if M^-1 alone suffices without constraints */

#if CONSTRAINED
static inline void keep_rows_beside(const symlie_problem *restrict P, const symlie_real *restrict B, const symlie_jets *restrict J,
                                    const order_vectors *restrict x)
{
    jacobian_to_beside(P, B, x->Y);
    mobility_of_rows_beside(P, J, x->F, x->Y);
}

static inline void constrain_beside(const symlie_problem *restrict P, mass_matrix *restrict mass, const symlie_jets *restrict J,
                                    const order_vectors *restrict x)
{
    residual_from_beside(P, J, x->Y, x->r, x->c, mass->x);
    solve_with_band(ROWS, (int)P->bandwidth, mass->S, mass->x);
    multipliers_to_beside(P, mass->x, x->lambda);
    subtract_force_beside(P, J, x->Y, x->lambda, x->a);
}
#else
static inline void keep_rows_beside(const symlie_problem *restrict P, const symlie_real *restrict B, const symlie_jets *restrict J,
                                    const order_vectors *restrict x)
{
}

static inline void constrain_beside(const symlie_problem *restrict P, mass_matrix *restrict mass, const symlie_jets *restrict J,
                                    const order_vectors *restrict x)
{
}
#endif

/* Solve the system of order 0 without row exchange; return 0 if a pivot is too small. */
static inline int factorize_batched_orders(const symlie_problem *restrict P, mass_matrix *restrict mass, const symlie_real *restrict B,
                                          const symlie_real *restrict r, const symlie_real *restrict c, symlie_real *restrict a,
                                          symlie_real *restrict lambda)
{
    assemble_band(P, mass, B, B, r, c);
    if (!factorize_band(ROWS, (int)P->bandwidth, mass->S)) return 0;
    solve_with_band(ROWS, (int)P->bandwidth, mass->S, mass->x);
    for (int k = 0; k < ROWS; k++) lambda[k] = mass->x[P->position[k]];
    accelerate(P, mass->F, B, lambda, r, a);
    return 1;
}

/* Store M^-1 and Y = B M^-1. */
static inline void keep_batched_orders(const symlie_problem *restrict P, const mass_matrix *restrict mass, const symlie_real *restrict B,
                                      const symlie_jets *restrict J, const order_vectors *restrict x)
{
    mobility_to_beside(P, mass->F, x->F);
    keep_rows_beside(P, B, J, x);
}

/* Solve the system of an order. */
static inline void solve_batched_orders(const symlie_problem *restrict P, mass_matrix *restrict mass, const symlie_jets *restrict J,
                                     const order_vectors *restrict x)
{
    apply_mobility_beside(P, x->F, x->r, x->a);
    constrain_beside(P, mass, J, x);
}

#endif
