/* Cotangents of a step by the starting method, which consists of 2^n substeps; included after the adjoint of the starting
 * method. */
#ifndef SYMLIE_STARTING_COTANGENTS_H
#define SYMLIE_STARTING_COTANGENTS_H

#define STARTING_LEVELS 16 /* MOST_PARTS is at most 2^14 */
#define STARTING_STATE (STORAGE + 2 * DIMENSION + ROWS)

_Static_assert(MOST_PARTS < 1LL << STARTING_LEVELS, "too few levels for the substeps of starting steps");

static inline long long starting_cotangents_workspace(const symlie_problem *restrict P)
{
    const long long of_step = starter_step_workspace(P) + trial_workspace(P), of_adjoint = adjoint_starter_step_workspace(P);
    return STARTING_LEVELS * (long long)(STORAGE + 2LL * DIMENSION + ROWS) + 2 * (3LL * DIMENSION + ROWS) + DIMENSION +
           (of_step > of_adjoint ? of_step : of_adjoint);
}

/* Place the arrays of a state in memory. */
static inline symlie_state starting_state(const symlie_problem *restrict P, symlie_real *restrict memory)
{
    symlie_state found = {.q = memory, .v = memory + STORAGE};
    found.acceleration = found.v + DIMENSION, found.lambda = found.acceleration + DIMENSION;
    (void)P;
    return found;
}

/* Take some substeps from one state to another. */
static inline int take_substeps(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h, int first, int last,
                                const symlie_control *restrict control, mass_matrix *restrict mass, const symlie_state *restrict from,
                                symlie_state *restrict to)
{
    TRIAL(substep);
    const symlie_state *at = from;
    for (int part = first; part < last; part++, at = to) {
        const int status = starter_step(P, work, t + part * h, h, control, mass, at, &substep);
        if (status != SYMLIE_DONE) return status;
        copy(STORAGE, substep.q, to->q);
        copy(DIMENSION, substep.v, to->v);
        copy(ROWS, substep.lambda, to->lambda);
        copy(DIMENSION, substep.acceleration, to->acceleration);
        to->acceleration_is_valid = substep.acceleration_is_valid;
    }
    return SYMLIE_DONE;
}

/* Compute the cotangents of q, v and lambda at the start of a step of length h, which consists of equal parts. The states
 * between parts are repeated from those at the middle of the first parts, at the middle of the rest, and so on. */
static inline int starting_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                                      const symlie_control *restrict control, mass_matrix *restrict masses, const symlie_state *restrict state,
                                      int parts, const symlie_real *of_q, const symlie_real *of_v, const symlie_real *of_lambda,
                                      const symlie_real *of_acceleration, symlie_cotangents *restrict start, symlie_real *restrict start_q, symlie_real *restrict start_v,
                                      symlie_real *restrict start_lambda)
{
    ARRAY(memory, STARTING_LEVELS *STARTING_STATE);
    ARRAY(after_memory, 3 * DIMENSION + ROWS);
    ARRAY(before_memory, 3 * DIMENSION + ROWS);
    const symlie_real length = h / parts;
    symlie_cotangents after = {.q = after_memory, .v = after_memory + DIMENSION, .acceleration = after_memory + 2 * DIMENSION};
    symlie_cotangents before = {.q = before_memory, .v = before_memory + DIMENSION, .acceleration = before_memory + 2 * DIMENSION};
    symlie_state at[STARTING_LEVELS];
    int place[STARTING_LEVELS] = {0}, level = 0;
    after.lambda = after_memory + 3 * DIMENSION, before.lambda = before_memory + 3 * DIMENSION;
    after.gradient = before.gradient = start->gradient;
    take_cotangent(DIMENSION, of_q, after.q);
    take_cotangent(DIMENSION, of_v, after.v);
    take_cotangent(ROWS, of_lambda, after.lambda);
    copy(DIMENSION, of_acceleration, after.acceleration);
    at[0] = *state;
    for (int k = 1; k < STARTING_LEVELS; k++) at[k] = starting_state(P, memory + (k - 1) * STARTING_STATE);
    for (int part = parts; part-- > 0;) {
        while (place[level] > part) level--;
        for (; place[level] < part; level++) {
            place[level + 1] = (place[level] + part + 1) / 2;
            const int status = take_substeps(P, work, t, length, place[level], place[level + 1], control, masses, at + level, at + level + 1);
            if (status != SYMLIE_DONE) return status;
        }
        fill_zero(DIMENSION, before.acceleration);
        const int status = adjoint_starter_step(P, work, t + part * length, length, control, masses, at + level, 0, &after, &before);
        if (status != SYMLIE_DONE) return status;
        copy(3 * DIMENSION + ROWS, before_memory, after_memory);
    }
    copy(DIMENSION, after.q, start_q);
    copy(DIMENSION, after.v, start_v);
    copy(ROWS, after.lambda, start_lambda);
    copy(DIMENSION, after.acceleration, start->acceleration);
    return SYMLIE_DONE;
}

#endif
