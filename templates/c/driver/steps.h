/* Functions of printed steps, which call them for each stage. They are inlined into the steps of small models, and
 * otherwise separate, since copies for each stage would only take time to compile. */
#ifndef SYMLIE_STEPS_H
#define SYMLIE_STEPS_H

#if UNROLLS_STAGES
#define PART_OF_STEP static SYMLIE_INLINE
#else
#define PART_OF_STEP SYMLIE_APART
#endif

/* Loop over the components of vectors that are equal or do not overlap: results may overwrite inputs. Small models are
 * faster with separate components, which kernels read and write one by one. */
#if defined(__GNUC__) && UNROLLS_STAGES
#define EACH_COMPONENT(k, count) _Pragma("GCC unroll 16") for (int k = 0; k < (count); k++)
#elif defined(__GNUC__) && !defined(__clang__)
#define EACH_COMPONENT(k, count) _Pragma("GCC ivdep") for (int k = 0; k < (count); k++)
#else
#define EACH_COMPONENT(k, count) for (int k = 0; k < (count); k++)
#endif

/* The status of a stage, or that of increments outside the domain of the local coordinates, which make it fail. */
static inline int status_of_stage(int status, symlie_real angle)
{
    return SYMLIE_UNLIKELY(status != SYMLIE_DONE) && SYMLIE_ANY(angle >= CHART_LIMIT) ? SYMLIE_OUTSIDE_CHART : status;
}

/* v' and lambda of a stage; angle is the square of the largest one of all increments. */
PART_OF_STEP int step_stage(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                            const symlie_real *restrict v, symlie_real angle, mass_matrix *restrict mass, symlie_real *restrict a,
                            symlie_real *restrict lambda)
{
    ARRAY(r, DIMENSION);
    return status_of_stage(stage_acceleration(P, work, t, q, v, r, mass, a, lambda), angle);
}

/* The same without the components of v' that have no velocity, which remain unchanged. */
PART_OF_STEP int step_velocities(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                 const symlie_real *restrict v, symlie_real angle, mass_matrix *restrict mass, symlie_real *restrict a,
                                 symlie_real *restrict lambda)
{
    return status_of_stage(index1_velocities(P, work, t, q, v, mass, a, lambda), angle);
}

PART_OF_STEP void step_field(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict a,
                             const symlie_real *restrict lambda, symlie_real *restrict v)
{
    system_field(P, t, q, a, lambda, v);
}

#if COORDINATE_RATES
PART_OF_STEP void step_coordinate_rate(const symlie_problem *restrict P, const symlie_real *restrict q, symlie_real *v)
{
    system_coordinate_rate(P, q, v, v);
}
#endif

PART_OF_STEP void step_bracket(const symlie_problem *restrict P, const symlie_real *restrict x, const symlie_real *restrict y, symlie_real *restrict out)
{
    system_bracket(P, x, y, out);
}

PART_OF_STEP void step_inverse_tangent_operator(const symlie_problem *restrict P, const symlie_real *restrict Theta, const symlie_real *restrict x,
                                       symlie_real *restrict out)
{
    STEP_INVERSE_TANGENT_OPERATOR(P, Theta, x, out);
}

/* q o exp(Theta); return the larger of the given squared angle and the largest one of the increment. */
PART_OF_STEP symlie_real step_advance(const symlie_problem *restrict P, const symlie_real *restrict q, const symlie_real *restrict Theta,
                                      symlie_real angle, symlie_real *restrict out)
{
    const symlie_real z = STEP_CHART(P, q, Theta);
    STEP_ADVANCE(P, q, Theta, out);
    return SYMLIE_LARGER(z, angle);
}

PART_OF_STEP void step_prescribe(const symlie_problem *restrict P, symlie_real t, symlie_real *restrict q, symlie_real *restrict v)
{
    system_prescribe(P, t, q, v);
}

#if CONSTRAINED
PART_OF_STEP void step_jacobian(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict v,
                                symlie_real *restrict B)
{
    system_jacobian(P, t, q, v, B);
}

#if MASS_IS_REGULAR
/* v' of M v' = -g - B^T lambda. */
PART_OF_STEP int step_with_multipliers(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                       const symlie_real *restrict v, const symlie_real *restrict B, symlie_real angle,
                                       mass_matrix *restrict mass, symlie_real *restrict a, symlie_real *restrict lambda)
{
    ARRAY(r, DIMENSION);
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, q, mass)) return mass_failure(P, angle, mass);
    take_forces(P, t, q, v, r);
    return solve_with_mass(P, mass, r, B, lambda, a) ? SYMLIE_DONE : stage_failure(P, angle, mass, r, 0);
}

#endif

/* v' and lambda of a stage with constraints at the next point; see stage_between. */
PART_OF_STEP int step_between(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                              const symlie_real *restrict v, const symlie_real *restrict B, symlie_real next_t, const symlie_real *restrict next_q,
                              symlie_real *restrict next_B, const symlie_real *restrict known, symlie_real length, symlie_scalar alpha,
                              const symlie_real *guess, int keeps_mass, symlie_real angle, mass_matrix *restrict mass,
                              symlie_real *restrict a, symlie_real *restrict lambda)
{
    ARRAY(r, DIMENSION);
    ARRAY(b, ROWS);
    ARRAY(c, ROWS);
    ARRAY(change, NONLINEAR_ROWS * DIMENSION);
    ARRAY(about, NONLINEAR_ROWS * DIMENSION);
    if (NONLINEAR_ROWS) copy(DIMENSION, guess, about);
    if (!MASS_IS_CONSTANT && !keeps_mass && !evaluate_mass(P, t, q, mass)) return mass_failure(P, angle, mass);
    take_forces(P, t, q, v, r);
    FORCE_ROWS(C, t, q, v, B);
    int turns = 0; /* turns of reactions with friction */
    do {
        if (turns++ > REACTION_STEPS) return SYMLIE_NOT_CONVERGED;
        const int status = stage_between(P, angle, mass, C, r, next_t, next_q, known, length, alpha, about, change, next_B, b, c, a, lambda);
        if (status != SYMLIE_DONE) return status;
    } while (FORCE_ROWS_TURN(C, t, v, lambda));
    return SYMLIE_DONE;
}

/* Replace multipliers by those of minimal norm for the redundancy of B; the omitted equations remain those of the first
 * B. */
PART_OF_STEP int step_minimal_multipliers(const symlie_problem *restrict P, const symlie_real *restrict B, const symlie_real *restrict first_B,
                                          mass_matrix *restrict mass, symlie_real *restrict lambda)
{
    if (!find_dependent_rows(P, B, mass)) return 0;
    take_minimal_multipliers(P, mass, lambda);
    return find_dependent_rows(P, first_B, mass);
}

/* Largest entries of Phi and of B v + b at the end of a step. */
static inline void step_residuals(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                  const symlie_real *restrict v, const symlie_real *restrict B, symlie_trial *restrict trial)
{
    ARRAY(c, ROWS);
    ARRAY(b, ROWS);
    system_constraint(P, t, q, c);
    trial->largest_constraint = largest_entry(ROWS, c, SYMLIE_NUMBER(0));
    hidden_residual(P, t, q, B, v, 0, b, c);
    trial->largest_velocity = largest_entry(ROWS, c, SYMLIE_NUMBER(0));
}
#endif

/* Check the increments of a step, and whether its end is finite. */
static inline int step_end(const symlie_problem *restrict P, symlie_real angle, int end_is_finite)
{
    if (SYMLIE_UNLIKELY(!SYMLIE_ALL(angle < CHART_LIMIT))) return SYMLIE_ANY(angle >= CHART_LIMIT) ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    return SYMLIE_UNLIKELY(!end_is_finite) ? SYMLIE_NOT_FINITE : SYMLIE_DONE;
}

#endif
