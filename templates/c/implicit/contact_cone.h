/* Linearised stage with contacts as a contact problem; see symlie/runtime/implicit/contact_cone.py. */
#ifndef SYMLIE_CONTACT_CONE_H
#define SYMLIE_CONTACT_CONE_H

/* Factorise the matrix with the impulses of contacts as given numbers. */
static inline int factorise_open_contacts(newton_problem *restrict s, contact_problem *restrict C, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    for (int k = 0; k < ROWS; k++) C->own[k] = 1, C->other[k] = 0;
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        C->set[i] = CONTACT_OPEN;
        C->own[contact[CONTACT_NORMAL]] = 0;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) C->own[contact_tangent(contact, k)] = 0;
        for (int k = 0; k < 9; k++) C->block[9 * i + k] = k % 4 == 0;
    }
    counts->jacobians++, counts->factorisations++, counts->iterations++;
    return factorise_contacts(P, C, s->mass->M, STAGE_PULL(s), s->B, 0);
}

/* Compute d for the right-hand side `right` with the factors, and the change -B d of all equations. */
static inline void solve_open_contacts(newton_problem *restrict s, contact_problem *restrict C, const symlie_real *restrict right,
                                       symlie_real *restrict d, symlie_real *restrict change)
{
    const symlie_problem *P = s->P;
    const elimination E = read_elimination(ELIMINATION);
    for (int k = 0; k < SADDLE_UNKNOWNS; k++) C->x[k] = k < UNKNOWNS ? right[k] : 0;
    solve_factorised(&E, C->matrix, C->x);
    for (int k = 0; k < UNKNOWNS; k++) d[k] = C->x[k];
    multiply_jacobian(P, s->B, d, change);
    for (int k = 0; k < ROWS; k++) change[k] = -change[k];
}

/* Compute d = matrix^-1 r with given impulses of contacts, for a residual r of the momentum alone. */
static inline int correct_momentum(newton_problem *restrict s, contact_problem *restrict C, const symlie_real *restrict r,
                                   symlie_real *restrict d, newton_counts *restrict counts)
{
    const int status = factorise_open_contacts(s, C, counts);
    if (status == SYMLIE_DONE) solve_open_contacts(s, C, r, d, C->sum);
    return status;
}

/* Compute the correction d of a stage that solves its linearised contact problem, for the residual s->r of the stage and
 * for sets of the natural map. Return SYMLIE_NO_CONTACT_MODE if no solution is found, and
 * SYMLIE_SINGULAR if the problem is too large or its matrix is singular. */
SYMLIE_COLD int correct_by_cone(newton_problem *restrict s, contact_problem *restrict C, symlie_real *restrict work, symlie_real slack, symlie_real *restrict d,
                                newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    ARRAY(memory, CONE_WORKSPACE(CONE_ROWS));
    ARRAY(G, CONE_ROWS * CONE_ROWS);
    ARRAY(c, CONE_ROWS);
    ARRAY(found, CONE_ROWS);
    ARRAY(friction, CONE_ROWS);
    ARRAY(none, CONE_ROWS);
    ARRAY(first, CONE_ROWS);
    ARRAY(change, ROWS);
    ARRAY(apart, ROWS);
    ARRAY(right, UNKNOWNS);
    ARRAY(unit, UNKNOWNS);
    ARRAY(is_candidate, CONTACTS);
    const cone_friction rubbing = {.count = 0};
    int begin[LARGEST_CONE + 1], row_of[LARGEST_CONE];
    for (int i = 0; i < CONTACTS; i++) is_candidate[i] = C->set[i] != CONTACT_OPEN;
    if (factorise_open_contacts(s, C, counts) != SYMLIE_DONE) return SYMLIE_SINGULAR;
    for (int k = 0; k < UNKNOWNS; k++) right[k] = s->r[k], unit[k] = 0;
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        for (int k = -1; k < contact[CONTACT_SLIPS]; k++) {
            const int row = k < 0 ? contact[CONTACT_NORMAL] : contact_tangent(contact, k);
            right[DIMENSION + row] = s->u[DIMENSION + row] + C->first[row];
        }
    }
    solve_open_contacts(s, C, right, d, change);
    for (int k = 0; k < ROWS; k++) apart[k] = s->r[DIMENSION + k] + change[k];
    for (int i = 0; i < CONTACTS; i++)
        is_candidate[i] = C->eligible[i] != 0 && (is_candidate[i] != 0 || apart[contact_of(P, i)[CONTACT_NORMAL]] <= slack);
    for (int n = 0; n < CONE_ROUNDS; n++) {
        int count = 0, size = 0, is_missed = 0;
        for (int i = 0; i < CONTACTS; i++) {
            const int *contact = contact_of(P, i), slips = C->law[2 * i] > 0 ? contact[CONTACT_SLIPS] : 0;
            if (is_candidate[i] == 0) continue;
            if (size + 1 + slips > CONE_ROWS) return SYMLIE_SINGULAR;
            friction[count] = C->law[2 * i], begin[count++] = size;
            row_of[size++] = contact[CONTACT_NORMAL];
            for (int k = 0; k < slips; k++) row_of[size++] = contact_tangent(contact, k);
        }
        begin[count] = size;
        for (int j = 0; j < size; j++) {
            unit[DIMENSION + row_of[j]] = 1;
            solve_open_contacts(s, C, unit, d, change);
            unit[DIMENSION + row_of[j]] = 0;
            for (int k = 0; k < size; k++) G[k * CONE_ROWS + j] = change[row_of[k]];
            c[j] = apart[row_of[j]], none[j] = 0;
            first[j] = -(s->u[DIMENSION + row_of[j]] + C->first[row_of[j]]);
        }
        if (!solve_cone(count, 0, begin, CONE_ROWS, G, c, friction, none, &rubbing, first, memory, found)) return SYMLIE_NO_CONTACT_MODE;
        for (int j = 0; j < size; j++) {
            const int k = DIMENSION + row_of[j];
            right[k] = found[j] + s->u[k] + C->first[row_of[j]];
        }
        solve_open_contacts(s, C, right, d, change);
        for (int i = 0; i < CONTACTS; i++) {
            const int row = contact_of(P, i)[CONTACT_NORMAL];
            if (C->eligible[i] == 0 || is_candidate[i] != 0 || !(s->r[DIMENSION + row] + change[row] < -slack)) continue;
            is_candidate[i] = 1, is_missed = 1;
        }
        if (!is_missed) return SYMLIE_DONE;
    }
    return SYMLIE_NO_CONTACT_MODE;
}

#endif
