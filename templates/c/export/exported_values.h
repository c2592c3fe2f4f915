/* Evaluation at the state of exported programs. */
#ifndef SYMLIE_EXPORTED_VALUES_H
#define SYMLIE_EXPORTED_VALUES_H

/* Prepare a call for evaluation at the state. */
SYMLIE_APART int evaluate(exported_state *s, const exported_parameters *p, exported_call *call)
{
    const int status = make_ready(s, p);
    if (status != SYMLIE_DONE) return status;
    open_call(s, call);
    const int current = make_current(s, call);
    close_call(s, call);
    return current;
}

static int outputs_exported(exported_state *s, const exported_parameters *p, symlie_real *out)
{
    exported_call call;
    const int status = evaluate(s, p, &call);
    if (status != SYMLIE_DONE) return status;
    for (int k = 0; k < OUTPUTS_OF_SYSTEM; k++) out += system_output(&call.P, k, s->t, s->q, s->v, s->lambda, out);
    return SYMLIE_DONE;
}

static int events_exported(exported_state *s, const exported_parameters *p, symlie_real *out)
{
    exported_call call;
    const int status = evaluate(s, p, &call);
    if (status == SYMLIE_DONE && EXPORTED_EVENTS > 0) symlie_events(&call.P, s->t, s->q, s->v, s->lambda, out);
    return status;
}

static int energy_exported(exported_state *s, const exported_parameters *p, symlie_real *out)
{
    exported_call call;
    const int status = evaluate(s, p, &call);
    if (status == SYMLIE_DONE) symlie_energy(&call.P, s->t, s->q, s->v, out);
    return status;
}

static int residuals_exported(exported_state *s, const exported_parameters *p, symlie_real *position, symlie_real *velocity)
{
    exported_call call;
    const int status = evaluate(s, p, &call);
    return status != SYMLIE_DONE ? status : residuals_at(&call.P, s->t, s->q, s->v, position, velocity);
}

static int acceleration_exported(exported_state *s, const exported_parameters *p, symlie_real *a, symlie_real *lambda)
{
    exported_call call;
    const int status = evaluate(s, p, &call);
    return status != SYMLIE_DONE ? status : acceleration_of_state(&call.P, s->t, s->q, s->v, a, lambda);
}

static int inverse_dynamics_exported(exported_state *s, const exported_parameters *p, const symlie_real *a, symlie_real *out)
{
    exported_call call;
    const int status = evaluate(s, p, &call);
    if (status != SYMLIE_DONE) return status;
#if INVERSE_DYNAMICS
    symlie_inverse_dynamics(&call.P, s->t, s->q, s->v, a, out);
#else
    symlie_real *M = s->workspace + EXPORTED_SCRATCH;
    symlie_mass(&call.P, s->t, s->q, M);
    symlie_force(&call.P, s->t, s->q, s->v, out);
    for (int k = 0; k < VALUES_OF_MASS; k++) {
        out[row_of_mass[k]] += M[k] * a[column_of_mass[k]];
        if (row_of_mass[k] != column_of_mass[k]) out[column_of_mass[k]] += M[k] * a[row_of_mass[k]];
    }
#endif
    return SYMLIE_DONE;
}

#if LINEARIZES
static int linearize_exported(exported_state *s, const exported_parameters *p, symlie_real *K, symlie_real *C)
{
    exported_call call;
    int status = evaluate(s, p, &call);
    if (status != SYMLIE_DONE) return status;
    symlie_real *a = s->workspace + EXPORTED_SCRATCH, *lambda = a + EXPORTED_DIMENSION;
    symlie_real *of_K = lambda + EXPORTED_ROWS, *of_C = of_K + VALUES_OF_STIFFNESS, *of_H = of_C + VALUES_OF_DAMPING;
    status = acceleration_of_state(&call.P, s->t, s->q, s->v, a, lambda);
    if (status != SYMLIE_DONE) return status;
    system_newton(&call.P, s->t, s->q, s->v, a, lambda, of_K, of_C, of_H);
    for (int k = 0; k < EXPORTED_DIMENSION * EXPORTED_DIMENSION; k++) K[k] = C[k] = 0;
    for (int k = 0; k < VALUES_OF_STIFFNESS; k++) K[place_of_stiffness[k]] += of_K[k];
    for (int k = 0; k < VALUES_OF_DAMPING; k++) C[place_of_damping[k]] += of_C[k];
    return SYMLIE_DONE;
}
#endif

#if HAS_RATES
/* Compute the rates of the stored configuration and of the velocity, and the multipliers. */
static int rates_exported(exported_state *s, const exported_parameters *p, symlie_real *q_dot, symlie_real *v_dot, symlie_real *lambda)
{
    exported_call call;
    symlie_real rate[EXPORTED_DIMENSION];
    int status = evaluate(s, p, &call);
    if (status != SYMLIE_DONE) return status;
    if (MOTIONS) system_prescribe(&call.P, s->t, s->q, s->v);
    keep_angles(&call.P, call.P.workspace + kept_workspace(&call.P), s->t, s->q);
    status = acceleration_of_state(&call.P, s->t, s->q, s->v, v_dot, lambda);
    if (status != SYMLIE_DONE) return status;
    for (int k = 0; k < EXPORTED_DIMENSION; k++) rate[k] = s->v[k];
#if FIELDS
    system_field(&call.P, s->t, s->q, v_dot, lambda, rate);
#endif
#if COORDINATE_RATES
    system_coordinate_rate(&call.P, s->q, rate, rate);
#endif
    system_storage_rate(&call.P, s->q, rate, q_dot);
    return SYMLIE_DONE;
}

/* Largest |entry| of Phi, and the largest change of an entry of q that returns it to its group. */
static int drift_exported(exported_state *s, const exported_parameters *p, symlie_real *out)
{
    exported_call call;
    symlie_real moved[EXPORTED_STORAGE], position[EXPORTED_ROWS] = {0}, velocity[EXPORTED_ROWS];
    const int status = evaluate(s, p, &call);
    if (status != SYMLIE_DONE) return status;
    *out = 0;
    if (MOTIONS) system_prescribe(&call.P, s->t, s->q, s->v);
    symlie_normalize(&call.P, s->q, moved);
    residuals_at(&call.P, s->t, s->q, s->v, position, velocity);
    for (int k = 0; k < EXPORTED_STORAGE; k++) *out = fmax(*out, fabs(moved[k] - s->q[k]));
    for (int k = 0; k < EXPORTED_ROWS; k++) *out = fmax(*out, fabs(position[k]));
    return SYMLIE_DONE;
}

#if HAS_CHANGES
/* Change the state at events, which have happened where the flags are 1. The time stays: the rest of a sequence of impacts
 * is omitted. */
static int change_exported(exported_state *s, const exported_parameters *p, const unsigned char *has_happened)
{
    exported_call call;
    int status = evaluate(s, p, &call);
    if (status != SYMLIE_DONE) return status;
    open_call(s, &call);
    const symlie_problem *P = &call.P;
    const symlie_control *control = &EXPORTED_CONTROL;
    const symlie_scalar passed = -(symlie_scalar)HUGE_VAL;
    const symlie_plan plan = {.control = control, .end = &passed};
    call.state.segment = 0;
    mass_matrix mass;
    symlie_real *work = place_mass(P, P->workspace + kept_workspace(P), &mass);
    if (!evaluate_mass(P, s->t, s->q, &mass)) return mass_failure(P, SYMLIE_NUMBER(0), &mass);
    for (int k = 0; k < EXPORTED_EVENTS; k++) {
        if (!has_happened[k] || !control->event_changes[k]) continue;
        symlie_real *row = call.record.event + EVENT_WIDTH * call.record.events++;
        row[0] = (symlie_real)k, row[1] = s->t;
    }
    status = change_state(P, work, 0, &plan, passed, &mass, &call.state, &call.record);
    if (status == SYMLIE_ACCUMULATION) status = SYMLIE_DONE;
    s->is_stale = 1, s->is_followed = 0, s->has_grid = 0;
    return status;
}

/* Find the event functions of modes and constraints that are not in force. */
static void find_idle_events(exported_state *s, unsigned char *is_idle_event)
{
    exported_call call;
    point_problem(s, &call);
    for (int k = 0; k < EXPORTED_EVENTS; k++) is_idle_event[k] = (unsigned char)is_idle(&call.P, s->q, k);
}

#endif

#if HAS_CHANGES || defined(UNWRAPPED)
/* Count the turns of angles in a step from the given state, and let the directions of sliding contacts follow their slip
 * unless it ends at an event. */
static int complete_exported(exported_state *s, const exported_parameters *p, symlie_real t, const symlie_real *q, const symlie_real *v, int is_event)
{
    exported_call call;
    const int status = evaluate(s, p, &call);
    if (status != SYMLIE_DONE) return status;
    if (!turn_angles(&call.P, call.P.workspace + kept_workspace(&call.P), t, s->t - t, q, v, s->q, s->v)) return SYMLIE_TURNED_TOO_FAR;
#if SLIDES
    symlie_real event[EXPORTED_EVENTS + 1];
    if (is_event) return SYMLIE_DONE;
    symlie_events(&call.P, s->t, s->q, s->v, s->lambda, event);
    follow_slip(&call.P, call.P.workspace + kept_workspace(&call.P), s->t, s->q, s->v, s->lambda, event);
#else
    (void)is_event;
#endif
    return SYMLIE_DONE;
}
#endif

/* Take over a state that a program wrote to t, q and v: steps begin anew there. */
static void take_exported(exported_state *s)
{
    s->acceleration_is_valid = 0, s->own_is_valid = 0, s->event_is_valid = 0;
    s->is_followed = 0, s->has_grid = 0, s->step_after = -1;
}
#endif

static int project_exported(exported_state *s, const exported_parameters *p)
{
    exported_call call;
    int status = evaluate(s, p, &call);
    if (status != SYMLIE_DONE) return status;
    open_call(s, &call);
    const symlie_problem *P = &call.P;
    mass_matrix mass;
    symlie_real *work = place_mass(P, P->workspace + kept_workspace(P), &mass);
    TRIAL(trial);
    if (!evaluate_mass(P, s->t, s->q, &mass)) return mass_failure(P, SYMLIE_NUMBER(0), &mass);
    symlie_normalize(P, s->q, trial.q);
    copy(DIMENSION, s->v, trial.v);
    status = project(P, work, s->t, s->t, 1, 1, &mass, &call.state, &trial);
    if (status != SYMLIE_DONE) return status;
    copy(STORAGE, trial.q, s->q);
    copy(DIMENSION, trial.v, s->v);
    s->is_stale = 1, s->is_followed = 0, s->has_grid = 0;
    return evaluate(s, p, &call);
}

#endif
