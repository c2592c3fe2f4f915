/* Cotangents of a step of the symplectic theta family, by the implicit function theorem; see symplectic_stage.h for the
 * equations. With the total cotangent u' of u, which includes its part from the end of the step, mu solves J^T mu = -u'
 * with the matrix J of the solution. */
#ifndef SYMLIE_SYMPLECTIC_COTANGENTS_H
#define SYMLIE_SYMPLECTIC_COTANGENTS_H

static inline int symplectic_cotangents(const symlie_problem *restrict P, symlie_real t, symlie_real h, symlie_scalar part,
                                        const symlie_real *restrict q, const symlie_real *restrict u, const symlie_real *of_u,
                                        const symlie_real *of_end, symlie_gradient *restrict gradient, symlie_real *restrict start_q)
{
    const symlie_real theta = SYMLIE_NUMBER(part), time = t + theta * h;
    symlie_real r[DIMENSION], J[DIMENSION * DIMENSION], transposed[DIMENSION * DIMENSION], bar[DIMENSION], mu[DIMENSION];
    fill_zero(DIMENSION, start_q);
    take_cotangent(DIMENSION, of_u, bar);
    if (of_end) add_symplectic_end_gradient(P, time, q, u, h, theta, of_end, gradient, start_q, bar);
    system_symplectic(P, time, q, u, h, theta, r, J);
    for (int i = 0; i < DIMENSION; i++) {
        mu[i] = -bar[i];
        for (int k = 0; k < DIMENSION; k++) transposed[k * DIMENSION + i] = J[i * DIMENSION + k];
    }
    if (!solve_dense(DIMENSION, transposed, mu)) return SYMLIE_SINGULAR;
    add_symplectic_gradient(P, time, q, u, h, theta, mu, gradient, start_q, bar);
    return SYMLIE_DONE;
}

#endif
