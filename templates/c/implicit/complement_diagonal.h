/* Regularisation of the matrices of implicit steps if constraints are redundant. */
#ifndef SYMLIE_COMPLEMENT_DIAGONAL_H
#define SYMLIE_COMPLEMENT_DIAGONAL_H

/* Compute the reciprocals of the diagonal of `inertial` M. */
static inline void take_mobility(const symlie_problem *restrict P, const symlie_real *restrict M, symlie_real inertial,
                                 symlie_real *restrict mobility)
{
    (void)P;
    for (int k = 0; k < DIMENSION; k++) mobility[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < MASS_VALUES; k++)
        if (MASS_ROW[k] == MASS_COLUMN[k]) mobility[MASS_ROW[k]] += inertial * M[k];
    for (int k = 0; k < DIMENSION; k++) mobility[k] = SYMLIE_WHERE(mobility[k] > 0, 1 / mobility[k], SYMLIE_NUMBER(0));
}

/* Subtract a small multiple of the Schur complement B M^-1 B^T from the diagonal block of the multipliers. */
static inline void subtract_complement(const symlie_problem *restrict P, const symlie_real *restrict B,
                                       const symlie_real *restrict mobility, symlie_real *restrict values)
{
    const int *restrict place = SADDLE_DIAGONAL + DIMENSION;
    (void)P;
    for (int k = 0; k < JACOBIAN_VALUES; k++)
        values[place[JACOBIAN_ROW[k]]] -= REGULARISATION * B[k] * B[k] * mobility[JACOBIAN_COLUMN[k]];
    for (int k = 0; k < ROWS; k++) values[place[k]] = SYMLIE_WHERE(values[place[k]] == 0, SYMLIE_NUMBER(-REGULARISATION), values[place[k]]);
}

#endif
