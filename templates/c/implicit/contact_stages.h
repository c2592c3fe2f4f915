/* Stages of time stepping with contacts; see symlie/runtime/methods/programs/contact_stages.py.
 *
 * mu_1 = -h P_1 of the first stage, mu_2 = -P_2 of the second one. While no contact closes, both stages are those without
 * contacts. */
#ifndef SYMLIE_CONTACT_STAGES_H
#define SYMLIE_CONTACT_STAGES_H

/* Rows of the constraint forces of a stage. */
#define STAGE_PULL(s) ((s)->is_end ? (s)->B : (s)->B_n)

#include "variational_solution.h"
#include "stepped_contacts.h"

static inline long long contact_stage_workspace(const symlie_problem *restrict P)
{
    return contact_problem_workspace(P) + discrete_workspace(P) + 3LL * STORAGE + 5LL * DIMENSION + 5LL * ROWS + JACOBIAN_VALUES;
}

/* Like discrete_start, with contacts. */
static inline int contact_start(newton_problem *restrict s, symlie_real *restrict work, symlie_real t, symlie_real h,
                                const symlie_real *restrict q_n, const symlie_real *restrict v_n, const symlie_real *restrict known_load,
                                symlie_real has_load, const symlie_real *restrict guess, const symlie_real *restrict mu_guess,
                                symlie_real is_solution, const symlie_real *restrict known_rest, int is_first,
                                symlie_real *restrict theta, symlie_real *restrict increment, symlie_real *restrict q,
                                symlie_real *restrict mu, symlie_real *restrict rest, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    ARRAY(opened, STORAGE);
    ARRAY(full, STORAGE);
    ARRAY(at_end, STORAGE);
    ARRAY(open_guess, ROWS);
    ARRAY(gap, ROWS);
    ARRAY(target, DIMENSION);
    ARRAY(held, DIMENSION);
    ARRAY(load, DIMENSION);
    CONTACT_PROBLEM(C);
    int is_closed = 0, is_met = 0;
    set_contacts(P, q_n, 0, opened);
    copy(ROWS, mu_guess, open_guess);
    for (int i = 0; i < CONTACTS && is_solution == 0; i++) {
        const int *contact = contact_of(P, i);
        is_closed |= q_n[contact[CONTACT_CLOSED]] != 0 || mu_guess[contact[CONTACT_NORMAL]] < 0;
        open_guess[contact[CONTACT_NORMAL]] = 0;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) open_guess[contact_tangent(contact, k)] = 0;
    }
    if (!is_closed) {
        const int status = discrete_start(s, work, t, h, opened, v_n, known_load, has_load, guess, open_guess, is_solution, known_rest, is_first, theta,
                                          increment, q, mu, rest, counts);
        if (status != SYMLIE_DONE || is_solution != 0) return status;
        set_contacts(P, q, 1, full);
        system_constraint(P, t + h, full, gap);
        for (int i = 0; i < CONTACTS; i++) is_met |= !(gap[contact_of(P, i)[CONTACT_NORMAL]] >= 0);
        if (!is_met) return SYMLIE_DONE;
    }
    set_contacts(P, q_n, 1, full);
    s->is_end = 0, s->is_unbound = 0, s->is_open = 0, s->takes_matrix = SYMLIE_FALSE, s->has_factors = SYMLIE_FALSE;
    s->t_n = t, s->t = t + h, s->h = h, s->q_n = full, s->target = target, s->held = held;
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, full, s->mass)) return mass_failure(P, SYMLIE_NUMBER(0), s->mass);
    for (int k = 0; k < DIMENSION; k++) s->v[k] = 0;
    system_jacobian(P, t, full, s->v, s->B_n);
    if (has_load == 0) take_end_load(P, t, full, v_n, load);
    else copy(DIMENSION, known_load, load);
    system_conjugate_momentum(P, t, full, v_n, target);
    for (int k = 0; k < DIMENSION; k++) target[k] -= h * START_WEIGHT * load[k];
    take_held(P, t + h, full, at_end, s->v, held);
    for (int k = 0; k < DIMENSION; k++) s->u[k] = IS_FREE(k) ? guess[k] : SYMLIE_NUMBER(0);
    for (int k = 0; k < ROWS; k++) s->u[DIMENSION + k] = mu_guess[k], C.first[k] = C.before[k] = 0;
    system_contacts(P, t, full, C.law);
    for (int k = 0; k < ROWS; k++) C.is_slip[k] = 0;
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        C.eligible[i] = 1;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) C.is_slip[contact_tangent(contact, k)] = 1;
    }
    int status = solve_contacts(s, &C, largest_entry(STORAGE, q_n, 1), SLOW_ENOUGH, counts);
    if (status != SYMLIE_DONE) return status;
    /* Remove the contribution of the rounding of the equations to the momentum. */
    status = contact_residual(s, &C, -1, s->u, s->r, counts);
    for (int k = DIMENSION; k < UNKNOWNS; k++) s->r[k] = 0;
    if (status == SYMLIE_DONE) status = contact_correction(s, &C, s->r, s->d, counts);
    if (status == SYMLIE_SINGULAR) status = correct_momentum(s, &C, s->r, s->d, counts);
    if (status != SYMLIE_DONE) return status;
    for (int k = 0; k < UNKNOWNS; k++) s->u[k] -= s->d[k];
    /* The second stage balances impulses that are removed here. */
    drop_rounding(P, s->u + DIMENSION);
    newton_residual(s, s->u, s->r);
    copy(DIMENSION, s->theta, theta);
    for (int k = 0; k < DIMENSION; k++) rest[k] = s->r[k] / h, increment[k] = IS_FREE(k) ? theta[k] : SYMLIE_NUMBER(0);
    copy(ROWS, s->u + DIMENSION, mu);
    if (is_first) {
        const symlie_real angle = system_chart(P, q_n, increment);
        if (!(angle < CHART_LIMIT)) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    }
    set_contacts(P, s->q, 0, opened);
    system_normalize(P, opened, q);
    return SYMLIE_DONE;
}

/* Solve the second stage from the mean velocity of the step. */
static inline int solve_end_with_contacts(newton_problem *restrict s, contact_problem *restrict C, symlie_real h, const symlie_real *restrict theta,
                                          symlie_real size, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    (void)P;
    for (int k = 0; k < DIMENSION; k++) s->u[k] = theta[k] / h;
    for (int k = 0; k < ROWS; k++) s->u[DIMENSION + k] = 0;
    return solve_contacts(s, C, size, SLOW_ENOUGH, counts);
}

/* Like discrete_end, with contacts: mu_1 is that of the first stage; q with the modes of contacts and their multipliers are
 * further results. */
static inline int contact_end(newton_problem *restrict s, symlie_real *restrict work, symlie_real t, symlie_real h, const symlie_real *restrict q_n,
                              const symlie_real *restrict v_n, const symlie_real *restrict q, const symlie_real *restrict theta,
                              const symlie_real *restrict rest, const symlie_real *restrict mu_1, symlie_real *restrict is_damped,
                              symlie_real *restrict v, symlie_real *restrict load, symlie_real *restrict mu, symlie_real *restrict modes,
                              symlie_real *restrict force, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    ARRAY(full, STORAGE);
    ARRAY(begin, STORAGE);
    ARRAY(target, DIMENSION);
    ARRAY(speed, DIMENSION);
    ARRAY(gap, ROWS);
    ARRAY(rate, ROWS);
    ARRAY(B, JACOBIAN_VALUES);
    CONTACT_PROBLEM(C);
    const symlie_real bound = CONTACT_ROUNDING * largest_entry(STORAGE, q, 1), fastest = largest_entry(DIMENSION, v_n, 1);
    int is_met = 0;
    set_contacts(P, q, 1, full);
    system_constraint(P, t + h, full, gap);
    for (int i = 0; i < CONTACTS; i++) {
        const int n = contact_of(P, i)[CONTACT_NORMAL];
        C.eligible[i] = mu_1[n] < 0 || gap[n] <= bound;
        is_met |= C.eligible[i] != 0;
    }
    set_contacts(P, q, 0, modes);
    if (!is_met) {
        set_contacts(P, q_n, 0, begin);
        for (int k = 0; k < ROWS; k++) force[k] = 0;
        return discrete_end(s, work, t, h, begin, v_n, modes, theta, rest, is_damped, v, load, mu, counts);
    }
    set_contacts(P, q_n, 1, begin);
    s->is_end = 1, s->is_unbound = 0, s->is_open = 0, s->takes_matrix = SYMLIE_FALSE, s->has_factors = SYMLIE_FALSE;
    s->t_n = t, s->t = t + h, s->h = h, s->q_n = begin, s->target = target;
    system_end_momentum(P, t, begin, full, theta, h, target);
    for (int k = 0; k < DIMENSION; k++) target[k] -= rest[k], s->v[k] = 0;
    copy(STORAGE, full, s->q);
    /* Speeds at the start, to which restitution applies unless a contact is closed. */
    system_jacobian(P, t, begin, s->v, B);
    hidden_residual(P, t, begin, B, v_n, 0, s->rows, rate);
    system_contacts(P, t, full, C.law);
    for (int k = 0; k < ROWS; k++) C.before[k] = C.first[k] = 0;
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i), n = contact[CONTACT_NORMAL];
        C.before[n] = rebound(q_n[contact[CONTACT_CLOSED]], C.law[2 * i + 1], rate[n], fastest);
        C.first[n] = mu_1[n] / h;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) C.first[contact_tangent(contact, k)] = mu_1[contact_tangent(contact, k)] / h;
    }
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, s->t, full, s->mass)) return mass_failure(P, SYMLIE_NUMBER(0), s->mass);
    system_jacobian(P, s->t, full, s->v, s->B);
    int status = solve_end_with_contacts(s, &C, h, theta, fastest, counts);
    if (status == SYMLIE_NO_CONTACT_MODE && largest_entry(ROWS, C.before, 0) > 0) {
        for (int k = 0; k < ROWS; k++) C.before[k] = 0;
        status = solve_end_with_contacts(s, &C, h, theta, fastest, counts);
    }
    if (status != SYMLIE_DONE) return status;
    newton_residual(s, s->u, s->r);
    for (int k = 0; k < DIMENSION; k++) v[k] = IS_FREE(k) ? s->u[k] : SYMLIE_NUMBER(0);
    if (MOTIONS > 0) system_prescribe(P, s->t, s->q, v);
    for (int k = 0; k < JACOBIAN_VALUES; k++) B[k] = fabs(s->B[k]);
    for (int k = 0; k < DIMENSION; k++) speed[k] = fabs(v[k]);
    multiply_jacobian(P, B, speed, gap);
    for (int k = 0; k < ROWS; k++) mu[k] = s->u[DIMENSION + k], force[k] = (mu[k] + C.first[k]) / h;
    keep_contacts(P, &C, h, s->r + DIMENSION, gap, modes, force);
    take_end_load(P, s->t, modes, v, load);
    return all_finite(DIMENSION, v) ? SYMLIE_DONE : SYMLIE_NOT_FINITE;
}

/* Multipliers of contacts, and those of all other equations. */
static inline void step_of_contacts(const symlie_problem *restrict P, const symlie_real *restrict contacts, const symlie_real *restrict others,
                                    symlie_real *restrict out)
{
    for (int k = 0; k < ROWS; k++) out[k] = others[k];
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        out[contact[CONTACT_NORMAL]] = contacts[contact[CONTACT_NORMAL]];
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) out[contact_tangent(contact, k)] = contacts[contact_tangent(contact, k)];
    }
}

#endif
