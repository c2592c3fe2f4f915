/* Modes of contacts at rest, from their accelerations and forces; see symlie/runtime/system/contacts/switching.py. */
#ifndef SYMLIE_CONTACT_MODES_H
#define SYMLIE_CONTACT_MODES_H

#include "contact_rows.h"

static inline long long mode_workspace(const symlie_problem *restrict P)
{
    return CONTACT_ROWS * (9LL + 2LL * CONTACT_ROWS + 2LL * REACTIONS) + CONE_WORKSPACE(CONTACT_ROWS) + 4LL * CONTACTS + 2LL * REACTIONS + STORAGE + ROWS;
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
    const symlie_real *reaction; /* reactions in free motion */
    symlie_real *found; /* reactions of the solution */
} mode_problem;

/* Return whether the force of a friction of constraints that slides in its direction is unique: the reaction changes by less
 * than it does. */
static inline int friction_is_unique(const symlie_problem *restrict P, const mode_problem *restrict M, int i)
{
    const contact_rows *R = M->R;
    const int n = R->begin[i], e = R->begin[i + 1], *first = R->first + i - R->contacts;
    symlie_real length = 0;
    for (int c = first[0]; c < first[1]; c++) {
        symlie_real along = 0;
        for (int k = n; k < e; k++) along += R->response[c * CONTACT_ROWS + k] * M->direction[k];
        length += along * along;
    }
    return R->friction[i] * sqrt(length) < 1;
}

/* Largest friction of a contact without slip. */
static inline symlie_real largest_friction(const mode_problem *restrict M, int i)
{
    const contact_rows *R = M->R;
    symlie_real length = 0;
    if (i < R->contacts) return R->friction[i] * M->force[R->begin[i]];
    for (int c = R->first[i - R->contacts]; c < R->first[i - R->contacts + 1]; c++) length += M->found[c] * M->found[c];
    return R->limit[i] + R->friction[i] * sqrt(length);
}

/* Direction in which a contact slides or begins to slide, in the rows of its slip. Return 0 if it sticks. */
static inline int sliding_direction(const mode_problem *restrict M, int i, int slips)
{
    const contact_rows *R = M->R;
    const int first = first_slip(R, i), e = R->begin[i + 1];
    symlie_real force = 0, rate = 0;
    if (M->slides[i]) return 1;
    for (int k = first; k < e; k++) force += M->force[k] * M->force[k], rate += M->acceleration[k] * M->acceleration[k];
    force = sqrt(force), rate = sqrt(rate);
    if (force < (1 - CONTACT_ROUNDING) * largest_friction(M, i) && !slips) return 0;
    for (int k = first; k < e; k++)
        M->direction[k] = force > 0 ? -M->force[k] / force : rate > 0 ? M->acceleration[k] / rate : k == first;
    return 1;
}

/* Solve the problem for all contacts but those with `left_out` 1. *is_open becomes 1 if none of these is accelerated into
 * penetration. */
SYMLIE_COLD int solve_modes(const symlie_problem *restrict P, symlie_real *restrict work, const mode_problem *restrict M, const int *left_out,
                            const symlie_real *restrict free_motion, const int *fired, int *is_open)
{
    const contact_rows *R = M->R;
    const int rows = R->begin[R->count], reactions = REACTIONS > 0 ? R->first[R->count - R->contacts] : 0;
    int begin[CONTACTS + 1], kept[CONTACT_ROWS + 1], tried = 0, size = 0;
    ARRAY(response, REACTIONS * CONTACT_ROWS);
    ARRAY(kept_response, REACTIONS * CONTACT_ROWS);
    ARRAY(kept_direction, CONTACT_ROWS);
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
        for (int k = n + 1; k < e && (i >= R->contacts || !M->slides[i]); k++) kept[size++] = k;
    }
    begin[tried] = size;
    for (int k = 0; k < REACTIONS * CONTACT_ROWS; k++) response[k] = R->response[k];
    for (int j = 0; j < size; j++) {
        c[j] = free_motion[kept[j]], sizes[j] = M->terms[kept[j]];
        for (int k = 0; k < size; k++) G[k * CONTACT_ROWS + j] = R->G[kept[k] * CONTACT_ROWS + kept[j]];
    }
    for (int i = 0, block = 0; i < R->count; i++) {
        if (left_out[i]) continue;
        const int n = R->begin[i], e = R->begin[i + 1], j = begin[block++];
        for (int l = n + 1; l < e && M->slides[i] && i < R->contacts; l++) {
            for (int k = 0; k < size; k++) G[k * CONTACT_ROWS + j] -= R->friction[i] * R->G[kept[k] * CONTACT_ROWS + l] * M->direction[l];
            for (int m = 0; m < reactions; m++) response[m * CONTACT_ROWS + n] -= R->friction[i] * R->response[m * CONTACT_ROWS + l] * M->direction[l];
        }
        if (!(G[j * CONTACT_ROWS + j] > 0)) return M->slides[i] ? SYMLIE_CONTACT_PARADOX : SYMLIE_NO_CONTACT_MODE;
    }
    for (int j = 0; j < size; j++) {
        kept_direction[j] = M->direction[kept[j]];
        for (int k = 0; k < reactions; k++) kept_response[k * CONTACT_ROWS + j] = response[k * CONTACT_ROWS + kept[j]];
    }
    for (int i = R->contacts; i < R->count; i++)
        if (M->slides[i] && !friction_is_unique(P, M, i)) return SYMLIE_CONTACT_PARADOX;
    const cone_friction rubbing = {R->count - R->contacts, R->friction + R->contacts, R->limit + R->contacts, R->first, M->reaction,
                                   kept_response, CONTACT_ROWS, M->slides + R->contacts, kept_direction};
    if (!solve_cone(tried, 0, begin, CONTACT_ROWS, G, c, friction, sizes, &rubbing, 0, memory, found)) return SYMLIE_NO_CONTACT_MODE;
    for (int k = 0; k < reactions; k++) {
        M->found[k] = M->reaction[k];
        for (int j = 0; j < size; j++) M->found[k] += kept_response[k * CONTACT_ROWS + j] * found[j];
    }
    for (int k = 0; k < rows; k++) M->force[k] = 0, M->acceleration[k] = free_motion[k];
    for (int j = 0; j < size; j++) M->force[kept[j]] = found[j];
    for (int i = 0, block = 0; i < R->count; i++) {
        if (left_out[i]) continue;
        const int n = R->begin[i], e = R->begin[i + 1];
        const symlie_real pushed = found[begin[block++]];
        for (int k = 0; k < rows; k++) {
            for (int l = n; l < e; l++) M->acceleration[k] += R->G[k * CONTACT_ROWS + l] * M->force[l];
            for (int l = n + 1; l < e && M->slides[i] && i < R->contacts; l++)
                M->acceleration[k] -= R->friction[i] * R->G[k * CONTACT_ROWS + l] * M->direction[l] * pushed;
        }
    }
    *is_open = 1;
    for (int i = R->contacts; i < R->count; i++)
        if (sliding_direction(M, i, fired[R->contact[i]] & SLIPS) && !friction_is_unique(P, M, i)) return SYMLIE_CONTACT_PARADOX;
    for (int i = 0; i < R->contacts; i++) {
        const int n = R->begin[i];
        if (left_out[i] && !(M->acceleration[n] / sqrt(R->G[n * CONTACT_ROWS + n]) >= -LIFTED * M->size)) *is_open = 0;
    }
    return SYMLIE_DONE;
}

/* Determine whether a contact slides, and in which direction; slip up to `least` is round-off of the time. */
static inline int finds_slip(const symlie_problem *restrict P, const contact_rows *restrict R, int i, const symlie_real *restrict q, int fired,
                             const symlie_real *sizes, symlie_real least, symlie_real *restrict direction)
{
    const int n = first_slip(R, i), e = R->begin[i + 1], *contact = contact_of(P, R->contact[i]);
    int is_rest = 1;
    const int is_sticking = !sizes && q[contact[CONTACT_CLOSED]] != 0 && (!contact[CONTACT_SLIPS] || q[contact[CONTACT_STICKS]] != 0);
    symlie_real along = 0, length = 0;
    for (int k = n; k < e; k++) {
        const symlie_real known = sizes ? sizes[contact[CONTACT_SLIP] + k - n] : 0;
        if (!(fabs(R->rate[k]) <= CONTACT_ROUNDING * fmax(R->size[k], known) || fabs(R->rate[k]) <= least)) is_rest = 0;
        along += R->rate[k] * q[contact[CONTACT_DIRECTION] + k - n];
        length += R->rate[k] * R->rate[k];
    }
    is_rest |= is_sticking;
    if (!is_rest && fired & STICKS) {
        is_rest = 1;
        for (int k = n; k < e; k++)
            if (!(fabs(R->rate[k] - along * q[contact[CONTACT_DIRECTION] + k - n]) <= RESTING_SLIP * R->size[k])) is_rest = 0;
    }
    for (int k = n; k < e; k++) direction[k] = is_rest ? 0 : R->rate[k] / sqrt(length);
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

/* Minus the friction of a contact without slip along a row, relative to its largest size. */
static inline symlie_real held_friction(const mode_problem *restrict M, int i, int row)
{
    const symlie_real radius = largest_friction(M, i);
    return radius > 0 ? -M->force[row] / radius : 0;
}

/* Release equations that others imply: their contacts carry no load, or have the friction of the problem. */
SYMLIE_COLD void release_dependent_rows(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const mode_problem *restrict M,
                                        symlie_real *restrict q)
{
    const contact_rows *R = M->R;
    const symlie_real *force = M->force;
    ARRAY(factor, CONTACT_ROWS * CONTACT_ROWS);
    ARRAY(load, CONTACTS);
    ARRAY(full, STORAGE);
    ARRAY(gap, ROWS);
    int kept[CONTACT_ROWS + 1], order[CONTACTS], count = 0, closed = 0;
    const symlie_real rounding = CONTACT_ROUNDING * largest_entry(STORAGE - UNWRAPPED, q, 0);
    with_contacts(P, q, 1, full);
    system_constraint(P, t, full, gap);
    for (int i = 0; i < CONTACTS; i++) order[i] = i;
    for (int i = 0; i < R->contacts; i++) {
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
        if (contact[CONTACT_SLIPS]) q[contact[CONTACT_STICKS]] = 0;
        q[contact[CONTACT_SPEED] + 1] = 2 * rounding + fmax(-gap[contact[CONTACT_NORMAL]], 0);
    }
    for (int i = R->contacts; i < R->count; i++) order[closed++] = i;
    /* Friction of contacts that begin to slide is known, so that other equations are preferred. */
    for (int sticks = 1; sticks >= 0; sticks--)
        for (int k = 0; k < closed; k++) {
            const int i = order[k], *contact = contact_of(P, R->contact[i]), slips = contact[CONTACT_SLIPS], before = count;
            if (!slips || q[contact[CONTACT_CLOSED]] == 0 || q[contact[CONTACT_STICKS]] != sticks || M->slides[i]) continue;
            int is_implied[2], implied = 0;
            for (int j = 0; j < slips; j++) {
                is_implied[j] = !row_is_new(P, R, first_slip(R, i) + j, factor, kept, &count);
                implied += is_implied[j];
            }
            if (!sticks && implied < slips) count = before;
            if (!sticks && implied < slips) continue;
            q[contact[CONTACT_STICKS]] = 1;
            for (int j = 0; j < slips; j++) {
                q[contact[CONTACT_DIRECTION] + j] = is_implied[j] ? held_friction(M, i, first_slip(R, i) + j) : 0;
                q[implied_place(contact, j)] = is_implied[j];
            }
        }
}

/* Store the direction of the reaction of a friction; the opposite of the one before if it just turns. */
static inline void find_reaction_direction(const mode_problem *restrict M, int i, int turns, const int *restrict contact, symlie_real *restrict q)
{
    const int first = M->R->first[i - M->R->contacts], count = contact[CONTACT_REACTIONS];
    const symlie_real *F = M->found + first;
    symlie_real *n = q + contact[CONTACT_SPEED] + 2, length = 0;
    int is_known = 0;
    for (int c = 0; c < count; c++) length += F[c] * F[c], is_known |= n[c] != 0;
    length = sqrt(length);
    for (int c = 0; c < count; c++) {
        if (turns && is_known)
            n[c] = -n[c];
        else if (length > 0)
            n[c] = F[c] / length;
        else if (!is_known)
            n[c] = c == 0;
    }
}

/* Give the contacts in R, which are at rest, and all friction the modes that accelerations determine; all other contacts open. After an impact, `sizes`
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
    ARRAY(reaction, REACTIONS);
    ARRAY(found, REACTIONS);
    int slides[CONTACTS], left_out[CONTACTS], leaves = 0, is_open = 0;
    copy(STORAGE, q, before);
    with_contacts(P, before, 0, q);
    if (!R->contacts && !RUBS) return SYMLIE_DONE;
    int status = evaluate_contact_rows(P, work, t, q, v, law, mass, R);
    if (status == SYMLIE_DONE) status = index1_acceleration(P, work, t, q, v, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
#if REACTIONS
    system_reactions(P, t, q, v, lambda, reaction);
#endif
    mode_problem M = {R, slides, direction, force, acceleration, terms, 0, reaction, found};
    for (int k = 0; k < R->begin[R->count]; k++) {
        free_motion[k] = along_row(P, R, k, a) + R->curvature[k];
        terms[k] = fabs(R->curvature[k]);
        for (int j = 0; j < DIMENSION; j++) terms[k] += fabs(R->W[k * DIMENSION + j] * a[j]);
    }
    for (int i = 0; i < R->count; i++) {
        const int n = R->begin[i];
        slides[i] = finds_slip(P, R, i, before, fired[R->contact[i]], sizes, CONTACT_ROUNDING * fabs(t) * terms[n], direction);
        left_out[i] = i < R->contacts && (fired[R->contact[i]] & LIFTS) != 0;
        leaves |= left_out[i];
        M.size = fmax(M.size, fabs(free_motion[n]) / sqrt(R->G[n * CONTACT_ROWS + n]));
    }
    if (leaves) {
        status = solve_modes(P, work, &M, left_out, free_motion, fired, &is_open);
        if (status != SYMLIE_DONE) return status;
    }
    if (!is_open) {
        for (int i = 0; i < R->count; i++) left_out[i] = 0;
        status = solve_modes(P, work, &M, left_out, free_motion, fired, &is_open);
        if (status != SYMLIE_DONE) return status;
    }
    for (int i = 0; i < R->count; i++) {
        const int n = R->begin[i], own = fired[R->contact[i]], *contact = contact_of(P, R->contact[i]), rubs = i >= R->contacts;
        const symlie_real scale = sqrt(R->G[n * CONTACT_ROWS + n]), tolerance = CONTACT_ROUNDING * M.size;
        const int is_closed = rubs || force[n] * scale > tolerance || (acceleration[n] / scale <= tolerance && !(own & LIFTS));
        q[contact[CONTACT_CLOSED]] = is_closed;
        if (rubs || own & LIFTS) q[contact[CONTACT_SPEED]] = 0;
        if (rubs) find_reaction_direction(&M, i, own & LIFTS, contact, q);
        if (is_closed) q[contact[CONTACT_SPEED] + 1] = tolerance / scale;
        if (!is_closed || !contact[CONTACT_SLIPS]) continue;
        const int begins_to_slide = sliding_direction(&M, i, own & SLIPS);
        q[contact[CONTACT_STICKS]] = !begins_to_slide;
        for (int k = 0; k < contact[CONTACT_SLIPS]; k++) q[contact[CONTACT_DIRECTION] + k] = begins_to_slide ? direction[first_slip(R, i) + k] : 0;
    }
    release_dependent_rows(P, work, t, &M, q);
    return SYMLIE_DONE;
}

#endif
