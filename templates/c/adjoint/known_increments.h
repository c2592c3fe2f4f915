/* Cotangents of the unknowns of an implicit step whose v and v' are functions of w. */
#ifndef SYMLIE_KNOWN_INCREMENTS_H
#define SYMLIE_KNOWN_INCREMENTS_H

/* Compute the cotangents of w and of the unknowns from the cotangents of the end, of theta and of w. */
static inline void pull_unknowns(const newton_problem *restrict s, const end_given *restrict given, symlie_real *restrict work,
                                 symlie_gradient *restrict gradient, const end_bar *restrict bar)
{
    const symlie_problem *P = s->P;
    symlie_real *restrict u = bar->u, *restrict w = bar->w;
    ARRAY(moved, DIMENSION);
    pull_state(s, gradient, bar);
    take_cotangent(DIMENSION, given->w, w);
    take_cotangent(DIMENSION, given->theta, u);
    for (int n = 0; n < COUNT_OF_STATE; n++) bar->v[STATE[n]] = SYMLIE_NUMBER(0);
    for (int k = 0; k < DIMENSION; k++) moved[k] = s->velocity * bar->v[k] + s->acceleration * bar->v_dot[k];
    for (int n = 0; n < COUNT_OF_STATE; n++) moved[STATE[n]] = s->rate * bar->v_dot[STATE[n]];
    for (int k = 0; k < DIMENSION; k++) w[k] += moved[k];
    for (int k = 0; k < COUNT_OF_HELD; k++) w[HELD[k]] = SYMLIE_NUMBER(0);
    system_tangent_transpose(P, s->theta, bar->q, moved);
    for (int k = 0; k < DIMENSION; k++) u[k] += moved[k] + w[k];
    for (int k = 0; k < COUNT_OF_HELD; k++) u[HELD[k]] = SYMLIE_NUMBER(0);
    copy(ROWS, bar->lambda, u + DIMENSION);
#if HAS_ETA
    eta_cotangents(s, work, w, u);
#endif
}

/* The transpose of the correction for a solution of the linear system, which is this solution. */
static inline void pull_correction(const newton_problem *restrict s, symlie_real *restrict d)
{
    (void)s, (void)d;
}

#endif
