/* Semismooth Newton method for a stage with contacts; see symlie/runtime/implicit/contact_solution.py. The stage is a
 * newton_problem with all equations of contacts in force. */
#ifndef SYMLIE_CONTACT_SOLUTION_H
#define SYMLIE_CONTACT_SOLUTION_H

#include "contact_equations.h"

/* Evaluate the residual with the natural map. */
static inline int contact_residual(newton_problem *restrict s, contact_problem *restrict C, const symlie_real *restrict u, symlie_real *restrict r,
                                   newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    newton_residual(s, u, r);
    counts->evaluations++;
    if (!all_finite(UNKNOWNS, r)) return SYMLIE_NOT_FINITE;
    weigh_contacts(P, C, s->mass->M, STAGE_PULL(s), s->B);
    map_contacts(P, C, u + DIMENSION, r + DIMENSION);
    if (!(C->first_error > 0)) C->first_error = C->error;
    return SYMLIE_DONE;
}

/* Compute d = matrix^-1 r. Contacts that are redundant become soft, the less the smaller the error is. */
static inline int contact_correction(newton_problem *restrict s, contact_problem *restrict C, const symlie_real *restrict r,
                                     symlie_real *restrict d, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    const elimination E = read_elimination(ELIMINATION);
    int largest = 0, status = SYMLIE_SINGULAR;
    for (int k = 1; k < UNKNOWNS; k++)
        if (fabs(r[k]) > fabs(r[largest])) largest = k;
    counts->slowest = largest, counts->iterations++, counts->jacobians++;
    for (int n = C->is_soft; n < 2 && status == SYMLIE_SINGULAR; n++) {
        const symlie_real share = C->first_error > 0 ? C->error / C->first_error : 0;
        C->is_soft = n;
        status = factorise_contacts(P, C, s->mass->M, STAGE_PULL(s), s->B,
                                    n ? fmin(fmax(LARGEST_COMPLIANCE * share, LEAST_COMPLIANCE), LARGEST_COMPLIANCE) : 0);
        counts->factorisations++;
    }
    if (status != SYMLIE_DONE) return status;
    for (int k = 0; k < SADDLE_UNKNOWNS; k++) C->x[k] = k < UNKNOWNS ? r[k] : 0;
    solve_factorised(&E, C->matrix, C->x);
    for (int k = 0; k < UNKNOWNS; k++) d[k] = C->x[k];
    return SYMLIE_DONE;
}

/* Solve for u from an initial guess, for unknowns of the given size and a largest final correction relative to it. */
SYMLIE_COLD int solve_contacts(newton_problem *restrict s, contact_problem *restrict C, symlie_real size, symlie_real correction,
                               newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    symlie_real last = INFINITY;
    C->is_soft = 0, C->first_error = 0;
    for (int i = 0; i < CONTACTS; i++) C->last_set[i] = -1;
    for (int n = 0; n < CONTACT_STEPS; n++) {
        int status = contact_residual(s, C, s->u, s->r, counts), is_settled = 1;
        if (status == SYMLIE_DONE) status = contact_correction(s, C, s->r, s->d, counts);
        if (status != SYMLIE_DONE) return status;
        const symlie_real change = largest_entry(DIMENSION, s->d, 0);
        for (int k = 0; k < UNKNOWNS; k++) s->u[k] -= s->d[k];
        for (int i = 0; i < CONTACTS; i++) {
            if (C->set[i] != C->last_set[i]) is_settled = 0;
            C->last_set[i] = C->set[i];
        }
        if (is_settled && (change <= correction * size || (last / 2 < change && change <= CONTACT_ROUNDING * size))) return SYMLIE_DONE;
        last = change;
    }
    return SYMLIE_NO_CONTACT_MODE;
}

#endif
