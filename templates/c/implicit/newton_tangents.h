/* Tangents of a solution of Newton's method. */
#ifndef SYMLIE_NEWTON_TANGENTS_H
#define SYMLIE_NEWTON_TANGENTS_H

#include "tangent_convergence.h"

/* Largest tangent of some numbers. */
static inline double largest_tangent(int n, const symlie_real *restrict x)
{
    double largest = 0;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < SYMLIE_TANGENTS; j++) largest = fmax(largest, fabs(tangent_of(x[k], j)));
    return largest;
}

/* Complete the tangents of the solution u of r(u) = 0, whose value remains the same. Since the matrix belongs to another
 * point, corrections are repeated until their remainder, estimated from their ratio, is below round-off. */
static inline int newton_tangents(newton_problem *restrict problem, int n, int has_matrix, symlie_real *restrict u,
                                  symlie_real *restrict r, symlie_real *restrict d)
{
    double last = 0;
    newton_residual(problem, u, r);
    if (!has_matrix) {
        const int status = newton_refresh(problem, SYMLIE_TRUE);
        if (status != SYMLIE_DONE) return status;
    }
    for (int taken = 0; taken < TANGENT_STEPS; taken++) {
        for (int k = 0; k < n; k++) r[k].value = 0;
        const int status = newton_correction(problem, r, d);
        if (status != SYMLIE_DONE) return status;
        for (int k = 0; k < n; k++) u[k].tangent -= d[k].tangent;
        newton_residual(problem, u, r);
        /* Increments and multipliers have different sizes. */
        const symlie_problem *P = problem->P;
        const double size = largest_tangent(DIMENSION, u), size_of_rest = largest_tangent(n - DIMENSION, u + DIMENSION);
        const double of_rest = largest_tangent(n - DIMENSION, d + DIMENSION) / (size_of_rest > 0 ? size_of_rest : 1);
        const double moved = fmax(largest_tangent(DIMENSION, d) / (size > 0 ? size : 1), of_rest);
        (void)P;
        if (tangents_are_settled(taken, moved, last)) break;
        last = moved;
    }
    return SYMLIE_DONE;
}

#endif
