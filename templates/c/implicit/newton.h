/* Newton's method for the equations r(u) = 0 of an implicit step. implicit/newton_iteration.py makes the same
 * decisions. A method defines, before it includes this file:
 *
 *   newton_problem                     data of its equations; has_factors is 1 if factors of an earlier matrix exist
 *   newton_residual(problem, u, r)     evaluate r(u)
 *   newton_refresh(problem)            evaluate the matrix at the point of the last residual; returns a symlie_status
 *   newton_correction(problem, r, d)   d = matrix^-1 r with the latest matrix; returns a symlie_status
 *   newton_is_rounding(problem, d)     return whether a correction is below the resolution of the configuration
 *   newton_floor(problem, r)           norm of a residual due to rounding alone, or 0 if unknown; r is the last one
 *
 * With SYMLIE_LANES, members iterate together and decide individually: a member that has converged repeats its last
 * residual until all have. If the iteration of one member fails, all members repeat the step individually. Factors are
 * not reused then. */
#ifndef SYMLIE_NEWTON_H
#define SYMLIE_NEWTON_H

typedef struct {
    int iterations;
    int halvings;               /* maximum number per correction; 0: take full corrections */
    symlie_scalar correction;   /* bound of the largest entry of the final correction, relative to the size of the unknowns */
    symlie_scalar rtol;         /* bounds of the norm of the final residual: relative to the first residuals, and absolute */
    symlie_scalar atol;
    int free;                   /* number of initial corrections that are always accepted */
    symlie_scalar contraction;  /* factor by which reused factors must reduce the residual; 0: full Newton */
    int patience;               /* maximum number of corrections with reused factors */
    int renews;                 /* 1: continue the iteration with a new matrix; 0: restart it */
} newton_policy;

#define NEWTON_POLICY {NEWTON_STEPS, NEWTON_HALVINGS, NEWTON_ENOUGH, 0, 0, 0, 0, 0, 0}

/* Index of the first entry of largest absolute value; all entries are finite. */
static inline symlie_whole place_of_largest(int n, const symlie_real *restrict x)
{
    const symlie_real largest = largest_entry(n, x, SYMLIE_NUMBER(0));
    symlie_whole place = SYMLIE_WHOLE(n - 1);
    for (int k = n - 2; k >= 0; k--) place = SYMLIE_WHERE(fabs(x[k]) < largest, place, SYMLIE_WHOLE(k));
    return place;
}

/* Iterate u to the solution. The last residual belongs to the solution, unless a small correction ended the
 * iteration. *gives_up is set if the iteration with reused factors does not converge. */
static inline int newton_iterate(newton_problem *restrict problem, const newton_policy *restrict policy, int n, symlie_real size,
                                 int keeps, symlie_real *restrict u, symlie_real *restrict r, symlie_real *restrict d,
                                 symlie_real *restrict moved, newton_counts *restrict counts, int *restrict gives_up)
{
    const int renews = keeps && policy->renews;
    const int most = keeps ? policy->patience * (1 + renews) : policy->iterations;
    symlie_mask active = SYMLIE_TRUE; /* lanes that have not converged */
    newton_residual(problem, u, r);
    counts->evaluations += SYMLIE_ONES(active);
    symlie_real norm = sum_of_squares(n, r), first = norm;
    *gives_up = 0;
    for (int taken = 0, is_stale = 0;;) {
        int status, halving = 0;
        symlie_real part = SYMLIE_NUMBER(1), reduced;
        if (SYMLIE_ANY(active & SYMLIE_NOT(norm < (symlie_scalar)INFINITY)) && !all_finite(n, r)) return SYMLIE_NOT_FINITE;
        if (taken <= 1) first = symlie_maximum(first, norm);
        const symlie_real enough = symlie_maximum(policy->atol, policy->rtol * sqrt(first));
        active &= SYMLIE_NOT(norm == 0);
        if (taken) active &= SYMLIE_NOT(sqrt(norm) <= enough);
        if (!SYMLIE_ANY(active)) return SYMLIE_DONE;
        if (taken == most) return *gives_up = keeps, SYMLIE_NOT_CONVERGED;
        counts->slowest = SYMLIE_WHERE(active, place_of_largest(n, r), counts->slowest);
        counts->refreshes += is_stale;
        if (is_stale || !(keeps && problem->has_factors)) {
            counts->jacobians += SYMLIE_ONES(active);
            status = newton_refresh(problem);
            if (status != SYMLIE_DONE) return status;
            counts->factorisations += SYMLIE_ONES(active);
        }
        counts->back_substitutions += SYMLIE_ONES(active);
        status = newton_correction(problem, r, d);
        if (status != SYMLIE_DONE) return status;
        counts->iterations += SYMLIE_ONES(active);
        taken++;
        const symlie_mask is_small = active & (largest_entry(n, d, SYMLIE_NUMBER(0)) <= policy->correction * size);
        if (SYMLIE_ANY(is_small)) {
            for (int k = 0; k < n; k++) u[k] = SYMLIE_WHERE(is_small, u[k] - d[k], u[k]);
            active &= SYMLIE_NOT(is_small);
            if (!SYMLIE_ANY(active)) return SYMLIE_DONE;
        }
        /* Lanes whose correction does not reduce the residual halve it; the others repeat their residual. */
        for (symlie_mask tries = active;; halving++, part = SYMLIE_WHERE(tries, part / 2, part)) {
            for (int k = 0; k < n; k++) moved[k] = SYMLIE_WHERE(active, u[k] - part * d[k], u[k]);
            newton_residual(problem, moved, r);
            counts->evaluations += SYMLIE_ONES(tries);
            reduced = sum_of_squares(n, r);
            const symlie_mask is_slow = tries & SYMLIE_NOT(reduced < norm / 4);
            if (SYMLIE_ANY(is_slow)) {
                /* The iteration has diverged if the residual is far above the rounding of its terms, even if these
                 * terms have become large. */
                const symlie_real larger = symlie_maximum(norm, reduced / (NEWTON_FLOOR * NEWTON_FLOOR));
                symlie_mask at_floor = is_slow & (sqrt(larger) <= NEWTON_FLOOR * newton_floor(problem, r));
                if (taken > policy->free && SYMLIE_ANY(is_slow & SYMLIE_NOT(at_floor))) at_floor |= is_slow & newton_is_rounding(problem, d);
                const symlie_mask is_worse = at_floor & SYMLIE_NOT(reduced < norm);
                counts->rounding_floor += SYMLIE_ONES(at_floor);
                for (int k = 0; k < n; k++) moved[k] = SYMLIE_WHERE(is_worse, u[k], moved[k]), u[k] = SYMLIE_WHERE(at_floor, moved[k], u[k]);
                if (SYMLIE_ANY(is_worse)) newton_residual(problem, moved, r);
                active &= SYMLIE_NOT(at_floor), tries &= SYMLIE_NOT(at_floor);
                if (!SYMLIE_ANY(active)) return SYMLIE_DONE;
            }
            tries &= SYMLIE_NOT(reduced < norm);
            if (!SYMLIE_ANY(tries) || taken <= policy->free || renews || !(keeps || policy->halvings)) break;
            if (keeps) return *gives_up = 1, SYMLIE_NOT_CONVERGED;
            counts->halvings += SYMLIE_ONES(tries);
            if (halving == policy->halvings) return SYMLIE_NOT_CONVERGED;
        }
        const int is_poor = taken > 2 && !SYMLIE_ALL(reduced < policy->contraction * policy->contraction * norm);
        if (keeps && !renews && is_poor) return *gives_up = 1, SYMLIE_NOT_CONVERGED;
        if (renews) {
            if (!SYMLIE_ALL(reduced < (symlie_scalar)INFINITY) || (taken > 2 && SYMLIE_ANY(reduced > DIVERGED * DIVERGED * norm)))
                return *gives_up = 1, SYMLIE_NOT_CONVERGED;
            is_stale = is_poor || taken >= policy->patience;
        }
        norm = reduced;
        copy(n, moved, u);
        symlie_mask stays = active & (sqrt(norm) > enough) & (enough > 0);
        if (taken > 2 && SYMLIE_ANY(stays)) {
            stays &= sqrt(norm) <= newton_floor(problem, r);
            counts->rounding_floor += SYMLIE_ONES(stays);
            active &= SYMLIE_NOT(stays);
            if (!SYMLIE_ANY(active)) return SYMLIE_DONE;
        }
    }
}

/* Solve from the initial guess u by newton_iterate; r, d, moved and guess are scratch. `guess` is needed only with
 * reused factors. */
static inline int newton_solve(newton_problem *restrict problem, const newton_policy *restrict policy, int n, symlie_real size,
                               symlie_real *restrict u, symlie_real *restrict r, symlie_real *restrict d, symlie_real *restrict moved,
                               symlie_real *restrict guess, newton_counts *restrict counts)
{
    int gives_up;
    if (policy->contraction > 0) {
        copy(n, u, guess);
        for (int k = 0; k < 2; k++) {
            const int status = newton_iterate(problem, policy, n, size, 1, u, r, d, moved, counts, &gives_up);
            if (!gives_up) return status;
            copy(n, guess, u);
            problem->has_factors = 0;
            counts->refreshes++;
        }
    }
    return newton_iterate(problem, policy, n, size, 0, u, r, d, moved, counts, &gives_up);
}

#endif
