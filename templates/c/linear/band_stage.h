/* Solution with M and S = B1 M^-1 B0^T, a band matrix in the order of elimination given by the problem. Included after the
 * model. */
#ifndef SYMLIE_BAND_STAGE_H
#define SYMLIE_BAND_STAGE_H

#include "complement.h"

static inline int band_width(const symlie_problem *restrict P) { return 3 * (int)P->bandwidth + 1; }

/* Compute S and its right-hand side x in the order of elimination. */
SYMLIE_ASSEMBLY void assemble_complement(const symlie_problem *restrict P, const symlie_real *restrict F, symlie_real *restrict W,
                                         symlie_real *restrict S, symlie_real *restrict x, const symlie_real *restrict B0,
                                         const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c)
{
    const int width = band_width(P);
    assemble_instances(P, B0, B1, F, r, c, width, W, S, x);
    assemble_pairs(P, B0, B1, F, W, width, S);
}

/* Repeat the solution with row exchange after a pivot of a narrow band was too small. */
SYMLIE_COLD int solve_once_more(const symlie_problem *restrict P, const symlie_real *restrict F, symlie_real *restrict W,
                                symlie_real *restrict S, symlie_real *restrict x, const symlie_real *restrict B0,
                                const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c)
{
    assemble_complement(P, F, W, S, x, B0, B1, r, c);
    return solve_band(ROWS, (int)P->bandwidth, S, x);
}

/* Solve the saddle point system, but leave components of a without a velocity unchanged. */
SYMLIE_ASSEMBLY int solve_complement(const symlie_problem *restrict P, const symlie_real *restrict F, symlie_real *restrict W,
                                     symlie_real *restrict S, symlie_real *restrict x, const symlie_real *restrict B0,
                                     const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c,
                                     symlie_real *restrict a, symlie_real *restrict lambda)
{
    const int bandwidth = (int)P->bandwidth;
    assemble_complement(P, F, W, S, x, B0, B1, r, c);
    if (!has_narrow_band(ROWS, bandwidth)) {
        if (!solve_band(ROWS, bandwidth, S, x)) return 0;
    } else if (SYMLIE_UNLIKELY(!solve_narrow_band(ROWS, bandwidth, S, x))) {
        if (!solve_once_more(P, F, W, S, x, B0, B1, r, c)) return 0;
    }
    for (int k = 0; k < ROWS; k++) lambda[k] = x[P->position[k]];
    accelerate(P, F, B0, lambda, r, a);
    return 1;
}

#endif
