/* Approximate roots in lanes, accurate to the few digits that step sizes require; calls of pow would process the
 * lanes sequentially. */
#ifndef SYMLIE_NEAR_ROOTS_H
#define SYMLIE_NEAR_ROOTS_H

#define PART_BITS ((1LL << 52) - 1) /* mantissa bits of a double, below its sign and exponent */

/* Compute x_i^(-1/(n-i)) of normal doubles to relative accuracy NEAR_ROOT. The logarithm of x = 2^e (1 + f) is e + f
 * + bend f (1 - f) to 0.008; a cubic polynomial gives powers of two to 1e-4; one third-order step for 1 - x r^n = 0
 * follows. */
static inline void near_roots(const symlie_real *restrict x, int n, symlie_real *restrict r)
{
    const symlie_real unit = SYMLIE_NUMBER(1 / (symlie_scalar)(PART_BITS + 1));
    const symlie_scalar bend = 0.3437, first = 0.695556856, second = 0.226173572, third = 0.078269572;
    symlie_real power[LAST_TERMS], square[LAST_TERMS];
    for (int i = 0; i < LAST_TERMS; i++) {
        const symlie_mask bits_of_x = (symlie_mask)x[i];
        const symlie_real f = unit * __builtin_convertvector(bits_of_x & PART_BITS, symlie_real);
        const symlie_real u = unit * __builtin_convertvector(bits_of_x, symlie_real) - 1023;
        const symlie_real of_root = 1023 - (u + bend * f * (1 - f)) / (symlie_scalar)(n - i);
        const symlie_mask bits = __builtin_convertvector(of_root / unit, symlie_mask);
        const symlie_real g = unit * __builtin_convertvector(bits & PART_BITS, symlie_real);
        r[i] = (symlie_real)(bits & ~PART_BITS) * (1 + g * (first + g * (second + g * third)));
        power[i] = x[i], square[i] = r[i];
        for (int m = i + 1; m < LAST_TERMS; m++) power[i] *= r[i];
    }
    for (int m = n - (LAST_TERMS - 1); m; m /= 2)
        for (int i = 0; i < LAST_TERMS; i++) {
            if (m % 2) power[i] *= square[i];
            square[i] *= square[i];
        }
    for (int i = 0; i < LAST_TERMS; i++) {
        const symlie_scalar part = 1 / (symlie_scalar)(n - i);
        const symlie_real rest = 1 - power[i];
        r[i] += part * r[i] * rest * (1 + (1 + part) / 2 * rest);
    }
}

#endif
