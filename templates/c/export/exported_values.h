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
    if (status == SYMLIE_DONE && EXPORTED_EVENTS) symlie_events(&call.P, s->t, s->q, s->v, s->lambda, out);
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
