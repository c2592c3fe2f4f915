/* Elimination with partial pivoting for models of fixed topology. Included after the model. */
#ifndef SYMLIE_DENSE_STAGE_H
#define SYMLIE_DENSE_STAGE_H

#define SADDLE (DIMENSION + ROWS)

static inline void exchange_where(symlie_mask condition, symlie_real *restrict a, symlie_real *restrict b)
{
    const symlie_real first = *a, second = *b;
    *a = SYMLIE_WHERE(condition, second, first);
    *b = SYMLIE_WHERE(condition, first, second);
}

/* Solve A x = x by Gaussian elimination with partial pivoting and row equilibration; lanes have individual pivot rows.
 * Return 0 if A is singular in any lane. */
SYMLIE_COLD int solve_dense(int n, symlie_real *restrict A, symlie_real *restrict x)
{
    for (int i = 0; i < n; i++) {
        symlie_real scale = SYMLIE_NUMBER(0);
        for (int j = 0; j < n; j++) scale = fmax(scale, fabs(A[i * n + j]));
        if (!SYMLIE_ALL(scale > 0)) return 0;
        for (int j = 0; j < n; j++) A[i * n + j] /= scale;
        x[i] /= scale;
    }
    for (int k = 0; k < n; k++) {
        symlie_real largest = fabs(A[k * n + k]);
        symlie_whole pivot = SYMLIE_WHOLE(k);
        for (int i = k + 1; i < n; i++) {
            const symlie_mask is_larger = fabs(A[i * n + k]) > largest;
            pivot = SYMLIE_WHERE(is_larger, SYMLIE_WHOLE(i), pivot);
            largest = SYMLIE_WHERE(is_larger, fabs(A[i * n + k]), largest);
        }
        if (!SYMLIE_ALL(largest > LOST_PIVOT)) return 0;
        for (int i = k + 1; i < n; i++) {
            if (!SYMLIE_ANY(pivot == i)) continue;
            for (int j = 0; j < n; j++) exchange_where(pivot == i, A + k * n + j, A + i * n + j);
            exchange_where(pivot == i, x + k, x + i);
        }
        for (int i = k + 1; i < n; i++) {
            const symlie_real factor = A[i * n + k] / A[k * n + k];
            for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
    return 1;
}

static inline void fill_mass(const symlie_real *restrict M, int n, symlie_real *restrict A)
{
    for (int k = 0; k < MASS_VALUES; k++) {
        A[MASS_ROW[k] * n + MASS_COLUMN[k]] += M[k];
        if (MASS_ROW[k] != MASS_COLUMN[k]) A[MASS_COLUMN[k] * n + MASS_ROW[k]] += M[k];
    }
#if FIELDS
    for (int k = 0; k < DIMENSION; k++)
        if (!IS_VELOCITY[k]) A[k * n + k] = SYMLIE_NUMBER(1);
#endif
}

/* Solve with some equations, or with all of them if `row` is null; the multipliers of others are zero. */
SYMLIE_COLD int solve_saddle_dense(int rows, const int *row, const symlie_real *restrict M, const symlie_real *restrict B0, const symlie_real *restrict B1,
                                   const symlie_real *restrict r, const symlie_real *restrict c, symlie_real *restrict a,
                                   symlie_real *restrict lambda)
{
    const int size = DIMENSION + rows;
    symlie_real A[SADDLE * SADDLE], x[SADDLE];
    int place[SADDLE];
    for (int k = 0; k < ROWS; k++) place[k] = row ? -1 : DIMENSION + k, lambda[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < rows && row; k++) place[row[k]] = DIMENSION + k;
    for (int k = 0; k < size * size; k++) A[k] = SYMLIE_NUMBER(0);
    fill_mass(M, size, A);
    for (int k = 0; k < JACOBIAN_VALUES; k++) {
        const int i = place[JACOBIAN_ROW[k]], j = JACOBIAN_COLUMN[k];
        if (i < 0) continue;
        A[j * size + i] += B0[k];
        A[i * size + j] += B1[k];
    }
    for (int k = 0; k < DIMENSION; k++) x[k] = r[k];
    for (int k = 0; k < ROWS; k++)
        if (place[k] >= 0) x[place[k]] = c[k];
    if (!solve_dense(size, A, x)) return 0;
    for (int k = 0; k < DIMENSION; k++) a[k] = x[k];
    for (int k = 0; k < ROWS; k++)
        if (place[k] >= 0) lambda[k] = x[place[k]];
    return 1;
}

#endif
