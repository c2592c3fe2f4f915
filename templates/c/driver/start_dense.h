/* Checks of initial states by dense matrices on the stack, for models of fixed topology. */
#ifndef SYMLIE_START_DENSE_H
#define SYMLIE_START_DENSE_H

static inline long long completion_workspace(const symlie_problem *restrict P)
{
    (void)P;
    return 0;
}

/* Return whether the smallest eigenvalue of a symmetric matrix with unit diagonal exceeds a bound. The determinant
 * is the product of all eigenvalues; the sum of the others is less than n, so their product is below (n/(n - 1))^(n
 * - 1) < e. The Cholesky factor overwrites the matrix. */
static inline int is_regular(int n, symlie_real *restrict A, symlie_real bound)
{
    symlie_real determinant = 1;
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            for (int k = 0; k < j; k++) A[i * n + j] -= A[i * n + k] * A[j * n + k];
            if (i > j) A[i * n + j] /= A[j * n + j];
            else if (A[j * n + j] > 0) determinant *= A[j * n + j], A[j * n + j] = sqrt(A[j * n + j]);
            else return 0;
        }
    }
    return determinant > 2.72 * bound;
}

static inline int has_mass(const symlie_problem *restrict P, const symlie_starts *starts, symlie_real *restrict work, const symlie_real *restrict q)
{
    (void)work;
    symlie_real M[MASS_VALUES > 0 ? MASS_VALUES : 1], A[DIMENSION * DIMENSION] = {0}, size[DIMENSION];
    symlie_mass(P, starts->t, q, M);
    for (int k = 0; k < MASS_VALUES; k++) A[MASS_ROW[k] * DIMENSION + MASS_COLUMN[k]] += M[k];
    for (int i = 0; i < DIMENSION; i++) size[i] = starts->is_free[i] ? sqrt(A[i * DIMENSION + i]) : 1;
    for (int i = 0; i < DIMENSION; i++)
        for (int j = 0; j <= i; j++) {
            const symlie_real both = A[i * DIMENSION + j] + (i > j ? A[j * DIMENSION + i] : 0);
            A[i * DIMENSION + j] = starts->is_free[i] && starts->is_free[j] ? both / (size[i] * size[j]) : i == j;
        }
    return is_regular(DIMENSION, A, SURELY_MASS * DIMENSION);
}

#if CONSTRAINED
/* Scale the rows of B, restricted to some components, to length one; compute their original lengths and the Cholesky
 * factor of their Gram matrix. */
static inline int take_rows(const symlie_real *restrict B, const unsigned char *restrict is_taken, symlie_real bound,
                            symlie_real *restrict unit, symlie_real *restrict length, symlie_real *restrict gram)
{
    for (int k = 0; k < ROWS * DIMENSION; k++) unit[k] = 0;
    for (int k = 0; k < JACOBIAN_VALUES; k++)
        if (is_taken[JACOBIAN_COLUMN[k]]) unit[JACOBIAN_ROW[k] * DIMENSION + JACOBIAN_COLUMN[k]] += B[k];
    for (int i = 0; i < ROWS; i++) {
        length[i] = 0;
        for (int k = 0; k < DIMENSION; k++) length[i] += unit[i * DIMENSION + k] * unit[i * DIMENSION + k];
        length[i] = sqrt(length[i]);
        for (int k = 0; k < DIMENSION; k++) unit[i * DIMENSION + k] /= length[i];
        for (int j = 0; j <= i; j++) {
            gram[i * ROWS + j] = 0;
            for (int k = 0; k < DIMENSION; k++) gram[i * ROWS + j] += unit[i * DIMENSION + k] * unit[j * DIMENSION + k];
        }
    }
    return is_regular(ROWS, gram, bound);
}

/* Compute c = B v + b. Return whether it is round-off. */
static inline int satisfies_hidden(const symlie_starts *starts, const symlie_real *restrict B, const symlie_real *restrict b,
                                   const symlie_real *restrict v, symlie_real *restrict c)
{
    symlie_real size[ROWS] = {0}, allowed = 1;
    for (int i = 0; i < ROWS; i++) c[i] = b[i];
    for (int k = 0; k < JACOBIAN_VALUES; k++) {
        c[JACOBIAN_ROW[k]] += B[k] * v[JACOBIAN_COLUMN[k]];
        size[JACOBIAN_ROW[k]] += fabs(B[k] * v[JACOBIAN_COLUMN[k]]);
    }
    for (int i = 0; i < ROWS; i++) allowed = fmax(allowed, size[i]), c[i] *= starts->of_velocities[i];
    for (int i = 0; i < ROWS; i++)
        if (!(fabs(c[i]) <= VELOCITY_TOLERANCE * allowed)) return 0;
    return 1;
}

/* Complete v by the smallest change of its unspecified components that satisfies B v + b = 0. */
static inline int complete_velocities(const symlie_problem *restrict P, const symlie_starts *starts, symlie_real *restrict work, const symlie_real *restrict q, symlie_real *restrict v)
{
    (void)work;
    symlie_real B[JACOBIAN_VALUES], b[ROWS], c[ROWS], unit[ROWS * DIMENSION], length[ROWS], gram[ROWS * ROWS];
    symlie_jacobian(P, starts->t, q, v, B);
    symlie_constraint_rate(P, starts->t, q, v, b);
    if (!take_rows(B, starts->is_free, SURELY_INDEPENDENT, unit, length, gram)) return 0;
    if (satisfies_hidden(starts, B, b, v, c)) return 1;
    if (!take_rows(B, starts->is_open, SURELY_COMPLETED, unit, length, gram)) return 0;
    /* The second pass removes rounding errors. */
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < ROWS; i++) {
            c[i] /= length[i];
            for (int j = 0; j < i; j++) c[i] -= gram[i * ROWS + j] * c[j];
            c[i] /= gram[i * ROWS + i];
        }
        for (int i = ROWS - 1; i >= 0; i--) {
            for (int j = i + 1; j < ROWS; j++) c[i] -= gram[j * ROWS + i] * c[j];
            c[i] /= gram[i * ROWS + i];
        }
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < DIMENSION; k++) v[k] -= unit[i * DIMENSION + k] * c[i];
        if (!satisfies_hidden(starts, B, b, v, c)) return 0;
    }
    return 1;
}
#endif

#endif
