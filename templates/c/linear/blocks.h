/* LU factorisation of a sparse matrix in pivot blocks, in the order of symlie/runtime/linear/blocks.py. The factors can
 * be reused for any number of right-hand sides.
 *
 * A pivot block D has a panel [D U], which contains its rows from the diagonal to the right, and columns L below D. U
 * and L extend over the border of the block: the unknowns of later blocks that are coupled with it when it is
 * eliminated. Rows are exchanged within D only. U becomes D^-1 U, and L U is subtracted from the remaining matrix. Each
 * row of a panel is followed by LANES - 1 zeros.
 *
 * Pivots are compared relative to the sums of |entries| of their rows. A pivot below LOST_PIVOT times the sum of its
 * column is rejected. */
#ifndef SYMLIE_BLOCKS_H
#define SYMLIE_BLOCKS_H

#include "panels.h"

typedef struct {
    int size;                   /* unknowns */
    int blocks;
    int widest;                 /* number of unknowns in the longest border */
    int largest;                /* number of unknowns in the largest block */
    const int *order;           /* unknown at each position */
    const int *place;           /* first position of each block, followed by the number of unknowns */
    const int *panel;           /* start of the panel of each block, followed by the end of the last one */
    const int *width;           /* number of columns of each panel without padding */
    const int *border;          /* start of the border of each block in the next two arrays, followed by the end */
    const int *block;           /* blocks in each border */
    const int *column;          /* first column of each of these blocks in the panel */
} elimination;

/* Read the tables of EliminationStructure.tables. */
static inline elimination read_elimination(const int *restrict tables)
{
    const int size = tables[0], blocks = tables[1], borders = tables[2];
    elimination E = {size, blocks, tables[3], tables[4], 0, 0, 0, 0, 0, 0, 0};
    E.order = tables + 5;
    E.place = E.order + size;
    E.panel = E.place + blocks + 1;
    E.width = E.panel + blocks + 1;
    E.border = E.width + blocks;
    E.block = E.border + blocks + 1;
    E.column = E.block + borders;
    return E;
}

/* Sections of `values`: the panels, followed by scratch of the elimination. */
typedef struct {
    symlie_real *scale;         /* reciprocal sum of |entries| of each row */
    symlie_real *column;        /* sum of |entries| of each column of the scaled matrix */
    symlie_real *x;             /* right-hand side in the order of elimination */
    symlie_real *product;       /* some rows of L U; during a solution, right-hand sides */
    symlie_real *factor;        /* multipliers of a column of a block */
    symlie_whole *exchange;     /* distance of each pivot row from its original position */
} block_parts;

static inline int block_margin(const elimination *restrict E) { return E->widest + E->largest + LANES; }

static inline block_parts parts_of(const elimination *restrict E, symlie_real *restrict values)
{
    const int n = E->size;
    symlie_real *scale = values + E->panel[E->blocks], *column = scale + n, *x = column + n, *product = x + n;
    symlie_real *factor = product + (long long)block_margin(E) * (E->largest + LANES);
    const block_parts parts = {scale, column, x, product, factor, (symlie_whole *)(factor + E->largest)};
    return parts;
}

static inline int block_size(const elimination *restrict E, int p) { return E->place[p + 1] - E->place[p]; }
static inline int panel_row(const elimination *restrict E, int p) { return E->width[p] + LANES - 1; }

/* Columns L below a block; the length of their rows is the size of the block. */
static inline long long columns_below(const elimination *restrict E, int p)
{
    return E->panel[p] + (long long)block_size(E, p) * panel_row(E, p);
}

/* Set the matrix to zero before entries are added. */
static inline void clear_matrix(const elimination *restrict E, symlie_real *restrict values)
{
    for (long long k = 0; k < E->panel[E->blocks]; k++) values[k] = SYMLIE_NUMBER(0);
}

/* Compute the sums of |entries| of all rows, and of all columns of the row-scaled matrix. Return -1, or the position
 * of a row with an entry that is not finite. */
static inline int measure_blocks(const elimination *restrict E, const symlie_real *restrict values, const block_parts *restrict parts)
{
    symlie_real *restrict scale = parts->scale, *restrict column = parts->column;
    for (int k = 0; k < E->size; k++) scale[k] = column[k] = SYMLIE_NUMBER(0);
    for (int p = 0; p < E->blocks; p++) {
        const int size = block_size(E, p), stride = panel_row(E, p);
        const symlie_real *restrict below = values + columns_below(E, p);
        for (int i = 0; i < size; i++)
            scale[E->place[p] + i] += sum_of_sizes(E->width[p], values + E->panel[p] + (long long)i * stride);
        for (int b = E->border[p]; b < E->border[p + 1]; b++)
            for (int i = E->place[E->block[b]]; i < E->place[E->block[b] + 1]; i++)
                for (int j = 0; j < size; j++) scale[i] += fabs(*below++);
    }
    for (int k = 0; k < E->size; k++) {
        if (!SYMLIE_ALL(scale[k] < (symlie_scalar)INFINITY)) return k;
        scale[k] = row_scale(scale[k]);
    }
    for (int p = 0; p < E->blocks; p++) {
        const int first = E->place[p], size = block_size(E, p), stride = panel_row(E, p);
        const symlie_real *restrict panel = values + E->panel[p], *restrict below = values + columns_below(E, p);
        for (int i = 0; i < size; i++, panel += stride) {
            for (int j = 0; j < size; j++) column[first + j] += scale[first + i] * fabs(panel[j]);
            for (int b = E->border[p]; b < E->border[p + 1]; b++) {
                const int other = E->place[E->block[b]], count = block_size(E, E->block[b]);
                for (int j = 0; j < count; j++) column[other + j] += scale[first + i] * fabs(panel[E->column[b] + j]);
            }
        }
        for (int b = E->border[p]; b < E->border[p + 1]; b++)
            for (int i = E->place[E->block[b]]; i < E->place[E->block[b] + 1]; i++)
                for (int j = 0; j < size; j++) column[first + j] += scale[i] * fabs(*below++);
    }
    return -1;
}

/* Subtract L U of a block from the panels of the blocks in its border, and from the columns below these blocks. */
static inline void subtract_border(const elimination *restrict E, symlie_real *restrict values, int p, symlie_real *restrict product)
{
    const int size = block_size(E, p), stride = panel_row(E, p), width = E->width[p], margin = width + LANES;
    const symlie_real *restrict panel = values + E->panel[p], *restrict L = values + columns_below(E, p);
    for (int a = E->border[p]; a < E->border[p + 1]; a++) {
        const int q = E->block[a], rows = block_size(E, q), first = E->column[a], behind = first + rows;
        symlie_real *restrict own = values + E->panel[q], *restrict below = values + columns_below(E, q);
        multiply_rows(rows, size, width - first, L + (long long)(first - size) * size, stride, panel + first, margin, product);
        subtract_product(rows, rows, margin, product, panel_row(E, q), own);
        for (int b = a + 1, c = E->border[q]; b < E->border[p + 1]; b++) {
            while (E->block[c] != E->block[b]) c++;
            subtract_product(rows, block_size(E, E->block[b]), margin, product + E->column[b] - first, panel_row(E, q),
                          own + E->column[c]);
        }
        multiply_rows(width - behind, size, rows, L + (long long)(behind - size) * size, stride, panel + first, rows + LANES, product);
        for (int b = a + 1, c = E->border[q]; b < E->border[p + 1]; b++) {
            while (E->block[c] != E->block[b]) c++;
            subtract_product(block_size(E, E->block[b]), rows, rows + LANES, product + (long long)(E->column[b] - behind) * (rows + LANES),
                          rows, below + (long long)(E->column[c] - rows) * rows);
        }
    }
}

/* Factorise in place. Return SYMLIE_SINGULAR if a pivot is too small, or SYMLIE_NOT_FINITE if an entry is not
 * finite; *lost is the index of the unknown. */
static inline int factorise_matrix(const elimination *restrict E, symlie_real *restrict values, int *restrict lost)
{
    const block_parts parts = parts_of(E, values);
    const int row = measure_blocks(E, values, &parts);
    if (row >= 0) return *lost = E->order[row], SYMLIE_NOT_FINITE;
    for (int p = 0; p < E->blocks; p++) {
        const int first = E->place[p];
        const int column = factorise_panel(block_size(E, p), E->width[p], values + E->panel[p], parts.scale + first,
                                           parts.column + first, parts.factor, parts.exchange + first);
        if (column >= 0) return *lost = E->order[first + column], SYMLIE_SINGULAR;
        subtract_border(E, values, p, parts.product);
        part_panel(block_size(E, p), E->width[p], values + E->panel[p], parts.product);
    }
    return SYMLIE_DONE;
}

/* Solve for the right-hand side x in place. */
static inline void solve_factorised(const elimination *restrict E, symlie_real *restrict values, symlie_real *restrict x)
{
    const block_parts parts = parts_of(E, values);
    symlie_real *restrict y = parts.x;
    for (int k = 0; k < E->size; k++) y[k] = x[E->order[k]];
    for (int p = 0; p < E->blocks; p++) {
        const int size = block_size(E, p);
        const symlie_real *restrict L = values + columns_below(E, p);
        if (p + 2 < E->blocks) {
            const symlie_real *panel = values + E->panel[p + 2];
            fetch(panel, panel + block_size(E, p + 2) * block_size(E, p + 2));
            fetch(values + columns_below(E, p + 2), values + E->panel[p + 3]);
        }
        solve_block(size, size, values + E->panel[p], parts.exchange + E->place[p], y + E->place[p]);
        for (int b = E->border[p]; b < E->border[p + 1]; b++)
            for (int i = E->place[E->block[b]]; i < E->place[E->block[b] + 1]; i++, L += size) {
                symlie_real sum = SYMLIE_NUMBER(0);
                for (int k = 0; k < size; k++) sum += L[k] * y[E->place[p] + k];
                y[i] -= sum;
            }
    }
    for (int p = E->blocks - 1; p >= 0; p--) {
        const int size = block_size(E, p), columns = E->width[p] - size, stride = row_behind(size, E->width[p]);
        const symlie_real *restrict U = values + E->panel[p] + size * size;
        symlie_real *restrict later = parts.product;
        if (p >= 2) {
            const symlie_real *panel = values + E->panel[p - 2];
            fetch(panel + block_size(E, p - 2) * block_size(E, p - 2), values + columns_below(E, p - 2));
        }
        for (int b = E->border[p]; b < E->border[p + 1]; b++)
            for (int i = E->place[E->block[b]]; i < E->place[E->block[b] + 1]; i++) *later++ = y[i];
        for (int l = 0; l < LANES; l++) *later++ = SYMLIE_NUMBER(0);
        for (int i = 0; i < size; i++) y[E->place[p] + i] -= scalar_product(columns, U + (long long)i * stride, parts.product);
    }
    for (int k = 0; k < E->size; k++) x[E->order[k]] = y[k];
}

#endif
