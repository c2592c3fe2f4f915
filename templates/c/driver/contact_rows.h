/* Equations of contacts at a state: their matrix W, K^-1 W^T for the saddle point matrix K of all other constraints, and
 * G = W K^-1 W^T. */
#ifndef SYMLIE_CONTACT_ROWS_H
#define SYMLIE_CONTACT_ROWS_H

#include "cone_problem.h"
#include "contact_table.h"

/* Some contacts, then all friction of constraints, with the first row of each and the number of rows, and memory for all; rows
 * have the stride DIMENSION in W and X, and CONTACT_ROWS in G. */
typedef struct {
    int count;    /* contacts and friction */
    int contacts;
    int *contact;
    int *begin;
    int *first;   /* first component of the reaction of each friction, and their number */
    symlie_real *friction;
    symlie_real *W;
    symlie_real *X;
    symlie_real *G;
    symlie_real *rate;          /* W v + b */
    symlie_real *size;          /* sizes of the terms of W v */
    symlie_real *curvature;
    symlie_real *limit;
    symlie_real *response;      /* of reactions to forces along rows, component by component with the stride CONTACT_ROWS */
} contact_rows;

#define CONTACT_MEMORY (2LL * CONTACTS + CONTACT_ROWS * (2LL * DIMENSION + CONTACT_ROWS + 3 + REACTIONS))

/* Place the arrays in memory of CONTACT_MEMORY numbers. */
static inline void place_contact_rows(const symlie_problem *restrict P, symlie_real *memory, contact_rows *restrict R)
{
    R->friction = memory;
    R->W = R->friction + CONTACTS;
    R->X = R->W + CONTACT_ROWS * DIMENSION;
    R->G = R->X + CONTACT_ROWS * DIMENSION;
    R->rate = R->G + CONTACT_ROWS * CONTACT_ROWS;
    R->size = R->rate + CONTACT_ROWS;
    R->curvature = R->size + CONTACT_ROWS;
    R->limit = R->curvature + CONTACT_ROWS;
    R->response = R->limit + CONTACTS;
}

/* First row of the slip of a contact or friction. */
static inline int first_slip(const contact_rows *restrict R, int i)
{
    return R->begin[i] + (i < R->contacts);
}

/* Friction of constraints in an impact, in which only reactions count; `none` are zeros for all rows and reactions. */
static inline cone_friction impulsive_friction(const contact_rows *restrict R, int stride, const symlie_real *restrict none)
{
    const cone_friction found = {R->count - R->contacts, R->friction + R->contacts, none, R->first, none, R->response, stride, 0, 0};
    return found;
}

/* Copy a configuration with all contacts open (0) or all equations of contacts in force (1). */
static inline void with_contacts(const symlie_problem *restrict P, const symlie_real *restrict q, symlie_real activity, symlie_real *restrict out)
{
    for (int k = 0; k < STORAGE; k++) out[k] = q[k];
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        out[contact[CONTACT_CLOSED]] = activity;
        out[contact[CONTACT_SPEED] + 1] = 0; /* no slack */
        if (contact[CONTACT_SLIPS]) out[contact[CONTACT_STICKS]] = activity;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) out[implied_place(contact, k)] = 0;
    }
}

static inline long long evaluation_workspace(const symlie_problem *restrict P)
{
    return STORAGE + 3LL * JACOBIAN_VALUES + 2LL * DIMENSION + 6LL * ROWS + REACTIONS;
}

/* Compute G = W X^T. */
static inline void multiply_rows(const symlie_problem *restrict P, const contact_rows *restrict R)
{
    const int rows = R->begin[R->count];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            symlie_real sum = 0;
            for (int k = 0; k < DIMENSION; k++) sum += R->W[i * DIMENSION + k] * R->X[j * DIMENSION + k];
            R->G[i * CONTACT_ROWS + j] = sum;
        }
}

/* Return whether constraints fix a gap: their forces balance the force along it, W of the given row, in every component that it
 * accelerates. `B` contains the absolute entries of B, and `left` the force that the multipliers leave. */
static inline int gap_is_fixed(const symlie_problem *restrict P, const contact_rows *restrict R, int row, const symlie_real *restrict B,
                               symlie_real *restrict lambda, symlie_real *restrict left, symlie_real *restrict terms)
{
    const symlie_real *restrict W = R->W + row * DIMENSION, *restrict X = R->X + row * DIMENSION;
    for (int k = 0; k < ROWS; k++) lambda[k] = -fabs(lambda[k]);
    for (int k = 0; k < DIMENSION; k++) terms[k] = fabs(W[k]);
    subtract_constraint_force(P, B, lambda, terms);
    for (int k = 0; k < DIMENSION; k++)
        if (X[k] != 0 && !(fabs(left[k]) <= FIXED_GAP * terms[k])) return 0;
    return 1;
}

/* Evaluate the rows of the contacts in R, of which `contact` and `contacts` are known, and of all friction. */
SYMLIE_COLD int evaluate_contact_rows(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                      const symlie_real *restrict v, const symlie_real *restrict law, mass_matrix *restrict mass,
                                      contact_rows *restrict R)
{
    ARRAY(at, STORAGE);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(open, JACOBIAN_VALUES);
    ARRAY(sized, JACOBIAN_VALUES);
    ARRAY(speed, DIMENSION);
    ARRAY(r, DIMENSION);
    ARRAY(rate, ROWS);
    ARRAY(size, ROWS);
    ARRAY(curvature, ROWS);
    ARRAY(unit, ROWS);
    ARRAY(none, ROWS);
    ARRAY(lambda, ROWS);
    ARRAY(F, REACTIONS);
    R->count = R->contacts;
    R->first[0] = 0;
    for (int i = 0; i < CONTACTS; i++) {
        if (is_contact(P, i)) continue;
        const int k = R->count - R->contacts;
        R->first[k + 1] = R->first[k] + contact_of(P, i)[CONTACT_REACTIONS];
        R->contact[R->count++] = i;
    }
    with_contacts(P, q, 0, at);
    system_jacobian(P, t, at, v, open);
    with_contacts(P, q, 1, at);
    system_jacobian(P, t, at, v, B);
    system_curvature(P, t, at, v, curvature);
    hidden_residual(P, t, at, B, v, 0, none, rate);
    for (int k = 0; k < JACOBIAN_VALUES; k++) sized[k] = fabs(B[k]);
    for (int k = 0; k < DIMENSION; k++) speed[k] = fabs(v[k]);
    multiply_jacobian(P, sized, speed, size);
    /* Bodies at rest have velocities of which all digits are rounding. */
    symlie_real least = 0;
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        if (is_contact(P, i)) least = fmax(least, size[contact[CONTACT_NORMAL]]);
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) least = fmax(least, size[contact[CONTACT_SLIP] + k]);
    }
    least *= CONTACT_ROUNDING;
    for (int k = 0; k < ROWS; k++) unit[k] = none[k] = 0;
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, q, mass)) return mass_failure(P, 0, mass);
    if (!find_dependent_rows(P, open, mass)) return SYMLIE_NOT_FINITE;
    int row = 0;
    for (int i = 0; i < R->count; i++) {
        const int *contact = contact_of(P, R->contact[i]);
        R->begin[i] = row;
        R->friction[i] = law[2 * R->contact[i]];
        R->limit[i] = law[2 * R->contact[i] + 1];
        for (int j = i < R->contacts ? 0 : 1; j < 1 + contact[CONTACT_SLIPS]; j++, row++) {
            const int equation = j ? contact[CONTACT_SLIP] + j - 1 : contact[CONTACT_NORMAL];
            for (int k = 0; k < DIMENSION; k++) r[k] = 0;
            unit[equation] = -1;
            subtract_constraint_force(P, B, unit, r);
            unit[equation] = 0;
            copy(DIMENSION, r, R->W + row * DIMENSION);
            if (!solve_stage(P, mass, open, open, r, none, R->X + row * DIMENSION, lambda)) return stage_failure(P, 0, mass, r, none);
#if REACTIONS
            system_reactions(P, t, q, v, lambda, F);
#endif
            for (int k = 0; k < REACTIONS; k++) R->response[k * CONTACT_ROWS + row] = F[k];
            if (j == 0) {
                for (int k = 0; k < JACOBIAN_VALUES; k++) sized[k] = fabs(open[k]);
                subtract_constraint_force(P, open, lambda, r);
                if (gap_is_fixed(P, R, row, sized, lambda, r, speed)) return SYMLIE_NO_CONTACT_MODE;
            }
            R->rate[row] = rate[equation], R->size[row] = fmax(size[equation], least), R->curvature[row] = curvature[equation];
        }
    }
    R->begin[R->count] = row;
    multiply_rows(P, R);
    return SYMLIE_DONE;
}

/* Product of row i of W and a vector. */
static inline symlie_real along_row(const symlie_problem *restrict P, const contact_rows *restrict R, int i, const symlie_real *restrict x)
{
    symlie_real sum = 0;
    for (int k = 0; k < DIMENSION; k++) sum += R->W[i * DIMENSION + k] * x[k];
    return sum;
}

/* Add the change of velocities by the impulses p. */
static inline void add_contact_impulses(const symlie_problem *restrict P, const contact_rows *restrict R, const symlie_real *restrict p, symlie_real *restrict v)
{
    for (int i = 0; i < R->begin[R->count]; i++)
        for (int k = 0; k < DIMENSION; k++) v[k] += p[i] * R->X[i * DIMENSION + k];
}

#endif
