/* Taylor series of the stored components, the velocities and the multipliers. The order is selected for each run.
 *
 *   q' = S(q) v,   M(t, q) v' + B(t, q)^T lambda = -g(t, q, v),   B(t, q) v + b(t, q) = 0  (1)
 *
 * For first-order states f(t, q, v, v', lambda) replaces v; constraints do not depend on these states. The coefficients
 * are computed recursively. Let r_k be the coefficient of order k of M v' + g + B^T lambda without the terms of v'_k
 * and lambda_k, and c_{k+1} the coefficient of order k + 1 of B v + b without the term of v_{k+1}; then
 *
 *   q_{k+1} = (S v)_k / (k + 1),   [M_0 B_0^T; B_0 0] [v'_k; lambda_k] = [-r_k; -(k + 1) c_{k+1}],  v_{k+1} = v'_k / (k + 1)  (2)
 *
 * A step ends at sum_k q_k h^k, normalised onto the groups; with constraints, one Newton step for Phi and B v + b
 * follows. The two cached series, about the start and about the end of a step, depend only on the states there. See
 * symlie/runtime/methods/taylor.py. */
#ifndef SYMLIE_TAYLOR_H
#define SYMLIE_TAYLOR_H

#define ONE_EXPONENTIAL 0

#include "taylor_formula.h"
#if SYMLIE_LANES > 1
#include "taylor_side_by_side.h"
#else
#include "taylor_step.h"
#endif

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return 16LL * DIMENSION + 16LL * STORAGE + 4LL * STORED_SIZE + 4LL * MOVED_SIZE + ROWS_SIZE + JACOBIAN_VALUES + 3LL * ROWS + 2LL * CONDITIONS + acceleration_workspace(P);
}

#endif
