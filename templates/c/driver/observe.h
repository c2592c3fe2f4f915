/* Evaluate quantities at given states, several states per call. Included after the algebra of the model. */
#ifndef SYMLIE_OBSERVE_H
#define SYMLIE_OBSERVE_H

long long symlie_observation_workspace(const symlie_problem *P)
{
    if (FIXED_TOPOLOGY) return 0;
    return mass_workspace(P) + acceleration_workspace(P) + DIMENSION + ROWS;
}

#if CONSTRAINED
/* Largest absolute entry of B v + b. */
static inline symlie_real velocity_residual(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                            const symlie_real *restrict q, const symlie_real *restrict v)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(b, ROWS);
    ARRAY(c, ROWS);
    symlie_jacobian(P, t, q, v, B);
    hidden_residual(P, t, q, B, v, 0, b, c);
    return largest_entry(ROWS, c, 0);
}

/* Compute B^T lambda. */
static inline void constraint_force(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                    const symlie_real *restrict q, const symlie_real *restrict v, const symlie_real *restrict lambda,
                                    symlie_real *restrict force)
{
    ARRAY(B, JACOBIAN_VALUES);
    symlie_jacobian(P, t, q, v, B);
    FORCE_ROWS(C, t, q, v, B);
    (void)(FORCE_ROWS_TURN(C, t, v, lambda));
    for (int k = 0; k < DIMENSION; k++) force[k] = 0;
    subtract_constraint_force(P, C, lambda, force);
}
#endif

/* Compute v' and lambda of the acceleration-level system; they are NaN if it does not determine them. Return whether
 * they are finite. */
static inline int observe_acceleration(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                        const symlie_real *restrict q, const symlie_real *restrict v, mass_matrix *restrict mass,
                                        int mass_is_regular, symlie_real *restrict a, symlie_real *restrict lambda)
{
    if (mass_is_regular && index1_acceleration(P, work, t, q, v, mass, a, lambda) == SYMLIE_DONE)
        return all_finite(DIMENSION, a) && all_finite(ROWS, lambda);
    for (int k = 0; k < DIMENSION; k++) a[k] = (symlie_real)NAN;
    for (int k = 0; k < ROWS; k++) lambda[k] = (symlie_real)NAN;
    return 0;
}

/* Compute the terms of the equations of motion at a state, which is state i of the arrays. */
static inline void observe_terms(const symlie_problem *restrict P, symlie_real *restrict work, long long i, symlie_real t,
                                 const symlie_real *restrict q, const symlie_real *restrict v, const symlie_values *restrict values)
{
    if (values->mass) symlie_mass(P, t, q, values->mass + i * MASS_VALUES);
    if (values->force) symlie_force(P, t, q, v, values->force + i * DIMENSION);
#if INVERSE_DYNAMICS
    if (values->inverse_dynamics) symlie_inverse_dynamics(P, t, q, v, values->given + i * DIMENSION, values->inverse_dynamics + i * DIMENSION);
#endif
#if CONSTRAINED
    if (values->jacobian) symlie_jacobian(P, t, q, v, values->jacobian + i * JACOBIAN_VALUES);
    if (values->constraint) symlie_constraint(P, t, q, values->constraint + i * ROWS);
    if (values->hidden_residual) {
        ARRAY(B, JACOBIAN_VALUES);
        ARRAY(b, ROWS);
        symlie_jacobian(P, t, q, v, B);
        hidden_residual(P, t, q, B, v, 0, b, values->hidden_residual + i * ROWS);
    }
#endif
}

void symlie_normalize_rows(const symlie_problem *P, long long count, const symlie_real *q, symlie_real *out)
{
    for (long long i = 0; i < count; i++) symlie_normalize(P, q + i * STORAGE, out + i * STORAGE);
}

void symlie_prescribe_rows(const symlie_problem *P, long long count, const symlie_real *t, symlie_real *q, symlie_real *v)
{
    for (long long i = 0; i < count; i++) system_prescribe(P, t[i], q + i * STORAGE, v + i * DIMENSION);
}

long long symlie_observe(const symlie_problem *problems, const symlie_states *states, const symlie_values *values, symlie_real *workspace)
{
    const symlie_problem *P = problems;
    mass_matrix mass;
    symlie_real *work = place_mass(P, workspace, &mass);
    ARRAY(own_a, DIMENSION);
    ARRAY(own_lambda, ROWS);
    const int accelerates = values->acceleration || values->multipliers || (values->energy && ACCELERATED_ENERGY);
    int mass_is_regular = 1;
    long long determined = states->count;
    symlie_real *output = values->outputs;
    for (long long i = 0; i < states->count; i++) {
        const symlie_real t = states->t[i], *q = states->q + i * STORAGE, *v = states->v + i * DIMENSION, *lambda = states->lambda + i * ROWS;
        const int is_first = states->of_each ? i % states->of_each == 0 : i == 0;
        if (states->of_each) P = problems + i / states->of_each;
        if (MASS_IS_CONSTANT && accelerates && is_first) mass_is_regular = evaluate_mass(P, t, q, &mass);
        symlie_real *a = values->acceleration ? values->acceleration + i * DIMENSION : own_a;
        if (accelerates) {
            symlie_real *found = values->multipliers ? values->multipliers + i * ROWS : own_lambda;
            if (!observe_acceleration(P, work, t, q, v, &mass, mass_is_regular, a, found) && determined > i) determined = i;
        }
        observe_terms(P, work, i, t, q, v, values);
        if (values->energy) {
            symlie_real E[2];
            symlie_energy(P, t, q, v, E);
            values->energy[i] = E[0] + E[1];
#if ACCELERATED_ENERGY
            system_accelerated_energy(P, t, q, v, a, E);
            values->energy[i] += E[0];
#endif
        }
#if CONSTRAINED
        if (values->constraint_residual) {
            symlie_constraint(P, t, q, own_lambda);
            values->constraint_residual[i] = largest_entry(ROWS, own_lambda, 0);
        }
        if (values->velocity_residual) values->velocity_residual[i] = velocity_residual(P, work, t, q, v);
        if (values->constraint_force) constraint_force(P, work, t, q, v, lambda, values->constraint_force + i * DIMENSION);
#endif
        for (long long k = 0; k < values->outputs_wanted; k++) output += system_output(P, values->wanted[k], t, q, v, lambda, output);
    }
    return determined;
}

#endif
