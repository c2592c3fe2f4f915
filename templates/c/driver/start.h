/* Complete the initial conditions of several systems of one topology in one call, and check them by bounds that
 * nearly all states satisfy. symlie/runtime/system/completion.py handles the remaining states. Included after the
 * algebra of the model. */
#ifndef SYMLIE_START_H
#define SYMLIE_START_H

void symlie_prepare_rows(long long element, long long count, long long each, const symlie_real *p, long long p_size,
                         const symlie_real *e, long long e_size, symlie_real *out, long long out_size)
{
    for (long long i = 0; i < count; i++) symlie_prepare(element, p + i / each * p_size, e + i * e_size, out + i * out_size);
}

void symlie_initial_rows(const symlie_problem *problems, long long count, symlie_real *q, long long q_size, symlie_real *v, long long v_size)
{
    for (long long i = 0; i < count; i++) symlie_initial(problems[i].p, q + i * q_size, v + i * v_size);
}

#if MASS_IS_REGULAR && !NONLINEAR_ROWS
#if FIXED_TOPOLOGY
#include "start_dense.h"
#else
#include "start_banded.h"
#endif

static inline int is_on_group(const symlie_problem *restrict P, const symlie_starts *starts, const symlie_real *restrict stated, const symlie_real *restrict moved)
{
    for (int k = 0; k < STORAGE; k++)
        if (!(fabs(moved[k] - stated[k]) <= ON_GROUP)) return 0;
    /* Reflections, projections and zero matrices are not normalised. */
    for (long long i = 0; i < starts->rotations; i++) {
        const symlie_real *R = stated + starts->rotation_place[i];
        const symlie_real determinant = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) + R[2] * (R[3] * R[7] - R[4] * R[6]);
        if (!(determinant > 0.5)) return 0;
    }
    for (long long i = 0; i < starts->parts; i++) {
        symlie_real largest = 0;
        for (int k = starts->part_place[2 * i]; k < starts->part_place[2 * i + 1]; k++) largest = fmax(largest, fabs(stated[k]));
        if (!(largest > ON_GROUP)) return 0;
    }
    return 1;
}

/* Complete one state. Return whether it passes all checks. */
static inline int begin_state(const symlie_problem *restrict P, const symlie_starts *starts, const symlie_real *restrict stated,
                              symlie_real *restrict q, symlie_real *restrict v, symlie_real *restrict lambda, symlie_real *restrict work)
{
    ARRAY(moved, STORAGE);
    symlie_normalize(P, stated, moved);
    symlie_normalize(P, moved, q);
    symlie_prescribe(P, starts->t, q, v);
    for (int k = 0; k < DIMENSION; k++)
        if (!(fabs(v[k]) < (symlie_real)INFINITY)) return 0;
    if (!is_on_group(P, starts, stated, moved) || !has_mass(P, starts, work, q)) return 0;
#if CONSTRAINED
    symlie_real largest = 1;
    mass_matrix mass;
    symlie_constraint(P, starts->t, q, lambda);
    for (int k = 0; k < STORAGE; k++) largest = fmax(largest, fabs(q[k]));
    for (int i = 0; i < ROWS; i++)
        if (!(fabs(lambda[i]) <= POSITION_TOLERANCE * largest)) return 0;
    if (!complete_velocities(P, starts, work, q, v)) return 0;
    work = place_mass(P, work, &mass);
    ARRAY(a, DIMENSION);
    if (!evaluate_mass(P, starts->t, q, &mass)) return 0;
    if (index1_acceleration(P, work, starts->t, q, v, &mass, a, lambda) != SYMLIE_DONE) return 0;
#endif
    return 1;
}
#endif

/* Size of the workspace of symlie_begin. */
long long symlie_begin_workspace(const symlie_problem *P)
{
#if MASS_IS_REGULAR && !NONLINEAR_ROWS && !FIXED_TOPOLOGY
    const long long of_accelerations = acceleration_workspace(P) + DIMENSION, of_completion = completion_workspace(P);
    return STORAGE + mass_workspace(P) + (of_accelerations > of_completion ? of_accelerations : of_completion);
#else
    (void)P;
    return 0;
#endif
}

void symlie_begin(const symlie_problem *problems, const symlie_starts *starts, symlie_real *workspace)
{
    for (long long i = 0; i < starts->count; i++) {
        const symlie_problem *P = problems + i;
#if MASS_IS_REGULAR && !NONLINEAR_ROWS
        starts->is_ordinary[i] = (unsigned char)begin_state(P, starts, starts->stated + i * STORAGE, starts->q + i * STORAGE,
                                                            starts->v + i * DIMENSION, starts->lambda + i * ROWS, workspace);
#else
        starts->is_ordinary[i] = 0;
#endif
    }
}

#endif
