/* Size of residuals of implicit steps due to rounding alone. Included after the definition of newton_problem. */
#ifndef SYMLIE_ROUNDING_FLOOR_H
#define SYMLIE_ROUNDING_FLOOR_H

/* Compute products such as |K| |q|, where each entry of |q| is the largest stored component of its node; `sizes` is
 * scratch of the size of v. */
static inline void measure_rounding(const symlie_problem *restrict P, const symlie_real *restrict q, const symlie_real *restrict B,
                                    symlie_real *restrict sizes, const iteration_matrix *restrict A)
{
    symlie_real *restrict terms = A->rounding;
    (void)P;
    for (int k = 0; k < DIMENSION; k++) {
        sizes[k] = k && STORED[k] == STORED[k - 1] ? sizes[k - 1] : largest_entry(STORED_SIZE[k], q + STORED[k], SYMLIE_NUMBER(0));
        terms[k] = SYMLIE_NUMBER(0);
    }
    for (int k = 0; k < VALUES_OF_K; k++) terms[STIFFNESS_ROW[k]] += fabs(A->K[k]) * sizes[STIFFNESS_COLUMN[k]];
    for (int k = 0; k < VALUES_OF_Sq; k++) terms[STATE_ROW[k]] += fabs(A->Sq[k]) * sizes[STATE_COLUMN[k]];
    terms += DIMENSION;
    for (int k = 0; k < ROWS; k++) terms[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < JACOBIAN_VALUES; k++) terms[JACOBIAN_ROW[k]] += fabs(B[k]) * sizes[JACOBIAN_COLUMN[k]];
    for (int k = 0; k < COUNT_OF_OPEN_ROW; k++) terms[OPEN_ROW[k]] = SYMLIE_NUMBER(0);
    for (int k = 0; k < VALUES_OF_Zq; k++)
        if (IS_OPEN[CURVATURE_ROW[k]]) terms[CURVATURE_ROW[k]] += fabs(A->Z[k]) * sizes[CURVATURE_COLUMN[k]];
}

/* Return whether a correction of theta is within a few rounding units of the stored components of each node. */
SYMLIE_COLD symlie_mask newton_is_rounding(const newton_problem *restrict s, const symlie_real *restrict d)
{
    const symlie_problem *P = s->P;
    symlie_real size = SYMLIE_NUMBER(0);
    symlie_mask is_rounding = SYMLIE_TRUE;
    (void)P;
    /* The residual of contradictory redundant constraints cannot be reduced by corrections. */
    if (PROBES) return SYMLIE_FALSE;
    for (int k = 0; k < DIMENSION; k++) {
        if (!k || STORED[k] != STORED[k - 1]) size = largest_entry(STORED_SIZE[k], s->q + STORED[k], SYMLIE_NUMBER(0));
        is_rounding &= fabs(d[k]) <= NEWTON_FLOOR * ROUNDING * formula_span(s->formula) * size;
    }
    return is_rounding;
}

/* Size of the rounding of v', which comes from its term beta' theta, large in short steps and mostly cancelled, or
 * from all its increments. */
static inline symlie_real acceleration_size(const newton_problem *restrict s, int component)
{
    return fabs(s->v_dot[component]) + s->acceleration * formula_span(s->formula) * fabs(s->theta[component]);
}

/* Norm of a residual due to the rounding of its terms and of their configuration. g is the residual r minus the
 * other terms. With reused factors, the configuration is the one at which the matrix was evaluated. */
SYMLIE_COLD symlie_real newton_floor(newton_problem *restrict s, const symlie_real *restrict r)
{
    const symlie_problem *P = s->P;
    symlie_real *restrict terms = s->terms;
    (void)P;
    if (INVERSE_DYNAMICS && !MASS_IS_CONSTANT) system_mass(P, s->t, s->q, s->M);
    if (!KEEPS_FACTORS) measure_rounding(P, s->q, s->B, terms, &s->A);
    copy(DIMENSION, r, terms);
    for (int k = 0; k < MASS_VALUES; k++) {
        const int i = MASS_ROW[k], j = MASS_COLUMN[k];
        terms[i] -= s->M[k] * s->v_dot[j];
        if (i != j) terms[j] -= s->M[k] * s->v_dot[i];
    }
    for (int k = 0; k < JACOBIAN_VALUES; k++) terms[JACOBIAN_COLUMN[k]] -= s->B[k] * s->lambda[JACOBIAN_ROW[k]];
    for (int k = 0; k < DIMENSION; k++) terms[k] = fabs(terms[k]);
    for (int k = 0; k < COUNT_OF_STATE; k++)
        terms[STATE[k]] = 2 * fabs(s->v_dot[STATE[k]]) + s->rate * fabs(s->theta[STATE[k]]);
    for (int k = 0; k < MASS_VALUES; k++) {
        const int i = MASS_ROW[k], j = MASS_COLUMN[k];
        terms[i] += fabs(s->M[k]) * acceleration_size(s, j);
        if (i != j) terms[j] += fabs(s->M[k]) * acceleration_size(s, i);
    }
    for (int k = 0; k < JACOBIAN_VALUES; k++) terms[JACOBIAN_COLUMN[k]] += fabs(s->B[k] * s->lambda[JACOBIAN_ROW[k]]);
    copy(ROWS, s->A.rounding + DIMENSION, s->rows);
    for (int k = 0; k < COUNT_OF_OPEN_TO; k++)
        if (IS_OPEN[JACOBIAN_ROW[k]]) s->rows[JACOBIAN_ROW[k]] += fabs(s->B[k]) * acceleration_size(s, JACOBIAN_COLUMN[k]);
    for (int k = 0; k < DIMENSION; k++) terms[k] += s->A.rounding[k];
    for (int k = 0; k < COUNT_OF_HELD; k++) terms[HELD[k]] = SYMLIE_NUMBER(0);
    return ROUNDING * sqrt(sum_of_squares(DIMENSION, terms) + sum_of_squares(ROWS, s->rows));
}

#endif
