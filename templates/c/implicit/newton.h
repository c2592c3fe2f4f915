/* Newton's method for the equations r(u) = 0 of an implicit step. implicit/newton_iteration.py makes the same
 * decisions. A method defines, before it includes this file:
 *
 *   newton_problem                     data of its equations; has_factors is true in lanes with factors of an earlier
 *                                      matrix
 *   newton_residual(problem, u, r)     evaluate r(u)
 *   newton_refresh(problem, lanes)     evaluate the matrix of some lanes at the point of the last residual; returns a
 *                                      symlie_status
 *   newton_correction(problem, r, d)   d = matrix^-1 r with the latest matrix; returns a symlie_status
 *   newton_is_rounding(problem, d)     return whether a correction is below the resolution of the configuration
 *   newton_floor(problem, r)           norm of a residual due to rounding alone, or 0 if unknown; r is the last one
 *
 * With SYMLIE_LANES, members iterate together and decide individually: a member that has converged, or that waits for
 * an iteration with new factors, repeats its last residual until all have. If the iteration of one member fails, all
 * members repeat the step individually. */
#ifndef SYMLIE_NEWTON_H
#define SYMLIE_NEWTON_H

typedef struct {
    int iterations;
    int halvings;               /* maximum number per correction; 0: take full corrections */
    symlie_scalar correction;   /* bound of the largest entry of the final correction, relative to the size of the unknowns */
    symlie_scalar rtol;         /* bounds of the norm of the final residual: relative to the first residuals, and absolute */
    symlie_scalar atol;
    int free;                   /* number of initial corrections that are always accepted */
    symlie_mask reuses;         /* lanes that reuse factors; the others take full Newton steps */
    symlie_scalar contraction;  /* factor by which reused factors must reduce the residual */
    int patience;               /* maximum number of corrections with reused factors */
    int renews;                 /* 1: continue the iteration with a new matrix; 0: restart it */
} newton_policy;

#define NEWTON_POLICY {NEWTON_STEPS, NEWTON_HALVINGS, NEWTON_ENOUGH, 0, 0, 0, SYMLIE_FALSE, 0, 0, 0}

/* Index of the first entry of largest absolute value; all entries are finite. */
static inline symlie_whole place_of_largest(int n, const symlie_real *restrict x)
{
    const symlie_real largest = largest_entry(n, x, SYMLIE_NUMBER(0));
    symlie_whole place = SYMLIE_WHOLE(n - 1);
    for (int k = n - 2; k >= 0; k--) place = SYMLIE_WHERE(fabs(x[k]) < largest, place, SYMLIE_WHOLE(k));
    return place;
}

/* Iterate u of the active lanes to the solution. The last residual belongs to the solution, unless a small correction
 * ended the iteration. With `keeps`, factors are reused, and *gives_up contains the lanes that do not converge with
 * them. */
static inline int newton_iterate(newton_problem *restrict problem, const newton_policy *restrict policy, int n, symlie_real size,
                                 int keeps, symlie_mask active, symlie_real *restrict u, symlie_real *restrict r,
                                 symlie_real *restrict d, symlie_real *restrict moved, newton_counts *restrict counts,
                                 symlie_mask *restrict gives_up)
{
    const int renews = keeps && policy->renews;
    const int most = keeps ? policy->patience * (1 + renews) : policy->iterations;
    symlie_mask is_stale = SYMLIE_FALSE;
    newton_residual(problem, u, r);
    counts->evaluations += SYMLIE_ONES(active);
    symlie_real norm = sum_of_squares(n, r), first = norm;
    *gives_up = SYMLIE_FALSE;
    for (int taken = 0;;) {
        int status, halving = 0;
        symlie_real part = SYMLIE_NUMBER(1), reduced;
        if (SYMLIE_ANY(active & SYMLIE_NOT(norm < (symlie_scalar)INFINITY)) && !all_finite(n, r)) return SYMLIE_NOT_FINITE;
        if (taken <= 1) first = symlie_maximum(first, norm);
        const symlie_real enough = symlie_maximum(policy->atol, policy->rtol * sqrt(first));
        active &= SYMLIE_NOT(norm == 0);
        if (taken) active &= SYMLIE_NOT(sqrt(norm) <= enough);
        if (!SYMLIE_ANY(active)) return SYMLIE_DONE;
        if (taken == most && !keeps) return SYMLIE_NOT_CONVERGED;
        if (taken == most) return *gives_up |= active, SYMLIE_DONE;
        counts->slowest = SYMLIE_WHERE(active, place_of_largest(n, r), counts->slowest);
        counts->refreshes += SYMLIE_ONES(active & is_stale);
        const symlie_mask needs_matrix = keeps ? active & (is_stale | SYMLIE_NOT(problem->has_factors)) : active;
        if (SYMLIE_ANY(needs_matrix)) {
            counts->jacobians += SYMLIE_ONES(needs_matrix);
            status = newton_refresh(problem, needs_matrix);
            if (status != SYMLIE_DONE) return status;
            counts->factorisations += SYMLIE_ONES(needs_matrix);
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
            if (keeps) break;
            counts->halvings += SYMLIE_ONES(tries);
            if (halving == policy->halvings) return SYMLIE_NOT_CONVERGED;
        }
        if (keeps) {
            const symlie_real bound = policy->contraction * policy->contraction * norm;
            const symlie_mask is_poor = taken > 2 ? SYMLIE_NOT(reduced < bound) : SYMLIE_FALSE;
            symlie_mask fails = is_poor;
            if (renews) {
                fails = SYMLIE_NOT(reduced < (symlie_scalar)INFINITY);
                if (taken > 2) fails |= reduced > DIVERGED * DIVERGED * norm;
                is_stale = taken < policy->patience ? is_poor : SYMLIE_TRUE;
            } else if (taken > policy->free) fails |= SYMLIE_NOT(reduced < norm);
            *gives_up |= active & fails, active &= SYMLIE_NOT(fails);
            if (!SYMLIE_ANY(active)) return SYMLIE_DONE;
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

#if HAS_TANGENTS
#include "newton_tangents.h"
#else
static inline int newton_tangents(newton_problem *restrict problem, int n, int has_matrix, symlie_real *restrict u,
                                  symlie_real *restrict r, symlie_real *restrict d)
{
    (void)problem, (void)n, (void)has_matrix, (void)u, (void)r, (void)d;
    return SYMLIE_DONE;
}
#endif

/* Solve from the initial guess u by newton_iterate; r, d, moved and guess are scratch. `guess` is needed only with
 * reused factors. */
static inline int newton_solve(newton_problem *restrict problem, const newton_policy *restrict policy, int n, symlie_real size,
                               symlie_real *restrict u, symlie_real *restrict r, symlie_real *restrict d, symlie_real *restrict moved,
                               symlie_real *restrict guess, newton_counts *restrict counts)
{
    symlie_mask gives_up, waits = policy->reuses;
    if (SYMLIE_ANY(waits)) copy(n, u, guess);
    for (int k = 0; k < 2 && SYMLIE_ANY(waits); k++) {
        const int status = newton_iterate(problem, policy, n, size, 1, waits, u, r, d, moved, counts, &gives_up);
        if (status != SYMLIE_DONE) return status;
        waits = gives_up;
        if (!SYMLIE_ANY(waits)) break;
        copy_where(waits, n, guess, u);
        problem->has_factors &= SYMLIE_NOT(waits);
        counts->refreshes += SYMLIE_ONES(waits);
    }
    waits |= SYMLIE_NOT(policy->reuses);
    const symlie_whole matrices = counts->jacobians;
    const int is_iterated = SYMLIE_ANY(waits);
    const int status = is_iterated ? newton_iterate(problem, policy, n, size, 0, waits, u, r, d, moved, counts, &gives_up) : SYMLIE_DONE;
    if (!HAS_TANGENTS || status != SYMLIE_DONE) return status;
    return newton_tangents(problem, n, SYMLIE_ANY(is_iterated ? counts->jacobians > matrices : problem->has_factors), u, r, d);
}

#endif
