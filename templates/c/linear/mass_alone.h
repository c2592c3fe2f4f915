/* Solution with M alone in systems with a saddle point matrix, with the arithmetic of models without constraints. Included after
 * the model. */
#ifndef SYMLIE_MASS_ALONE_H
#define SYMLIE_MASS_ALONE_H

#if FIXED_TOPOLOGY
#define MASS_ALONE FACTORS /* size of the factors; 0 if the model has none */
#else
#define MASS_ALONE FACTORS_OF_NODES
#endif

/* Return 0 if M is not positive definite. */
static inline int factorise_mass_alone(const symlie_problem *restrict P, const symlie_real *restrict M, symlie_real *restrict F)
{
    (void)P, (void)M, (void)F;
#if !FIXED_TOPOLOGY
    return factorize_mass(P, M, F);
#elif FACTORS
    factorize(M, F);
    return has_positive_pivots(F);
#else
    return 0;
#endif
}

/* Compute a = M^-1 r. */
static inline void solve_with_mass_alone(const symlie_problem *restrict P, const symlie_real *restrict F, const symlie_real *restrict r,
                                         symlie_real *restrict a)
{
    (void)P, (void)F, (void)r, (void)a;
#if !FIXED_TOPOLOGY
    apply_mobility(P, F, r, a);
#elif FACTORS
    static const symlie_real none[JACOBIAN_VALUES + ROWS] = {0};
    solve_mass(F, r, none, none + JACOBIAN_VALUES, a);
#endif
}

#endif
