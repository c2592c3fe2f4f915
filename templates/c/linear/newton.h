/* Newton's method for the equations r(u) = 0 of an implicit step; see methods/newton_iteration.py, which makes the same
 * decisions. A method defines, before it includes this file:
 *
 *   newton_problem                     what its equations depend on
 *   newton_residual(problem, u, r)     r at u
 *   newton_refresh(problem)            take the matrix where the residual was computed last; a symlie_status
 *   newton_correction(problem, r, d)   d = matrix^-1 r with the matrix that was taken last; a symlie_status
 *   newton_floor(problem)              norm of a residual that is made of rounding alone, or 0 if it is not known */
#ifndef SYMLIE_NEWTON_H
#define SYMLIE_NEWTON_H

typedef struct {
    int iterations;
    int halvings;
    symlie_real correction;     /* largest entry of a correction, relative to the size of the unknowns, that ends it */
    symlie_real rtol;           /* norm of the residual that ends it, relative to the first ones, and as such */
    symlie_real atol;
    symlie_real contraction;    /* factor by which kept factors must reduce the residual; 0: full Newton */
    int free;                   /* corrections at the beginning that are taken as they are */
} newton_policy;

#define NEWTON_POLICY {NEWTON_STEPS, NEWTON_HALVINGS, NEWTON_ENOUGH, 0, 0, 0, 0}

typedef struct {
    long long evaluations;
    long long iterations;
    long long matrices;
    long long halvings;
    long long rounding_floor;   /* whether it ended where rounding does not let the residual fall any further */
} newton_counts;

#define NEWTON_COUNTS {0, 0, 0, 0, 0}

/* u becomes the solution from a first guess; r, d and moved are scratch. */
static inline int newton_solve(newton_problem *restrict problem, const newton_policy *restrict policy, int n, symlie_real size,
                               symlie_real *restrict u, symlie_real *restrict r, symlie_real *restrict d, symlie_real *restrict moved,
                               newton_counts *restrict counts)
{
    int keeps = 0;
    newton_residual(problem, u, r);
    counts->evaluations++;
    symlie_real norm = sum_of_squares(n, r), first = norm;
    for (;;) {
        int status = SYMLIE_DONE, halving = 0;
        symlie_real part = 1, reduced;
        if (!all_finite(n, r)) return SYMLIE_NOT_FINITE;
        if (counts->iterations <= 1) first = fmax(first, norm);
        const symlie_real enough = fmax(policy->atol, policy->rtol * sqrt(first));
        if (norm == 0 || (counts->iterations && sqrt(norm) <= enough)) return SYMLIE_DONE;
        if (counts->iterations == policy->iterations) return SYMLIE_NOT_CONVERGED;
        if (!keeps) {
            status = newton_refresh(problem);
            counts->matrices++;
        }
        counts->iterations++;
        if (status == SYMLIE_DONE) status = newton_correction(problem, r, d);
        if (status != SYMLIE_DONE) return status;
        if (largest_entry(n, d, 0) <= policy->correction * size) {
            for (int k = 0; k < n; k++) u[k] -= d[k];
            return SYMLIE_DONE;
        }
        for (;; halving++, part /= 2) {
            for (int k = 0; k < n; k++) moved[k] = u[k] - part * d[k];
            newton_residual(problem, moved, r);
            counts->evaluations++;
            reduced = sum_of_squares(n, r);
            if (!(reduced < norm / 4) && sqrt(norm) <= NEWTON_FLOOR * newton_floor(problem)) {
                counts->rounding_floor = 1;
                if (reduced < norm) copy(n, moved, u);
                return SYMLIE_DONE;
            }
            if (reduced < norm || counts->iterations <= policy->free) break;
            counts->halvings++;
            if (halving == policy->halvings) break;
        }
        if (!(reduced < norm || counts->iterations <= policy->free)) {
            /* Old factors may lead nowhere: the matrix at u itself is tried. */
            if (!keeps) return SYMLIE_NOT_CONVERGED;
            newton_residual(problem, u, r);
            counts->evaluations++;
            keeps = 0;
            continue;
        }
        keeps = reduced < policy->contraction * policy->contraction * norm;
        norm = reduced;
        copy(n, moved, u);
        if (counts->iterations > 2 && sqrt(norm) > enough && enough > 0 && sqrt(norm) <= newton_floor(problem)) {
            counts->rounding_floor = 1;
            return SYMLIE_DONE;
        }
    }
}

#endif
