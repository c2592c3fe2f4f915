/* Cotangents in the increments of eta, w = theta + D^T B^T eta, where D extends increments to dependent nodes; B and D belong
 * to the start of a step or, in local coordinates at its end, to the end. */
#ifndef SYMLIE_ETA_COTANGENTS_H
#define SYMLIE_ETA_COTANGENTS_H

/* Compute D w; w may be the result. */
static inline void extend_increment(const newton_problem *restrict s, const symlie_real *w, symlie_real *extended)
{
    const symlie_problem *P = s->P;
    for (int k = 0; k < DIMENSION; k++) extended[k] = w[k];
    for (int k = 0; k < COUNT_OF_DEPENDENT; k++) extended[DEPENDENT[k]] = SYMLIE_NUMBER(0);
    for (int n = COUNT_OF_FOLLOWED; n-- > 0;) {
        const int k = FOLLOWED[n];
        extended[FOLLOWED_ROW[k]] += s->F_n[k] * extended[FOLLOWED_COLUMN[k]];
    }
    (void)P;
}

/* Compute the cotangents of eta from that of w. */
static inline void eta_cotangents(const newton_problem *restrict s, symlie_real *restrict work, const symlie_real *restrict w,
                                  symlie_real *restrict u)
{
    const symlie_problem *P = s->P;
    ARRAY(extended, DIMENSION);
    extend_increment(s, w, extended);
    multiply_jacobian(P, s->B_n, extended, u + DIMENSION + ROWS);
    for (int k = 0; k < ROWS; k++)
        if (!HAS_PHI[k]) u[DIMENSION + ROWS + k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < COUNT_OF_NO_ETA; k++) u[NO_ETA[k]] = SYMLIE_NUMBER(0);
}

/* Add the gradient of eta^T B D w by the configuration, for fixed eta and w; w is overwritten. */
static inline void add_eta_gradient(const newton_problem *restrict s, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                    symlie_real *restrict w, symlie_gradient *restrict gradient, symlie_real *restrict of_q)
{
    const symlie_problem *P = s->P;
    ARRAY(eta, ROWS);
    ARRAY(of_increment, DIMENSION);
    ARRAY(unread_rows, ROWS);
    for (int k = 0; k < ROWS; k++) eta[k] = HAS_PHI[k] ? s->u[DIMENSION + ROWS + k] : SYMLIE_NUMBER(0);
    fill_zero(DIMENSION, of_increment);
    fill_zero(ROWS, unread_rows);
    extend_increment(s, w, w);
    add_hidden_gradient(P, t, q, w, s->lambda, eta, gradient, of_q, of_increment, unread_rows);
#if GRADIENT_DEPENDENTS
    pull_increments(P, t, q, w, gradient, of_q, of_increment);
#endif
    if (HAS_CONSTRAINT_RATE) {
        /* B v + b without B v */
        for (int k = 0; k < ROWS; k++) eta[k] = -eta[k];
        fill_zero(DIMENSION, w);
        add_hidden_gradient(P, t, q, w, s->lambda, eta, gradient, of_q, of_increment, unread_rows);
    }
}

#endif
