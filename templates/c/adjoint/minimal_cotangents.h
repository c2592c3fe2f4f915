/* Cotangents of multipliers of minimal norm of redundant constraints; see dependent_rows.h. */
#ifndef SYMLIE_MINIMAL_COTANGENTS_H
#define SYMLIE_MINIMAL_COTANGENTS_H

#include "cotangents.h"

#if PROBES
/* Compute the vector x of minimal norm with B x = c, for consistent c, with the matrix of factorise_rows for B. One step
 * of refinement removes the shift of its diagonal. */
static inline void least_solution(const symlie_problem *restrict P, const symlie_real *restrict scale, symlie_real *restrict matrix,
                                  const symlie_real *restrict c, symlie_real *restrict solution, symlie_real *restrict x)
{
    const elimination E = read_elimination(ELIMINATION);
    (void)P;
    for (int k = 0; k < SADDLE_UNKNOWNS; k++) solution[k] = SYMLIE_NUMBER(0);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < DIMENSION; k++) solution[k] = SYMLIE_NUMBER(0);
        for (int k = DIMENSION; k < SADDLE_UNKNOWNS; k++)
            solution[k] = k < DIMENSION + ROWS ? -scale[k - DIMENSION] * c[k - DIMENSION] - RANK_SHIFT * solution[k] : SYMLIE_NUMBER(0);
        solve_factorised(&E, matrix, solution);
    }
    for (int k = 0; k < DIMENSION; k++) x[k] = -solution[k];
}

/* Compute the cotangents of lambda from those of the multipliers of minimal norm, lambda without its part y in the null
 * space of B^T, and add those of q and v,
 *
 *   y'^T dB x + y^T dB x',   with B x = lambda - y,  B x' = lambda' - y' */
PART_OF_STEP int minimal_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                    const symlie_real *restrict q, const symlie_real *restrict v, const symlie_real *restrict lambda,
                                    const symlie_real *restrict of_least, mass_matrix *restrict m, symlie_gradient *restrict gradient,
                                    symlie_real *restrict of_lambda, symlie_real *restrict of_q, symlie_real *restrict of_v)
{
    SADDLE_MEMORY(matrix, MATRIX_VALUES);
    SADDLE_MEMORY(y, SADDLE_UNKNOWNS);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(least, ROWS);
    ARRAY(rest, ROWS);
    ARRAY(of_rest, ROWS);
    ARRAY(x, DIMENSION);
    ARRAY(of_x, DIMENSION);
    copy(ROWS, of_least, of_lambda);
    if (!HAS_TANGENTS && !SYMLIE_ANY(largest_entry(ROWS, of_least, SYMLIE_NUMBER(0)) > 0)) return SYMLIE_DONE;
    system_jacobian(P, t, q, v, B);
    if (!find_dependent_rows(P, B, m)) return SYMLIE_NOT_FINITE;
    copy(ROWS, lambda, least);
    take_minimal_multipliers(P, m, least);
    take_minimal_multipliers(P, m, of_lambda);
    for (int k = 0; k < ROWS; k++) rest[k] = lambda[k] - least[k], of_rest[k] = of_least[k] - of_lambda[k];
    if (!factorise_rows(P, B, m->scale, matrix, y)) return SYMLIE_NOT_FINITE;
    least_solution(P, m->scale, matrix, least, y, x);
    least_solution(P, m->scale, matrix, of_lambda, y, of_x);
    add_jacobian_gradient(P, work, t, q, v, of_rest, x, gradient, of_q, of_v);
    add_jacobian_gradient(P, work, t, q, v, rest, of_x, gradient, of_q, of_v);
    return SYMLIE_DONE;
}

/* The same from zero. */
PART_OF_STEP int minimal_multiplier_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                               const symlie_real *restrict q, const symlie_real *restrict v, const symlie_real *restrict lambda,
                                               const symlie_real *restrict of_least, mass_matrix *restrict m, symlie_gradient *restrict gradient,
                                               symlie_real *restrict of_lambda, symlie_real *restrict of_q, symlie_real *restrict of_v)
{
    fill_zero(DIMENSION, of_q);
    fill_zero(DIMENSION, of_v);
    return minimal_cotangents(P, work, t, q, v, lambda, of_least, m, gradient, of_lambda, of_q, of_v);
}
#endif

#endif
