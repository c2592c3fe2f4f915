/* Modes of contacts at rest, from their accelerations and forces; see symlie/runtime/system/contacts/switching.py. */
#ifndef SYMLIE_CONTACT_MODES_H
#define SYMLIE_CONTACT_MODES_H

#include "contact_rows.h"

static inline long long mode_workspace(const symlie_problem *restrict P)
{
    return CONTACT_ROWS * (8LL + 2LL * CONTACT_ROWS) + CONE_WORKSPACE(CONTACT_ROWS) + 4LL * CONTACTS;
}

/* The acceleration problem: whether each contact slides, then with its direction in the rows of its slip; forces; accelerations,
 * before the solution those of free motion. */
typedef struct {
    const contact_rows *R;
    int *slides;
    symlie_real *direction;
    symlie_real *force;
    symlie_real *acceleration;
    const symlie_real *terms; /* sizes of the terms of the accelerations of free motion */
    symlie_real size; /* largest scaled acceleration of free motion */
} mode_problem;

/* Solve the problem for all contacts but those with `left_out` 1. *is_open becomes 1 if none of these is accelerated into
 * penetration. */
SYMLIE_COLD int solve_modes(const symlie_problem *restrict P, symlie_real *restrict work, const mode_problem *restrict M, const int *left_out,
                            const symlie_real *restrict free_motion, int *is_open)
{
    const contact_rows *R = M->R;
    const int rows = R->begin[R->count];
    int begin[CONTACTS + 1], kept[CONTACT_ROWS + 1], tried = 0, size = 0;
    ARRAY(G, CONTACT_ROWS * CONTACT_ROWS);
    ARRAY(c, CONTACT_ROWS);
    ARRAY(found, CONTACT_ROWS);
    ARRAY(sizes, CONTACT_ROWS);
    ARRAY(friction, CONTACTS);
    ARRAY(memory, CONE_WORKSPACE(CONTACT_ROWS));
    for (int i = 0; i < R->count; i++) {
        if (left_out[i]) continue;
        const int n = R->begin[i], e = R->begin[i + 1];
        begin[tried] = size, friction[tried++] = R->friction[i];
        kept[size++] = n;
        for (int k = n + 1; k < e && !M->slides[i]; k++) kept[size++] = k;
    }
    begin[tried] = size;
    for (int j = 0; j < size; j++) {
        c[j] = free_motion[kept[j]], sizes[j] = M->terms[kept[j]];
        for (int k = 0; k < size; k++) G[k * CONTACT_ROWS + j] = R->G[kept[k] * CONTACT_ROWS + kept[j]];
    }
    for (int i = 0, block = 0; i < R->count; i++) {
        if (left_out[i]) continue;
        const int n = R->begin[i], e = R->begin[i + 1], j = begin[block++];
        for (int l = n + 1; l < e && M->slides[i]; l++)
            for (int k = 0; k < size; k++) G[k * CONTACT_ROWS + j] -= R->friction[i] * R->G[kept[k] * CONTACT_ROWS + l] * M->direction[l];
        if (!(G[j * CONTACT_ROWS + j] > 0)) return M->slides[i] ? SYMLIE_CONTACT_PARADOX : SYMLIE_NO_CONTACT_MODE;
    }
    if (!solve_cone(tried, 0, begin, CONTACT_ROWS, G, c, friction, sizes, memory, found)) return SYMLIE_NO_CONTACT_MODE;
    for (int k = 0; k < rows; k++) M->force[k] = 0, M->acceleration[k] = free_motion[k];
    for (int j = 0; j < size; j++) M->force[kept[j]] = found[j];
    for (int i = 0, block = 0; i < R->count; i++) {
        if (left_out[i]) continue;
        const int n = R->begin[i], e = R->begin[i + 1];
        const symlie_real pushed = found[begin[block++]];
        for (int k = 0; k < rows; k++) {
            for (int l = n; l < e; l++) M->acceleration[k] += R->G[k * CONTACT_ROWS + l] * M->force[l];
            for (int l = n + 1; l < e && M->slides[i]; l++)
                M->acceleration[k] -= R->friction[i] * R->G[k * CONTACT_ROWS + l] * M->direction[l] * pushed;
        }
    }
    *is_open = 1;
    for (int i = 0; i < R->count; i++) {
        const int n = R->begin[i];
        if (left_out[i] && !(M->acceleration[n] / sqrt(R->G[n * CONTACT_ROWS + n]) >= -LIFTED * M->size)) *is_open = 0;
    }
    return SYMLIE_DONE;
}

/* Direction in which a contact slides or begins to slide, in the rows of its slip. Return 0 if it sticks. */
static inline int sliding_direction(const mode_problem *restrict M, int i, int slips)
{
    const contact_rows *R = M->R;
    const int n = R->begin[i], e = R->begin[i + 1];
    symlie_real force = 0, rate = 0;
    if (M->slides[i]) return 1;
    for (int k = n + 1; k < e; k++) force += M->force[k] * M->force[k], rate += M->acceleration[k] * M->acceleration[k];
    force = sqrt(force), rate = sqrt(rate);
    if (force < (1 - CONTACT_ROUNDING) * (R->friction[i] * M->force[n]) && !slips) return 0;
    for (int k = n + 1; k < e; k++)
        M->direction[k] = force > 0 ? -M->force[k] / force : rate > 0 ? M->acceleration[k] / rate : k == n + 1;
    return 1;
}

/* Determine whether a contact slides, and in which direction; slip up to `least` is round-off of the time. */
static inline int finds_slip(const symlie_problem *restrict P, const contact_rows *restrict R, int i, const symlie_real *restrict q, int fired,
                             const symlie_real *sizes, symlie_real least, symlie_real *restrict direction)
{
    const int n = R->begin[i], e = R->begin[i + 1], *contact = contact_of(P, R->contact[i]);
    int is_rest = 1, is_sticking = !sizes && q[contact[CONTACT_CLOSED]] != 0;
    symlie_real along = 0, length = 0;
    for (int k = n + 1; k < e; k++) {
        const symlie_real known = sizes ? sizes[contact[CONTACT_SLIP] + k - n - 1] : 0;
        if (!(fabs(R->rate[k]) <= CONTACT_ROUNDING * fmax(R->size[k], known) || fabs(R->rate[k]) <= least)) is_rest = 0;
        if (q[contact[CONTACT_DIRECTION] + k - n - 1] != 0) is_sticking = 0;
        along += R->rate[k] * q[contact[CONTACT_DIRECTION] + k - n - 1];
        length += R->rate[k] * R->rate[k];
    }
    is_rest |= is_sticking;
    if (!is_rest && fired & STICKS) {
        is_rest = 1;
        for (int k = n + 1; k < e; k++)
            if (!(fabs(R->rate[k] - along * q[contact[CONTACT_DIRECTION] + k - n - 1]) <= RESTING_SLIP * R->size[k])) is_rest = 0;
    }
    for (int k = n + 1; k < e; k++) direction[k] = is_rest ? 0 : R->rate[k] / sqrt(length);
    return !is_rest;
}

/* Return whether a row is independent of the `kept` ones before it, by a step of the Cholesky factorisation of G. */
static inline int row_is_new(const symlie_problem *restrict P, const contact_rows *restrict R, int row, symlie_real *restrict factor, int *restrict kept,
                             int *restrict count)
{
    symlie_real left = R->G[row * CONTACT_ROWS + row];
    for (int j = 0; j < *count; j++) {
        symlie_real sum = R->G[row * CONTACT_ROWS + kept[j]];
        for (int k = 0; k < j; k++) sum -= factor[row * CONTACT_ROWS + k] * factor[kept[j] * CONTACT_ROWS + k];
        factor[row * CONTACT_ROWS + j] = sum / factor[kept[j] * CONTACT_ROWS + j];
        left -= factor[row * CONTACT_ROWS + j] * factor[row * CONTACT_ROWS + j];
    }
    if (!(left > DEPENDENT_CONTACT * R->G[row * CONTACT_ROWS + row])) return 0;
    factor[row * CONTACT_ROWS + *count] = sqrt(left);
    kept[(*count)++] = row;
    return 1;
}

/* Release equations that others imply: their contacts carry no load, or stick without friction. */
SYMLIE_COLD void release_dependent_rows(const symlie_problem *restrict P, symlie_real *restrict work, const contact_rows *restrict R,
                                        const symlie_real *restrict force, symlie_real *restrict q)
{
    ARRAY(factor, CONTACT_ROWS * CONTACT_ROWS);
    ARRAY(load, CONTACTS);
    int kept[CONTACT_ROWS + 1], order[CONTACTS], count = 0, closed = 0;
    for (int i = 0; i < CONTACTS; i++) order[i] = i;
    for (int i = 0; i < R->count; i++) {
        const int n = R->begin[i];
        if (q[contact_of(P, R->contact[i])[CONTACT_CLOSED]] == 0) continue;
        load[i] = force[n] * sqrt(R->G[n * CONTACT_ROWS + n]);
        int k = closed++;
        for (; k > 0 && load[order[k - 1]] < load[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
    for (int k = 0; k < closed; k++) {
        const int *contact = contact_of(P, R->contact[order[k]]);
        if (row_is_new(P, R, R->begin[order[k]], factor, kept, &count)) continue;
        q[contact[CONTACT_CLOSED]] = 0;
        q[contact[CONTACT_SPEED] + 1] = 2 * CONTACT_ROUNDING * largest_entry(STORAGE - UNWRAPPED, q, 0);
    }
    for (int k = 0; k < closed; k++) {
        const int *contact = contact_of(P, R->contact[order[k]]);
        if (!contact[CONTACT_SLIPS]) continue;
        int is_kept = q[contact[CONTACT_CLOSED]] != 0;
        for (int j = 0; j < contact[CONTACT_SLIPS] && is_kept && q[contact[CONTACT_STICKS]] != 0; j++)
            is_kept = row_is_new(P, R, R->begin[order[k]] + 1 + j, factor, kept, &count);
        if (!is_kept) q[contact[CONTACT_STICKS]] = 0;
    }
}

/* Give the contacts in R, which are at rest, the modes that accelerations determine; all others open. After an impact, `sizes`
 * are the sizes of the terms of velocities of all equations; otherwise it is null. */
SYMLIE_COLD int find_modes(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real *restrict q,
                           const symlie_real *restrict v, const symlie_real *restrict law, const int *fired, const symlie_real *sizes,
                           mass_matrix *restrict mass, contact_rows *restrict R)
{
    ARRAY(before, STORAGE);
    ARRAY(free_motion, CONTACT_ROWS);
    ARRAY(terms, CONTACT_ROWS);
    ARRAY(direction, CONTACT_ROWS);
    ARRAY(force, CONTACT_ROWS);
    ARRAY(acceleration, CONTACT_ROWS);
    ARRAY(a, DIMENSION);
    ARRAY(lambda, ROWS);
    int slides[CONTACTS], left_out[CONTACTS], leaves = 0, is_open = 0;
    copy(STORAGE, q, before);
    with_contacts(P, before, 0, q);
    if (!R->count) return SYMLIE_DONE;
    int status = evaluate_contact_rows(P, work, t, q, v, law, mass, R);
    if (status == SYMLIE_DONE) status = index1_acceleration(P, work, t, q, v, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
    mode_problem M = {R, slides, direction, force, acceleration, terms, 0};
    for (int k = 0; k < R->begin[R->count]; k++) {
        free_motion[k] = along_row(P, R, k, a) + R->curvature[k];
        terms[k] = fabs(R->curvature[k]);
        for (int j = 0; j < DIMENSION; j++) terms[k] += fabs(R->W[k * DIMENSION + j] * a[j]);
    }
    for (int i = 0; i < R->count; i++) {
        const int n = R->begin[i];
        slides[i] = finds_slip(P, R, i, before, fired[R->contact[i]], sizes, CONTACT_ROUNDING * fabs(t) * terms[n], direction);
        left_out[i] = (fired[R->contact[i]] & LIFTS) != 0;
        leaves |= left_out[i];
        M.size = fmax(M.size, fabs(free_motion[n]) / sqrt(R->G[n * CONTACT_ROWS + n]));
    }
    if (leaves) {
        status = solve_modes(P, work, &M, left_out, free_motion, &is_open);
        if (status != SYMLIE_DONE) return status;
    }
    if (!is_open) {
        for (int i = 0; i < R->count; i++) left_out[i] = 0;
        status = solve_modes(P, work, &M, left_out, free_motion, &is_open);
        if (status != SYMLIE_DONE) return status;
    }
    for (int i = 0; i < R->count; i++) {
        const int n = R->begin[i], own = fired[R->contact[i]], *contact = contact_of(P, R->contact[i]);
        const symlie_real scale = sqrt(R->G[n * CONTACT_ROWS + n]), tolerance = CONTACT_ROUNDING * M.size;
        const int is_closed = force[n] * scale > tolerance || (acceleration[n] / scale <= tolerance && !(own & LIFTS));
        q[contact[CONTACT_CLOSED]] = is_closed;
        if (own & LIFTS) q[contact[CONTACT_SPEED]] = 0;
        if (is_closed) q[contact[CONTACT_SPEED] + 1] = tolerance / scale;
        if (!is_closed || !contact[CONTACT_SLIPS]) continue;
        const int begins_to_slide = sliding_direction(&M, i, own & SLIPS);
        q[contact[CONTACT_STICKS]] = !begins_to_slide;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) q[contact[CONTACT_DIRECTION] + k] = begins_to_slide ? direction[n + 1 + k] : 0;
    }
    release_dependent_rows(P, work, R, force, q);
    return SYMLIE_DONE;
}

#endif
