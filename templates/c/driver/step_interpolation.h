/* States within a step, for the search for events. They are interpolated by a cubic Hermite polynomial in the local
 * coordinates of the step,
 *
 *   q(s) = q_n o exp(theta(s)),  v(s) = T(theta) theta',  theta(0) = 0, theta'(0) = v_n, theta(1) = Theta, theta'(1) = T^-1(Theta) v
 *
 * where Theta is the increment of the step, corrected so that theta(1) reaches the end of the step. Shorter steps
 * replace the interpolation for models with first-order states, which have no velocity at the end, and after the
 * interpolation contradicted a step. */
#ifndef SYMLIE_STEP_INTERPOLATION_H
#define SYMLIE_STEP_INTERPOLATION_H

/* Evaluate the event functions. In time stepping those of contacts have no zeros. */
static inline void take_events(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict v,
                               const symlie_real *restrict lambda, symlie_real *restrict value)
{
    system_events(P, t, q, v, lambda, value);
#ifdef STEPS_CONTACTS
    for (int e = 0; e < EVENTS; e++)
        if (P->contact_event[e] >= 0) value[e] = 1;
#endif
}

/* An accepted step with scratch memory for states within it. */
typedef struct {
    const symlie_problem *P;
    symlie_real *work;
    const symlie_control *control;
    mass_matrix *mass;
    symlie_state *state;        /* state at the start of the step */
    const symlie_trial *trial;  /* result of the step */
    symlie_trial *other;        /* state at a point within the step */
    symlie_real t;
    symlie_real h;
    symlie_real end;            /* time at its end */
    symlie_real *theta;
    symlie_real *rate;          /* theta' at its end */
    int is_by_steps;            /* 1 if states within the step are computed by shorter steps */
} step_inside;

static inline long long inside_workspace(const symlie_problem *restrict P)
{
    return 7LL * DIMENSION + STORAGE + ROWS;
}

#if CONSTRAINED && DIVIDES_INCREMENTS && !FIELDS
/* Replace the velocities at the end of a short part of a step by v + x v' of its start. */
static inline int renew_velocities(const step_inside *restrict in, symlie_real *restrict work, symlie_real x, symlie_real end)
{
    const symlie_problem *restrict P = in->P;
    symlie_trial *restrict other = in->other;
    ARRAY(a, DIMENSION);
    ARRAY(lambda, ROWS);
    const int status = index1_acceleration(P, work, in->t, in->state->q, in->state->v, in->mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
    for (int k = 0; k < DIMENSION; k++) other->v[k] = in->state->v[k] + x * a[k];
    if (MOTIONS) system_prescribe(P, end, other->q, other->v);
    return SYMLIE_DONE;
}
#endif

/* Take a step of length x and evaluate the event functions at its end; the result is in `other`. */
static inline int step_to(step_inside *restrict in, symlie_real x, symlie_real end)
{
    const symlie_problem *restrict P = in->P;
    symlie_real *restrict work = in->work;
    symlie_trial *restrict other = in->other;
    int status = try_step(P, work, in->t, x, in->control, in->mass, in->state, other);
    if (status == SYMLIE_DONE) status = finish_step(P, work, in->t, end, in->control, in->mass, in->state, other);
#if CONSTRAINED && DIVIDES_INCREMENTS && !FIELDS
    if (status == SYMLIE_DONE && x < SHORT_PART * in->h) status = renew_velocities(in, work, x, end);
#endif
    ARRAY(scratch, DIMENSION);
#ifndef STEPS_CONTACTS
    if (status == SYMLIE_DONE) status = renew_multipliers(P, work, end, in->mass, other, scratch);
#endif
    if (status == SYMLIE_DONE) take_events(P, end, other->q, other->v, other->lambda, other->event);
    return status;
}

/* Compute the increment of the step and its rate at the end. */
static inline void begin_inside(step_inside *restrict in)
{
#if !BY_SHORTER_STEPS
    const symlie_problem *restrict P = in->P;
    symlie_real *restrict work = in->work;
    ARRAY(q, STORAGE);
    ARRAY(apart, DIMENSION);
    ARRAY(change, DIMENSION);
    copy(DIMENSION, in->trial->increment, in->theta);
    /* If the step has a single exponential, this is the increment of the step itself. */
    const int is_known = ONE_EXPONENTIAL && !SUBSTEPS && !in->trial->is_moved && !(in->control->project_position || in->control->project_velocity);
    for (int n = 0; !is_known && n < INCREMENT_STEPS; n++) {
        system_advance(P, in->state->q, in->theta, q);
        system_difference(P, q, in->trial->q, apart);
        if (largest_entry(DIMENSION, apart, 0) <= INCREMENT_ENOUGH) break;
        system_inverse_tangent_operator(P, in->theta, apart, change);
        for (int k = 0; k < DIMENSION; k++) in->theta[k] += change[k];
    }
    system_inverse_tangent_operator(P, in->theta, in->trial->v, in->rate);
    (void)work;
#endif
}

/* Evaluate the event functions at the fraction s of the step by taking a shorter step. */
SYMLIE_COLD int events_by_step(step_inside *restrict in, symlie_real s, symlie_real *restrict value)
{
    const symlie_problem *restrict P = in->P;
    (void)P;
    const int status = step_to(in, s * in->h, in->t + s * in->h);
    if (status == SYMLIE_DONE) copy(EVENTS, in->other->event, value);
    return status;
}

/* Evaluate the event functions at the fraction s of the step. */
static inline int events_inside(step_inside *restrict in, symlie_real s, symlie_real *restrict value)
{
#if BY_SHORTER_STEPS
    return events_by_step(in, s, value);
#else
    if (in->is_by_steps) return events_by_step(in, s, value);
    const symlie_problem *restrict P = in->P;
    symlie_real *restrict work = in->work;
    const symlie_real *restrict v0 = in->state->v;
    const symlie_real h = in->h, t = in->t + s * h;
    ARRAY(Theta, DIMENSION);
    ARRAY(rate, DIMENSION);
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    ARRAY(lambda, ROWS);
    const symlie_real ends = s * s * (3 - 2 * s), first = s * (1 - s) * (1 - s), last = s * s * (s - 1);
    const symlie_real ends_rate = 6 * s * (1 - s) / h, first_rate = (1 - s) * (1 - 3 * s), last_rate = s * (3 * s - 2);
    for (int k = 0; k < DIMENSION; k++) {
        Theta[k] = ends * in->theta[k] + h * (first * v0[k] + last * in->rate[k]);
        rate[k] = ends_rate * in->theta[k] + first_rate * v0[k] + last_rate * in->rate[k];
    }
    system_advance(P, in->state->q, Theta, q);
    system_tangent_operator(P, Theta, rate, v);
    if (MOTIONS) system_prescribe(P, t, q, v);
#if CONSTRAINED && EVENTS_READ_MULTIPLIERS && !defined(STEPS_CONTACTS)
    const int status = index1_acceleration(P, work, t, q, v, in->mass, rate, lambda);
    if (status != SYMLIE_DONE) return status;
#else
    for (int k = 0; k < ROWS; k++) lambda[k] = in->trial->lambda[k];
#endif
    take_events(P, t, q, v, lambda, value);
    (void)work;
    return SYMLIE_DONE;
#endif
}

#endif
