/* Runge-Kutta-Munthe-Kaas methods.
 *
 *   Theta_i = h sum_{j<i} a_ij K_j,  Q_i = q_n o exp(Theta_i),  V_i = v_n + h sum_{j<i} a_ij Vdot_j  (1)
 *   M Vdot_i = -g(t_n + c_i h, Q_i, V_i)  (2)
 *   K_i = T^-1(Theta_i) V_i  (3)
 *   q_{n+1} = q_n o exp(h sum_i b_i K_i),  v_{n+1} = v_n + h sum_i b_i Vdot_i  (4)
 *
 * Unless EXACT_INVERSE, T^-1 is truncated after COMMUTATORS powers of ad, with the weights INVERSE; without any, K_i =
 * V_i (Lie-Euler-Heun). Rows of the tableau may have BRACKETS additional commutators weight h^2 [K_j, K_k]. With
 * constraints, Vdot_i and lambda solve the index-1 system of the stage instead of (2), which preserves neither Phi = 0
 * nor B v = 0:
 *
 *   [M B^T; B 0][Vdot_i; lambda] = [-g; -Z]  (5)
 *
 * For first-order states V_i in (3) is the algebra-valued f at the stage, a function of all states and of the Vdot_i of
 * the other nodes. For nodes integrated in stored coordinates rho, V_i is rho' there.
 *
 * The tableau is defined by STAGES (those of nonzero weight), EMBEDDED, and the tables A (row STAGES holds the weights
 * b), B_HAT, C, and BRACKET (row, j, k) with BRACKET_WEIGHT. With END_STAGE an additional stage at the end of the step
 * is the first stage of the next step. STEP_ADVANCE, STEP_INVERSE_TANGENT_OPERATOR and STEP_CHART name the kernels of
 * the local coordinates, which may replace q_n o exp and T^-1 above. Source: [Celledoni2022], section 2;
 * left-trivialised. */
#ifndef SYMLIE_RKMK_H
#define SYMLIE_RKMK_H

#define ALL_STAGES (STAGES + END_STAGE)

/* Accelerations of all stages, or of one at a time if velocities do not depend on them; that array may be that of the
 * end. */
#define ACCELERATION_OF_STAGE(i) \
    (INTEGRATES_VELOCITIES ? acceleration + (i) * DIMENSION : FIXED_TOPOLOGY ? acceleration : trial->acceleration)

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return (ALL_STAGES + (INTEGRATES_VELOCITIES ? ALL_STAGES : 1) + 8LL) * DIMENSION + 2LL * STORAGE + acceleration_workspace(P);
}

/* (3): K = T^-1(Theta) V, with two scratch vectors. */
static inline void corrected_rate(const symlie_problem *restrict P, const symlie_real *restrict Theta, const symlie_real *restrict V,
                                  symlie_real *restrict x, symlie_real *restrict y, symlie_real *restrict K)
{
#if EXACT_INVERSE
    STEP_INVERSE_TANGENT_OPERATOR(P, Theta, V, K);
#else
    copy(DIMENSION, V, K);
#if COMMUTATORS
    copy(DIMENSION, V, x);
    for (int n = 0; n < COMMUTATORS; n++) {
        system_bracket(P, Theta, x, y);
        for (int k = 0; k < DIMENSION; k++) K[k] += INVERSE[n] * y[k];
        copy(DIMENSION, y, x);
    }
#endif
#endif
}

#if BRACKETS
/* Theta += h^2 sum weight [K_j, K_k] over the commutators of a row of the tableau. */
static inline void add_brackets(const symlie_problem *restrict P, int row, symlie_real h, const symlie_real *restrict rate,
                                int stride, symlie_real *restrict x, symlie_real *restrict Theta)
{
    for (int n = 0; n < BRACKETS; n++) {
        if (BRACKET[n][0] != row) continue;
        system_bracket(P, rate + BRACKET[n][1] * stride, rate + BRACKET[n][2] * stride, x);
        for (int k = 0; k < DIMENSION; k++) Theta[k] += h * h * BRACKET_WEIGHT[n] * x[k];
    }
}
#endif

/* (3) for stage i, then (1) for the next one or (4) after the last, for the nodes of a block. The vectors of stages
 * have the given stride; next_V may be V. Return the square of the largest angle of the increments. */
static inline symlie_real move_on(const symlie_problem *restrict P, int i, int stride, symlie_real h, const symlie_real *restrict q,
                                  const symlie_real *restrict v, const symlie_real *restrict acceleration, symlie_real *restrict rate,
                                  const symlie_real *V, symlie_real *next_V, symlie_real *restrict Theta, symlie_real *restrict Q,
                                  symlie_real *restrict x, symlie_real *restrict y)
{
    if (i == 0) copy(DIMENSION, V, rate);
    else corrected_rate(P, Theta, V, x, y, rate + i * stride);
    combine(DIMENSION, stride, i + 1, h, A[i + 1], rate, 0, Theta);
#if BRACKETS
    add_brackets(P, i + 1, h, rate, stride, x, Theta);
#endif
    if (INTEGRATES_VELOCITIES) combine(DIMENSION, stride, i + 1, h, A[i + 1], acceleration, v, next_V);
    const symlie_real z = STEP_CHART(P, q, Theta);
    STEP_ADVANCE(P, q, Theta, Q);
    return z;
}

/* Compute v' of a stage; if no velocity depends on it, compute it only for first-order states. */
static inline int acceleration_of_stage(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                        const symlie_real *restrict Q, const symlie_real *restrict V, symlie_real *restrict r,
                                        mass_matrix *restrict mass, symlie_real *restrict a, symlie_real *restrict lambda)
{
    if (!CONSTRAINED || INTEGRATES_VELOCITIES) return stage_acceleration(P, work, t, Q, V, r, mass, a, lambda);
    return index1_velocities(P, work, t, Q, V, mass, a, lambda);
}

/* Copy the nodes that increments do not move. */
static inline void rest_at(const symlie_problem *restrict P, const symlie_real *restrict q, const symlie_real *restrict v,
                           symlie_real *restrict Q, symlie_real *restrict V, symlie_real *restrict Theta)
{
    copy(STORAGE, q, Q);
    copy(DIMENSION, v, V);
    for (int k = 0; k < DIMENSION; k++) Theta[k] = SYMLIE_NUMBER(0);
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(rate, ALL_STAGES * DIMENSION);
    ARRAY(acceleration, (INTEGRATES_VELOCITIES ? ALL_STAGES : 1) * DIMENSION);
    START(v, DIMENSION);
    ARRAY(V, DIMENSION);
    ARRAY(Theta, DIMENSION);
    ARRAY(r, DIMENSION);
#if EMBEDDED
    ARRAY(hat, 2 * DIMENSION);
#endif
    ARRAY(x, DIMENSION);
    ARRAY(y, DIMENSION);
    START(q, STORAGE);
    ARRAY(Q, STORAGE);
    NODE_BLOCK(P, block);
    symlie_real angle = SYMLIE_NUMBER(0);
    int status;
    const int with_estimate = EMBEDDED && control->with_estimate;
    /* Arrays of large systems are read in place instead of copied. */
    const symlie_real *at_q = FIXED_TOPOLOGY ? Q : q, *at_v = FIXED_TOPOLOGY ? V : v;
    symlie_real *const end_V = FIXED_TOPOLOGY ? V : trial->v;
    if (FIXED_TOPOLOGY) copy(STORAGE, q, Q);
    if (FIXED_TOPOLOGY) copy(DIMENSION, v, V);
    else if (FIELDS || COORDINATE_RATES || !INTEGRATES_VELOCITIES)
        copy(VELOCITIES_END - VELOCITIES_BEGIN, v + VELOCITIES_BEGIN, V + VELOCITIES_BEGIN);
SYMLIE_UNROLL
    for (int i = 0; i < STAGES; i++) {
        symlie_real *const next_V = i + 1 < STAGES ? V : end_V;
        const symlie_real *of_stage = ACCELERATION_OF_STAGE(i);
        if (i == 0 && state->acceleration_is_valid) {
            if (FIXED_TOPOLOGY || INTEGRATES_VELOCITIES) copy(DIMENSION, state->acceleration, acceleration);
            else of_stage = state->acceleration;
        } else {
            /* (2) or (5) */
            status = acceleration_of_stage(P, work, t + C[i] * h, at_q, at_v, r, mass, ACCELERATION_OF_STAGE(i), trial->lambda);
            if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return SYMLIE_ANY(angle >= CHART_LIMIT) ? SYMLIE_OUTSIDE_CHART : status;
        }
        if (i == 0 && reads_first_acceleration(control, state, trial)) copy(DIMENSION, of_stage, trial->first_acceleration);
        take_rates(P, t + C[i] * h, at_q, of_stage, LAMBDA_OF_STAGE(i), V);
        if (FIELDS || COORDINATE_RATES) at_v = V;
        EACH_BLOCK(P, &block)
        {
            const int s = block.storage, d = block.dimension;
            if (!block.moves) {
                if (i == 0) rest_at(block.P, q + s, v + d, Q + s, V + d, Theta + d);
                if (INTEGRATES_VELOCITIES && i + 1 == STAGES) copy(DIMENSION_OF_BLOCK(&block), v + d, end_V + d);
                continue;
            }
            const symlie_real z = move_on(block.P, i, DIMENSION, h, q + s, v + d, acceleration + d, rate + d, at_v + d, next_V + d,
                                          Theta + d, Q + s, x, y);
            angle = SYMLIE_LARGER(z, angle);
        }
        if (!INTEGRATES_VELOCITIES && i + 1 == STAGES) copy(DIMENSION, v, end_V); /* overwrites the first-order rates */
        if ((i + 1 < STAGES ? MOTIONS_OF_STAGES : MOTIONS) > 0) system_prescribe(P, t + (i + 1 < STAGES ? C[i + 1] : 1) * h, Q, next_V);
        at_q = Q;
        at_v = next_V;
    }
    trial->rhs_evaluations = STAGES - (state->acceleration_is_valid ? 1 : 0);
    if (SYMLIE_UNLIKELY(!SYMLIE_ALL(angle < CHART_LIMIT))) return SYMLIE_ANY(angle >= CHART_LIMIT) ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    if (SYMLIE_UNLIKELY(!all_finite(DIMENSION, end_V))) return SYMLIE_NOT_FINITE;
    if ((FIELDS || COORDINATE_RATES) && SYMLIE_UNLIKELY(!all_finite(DIMENSION, Theta))) return SYMLIE_NOT_FINITE;
    if (FIXED_TOPOLOGY) copy(DIMENSION, V, trial->v);
    /* The embedded formula needs the stage at the end; with constraints it provides lambda. */
    trial->acceleration_is_valid = END_STAGE && (CONSTRAINED || with_estimate);
#if END_STAGE
    if (trial->acceleration_is_valid) {
        symlie_real *const at_end = FIXED_TOPOLOGY || (INTEGRATES_VELOCITIES && with_estimate) ? ACCELERATION_OF_STAGE(STAGES) : trial->acceleration;
        status = acceleration_of_stage(P, work, t + h, Q, end_V, r, mass, at_end, trial->lambda);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        if (at_end != trial->acceleration) copy(DIMENSION, at_end, trial->acceleration);
        trial->rhs_evaluations++;
    } else if (FIXED_TOPOLOGY) {
        /* Not read, but compilers warn otherwise. */
        copy(DIMENSION, acceleration, trial->acceleration);
    }
#endif
#if CONSTRAINED && !END_STAGE
    /* lambda belongs to the end of the step, whose v' is the first stage of the next step. */
    status = acceleration_of_stage(P, work, t + h, Q, end_V, r, mass, trial->acceleration, trial->lambda);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    trial->acceleration_is_valid = 1;
    trial->rhs_evaluations++;
#endif
#if EMBEDDED
    if (with_estimate) {
#if END_STAGE
        if (FIELDS || COORDINATE_RATES) {
            if (!FIXED_TOPOLOGY) copy(DIMENSION, end_V, V);
            take_rates(P, t + h, Q, ACCELERATION_OF_STAGE(STAGES), trial->lambda, V);
            at_v = V;
        }
#endif
        EACH_BLOCK(P, &block)
        {
            const int d = block.dimension;
            if (!block.moves) {
                for (int k = 0; k < DIMENSION_OF_BLOCK(&block); k++) hat[d + k] = SYMLIE_NUMBER(0);
                continue;
            }
            if (END_STAGE) corrected_rate(block.P, Theta + d, at_v + d, x, y, rate + STAGES * DIMENSION + d);
            combine(DIMENSION_OF_BLOCK(&block), DIMENSION, ALL_STAGES, h, B_HAT, rate + d, 0, hat + d);
        }
        if (INTEGRATES_VELOCITIES) combine(DIMENSION, DIMENSION, ALL_STAGES, h, B_HAT, acceleration, v, hat + DIMENSION);
        else copy(DIMENSION, v, hat + DIMENSION);
        trial->error = error_norm(P, control, trial, Theta, hat, v, COORDINATE_RATES ? trial->v : at_v, hat + DIMENSION);
    }
#endif
    keep_increment(P, Theta, trial->increment);
    system_normalize(P, Q, trial->q);
#if CONSTRAINED
    measure_residuals(P, work, t + h, Q, end_V, trial);
#endif
    return SYMLIE_DONE;
}

#endif
