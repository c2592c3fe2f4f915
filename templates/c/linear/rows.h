/* Row operations of eliminations, on LANES numbers at a time. Rows are padded with zeros to a multiple of LANES. */
#ifndef SYMLIE_ROWS_H
#define SYMLIE_ROWS_H

/* Numbers that fit into a register, at an address of any alignment: GCC computes longer vectors in memory. Absolute values
 * are computed by clearing sign bits. */
#if defined(__GNUC__) && SYMLIE_LANES == 1 && !defined(SYMLIE_TANGENTS)
#ifdef __AVX__
enum { REGISTER_SIZE = 32 };
#else
enum { REGISTER_SIZE = 16 };
#endif
#define LANES_AT_ONCE (LANES * (int)sizeof(symlie_real) < REGISTER_SIZE ? LANES : REGISTER_SIZE / (int)sizeof(symlie_real))
typedef symlie_real lanes __attribute__((vector_size(LANES_AT_ONCE * sizeof(symlie_real)), aligned(sizeof(symlie_real)), may_alias));
typedef __typeof__((lanes){0} < (lanes){0}) lane_bits;
#define SIZES(x) ((lanes)((lane_bits)(x) & ~(lane_bits)-(lanes){0}))
#else
typedef symlie_real lanes;
#define LANES_AT_ONCE 1
#define SIZES(x) fabs(x)
#endif

/* Number of accesses for LANES numbers. */
enum { PARTS = LANES / LANES_AT_ONCE };

/* Loop over the pivot rows i of the members in lanes, between row k and the last one, and choose a number in the lanes
 * with pivot row i. */
#if SYMLIE_LANES > 1
#define EACH_PIVOT_ROW(i, k, last, pivot)     \
    for (int i = (k) + 1; i <= (last); i++) \
        if (SYMLIE_ANY((pivot) == i))
#define IF_PIVOT_ROW(i, pivot, a, b) SYMLIE_WHERE((pivot) == (i), a, b)
#else
#define EACH_PIVOT_ROW(i, k, last, pivot) for (int i = (pivot); i != (k); i = (k))
#define IF_PIVOT_ROW(i, pivot, a, b) (a)
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

/* Exchange a row with row i in the lanes of which this is the pivot row. */
static inline void exchange_rows(int entries, int i, symlie_whole pivot, symlie_real *restrict row, symlie_real *restrict other)
{
    (void)i, (void)pivot;
    for (int j = 0; j < entries; j++) {
        const symlie_real a = row[j], b = other[j];
        row[j] = IF_PIVOT_ROW(i, pivot, b, a);
        other[j] = IF_PIVOT_ROW(i, pivot, a, b);
    }
}

/* Exchange the first number with the one at the given place. */
static inline void exchange_first(symlie_real *x, symlie_whole place)
{
    const symlie_real first = x[0], other = SYMLIE_AT(x, place);
    SYMLIE_PUT(x, place, first);
    x[0] = other;
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

/* Index of the row with the largest entry of a column relative to the row sum. Return 0 if this entry is too small
 * compared with the column sum. */
static inline int pivot_row(int rows, long long stride, const symlie_real *restrict column, const symlie_real *restrict scale,
                            symlie_real sum, symlie_whole *restrict pivot)
{
    symlie_real largest = SYMLIE_NUMBER(0);
    *pivot = SYMLIE_WHOLE(0);
    for (int i = 0; i < rows; i++) {
        const symlie_real size = fabs(column[i * stride]) * scale[i];
        *pivot = SYMLIE_WHERE(size > largest, SYMLIE_WHOLE(i), *pivot);
        largest = SYMLIE_WHERE(size > largest, size, largest);
    }
    return SYMLIE_ALL(largest > LOST_PIVOT * sum);
}

/* Sum of LANES numbers. */
static inline symlie_real sum_of_parts(const lanes *restrict part)
{
    symlie_real number[LANES], sum = SYMLIE_NUMBER(0);
    for (int p = 0; p < PARTS; p++) WRITE_LANES(number + p * LANES_AT_ONCE, part[p]);
    for (int l = 0; l < LANES; l++) sum += number[l];
    return sum;
}

/* The first LANES numbers of x are passed in registers, since their stores may still be pending. */
static inline symlie_real product_with_lanes(int entries, const symlie_real *restrict row, const lanes *restrict first,
                                             const symlie_real *restrict x)
{
    lanes part[PARTS];
    for (int p = 0; p < PARTS; p++) part[p] = READ_LANES(row + p * LANES_AT_ONCE) * first[p];
    for (int j = LANES; j < entries; j += LANES)
        for (int p = 0; p < PARTS; p++) part[p] += READ_LANES(row + j + p * LANES_AT_ONCE) * READ_LANES(x + j + p * LANES_AT_ONCE);
    return sum_of_parts(part);
}

/* Place a number before LANES numbers, the last of which is dropped. */
static inline void place_before(symlie_real x, lanes *restrict behind)
{
#if defined(__GNUC__) && SYMLIE_LANES == 1 && !defined(SYMLIE_TANGENTS)
    for (int p = PARTS - 1; p >= 0; p--) {
        for (int l = LANES_AT_ONCE - 1; l > 0; l--) behind[p][l] = behind[p][l - 1];
        behind[p][0] = p > 0 ? behind[p - 1][LANES_AT_ONCE - 1] : x;
    }
#else
    for (int p = PARTS - 1; p > 0; p--) behind[p] = behind[p - 1];
    behind[0] = x;
#endif
}

static inline symlie_real scalar_product(int entries, const symlie_real *restrict row, const symlie_real *restrict x)
{
    lanes part[PARTS] = {{0}};
    for (int j = 0; j < entries; j += LANES)
        for (int p = 0; p < PARTS; p++) part[p] += READ_LANES(row + j + p * LANES_AT_ONCE) * READ_LANES(x + j + p * LANES_AT_ONCE);
    return sum_of_parts(part);
}

#endif
