/* Cotangents of the unknowns of an implicit step in local coordinates at its end.
 *
 *   q = q_n o exp(theta),   theta_i = log(exp(theta)^-1 o x_i),   w - theta = B^T eta
 *
 * v and v' are functions of theta, theta_i and w - theta. */
#ifndef SYMLIE_SEEN_ENDS_H
#define SYMLIE_SEEN_ENDS_H

/* Add the cotangents of q, parameters and inputs in B^T eta, for a change of those of B^T eta. */
static inline void pull_eta(const newton_problem *restrict s, symlie_real *restrict work, const symlie_real *restrict correction,
                            symlie_gradient *restrict gradient, const end_bar *restrict bar)
{
#if HAS_ETA
    const symlie_problem *P = s->P;
    (void)P;
    ARRAY(change, DIMENSION);
    for (int k = 0; k < DIMENSION; k++) change[k] = correction[k] - bar->pulled[k];
    copy(DIMENSION, correction, bar->pulled);
    add_eta_gradient(s, work, s->t, s->q, change, gradient, bar->q);
    eta_cotangents(s, work, correction, bar->u);
#else
    (void)s, (void)work, (void)correction, (void)gradient, (void)bar;
#endif
}

/* Compute the cotangents of v as a function of the unknowns, of increments to earlier configurations, and of the
 * unknowns from the cotangents of the end. */
static inline void pull_unknowns(const newton_problem *restrict s, const end_given *restrict given, symlie_real *restrict work,
                                 symlie_gradient *restrict gradient, const end_bar *restrict bar)
{
    const symlie_problem *P = s->P;
    symlie_real *restrict u = bar->u;
    ARRAY(element, DIMENSION);
    ARRAY(moved, DIMENSION);
    pull_state(s, gradient, bar);
    formula_transpose(P, s->formula, bar->v, bar->v_dot, bar->w, u, moved, bar->points);
    for (int k = 0; k < COUNT_OF_HELD; k++) moved[HELD[k]] = SYMLIE_NUMBER(0);
    pull_eta(s, work, moved, gradient, bar);
    add_cotangent(DIMENSION, given->theta, u);
    take_cotangent(DIMENSION, given->element, element);
    for (int i = 0; i < POINTS; i++) {
        const symlie_real *restrict theta = formula_point(s->formula, i);
        add_cotangent(DIMENSION, given->points[i], bar->points[i]);
        system_inverse_tangent_transpose(P, theta, bar->points[i], moved);
        for (int k = 0; k < DIMENSION; k++) element[k] -= moved[k];
        system_bracket_transpose(P, theta, bar->points[i], moved);
        for (int k = 0; k < DIMENSION; k++) element[k] += moved[k];
    }
    for (int k = 0; k < DIMENSION; k++) element[k] += bar->q[k];
    system_tangent_transpose(P, s->theta, element, moved);
    for (int k = 0; k < DIMENSION; k++) u[k] += moved[k];
    for (int k = 0; k < COUNT_OF_HELD; k++) u[HELD[k]] = SYMLIE_NUMBER(0);
    copy(ROWS, bar->lambda, u + DIMENSION);
}

/* The transpose of the correction d - [o, d]/2 for a solution d of the linear system; see newton_correction. */
static inline void pull_correction(const newton_problem *restrict s, symlie_real *restrict d)
{
    if (!TANGENT) return;
    const symlie_problem *P = s->P;
    system_bracket_transpose(P, formula_offset(s->formula), d, s->scratch);
    for (int k = 0; k < DIMENSION; k++) d[k] -= s->scratch[k] / 2;
}

#endif
