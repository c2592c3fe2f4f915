/* Detect steps that end near a configuration where constraint equations become dependent and branches of the motion
 * meet; see symlie/runtime/integrate/monitors/rank_loss.py. The check follows rejections with errors far above the
 * tolerance, adaptive steps that are much shorter than recent ones, and steps of fixed length in which the velocity
 * changes abruptly; residuals of Phi are also checked at regular intervals of fixed steps. Adaptive steps are then
 * projected onto the constraints: the motion follows the smooth branch only if the residual is much smaller than the
 * distance to that configuration. */
#ifndef SYMLIE_RANK_LOSS_H
#define SYMLIE_RANK_LOSS_H

#include "dependent_rows.h"
#include "pace.h"
#include "projection.h"

#define WATCHES_RANK (CONSTRAINED && !PROBES && !RELEASES)

static inline long long rank_workspace(const symlie_problem *restrict P)
{
    return 4LL * DIMENSION + 3LL * JACOBIAN_VALUES + 3LL * ROWS + 2LL * STORAGE;
}

#if WATCHES_RANK
/* Multiply a matrix with the entries of B, such as |B|, and a vector; generated products may exploit signs. */
static inline void lengths_of_rows(const symlie_problem *restrict P, const symlie_real *restrict B, const symlie_real *restrict v, symlie_real *restrict out)
{
#if FIXED_TOPOLOGY
    for (int k = 0; k < ROWS; k++) out[k] = 0;
    for (int k = 0; k < JACOBIAN_VALUES; k++) out[JACOBIAN_ROW[k]] += B[k] * v[JACOBIAN_COLUMN[k]];
#else
    multiply_jacobian(P, B, v, out);
#endif
}

/* Return whether a row of B, weighted by squares of velocities, shrinks to half its length or reverses within a step
 * without changing its direction. */
static inline int has_vanishing_row(const symlie_problem *restrict P, const symlie_real *restrict begin, const symlie_real *restrict end,
                                    const symlie_real *restrict squares, symlie_real *restrict product, symlie_real *restrict first,
                                    symlie_real *restrict common, symlie_real *restrict last)
{
    for (int k = 0; k < JACOBIAN_VALUES; k++) product[k] = begin[k] * begin[k];
    lengths_of_rows(P, product, squares, first);
    for (int k = 0; k < JACOBIAN_VALUES; k++) product[k] = begin[k] * end[k];
    lengths_of_rows(P, product, squares, common);
    for (int k = 0; k < JACOBIAN_VALUES; k++) product[k] = end[k] * end[k];
    lengths_of_rows(P, product, squares, last);
    for (int i = 0; i < ROWS; i++) {
        const int is_parallel = common[i] * common[i] > RANK_PARALLEL * first[i] * last[i];
        if (is_parallel && (common[i] < 0 || common[i] > RANK_SHRUNK * last[i])) return 1;
    }
    return 0;
}

/* Return whether the residual of Phi at the end of a step is not small compared with the distance to a singular
 * configuration: Newton steps of the projection contract slowly there. */
SYMLIE_COLD int is_between_branches(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real end, symlie_scalar contraction,
                                    mass_matrix *restrict mass, const symlie_trial *restrict trial)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(mu, ROWS);
    ARRAY(c, ROWS);
    ARRAY(r, DIMENSION);
    ARRAY(d, DIMENSION);
    ARRAY(q, STORAGE);
    ARRAY(moved, STORAGE);
    symlie_real first = 0, second = 0;
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, end, trial->q, mass)) return 0;
    system_jacobian(P, end, trial->q, trial->v, B);
    system_constraint(P, end, trial->q, c);
    for (int k = 0; k < DIMENSION; k++) r[k] = 0;
    for (int i = 0; i < ROWS; i++) c[i] = -c[i];
    if (!solve_stage(P, mass, B, B, r, c, d, mu)) return 0;
    if (!(largest_entry(DIMENSION, d, 0) > DRIFT_ROUND_OFF * largest_entry(STORAGE, trial->q, 1))) return 0;
    for (int i = 0; i < ROWS; i++) first += c[i] * mu[i];
    move_along(P, trial->q, d, q);
    system_normalize(P, q, moved);
    system_constraint(P, end, moved, c);
    for (int k = 0; k < DIMENSION; k++) r[k] = 0;
    for (int i = 0; i < ROWS; i++) c[i] = -c[i];
    if (!solve_stage(P, mass, B, B, r, c, d, mu)) return 0;
    for (int i = 0; i < ROWS; i++) second += c[i] * mu[i];
    return fabs(second) > contraction * contraction * fabs(first);
}

SYMLIE_COLD int is_near_rank_loss(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real end,
                                  mass_matrix *restrict mass, const symlie_state *restrict state, const symlie_trial *restrict trial)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(other, JACOBIAN_VALUES);
    ARRAY(product, JACOBIAN_VALUES);
    ARRAY(length, ROWS);
    ARRAY(mu, ROWS);
    ARRAY(c, ROWS);
    ARRAY(r, DIMENSION);
    ARRAY(d, DIMENSION);
    ARRAY(pull, DIMENSION);
    ARRAY(before, DIMENSION);
    symlie_real size = 0, sum = 0, left = 0, rest = 0, was = 0;
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, end, trial->q, mass)) return 0;
    system_jacobian(P, end, trial->q, trial->v, B);
    system_jacobian(P, t, state->q, state->v, other);
    for (int k = 0; k < DIMENSION; k++) d[k] = trial->v[k] * trial->v[k];
    if (has_vanishing_row(P, other, B, d, product, length, mu, c)) return 1;
    for (int k = 0; k < JACOBIAN_VALUES; k++) other[k] = fabs(B[k]);
    for (int k = 0; k < DIMENSION; k++) d[k] = fabs(trial->v[k]);
    lengths_of_rows(P, other, d, length);
    for (int i = 0; i < ROWS; i++) c[i] = -length[i] * sin(PROBE_ANGLE * (symlie_scalar)(i + 1));
    for (int n = 0; n < RANK_ITERATIONS; n++) {
        for (int k = 0; k < DIMENSION; k++) r[k] = 0;
        if (!solve_stage(P, mass, B, B, r, c, d, mu)) return 0;
        size = 0;
        for (int i = 0; i < ROWS; i++) size += length[i] * mu[i] * (length[i] * mu[i]);
        size = sqrt(size);
        if (!(size > 0 && size < (symlie_real)INFINITY)) return 0;
        for (int i = 0; i < ROWS; i++) c[i] = -length[i] * (length[i] * mu[i] / size);
    }
    for (int k = 0; k < DIMENSION; k++) pull[k] = before[k] = 0;
    subtract_constraint_force(P, B, mu, pull);
    system_jacobian(P, t, state->q, state->v, other);
    subtract_constraint_force(P, other, mu, before);
    for (int i = 0; i < ROWS; i++) sum += fabs(length[i] * mu[i]);
    for (int k = 0; k < DIMENSION; k++) left += fabs(pull[k]) * fabs(trial->v[k]), rest += pull[k] * d[k], was += before[k] * d[k];
    left /= sum;
    return left < RANK_NEAR && fabs(was / rest - 1) > RANK_CHANGE + left;
}

/* Return whether the velocity changes more within this step of fixed length than within previous ones. The reference
 * follows these changes gradually, so that steps after an abrupt change are abrupt, too. */
static inline int is_abrupt(const symlie_problem *restrict P, symlie_state *restrict state, const symlie_trial *restrict trial)
{
    symlie_real change = 0, begin = 0, end = 0;
    for (int k = 0; k < DIMENSION; k++) {
        change += (trial->v[k] - state->v[k]) * (trial->v[k] - state->v[k]);
        begin += state->v[k] * state->v[k];
        end += trial->v[k] * trial->v[k];
    }
    const symlie_scalar most = ABRUPT_GROWTH * ABRUPT_GROWTH * state->watch_reference;
    state->watch_reference = most > 0 ? fmin(SYMLIE_VALUE(change), most) : SYMLIE_VALUE(change);
    return change > ABRUPT * ABRUPT * fmax(begin, end) && change > most;
}

/* Count a step that ended near a singular configuration, and project its result if requested. */
SYMLIE_COLD int watch_rank(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real end,
                           const symlie_control *restrict control, int is_suspicious, mass_matrix *restrict mass,
                           symlie_state *restrict state, symlie_trial *restrict trial)
{
    const symlie_scalar contraction = is_suspicious && !control->is_adaptive ? ABRUPT_CONTRACTION : BRANCH_CONTRACTION;
    if (!is_between_branches(P, work, end, contraction, mass, trial) && !(is_suspicious && is_near_rank_loss(P, work, t, end, mass, state, trial))) return SYMLIE_DONE;
    state->rank_changes++;
    if (control->watches_rank < 2) return SYMLIE_DONE;
    trial->is_moved = 1;
    const int status = project(P, work, t, end, 1, 1, mass, state, trial);
    if (status != SYMLIE_DONE) return status;
    return is_finite(P, trial) && all_finite(DIMENSION, trial->v) ? SYMLIE_DONE : SYMLIE_NOT_FINITE;
}
#endif

/* Check for singular configurations after an accepted step. */
static inline int follow_branch(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real end,
                                const symlie_control *restrict control, mass_matrix *restrict mass,
                                symlie_state *restrict state, symlie_trial *restrict trial)
{
#if WATCHES_RANK
    if (!control->watches_rank) return SYMLIE_DONE;
    const int is_suspicious = control->is_adaptive ? is_short(state) | (state->surprises > 0) : is_abrupt(P, state, trial);
    const int is_regular = !control->is_adaptive && state->steps % WATCH_EVERY == 0;
    if (control->is_adaptive) remember_step(state);
    if (SYMLIE_UNLIKELY(is_suspicious | is_regular)) return watch_rank(P, work, t, end, control, is_suspicious, mass, state, trial);
#endif
    return SYMLIE_DONE;
}

#endif
