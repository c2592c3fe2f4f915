/* Semismooth Newton method for a stage with contacts; see symlie/runtime/implicit/contact_solution.py. The stage is a
 * newton_problem with all equations of contacts in force. */
#ifndef SYMLIE_CONTACT_SOLUTION_H
#define SYMLIE_CONTACT_SOLUTION_H

#include "contact_equations.h"

/* Evaluate the residual of the stage. Mean rows of slip are the derivatives of slip in the first stage. */
static inline void contact_stage_residual(newton_problem *restrict s, const contact_problem *restrict C, const symlie_real *restrict u,
                                          symlie_real *restrict r)
{
    const symlie_problem *P = s->P;
    (void)P;
    newton_residual(s, u, r);
    for (int k = 0; k < JACOBIAN_VALUES && !s->is_end; k++)
        if (C->is_slip[JACOBIAN_ROW[k]] != 0) s->B[k] = (s->B_n[k] + s->B[k]) / 2;
}

/* Evaluate the residual with the natural map; contacts are closed up to a gap or velocity. */
static inline int contact_residual(newton_problem *restrict s, contact_problem *restrict C, symlie_real touching, const symlie_real *restrict u,
                                   symlie_real *restrict r, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    contact_stage_residual(s, C, u, r);
    counts->evaluations++;
    if (!all_finite(UNKNOWNS, r)) return SYMLIE_NOT_FINITE;
    weigh_contacts(P, C, s->mass->M, STAGE_PULL(s), s->B);
    map_contacts(P, C, touching, u + DIMENSION, r + DIMENSION);
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

#include "contact_sweeps.h"
#include "contact_cone.h"

/* Continue from the unknowns s->u after the correction s->d with the index n, by a secant after CONTACT_STEPS corrections. */
static inline void continue_contacts(const newton_problem *restrict s, const contact_problem *restrict C, int n)
{
    const symlie_problem *P = s->P;
    (void)P;
    symlie_real square = 0, along = 0;
    for (int k = 0; k < DIMENSION && n >= CONTACT_STEPS; k++) {
        const symlie_real turned = s->d[k] - C->corrected[k];
        square += turned * turned, along += s->d[k] * turned;
    }
    const symlie_real share = square > 0 ? along / square : 0;
    for (int k = 0; k < UNKNOWNS; k++) {
        const symlie_real reached = s->u[k];
        if (n >= CONTACT_STEPS) s->u[k] -= share * (reached - C->reached[k]);
        C->reached[k] = reached;
    }
    copy(DIMENSION, s->d, C->corrected);
}

/* Solve by contact problems of the linearised stage. Return SYMLIE_NO_CONTACT_MODE if this fails, and SYMLIE_SINGULAR if
 * it is not possible. */
static inline int solve_by_cones(newton_problem *restrict s, contact_problem *restrict C, symlie_real size, symlie_real correction,
                                 newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    (void)P;
    symlie_real last = (symlie_real)INFINITY;
    for (int n = 0; n < SECANT_STEPS; n++) {
        int status = contact_residual(s, C, -1, s->u, s->r, counts);
        if (status != SYMLIE_DONE) return status;
        contact_stage_residual(s, C, s->u, s->r);
        for (int k = 0; k < ROWS; k++) s->r[DIMENSION + k] += C->before[k];
        status = correct_by_cone(s, C, C->cone, CONE_SLACK * size, s->d, counts);
        if (status != SYMLIE_DONE) return status;
        const symlie_real change = largest_entry(DIMENSION, s->d, 0);
        for (int k = 0; k < UNKNOWNS; k++) s->u[k] -= s->d[k];
        if (change <= correction * size || (last / 2 < change && change <= CONTACT_ROUNDING * size)) {
            status = contact_residual(s, C, -1, s->u, s->r, counts);
            return status == SYMLIE_DONE && !(C->error <= CONE_ACCEPTED * size) ? SYMLIE_NO_CONTACT_MODE : status;
        }
        last = change;
        continue_contacts(s, C, n);
    }
    return SYMLIE_NO_CONTACT_MODE;
}

/* Solve by Newton's method alone. Return SYMLIE_NO_CONTACT_MODE if the active sets do not settle. */
static inline int iterate_contacts(newton_problem *restrict s, contact_problem *restrict C, symlie_real size, symlie_real correction,
                                   int is_restart, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    (void)P;
    symlie_real last = (symlie_real)INFINITY;
    C->is_soft = is_restart, C->first_error = 0;
    for (int i = 0; i < CONTACTS; i++) C->last_set[i] = -1;
    for (int n = 0; n < (is_restart ? SECANT_STEPS : CONTACT_STEPS); n++) {
        /* At first, contacts without a gap count as closed, so that stacks do not close one contact per step. */
        int status = contact_residual(s, C, n == 0 ? CONTACT_ROUNDING * size : -1, s->u, s->r, counts), is_settled = 1;
        if (status == SYMLIE_DONE && C->error > GROWN_ERROR * C->first_error) {
            /* Contacts are nearly redundant. */
            if (C->is_soft) return SYMLIE_NO_CONTACT_MODE;
            C->is_soft = 1, last = (symlie_real)INFINITY;
            for (int i = 0; i < CONTACTS; i++) C->last_set[i] = -1;
            copy(UNKNOWNS, s->guess, s->u);
            status = contact_residual(s, C, -1, s->u, s->r, counts);
        }
        if (status == SYMLIE_DONE) status = contact_correction(s, C, s->r, s->d, counts);
        if (status == SYMLIE_SINGULAR || (n > 0 && status == SYMLIE_NOT_FINITE)) return SYMLIE_NO_CONTACT_MODE;
        if (status != SYMLIE_DONE) return status;
        const symlie_real change = largest_entry(DIMENSION, s->d, 0);
        for (int k = 0; k < UNKNOWNS; k++) s->u[k] -= s->d[k];
        for (int i = 0; i < CONTACTS; i++) {
            if (C->set[i] != C->last_set[i]) is_settled = 0;
            C->last_set[i] = C->set[i];
        }
        is_settled |= C->error <= CONTACT_ROUNDING * size;
        /* With a compliance, steps also converge if there is no solution. */
        is_settled &= C->error <= CONE_ACCEPTED * size;
        if (is_settled && (change <= correction * size || (last / 2 < change && change <= CONTACT_ROUNDING * size))) {
            /* Impulses of nearly redundant contacts can change without velocities. */
            status = contact_residual(s, C, -1, s->u, s->r, counts);
            if (status != SYMLIE_DONE) return status;
            if (C->error <= CONE_ACCEPTED * size) return SYMLIE_DONE;
        }
        last = change;
        continue_contacts(s, C, n);
    }
    return SYMLIE_NO_CONTACT_MODE;
}

/* Solve for u from an initial guess, for unknowns of the given size and a largest final correction relative to it. */
SYMLIE_COLD int solve_contacts(newton_problem *restrict s, contact_problem *restrict C, symlie_real size, symlie_real correction,
                               newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    (void)P;
    int sweeps = CONTACT_SWEEPS;
    copy(UNKNOWNS, s->u, s->guess);
    for (int n = 0;; n++) {
        int status = iterate_contacts(s, C, size, correction, n > 0, counts);
        if (n == 0 && status == SYMLIE_NO_CONTACT_MODE) {
            copy(UNKNOWNS, s->guess, s->u);
            status = solve_by_cones(s, C, size, correction, counts);
            /* The caller solves without restitution, which can prevent a solution. */
            if (status == SYMLIE_NO_CONTACT_MODE && largest_entry(ROWS, C->before, 0) > 0) return status;
            if (status == SYMLIE_SINGULAR) status = SYMLIE_NO_CONTACT_MODE;
        }
        if (status != SYMLIE_NO_CONTACT_MODE) return status;
        copy(UNKNOWNS, s->guess, s->u);
        if (n == SWEEP_ROUNDS || !sweep_contacts(s, C, sweeps)) break;
        copy(UNKNOWNS, s->u, s->guess);
        sweeps *= 4;
    }
    const int status = contact_residual(s, C, -1, s->u, s->r, counts);
    if (status != SYMLIE_DONE) return status;
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        s->r[DIMENSION + contact[CONTACT_NORMAL]] = 0;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) s->r[DIMENSION + contact_tangent(contact, k)] = 0;
    }
    return fmax(C->error, largest_entry(ROWS, s->r + DIMENSION, 0)) <= CONE_ACCEPTED * size ? SYMLIE_DONE : SYMLIE_NO_CONTACT_MODE;
}

#endif
