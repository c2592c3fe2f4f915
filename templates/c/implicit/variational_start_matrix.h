/* The matrix [h S, B_n^T; B T, 0] of the first stage of a variational step; see variational_step.h. */
#ifndef SYMLIE_VARIATIONAL_START_MATRIX_H
#define SYMLIE_VARIATIONAL_START_MATRIX_H

#if SAMPLES
/* Add h times the derivative of the contribution of loads to p+. */
static inline void add_sample_slopes(newton_problem *restrict s)
{
    const symlie_problem *P = s->P;
    symlie_real *restrict values = s->values;
    for (int n = 0; n < SAMPLES; n++) {
        const symlie_real part = SYMLIE_NUMBER(SAMPLE_PART[n]), push = s->h * s->h * SAMPLE_WEIGHT[n];
        take_sample(s, n);
        system_load_slopes(P, s->t_n + part * s->h, s->sample_q, s->sample_v, s->K, s->D);
        for (int k = 0; k < DIMENSION; k++) s->sample_v[k] = part * s->theta[k];
        system_tangent_matrix(P, s->sample_v, s->T);
        for (int k = 0; k < SAMPLED_VALUES; k++) values[MATRIX_VALUES + k] = SYMLIE_NUMBER(0);
        ADD_PRODUCT(STIFFNESS, part, s->K, s->T);
        for (int k = 0; k < VALUES_OF_D; k++) values[SAMPLE_DAMPING_TO[k]] += s->D[k] / s->h;
        system_matrix_interpolation(P, s->theta, part, s->T);
        for (const int *row = SAMPLE_ROWS; row < SAMPLE_ROWS + COUNT_OF_SAMPLE_ROWS; row += 5) {
            symlie_real *restrict to = values + row[0];
            const symlie_real *restrict block = values + row[1], *restrict column = s->T + row[2];
            for (int i = 0; i < row[3]; i++, block += row[4])
                for (int k = 0; k < row[4]; k++) to[k] += push * column[i * row[3]] * block[k];
        }
        system_slopes_interpolation(P, s->theta, s->sample_load, part, s->T);
        for (const int *row = SLOPE_ROWS; row < SLOPE_ROWS + COUNT_OF_SLOPE_ROWS; row += 3)
            for (int k = 0; k < row[2]; k++) values[row[1] + k] += push * s->T[row[0] + k];
    }
}
#else
static inline void add_sample_slopes(newton_problem *restrict s) { (void)s; }
#endif

static inline void add_start_matrix(newton_problem *restrict s)
{
    const symlie_problem *P = s->P;
    symlie_real *restrict values = s->values;
    system_momentum_slopes(P, s->t_n, s->q_n, s->q, s->theta, s->h, s->S, s->N);
    for (int k = 0; k < VALUES_OF_S; k++) values[DAMPING_TO[k]] += s->h * s->S[k];
    for (int k = 0; k < VALUES_OF_N; k++) values[ROLLING_TO[k]] += s->N[k];
    add_sample_slopes(s);
    if (!CONSTRAINED) return;
    system_tangent_matrix(P, s->theta, s->T);
    for (int k = 0; k < JACOBIAN_VALUES; k++) values[PULL_TO[k]] += s->B_n[k];
    ADD_PRODUCT(PUSH, SYMLIE_NUMBER(1), s->B, s->T);
}

#endif
