/* The matrices of both stages of a variational step; see variational_step.h for the equations. */
#ifndef SYMLIE_VARIATIONAL_MATRIX_H
#define SYMLIE_VARIATIONAL_MATRIX_H

#include "iteration_tables.h"
#include "products.h"
#if FULL
#include "variational_start_matrix.h"
#else
static inline void add_start_matrix(newton_problem *restrict s) { (void)s; }
#endif

#define STAGE_VALUES (MATRIX_VALUES + SAMPLED_VALUES)
#define STAGE_SQUARES (FULL * SQUARES)

#if PROBES
#include "complement_diagonal.h"

/* Regularise redundant constraints; the diagonals of h S and of M + h w1 D are near that of M. */
static inline void regularise_stage(newton_problem *restrict s)
{
    const symlie_problem *P = s->P;
    take_mobility(P, s->mass->M, SYMLIE_NUMBER(1), s->pulled);
    for (int k = 0; k < DIMENSION; k++)
        if (!IS_FREE(k)) s->pulled[k] = SYMLIE_NUMBER(0);
    subtract_complement(P, s->B, s->pulled, s->values);
}
#else
static inline void regularise_stage(newton_problem *restrict s) { (void)s; }
#endif

/* Evaluate and factorise the matrix of a stage. */
static inline int take_stage_matrix(newton_problem *restrict s)
{
    const symlie_problem *P = s->P;
    (void)P;
    const elimination E = read_elimination(ELIMINATION);
    symlie_real *restrict values = s->values;
    int lost = 0;
    clear_matrix(&E, values);
    for (int k = 0; k < COUNT_OF_UNIT_TO; k++) values[UNIT_TO[k]] = SYMLIE_NUMBER(1);
    if (s->is_end) {
        system_load_slopes(P, s->t, s->q, s->v, s->K, s->D);
        for (int k = 0; k < MASS_VALUES; k++) {
            values[MASS_TO[k]] += s->mass->M[k];
            values[MASS_MIRROR[k]] += s->mass->M[k];
        }
        for (int k = 0; k < VALUES_OF_D; k++) values[END_TO[k]] += s->h * END_WEIGHT * s->D[k];
        for (int k = 0; k < JACOBIAN_VALUES; k++) values[PULL_TO[k]] += s->B[k], values[REST_TO[k]] += s->B[k];
    } else add_start_matrix(s);
    if (PROBES) regularise_stage(s);
    else if (RELEASES) hold_released_rows(P, s->B, 0, values);
    return factorise_matrix(&E, values, &lost);
}

static inline void solve_stage_matrix(newton_problem *restrict s, const symlie_real *restrict r, symlie_real *restrict d)
{
    const symlie_problem *P = s->P;
    const elimination E = read_elimination(ELIMINATION);
    (void)P;
    copy(UNKNOWNS, r, s->pulled);
    solve_factorised(&E, s->values, s->pulled);
    copy_where(s->takes_matrix, UNKNOWNS, s->pulled, d);
}

#endif
