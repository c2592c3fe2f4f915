/* Steps without tangents, before the same steps with tangents: Newton's method iterates values alone, and tangents are
 * then computed at its solution, with its factors. The namespace without_tangents contains the code for numbers without
 * tangents. */
#ifndef SYMLIE_VALUE_STEPS_H
#define SYMLIE_VALUE_STEPS_H

#if VALUES_FIRST
typedef struct value_steps {
    without_tangents::symlie_problem P;
    without_tangents::symlie_state state;
    without_tangents::symlie_trial trial;
    without_tangents::mass_matrix mass;
    double *right;              /* right-hand side of a linear system */
    double *work;
} value_steps;

static inline long long values_workspace(const symlie_problem *restrict problem)
{
    const auto *P = (const without_tangents::symlie_problem *)(const void *)problem;
    const long long state = STORAGE + 2LL * DIMENSION + ROWS + CARRIED + OWN;
    const long long trial = without_tangents::trial_workspace(P) + 2LL * UNKNOWNS + MATRIX_VALUES + DIMENSION + ROWS;
    return without_tangents::kept_workspace(P) + without_tangents::mass_workspace(P) + state + trial + without_tangents::step_workspace(P) + 1;
}

static inline double *taken(double **work, long long size)
{
    double *const begin = *work;
    *work += size;
    return begin;
}

static inline void copy_values(int n, const symlie_real *restrict from, double *restrict to)
{
    for (int k = 0; k < n; k++) to[k] = from[k].value;
}

/* Begin steps from a state. Return 0 if M is not regular. */
static inline int begin_values(const symlie_problem *restrict P, const symlie_state *restrict state, value_steps *restrict v)
{
    v->P = *(const without_tangents::symlie_problem *)P->values;
    double *work = v->P.workspace + without_tangents::kept_workspace(&v->P);
    work = without_tangents::place_mass(&v->P, work, &v->mass);
    v->state = without_tangents::symlie_state{};
    v->state.q = taken(&work, STORAGE), v->state.v = taken(&work, DIMENSION), v->state.lambda = taken(&work, ROWS);
    v->state.carried = taken(&work, CARRIED), v->state.acceleration = taken(&work, DIMENSION), v->state.own = taken(&work, OWN);
    without_tangents::symlie_trial *const trial = &v->trial;
    *trial = without_tangents::symlie_trial{};
    trial->q = taken(&work, STORAGE), trial->v = taken(&work, DIMENSION), trial->lambda = taken(&work, ROWS);
    trial->acceleration = taken(&work, DIMENSION), trial->first_acceleration = taken(&work, DIMENSION);
    trial->event = taken(&work, EVENTS), trial->increment = taken(&work, INCREMENTS), trial->carried = taken(&work, CARRIED);
    trial->own = taken(&work, OWN), trial->difference = taken(&work, 2 * DIMENSION);
    trial->solution = taken(&work, UNKNOWNS + MATRIX_VALUES + DIMENSION + ROWS);
    v->right = taken(&work, UNKNOWNS);
    v->work = work;
    copy_values(STORAGE, state->q, v->state.q);
    return without_tangents::evaluate_mass(&v->P, state->t, v->state.q, &v->mass);
}

/* Take a step of the method without tangents. */
static inline int take_values(const symlie_problem *restrict P, symlie_real t, symlie_real h, const symlie_control *restrict control,
                              const symlie_state *restrict from, symlie_trial *restrict to)
{
    value_steps *const v = to->values;
    const without_tangents::symlie_state arrays = v->state;
    static_assert(sizeof(symlie_state) == sizeof(without_tangents::symlie_state), "times have no tangents");
    memcpy((void *)&v->state, (const void *)from, sizeof v->state);
    v->state.q = arrays.q, v->state.v = arrays.v, v->state.lambda = arrays.lambda, v->state.carried = arrays.carried;
    v->state.acceleration = arrays.acceleration, v->state.own = arrays.own;
    copy_values(STORAGE, from->q, v->state.q);
    copy_values(DIMENSION, from->v, v->state.v);
    copy_values(ROWS, from->lambda, v->state.lambda);
    copy_values(DIMENSION, from->acceleration, v->state.acceleration);
    copy_values(OWN, from->own, v->state.own);
    memcpy((void *)&v->trial.newton, (const void *)&to->newton, sizeof v->trial.newton);
    v->trial.may_be_rough = to->may_be_rough, v->trial.planned = SYMLIE_VALUE(to->planned);
    return without_tangents::method_step(&v->P, v->work, SYMLIE_VALUE(t), SYMLIE_VALUE(h),
                                      (const without_tangents::symlie_control *)(const void *)control, &v->mass, &v->state, &v->trial);
}

/* Solve the linear system of a step for the tangents of x; the values of x are zero. */
static inline void solve_for_tangents(int n, value_steps *restrict v, double scale, symlie_real *restrict x)
{
    without_tangents::iteration_matrix A = {};
    A.values = v->trial.solution + n;
    for (int j = 0; j < SYMLIE_TANGENTS; j++) {
        for (int k = 0; k < n; k++) v->right[k] = tangent_of(x[k], j);
        without_tangents::solve_iteration(&v->P, scale, &A, v->right);
        for (int k = 0; k < n; k++) set_tangent(x[k], j, v->right[k]);
    }
}
#endif

#endif
