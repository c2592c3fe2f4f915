/* Equations of contacts of a time-stepping step; see symlie/runtime/implicit/contact_equations.py.
 *
 * With the impulses y = -(mu + mu_0) of contacts, their equations c are replaced by the natural map
 *
 *   y_N = max(y_N - rho c_N, 0),   y_T = projection of y_T - rho c_T onto |y_T| <= mu max(y_N - rho c_N, 0),
 *
 * and the matrix of a semismooth Newton step is [M, B_n^T; L B, D], with a block of each contact in L and D. */
#ifndef SYMLIE_CONTACT_EQUATIONS_H
#define SYMLIE_CONTACT_EQUATIONS_H

#include "contact_table.h"
#include "cone_problem.h"

/* Largest number of equations of the problem: at most those of all contacts. */
#define CONE_ROWS (3 * CONTACTS < LARGEST_CONE ? 3 * CONTACTS : LARGEST_CONE)

static inline long long contact_cone_workspace(const symlie_problem *restrict P)
{
    return CONE_ROWS * (long long)CONE_ROWS + CONE_WORKSPACE(CONE_ROWS) + 5LL * CONE_ROWS + 2LL * ROWS + 2LL * UNKNOWNS + 2LL * CONTACTS;
}

/* Active sets. */
enum { CONTACT_OPEN, CONTACT_SLIDES, CONTACT_HOLDS };

typedef struct {
    symlie_real *law;           /* coefficients of friction and restitution of each contact */
    symlie_real *first;         /* mu_0, and what is added to c */
    symlie_real *before;
    symlie_real *eligible;      /* 1 for contacts that may close */
    symlie_real *set;           /* active set of each contact, and the last one */
    symlie_real *last_set;
    symlie_real *weight;        /* rho of the normal and tangential equations of each contact */
    symlie_real *own;           /* factors of the own row of each equation in L, and of the other tangential row */
    symlie_real *other;
    symlie_real *block;         /* D, 3 x 3 for each contact */
    symlie_real *diagonal;      /* of M */
    symlie_real *sum;           /* scratch for each equation */
    symlie_real *matrix;
    symlie_real *x;
    symlie_real *cone;          /* workspace of a contact problem of the linearised stage */
    symlie_real *inverse;       /* M^-1 by nodes */
    symlie_real *is_slip;       /* 1 for equations of slip */
    symlie_real *reached;       /* unknowns after the last correction, and this correction */
    symlie_real *corrected;
    symlie_real error;          /* largest entry of the natural map, as a gap or velocity, now and at first */
    symlie_real first_error;
    int is_soft;                /* 1 if contacts are redundant */
} contact_problem;

#define CONTACT_PROBLEM(name)                                                                                       \
    ARRAY(name##_law, 2 * CONTACTS);                                                                                \
    ARRAY(name##_first, ROWS);                                                                                      \
    ARRAY(name##_before, ROWS);                                                                                     \
    ARRAY(name##_eligible, CONTACTS);                                                                               \
    ARRAY(name##_set, CONTACTS);                                                                                    \
    ARRAY(name##_last_set, CONTACTS);                                                                               \
    ARRAY(name##_weight, 2 * CONTACTS);                                                                             \
    ARRAY(name##_own, ROWS);                                                                                        \
    ARRAY(name##_other, ROWS);                                                                                      \
    ARRAY(name##_block, 9 * CONTACTS);                                                                              \
    ARRAY(name##_diagonal, DIMENSION);                                                                              \
    ARRAY(name##_sum, ROWS);                                                                                        \
    ARRAY(name##_matrix, MATRIX_VALUES);                                                                            \
    ARRAY(name##_inverse, NODE_ROW[DIMENSION] + 1);                                                                 \
    ARRAY(name##_is_slip, ROWS);                                                                                    \
    ARRAY(name##_reached, UNKNOWNS);                                                                                \
    ARRAY(name##_corrected, DIMENSION);                                                                             \
    ARRAY(name##_x, SADDLE_UNKNOWNS);                                                                               \
    contact_problem name = {.law = name##_law, .first = name##_first, .before = name##_before,                      \
                            .eligible = name##_eligible, .set = name##_set, .last_set = name##_last_set,            \
                            .weight = name##_weight, .own = name##_own, .other = name##_other,                      \
                            .block = name##_block, .diagonal = name##_diagonal, .sum = name##_sum,                  \
                            .matrix = name##_matrix, .x = name##_x, .inverse = name##_inverse, .cone = work,     \
                            .is_slip = name##_is_slip, .reached = name##_reached, .corrected = name##_corrected}

static inline long long contact_problem_workspace(const symlie_problem *restrict P)
{
    return contact_cone_workspace(P) + 16LL * CONTACTS + 6LL * ROWS + UNKNOWNS + 2LL * DIMENSION + MATRIX_VALUES + SADDLE_UNKNOWNS + NODE_ROW[DIMENSION] + 1;
}

/* Row of a tangential equation. */
static inline int contact_tangent(const int *contact, int k) { return contact[CONTACT_SLIP] + k; }

/* Compute rho of the equations of all contacts from the diagonal of M. */
static inline void weigh_contacts(const symlie_problem *restrict P, contact_problem *restrict C, const symlie_real *restrict M,
                                  const symlie_real *restrict right, const symlie_real *restrict left)
{
    for (int k = 0; k < DIMENSION; k++) C->diagonal[k] = 0;
    for (int k = 0; k < MASS_VALUES; k++)
        if (MASS_ROW[k] == MASS_COLUMN[k]) C->diagonal[MASS_ROW[k]] += M[k];
    for (int k = 0; k < COUNT_OF_SADDLE_HELD; k++) C->diagonal[SADDLE_HELD[k]] = 0;
    for (int k = 0; k < ROWS; k++) C->sum[k] = 0;
    for (int k = 0; k < JACOBIAN_VALUES; k++) {
        const symlie_real m = C->diagonal[JACOBIAN_COLUMN[k]];
        if (m > 0) C->sum[JACOBIAN_ROW[k]] += fabs(right[k] * left[k]) / m;
    }
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        symlie_real normal = C->sum[contact[CONTACT_NORMAL]], tangential = 0;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) tangential += C->sum[contact_tangent(contact, k)];
        C->weight[2 * i] = normal > 0 ? 1 / normal : 1;
        C->weight[2 * i + 1] = tangential > 0 ? 1 / tangential : 1;
    }
}

/* Replace the equations c of contacts by the natural map, and evaluate L, D and the active sets. Contacts with |c| up to
 * `touching` count as closed although nothing pushes them. */
static inline void map_contacts(const symlie_problem *restrict P, contact_problem *restrict C, symlie_real touching,
                                const symlie_real *restrict mu, symlie_real *restrict c)
{
    C->error = 0;
    for (int k = 0; k < ROWS; k++) C->own[k] = 1, C->other[k] = 0, c[k] += C->before[k];
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i), n = contact[CONTACT_NORMAL], slips = contact[CONTACT_SLIPS];
        const symlie_real rho_n = C->weight[2 * i], rho_t = C->weight[2 * i + 1], friction = C->law[2 * i];
        const symlie_real y_n = -(mu[n] + C->first[n]), pushed = y_n - rho_n * c[n];
        const int is_closed = C->eligible[i] != 0 && (pushed > 0 || fabs(c[n]) <= touching);
        symlie_real *restrict block = C->block + 9 * i, s[2] = {0, 0}, y_t[2] = {0, 0}, u[2] = {0, 0}, off = 0;
        for (int k = 0; k < slips; k++) {
            const int t = contact_tangent(contact, k);
            y_t[k] = -(mu[t] + C->first[t]), s[k] = y_t[k] - rho_t * c[t];
        }
        const symlie_real size = sqrt(s[0] * s[0] + s[1] * s[1]), radius = is_closed ? friction * pushed : 0;
        const int holds = is_closed && slips && friction > 0 && size <= radius;
        /* With one slip velocity, u = 1 or -1, and the projection does not depend on its size. */
        const symlie_real part = slips > 1 && size > 0 ? radius / size : 0;
        C->set[i] = holds ? CONTACT_HOLDS : is_closed ? CONTACT_SLIDES : CONTACT_OPEN;
        for (int k = 0; k < 2 && size > 0; k++) u[k] = s[k] / size;
        off = is_closed ? fabs(c[n]) : fabs(y_n) / rho_n;
        if (!is_closed) c[n] = -y_n, C->own[n] = 0;
        for (int k = 0; k < 9; k++) block[k] = 0;
        block[0] = !is_closed;
        for (int k = 0; k < slips; k++) {
            const int t = contact_tangent(contact, k);
            if (holds) {
                off = fmax(off, fabs(c[t]));
                continue;
            }
            /* The equation of the gap replaces the derivative of the radius with respect to the gap. */
            c[t] = -y_t[k] + (is_closed ? friction * y_n : 0) * u[k];
            off = fmax(off, fabs(c[t]) / rho_t);
            C->own[t] = -rho_t * (part * (1 - u[k] * u[k]));
            /* Row of the other tangential equation in which the values of this row appear. */
            if (slips > 1) C->other[t] = -rho_t * (part * (0 - u[1 - k] * u[k]));
            for (int l = 0; l < slips; l++) block[3 * (k + 1) + l + 1] = (k == l) - part * ((k == l) - u[k] * u[l]);
            if (is_closed) block[3 * (k + 1)] = -friction * u[k];
        }
        C->error = fmax(C->error, off);
    }
}

/* Evaluate and factorise the matrix, with a compliance of closed contacts relative to the inverse mass along them. */
static inline int factorise_contacts(const symlie_problem *restrict P, contact_problem *restrict C, const symlie_real *restrict M,
                                     const symlie_real *restrict right, const symlie_real *restrict left, symlie_real compliance)
{
    const elimination E = read_elimination(ELIMINATION);
    symlie_real *restrict matrix = C->matrix;
    int lost = 0;
    clear_matrix(&E, matrix);
    for (int k = 0; k < MASS_VALUES; k++) {
        matrix[MASS_TO[k]] += M[k];
        matrix[MASS_MIRROR[k]] += M[k];
    }
    for (int k = 0; k < ROWS; k++) C->sum[k] = 0;
    for (int k = 0; k < JACOBIAN_VALUES; k++) {
        const int row = JACOBIAN_ROW[k];
        matrix[PULL_TO[k]] += right[k];
        matrix[SADDLE_PUSH_TO[k]] += C->own[row] * left[k];
        matrix[CONTACT_ACROSS_TO[k]] += C->other[row] * left[k];
        if (left[k] != 0) C->sum[row] = 1;
    }
    for (int k = 0; k < COUNT_OF_SADDLE_UNIT_TO; k++) matrix[SADDLE_UNIT_TO[k]] = 1;
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        const symlie_real *restrict block = C->block + 9 * i;
        const int size = 1 + contact[CONTACT_SLIPS];
        C->sum[contact[CONTACT_NORMAL]] = 1;
        for (int k = 1; k < size; k++) C->sum[contact_tangent(contact, k - 1)] = 1;
        for (int k = 0; k < size; k++)
            for (int l = 0; l < size; l++) {
                symlie_real soft = 0;
                if (k == 0 && l == 0 && C->set[i] != CONTACT_OPEN) soft = -compliance / C->weight[2 * i];
                if (k > 0 && k == l && C->set[i] == CONTACT_HOLDS) soft = -compliance / C->weight[2 * i + 1];
                if (k > 0 && l > 0 && C->set[i] == CONTACT_SLIDES) soft = compliance * ((k == l) - block[3 * k + l]);
                matrix[CONTACT_BLOCK_TO[9 * i + 3 * k + l]] += block[3 * k + l] + soft;
            }
    }
    for (int k = 0; k < ROWS; k++)
        if (C->sum[k] == 0) matrix[SADDLE_DIAGONAL[DIMENSION + k]] = 1;
    return factorise_matrix(&E, matrix, &lost);
}

#endif
