/* Start and results of runs with tangents. Included after driver.h. */
#ifndef SYMLIE_DIFFERENTIATE_H
#define SYMLIE_DIFFERENTIATE_H

/* Replace the values of numbers, but not their tangents. */
static inline void take_values(int n, const symlie_real *restrict values, symlie_real *restrict x)
{
    for (int k = 0; k < n; k++) x[k].value = values[k].value;
}

static inline void take_tangents(int n, const symlie_real *restrict tangents, symlie_real *restrict x)
{
    for (int k = 0; k < n; k++) x[k].tangent = tangents[k].tangent;
}

long long symlie_values_workspace(const symlie_problem *P)
{
#if VALUES_FIRST
    return values_workspace(P);
#else
    return 0;
#endif
}

long long symlie_begin_tangents_workspace(const symlie_problem *P)
{
    const long long own = STORAGE + 2LL * DIMENSION + ROWS;
    return own + (carried_workspace(P) > symlie_workspace(P) ? carried_workspace(P) : symlie_workspace(P));
}

int symlie_begin_tangents(const symlie_problem *P, symlie_scalar t, const symlie_real *theta, symlie_real *q, symlie_real *v,
                          symlie_real *lambda, symlie_real *acceleration)
{
    symlie_problem with_workspace = *P;
    symlie_real *work = P->workspace;
    ARRAY(moved, STORAGE);
    ARRAY(moved_v, DIMENSION);
    ARRAY(a, DIMENSION);
    ARRAY(multipliers, ROWS);
    with_workspace.workspace = work;
    system_advance(P, q, theta, moved);
    copy(DIMENSION, v, moved_v);
    if (MOTIONS) system_prescribe(P, t, moved, moved_v);
    keep_angles(P, work, t, moved);
    take_tangents(STORAGE, moved, q);
    take_tangents(DIMENSION, moved_v, v);
    const int status = symlie_acceleration(&with_workspace, t, q, v, a, multipliers);
    /* Without integrated velocities, multipliers may be undetermined; those of dependent nodes are not. */
    if (status != SYMLIE_DONE) return P->integrates_velocities ? status : SYMLIE_DONE;
    take_tangents(ROWS, multipliers, lambda);
    take_tangents(DIMENSION, a, acceleration);
    return SYMLIE_DONE;
}

void symlie_move_tangents(const symlie_problem *P, symlie_scalar t, const symlie_real *theta, symlie_real *q)
{
    symlie_real *work = P->workspace;
    ARRAY(moved, STORAGE);
    system_advance(P, q, theta, moved);
    keep_angles(P, work, t, moved);
    take_tangents(STORAGE, moved, q);
}

void symlie_increment_tangents(const symlie_problem *P, long long count, const symlie_real *q, symlie_real *theta)
{
    symlie_real *work = P->workspace;
    ARRAY(values, STORAGE);
    (void)work;
    for (int k = 0; k < STORAGE; k++) values[k] = 0;
    for (long long i = 0; i < count; i++) {
        take_values(STORAGE, q + i * STORAGE, values);
        system_difference(P, values, q + i * STORAGE, theta + i * DIMENSION);
    }
}

void symlie_output_tangents(const symlie_problem *P, long long count, const symlie_real *t, const symlie_real *q, const symlie_real *v,
                            const symlie_real *lambda, long long wanted_count, const long long *wanted, symlie_real *out)
{
    for (long long i = 0; i < count; i++)
        for (long long k = 0; k < wanted_count; k++)
            out += system_output(P, wanted[k], t[i], q + i * STORAGE, v + i * DIMENSION, lambda + i * ROWS, out);
}

#endif
