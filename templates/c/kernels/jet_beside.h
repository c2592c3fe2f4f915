/* Vectors of one order in the batched layout: each component of all nodes of a type, or of all elements of a type,
 * is contiguous. Register rows are loaded from consecutive nodes or gathered from arbitrary ones. */
#ifndef SYMLIE_JET_BESIDE_H
#define SYMLIE_JET_BESIDE_H

#include "jet_rows.h"

#define JET_BLOCKS(count) (((count) + JET_WIDTH - 1LL) / JET_WIDTH) /* number of blocks of nodes or elements */
#define BESIDE(place, count) ((place) < (count) ? (place) : (count) - 1) /* padding repeats the last index */

/* Unaligned rows are combined from two aligned ones, since a load that overlaps recent stores from other registers
 * stalls the processor. */
#if JET_WIDTH == 8 && !defined(__clang__)
#define SHIFTS_ROWS 1
typedef long long symlie_places __attribute__((vector_size(64)));

static SYMLIE_INLINE symlie_row shifted_row(const symlie_row low, const symlie_row high, const int shift)
{
    return __builtin_shuffle(low, high, (symlie_places){0, 1, 2, 3, 4, 5, 6, 7} + shift);
}
#else
#define SHIFTS_ROWS 0
#endif

/* Gather a row from the given positions. */
static SYMLIE_INLINE symlie_row row_of(const symlie_real *restrict x, const int *restrict at)
{
#if JET_WIDTH == 8
    return (symlie_row){x[at[0]], x[at[1]], x[at[2]], x[at[3]], x[at[4]], x[at[5]], x[at[6]], x[at[7]]};
#elif JET_WIDTH == 4
    return (symlie_row){x[at[0]], x[at[1]], x[at[2]], x[at[3]]};
#else
    return x[at[0]];
#endif
}

/* Load rows of components with the given stride, of consecutive nodes from `first` on or of the given nodes. */
static SYMLIE_INLINE void rows_beside(const int size, const symlie_real *restrict x, const long long stride, const int first,
                                      const int *restrict nodes, symlie_row *restrict rows)
{
#if SHIFTS_ROWS
    const int shift = first % JET_WIDTH;
    if (first >= 0 && shift) {
        for (int m = 0; m < size; m++, x += stride)
            rows[m] = shifted_row(row_at(x + first - shift), row_at(x + first - shift + JET_WIDTH), shift);
        return;
    }
#endif
    if (first >= 0) {
        for (int m = 0; m < size; m++) rows[m] = row_at(x + m * stride + first);
        return;
    }
    for (int m = 0; m < size; m++) rows[m] = row_of(x + m * stride, nodes);
}

static SYMLIE_INLINE int node_beside(const int first, const int *restrict nodes, const int lane)
{
    return first >= 0 ? first + lane : nodes[lane];
}

static SYMLIE_INLINE symlie_real number_of(const symlie_row *restrict row, const int lane)
{
    return ((const symlie_real *)row)[lane];
}

/* Add rows to components; only the first lanes of a row are used. */
static SYMLIE_INLINE void add_beside(const int size, const symlie_row *restrict rows, symlie_real *restrict x, const long long stride,
                                     const int first, const int *restrict nodes, const int lanes)
{
#if SHIFTS_ROWS
    const int shift = first % JET_WIDTH;
    if (first >= 0 && shift && lanes == JET_WIDTH) {
        for (int m = 0; m < size; m++, x += stride) {
            *(symlie_row *)(x + first - shift) += shifted_row(NO_PRODUCTS, rows[m], JET_WIDTH - shift);
            *(symlie_row *)(x + first - shift + JET_WIDTH) += shifted_row(rows[m], NO_PRODUCTS, JET_WIDTH - shift);
        }
        return;
    }
#endif
    if (first >= 0 && lanes == JET_WIDTH) {
        for (int m = 0; m < size; m++) *(symlie_row *)(x + m * stride + first) += rows[m];
        return;
    }
    for (int i = 0; i < lanes; i++)
        for (int m = 0; m < size; m++) x[m * stride + node_beside(first, nodes, i)] += number_of(rows + m, i);
}

/* Store rows divided by n; see divide_by. */
static SYMLIE_INLINE void put_quotients(const int n, const symlie_real unit, const int size, const symlie_row *restrict rows, symlie_real *restrict x, const long long stride)
{
#ifdef __FP_FAST_FMA
    const symlie_scalar whole = n, part = 1 / whole, rest = __builtin_fma(-part, whole, 1.0) * part;
    const symlie_real first = part * unit, second = rest * unit;
    for (int m = 0; m < size; m++) *(symlie_row *)(x + m * stride) = FUSED_ROWS(rows[m], NO_PRODUCTS + first, rows[m] * second);
#else
    for (int m = 0; m < size; m++) *(symlie_row *)(x + m * stride) = rows[m] / ((symlie_scalar)n / unit);
#endif
}

/* Compute dependent nodes from the first lane to the end, added to references, which may be those of previous lanes;
 * without references if there is no vector of them. */
static SYMLIE_INLINE void put_dependent(const int size, const symlie_row *restrict rows, const symlie_real *of, const long long of_stride,
                                        const int of_first, const int *restrict of_nodes, symlie_real *to, const long long to_stride,
                                        const int to_first, const int *restrict to_nodes, const int lane, const int end, const int step)
{
    if (of == to && of_first >= 0 && to_first == of_first + step) {
        for (int m = 0; m < size; m++, to += to_stride) {
            symlie_real sum = to[of_first + lane];
            for (int i = lane; i != end; i += step) to[to_first + i] = sum = sum + number_of(rows + m, i);
        }
        return;
    }
    for (int i = lane; i != end; i += step)
        for (int m = 0; m < size; m++) {
            symlie_real *place = to + m * to_stride + node_beside(to_first, to_nodes, i);
            *place = of ? of[m * of_stride + node_beside(of_first, of_nodes, i)] + number_of(rows + m, i) : number_of(rows + m, i);
        }
}

/* Compute a = F r for the nodes of a block. The blocks of F are diagonal or symmetric; their components have the
 * given strides. */
static SYMLIE_INLINE void apply_block_beside(const int are_diagonal, const int size, const symlie_real *restrict F, const long long F_stride,
                                             const symlie_real *restrict r, symlie_real *restrict a, const long long stride)
{
    for (int i = 0; i < size; i++) {
        symlie_row sum = NO_PRODUCTS;
        if (are_diagonal) sum = row_at(F + i * F_stride) * row_at(r + i * stride);
        else
            for (int j = 0; j < size; j++) sum += row_at(F + (i * size + j) * F_stride) * row_at(r + j * stride);
        *(symlie_row *)(a + i * stride) = sum;
    }
}

/* Convert vectors between the batched layout, in which components occupy whole registers, and the system layout; the
 * padding repeats the last node. */
static SYMLIE_INLINE void from_beside(const int size, const int count, const symlie_real *restrict x, symlie_real *restrict out)
{
    const long long stride = JET_BLOCKS(count) * JET_WIDTH;
    for (int n = 0; n < count; n++)
        for (int m = 0; m < size; m++) out[(long long)n * size + m] = x[m * stride + n];
}

static SYMLIE_INLINE void to_beside(const int size, const int count, const symlie_real *restrict x, symlie_real *restrict out)
{
    const long long stride = JET_BLOCKS(count) * JET_WIDTH;
    for (int n = 0; n < stride; n++)
        for (int m = 0; m < size; m++) out[m * stride + n] = x[(long long)BESIDE(n, count) * size + m];
}

static SYMLIE_INLINE void numbers_of(const int size, const symlie_row *restrict rows, const int lane, symlie_real *restrict x)
{
    const symlie_real *all = (const symlie_real *)rows;
    for (int n = 0; n < size; n++) x[n] = all[n * JET_WIDTH + lane];
}

static SYMLIE_INLINE void put_numbers(const int size, const symlie_real *restrict x, const int lane, symlie_row *restrict rows)
{
    symlie_real *all = (symlie_real *)rows;
    for (int n = 0; n < size; n++) all[n * JET_WIDTH + lane] = x[n];
}

#endif
