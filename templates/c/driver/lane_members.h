/* Memory of the members in SIMD lanes: the parameters and states of all lanes, interleaved value by value. */
#ifndef SYMLIE_LANE_MEMBERS_H
#define SYMLIE_LANE_MEMBERS_H

/* Members in the lanes, and the data common to all lanes. */
typedef struct {
    const symlie_problem *problems;
    symlie_state *states;
    const symlie_plan *plan;
    symlie_record *records;
    const symlie_lanes *lanes;
    symlie_problem P;           /* parameters of all lanes */
    symlie_state state;         /* states of all lanes */
    symlie_real *p;             /* parameters of all lanes, writable */
    long long member[SYMLIE_LANES]; /* member of each lane; -1: none */
    int shares[SYMLIE_LANES];   /* lane whose values each lane repeats; its own index if it has a member */
    symlie_attempt attempt[SYMLIE_LANES];
} lane_members;

static inline void put_lane(long long n, const void *from, int lane, symlie_real *to)
{
    const symlie_scalar *numbers = from;
    for (long long k = 0; k < n; k++) to[k][lane] = numbers[k];
}

static inline void take_lane(long long n, const symlie_real *from, int lane, void *to)
{
    symlie_scalar *numbers = to;
    for (long long k = 0; k < n; k++) numbers[k] = from[k][lane];
}

static inline long long parameters_of(const symlie_lanes *given)
{
    long long all = 0;
    for (long long k = 0; k <= given->types; k++) all += given->parameters[k];
    return all;
}

/* Size of the states of all lanes. */
static inline long long states_of(const symlie_problem *restrict P) { return STORAGE + 2LL * DIMENSION + ROWS + CARRIED + OWN; }

long long symlie_lanes_workspace(const symlie_problem *P, const symlie_lanes *given)
{
    long long inner = step_workspace(P) + substep_workspace(P);
    if (carried_workspace(P) > inner) inner = carried_workspace(P);
    if (drift_workspace(P) > inner) inner = drift_workspace(P);
    if (projection_workspace(P) > inner) inner = projection_workspace(P);
    const long long steps = FIXED_TOPOLOGY ? 0 : mass_workspace(P) + trial_workspace(P) + inner;
    return (parameters_of(given) + states_of(P) + kept_workspace(P) + steps + 1) * SYMLIE_LANES;
}

/* put_state and take_state copy the state of a member to its lane and back, before and after calls and individual
 * steps. */
static inline void put_state(const symlie_problem *restrict P, lane_members *in, int lane)
{
    const symlie_state *s = in->states + in->member[lane];
    put_lane(STORAGE, s->q, lane, in->state.q);
    put_lane(DIMENSION, s->v, lane, in->state.v);
    put_lane(ROWS, s->lambda, lane, in->state.lambda);
    put_lane(CARRIED, s->carried, lane, in->state.carried);
    put_lane(DIMENSION, s->acceleration, lane, in->state.acceleration);
    put_lane(OWN, s->own, lane, in->state.own);
}

static inline void take_state(const symlie_problem *restrict P, const lane_members *in, int lane)
{
    symlie_state *s = in->states + in->member[lane];
    take_lane(STORAGE, in->state.q, lane, s->q);
    take_lane(DIMENSION, in->state.v, lane, s->v);
    take_lane(ROWS, in->state.lambda, lane, s->lambda);
    take_lane(CARRIED, in->state.carried, lane, s->carried);
    take_lane(DIMENSION, in->state.acceleration, lane, s->acceleration);
    take_lane(OWN, in->state.own, lane, s->own);
}

static inline void record_lane(const symlie_problem *restrict P, const lane_members *in, int lane)
{
    symlie_record *record = in->records + in->member[lane];
    const long long n = record->count++;
    record->t[n] = in->states[in->member[lane]].t;
    take_lane(STORAGE, in->state.q, lane, record->q + n * STORAGE);
    take_lane(DIMENSION, in->state.v, lane, record->v + n * DIMENSION);
    take_lane(ROWS, in->state.lambda, lane, record->lambda + n * ROWS);
    take_lane(CARRIED, in->state.carried, lane, record->carried + n * CARRIED);
}

/* Copy the parameters and the state of a member to a lane. */
static inline void put_member(const symlie_problem *restrict P, lane_members *in, int lane)
{
    const symlie_problem *from = in->problems + in->member[lane];
    symlie_real *p = in->p;
    put_lane(in->lanes->parameters[0], from->p, lane, p);
    p += in->lanes->parameters[0];
    for (long long k = 0; k < in->lanes->types; k++) {
        put_lane(in->lanes->parameters[k + 1], from->elements[k].parameters, lane, p);
        p += in->lanes->parameters[k + 1];
    }
    put_state(P, in, lane);
}

/* Copy all values of one lane to another. */
static inline void share_lane(const symlie_problem *restrict P, lane_members *in, int from, int to)
{
    const symlie_state *s = &in->state;
    symlie_real *const parts[] = {in->p, s->q, s->v, s->lambda, s->carried, s->acceleration, s->own};
    const long long sizes[] = {parameters_of(in->lanes), STORAGE, DIMENSION, ROWS, CARRIED, DIMENSION, OWN};
    for (int part = 0; part < 7; part++)
        for (long long k = 0; k < sizes[part]; k++) parts[part][k][to] = parts[part][k][from];
}

static inline void place_lanes(lane_members *in, const symlie_problem *first)
{
    const size_t size = sizeof(symlie_real);
    symlie_real *work = (symlie_real *)(((size_t)in->lanes->workspace + size - 1) / size * size);
    symlie_problem *P = &in->P;
    *P = *first;
    in->p = work;
    P->p = work;
    work += in->lanes->parameters[0];
    for (long long k = 0; k < in->lanes->types; k++) {
        in->lanes->elements[k] = first->elements[k];
        in->lanes->elements[k].parameters = work;
        work += in->lanes->parameters[k + 1];
    }
    P->elements = in->lanes->elements;
    in->state = (symlie_state){0};
    in->state.q = work, work += STORAGE;
    in->state.v = work, work += DIMENSION;
    in->state.lambda = work, work += ROWS;
    in->state.carried = work, work += CARRIED;
    in->state.acceleration = work, work += DIMENSION;
    in->state.own = work, work += OWN;
    P->workspace = work;
}

/* Accept the step in all lanes by exchange of the arrays. */
static inline void accept_in_all(const symlie_problem *restrict P, lane_members *in, symlie_trial *restrict trial)
{
    symlie_state *s = &in->state;
    exchange(&s->q, &trial->q);
    exchange(&s->v, &trial->v);
    exchange(&s->lambda, &trial->lambda);
    exchange(&s->carried, &trial->carried);
    exchange(&s->own, &trial->own);
    if (trial->acceleration_is_valid) exchange(&s->acceleration, &trial->acceleration);
    s->acceleration_is_valid = trial->acceleration_is_valid;
}

/* Accept the step in the lanes of the mask. */
static inline void accept_lanes(const symlie_problem *restrict P, lane_members *in, symlie_mask taken, symlie_trial *restrict trial)
{
    symlie_state *s = &in->state;
    if (SYMLIE_ALL(taken)) {
        accept_in_all(P, in, trial);
        return;
    }
    for (int k = 0; k < STORAGE; k++) s->q[k] = SYMLIE_WHERE(taken, trial->q[k], s->q[k]);
    for (int k = 0; k < DIMENSION; k++) s->v[k] = SYMLIE_WHERE(taken, trial->v[k], s->v[k]);
    for (int k = 0; k < ROWS; k++) s->lambda[k] = SYMLIE_WHERE(taken, trial->lambda[k], s->lambda[k]);
    for (int k = 0; k < CARRIED; k++) s->carried[k] = SYMLIE_WHERE(taken, trial->carried[k], s->carried[k]);
    for (int k = 0; k < OWN; k++) s->own[k] = SYMLIE_WHERE(taken, trial->own[k], s->own[k]);
    if (trial->acceleration_is_valid)
        for (int k = 0; k < DIMENSION; k++)
            s->acceleration[k] = SYMLIE_WHERE(taken, trial->acceleration[k], s->acceleration[k]);
}

#if !POLYNOMIAL
/* Number of evaluations of a member: one less if its first stage was known, although the lanes recomputed it. */
static inline long long evaluations_of_lane(const symlie_control *restrict control, const symlie_trial *restrict trial, int lane,
                                            int has_first, int have_first, int is_last)
{
    return trial->rhs_evaluations[lane] - (has_first && !have_first);
}
#endif

#if !HAS_CACHE
/* Hooks for methods that cache data between steps; the methods compiled here do not. */
static inline void share_kept(const symlie_problem *restrict P, int from, int to)
{
    (void)P, (void)from, (void)to;
}

static inline void forget_lane(const symlie_problem *restrict P, int lane)
{
    (void)P, (void)lane;
}

static inline void forget_alone(const symlie_problem *restrict P, void *workspace)
{
    (void)P, (void)workspace;
}
#endif

#endif
