/* Solution of the transposed linear system by the factors of an elimination. Included after its header. */
#ifndef SYMLIE_TRANSPOSED_FACTORS_H
#define SYMLIE_TRANSPOSED_FACTORS_H

#if defined(SYMLIE_DENSE_H)
/* The rows of U are divided by the pivots. */
static inline void solve_transposed(const elimination *restrict E, symlie_real *restrict values, symlie_real *restrict x)
{
    const dense_matrix *restrict A = (const dense_matrix *)values;
    symlie_real y[ELIMINATION_SIZE];
    (void)E;
    for (int k = 0; k < ELIMINATION_SIZE; k++) {
        y[k] = x[k];
        for (int i = 0; i < k; i++)
            if (!ARE_APART(i, k)) y[k] -= A->row[i][k] * y[i];
    }
    for (int k = 0; k < ELIMINATION_SIZE; k++) y[k] *= A->reciprocal[k];
    for (int k = ELIMINATION_SIZE - 1; k >= 0; k--)
        for (int i = k + 1; i < ELIMINATION_SIZE; i++)
            if (!ARE_APART(i, k)) y[k] -= A->factor[k][i] * y[i];
    for (int k = 0; k < ELIMINATION_SIZE; k++) x[A->origin[k]] = y[k];
}
#elif defined(SYMLIE_BAND_H)
/* The row exchanges of a group of columns follow the multipliers of the group. */
static inline void solve_transposed(const elimination *restrict E, symlie_real *restrict values, symlie_real *restrict x)
{
    const int n = E->size;
    const band_parts parts = parts_of(E, values);
    const symlie_real *restrict U = parts.U, *restrict L = parts.L;
    symlie_real *restrict y = parts.x;
    for (int k = 0; k < n; k++) y[k] = x[E->order[k]];
    for (int k = n; k < n + E->right; k++) y[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < n; k++) {
        const int reach = row_reach(E, &parts, k);
        y[k] *= parts.reciprocal[k];
        for (int j = 0; j < reach; j++) y[k + 1 + j] -= U[j] * y[k];
        U += stored_reach(reach);
    }
    for (int k = n; k < n + E->right; k++) y[k] = SYMLIE_NUMBER(0);
    for (int k = 0; k < n; k += LANES) L += MULTIPLIERS_WITHIN + LANES * rows_behind(E, k);
    for (int k = (n - 1) / LANES * LANES; k >= 0; k -= LANES) {
        const int rows = rows_behind(E, k);
        L -= MULTIPLIERS_WITHIN + LANES * rows;
        for (int c = LANES - 1; c >= 0; c--) {
            const symlie_real *restrict within = L + c * (2 * LANES - 1 - c) / 2, *restrict behind = L + MULTIPLIERS_WITHIN + c * rows;
            if (k + c >= n) continue;
            for (int i = 0; i < rows; i++) y[k + c] -= behind[i] * y[k + LANES + i];
            for (int i = c + 1; i < LANES; i++) y[k + c] -= within[i - c - 1] * y[k + i];
        }
        for (int c = LANES - 1; c >= 0; c--)
            if (k + c < n) exchange_first(y + k + c, parts.exchange[k + c]);
    }
    for (int k = 0; k < n; k++) x[E->order[k]] = y[k];
}
#else
/* Compute x = D^-T x for an eliminated block. */
static inline void solve_block_transposed(int size, const symlie_real *restrict panel, const symlie_whole *restrict exchange,
                                          symlie_real *restrict x)
{
    for (int i = 0; i < size; i++) {
        for (int k = 0; k < i; k++) x[i] -= panel[k * size + i] * x[k];
        x[i] *= panel[i * size + i];
    }
    for (int i = size - 1; i >= 0; i--)
        for (int k = i + 1; k < size; k++) x[i] -= panel[k * size + i] * x[k];
    for (int k = size - 1; k >= 0; k--) exchange_first(x + k, exchange[k]);
}

static inline void solve_transposed(const elimination *restrict E, symlie_real *restrict values, symlie_real *restrict x)
{
    const block_parts parts = parts_of(E, values);
    symlie_real *restrict y = parts.x;
    for (int k = 0; k < E->size; k++) y[k] = x[E->order[k]];
    for (int p = 0; p < E->blocks; p++) {
        const int size = block_size(E, p), stride = row_behind(size, E->width[p]);
        const symlie_real *restrict U = values + E->panel[p] + size * size, *restrict own = y + E->place[p];
        for (int b = E->border[p], j = 0; b < E->border[p + 1]; b++)
            for (int i = E->place[E->block[b]]; i < E->place[E->block[b] + 1]; i++, j++)
                for (int k = 0; k < size; k++) y[i] -= U[(long long)k * stride + j] * own[k];
    }
    for (int p = E->blocks - 1; p >= 0; p--) {
        const int size = block_size(E, p);
        const symlie_real *restrict L = values + columns_below(E, p);
        symlie_real *own = y + E->place[p];
        for (int b = E->border[p]; b < E->border[p + 1]; b++)
            for (int i = E->place[E->block[b]]; i < E->place[E->block[b] + 1]; i++, L += size)
                for (int k = 0; k < size; k++) own[k] -= L[k] * y[i];
        solve_block_transposed(size, values + E->panel[p], parts.exchange + E->place[p], own);
    }
    for (int k = 0; k < E->size; k++) x[E->order[k]] = y[k];
}
#endif

#endif
