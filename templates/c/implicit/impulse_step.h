/* Velocities after the impulses of a step at a configuration within it; see symlie/runtime/implicit/impulse_stage.py.
 *
 *   M (v+ - v) + h g(t, q, v) + B^T mu = 0,   B v+ + b = 0,   laws of impact and friction for W v+ + e W v
 *
 * Contacts with a gap have no impulse. */
#ifndef SYMLIE_IMPULSE_STEP_H
#define SYMLIE_IMPULSE_STEP_H

#define UNKNOWNS (DIMENSION + ROWS)
#define IS_FREE(k) (FIXED_TOPOLOGY || P->mobility[k] > 0)
#define STAGE_PULL(s) ((s)->B)

typedef struct {
    const symlie_problem *P;
    mass_matrix *mass;
    int is_end;                 /* 1: the stage provides the equations of slip */
    symlie_real t;
    const symlie_real *q;
    const symlie_real *v_n;
    const symlie_real *push;    /* h g */
    symlie_real *B;
    symlie_real *B_n;           /* B as well */
    symlie_real *change;        /* v - v+ */
    symlie_real *rows;
    symlie_real *u;             /* unknowns (v+, mu); the following arrays are scratch of Newton's method */
    symlie_real *r;
    symlie_real *d;
    symlie_real *moved;
    symlie_real *guess;
} newton_problem;

static inline void newton_residual(newton_problem *restrict s, const symlie_real *restrict u, symlie_real *restrict r)
{
    const symlie_problem *P = s->P;
    for (int k = 0; k < DIMENSION; k++) s->change[k] = s->v_n[k] - u[k], r[k] = 0;
    subtract_constraint_force(P, s->B, u + DIMENSION, r);
    for (int k = 0; k < DIMENSION; k++) r[k] = s->push[k] - r[k];
    subtract_inertia(P, s->mass->M, s->change, r);
    for (int k = 0; k < DIMENSION; k++)
        if (!IS_FREE(k)) r[k] = 0;
    hidden_residual(P, s->t, s->q, s->B, u, 0, s->rows, r + DIMENSION);
}

#include "stepped_contacts.h"

static inline long long impulse_workspace(const symlie_problem *restrict P)
{
    return contact_problem_workspace(P) + STORAGE + 3LL * DIMENSION + 3LL * ROWS + 2LL * JACOBIAN_VALUES + 5LL * UNKNOWNS;
}

/* Solve from the velocity v of the start of the step. */
static inline int solve_impulses(newton_problem *restrict s, contact_problem *restrict C, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    (void)P;
    for (int k = 0; k < UNKNOWNS; k++) s->u[k] = k < DIMENSION ? s->v_n[k] : 0;
    return solve_contacts(s, C, largest_entry(DIMENSION, s->v_n, 1), SLOW_ENOUGH, counts);
}

/* Compute v+, q with the modes of contacts, and the impulses divided by h as multipliers. */
static inline int step_impulses(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h, mass_matrix *restrict mass,
                                const symlie_real *restrict q, const symlie_real *restrict v_n, symlie_real *restrict v,
                                symlie_real *restrict modes, symlie_real *restrict force, newton_counts *restrict counts)
{
    ARRAY(full, STORAGE);
    ARRAY(push, DIMENSION);
    ARRAY(change, DIMENSION);
    ARRAY(speed, DIMENSION);
    ARRAY(rows, ROWS);
    ARRAY(gap, ROWS);
    ARRAY(rate, ROWS);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(sizes, JACOBIAN_VALUES);
    ARRAY(u, UNKNOWNS);
    ARRAY(r, UNKNOWNS);
    ARRAY(d, UNKNOWNS);
    ARRAY(moved, UNKNOWNS);
    ARRAY(guess, UNKNOWNS);
    CONTACT_PROBLEM(C);
    const symlie_real bound = CONTACT_ROUNDING * largest_entry(STORAGE, q, 1), fastest = largest_entry(DIMENSION, v_n, 1);
    newton_problem s = {.P = P, .mass = mass, .is_end = 1, .t = t, .q = full, .v_n = v_n, .push = push, .B = B, .B_n = B, .change = change,
                        .rows = rows, .u = u, .r = r, .d = d, .moved = moved, .guess = guess};
    set_contacts(P, q, 0, modes);
    system_force(P, t, modes, v_n, push);
    for (int k = 0; k < DIMENSION; k++) push[k] *= h;
    set_contacts(P, q, 1, full);
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, full, mass)) return mass_failure(P, SYMLIE_NUMBER(0), mass);
    system_constraint(P, t, full, gap);
    system_jacobian(P, t, full, v_n, B);
    hidden_residual(P, t, full, B, v_n, 0, rows, rate);
    system_contacts(P, t, full, C.law);
    for (int k = 0; k < ROWS; k++) C.before[k] = C.first[k] = 0;
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i), n = contact[CONTACT_NORMAL];
        C.eligible[i] = gap[n] <= bound;
        C.before[n] = rebound(q[contact[CONTACT_CLOSED]], C.law[2 * i + 1], rate[n], fastest);
    }
    int status = solve_impulses(&s, &C, counts);
    if (status == SYMLIE_NO_CONTACT_MODE && largest_entry(ROWS, C.before, 0) > 0) {
        for (int k = 0; k < ROWS; k++) C.before[k] = 0;
        status = solve_impulses(&s, &C, counts);
    }
    if (status != SYMLIE_DONE) return status;
    newton_residual(&s, u, r);
    for (int k = 0; k < DIMENSION; k++) v[k] = IS_FREE(k) ? u[k] : SYMLIE_NUMBER(0), speed[k] = fabs(v[k]);
    for (int k = 0; k < JACOBIAN_VALUES; k++) sizes[k] = fabs(B[k]);
    multiply_jacobian(P, sizes, speed, gap);
    for (int k = 0; k < ROWS; k++) force[k] = u[DIMENSION + k] / h;
    keep_contacts(P, &C, h, r + DIMENSION, gap, modes, force);
    return all_finite(DIMENSION, v) ? SYMLIE_DONE : SYMLIE_NOT_FINITE;
}

#endif
