/* Gauss-Seidel sweeps for contacts, from which the Newton method starts again; see
 * symlie/runtime/implicit/contact_sweeps.py. M must couple only components of the same node. */
#ifndef SYMLIE_CONTACT_SWEEPS_H
#define SYMLIE_CONTACT_SWEEPS_H

/* Invert a positive definite matrix in place, of which zero diagonal entries count as one. Return 0 if it is singular. */
static inline int invert_node_mass(int size, symlie_real *restrict A)
{
    for (int k = 0; k < size; k++)
        if (A[k * size + k] == 0) A[k * size + k] = 1;
    for (int k = 0; k < size; k++) {
        const symlie_real pivot = A[k * size + k];
        if (!(pivot > 0)) return 0;
        A[k * size + k] = 1;
        for (int j = 0; j < size; j++) A[k * size + j] /= pivot;
        for (int i = 0; i < size; i++) {
            if (i == k) continue;
            const symlie_real factor = A[i * size + k];
            A[i * size + k] = 0;
            for (int j = 0; j < size; j++) A[i * size + j] -= factor * A[k * size + j];
        }
    }
    return 1;
}

/* Subtract M^-1 B_n^T of a row times a change of its multiplier. */
static inline void push_row(const symlie_problem *restrict P, const contact_problem *restrict C, const symlie_real *restrict right, int row,
                            symlie_real change, symlie_real *restrict delta)
{
    for (int m = ROW_BEGIN[row]; m < ROW_BEGIN[row + 1]; m++) {
        const int k = ROW_VALUE[m], component = JACOBIAN_COLUMN[k], first = NODE_BEGIN[component];
        const int size = NODE_ROW[component + 1] - NODE_ROW[component];
        const symlie_real *restrict inverse = C->inverse + NODE_ROW[first];
        for (int i = 0; i < size; i++) delta[first + i] -= inverse[i * size + component - first] * (right[k] * change);
    }
}

static inline symlie_real along_delta(const symlie_problem *restrict P, const symlie_real *restrict left, int row, const symlie_real *restrict delta)
{
    symlie_real sum = 0;
    for (int m = ROW_BEGIN[row]; m < ROW_BEGIN[row + 1]; m++) sum += left[ROW_VALUE[m]] * delta[JACOBIAN_COLUMN[ROW_VALUE[m]]];
    return sum;
}

/* Improve u by sweeps about the iterate u with the residual r. Return 0 if M couples nodes or is singular. */
SYMLIE_COLD int sweep_contacts(newton_problem *restrict s, contact_problem *restrict C, int sweeps)
{
    const symlie_problem *P = s->P;
    const symlie_real *restrict right = STAGE_PULL(s), *restrict left = s->B;
    symlie_real *restrict u = s->u, *restrict r = s->r, *restrict delta = s->d, *restrict mu = s->moved, *restrict G = C->sum;
    if (COUNT_OF_NODE_MASS < MASS_VALUES) return 0;
    contact_stage_residual(s, C, u, r);
    for (int k = 0; k <= NODE_ROW[DIMENSION]; k++) C->inverse[k] = 0;
    for (int k = 0; k < MASS_VALUES; k++) {
        C->inverse[NODE_MASS[k]] += s->mass->M[k];
        C->inverse[NODE_MIRROR[k]] += s->mass->M[k];
    }
    for (int k = 0; k < DIMENSION; k += NODE_ROW[k + 1] - NODE_ROW[k])
        if (!invert_node_mass(NODE_ROW[k + 1] - NODE_ROW[k], C->inverse + NODE_ROW[k])) return 0;
    for (int k = 0; k < DIMENSION; k++) delta[k] = 0;
    for (int row = 0; row < ROWS; row++) {
        push_row(P, C, right, row, -1, delta);
        G[row] = along_delta(P, left, row, delta), C->own[row] = 1;
        for (int m = ROW_BEGIN[row]; m < ROW_BEGIN[row + 1]; m++) {
            const int component = JACOBIAN_COLUMN[ROW_VALUE[m]], first = NODE_BEGIN[component];
            for (int k = 0; k < NODE_ROW[component + 1] - NODE_ROW[component]; k++) delta[first + k] = 0;
        }
        mu[row] = u[DIMENSION + row] + C->first[row], r[DIMENSION + row] += C->before[row];
    }
    for (int k = 0; k < DIMENSION; k++) {
        const int first = NODE_BEGIN[k], size = NODE_ROW[k + 1] - NODE_ROW[k];
        delta[k] = 0;
        for (int j = 0; j < size; j++) delta[k] -= C->inverse[NODE_ROW[k] + j] * r[first + j];
    }
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        C->own[contact[CONTACT_NORMAL]] = 0;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) C->own[contact_tangent(contact, k)] = 0;
    }
    for (int n = 0; n < sweeps; n++) {
        for (int row = 0; row < ROWS; row++) {
            if (C->own[row] == 0 || !(G[row] > 0)) continue;
            const symlie_real change = (r[DIMENSION + row] + along_delta(P, left, row, delta)) / G[row];
            push_row(P, C, right, row, change, delta), mu[row] += change;
        }
        for (int i = 0; i < CONTACTS; i++) {
            const int *contact = contact_of(P, i), row = contact[CONTACT_NORMAL], slips = contact[CONTACT_SLIPS];
            if (C->eligible[i] == 0 || !(G[row] > 0)) continue;
            const symlie_real pushed = fmin(0, mu[row] + (r[DIMENSION + row] + along_delta(P, left, row, delta)) / G[row]);
            push_row(P, C, right, row, pushed - mu[row], delta), mu[row] = pushed;
            symlie_real trace = 0, wanted[2] = {0, 0};
            for (int k = 0; k < slips; k++) trace += G[contact_tangent(contact, k)];
            if (!(trace > 0)) continue;
            for (int k = 0; k < slips; k++) {
                const int t = contact_tangent(contact, k);
                wanted[k] = mu[t] + (r[DIMENSION + t] + along_delta(P, left, t, delta)) / trace;
            }
            const symlie_real size = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]), radius = -C->law[2 * i] * pushed;
            for (int k = 0; k < slips; k++) {
                const int t = contact_tangent(contact, k);
                const symlie_real value = size <= radius ? wanted[k] : radius * wanted[k] / size;
                push_row(P, C, right, t, value - mu[t], delta), mu[t] = value;
            }
        }
    }
    for (int k = 0; k < DIMENSION; k++) u[k] += delta[k];
    for (int k = 0; k < ROWS; k++) u[DIMENSION + k] = mu[k] - C->first[k];
    return 1;
}

#endif
