/* Solution with the mass matrix and the saddle point matrix of one stage, in linear time.
 *
 * S = B1 M^-1 B0^T is a band matrix in the order of elimination given by the problem. It is not symmetric, since B1
 * and B0 belong to different configurations. Clamped components have zero mobility: their rows of M^-1 are zero.
 * Included after the model. */
#ifndef SYMLIE_STRUCTURED_ALGEBRA_H
#define SYMLIE_STRUCTURED_ALGEBRA_H

#include "band_stage.h"
#include "released_rows.h"

typedef struct {
    symlie_real *M; /* values of all elements */
    symlie_real *F; /* M^-1 by nodes */
    symlie_real *W; /* B M^-1 in blocks if M is not diagonal */
    symlie_real *S; /* band rows: `bandwidth` entries left and right, and as many again for pivoting */
    symlie_real *x; /* right-hand side in the order of elimination */
    symlie_real *refinement;
} mass_matrix;

#define REFINEMENT_WORKSPACE (2LL * (DIMENSION + ROWS))

/* Allocate the arrays in the workspace. Return the rest of the workspace. */
static inline symlie_real *place_mass(const symlie_problem *restrict P, symlie_real *work, mass_matrix *restrict m)
{
    m->M = work;
    m->F = m->M + MASS_VALUES;
    m->W = m->F + FACTORS_OF_NODES;
    m->S = m->W + KEPT_PRODUCTS;
    m->x = m->S + (long long)ROWS * band_width(P);
    m->refinement = m->x + ROWS;
    return m->refinement + REFINEMENT_WORKSPACE;
}

static inline long long mass_workspace(const symlie_problem *restrict P)
{
    return MASS_VALUES + FACTORS_OF_NODES + KEPT_PRODUCTS + (long long)ROWS * band_width(P) + ROWS + REFINEMENT_WORKSPACE;
}

/* Return 0 if M is not positive definite. */
static inline int evaluate_mass(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, mass_matrix *restrict m)
{
    system_mass(P, t, q, m->M);
    return factorize_mass(P, m->M, m->F);
}

/* Compute a = M^-1 (r - B^T lambda); zero for components without a velocity. */
static inline int solve_with_mass(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict r,
                                  const symlie_real *restrict B, const symlie_real *restrict lambda, symlie_real *restrict a)
{
    if (CONSTRAINED) {
        clear_fields(P, a);
        accelerate(P, m->F, B, lambda, r, a);
    } else apply_mobility(P, m->F, r, a);
    return 1;
}

/* Compute S and its right-hand side in the order of elimination. */
static inline void assemble_band(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict B0,
                                 const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c)
{
    assemble_complement(P, m->F, m->W, m->S, m->x, B0, B1, r, c);
}

#if CONSTRAINED
/* Range of components of the right-hand side r that are read, and of the force that is computed. */
#define FORCES_BEGIN VELOCITIES_BEGIN
#define FORCES_END VELOCITIES_END
#define force_of_stage partial_force
#endif

/* Solve like solve_stage, but leave components of a without a velocity unchanged. */
static inline int solve_velocities(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict B0,
                                   const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c,
                                   symlie_real *restrict a, symlie_real *restrict lambda)
{
    return solve_complement(P, m->F, m->W, m->S, m->x, B0, B1, r, c, a, lambda);
}

static inline int solve_stage(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict B0,
                              const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c,
                              symlie_real *restrict a, symlie_real *restrict lambda)
{
    if (!CONSTRAINED) return solve_with_mass(P, m, r, B0, lambda, a);
    clear_fields(P, a);
    return solve_velocities(P, m, B0, B1, r, c, a, lambda);
}

#endif
