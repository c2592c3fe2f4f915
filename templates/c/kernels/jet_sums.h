/* Sums over 0 < j < k of products of coefficients, of all products of a jet together. Rows of coefficients hold a multiple
 * of eight numbers, as the widest vector registers do; sums have the same bits whatever the registers are. */
#ifndef SYMLIE_JET_SUMS_H
#define SYMLIE_JET_SUMS_H

/* Of lanes, factors are those of all products that they belong to; else each product has a row of left and of right ones. */
#define JET_SIDES (SYMLIE_LANES > 1 ? 1 : 2)
#define JET_ROW(products) (((products) + 7) / 8 * 8)

/* Numbers of a register where members go alone. */
#if defined(__GNUC__) && defined(__AVX512F__)
#define REGISTER_NUMBERS 8
#elif defined(__GNUC__) && defined(__AVX__)
#define REGISTER_NUMBERS 4
#else
#define REGISTER_NUMBERS 1
#endif

#if SYMLIE_LANES == 1 && REGISTER_NUMBERS > 1
#define JET_WIDTH REGISTER_NUMBERS
typedef symlie_real symlie_row __attribute__((vector_size(8 * JET_WIDTH), aligned(8), may_alias));
#define NO_PRODUCTS ((symlie_row){0})
#define EACH(x) (NO_PRODUCTS + (x))
#else
#define JET_WIDTH 1
typedef symlie_real symlie_row;
#define NO_PRODUCTS SYMLIE_NUMBER(0)
#define EACH(x) SYMLIE_NUMBER(x)
#endif
#if JET_WIDTH == 8
typedef symlie_real symlie_half __attribute__((vector_size(32), aligned(8), may_alias));
#else
typedef symlie_row symlie_half;
#endif

/* a b + c, rounded once where processors do so: it is what orders wait for. */
#ifndef __FP_FAST_FMA
#define FUSED(a, b, c) ((a) * (b) + (c))
#elif SYMLIE_LANES > 1
#define FUSED(a, b, c) SYMLIE_FUSED((a) - SYMLIE_NUMBER(0), (b) - SYMLIE_NUMBER(0), (c) - SYMLIE_NUMBER(0))
#else
#define FUSED(a, b, c) SYMLIE_FUSED(a, b, c)
#endif
#if !defined(__FP_FAST_FMA) || SYMLIE_LANES > 1
#define FUSED_ROWS(a, b, c) ((a) * (b) + (c))
#else
#define FUSED_ROWS(a, b, c) fused_rows((a) - NO_PRODUCTS, (b) - NO_PRODUCTS, (c) - NO_PRODUCTS)
#endif
#if defined(__FP_FAST_FMA) && JET_WIDTH == 8
#define FUSED_HALVES(a, b, c) fused_halves(a, b, c)
#else
#define FUSED_HALVES(a, b, c) FUSED_ROWS(a, b, c)
#endif

#define HALF(rows) (*(symlie_half *)((rows) + count)) /* of the register behind so many others */
#define JET_BLOCKS(count) (((count) + JET_WIDTH - 1LL) / JET_WIDTH) /* of nodes or instances side by side */
#define BESIDE(place, count) ((place) < (count) ? (place) : (count) - 1) /* the last one stands where there is none */

#if JET_WIDTH == 8
static SYMLIE_INLINE symlie_half fused_halves(const symlie_half a, const symlie_half b, const symlie_half c)
{
#if !defined(__clang__) && defined(__FMA__)
    return __builtin_ia32_vfmaddpd256(a, b, c);
#else
    symlie_half result;
    for (int i = 0; i < 4; i++) result[i] = __builtin_fma(a[i], b[i], c[i]);
    return result;
#endif
}
#endif

static SYMLIE_INLINE symlie_row fused_rows(const symlie_row a, const symlie_row b, const symlie_row c)
{
#if JET_WIDTH == 8 && !defined(__clang__)
    return __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4);
#elif JET_WIDTH == 4 && defined(__FMA__) && !defined(__clang__)
    return __builtin_ia32_vfmaddpd256(a, b, c);
#elif JET_WIDTH > 1
    symlie_row result;
    for (int i = 0; i < JET_WIDTH; i++) result[i] = __builtin_fma(a[i], b[i], c[i]);
    return result;
#else
    return SYMLIE_FUSED(a, b, c);
#endif
}

/* Numbers of a row of a register at a place, of which the last ones may belong to what is behind them in memory. */
static SYMLIE_INLINE symlie_row row_at(const symlie_real *x)
{
    return *(const symlie_row *)x;
}

/* Whether rows that begin within a register are made of the two that have them: processors wait for numbers that were put down
 * as parts of other registers. */
#if JET_WIDTH == 8 && !defined(__clang__)
#define SHIFTS_ROWS 1
typedef long long symlie_places __attribute__((vector_size(64)));

static SYMLIE_INLINE symlie_row shifted_row(const symlie_row low, const symlie_row high, const int shift)
{
    return __builtin_shuffle(low, high, (symlie_places){0, 1, 2, 3, 4, 5, 6, 7} + shift);
}
#else
#define SHIFTS_ROWS 0
static SYMLIE_INLINE symlie_row shifted_row(const symlie_row low, const symlie_row high, const int shift)
{
    (void)high, (void)shift;
    return low;
}
#endif

/* A factor of several products stays in its register: compilers read it anew for each of them, where reading is what bounds sums. */
#if defined(__GNUC__) && defined(__AVX512F__) && SYMLIE_LANES <= 8
#define KEEP_IN_REGISTER(x) __asm__("" : "+v"(x))
#else
#define KEEP_IN_REGISTER(x) ((void)0)
#endif

#define ROWS_AT_ONCE 4 /* sums of a series that hide that each addition waits for the one before */
#define MOST_SUMS 4 /* registers that hold sums of an order at a time, as many as hide that additions take a while */

/* Of so many registers at a time, and of half of the next one where the last products fill no more, the sums of order k. Odd
 * orders find those of the next two as far as they are known, which read the same factors, in one loop, whose end processors
 * rarely foresee; what an order waits for are the products with the factors that were put down last. */
static SYMLIE_INLINE void sum_products(const int count, const int half, const int row, const int k, const symlie_real *restrict left,
                                       const symlie_real *restrict right, symlie_real *restrict next, symlie_real *restrict second,
                                       symlie_real *restrict sums)
{
    symlie_row *of_next = (symlie_row *)next, *of_second = (symlie_row *)second, *out = (symlie_row *)sums;
    const symlie_row *known = k % 2 ? of_second : of_next;
    if (k == 1) {
        for (int p = 0; p < count + half; p++) out[p] = of_next[p] = of_second[p] = NO_PRODUCTS;
        return;
    }
    const symlie_row *a = (const symlie_row *)(left + row), *b = (const symlie_row *)(right + (k - 1) * row);
    for (int p = 0; p < count; p++) out[p] = FUSED_ROWS(a[p], b[p], known[p]);
    if (half) HALF(out) = FUSED_HALVES(HALF(a), HALF(b), HALF(known));
    if (k == 2) return;
    const symlie_row *c = (const symlie_row *)(left + (k - 1) * row), *d = (const symlie_row *)(right + row);
    for (int p = 0; p < count; p++) out[p] = FUSED_ROWS(c[p], d[p], out[p]);
    if (half) HALF(out) = FUSED_HALVES(HALF(c), HALF(d), HALF(out));
    a += row / JET_WIDTH, d += row / JET_WIDTH;
    if (k % 2 == 0) {
        for (int p = 0; p < count; p++) of_second[p] = FUSED_ROWS(c[p], d[p], FUSED_ROWS(a[p], b[p], of_second[p]));
        if (half) HALF(of_second) = FUSED_HALVES(HALF(c), HALF(d), FUSED_HALVES(HALF(a), HALF(b), HALF(of_second)));
        return;
    }
    symlie_row sum[MOST_SUMS], other[MOST_SUMS], before[MOST_SUMS];
    symlie_half half_sum = {0}, half_other = {0}, half_before = {0};
    for (int p = 0; p < count; p++) before[p] = b[p], sum[p] = a[p] * before[p], other[p] = NO_PRODUCTS;
    if (half) half_before = HALF(b), half_sum = HALF(a) * half_before;
    for (int j = 3; j < k; j++) {
        a = (const symlie_row *)(left + j * row), b = (const symlie_row *)(right + (k + 1 - j) * row);
        for (int p = 0; p < count; p++) {
            symlie_row factor = a[p], now = b[p];
            KEEP_IN_REGISTER(factor);
            KEEP_IN_REGISTER(now);
            sum[p] = FUSED_ROWS(factor, now, sum[p]), other[p] = FUSED_ROWS(factor, before[p], other[p]), before[p] = now;
        }
        if (half) {
            symlie_half factor = HALF(a), now = HALF(b);
            KEEP_IN_REGISTER(factor);
            KEEP_IN_REGISTER(now);
            half_sum = FUSED_HALVES(factor, now, half_sum), half_other = FUSED_HALVES(factor, half_before, half_other);
            half_before = now;
        }
    }
    for (int p = 0; p < count; p++) of_next[p] = sum[p], of_second[p] = other[p];
    if (half) HALF(of_next) = half_sum, HALF(of_second) = half_other;
}

/* sums = sum_{0<j<k} left_j right_{k-j}; a row belongs to each order, which begins with its products. */
static SYMLIE_INLINE void jet_sums(const int products, const int k, const symlie_real *restrict left, const symlie_real *restrict right,
                                   symlie_real *restrict next, symlie_real *restrict second, symlie_real *restrict sums)
{
    const int row = JET_ROW(products), most = MOST_SUMS * JET_WIDTH, whole = products / most * most, rest = products - whole;
    const int half = JET_WIDTH == 8 && rest % 8 > 0 && rest % 8 <= 4, count = (JET_ROW(rest) - 8 * half) / JET_WIDTH;
    for (int p = 0; p < whole; p += most) sum_products(MOST_SUMS, 0, row, k, left + p, right + p, next + p, second + p, sums + p);
    if (rest) sum_products(count, half, row, k, left + whole, right + whole, next + whole, second + whole, sums + whole);
}

/* Eight numbers of a row, whole registers of which are put down, as they are read; and what is added to them. */
static SYMLIE_INLINE void put_eight(symlie_real *restrict row, const symlie_real a, const symlie_real b, const symlie_real c,
                                    const symlie_real d, const symlie_real e, const symlie_real f, const symlie_real g, const symlie_real h)
{
    symlie_row *out = (symlie_row *)row;
#if JET_WIDTH == 8
    out[0] = (symlie_row){a, b, c, d, e, f, g, h};
#elif JET_WIDTH == 4
    out[0] = (symlie_row){a, b, c, d}, out[1] = (symlie_row){e, f, g, h};
#else
    out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e, out[5] = f, out[6] = g, out[7] = h;
#endif
}

static SYMLIE_INLINE void add_eight(symlie_real *restrict row, const symlie_real a, const symlie_real b, const symlie_real c,
                                    const symlie_real d, const symlie_real e, const symlie_real f, const symlie_real g, const symlie_real h)
{
    symlie_row *out = (symlie_row *)row;
#if JET_WIDTH == 8
    out[0] += (symlie_row){a, b, c, d, e, f, g, h};
#elif JET_WIDTH == 4
    out[0] += (symlie_row){a, b, c, d}, out[1] += (symlie_row){e, f, g, h};
#else
    out[0] += a, out[1] += b, out[2] += c, out[3] += d, out[4] += e, out[5] += f, out[6] += g, out[7] += h;
#endif
}

static SYMLIE_INLINE void copy_numbers(const int size, const symlie_real *restrict x, symlie_real *restrict out)
{
    for (int n = 0; n < size; n++) out[n] = x[n];
}

/* A row of numbers at places. */
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

/* Rows of components that are so far from each other: of nodes that follow the first one, or of such ones. */
static SYMLIE_INLINE void rows_beside(const int size, const symlie_real *restrict x, const long long stride, const int first,
                                      const int *restrict nodes, symlie_row *restrict rows)
{
    const int shift = first % JET_WIDTH;
    if (SHIFTS_ROWS && first >= 0 && shift) {
        for (int m = 0; m < size; m++, x += stride)
            rows[m] = shifted_row(row_at(x + first - shift), row_at(x + first - shift + JET_WIDTH), shift);
        return;
    }
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

/* Add the first lanes of rows to components. */
static SYMLIE_INLINE void add_beside(const int size, const symlie_row *restrict rows, symlie_real *restrict x, const long long stride,
                                     const int first, const int *restrict nodes, const int lanes)
{
    const int shift = first % JET_WIDTH;
    if (SHIFTS_ROWS && first >= 0 && shift && lanes == JET_WIDTH) {
        for (int m = 0; m < size; m++, x += stride) {
            *(symlie_row *)(x + first - shift) += shifted_row(NO_PRODUCTS, rows[m], JET_WIDTH - shift);
            *(symlie_row *)(x + first - shift + JET_WIDTH) += shifted_row(rows[m], NO_PRODUCTS, JET_WIDTH - shift);
        }
        return;
    }
    if (first >= 0 && lanes == JET_WIDTH) {
        for (int m = 0; m < size; m++) *(symlie_row *)(x + m * stride + first) += rows[m];
        return;
    }
    for (int i = 0; i < lanes; i++)
        for (int m = 0; m < size; m++) x[m * stride + node_beside(first, nodes, i)] += number_of(rows + m, i);
}

/* Place nodes at what rows say from others, one after the other, since those may be placed by the ones before. */
static SYMLIE_INLINE void place_beside(const int size, const symlie_row *restrict rows, const symlie_real *of, const long long of_stride,
                                       const int of_first, const int *restrict of_nodes, symlie_real *to, const long long to_stride,
                                       const int to_first, const int *restrict to_nodes, const int lanes)
{
    if (of == to && of_first >= 0 && to_first == of_first + 1) {
        for (int m = 0; m < size; m++, to += to_stride) {
            symlie_real place = to[of_first];
            for (int i = 0; i < lanes; i++) to[to_first + i] = place = place + number_of(rows + m, i);
        }
        return;
    }
    for (int i = 0; i < lanes; i++)
        for (int m = 0; m < size; m++)
            to[m * to_stride + node_beside(to_first, to_nodes, i)] =
                of[m * of_stride + node_beside(of_first, of_nodes, i)] + number_of(rows + m, i);
}

/* a = F r for diagonals or symmetric blocks F of nodes whose components are so far from each other. */
static SYMLIE_INLINE void apply_blocks_beside(const int are_diagonal, const int size, const long long stride, const symlie_real *restrict F,
                                              const symlie_real *restrict r, symlie_real *restrict a)
{
    for (long long n = 0; n < stride; n += JET_WIDTH)
        for (int i = 0; i < size; i++) {
            symlie_row sum = NO_PRODUCTS;
            if (are_diagonal) sum = row_at(F + i * stride + n) * row_at(r + i * stride + n);
            else
                for (int j = 0; j < size; j++) sum += row_at(F + (i * size + j) * stride + n) * row_at(r + j * stride + n);
            *(symlie_row *)(a + i * stride + n) = sum;
        }
}

/* y = F b of the nodes of a block, for diagonals or symmetric blocks F that are rows; components are so far from each other. */
static SYMLIE_INLINE void multiply_blocks_beside(const int are_diagonal, const int size, const symlie_row *restrict F,
                                                 const symlie_real *restrict b, symlie_real *restrict y, const long long stride)
{
    for (int i = 0; i < size; i++) {
        symlie_row sum = NO_PRODUCTS;
        if (are_diagonal) sum = F[i] * row_at(b + i * stride);
        else
            for (int j = 0; j < size; j++) sum += F[i * size + j] * row_at(b + j * stride);
        *(symlie_row *)(y + i * stride) = sum;
    }
}

/* A vector of a system from one with its components beside each other, which have whole registers each; and back, the last node
 * once more where there is none. */
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
