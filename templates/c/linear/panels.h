/* Operations on the panel [D U] of one pivot block; see blocks.h. */
#ifndef SYMLIE_PANELS_H
#define SYMLIE_PANELS_H

#include "rows.h"

/* Eliminate the columns of a block in its panel; U becomes D^-1 U. Return -1, or the column whose pivot is too
 * small. */
static inline int factorise_panel(int size, int width, symlie_real *restrict panel, symlie_real *restrict scale,
                                  const symlie_real *restrict column, symlie_real *restrict factor, symlie_whole *restrict exchange)
{
    const int stride = width + LANES - 1;
    for (int k = 0; k < size; k++) {
        symlie_real *restrict row = panel + k * stride;
        const int below = size - 1 - k;
        symlie_whole pivot;
        if (!pivot_row(below + 1, stride, row + k, scale + k, column[k], &pivot)) return k;
        EACH_PIVOT_ROW(i, 0, below, pivot) {
            exchange_rows(width, i, pivot, row, row + i * stride);
            scale[k + i] = IF_PIVOT_ROW(i, pivot, scale[k], scale[k + i]);
        }
        exchange[k] = pivot;
        row[k] = 1 / row[k];
        for (int i = 0; i < below; i++) factor[i] = row[(i + 1) * stride + k] *= row[k];
        subtract_row(below, width - k - 1, stride, factor, row + k + 1, row + stride + k + 1);
    }
    for (int k = size - 1; k >= 0; k--) {
        symlie_real *restrict row = panel + k * stride;
        for (int j = size; j < width; j++) row[j] *= row[k];
        for (int i = 0; i < k; i++) factor[i] = panel[i * stride + k];
        subtract_row(k, width - size, stride, factor, row + size, panel + size);
    }
    return -1;
}

/* Store D and U in separate rows, since solutions read them independently; rows of U are padded with zeros. */
static inline int row_behind(int size, int width) { return (width - size + LANES - 1) / LANES * LANES; }

static inline void part_panel(int size, int width, symlie_real *restrict panel, symlie_real *restrict scratch)
{
    const int stride = width + LANES - 1, behind = row_behind(size, width);
    for (int i = 0; i < size; i++) copy_row(behind, panel + (long long)i * stride + size, scratch + (long long)i * behind);
    for (int i = 1; i < size; i++)
        for (int k = 0; k < size; k++) panel[i * size + k] = panel[i * stride + k];
    copy_row((long long)size * behind, scratch, panel + size * size);
}

/* Multiply one or four rows of L by LANES columns of U. */
static inline void multiply_lanes(int rows, int size, const symlie_real *restrict L, int stride, const symlie_real *restrict U,
                                  int margin, symlie_real *restrict product)
{
    lanes sum[4];
    for (int i = 0; i < rows; i++) sum[i] = (lanes){0};
    for (int k = 0; k < size; k++) {
        const lanes column = READ_LANES(U + (long long)k * stride);
        for (int i = 0; i < rows; i++) sum[i] += L[i * size + k] * column;
    }
    for (int i = 0; i < rows; i++) WRITE_LANES(product + i * margin, sum[i]);
}

/* Multiply rows of L by columns of U; the product has row stride `margin`. */
static inline void multiply_rows(int rows, int size, int columns, const symlie_real *restrict L, int stride,
                                 const symlie_real *restrict U, int margin, symlie_real *restrict product)
{
    for (int j = 0; j < columns; j += LANES_AT_ONCE) {
        int i = 0;
        for (; i + 4 <= rows; i += 4)
            multiply_lanes(4, size, L + (long long)i * size, stride, U + j, margin, product + (long long)i * margin + j);
        for (; i < rows; i++)
            multiply_lanes(1, size, L + (long long)i * size, stride, U + j, margin, product + (long long)i * margin + j);
    }
}

static inline void subtract_product(int rows, int columns, int margin, const symlie_real *restrict product, int stride,
                                 symlie_real *restrict rest)
{
    for (int i = 0; i < rows; i++, product += margin, rest += stride)
        for (int j = 0; j < columns; j++) rest[j] -= product[j];
}

/* Compute x = D^-1 x for an eliminated block. */
static inline void solve_block(int size, int stride, const symlie_real *restrict panel, const symlie_whole *restrict exchange,
                               symlie_real *restrict x)
{
    for (int k = 0; k < size; k++) exchange_first(x + k, exchange[k]);
    for (int i = 1; i < size; i++)
        for (int k = 0; k < i; k++) x[i] -= panel[i * stride + k] * x[k];
    for (int i = size - 1; i >= 0; i--) {
        for (int k = i + 1; k < size; k++) x[i] -= panel[i * stride + k] * x[k];
        x[i] *= panel[i * stride + i];
    }
}

/* Prefetch a block two blocks before its use, since large matrices do not fit into the cache. */
static inline void fetch(const symlie_real *restrict from, const symlie_real *restrict end)
{
#if defined(__GNUC__)
    for (; from < end; from += sizeof *from < 64 ? 64 / sizeof *from : 1) __builtin_prefetch(from);
#else
    (void)from, (void)end;
#endif
}

#endif
