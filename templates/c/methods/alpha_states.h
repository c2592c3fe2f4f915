/* First-order states in generalized-alpha methods; equation numbers refer to generalized_alpha.h. */
#ifndef SYMLIE_ALPHA_STATES_H
#define SYMLIE_ALPHA_STATES_H

#define STATE_GAMMA (1 - ALPHA_F)
#define STATE_ALPHA_M (2 * ALPHA_F - 0.5)
#define STATE_RATE(h) ((1 - STATE_ALPHA_M) / (STATE_GAMMA * (1 - ALPHA_F) * (h))) /* dv'/dw */

/* Loop over the components k of first-order states; empty for models without them. */
#if FIELDS
#define FOR_STATES(k) for (int n_of_state = 0, k; n_of_state < COUNT_OF_STATE && (k = STATE[n_of_state], 1); n_of_state++)
#else
#define FOR_STATES(k) for (int k = 0; k < 0; k++)
#endif

/* (8) */
static inline symlie_real algorithmic_rate(const step_formula *restrict f, const symlie_real *restrict w, int k)
{
    return (w[k] / f->h - (1 - STATE_GAMMA) * f->a_n[k]) / STATE_GAMMA;
}

/* (9) at the end of a step */
static inline void rates_at_end(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict w,
                                symlie_real *restrict v, symlie_real *restrict v_dot)
{
    FOR_STATES(k) v[k] = 0;
    FOR_STATES(k) v_dot[k] = (1 - STATE_ALPHA_M) * algorithmic_rate(f, w, k) + STATE_ALPHA_M * f->a_n[k];
    FOR_STATES(k) v_dot[k] = (v_dot[k] - ALPHA_F * f->acceleration_n[k]) / (1 - ALPHA_F);
}

/* Compute the increment for a given rate by (8) and (9). */
static inline symlie_real predicted_state(const step_formula *restrict f, symlie_real rate, int k)
{
    const symlie_real z = ((1 - ALPHA_F) * rate + ALPHA_F * f->acceleration_n[k] - STATE_ALPHA_M * f->a_n[k]) / (1 - STATE_ALPHA_M);
    return f->h * ((1 - STATE_GAMMA) * f->a_n[k] + STATE_GAMMA * z);
}

/* (10), evaluated from the rates at both ends, (D_{n+1} - D_n)/(h + h_n), and the bracket. */
static inline symlie_real third_order_of_state(symlie_real h, symlie_real rate_n, symlie_real rate, symlie_real bend, symlie_real bracket)
{
    return h * (rate_n + rate) / 2 - h * h * h * (bend / 6 - bracket / 12);
}

/* Compute v' at a state, which is f for first-order states; r is scratch. */
static inline int rates_of_state(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                 const symlie_real *restrict v, symlie_real *restrict r, mass_matrix *restrict mass,
                                 symlie_real *restrict a, symlie_real *restrict lambda)
{
    const int status = stage_acceleration(P, work, t, q, v, r, mass, a, lambda);
#if FIELDS
    if (status != SYMLIE_DONE) return status;
    copy(DIMENSION, v, r);
    system_field(P, t, q, a, lambda, r);
    FOR_STATES(k) a[k] = r[k];
#endif
    return status;
}

#endif
