/* States that were stated, before steps are taken from them, of many systems of one topology in one call: completed, and
 * checked by bounds that hold of nearly all. What they leave open is looked at by symlie/runtime/system/completion.py.
 * Included after the algebra of the model. */
#ifndef SYMLIE_START_H
#define SYMLIE_START_H

void symlie_prepare_rows(long long element, long long count, long long each, const symlie_real *p, long long p_size,
                         const symlie_real *e, long long e_size, symlie_real *out, long long out_size)
{
    for (long long i = 0; i < count; i++) symlie_prepare(element, p + i / each * p_size, e + i * e_size, out + i * out_size);
}

void symlie_initial_rows(const symlie_problem *problems, long long count, symlie_real *q, long long q_size, symlie_real *v, long long v_size)
{
    for (long long i = 0; i < count; i++) symlie_initial(problems[i].p, q + i * q_size, v + i * v_size);
}

#if FIXED_TOPOLOGY && MASS_IS_REGULAR
/* Whether the smallest eigenvalue of a symmetric matrix with a diagonal of ones is above a bound: its determinant is that
 * eigenvalue times the others, whose product is below (n/(n - 1))^(n - 1) < e since they add up to less than n. The factor of
 * Cholesky takes the matrix's place. */
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

static inline int is_on_group(const symlie_starts *starts, const symlie_real *restrict stated, const symlie_real *restrict moved)
{
    for (int k = 0; k < STORAGE; k++)
        if (!(fabs(moved[k] - stated[k]) <= ON_GROUP)) return 0;
    /* Reflections, projections and zeros are left alone. */
    for (long long i = 0; i < starts->rotations; i++) {
        const symlie_real *R = stated + starts->rotation_place[i];
        const symlie_real determinant = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) + R[2] * (R[3] * R[7] - R[4] * R[6]);
        if (!(determinant > 0.5)) return 0;
    }
    for (long long i = 0; i < starts->parts; i++) {
        symlie_real largest = 0;
        for (int k = starts->part_place[2 * i]; k < starts->part_place[2 * i + 1]; k++) largest = fmax(largest, fabs(stated[k]));
        if (!(largest > ON_GROUP)) return 0;
    }
    return 1;
}

static inline int has_mass(const symlie_problem *restrict P, const symlie_starts *starts, const symlie_real *restrict q)
{
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
/* Rows of B on some components, of length one, their lengths, and the factor of the products of all pairs. */
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

/* c = B v + b, and whether it is round-off. */
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

/* Complete v by the smallest change of its open components that makes B v + b = 0. */
static inline int complete_velocities(const symlie_problem *restrict P, const symlie_starts *starts, const symlie_real *restrict q, symlie_real *restrict v)
{
    symlie_real B[JACOBIAN_VALUES], b[ROWS], c[ROWS], unit[ROWS * DIMENSION], length[ROWS], gram[ROWS * ROWS];
    symlie_jacobian(P, starts->t, q, B);
    symlie_constraint_rate(P, starts->t, q, b);
    if (!take_rows(B, starts->is_free, SURELY_INDEPENDENT, unit, length, gram)) return 0;
    if (satisfies_hidden(starts, B, b, v, c)) return 1;
    if (!take_rows(B, starts->is_open, SURELY_COMPLETED, unit, length, gram)) return 0;
    /* Once more, for what rounding left. */
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

/* Complete one state; whether it is ordinary. */
static inline int begin_state(const symlie_problem *restrict P, const symlie_starts *starts, const symlie_real *restrict stated,
                              symlie_real *restrict q, symlie_real *restrict v, symlie_real *restrict lambda, symlie_real *restrict work)
{
    symlie_real moved[STORAGE];
    symlie_normalize(P, stated, moved);
    symlie_normalize(P, moved, q);
    symlie_prescribe(P, starts->t, q, v);
    for (int k = 0; k < DIMENSION; k++)
        if (!(fabs(v[k]) < (symlie_real)INFINITY)) return 0;
    if (!is_on_group(starts, stated, moved) || !has_mass(P, starts, q)) return 0;
#if CONSTRAINED
    symlie_real largest = 1, a[DIMENSION];
    mass_matrix mass;
    symlie_constraint(P, starts->t, q, lambda);
    for (int k = 0; k < STORAGE; k++) largest = fmax(largest, fabs(q[k]));
    for (int i = 0; i < ROWS; i++)
        if (!(fabs(lambda[i]) <= POSITION_TOLERANCE * largest)) return 0;
    if (!complete_velocities(P, starts, q, v)) return 0;
    work = place_mass(P, work, &mass);
    if (!evaluate_mass(P, starts->t, q, &mass)) return 0;
    if (index1_acceleration(P, work, starts->t, q, v, &mass, a, lambda) != SYMLIE_DONE) return 0;
#endif
    return 1;
}
#endif

void symlie_begin(const symlie_problem *problems, const symlie_starts *starts, symlie_real *workspace)
{
    for (long long i = 0; i < starts->count; i++) {
#if FIXED_TOPOLOGY && MASS_IS_REGULAR
        starts->is_ordinary[i] = (unsigned char)begin_state(problems + i, starts, starts->stated + i * STORAGE, starts->q + i * STORAGE,
                                                            starts->v + i * DIMENSION, starts->lambda + i * ROWS, workspace);
#else
        starts->is_ordinary[i] = 0;
#endif
    }
}

#endif
