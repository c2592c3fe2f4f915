/* Solution of one stage with a singular M that constraint equations on single nodes complete:
 *
 *   (M + B1_h^T G B1_h) a + B0^T lambda = r + B1_h^T G c_h,   B1 a = c
 *
 * has the same a and lambda for every diagonal G, since the added terms cancel. With the equations h of such joints the
 * sum is regular and has the sparsity of M. The solution then uses S = B1 M^-1 B0^T instead of the whole matrix: by the
 * derived elimination for models of fixed topology, otherwise node by node. The weight G of an equation is the sum of
 * the diagonal entries of M of its components; it is zero for equations that touch other components of the node as
 * well. The tables are those of symlie/runtime/linear/held_mass.py. Included by saddle_algebra.h. */
#ifndef SYMLIE_HELD_MASS_H
#define SYMLIE_HELD_MASS_H

#if FIXED_TOPOLOGY
#include "fixed_products.h"

typedef struct {
    symlie_real M[MASS_VALUES], F[FACTORS], r[DIMENSION];
    symlie_real weight[ROWS]; /* G */
} held_mass;
#else
#include "complement.h"

typedef struct {
    symlie_real *M;
    symlie_real *F; /* factors of M, node by node */
    symlie_real *W; /* B M^-1 in blocks */
    symlie_real *S; /* band rows */
    symlie_real *x; /* right-hand side in the order of elimination */
    symlie_real *r;
    symlie_real *weight; /* G */
} held_mass;

static inline long long held_workspace(const symlie_problem *restrict P)
{
    if (!COUNT_OF_HELD_TO) return 0;
    return MASS_VALUES + FACTORS_OF_NODES + JACOBIAN_VALUES + ROWS * (3 * P->bandwidth + 1LL) + 2LL * ROWS + DIMENSION;
}

static inline void place_held(const symlie_problem *restrict P, symlie_real *work, held_mass *restrict h)
{
    h->M = work;
    h->F = h->M + MASS_VALUES;
    h->W = h->F + FACTORS_OF_NODES;
    h->S = h->W + JACOBIAN_VALUES;
    h->x = h->S + ROWS * (3 * P->bandwidth + 1LL);
    h->weight = h->x + ROWS;
    h->r = h->weight + ROWS;
}
#endif

/* Add the weighted equations to M and r. */
static inline void hold_mass(const symlie_problem *restrict P, held_mass *restrict h, const symlie_real *restrict M,
                             const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c)
{
    (void)P;
    for (int k = 0; k < MASS_VALUES; k++) h->M[k] = M[k];
    for (int k = 0; k < DIMENSION; k++) h->r[k] = r[k];
    for (int k = 0; k < COUNT_OF_HELD_ENTRY; k++) h->weight[JACOBIAN_ROW[HELD_ENTRY[k]]] = 0;
    for (int k = 0; k < COUNT_OF_HELD_ENTRY; k++) h->weight[JACOBIAN_ROW[HELD_ENTRY[k]]] += M[HELD_DIAGONAL[k]];
    for (int k = 0; k < COUNT_OF_HELD_OUTSIDE; k++)
        if (B1[HELD_OUTSIDE[k]] != 0) h->weight[JACOBIAN_ROW[HELD_OUTSIDE[k]]] = 0;
    for (int k = 0; k < COUNT_OF_HELD_TO; k++)
        h->M[HELD_TO[k]] += h->weight[JACOBIAN_ROW[HELD_FIRST[k]]] * B1[HELD_FIRST[k]] * B1[HELD_SECOND[k]];
    for (int k = 0; k < COUNT_OF_HELD_ENTRY; k++) {
        const int row = JACOBIAN_ROW[HELD_ENTRY[k]];
        h->r[JACOBIAN_COLUMN[HELD_ENTRY[k]]] += h->weight[row] * B1[HELD_ENTRY[k]] * c[row];
    }
}

/* Solve the completed system. Return 0 if its matrix is singular as well; r is then unchanged. */
static inline int solve_held(const symlie_problem *restrict P, held_mass *restrict h, const symlie_real *restrict M,
                             const symlie_real *restrict B0, const symlie_real *restrict B1, const symlie_real *restrict r,
                             const symlie_real *restrict c, symlie_real *restrict a, symlie_real *restrict lambda)
{
#if FIXED_TOPOLOGY && defined(MASS_NUMBERS)
    /* The generated code assumes constant values that only M has. */
    for (int k = 0; k < COUNT_OF_HELD_TO; k++)
        if (MASS_IS_NUMBER[HELD_TO[k]]) return 0;
#endif
    hold_mass(P, h, M, B1, r, c);
#if FIXED_TOPOLOGY
    symlie_real margin;
    factorize(h->M, h->F);
    if (!has_positive_pivots(h->F)) return 0;
    solve_saddle(h->F, B0, B1, h->r, c, a, lambda, &margin);
    return margin > 0;
#else
    const int bandwidth = (int)P->bandwidth, width = 3 * bandwidth + 1, is_narrow = has_narrow_band(ROWS, bandwidth);
    if (!factorize_mass(P, h->M, h->F)) return 0;
    for (int exchanges = !is_narrow;; exchanges++) {
        if (exchanges > 1) return 0;
        assemble_instances(P, B0, B1, h->F, h->r, c, width, h->W, h->S, h->x);
        assemble_pairs(P, B0, B1, h->F, h->W, width, h->S);
        if (exchanges ? solve_band(ROWS, bandwidth, h->S, h->x) : solve_narrow_band(ROWS, bandwidth, h->S, h->x)) break;
    }
    for (int k = 0; k < ROWS; k++) lambda[k] = h->x[P->position[k]];
    subtract_constraint_force(P, B0, lambda, h->r);
    apply_mobility(P, h->F, h->r, a);
    return 1;
#endif
}

#endif
