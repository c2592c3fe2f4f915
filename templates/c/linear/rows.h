/* Row operations of eliminations, on LANES numbers at a time. Rows are padded with zeros to a multiple of LANES. */
#ifndef SYMLIE_ROWS_H
#define SYMLIE_ROWS_H

/* LANES numbers at an address of any alignment. Absolute values are computed by clearing sign bits. */
#if defined(__GNUC__) && SYMLIE_LANES == 1
typedef symlie_real lanes __attribute__((vector_size(LANES * sizeof(symlie_real)), aligned(sizeof(symlie_real)), may_alias));
typedef __typeof__((lanes){0} < (lanes){0}) lane_bits;
#define LANES_AT_ONCE LANES
#define SIZES(x) ((lanes)((lane_bits)(x) & ~(lane_bits)-(lanes){0}))
#define BEFORE_LANES(x, behind) ((lanes){(x), (behind)[0], (behind)[1], (behind)[2]})
#else
typedef symlie_real lanes;
#define LANES_AT_ONCE 1
#define SIZES(x) fabs(x)
#define BEFORE_LANES(x, behind) (x)
#endif

/* These are macros, since the calling convention of functions with vector arguments depends on the processor. */
#define READ_LANES(x) (*(const lanes *)(x))
#define WRITE_LANES(x, value) (*(lanes *)(x) = (value))

/* Sum of |entries|; it is NaN or infinite if an entry is. */
static inline symlie_real sum_of_sizes(int entries, const symlie_real *restrict row)
{
    symlie_real part[LANES] = {0}, sum = SYMLIE_NUMBER(0);
    for (int j = 0; j < entries; j += LANES_AT_ONCE)
        WRITE_LANES(part + j % LANES, READ_LANES(part + j % LANES) + SIZES(READ_LANES(row + j)));
    for (int l = 0; l < LANES; l++) sum += part[l];
    return sum;
}

/* Scale of a row in the comparison of pivots: the reciprocal sum of its |entries|. */
static inline symlie_real row_scale(symlie_real sum) { return SYMLIE_WHERE(sum > 0, 1 / sum, SYMLIE_NUMBER(1)); }

/* Add the |entries| of a scaled row to the column sums. */
static inline void add_sizes(int entries, symlie_real scale, const symlie_real *restrict row, symlie_real *restrict column)
{
    for (int j = 0; j < entries; j += LANES_AT_ONCE)
        WRITE_LANES(column + j, READ_LANES(column + j) + scale * SIZES(READ_LANES(row + j)));
}

/* Copy numbers in groups of LANES, to a lower address or to another array. */
static inline void copy_row(long long entries, const symlie_real *from, symlie_real *to)
{
    for (long long j = 0; j < entries; j++) to[j] = from[j];
}

static inline void exchange_rows(int entries, symlie_real *restrict row, symlie_real *restrict other)
{
    for (int j = 0; j < entries; j++) {
        const symlie_real a = row[j];
        row[j] = other[j];
        other[j] = a;
    }
}

/* Subtract multiples of a row from other rows with the given stride. */
static inline void subtract_row(int rows, int entries, long long stride, const symlie_real *restrict factor,
                                const symlie_real *restrict row, symlie_real *restrict others)
{
    for (int j = 0; j < entries; j += LANES_AT_ONCE) {
        const lanes kept = READ_LANES(row + j);
        for (int i = 0; i < rows; i++) {
            symlie_real *restrict other = others + i * stride + j;
            WRITE_LANES(other, READ_LANES(other) - factor[i] * kept);
        }
    }
}

#if SYMLIE_LANES == 1
/* Bands and blocks; members in lanes have dense matrices. */

/* Index of the row with the largest entry of a column relative to the row sum, or -1 if this entry is too small
 * compared with the column sum. */
static inline int pivot_row(int rows, long long stride, const symlie_real *restrict column, const symlie_real *restrict scale,
                            symlie_real sum)
{
    symlie_real largest = 0;
    int pivot = 0;
    for (int i = 0; i < rows; i++) {
        const symlie_real size = fabs(column[i * stride]) * scale[i];
        pivot = size > largest ? i : pivot;
        largest = size > largest ? size : largest;
    }
    return largest > LOST_PIVOT * sum ? pivot : -1;
}

/* The first lanes of x are passed in registers, since their stores may still be pending. */
static inline symlie_real product_with_lanes(int entries, const symlie_real *restrict row, const lanes *restrict first,
                                             const symlie_real *restrict x)
{
    symlie_real part[LANES_AT_ONCE], sum = 0;
    lanes products = READ_LANES(row) * *first;
    for (int j = LANES_AT_ONCE; j < entries; j += LANES_AT_ONCE) products += READ_LANES(row + j) * READ_LANES(x + j);
    WRITE_LANES(part, products);
    for (int l = 0; l < LANES_AT_ONCE; l++) sum += part[l];
    return sum;
}

static inline symlie_real scalar_product(int entries, const symlie_real *restrict row, const symlie_real *restrict x)
{
    symlie_real part[LANES_AT_ONCE], sum = 0;
    lanes products = {0};
    for (int j = 0; j < entries; j += LANES_AT_ONCE) products += READ_LANES(row + j) * READ_LANES(x + j);
    WRITE_LANES(part, products);
    for (int l = 0; l < LANES_AT_ONCE; l++) sum += part[l];
    return sum;
}
#endif

#endif
