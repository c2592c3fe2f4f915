/* Data and memory of both stages of a variational step; see variational_step.h for the equations. */
#ifndef SYMLIE_VARIATIONAL_PROBLEM_H
#define SYMLIE_VARIATIONAL_PROBLEM_H

#define HAS_MATRIX (FULL || LOADS_SEE_VELOCITY)
#define UNKNOWNS (DIMENSION + ROWS)
#define SAMPLED (SAMPLES > 0)
#define LOADS_AT_ENDS (START_WEIGHT != 0 || END_WEIGHT != 0)

/* Steps while all contacts are open solve with M alone, or with M and the equations of other constraints. */
#ifdef STEPS_CONTACTS
#include "mass_alone.h"
#include "open_rows.h"
#define IS_BOUND(s) (CONSTRAINED && !(s)->is_unbound)
#else
#define MASS_ALONE 0
#define open_workspace(P) 0
#define IS_BOUND(s) CONSTRAINED
#endif
#define UNKNOWNS_OF(s) (DIMENSION + (IS_BOUND(s) ? ROWS : 0))

#define IS_FREE(k) (FIXED_TOPOLOGY || P->mobility[k] > 0)

typedef struct {
    const symlie_problem *P;
    mass_matrix *mass;
    int is_end;                     /* 1: solve (b) */
    int is_unbound;                 /* 1: all constraint equations belong to open contacts */
    int is_open;                    /* 1: the other equations do, and solve_open_rows solves with the rest */
    symlie_real *factors;           /* of M alone in these cases */
    symlie_real *open;              /* workspace of solve_open_rows */
    symlie_mask takes_matrix;       /* lanes that use the matrix last evaluated; the others use M only */
    symlie_mask has_factors;
    symlie_real t_n;
    symlie_real t;                  /* time at the end of the step */
    symlie_real h;
    const symlie_real *q_n;
    const symlie_real *target;      /* p_n - h w0 l_n in (a), p- in (b) */
    const symlie_real *held;        /* theta of prescribed nodes */
    symlie_real *theta;             /* theta of the last residual; the following arrays depend on it */
    symlie_real *q;
    symlie_real *v;
    symlie_real *load;
    symlie_real *sample_q;          /* at a sample between the ends; v is scratch after the evaluation of the load */
    symlie_real *sample_v;
    symlie_real *sample_load;
    symlie_real *B_n;               /* factor of B^T mu; the factor at the end of the step is in the second row of
                                     * the matrix */
    symlie_real *B;
    symlie_real *pulled;            /* scratch of the size of v, and of lambda */
    symlie_real *rows;
    symlie_real *terms;             /* sizes of the terms of the residual */
    symlie_real *u;                 /* unknowns; the following arrays are scratch of Newton's method */
    symlie_real *r;
    symlie_real *d;
    symlie_real *moved;
    symlie_real *guess;
    symlie_real *values;            /* the matrix, followed by its blocks at samples and its other blocks */
    symlie_real *S;
    symlie_real *N;
    symlie_real *K;
    symlie_real *D;
    symlie_real *T;
} newton_problem;

/* Memory of a step. */
#define VARIATIONAL_STEP(name)                                                      \
    ARRAY(name##_factors, MASS_ALONE);                                              \
    ARRAY(name##_open, open_workspace(P));                                          \
    ARRAY(name##_theta, DIMENSION);                                                 \
    ARRAY(name##_q, STORAGE);                                                       \
    ARRAY(name##_v, DIMENSION);                                                     \
    ARRAY(name##_load, DIMENSION);                                                  \
    ARRAY(name##_sample_q, SAMPLED * STORAGE);                                      \
    ARRAY(name##_sample_v, SAMPLED * DIMENSION);                                    \
    ARRAY(name##_sample_load, SAMPLED * DIMENSION);                                 \
    ARRAY(name##_B_n, JACOBIAN_VALUES);                                             \
    ARRAY(name##_B, JACOBIAN_VALUES);                                               \
    ARRAY(name##_pulled, DIMENSION + ROWS);                                         \
    ARRAY(name##_rows, DIMENSION + ROWS);                                           \
    ARRAY(name##_terms, DIMENSION);                                                 \
    ARRAY(name##_u, UNKNOWNS);                                                      \
    ARRAY(name##_r, UNKNOWNS);                                                      \
    ARRAY(name##_d, UNKNOWNS);                                                      \
    ARRAY(name##_moved, UNKNOWNS);                                                  \
    ARRAY(name##_guess, UNKNOWNS);                                                  \
    ARRAY(name##_values, STAGE_VALUES);                                             \
    ARRAY(name##_S, FULL * VALUES_OF_S);                                            \
    ARRAY(name##_N, FULL * VALUES_OF_N);                                            \
    ARRAY(name##_K, HAS_MATRIX * VALUES_OF_K);                                      \
    ARRAY(name##_D, HAS_MATRIX * VALUES_OF_D);                                      \
    ARRAY(name##_T, STAGE_SQUARES);                                                 \
    newton_problem name = {                                                         \
        .P = P, .mass = mass, .factors = name##_factors, .open = name##_open, .theta = name##_theta, .q = name##_q, .v = name##_v, .load = name##_load,  \
        .sample_q = name##_sample_q, .sample_v = name##_sample_v, .sample_load = name##_sample_load,      \
        .B_n = name##_B_n, .B = name##_B, .pulled = name##_pulled, .rows = name##_rows,                   \
        .terms = name##_terms, .u = name##_u, .r = name##_r, .d = name##_d, .moved = name##_moved,        \
        .guess = name##_guess, .values = name##_values, .S = name##_S, .N = name##_N, .K = name##_K,      \
        .D = name##_D, .T = name##_T}

#endif
