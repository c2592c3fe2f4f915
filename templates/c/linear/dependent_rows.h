/* Redundant constraints during a motion; see symlie/runtime/linear/dependent_rows.py.
 *
 * A combination y of constraint equations is dependent if B^T y = 0. Inverse iteration computes orthonormal
 * combinations,
 *
 *   [ 1   U^T ] [x]   [ 0 ]
 *   [ U  -s   ] [y] = [ -z ],     y = (U U^T + s)^-1 z,
 *
 * where U is B with rows scaled to length one and s is RANK_SHIFT. For each combination, the equation with the largest
 * coefficient is removed, and its multiplier is zero. Among all multipliers of the same force, those of smallest
 * elastic energy lambda^T W lambda are selected, where W has COMPLIANCE on its diagonal, and among these those of
 * smallest norm.
 *
 * Included after the algebra. */
#ifndef SYMLIE_DEPENDENT_ROWS_H
#define SYMLIE_DEPENDENT_ROWS_H

#include "vectors.h"

/* Maximum number of dependent combinations; 0 if the constraint equations are independent. */
#ifndef PROBES
#define PROBES 0
#endif

#if PROBES
/* x^T diag(weight) y, or x^T y if weight is null. */
static inline symlie_real weighted_product(int rows, const symlie_real *restrict weight, const symlie_real *x, const symlie_real *y)
{
    symlie_real sum = 0;
    if (weight)
        for (int i = 0; i < rows; i++) sum += weight[i] * x[i] * y[i];
    else
        for (int i = 0; i < rows; i++) sum += x[i] * y[i];
    return sum;
}

/* Replace the columns by an orthonormal basis, in the order of longest remainder, while the longest remainder
 * exceeds `least`. Return the size of the basis; the remainders of the other columns follow it. */
static inline int orthonormalise(int rows, int count, symlie_real least, const symlie_real *restrict weight, symlie_real *restrict columns)
{
    for (int found = 0; found < count; found++) {
        symlie_real *restrict chosen = columns + found * rows, length = -1;
        int longest = found;
        for (int j = found; j < count; j++) {
            const symlie_real *restrict x = columns + j * rows;
            const symlie_real other = sqrt(weighted_product(rows, weight, x, x));
            if (other > length) length = other, longest = j;
        }
        if (!(length > least)) return found;
        for (int i = 0; longest != found && i < rows; i++) {
            const symlie_real entry = chosen[i];
            chosen[i] = columns[longest * rows + i];
            columns[longest * rows + i] = entry;
        }
        for (int j = 0; j < found; j++) {
            const symlie_real *restrict other = columns + j * rows;
            const symlie_real part = weighted_product(rows, weight, other, chosen);
            for (int i = 0; i < rows; i++) chosen[i] -= part * other[i];
        }
        length = sqrt(weighted_product(rows, weight, chosen, chosen));
        for (int i = 0; i < rows; i++) chosen[i] /= length;
        for (int j = found + 1; j < count; j++) {
            symlie_real *restrict other = columns + j * rows;
            const symlie_real part = weighted_product(rows, weight, chosen, other);
            for (int i = 0; i < rows; i++) other[i] -= part * chosen[i];
        }
    }
    return count;
}

/* Set `kept` to 0 for one equation per combination, the one with the largest coefficients after projection onto the
 * complement of previous choices, and to 1 for all others. The combinations are overwritten. */
static inline void choose_rows(int rows, int count, symlie_real *restrict combination, symlie_real *restrict kept)
{
    for (int i = 0; i < rows; i++) kept[i] = 1;
    for (int n = 0; n < count; n++) {
        symlie_real largest = 0, direction[PROBES];
        int chosen = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < rows; i++) {
                symlie_real size = 0;
                for (int j = 0; j < count; j++) size += combination[j * rows + i] * combination[j * rows + i];
                size = sqrt(size);
                if (pass == 0 && size > largest) largest = size;
                if (pass == 1 && size > (1 - SAME_LENGTH) * largest) {
                    chosen = i;
                    largest = size;
                    break;
                }
            }
        }
        kept[chosen] = 0;
        for (int j = 0; j < count; j++) direction[j] = combination[j * rows + chosen] / largest;
        for (int i = 0; i < rows; i++) {
            symlie_real part = 0;
            for (int j = 0; j < count; j++) part += combination[j * rows + i] * direction[j];
            for (int j = 0; j < count; j++) combination[j * rows + i] -= part * direction[j];
        }
    }
}

/* Factorise the matrix above, with the reciprocal lengths of the rows of B; x is scratch. Return 0 if B is not finite. */
static inline int factorise_rows(const symlie_problem *restrict P, const symlie_real *restrict B, symlie_real *restrict scale,
                                 symlie_real *restrict matrix, symlie_real *restrict x)
{
    const elimination E = read_elimination(ELIMINATION);
    (void)P;
    int lost = 0;
    for (int k = 0; k < DIMENSION; k++) x[k] = 1;
    for (int k = 0; k < COUNT_OF_SADDLE_HELD; k++) x[SADDLE_HELD[k]] = 0;
    for (int k = 0; k < ROWS; k++) scale[k] = 0;
    for (int k = 0; k < JACOBIAN_VALUES; k++) scale[JACOBIAN_ROW[k]] += B[k] * B[k] * x[JACOBIAN_COLUMN[k]];
    for (int k = 0; k < ROWS; k++) scale[k] = scale[k] > 0 ? 1 / sqrt(scale[k]) : 1;
    clear_matrix(&E, matrix);
    for (int k = 0; k < JACOBIAN_VALUES; k++) {
        matrix[PULL_TO[k]] += scale[JACOBIAN_ROW[k]] * B[k];
        matrix[SADDLE_PUSH_TO[k]] += scale[JACOBIAN_ROW[k]] * B[k];
    }
    for (int k = 0; k < SADDLE_UNKNOWNS; k++) matrix[SADDLE_DIAGONAL[k]] = k < DIMENSION ? 1 : -RANK_SHIFT;
    return factorise_matrix(&E, matrix, &lost) == SYMLIE_DONE;
}

/* Determine the equations that subsequent stages omit. Return 0 if B is not finite. */
SYMLIE_COLD int find_dependent_rows(const symlie_problem *restrict P, const symlie_real *restrict B, mass_matrix *restrict m)
{
    const elimination E = read_elimination(ELIMINATION);
    SADDLE_MEMORY(matrix, MATRIX_VALUES);
    SADDLE_MEMORY(x, SADDLE_UNKNOWNS);
    symlie_real *restrict scale = m->scale, *restrict column = m->combination;
    m->dependent_rows = 0;
    if (!factorise_rows(P, B, scale, matrix, x)) return 0;
    int count = PROBES;
    for (int j = 0; j < count; j++)
        for (int k = 0; k < ROWS; k++) column[j * ROWS + k] = sin(PROBE_ANGLE * ((k + 1.0) * (j + 1.0)));
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < count; j++) {
            for (int k = 0; k < SADDLE_UNKNOWNS; k++) x[k] = 0;
            for (int k = 0; k < ROWS; k++) x[DIMENSION + k] = -column[j * ROWS + k];
            solve_factorised(&E, matrix, x);
            for (int k = 0; k < ROWS; k++) column[j * ROWS + k] = x[DIMENSION + k];
        }
        count = orthonormalise(ROWS, count, (pass ? 1 : REVEALED) / (RANK_LIMIT * RANK_LIMIT), 0, column);
    }
    copy(count * ROWS, column, m->rest);
    choose_rows(ROWS, count, m->rest, m->kept);
#ifdef HAS_COMPLIANCE
    symlie_real largest = 0;
    for (int k = 0; k < ROWS; k++) {
        x[k] = COMPLIANCE[k] * scale[k] * scale[k];
        largest = fmax(largest, x[k]);
    }
    copy(count * ROWS, column, m->rest);
    m->elastic = orthonormalise(ROWS, count, ELASTIC_PART * sqrt(largest), x, m->rest);
    for (int j = 0; j < count; j++)
        for (int k = 0; k < ROWS; k++) m->rest[j * ROWS + k] *= scale[k];
    orthonormalise(ROWS, count - m->elastic, 0, 0, m->rest + m->elastic * ROWS);
#endif
    for (int j = 0; j < count; j++)
        for (int k = 0; k < ROWS; k++) column[j * ROWS + k] *= scale[k];
    m->dependent_rows = orthonormalise(ROWS, count, 0, 0, column);
    return 1;
}

/* Among all multipliers of the same force, select those of smallest elastic energy, and among these those of
 * smallest norm, at the configuration of the last call of find_dependent_rows. */
static inline void take_minimal_multipliers(const symlie_problem *restrict P, const mass_matrix *restrict m, symlie_real *restrict lambda)
{
    (void)P;
    for (int j = 0; j < m->dependent_rows; j++) {
#ifdef HAS_COMPLIANCE
        const symlie_real *restrict y = m->rest + j * ROWS, *restrict weight = j < m->elastic ? COMPLIANCE : 0;
#else
        const symlie_real *restrict y = m->combination + j * ROWS, *restrict weight = 0;
#endif
        const symlie_real part = weighted_product(ROWS, weight, y, lambda);
        for (int k = 0; k < ROWS; k++) lambda[k] -= part * y[k];
    }
}

/* Return whether a dependent combination has a residual above `bound`, so that no configuration satisfies all
 * equations. */
static inline int contradicts(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict residual,
                              symlie_real bound)
{
    (void)P;
    for (int j = 0; j < m->dependent_rows; j++) {
        symlie_real left = 0;
        for (int k = 0; k < ROWS; k++) left += m->combination[j * ROWS + k] * residual[k];
        if (!(fabs(left) <= bound)) return 1;
    }
    return 0;
}
#else
/* The constraint equations are independent, except released ones, whose rows of B are zero. */

static inline int find_dependent_rows(const symlie_problem *restrict P, const symlie_real *restrict B, mass_matrix *restrict m)
{
#if OMITS_ROWS
    for (int k = 0; k < ROWS; k++) m->kept[k] = 0;
    for (int k = 0; k < JACOBIAN_VALUES; k++)
        if (B[k] != 0) m->kept[JACOBIAN_ROW[k]] = 1;
#endif
    (void)P, (void)B, (void)m;
    return 1;
}

static inline void take_minimal_multipliers(const symlie_problem *restrict P, const mass_matrix *restrict m, symlie_real *restrict lambda)
{
    (void)P, (void)m, (void)lambda;
}

static inline int contradicts(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict residual,
                              symlie_real bound)
{
    (void)P, (void)m, (void)residual, (void)bound;
    return 0;
}
#endif

#endif
