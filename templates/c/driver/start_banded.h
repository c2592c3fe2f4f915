/* Checks of initial states in linear time: M node by node, and B B^T as a band matrix in the order of elimination. */
#ifndef SYMLIE_START_BANDED_H
#define SYMLIE_START_BANDED_H

static inline long long completion_workspace(const symlie_problem *restrict P)
{
    return 2LL * JACOBIAN_VALUES + 4LL * ROWS + DIMENSION;
}

/* Return whether the smallest eigenvalue of M, scaled to a unit diagonal, exceeds a bound, that is, whether the
 * scaled M minus the bound on its diagonal is positive definite. */
static inline int has_mass(const symlie_problem *restrict P, const symlie_starts *starts, symlie_real *restrict work, const symlie_real *restrict q)
{
    mass_matrix mass;
    place_mass(P, work, &mass);
    symlie_mass(P, starts->t, q, mass.M);
    if (!all_finite(MASS_VALUES, mass.M)) return 0;
    for (int k = 0; k < MASS_VALUES; k++)
        if (starts->mass_row[k] == starts->mass_column[k]) mass.M[k] *= 1 - SURELY_MASS * (symlie_scalar)DIMENSION;
    return factorize_mass(P, mass.M, mass.F);
}

#if CONSTRAINED
/* L D L^T factorisation of a symmetric band matrix with `shift` subtracted from its diagonal. Return 0 if it is not
 * positive definite, that is, if an eigenvalue is below `shift`. */
static inline int factorise_symmetric(int n, int bandwidth, symlie_real shift, symlie_real *restrict S)
{
    const long long width = 3LL * bandwidth + 1;
    for (int k = 0; k < n; k++) {
        symlie_real *restrict row = S + k * width + bandwidth;
        const int below = k + bandwidth < n ? bandwidth : n - 1 - k;
        row[0] -= shift;
        if (!(row[0] > 0)) return 0;
        for (int i = 1; i <= below; i++) {
            const symlie_real factor = row[i] / row[0];
            for (int j = i; j <= below; j++) row[i * (width - 1) + j] -= factor * row[j];
        }
    }
    return 1;
}

static inline void solve_symmetric(int n, int bandwidth, const symlie_real *restrict S, symlie_real *restrict x)
{
    const long long width = 3LL * bandwidth + 1;
    for (int k = 0; k < n; k++) {
        const symlie_real *restrict row = S + k * width + bandwidth;
        for (int i = 1; i <= bandwidth && k + i < n; i++) x[k + i] -= row[i] / row[0] * x[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const symlie_real *restrict row = S + k * width + bandwidth;
        for (int i = 1; i <= bandwidth && k + i < n; i++) x[k] -= row[i] * x[k + i];
        x[k] /= row[0];
    }
}

/* Scale the rows of B, restricted to some components, to length one, and factorise their Gram matrix with `shift`
 * subtracted from its diagonal; M in `gram` is the identity. */
static inline int take_rows(const symlie_problem *restrict P, const symlie_starts *starts, const mass_matrix *restrict gram,
                            const symlie_real *restrict B, const unsigned char *restrict is_taken, symlie_real shift,
                            symlie_real *restrict unit, symlie_real *restrict length, symlie_real *restrict zero)
{
    for (int i = 0; i < ROWS; i++) length[i] = 0;
    for (int k = 0; k < JACOBIAN_VALUES; k++)
        if (is_taken[starts->jacobian_column[k]]) length[starts->jacobian_row[k]] += B[k] * B[k];
    for (int i = 0; i < ROWS; i++) length[i] = sqrt(length[i]);
    for (int k = 0; k < JACOBIAN_VALUES; k++) unit[k] = is_taken[starts->jacobian_column[k]] ? B[k] / length[starts->jacobian_row[k]] : 0;
    for (int k = 0; k < DIMENSION || k < ROWS; k++) zero[k] = 0;
    assemble_band(P, gram, unit, unit, zero, zero);
    return factorise_symmetric(ROWS, (int)P->bandwidth, shift, gram->S);
}

/* Compute c = B v + b. Return whether it is round-off. */
static inline int satisfies_hidden(const symlie_problem *restrict P, const symlie_starts *starts, const symlie_real *restrict B,
                                   const symlie_real *restrict b, const symlie_real *restrict v, symlie_real *restrict size, symlie_real *restrict c)
{
    symlie_real allowed = 1;
    for (int i = 0; i < ROWS; i++) c[i] = b[i], size[i] = 0;
    for (int k = 0; k < JACOBIAN_VALUES; k++) {
        const symlie_real part = B[k] * v[starts->jacobian_column[k]];
        c[starts->jacobian_row[k]] += part;
        size[starts->jacobian_row[k]] += fabs(part);
    }
    for (int i = 0; i < ROWS; i++) allowed = fmax(allowed, size[i]), c[i] *= starts->of_velocities[i];
    for (int i = 0; i < ROWS; i++)
        if (!(fabs(c[i]) <= VELOCITY_TOLERANCE * allowed)) return 0;
    return 1;
}

/* Complete v by the smallest change of its unspecified components that satisfies B v + b = 0. */
static inline int complete_velocities(const symlie_problem *restrict P, const symlie_starts *starts, symlie_real *restrict work,
                                      const symlie_real *restrict q, symlie_real *restrict v)
{
    mass_matrix gram;
    work = place_mass(P, work, &gram);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(unit, JACOBIAN_VALUES);
    ARRAY(b, ROWS);
    ARRAY(c, ROWS);
    ARRAY(length, ROWS);
    ARRAY(zero, DIMENSION + ROWS);
    symlie_jacobian(P, starts->t, q, v, B);
    symlie_constraint_rate(P, starts->t, q, v, b);
    /* Make M the identity: of the values added to a diagonal entry, the first is one and the others are zero. */
    for (int k = 0; k < DIMENSION; k++) zero[k] = 0;
    for (int k = 0; k < MASS_VALUES; k++) {
        const int is_first = starts->mass_row[k] == starts->mass_column[k] && !(zero[starts->mass_row[k]] > 0);
        gram.M[k] = (symlie_real)is_first;
        if (is_first) zero[starts->mass_row[k]] = 1;
    }
    if (!factorize_mass(P, gram.M, gram.F)) return 0;
    if (!take_rows(P, starts, &gram, B, starts->is_free, SURELY_INDEPENDENT, unit, length, zero)) return 0;
    if (satisfies_hidden(P, starts, B, b, v, zero, c)) return 1;
    if (!take_rows(P, starts, &gram, B, starts->is_open, SURELY_COMPLETED, unit, length, zero)) return 0;
    if (!take_rows(P, starts, &gram, B, starts->is_open, 0, unit, length, zero)) return 0;
    /* The second pass removes rounding errors. */
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < ROWS; i++) gram.x[P->position[i]] = c[i] / length[i];
        solve_symmetric(ROWS, (int)P->bandwidth, gram.S, gram.x);
        for (int k = 0; k < JACOBIAN_VALUES; k++) v[starts->jacobian_column[k]] -= unit[k] * gram.x[P->position[starts->jacobian_row[k]]];
        if (!satisfies_hidden(P, starts, B, b, v, zero, c)) return 0;
    }
    return 1;
}
#endif

#endif
