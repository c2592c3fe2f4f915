/* Polynomials in Bernstein form over an interval, sum_i b_i binomial(n, i) s^i (1 - s)^(n-i) with s from 0 to 1. The
 * number of zeros in the interval is at most the number of sign changes of b; bisection increases neither. */
#ifndef SYMLIE_BERNSTEIN_FORM_H
#define SYMLIE_BERNSTEIN_FORM_H

/* A subinterval; start and width are relative to the whole interval. */
typedef struct {
    symlie_real start;
    symlie_real width;
    symlie_real b[MOST_ORDER + 1];
} symlie_part;

/* Bernstein form of sum_k x_k s^k for s from 0 to h; the distance between consecutive coefficients is `apart` numbers. */
static inline void bernstein_form(int n, const symlie_real *restrict x, long long apart, symlie_real h, symlie_real *restrict b)
{
    symlie_real power = 1, binomial = 1;
    for (int k = 0; k <= n; k++) {
        b[k] = x[k * apart] * power / binomial;
        power *= h;
        binomial = binomial * (n - k) / (k + 1);
    }
    for (int r = 1; r <= n; r++)
        for (int i = n; i >= r; i--) b[i] += b[i - 1];
}

/* Bisect a subinterval by de Casteljau's algorithm: `part` becomes the first half, `behind` the second. */
static inline void halve_part(int n, symlie_part *restrict part, symlie_part *restrict behind)
{
    part->width *= 0.5;
    behind->start = part->start + part->width;
    behind->width = part->width;
    behind->b[n] = part->b[n];
    for (int r = 1; r <= n; r++) {
        for (int i = n; i >= r; i--) part->b[i] = 0.5 * (part->b[i] + part->b[i - 1]);
        behind->b[n - r] = part->b[n];
    }
}

/* Evaluate the polynomial at s by de Casteljau's algorithm. */
static inline symlie_real form_value(int n, const symlie_real *restrict b, symlie_real s)
{
    symlie_real c[MOST_ORDER + 1];
    copy(n + 1, b, c);
    for (int r = n; r > 0; r--)
        for (int i = 0; i < r; i++) c[i] += s * (c[i + 1] - c[i]);
    return c[0];
}

static inline int sign_changes(int n, const symlie_real *restrict b)
{
    int changes = 0;
    for (int i = 0; i < n; i++) changes += (b[i] > 0) != (b[i + 1] > 0);
    return changes;
}

/* Minimum and maximum of an array. */
static inline void extremes(int count, const symlie_real *restrict x, symlie_real *restrict low, symlie_real *restrict high)
{
    *low = *high = x[0];
    for (int i = 1; i < count; i++) *low = fmin(*low, x[i]), *high = fmax(*high, x[i]);
}

/* Locate the only zero of a polynomial with different signs at the ends. Return a point directly after it. Uses the
 * Illinois variant of regula falsi, and bisection if it converges slowly. */
static inline symlie_real form_zero(int n, const symlie_real *restrict b)
{
    symlie_real low = 0, high = 1, at_low = b[0], at_high = b[n];
    int side = 0;
    for (int k = 0; k < EVENT_ITERATIONS && at_high != 0 && high - low > ROUNDING * high; k++) {
        symlie_real s = high - at_high * (high - low) / (at_high - at_low);
        if (!(s > low && s < high) || k % 4 == 3) s = low + 0.5 * (high - low);
        const symlie_real value = form_value(n, b, s);
        if ((value > 0) == (b[0] > 0)) {
            low = s, at_low = value;
            if (side == -1) at_high *= 0.5;
            side = -1;
        } else {
            high = s, at_high = value;
            if (side == 1) at_low *= 0.5;
            side = 1;
        }
    }
    return high;
}

/* First point in [0, 1] at which an initially positive polynomial is no longer positive, or 2 if it stays positive. */
static inline symlie_real first_fall(int n, const symlie_real *restrict b)
{
    symlie_part parts[PARTS_AT_ONCE];
    int open = 1;
    parts[0].start = 0, parts[0].width = 1;
    copy(n + 1, b, parts[0].b);
    while (open) {
        symlie_part *part = parts + open - 1;
        const int changes = sign_changes(n, part->b);
        if (!(part->b[0] > 0)) return part->start;
        if (changes == 1) return part->start + part->width * form_zero(n, part->b);
        open--;
        if (!changes) continue;
        if (!(part->width > SMALLEST_FORM)) {
            if (!(part->b[n] > 0)) return part->start + part->width;
            continue;
        }
        symlie_part whole = *part;
        halve_part(n, &whole, part);
        parts[open + 1] = whole;
        open += 2;
    }
    return 2;
}

#endif
