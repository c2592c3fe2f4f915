/* Solution with the mass matrix and the saddle point matrix of one stage, in linear time.
 *
 *   S = B1 M^-1 B0^T is a band matrix in the order of the problem's positions; it is not symmetric, since B1 and B0
 *   belong to two configurations. It is eliminated with partial pivoting within the band. Clamped components have no
 *   mobility: their M^-1 is zero. Included after the model. */
#ifndef SYMLIE_STRUCTURED_ALGEBRA_H
#define SYMLIE_STRUCTURED_ALGEBRA_H

typedef struct {
    symlie_real *M; /* values of all elements */
    symlie_real *F; /* M^-1 by nodes */
    symlie_real *W; /* B M^-1 in blocks */
    symlie_real *S; /* band rows: bandwidth left, bandwidth right, and bandwidth more for pivoting */
    symlie_real *x; /* right-hand side in the order of elimination */
} mass_matrix;

static inline int band_width(const symlie_problem *restrict P) { return 3 * (int)P->bandwidth + 1; }

/* Take the arrays from the workspace; returns what is left of it. */
static inline symlie_real *place_mass(const symlie_problem *restrict P, symlie_real *work, mass_matrix *restrict m)
{
    m->M = work;
    m->F = m->M + MASS_VALUES;
    m->W = m->F + FACTORS_OF_NODES;
    m->S = m->W + JACOBIAN_VALUES;
    m->x = m->S + (long long)ROWS * band_width(P);
    return m->x + ROWS;
}

static inline long long mass_workspace(const symlie_problem *restrict P)
{
    return MASS_VALUES + FACTORS_OF_NODES + JACOBIAN_VALUES + (long long)ROWS * band_width(P) + ROWS;
}

/* 0 if M is not positive definite. */
static inline int evaluate_mass(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, mass_matrix *restrict m)
{
    system_mass(P, t, q, m->M);
    return factorize_mass(P, m->M, m->F);
}

/* a = M^-1 (r - B^T lambda); r is overwritten. */
static inline int solve_with_mass(const symlie_problem *restrict P, const mass_matrix *restrict m, symlie_real *restrict r,
                                  const symlie_real *restrict B, const symlie_real *restrict lambda, symlie_real *restrict a)
{
#if CONSTRAINED
    subtract_constraint_force(P, B, lambda, r);
#else
    (void)B, (void)lambda;
#endif
    apply_mobility(P, m->F, r, a);
    return 1;
}

#if CONSTRAINED
/* Row k of the rows below loses its entry: `entries` of each behind it change. */
static inline void eliminate_below(int rows, int entries, long long width, const symlie_real *restrict row,
                                   symlie_real *restrict below, symlie_real *restrict x)
{
    for (int i = 0; i < rows; i++, below += width) {
        const symlie_real factor = below[0] * row[0];
        for (int j = 1; j <= entries; j++) below[j] -= factor * row[j];
        x[i + 1] -= factor * x[0];
    }
}

/* Eliminate the band matrix in place; x becomes the solution. 0 if it is singular. Where the bandwidth is a number that the
 * compiler knows, loops over rows and entries are unrolled. */
static SYMLIE_INLINE int eliminate_band(int n, const int bandwidth, symlie_real *restrict S, symlie_real *restrict x)
{
    const long long width = 3 * bandwidth + 1;
    int reach = 0; /* last column that rows up to the pivot's touch */
    for (int k = 0; k < n; k++) {
        const int below = k + bandwidth < n ? bandwidth : n - 1 - k;
        symlie_real *restrict row = S + k * width + bandwidth;
        int pivot = 0;
        symlie_real largest = 0, scale = 0;
        for (int i = 0; i <= below; i++) {
            const symlie_real size = fabs(row[i * (width - 1)]);
            if (size > largest) largest = size, pivot = i;
        }
        if (k + pivot + bandwidth > reach) reach = k + pivot + bandwidth < n ? k + pivot + bandwidth : n - 1;
        const int entries = reach - k;
        symlie_real *restrict other = row + pivot * (width - 1);
        for (int j = 0; j <= entries; j++) {
            const symlie_real size = fabs(other[j]);
            if (size > scale) scale = size;
        }
        if (!(largest > LOST_PIVOT * scale)) return 0;
        if (pivot) {
            for (int j = 0; j <= entries; j++) {
                const symlie_real a = row[j];
                row[j] = other[j];
                other[j] = a;
            }
            const symlie_real b = x[k];
            x[k] = x[k + pivot];
            x[k + pivot] = b;
        }
        row[0] = 1 / row[0];
        if (below == bandwidth && entries == bandwidth)
            eliminate_below(bandwidth, bandwidth, width - 1, row, row + width - 1, x + k);
        else
            eliminate_below(below, entries, width - 1, row, row + width - 1, x + k);
    }
    for (int k = n - 1; k >= 0; k--) {
        const int right = k + 2 * bandwidth < n ? 2 * bandwidth : n - 1 - k;
        const symlie_real *restrict row = S + k * width + bandwidth;
        for (int j = 1; j <= right; j++) x[k] -= row[j] * x[k + j];
        x[k] *= row[0];
    }
    return 1;
}

static inline int solve_band(int n, int bandwidth, symlie_real *restrict S, symlie_real *restrict x)
{
    switch (bandwidth) { /* those of chains with two, three, five and six rows at each joint */
    case 3: return eliminate_band(n, 3, S, x);
    case 5: return eliminate_band(n, 5, S, x);
    case 9: return eliminate_band(n, 9, S, x);
    case 11: return eliminate_band(n, 11, S, x);
    default: return eliminate_band(n, bandwidth, S, x);
    }
}

/* A row of a tridiagonal matrix that has lost one neighbour: 1/pivot, the entry of its other one, and the solution without it. */
typedef struct {
    symlie_real reciprocal;
    symlie_real entry;
    symlie_real x;
} eliminated_row;

/* Remove a row's entry of a neighbour that is eliminated; its entry of the other one is divided by the pivot. */
static inline eliminated_row eliminate_neighbour(eliminated_row neighbour, int entry, int other, symlie_real *restrict row,
                                                 symlie_real *restrict x, symlie_real *restrict smallest)
{
    const symlie_real pivot = row[1] - row[entry] * neighbour.entry * neighbour.reciprocal;
    const symlie_real kept = fabs(pivot) - PIVOT_LOSS * fabs(row[1]);
    const symlie_real reciprocal = 1 / pivot;
    const eliminated_row result = {reciprocal, row[other], (*x - row[entry] * neighbour.x) * reciprocal};
    *smallest = kept < *smallest ? kept : *smallest;
    row[other] *= reciprocal;
    *x = result.x;
    return result;
}

/* The same as solve_band for a tridiagonal matrix without exchange of rows, from both ends at a time, since each pivot
 * waits for its neighbour's; 0 if a pivot loses its size, and S and x are changed. */
static inline int solve_tridiagonal(int n, symlie_real *restrict S, symlie_real *restrict x)
{
    const int middle = n / 2;
    eliminated_row above = {0, 0, 0}, below = {0, 0, 0};
    symlie_real smallest = (symlie_real)INFINITY;
    for (int k = 0, l = n - 1; k < middle; k++, l--) {
        above = eliminate_neighbour(above, 0, 2, S + 4LL * k, x + k, &smallest);
        if (l > middle) below = eliminate_neighbour(below, 2, 0, S + 4LL * l, x + l, &smallest);
    }
    const symlie_real *restrict row = S + 4LL * middle;
    const symlie_real pivot = row[1] - row[0] * above.entry * above.reciprocal - row[2] * below.entry * below.reciprocal;
    const symlie_real kept = fabs(pivot) - PIVOT_LOSS * fabs(row[1]);
    if (!(kept > 0 && smallest > 0)) return 0;
    x[middle] = (x[middle] - row[0] * above.x - row[2] * below.x) / pivot;
    for (int k = middle - 1, l = middle + 1; k >= 0; k--, l++) {
        x[k] -= S[4LL * k + 2] * x[k + 1];
        if (l < n) x[l] -= S[4LL * l] * x[l - 1];
    }
    return 1;
}

/* S and its right-hand side in the order of elimination. */
static inline void assemble_band(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict B0,
                                 const symlie_real *restrict B1, const symlie_real *restrict r, const symlie_real *restrict c)
{
    const int width = band_width(P);
    for (long long k = 0; k < (long long)ROWS * width; k++) m->S[k] = 0;
    assemble_instances(P, B0, B1, m->F, r, c, width, m->W, m->S, m->x);
    assemble_pairs(P, B1, m->W, width, m->S);
}

static inline int solve_stage(const symlie_problem *restrict P, const mass_matrix *restrict m, const symlie_real *restrict B0,
                              const symlie_real *restrict B1, symlie_real *restrict r, const symlie_real *restrict c,
                              symlie_real *restrict a, symlie_real *restrict lambda)
{
    assemble_band(P, m, B0, B1, r, c);
    if (P->bandwidth != 1 || SYMLIE_UNLIKELY(!solve_tridiagonal(ROWS, m->S, m->x))) {
        if (P->bandwidth == 1) assemble_band(P, m, B0, B1, r, c);
        if (!solve_band(ROWS, (int)P->bandwidth, m->S, m->x)) return 0;
    }
    for (int k = 0; k < ROWS; k++) lambda[k] = m->x[P->position[k]];
    return solve_with_mass(P, m, r, B0, lambda, a);
}
#endif

#endif
