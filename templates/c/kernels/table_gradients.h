/* Derivatives by the coefficients of run-time tables. */
#ifndef SYMLIE_TABLE_GRADIENTS_H
#define SYMLIE_TABLE_GRADIENTS_H

/* Add the derivatives by the coefficients of a table, for those by its components u(x); see symlie_input. The result has
 * the places of the prepared parameters p. */
static inline void add_to_table(const symlie_real *restrict p, int slot, symlie_real x, int components, const symlie_real *restrict u,
                                symlie_real *restrict out)
{
    if ((int)p[slot + 1] == 0) return;
    const symlie_table_piece at = symlie_find_piece(x, p + slot);
    const symlie_real distance = x - at.shift - at.knot[at.piece > 0 ? at.piece - 1 : 0];
    symlie_real *restrict coefficient = out + (at.knot - p) + at.n + at.piece * (at.degree + 1);
    for (int k = 0; k < components; k++, coefficient += (at.n + 1) * (at.degree + 1)) {
        symlie_real power = u[k];
        for (int j = 0; j <= at.degree; j++, power *= distance) coefficient[j] += power;
    }
}

#endif
