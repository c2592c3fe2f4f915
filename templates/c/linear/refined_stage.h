/* Solution of a stage for derivatives. Elimination amplifies their rounding by the condition of S = B1 M^-1 B0^T, for
 * instance if light bodies transmit large forces. B1 a then differs from c by more than rounding, and one step of
 * iterative refinement with this residual corrects a and lambda; M itself is solved to rounding. Included after
 * the algebra. */
#ifndef SYMLIE_REFINED_STAGE_H
#define SYMLIE_REFINED_STAGE_H

#if FIXED_TOPOLOGY
#define REFINEMENT_ARRAY(name, size, place) symlie_real name[(size) > 0 ? (size) : 1]
#else
#define REFINEMENT_ARRAY(name, size, place) symlie_real *restrict name = mass->refinement + (place)
#endif

/* Tangents, or numbers without tangents, of which several have the same size. */
#if HAS_TANGENTS
#define DERIVATIVES SYMLIE_TANGENTS
#define DERIVATIVE_OF(x, direction) tangent_of(x, direction)
#else
#define DERIVATIVES 1
#define DERIVATIVE_OF(x, direction) (x)
#endif

/* Raise each entry to the size of a derivative. */
static inline void raise_to_sizes(symlie_real x, symlie_scalar *restrict largest)
{
    for (int j = 0; j < DERIVATIVES; j++) {
        const symlie_scalar size = fabs(DERIVATIVE_OF(x, j));
        largest[j] = size > largest[j] ? size : largest[j];
    }
}

/* Return whether the residual of the constraints exceeds the rounding of accelerations in some direction. */
static inline int needs_refinement(const symlie_problem *restrict P, const symlie_real *restrict residual, const symlie_real *restrict a)
{
    symlie_scalar size[DERIVATIVES] = {0}, rest[DERIVATIVES] = {0};
    int needs = 0;
    (void)P;
    for (int k = VELOCITIES_BEGIN; k < VELOCITIES_END; k++) raise_to_sizes(a[k], size);
    for (int k = 0; k < ROWS; k++) raise_to_sizes(residual[k], rest);
    for (int j = 0; j < DERIVATIVES; j++) needs |= rest[j] > REFINED_ROUNDING * size[j];
    return needs;
}

/* Solve as solve_stage does. With keeps_values, values of numbers with tangents have the bits of solve_stage. */
static inline int solve_refined(const symlie_problem *restrict P, mass_matrix *restrict mass, const symlie_real *restrict B0,
                                const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c,
                                symlie_real *restrict a, symlie_real *restrict lambda, int keeps_values)
{
    REFINEMENT_ARRAY(zero, DIMENSION, 0);
    REFINEMENT_ARRAY(change, DIMENSION, DIMENSION);
    REFINEMENT_ARRAY(residual, ROWS, 2 * DIMENSION);
    REFINEMENT_ARRAY(of_lambda, ROWS, 2 * DIMENSION + ROWS);
    if (!solve_stage(P, mass, B0, B1, r, c, a, lambda)) return 0;
    (void)keeps_values;
    multiply_jacobian(P, B1, a, residual);
    for (int k = 0; k < ROWS; k++) residual[k] = c[k] - residual[k];
    if (!needs_refinement(P, residual, a)) return 1;
#if HAS_TANGENTS
    for (int k = 0; keeps_values && k < ROWS; k++) residual[k].value = 0;
#endif
    for (int k = 0; k < DIMENSION; k++) zero[k] = SYMLIE_NUMBER(0);
    if (!solve_stage(P, mass, B0, B1, zero, residual, change, of_lambda)) return 0;
    for (int k = VELOCITIES_BEGIN; k < VELOCITIES_END; k++) a[k] += change[k];
    for (int k = 0; k < ROWS; k++) lambda[k] += of_lambda[k];
    return 1;
}

#endif
