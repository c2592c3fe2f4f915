/* Cotangents of corrections along constraints. */
#ifndef SYMLIE_CORRECTION_COTANGENTS_H
#define SYMLIE_CORRECTION_COTANGENTS_H

#if CONSTRAINED
/* Add the gradient of w^T (M d + B^T mu) by q and v, for fixed w, d and mu; w is overwritten. */
static inline void add_correction_gradient(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                           const symlie_real *restrict q, const symlie_real *restrict v, const symlie_real *restrict d,
                                           const symlie_real *restrict mu, symlie_real *restrict w, symlie_gradient *restrict gradient,
                                           symlie_real *restrict of_q, symlie_real *restrict of_v)
{
    ARRAY(zero, DIMENSION);
    ARRAY(zero_rows, ROWS);
    ARRAY(unread, ROWS);
    fill_zero(DIMENSION, zero);
    fill_zero(ROWS, zero_rows);
    fill_zero(ROWS, unread);
    add_balance_gradient(P, t, q, v, d, mu, w, gradient, of_q, of_v, unread);
    /* The balance contains the forces, which corrections do not see. */
    for (int k = 0; k < DIMENSION; k++) w[k] = -w[k];
    add_balance_gradient(P, t, q, v, zero, zero_rows, w, gradient, of_q, of_v, unread);
}

/* Cotangents of d = M^-1 B^T mu with B d = c: of c, and of q and v without those of c. */
static inline int correction_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                        const symlie_real *restrict q, const symlie_real *restrict v, const symlie_real *restrict B,
                                        const symlie_real *restrict c, const symlie_real *restrict of_d, mass_matrix *restrict mass,
                                        symlie_gradient *restrict gradient, symlie_real *restrict of_c, symlie_real *restrict of_q,
                                        symlie_real *restrict of_v)
{
    ARRAY(mu, ROWS);
    ARRAY(d, DIMENSION);
    ARRAY(w, DIMENSION);
    const int status = along_constraints(P, t, q, B, c, w, mu, mass, d);
    if (status != SYMLIE_DONE) return status;
    if (!solve_stage_transposed(P, mass, work, B, B, of_d, 0, w, of_c)) return SYMLIE_SINGULAR;
    add_jacobian_gradient(P, work, t, q, v, of_c, d, gradient, of_q, of_v);
    add_correction_gradient(P, work, t, q, v, d, mu, w, gradient, of_q, of_v);
    for (int k = 0; k < ROWS; k++) of_c[k] = -of_c[k];
    return SYMLIE_DONE;
}
#endif

#endif
