/* Half-explicit Runge-Kutta Lie group methods for index-2 systems.
 *
 *   Theta_i = h sum_{j<i} a_ij Thetadot_j,  Q_i = q_n o exp(Theta_i),  V_i = v_n + h sum_{j<i} a_ij Vdot_j
 *   Thetadot_i = T^-1(Theta_i) V_i  (12)
 *   stage 1:    M Vdot_1 = -g - B(q_n)^T lambda_n  (13)
 *   stage i>1:  [M(Q_i)  B(Q_i)^T; B(Q_{i+1})  0] [Vdot_i; Lambda_i]
 *               = [-g(t_n + c_i h, Q_i, V_i); -(B(Q_{i+1})(v_n + h sum_{j<i} a_{i+1,j} Vdot_j) + b)/(h a_{i+1,i})]  (14)
 *               for constraints psi nonlinear in the velocities: Newton's method for psi(Q_{i+1}, V_{i+1}) = 0
 *   q_{n+1} = Q_{s+1}, v_{n+1} = V_{s+1}, lambda_{n+1} = sum_i d_i Lambda_i  (15)
 *
 * Baumgarte stabilisation adds alpha Phi(Q_{i+1}) to b. The embedded formula uses the weights b_hat for the
 * configuration and repeats the last stage with them instead of the last row of A, so that its velocity satisfies the
 * constraint. Without constraints this is the explicit Runge-Kutta-Munthe-Kaas method of the same tableau. For
 * first-order states the part of V_i in (12) is f at stage i, a function of all states, Vdot_i and Lambda_i;
 * constraints do not depend on first-order states, so (14) is solved first. For nodes integrated in stored coordinates
 * rho the part is rho' at Q_i along V_i. The code counts stages from zero. Source: [Tumiotto2024], equations (12) to
 * (15) and section 3.
 *
 * If M is regular only on the null space of B, stage 1 replaces (13) by the following system, unless Vdot_1 is known:
 *
 *   [M(q_n)  B(q_n)^T; B(q_n)  0] [Vdot_1; Lambda_1] = [-g; -Z]  (16)
 *
 * The tableau is defined by STAGES (s_bar), FINAL (row s+1), FSAL, EMBEDDED, and the tables A, B_HAT, C, D. */
#ifndef SYMLIE_HALF_EXPLICIT_H
#define SYMLIE_HALF_EXPLICIT_H

#define ONE_EXPONENTIAL 1

/* 1 if the end of the step is copied, since further stages or the estimate overwrite the results of its stage. */
#define COPIES_END (STAGES != FINAL + 1)

/* 1 if v at the end and v' of the last stage are written directly to the arrays of the end of the step. */
#define LAST_IN_PLACE (FSAL && !COPIES_END && !FIXED_TOPOLOGY)

static inline long long step_workspace(const symlie_problem *restrict P)
{
    const long long of_first_stage = MASS_IS_REGULAR ? 0 : acceleration_workspace(P);
    const long long of_fields = FIELDS * (PROBES > 0 ? JACOBIAN_VALUES + ROWS : 0);
    return (2 * STAGES + 9LL + (FIELDS || COORDINATE_RATES) + 2 * NONLINEAR_ROWS) * DIMENSION + 4LL * STORAGE + 2LL * JACOBIAN_VALUES + (STAGES + 3LL) * ROWS + of_first_stage
           + of_fields;
}

/* (12) for stage i: compute the next increment and configuration; the rates are stored after those of previous stages.
 * Return the square of the largest angle of the increment. */
PART_OF_STAGE symlie_real move_on(const symlie_problem *restrict P, node_block *restrict block, int i, symlie_real h, const symlie_real *restrict q,
                                  const symlie_real *restrict Theta, const symlie_real *restrict V, symlie_real *restrict rate,
                                  symlie_real *restrict next_Theta, symlie_real *restrict next_Q)
{
    symlie_real angle = SYMLIE_NUMBER(0);
    EACH_BLOCK(P, block)
    {
        const int s = block->storage, d = block->dimension;
        if (i == 0) copy(DIMENSION_OF_BLOCK(block), V + d, rate + d);
        else system_inverse_tangent_operator(block->P, Theta + d, V + d, rate + i * DIMENSION + d);
        combine(DIMENSION_OF_BLOCK(block), DIMENSION, i + 1, h, A[i + 1], rate + d, 0, next_Theta + d);
        const symlie_real z = system_chart(block->P, q + s, next_Theta + d);
        angle = SYMLIE_LARGER(z, angle);
        system_advance(block->P, q + s, next_Theta + d, next_Q + s);
    }
    return angle;
}

SYMLIE_APART int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                             const symlie_control *restrict control, mass_matrix *restrict mass,
                             const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(rate, STAGES * DIMENSION);
    ARRAY(acceleration, STAGES * DIMENSION);
    START(v, DIMENSION);
    STAGE_ARRAY(V, DIMENSION);
    STAGE_ARRAY(Theta, DIMENSION);
    ARRAY(r, DIMENSION);
    STAGE_ARRAY(next_V, DIMENSION);
    STAGE_ARRAY(next_Theta, DIMENSION);
    ARRAY(earlier, DIMENSION); /* sum in V of a stage without its last term */
    START(q, STORAGE);
    STAGE_ARRAY(Q, STORAGE);
    STAGE_ARRAY(next_Q, STORAGE);
#if COPIES_END
    ARRAY(end_V, DIMENSION);
    ARRAY(end_Theta, DIMENSION);
    ARRAY(end_Q, STORAGE);
#endif
    NODE_BLOCK(P, block);
    symlie_real angle = SYMLIE_NUMBER(0);
#if FIELDS || COORDINATE_RATES
    ARRAY(slope, DIMENSION);
#endif
#if FIELDS || CONSTRAINED
    ARRAY(multiplier, STAGES * ROWS);
#endif
#if CONSTRAINED
    STAGE_ARRAY(B, JACOBIAN_VALUES);
    STAGE_ARRAY(next_B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    ARRAY(b, ROWS);
    ARRAY(residual, ROWS);
    ARRAY(guess, NONLINEAR_ROWS * DIMENSION);
    ARRAY(change, NONLINEAR_ROWS * DIMENSION);
    const symlie_scalar alpha = control->baumgarte;
#endif
    /* Arrays of large systems are read and written in place instead of copied. */
    const symlie_real *at_q = FIXED_TOPOLOGY ? Q : q, *at_v = FIXED_TOPOLOGY ? V : v;
    const int keeps_last = EMBEDDED && control->with_estimate;
#if FIXED_TOPOLOGY
    copy(STORAGE, q, Q);
    copy(DIMENSION, v, V);
    for (int k = 0; k < DIMENSION; k++) Theta[k] = SYMLIE_NUMBER(0);
#endif
#if CONSTRAINED
    system_jacobian(P, t, q, v, B);
    if (!find_dependent_rows(P, B, mass)) return SYMLIE_NOT_FINITE;
#endif
#if FIELDS && PROBES
    ARRAY(first_B, JACOBIAN_VALUES);
    ARRAY(minimal, ROWS);
    copy(JACOBIAN_VALUES, B, first_B);
#endif

SYMLIE_UNROLL
    for (int i = 0; i < STAGES; i++) {
        symlie_real *const of_stage = LAST_IN_PLACE && i + 1 == STAGES && !keeps_last ? trial->acceleration : acceleration + i * DIMENSION;
#if LAST_IN_PLACE
        if (i + 1 == FINAL) next_V = trial->v;
#endif
#if COORDINATE_RATES
        system_coordinate_rate(P, at_q, at_v, slope);
        symlie_real reached = move_on(P, &block, i, h, q, Theta, slope, rate, next_Theta, next_Q);
#else
        symlie_real reached = move_on(P, &block, i, h, q, Theta, at_v, rate, next_Theta, next_Q);
#endif
        angle = SYMLIE_WHERE(reached > angle, reached, angle);
        if (MOTIONS) {
            copy(DIMENSION, at_v, next_V);
            system_prescribe(P, t + C[i + 1] * h, next_Q, next_V);
        }
#if CONSTRAINED && !NONLINEAR_ROWS
        system_jacobian(P, t + C[i + 1] * h, next_Q, at_v, next_B);
#endif
        if (i == 0 && state->acceleration_is_valid) {
            copy(DIMENSION, state->acceleration, acceleration);
#if CONSTRAINED
            copy(ROWS, state->lambda, multiplier);
#endif
#if !MASS_IS_REGULAR
        } else if (i == 0) {
            /* (16) */
            const int status = index1_acceleration(P, work, t, q, v, mass, acceleration, multiplier);
            if (status != SYMLIE_DONE) return SYMLIE_ANY(angle >= CHART_LIMIT) ? SYMLIE_OUTSIDE_CHART : status;
#endif
        } else {
            if (!MASS_IS_CONSTANT && !evaluate_mass(P, t + C[i] * h, at_q, mass)) return mass_failure(P, angle, mass);
            take_forces(P, t + C[i] * h, at_q, at_v, r);
#if CONSTRAINED
#if MASS_IS_REGULAR
            if (i == 0) {
                /* (13) */
                copy(ROWS, state->lambda, multiplier);
                if (!solve_with_mass(P, mass, r, B, multiplier, acceleration)) return stage_failure(P, angle, mass, r, 0);
            } else
#endif
            {
                /* (14) */
                combine(DIMENSION, DIMENSION, i, SYMLIE_NUMBER(1), A[i + 1], acceleration, 0, earlier);
                for (int k = 0; k < DIMENSION; k++) next_V[k] = v[k] + h * earlier[k];
                if (MOTIONS) system_prescribe(P, t + C[i + 1] * h, next_Q, next_V);
#if NONLINEAR_ROWS
                for (int k = 0; k < DIMENSION; k++) guess[k] = next_V[k] + h * A[i + 1][i] * acceleration[(i - 1) * DIMENSION + k];
                if (MOTIONS) system_prescribe(P, t + C[i + 1] * h, next_Q, guess);
                system_jacobian(P, t + C[i + 1] * h, next_Q, guess, next_B);
#endif
                const int status = stage_between(P, angle, mass, B, r, t + C[i + 1] * h, next_Q, next_V, h * A[i + 1][i], alpha, guess,
                                                 change, next_B, b, c, of_stage, multiplier + i * ROWS);
                if (status != SYMLIE_DONE) return status;
            }
#else
            if (!solve_with_mass(P, mass, r, 0, 0, of_stage)) return stage_failure(P, angle, mass, r, 0);
#endif
        }
#if FIELDS
        copy(DIMENSION, at_v, slope);
#if PROBES
        /* First-order states depend on multipliers of minimal norm; the omitted equations remain those of the start of
         * the step. */
        copy(ROWS, multiplier + i * ROWS, minimal);
        if (!find_dependent_rows(P, B, mass)) return SYMLIE_NOT_FINITE;
        take_minimal_multipliers(P, mass, minimal);
        if (!find_dependent_rows(P, first_B, mass)) return SYMLIE_NOT_FINITE;
        take_rates(P, t + C[i] * h, at_q, of_stage, minimal, slope);
#else
        take_rates(P, t + C[i] * h, at_q, of_stage, multiplier + i * ROWS, slope);
#endif
        reached = move_on(P, &block, i, h, q, Theta, slope, rate, next_Theta, next_Q);
        angle = SYMLIE_WHERE(reached > angle, reached, angle);
#endif
        if (i + 1 < STAGES || i + 1 == FINAL) {
            const symlie_real *restrict last = of_stage;
            if (CONSTRAINED && i > 0)
                for (int k = 0; k < DIMENSION; k++) next_V[k] = v[k] + h * (earlier[k] + A[i + 1][i] * last[k]);
            else combine(DIMENSION, DIMENSION, i + 1, h, A[i + 1], acceleration, v, next_V);
        }
        if (MOTIONS) system_prescribe(P, t + C[i + 1] * h, next_Q, next_V);
#if NONLINEAR_ROWS
        if (i + 1 < STAGES || i + 1 == FINAL) system_jacobian(P, t + C[i + 1] * h, next_Q, next_V, next_B);
#endif
        if (i + 1 == FINAL) {
#if COPIES_END
            copy(STORAGE, next_Q, end_Q);
            copy(DIMENSION, next_V, end_V);
            copy(DIMENSION, next_Theta, end_Theta);
#endif
#if CONSTRAINED
            system_constraint(P, t + h, next_Q, residual);
            trial->largest_constraint = largest_entry(ROWS, residual, SYMLIE_NUMBER(0));
            hidden_residual(P, t + h, next_Q, next_B, next_V, 0, b, residual);
            trial->largest_velocity = largest_entry(ROWS, residual, SYMLIE_NUMBER(0));
#endif
        }
        if (i + 1 < STAGES) {
            TAKE_NEXT(STORAGE, next_Q, Q);
            TAKE_NEXT(DIMENSION, next_V, V);
            TAKE_NEXT(DIMENSION, next_Theta, Theta);
            at_q = Q, at_v = V;
#if CONSTRAINED
            TAKE_NEXT(JACOBIAN_VALUES, next_B, B);
#endif
        }
    }
#if COPIES_END
    const symlie_real *const final_Q = end_Q, *const final_V = end_V, *const final_Theta = end_Theta;
#else
    const symlie_real *const final_Q = Q, *const final_V = V, *const final_Theta = Theta;
#endif
    trial->rhs_evaluations = state->acceleration_is_valid ? STAGES - 1 : STAGES;
    if (reads_first_acceleration(control, state, trial)) copy(DIMENSION, acceleration, trial->first_acceleration);
    if (SYMLIE_UNLIKELY(!SYMLIE_ALL(angle < CHART_LIMIT))) return SYMLIE_ANY(angle >= CHART_LIMIT) ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    if (SYMLIE_UNLIKELY(!all_finite(DIMENSION, final_V))) return SYMLIE_NOT_FINITE;
#if EMBEDDED
    if (control->with_estimate) {
        combine(DIMENSION, DIMENSION, STAGES, h, B_HAT, rate, 0, next_Theta);
#if CONSTRAINED
        system_advance(P, q, next_Theta, next_Q);
        combine(DIMENSION, DIMENSION, STAGES - 1, h, B_HAT, acceleration, v, next_V);
        if (MOTIONS) system_prescribe(P, t + h, next_Q, next_V);
        take_forces(P, t + C[STAGES - 1] * h, Q, V, r);
#if NONLINEAR_ROWS
        copy(DIMENSION, final_V, guess);
        system_jacobian(P, t + h, next_Q, guess, next_B);
#else
        system_jacobian(P, t + h, next_Q, next_V, next_B);
#endif
        const int status = stage_between(P, angle, mass, B, r, t + h, next_Q, next_V, h * B_HAT[STAGES - 1], alpha, guess, change,
                                         next_B, b, c, earlier, residual);
        if (status != SYMLIE_DONE) return status;
        for (int k = 0; k < DIMENSION; k++) next_V[k] += h * B_HAT[STAGES - 1] * earlier[k];
#else
        combine(DIMENSION, DIMENSION, STAGES, h, B_HAT, acceleration, v, next_V);
#endif
        trial->error = error_norm(P, control, trial, final_Theta, next_Theta, v, final_V, next_V);
    }
#endif
    /* (15) */
    keep_increment(P, final_Theta, trial->increment);
    system_normalize(P, final_Q, trial->q);
    if (!LAST_IN_PLACE) copy(DIMENSION, final_V, trial->v);
#if CONSTRAINED
    for (int k = 0; k < ROWS; k++) {
        symlie_real sum = SYMLIE_NUMBER(0);
SYMLIE_UNROLL
        for (int i = 0; i < STAGES; i++)
            if (D[i] != 0) sum += D[i] * multiplier[i * ROWS + k];
        trial->lambda[k] = sum;
    }
#endif
    if (FSAL && (!LAST_IN_PLACE || keeps_last)) copy(DIMENSION, acceleration + (STAGES - 1) * DIMENSION, trial->acceleration);
    trial->acceleration_is_valid = FSAL;
    return SYMLIE_DONE;
}

#endif
