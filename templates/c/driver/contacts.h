/* Impacts of contacts, and their modes afterwards; see symlie/runtime/system/contacts/switching.py. */
#ifndef SYMLIE_CONTACTS_H
#define SYMLIE_CONTACTS_H

#if HAS_CONTACTS
#include "contact_modes.h"

static inline long long contact_workspace(const symlie_problem *restrict P)
{
    return CONTACT_MEMORY + 2LL * CONE_WORKSPACE(CONTACT_ROWS) + evaluation_workspace(P) + mode_workspace(P) + acceleration_workspace(P)
           + 2LL * CONTACTS + 6LL * CONTACT_ROWS + 6LL * STORAGE + 12LL * DIMENSION + 15LL * ROWS + 3LL * JACOBIAN_VALUES + 4LL * REACTIONS
           + CONTACT_ROWS * (long long)(DIMENSION + CONTACT_ROWS + REACTIONS);
}

/* Collect the events of contacts at the time of the state. */
static inline void events_of_contacts(const symlie_problem *restrict P, const symlie_record *restrict record, long long first, symlie_real t,
                                      int *restrict fired)
{
    for (int i = 0; i < CONTACTS; i++) fired[i] = 0;
    for (long long n = first; n < record->events; n++) {
        const symlie_real *row = record->event + EVENT_WIDTH * n;
        const int found = P->contact_event[(int)row[0]];
        if (row[1] == t && found >= 0) fired[found / 4] |= 1 << found % 4;
    }
}

/* Choose the contacts that are closed, that close at an event, or whose gap is zero up to rounding, without friction. */
static inline void find_touching(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                 const symlie_real *restrict v, const int *restrict fired, contact_rows *restrict R)
{
    ARRAY(full, STORAGE);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(gap, ROWS);
    ARRAY(speed, ROWS);
    ARRAY(b, ROWS);
    const symlie_real rounding = CONTACT_ROUNDING * largest_entry(STORAGE - UNWRAPPED, q, 0);
    with_contacts(P, q, 1, full);
    system_constraint(P, t, full, gap);
    system_jacobian(P, t, full, v, B);
    hidden_residual(P, t, full, B, v, 0, b, speed);
    R->contacts = 0;
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i), row = contact[CONTACT_NORMAL];
        if (row < 0) continue;
        const int is_met = gap[row] <= rounding + TIME_RESOLUTION * fabs(t) * fmax(-speed[row], 0);
        if (is_met || q[contact[CONTACT_CLOSED]] != 0 || fired[i] & TOUCHES) R->contact[R->contacts++] = i;
    }
}

/* Compute the impulses p of impacts that follow each other, the fastest first; friction of constraints takes part in each. */
SYMLIE_COLD int impacts_in_sequence(const symlie_problem *restrict P, symlie_real *restrict work, const contact_rows *restrict R,
                                    const symlie_real *restrict law, symlie_real *restrict p)
{
    ARRAY(memory, CONE_WORKSPACE(CONTACT_ROWS));
    ARRAY(G, CONTACT_ROWS * CONTACT_ROWS);
    ARRAY(response, REACTIONS * CONTACT_ROWS);
    ARRAY(c, CONTACT_ROWS);
    ARRAY(found, CONTACT_ROWS);
    ARRAY(none, CONTACTS + REACTIONS);
    ARRAY(sizes, CONTACT_ROWS);
    ARRAY(friction, CONTACTS);
    const int rows = R->begin[R->count], others = R->begin[R->contacts], reactions = REACTIONS > 0 ? R->first[R->count - R->contacts] : 0;
    int own[CONTACTS + 1], kept[CONTACT_ROWS + 1];
    symlie_real slowest = 0;
    for (int k = 0; k < CONTACTS + REACTIONS; k++) none[k] = 0;
    cone_friction rubbing = impulsive_friction(R, CONTACT_ROWS, none);
    rubbing.response = response;
    for (int k = 0; k < rows; k++) p[k] = 0;
    for (int i = 0; i < R->contacts; i++) slowest = fmax(slowest, CONTACT_ROUNDING * R->size[R->begin[i]]);
    for (int n = 0; n < MOST_IMPACTS; n++) {
        int chosen = 0, size = 0;
        symlie_real least = (symlie_real)INFINITY, speed = 0;
        for (int i = 0; i < R->contacts; i++) {
            const int row = R->begin[i];
            symlie_real rate = R->rate[row];
            for (int k = 0; k < rows; k++) rate += R->G[row * CONTACT_ROWS + k] * p[k];
            if (rate / sqrt(R->G[row * CONTACT_ROWS + row]) < least) least = rate / sqrt(R->G[row * CONTACT_ROWS + row]), speed = rate, chosen = i;
        }
        if (!(speed < -slowest)) return SYMLIE_DONE;
        for (int k = R->begin[chosen]; k < R->begin[chosen + 1]; k++) kept[size++] = k;
        own[0] = 0, friction[0] = R->friction[chosen];
        for (int i = R->contacts; i < R->count; i++) {
            own[i - R->contacts + 1] = size + R->begin[i] - others, friction[i - R->contacts + 1] = R->friction[i];
        }
        for (int k = others; k < rows; k++) kept[size++] = k;
        own[R->count - R->contacts + 1] = size;
        for (int j = 0; j < size; j++) {
            c[j] = R->rate[kept[j]], sizes[j] = R->size[kept[j]];
            for (int k = 0; k < rows; k++) c[j] += R->G[kept[j] * CONTACT_ROWS + k] * p[k];
            for (int k = 0; k < size; k++) G[k * CONTACT_ROWS + j] = R->G[kept[k] * CONTACT_ROWS + kept[j]];
            for (int k = 0; k < reactions; k++) response[k * CONTACT_ROWS + j] = R->response[k * CONTACT_ROWS + kept[j]];
        }
        c[0] *= 1 + law[2 * R->contact[chosen] + 1];
        if (!solve_cone(1 + R->count - R->contacts, 0, own, CONTACT_ROWS, G, c, friction, sizes, &rubbing, 0, memory, found)) return SYMLIE_NO_CONTACT_MODE;
        for (int j = 0; j < size; j++) p[kept[j]] += found[j];
    }
    return SYMLIE_NO_CONTACT_MODE;
}

/* Compute the impulses p of an impact by Poisson's hypothesis: impulses of compression, after which no contact approaches, then
 * impulses of expansion, whose normal components are at least e times the former ones. */
SYMLIE_COLD int impact_in_phases(const symlie_problem *restrict P, symlie_real *restrict work, const contact_rows *restrict R,
                                 const symlie_real *restrict law, const cone_friction *rubbing, symlie_real *restrict p)
{
    ARRAY(memory, CONE_WORKSPACE(CONTACT_ROWS));
    ARRAY(compression, CONTACT_ROWS);
    ARRAY(least, CONTACT_ROWS);
    ARRAY(after, CONTACT_ROWS);
    const int rows = R->begin[R->count];
    if (!solve_cone(R->count, 0, R->begin, CONTACT_ROWS, R->G, R->rate, R->friction, R->size, rubbing, 0, memory, compression)) return SYMLIE_NO_CONTACT_MODE;
    for (int k = 0; k < rows; k++) {
        symlie_real change = 0;
        for (int j = 0; j < rows; j++) change += R->G[k * CONTACT_ROWS + j] * compression[j];
        after[k] = R->rate[k] + change, least[k] = 0;
    }
    for (int i = 0; i < R->contacts; i++) least[R->begin[i]] = law[2 * R->contact[i] + 1] * fmax(compression[R->begin[i]], 0);
    if (!solve_bounded_cone(R->count, 0, R->begin, CONTACT_ROWS, R->G, after, R->friction, R->size, rubbing, least, 0, memory, p))
        return SYMLIE_NO_CONTACT_MODE;
    for (int k = 0; k < rows; k++) p[k] += compression[k];
    return SYMLIE_DONE;
}

/* Store the sizes of rows by equation. */
static inline void known_sizes(const symlie_problem *restrict P, const contact_rows *restrict R, const symlie_real *restrict size, symlie_real *restrict out)
{
    for (int k = 0; k < ROWS; k++) out[k] = 0;
    for (int i = 0; i < R->count; i++) {
        const int *contact = contact_of(P, R->contact[i]);
        if (i < R->contacts) out[contact[CONTACT_NORMAL]] = size[R->begin[i]];
        for (int j = 0; j < contact[CONTACT_SLIPS]; j++) out[contact[CONTACT_SLIP] + j] = size[first_slip(R, i) + j];
    }
}

/* Replace q by q o exp(d), to first order for nodes that are stepped in stored coordinates; d is overwritten. */
static inline void move_by(const symlie_problem *restrict P, symlie_real *restrict q, symlie_real *restrict d, symlie_real *restrict moved)
{
#if COORDINATE_RATES
    system_coordinate_rate(P, q, d, d);
#endif
    system_advance(P, q, d, moved);
    copy(STORAGE, moved, q);
}

/* Close contacts after the rest of a sequence of impacts, which lasts for the time `left`, with the ratio of speeds after and
 * before each impact. Impulses change the velocity at the mean time left / (1 + ratio). */
SYMLIE_COLD int end_sequence(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real left, symlie_real ratio,
                             const symlie_real *restrict law, int *restrict fired, mass_matrix *restrict mass, symlie_state *restrict state,
                             contact_rows *restrict R)
{
    ARRAY(p, CONTACT_ROWS);
    ARRAY(v, DIMENSION);
    ARRAY(moved, STORAGE);
    ARRAY(d, DIMENSION);
    ARRAY(r, DIMENSION);
    ARRAY(b, ROWS);
    ARRAY(c, ROWS);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(memory, CONE_WORKSPACE(CONTACT_ROWS));
    ARRAY(a, DIMENSION);
    ARRAY(later, DIMENSION);
    ARRAY(X, CONTACT_ROWS * DIMENSION);
    ARRAY(sizes, ROWS);
    ARRAY(none, CONTACTS + REACTIONS);
    for (int k = 0; k < CONTACTS + REACTIONS; k++) none[k] = 0;
    for (int i = 0; i < CONTACTS; i++) fired[i] = 0;
    for (int i = 0; i < R->contacts; i++) {
        const int *contact = contact_of(P, R->contact[i]);
        state->q[contact[CONTACT_CLOSED]] = 0;
        if (contact[CONTACT_SLIPS]) state->q[contact[CONTACT_STICKS]] = 0;
    }
    int status = index1_acceleration(P, work, TIME_OF(state), state->q, state->v, mass, a, b);
    for (int k = 0; k < DIMENSION; k++) v[k] = state->v[k] + left * a[k];
    for (int pass = 0; pass < 2 && status == SYMLIE_DONE; pass++) {
        status = evaluate_contact_rows(P, work, TIME_OF(state), state->q, v, law, mass, R);
        if (status != SYMLIE_DONE) break;
        if (pass) {
            for (int k = 0; k < R->begin[R->count] * DIMENSION; k++) R->X[k] = (ratio * X[k] + R->X[k]) / (1 + ratio);
            multiply_rows(P, R);
        }
        const cone_friction rubbing = impulsive_friction(R, CONTACT_ROWS, none);
        if (!solve_cone(R->count, 1, R->begin, CONTACT_ROWS, R->G, R->rate, R->friction, R->size, &rubbing, 0, memory, p)) return SYMLIE_NO_CONTACT_MODE;
        if (pass) break;
        copy(CONTACT_ROWS * DIMENSION, R->X, X);
        for (int k = 0; k < DIMENSION; k++) d[k] = 0;
        add_contact_impulses(P, R, p, d);
        for (int k = 0; k < DIMENSION; k++) {
            v[k] += d[k];
            d[k] = left * (state->v[k] + left * 0.5 * a[k] + ratio / (1 + ratio) * d[k]);
        }
        move_by(P, state->q, d, moved);
        set_time(state, TIME_OF(state) + left);
        status = index1_acceleration(P, work, TIME_OF(state), state->q, v, mass, later, b);
        if (status != SYMLIE_DONE) break;
        for (int k = 0; k < DIMENSION; k++) v[k] = state->v[k] + left * 0.5 * (a[k] + later[k]);
        if (MOTIONS) system_prescribe(P, TIME_OF(state), state->q, v);
        with_contacts(P, state->q, 0, moved);
        system_jacobian(P, TIME_OF(state), moved, v, B);
        hidden_residual(P, TIME_OF(state), moved, B, v, 0, b, c);
        for (int k = 0; k < ROWS; k++) c[k] = -c[k];
        status = along_constraints(P, TIME_OF(state), moved, B, c, r, b, mass, d);
        if (status != SYMLIE_DONE) return status;
        for (int k = 0; k < DIMENSION; k++) v[k] += d[k];
    }
    if (status != SYMLIE_DONE) return status;
    add_contact_impulses(P, R, p, v);
    copy(DIMENSION, v, state->v);
    for (int i = 0; i < R->contacts; i++) state->q[contact_of(P, R->contact[i])[CONTACT_SPEED]] = 0;
    known_sizes(P, R, R->size, sizes);
    return find_modes(P, work, TIME_OF(state), state->q, state->v, law, fired, sizes, mass, R);
}

/* Return whether a contact that is not among `count` closing ones penetrates or closes. Those that close follow them, and
 * *further is their number. */
static inline int other_contact_closes(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_state *restrict state,
                                       int *restrict closing, int count, int *restrict further)
{
    ARRAY(full, STORAGE);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(b, ROWS);
    ARRAY(gap, ROWS);
    ARRAY(rate, ROWS);
    const symlie_real rounding = CONTACT_ROUNDING * largest_entry(STORAGE - UNWRAPPED, state->q, 0);
    with_contacts(P, state->q, 1, full);
    system_constraint(P, TIME_OF(state), full, gap);
    system_jacobian(P, TIME_OF(state), full, state->v, B);
    hidden_residual(P, TIME_OF(state), full, B, state->v, 0, b, rate);
    int closes = 0;
    *further = 0;
    for (int i = 0; i < CONTACTS; i++) {
        const int row = contact_of(P, i)[CONTACT_NORMAL];
        int is_closing = !is_contact(P, i);
        for (int k = 0; k < count; k++) is_closing |= closing[k] == i;
        if (is_closing) continue;
        const int approaches = gap[row] <= 0 && rate[row] < 0;
        if (approaches) closing[count + (*further)++] = i;
        closes |= approaches || gap[row] < -rounding;
    }
    return closes;
}

/* Close contacts after a rest of impacts without duration, from the configuration q and the velocities v, in which other
 * contacts that it closes take part. */
SYMLIE_COLD int close_at_once(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real ratio, const symlie_real *restrict law,
                              int *restrict fired, mass_matrix *restrict mass, const symlie_real *restrict q, const symlie_real *restrict v,
                              int *restrict closing, int count, symlie_state *restrict state, contact_rows *restrict R)
{
    for (int further = 0;;) {
        copy(STORAGE, q, state->q);
        copy(DIMENSION, v, state->v);
        R->contacts = count += further;
        for (int i = 0; i < count; i++) R->contact[i] = closing[i];
        const int status = end_sequence(P, work, 0, ratio, law, fired, mass, state, R);
        if (status != SYMLIE_DONE) return status;
        other_contact_closes(P, work, state, closing, count, &further);
        if (!further) return status;
    }
}

/* Move the state to zero gaps of closed contacts. */
static inline int remove_gaps(const symlie_problem *restrict P, symlie_real *restrict work, mass_matrix *restrict mass, symlie_state *restrict state)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(b, ROWS);
    ARRAY(c, ROWS);
    ARRAY(r, DIMENSION);
    ARRAY(d, DIMENSION);
    ARRAY(moved, STORAGE);
    for (int n = 0; n < GAP_STEPS; n++) {
        system_jacobian(P, TIME_OF(state), state->q, state->v, B);
        system_constraint(P, TIME_OF(state), state->q, c);
        for (int k = 0; k < ROWS; k++) c[k] = -c[k];
        const int status = along_constraints(P, TIME_OF(state), state->q, B, c, r, b, mass, d);
        if (status != SYMLIE_DONE) return status;
        move_by(P, state->q, d, moved);
    }
    return SYMLIE_DONE;
}

/* Find the time of the rest of a sequence of impacts up to the order three, from its first approximation *left: the acceleration
 * towards a contact after it, in the modes before it, replaces that before it, `fall`, by a third. Close the contacts if the
 * rest ends before `end` and other contacts have not closed until then; otherwise they close at once if `is_low` is 1, or the
 * state remains and *left is infinite. */
SYMLIE_COLD int close_contacts(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real *restrict left, symlie_real ratio,
                               symlie_real fall, int contact, int is_low, symlie_real end, const symlie_real *restrict law, int *restrict fired,
                               mass_matrix *restrict mass, symlie_state *restrict state, contact_rows *restrict R)
{
    int closing[CONTACTS], count = R->contacts, further;
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    ARRAY(a, DIMENSION);
    ARRAY(lambda, ROWS);
    const symlie_real t = TIME_OF(state);
    copy(STORAGE, state->q, q);
    copy(DIMENSION, state->v, v);
    for (int i = 0; i < count; i++) closing[i] = R->contact[i];
    int status = end_sequence(P, work, *left, ratio, law, fired, mass, state, R);
    if (status != SYMLIE_DONE) return status;
    if (!(*left > 0)) {
        if (!other_contact_closes(P, work, state, closing, count, &further)) return status;
        if (is_low) return close_at_once(P, work, ratio, law, fired, mass, q, v, closing, count, state, R);
        copy(STORAGE, q, state->q);
        copy(DIMENSION, v, state->v);
        *left = (symlie_real)INFINITY;
        return status;
    }
    copy(UNWRAPPED, q + STORAGE - UNWRAPPED, state->q + STORAGE - UNWRAPPED);
    status = index1_acceleration(P, work, TIME_OF(state), state->q, state->v, mass, a, lambda);
    R->contacts = 1, R->contact[0] = contact;
    if (status == SYMLIE_DONE) status = evaluate_contact_rows(P, work, TIME_OF(state), state->q, state->v, law, mass, R);
    if (status != SYMLIE_DONE) return status;
    *left *= 3 / (2 - (along_row(P, R, 0, a) + R->curvature[0]) / fall);
    copy(STORAGE, q, state->q);
    copy(DIMENSION, v, state->v);
    set_time(state, t);
    R->contacts = count;
    for (int i = 0; i < count; i++) R->contact[i] = closing[i];
    if (t + *left < end) {
        status = end_sequence(P, work, *left, ratio, law, fired, mass, state, R);
        if (status == SYMLIE_DONE) status = remove_gaps(P, work, mass, state);
        if (status != SYMLIE_DONE || !other_contact_closes(P, work, state, closing, count, &further)) return status;
        copy(STORAGE, q, state->q);
        copy(DIMENSION, v, state->v);
        set_time(state, t);
        if (is_low) *left = 0;
        if (is_low) return close_at_once(P, work, ratio, law, fired, mass, q, v, closing, count, state, R);
    }
    *left = (symlie_real)INFINITY;
    return SYMLIE_DONE;
}

/* Let contacts with events change their modes. The rest of a sequence of impacts ends before the time `end`. If that has
 * passed, another program integrates: the rest is omitted, and a contact whose gap vanishes although it separates closes. */
SYMLIE_COLD int switch_modes(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_control *restrict control,
                                long long first, symlie_real end, mass_matrix *restrict mass, symlie_state *restrict state,
                                const symlie_record *restrict record, symlie_real *restrict flight)
{
    int fired[CONTACTS], chosen[CONTACTS], begin[CONTACTS + 1], first_reaction[CONTACTS + 1], closing[CONTACTS], touching, meets = 0, closes = 0, ends = 0;
    contact_rows rows = {.contact = chosen, .begin = begin, .first = first_reaction}, *R = &rows;
    ARRAY(law, 2 * CONTACTS);
    ARRAY(p, CONTACT_ROWS);
    ARRAY(after, CONTACT_ROWS);
    ARRAY(approach, CONTACT_ROWS);
    ARRAY(a, DIMENSION);
    ARRAY(lambda, ROWS);
    ARRAY(memory, CONE_WORKSPACE(CONTACT_ROWS));
    ARRAY(of_rows, CONTACT_MEMORY);
    ARRAY(sizes, ROWS);
    ARRAY(none, CONTACTS + REACTIONS);
    for (int k = 0; k < CONTACTS + REACTIONS; k++) none[k] = 0;
    place_contact_rows(P, of_rows, R);
    const symlie_real t = TIME_OF(state);
    const int has_passed = end < t;
    *flight = 0;
    for (int i = 0; i < CONTACTS; i++) closing[i] = i;
    system_contacts(P, t, state->q, law);
    events_of_contacts(P, record, first, t, fired);
    find_touching(P, work, t, state->q, state->v, fired, R);
    touching = R->contacts;
    for (int i = 0; i < CONTACTS; i++) {
        symlie_real *largest = state->q + contact_of(P, i)[CONTACT_SPEED];
        *largest = fmax(*largest, 0);
    }
    int status = touching || RUBS ? evaluate_contact_rows(P, work, t, state->q, state->v, law, mass, R) : SYMLIE_DONE;
    if (status != SYMLIE_DONE) return status;
    for (int i = 0; i < touching; i++) meets |= -R->rate[begin[i]] > CONTACT_ROUNDING * R->size[begin[i]];
    if (!meets) {
        R->contacts = 0;
        for (int i = 0; i < touching; i++) {
            const int *contact = contact_of(P, chosen[i]), is_closed = state->q[contact[CONTACT_CLOSED]] != 0;
            const int rests = R->rate[begin[i]] <= CONTACT_ROUNDING * R->size[begin[i]];
            const int is_last = has_passed && fired[chosen[i]] & TOUCHES && R->rate[begin[i]] <= UNRESOLVED_IMPACT * state->q[contact[CONTACT_SPEED]];
            if (is_closed || rests || is_last) closing[R->contacts++] = chosen[i];
            ends |= is_last && !rests;
        }
        for (int i = 0; i < R->contacts; i++) chosen[i] = closing[i];
        if (ends) return end_sequence(P, work, 0, 0, law, fired, mass, state, R);
        return find_modes(P, work, t, state->q, state->v, law, fired, 0, mass, R);
    }
    /* The impact. */
    const int size = begin[R->count];
    const cone_friction rubbing = impulsive_friction(R, CONTACT_ROWS, none);
    for (int k = 0; k < size; k++) after[k] = R->rate[k];
    for (int k = 0; k < CONTACT_ROWS; k++) approach[k] = 0;
    for (int i = 0; i < touching; i++) approach[i] = -R->rate[begin[i]], after[begin[i]] *= 1 + law[2 * chosen[i] + 1];
    if (++state->impacts > control->most_impacts) return SYMLIE_TOO_MANY_IMPACTS;
    if (control->impacts == SEQUENTIAL_IMPACTS)
        status = impacts_in_sequence(P, work, R, law, p);
    else if (control->impacts == POISSON_IMPACTS)
        status = impact_in_phases(P, work, R, law, &rubbing, p);
    else
        status = solve_cone(R->count, 0, begin, CONTACT_ROWS, R->G, after, R->friction, R->size, &rubbing, 0, memory, p) ? SYMLIE_DONE : SYMLIE_NO_CONTACT_MODE;
    if (status != SYMLIE_DONE) return status;
    add_contact_impulses(P, R, p, state->v);
    symlie_real fastest = 0, met = 0, longest = 0, own = 0, fall = 0, most = 0;
    int resting = 0, is_low = 0, slowest = 0, is_resting[CONTACTS], all[CONTACTS];
    for (int i = 0; i < CONTACTS; i++) is_resting[i] = 0, all[i] = i;
    for (int i = 0; i < touching; i++) {
        const int n = begin[i];
        symlie_real change = 0, *largest = state->q + contact_of(P, chosen[i])[CONTACT_SPEED];
        for (int k = 0; k < size; k++) change += R->G[n * CONTACT_ROWS + k] * p[k];
        after[i] = R->rate[n] + change;
        *largest = fmax(*largest, approach[i]);
        for (int j = n; j < begin[i + 1]; j++) {
            symlie_real now = 0;
            for (int k = 0; k < DIMENSION; k++) now += fabs(R->W[j * DIMENSION + k]) * fabs(state->v[k]);
            R->size[j] = fmax(R->size[j], now);
        }
        is_resting[i] = after[i] <= CONTACT_ROUNDING * R->size[n];
        met = fmax(met, approach[i]);
        all[i] = chosen[i];
    }
    for (int j = begin[touching]; j < size; j++) {
        symlie_real now = 0;
        for (int k = 0; k < DIMENSION; k++) now += fabs(R->W[j * DIMENSION + k]) * fabs(state->v[k]);
        R->size[j] = fmax(R->size[j], now);
    }
    for (int i = 0; i < touching; i++)
        if (is_resting[i]) closing[resting++] = all[i];
    known_sizes(P, R, R->size, sizes);
    R->contacts = resting;
    for (int i = 0; i < resting; i++) chosen[i] = closing[i];
    status = find_modes(P, work, t, state->q, state->v, law, fired, sizes, mass, R);
    if (status == SYMLIE_DONE) status = index1_acceleration(P, work, t, state->q, state->v, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
    const symlie_real lowest = 2 * LOWEST_FLIGHT * largest_entry(STORAGE - UNWRAPPED, state->q, 0);
    /* Flights of the contacts that have opened. */
    R->contacts = touching;
    for (int i = 0; i < touching; i++) chosen[i] = all[i];
    status = evaluate_contact_rows(P, work, t, state->q, state->v, law, mass, R);
    if (status != SYMLIE_DONE) return status;
    R->contacts = 0;
    for (int i = 0; i < touching; i++) {
        const symlie_real towards = -(along_row(P, R, begin[i], a) + R->curvature[begin[i]]);
        const int is_back = !is_resting[i] && towards > 0, is_lowest = is_back && after[i] * after[i] <= lowest * towards;
        const int is_last = is_lowest || (is_back && after[i] <= LAST_IMPACT * state->q[contact_of(P, all[i])[CONTACT_SPEED]]);
        is_low |= is_lowest;
        if (is_back && (!(*flight > 0) || 2 * after[i] / towards < *flight)) *flight = 2 * after[i] / towards;
        if (is_last) fall = fmax(fall, towards), most = fmax(most, state->q[contact_of(P, all[i])[CONTACT_SPEED]]);
        if (is_last) fastest = fmax(fastest, after[i]), closes = 1;
        if (is_last && 2 * after[i] / towards > longest) longest = 2 * after[i] / towards, slowest = all[i], own = towards;
        if (is_resting[i] || is_last) closing[R->contacts++] = all[i];
    }
    if (closes) {
        symlie_real left = fastest < met ? longest / (1 - fastest / met) : (symlie_real)INFINITY;
        const int is_short = fall * left <= LAST_IMPACTS * most;
        /* A long rest of slow impacts, in which other motions count, is omitted. */
        const symlie_real height = fmax(lowest / (2 * LOWEST_FLIGHT), most * most / fall);
        const int is_kept = is_short || fall * left * left <= LONGEST_REST * height;
        if (left < TIME_RESOLUTION * fabs(t) || !is_kept || has_passed) left = 0;
        if (has_passed ? is_low : (is_short || is_low) && t + left < end) {
            for (int i = 0; i < R->contacts; i++) chosen[i] = closing[i];
            status = close_contacts(P, work, &left, fastest / met, own, slowest, is_low, end, law, fired, mass, state, R);
            if (left < (symlie_real)INFINITY) *flight = 0;
            return status;
        }
    }
    return SYMLIE_DONE;
}

/* Let open contacts touch beyond a negative gap, which is rounding, if they return before it becomes positive. */
SYMLIE_COLD int give_slack(const symlie_problem *restrict P, symlie_real *restrict work, mass_matrix *restrict mass, symlie_state *restrict state)
{
    ARRAY(full, STORAGE);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(a, DIMENSION);
    ARRAY(lambda, ROWS);
    ARRAY(gap, ROWS);
    ARRAY(speed, ROWS);
    ARRAY(pull, ROWS);
    ARRAY(curvature, ROWS);
    const symlie_real t = TIME_OF(state), rounding = CONTACT_ROUNDING * largest_entry(STORAGE - UNWRAPPED, state->q, 0);
    int low = 0;
    with_contacts(P, state->q, 1, full);
    system_constraint(P, t, full, gap);
    for (int i = 0; i < CONTACTS; i++) low |= is_contact(P, i) && state->q[contact_of(P, i)[CONTACT_CLOSED]] == 0 && gap[contact_of(P, i)[CONTACT_NORMAL]] < 0;
    if (!low) return SYMLIE_DONE;
    const int status = index1_acceleration(P, work, t, state->q, state->v, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
    system_jacobian(P, t, full, state->v, B);
    hidden_residual(P, t, full, B, state->v, 0, lambda, speed);
    system_curvature(P, t, full, state->v, curvature);
    multiply_jacobian(P, B, a, pull);
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i), n = contact[CONTACT_NORMAL];
        if (n < 0 || state->q[contact[CONTACT_CLOSED]] != 0 || !(gap[n] < 0)) continue;
        const symlie_real towards = -(pull[n] + curvature[n]);
        if (!(towards > 0) || !(speed[n] <= 0 || speed[n] * speed[n] <= -2 * gap[n] * towards)) continue;
        symlie_real *slack = state->q + contact[CONTACT_SPEED] + 1;
        *slack = fmax(*slack, 2 * rounding - gap[n]);
    }
    return SYMLIE_DONE;
}

/* Switch the modes, with velocities that satisfy the constraints in force to rounding. */
SYMLIE_COLD int switch_contacts(const symlie_problem *restrict P, symlie_real *restrict work, const symlie_control *restrict control,
                                long long first, symlie_real end, mass_matrix *restrict mass, symlie_state *restrict state,
                                const symlie_record *restrict record, symlie_real *restrict flight)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(b, ROWS);
    ARRAY(c, ROWS);
    ARRAY(r, DIMENSION);
    ARRAY(d, DIMENSION);
    const symlie_real t = TIME_OF(state);
    int status = switch_modes(P, work, control, first, end, mass, state, record, flight);
    if (status != SYMLIE_DONE) return status;
    system_jacobian(P, TIME_OF(state), state->q, state->v, B);
    hidden_residual(P, TIME_OF(state), state->q, B, state->v, 0, b, c);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    status = along_constraints(P, TIME_OF(state), state->q, B, c, r, b, mass, d);
    for (int k = 0; k < DIMENSION && status == SYMLIE_DONE; k++) state->v[k] += d[k];
    if (status == SYMLIE_DONE) status = give_slack(P, work, mass, state);
    /* An open contact whose gap remains zero up to rounding separates too slowly for the next steps: it touches only beyond it. */
    if (!(state->changes_at_once > 0) || is_later_change(state)) return status;
    int fired[CONTACTS];
    events_of_contacts(P, record, first, t, fired);
    for (int i = 0; i < CONTACTS; i++) {
        const int *contact = contact_of(P, i);
        if (!(fired[i] & TOUCHES) || state->q[contact[CONTACT_CLOSED]] != 0) continue;
        state->q[contact[CONTACT_SPEED] + 1] = 2 * CONTACT_ROUNDING * largest_entry(STORAGE - UNWRAPPED, state->q, 0);
    }
    return status;
}
#else
static inline long long contact_workspace(const symlie_problem *restrict P)
{
    return 0;
}
#endif

#endif
