/* Contact problem of an instant; see symlie/runtime/linear/cone_problem.py.
 *
 *   xi = G P + c,   0 <= P_N _|_ xi_N >= 0,   |P_T| <= mu P_N,   P_T = -mu P_N xi_T / |xi_T| for xi_T != 0 */
#ifndef SYMLIE_CONE_PROBLEM_H
#define SYMLIE_CONE_PROBLEM_H

#include "vectors.h"

/* Size of the workspace for n equations. */
#define CONE_WORKSPACE(n) (2LL * (n) * (n) + 7LL * (n))

/* Friction of bilateral constraints, whose blocks are the last ones of a problem: the radius is L + mu |a + R P|. */
typedef struct {
    int count;
    const symlie_real *friction;  /* mu */
    const symlie_real *limit;     /* L */
    const int *first;             /* first component of each reaction, and the number of all */
    const symlie_real *reaction;  /* a */
    const symlie_real *response;  /* R, component by component, with a stride */
    int stride;
    const int *slides;            /* 1: P_T = -(L + mu |a + R P|) d */
    const symlie_real *direction; /* d, in the places of equations; may be null if nothing slides */
} cone_friction;

/* A contact problem with scaled equations; begin[i] is the first equation of each block, and begin[count] their number. */
typedef struct {
    int count;
    int holds; /* 1: contacts hold, xi_N = 0 */
    symlie_real terms; /* size of the terms of d */
    const int *begin;
    const symlie_real *friction;
    symlie_real *H;
    symlie_real *d;
    symlie_real *scale;
    symlie_real *y;
    symlie_real *xi;
    symlie_real *F; /* natural map P - prox(P - r xi), and its generalised derivative */
    symlie_real *D;
    symlie_real *slope; /* derivative of a radius */
    const cone_friction *rubbing;
    const symlie_real *least; /* least normal impulses, in the places of equations; null for zero */
    symlie_real *column; /* original indices of the columns of D during its elimination */
} cone_problem;

/* Length r of the natural map in the tangent plane of a block of equations n to e; any, if constraints prevent slip. */
static inline symlie_real tangential_step(const cone_problem *restrict C, int n, int e)
{
    const int size = C->begin[C->count];
    symlie_real sum = 0;
    for (int k = n + 1; k < e; k++) sum += C->H[k * size + k];
    return sum > CONE_BLOCKED ? 1 / sum : 1;
}

/* Compute row k of H y + d. */
static inline symlie_real cone_rate(const cone_problem *restrict C, int k)
{
    const int size = C->begin[C->count];
    symlie_real sum = 0;
    for (int j = 0; j < size; j++) sum += C->H[k * size + j] * C->y[j];
    return sum + C->d[k];
}

/* Compute the radius of block i, and its derivative in C->slope if `differentiates` is 1. */
static inline symlie_real cone_radius(const cone_problem *restrict C, int i, int differentiates)
{
    const cone_friction *rubbing = C->rubbing;
    const int size = C->begin[C->count], n = C->begin[i], k = i - (C->count - rubbing->count);
    for (int j = 0; differentiates && j < size; j++) C->slope[j] = 0;
    if (k < 0) {
        if (differentiates && C->y[n] > 0) C->slope[n] = C->friction[i];
        return C->friction[i] * fmax(C->y[n], 0);
    }
    symlie_real F[3] = {0, 0, 0}, length = 0;
    const int first = rubbing->first[k], components = rubbing->first[k + 1] - first;
    for (int c = 0; c < components; c++) {
        F[c] = rubbing->reaction[first + c];
        for (int j = 0; j < size; j++) F[c] += rubbing->response[(first + c) * rubbing->stride + j] / C->scale[j] * C->y[j];
        length += F[c] * F[c];
    }
    length = sqrt(length);
    for (int c = 0; c < components && differentiates && length > 0; c++)
        for (int j = 0; j < size; j++)
            C->slope[j] += C->scale[n] * rubbing->friction[k] / length * F[c] * rubbing->response[(first + c) * rubbing->stride + j] / C->scale[j];
    return C->scale[n] * (rubbing->limit[k] + rubbing->friction[k] * length);
}

/* Return the direction in which block i slides, or null if it follows from the problem. */
static inline const symlie_real *cone_direction(const cone_problem *restrict C, int i)
{
    const int k = i - (C->count - C->rubbing->count);
    return k >= 0 && C->rubbing->slides && C->rubbing->slides[k] ? C->rubbing->direction : 0;
}

/* Least scaled normal impulse of the block whose first equation is n. */
static inline symlie_real least_impulse(const cone_problem *restrict C, int n)
{
    if (!C->least) return 0;
    return C->least[n] * C->scale[n];
}

/* Evaluate the natural map, and its derivative if `differentiates` is 1. Return its largest absolute entry. */
static inline symlie_real natural_map(const cone_problem *restrict C, int differentiates)
{
    const int size = C->begin[C->count];
    symlie_real largest = 0;
    for (int k = 0; k < size; k++) C->xi[k] = cone_rate(C, k);
    for (int k = 0; differentiates && k < size * size; k++) C->D[k] = 0;
    for (int i = 0; i < C->count; i++) {
        const int has_normal = i < C->count - C->rubbing->count, n = C->begin[i], first = n + has_normal, e = C->begin[i + 1];
        symlie_real *restrict D = C->D;
        symlie_real low = 0;
        if (has_normal) low = least_impulse(C, n);
        if (has_normal && (C->holds || C->y[n] - low - C->xi[n] > 0)) {
            C->F[n] = C->xi[n];
            for (int j = 0; differentiates && j < size; j++) D[n * size + j] = C->H[n * size + j];
        } else if (has_normal) {
            C->F[n] = C->y[n] - low;
            if (differentiates) D[n * size + n] = 1;
        }
        if (e == first) continue;
        const symlie_real radius = cone_radius(C, i, differentiates), *d = cone_direction(C, i);
        for (int k = first; k < e && d; k++) {
            C->F[k] = C->y[k] + radius * d[k];
            if (differentiates) D[k * size + k] = 1;
            for (int j = 0; differentiates && j < size; j++) D[k * size + j] += d[k] * C->slope[j];
        }
        if (d) continue;
        const symlie_real r = tangential_step(C, first - 1, e);
        symlie_real s[2] = {0, 0}, length = 0;
        for (int k = first; k < e; k++) s[k - first] = C->y[k] - r * C->xi[k], length += s[k - first] * s[k - first];
        length = sqrt(length);
        if (length <= radius) {
            for (int k = first; k < e; k++) {
                C->F[k] = r * C->xi[k];
                for (int j = 0; differentiates && j < size; j++) D[k * size + j] = r * C->H[k * size + j];
            }
            continue;
        }
        for (int k = first; k < e; k++) {
            const symlie_real u = s[k - first] / length;
            C->F[k] = C->y[k] - radius * u;
            if (!differentiates) continue;
            D[k * size + k] += 1;
            for (int l = first; l < e; l++) {
                const symlie_real across = radius / length * ((l == k) - u * s[l - first] / length);
                for (int j = 0; j < size; j++) D[k * size + j] -= across * ((j == l) - r * C->H[l * size + j]);
            }
            for (int j = 0; j < size; j++) D[k * size + j] -= C->slope[j] * u;
        }
    }
    for (int k = 0; k < size; k++) largest = !(fabs(C->F[k]) <= largest) ? fabs(C->F[k]) : largest;
    return largest;
}

/* Replace F by the solution of D x = F, by elimination with complete pivoting; unknowns without a pivot are zero. */
static inline void eliminate_cone(const cone_problem *restrict C)
{
    const int size = C->begin[C->count];
    symlie_real *restrict A = C->D, *restrict b = C->F, *restrict x = C->xi, *restrict column = C->column, largest = 0;
    int rank = size;
    for (int k = 0; k < size * size; k++) largest = fmax(largest, fabs(A[k]));
    for (int k = 0; k < size; k++) column[k] = k;
    for (int k = 0; k < size; k++) {
        int row = k, place = k;
        for (int i = k; i < size; i++)
            for (int j = k; j < size; j++)
                if (fabs(A[i * size + j]) > fabs(A[row * size + place])) row = i, place = j;
        if (!(fabs(A[row * size + place]) > LOST_PIVOT * largest)) {
            rank = k;
            break;
        }
        for (int j = 0; j < size; j++) {
            const symlie_real entry = A[k * size + j];
            A[k * size + j] = A[row * size + j], A[row * size + j] = entry;
        }
        const symlie_real right = b[k];
        b[k] = b[row], b[row] = right;
        for (int i = 0; i < size; i++) {
            const symlie_real entry = A[i * size + k];
            A[i * size + k] = A[i * size + place], A[i * size + place] = entry;
        }
        const symlie_real moved = column[k];
        column[k] = column[place], column[place] = moved;
        for (int i = k + 1; i < size; i++) {
            const symlie_real factor = A[i * size + k] / A[k * size + k];
            for (int j = 0; j < size; j++) A[i * size + j] -= factor * A[k * size + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = 0; k < size; k++) x[k] = 0;
    for (int k = rank - 1; k >= 0; k--) {
        symlie_real sum = b[k];
        for (int j = k + 1; j < rank; j++) sum -= A[k * size + j] * x[(int)column[j]];
        x[(int)column[k]] = sum / A[k * size + k];
    }
    for (int k = 0; k < size; k++) b[k] = x[k];
}

/* Return whether a residual is small relative to the data. */
static inline int cone_is_solved(const cone_problem *restrict C, symlie_real tolerance, symlie_real residual)
{
    symlie_real size = C->terms;
    for (int k = 0; k < C->begin[C->count]; k++) size = fmax(size, fmax(fabs(C->d[k]), fabs(C->y[k])));
    return residual <= tolerance * size;
}

/* One Gauss-Seidel sweep. */
static inline void sweep_cone(const cone_problem *restrict C)
{
    for (int i = 0; i < C->count; i++) {
        const int has_normal = i < C->count - C->rubbing->count, n = C->begin[i], first = n + has_normal, e = C->begin[i + 1];
        if (has_normal) C->y[n] -= cone_rate(C, n);
        if (has_normal && !C->holds) C->y[n] = fmax(least_impulse(C, n), C->y[n]);
        if (e == first) continue;
        const symlie_real radius = cone_radius(C, i, 0), *d = cone_direction(C, i);
        for (int k = first; k < e && d; k++) C->y[k] = -radius * d[k];
        if (d) continue;
        const symlie_real r = tangential_step(C, first - 1, e);
        symlie_real s[2] = {0, 0}, length = 0;
        for (int k = first; k < e; k++) s[k - first] = C->y[k] - r * cone_rate(C, k), length += s[k - first] * s[k - first];
        length = sqrt(length);
        for (int k = first; k < e; k++) C->y[k] = length <= radius ? s[k - first] : radius * s[k - first] / length;
    }
}

/* Follow the drift of sweeps from `last`: redundant impulses change by constant amounts until a contact slides or opens. */
static inline void follow_drift(const cone_problem *restrict C, symlie_real *restrict last)
{
    const int size = C->begin[C->count];
    const symlie_real bound = GROWN_DRIFT * natural_map(C, 0);
    symlie_real part = 1;
    for (int k = 0; k < size; k++) {
        const symlie_real change = C->y[k] - last[k];
        last[k] = C->y[k], C->column[k] = change;
    }
    for (; part < LONGEST_DRIFT; part *= 2) {
        for (int k = 0; k < size; k++) C->y[k] = last[k] + part * C->column[k];
        if (!(natural_map(C, 0) <= bound)) break;
    }
    for (int k = 0; k < size; k++) C->y[k] = part > 1 ? last[k] + part / 2 * C->column[k] : last[k];
}

/* Compute P for the matrix G, whose rows have the given stride; xi_N = 0 if contacts are to hold; `sizes` are
 * those of the terms of c; normal impulses are at least `least`, or zero if it is null; the iteration starts with sweeps
 * from `start`, or from zero if it is null. Return 0 if no solution is found. */
static inline int solve_bounded_cone(int count, int holds, const int *begin, int stride, const symlie_real *restrict G,
                                     const symlie_real *restrict c, const symlie_real *restrict friction, const symlie_real *restrict sizes,
                                     const cone_friction *rubbing, const symlie_real *restrict least, const symlie_real *restrict start,
                                     symlie_real *restrict work, symlie_real *restrict P)
{
    const int size = begin[count];
    cone_problem problem = {.count = count, .holds = holds, .begin = begin, .friction = friction, .H = work, .rubbing = rubbing, .least = least};
    cone_problem *C = &problem;
    C->D = C->H + size * size;
    C->d = C->D + size * size;
    C->scale = C->d + size;
    C->y = C->scale + size;
    C->xi = C->y + size;
    C->F = C->xi + size;
    C->column = C->F + size;
    C->slope = C->column + size;
    for (int i = 0; i < count; i++) {
        if (!(G[begin[i] * stride + begin[i]] > 0)) return 0;
        for (int k = begin[i]; k < begin[i + 1]; k++) C->scale[k] = sqrt(G[begin[i] * stride + begin[i]]);
    }
    for (int k = 0; k < size; k++) {
        C->d[k] = c[k] / C->scale[k];
        C->terms = fmax(C->terms, sizes[k] / C->scale[k]);
        C->y[k] = start ? start[k] * C->scale[k] : 0;
        for (int j = 0; j < size; j++) C->H[k * size + j] = G[k * stride + j] / (C->scale[k] * C->scale[j]);
    }
    int is_solved = 0;
    for (int round = 0; round <= CONE_RESTARTS && !is_solved; round++) {
        for (int n = 0; n < (round ? CONE_SWEEPS : start ? CONE_FIRST_SWEEPS : 0); n++) {
            for (int k = 0; k < size; k++) P[k] = C->y[k];
            sweep_cone(C);
        }
        if (round > 1) follow_drift(C, P);
        for (int k = 0; k < size; k++) P[k] = C->y[k];
        for (int n = 0; n < CONE_STEPS && !is_solved; n++) {
            is_solved = cone_is_solved(C, CONE_TOLERANCE, natural_map(C, 1));
            if (is_solved) break;
            eliminate_cone(C);
            for (int k = 0; k < size; k++) C->y[k] -= C->F[k];
            if (!all_finite(size, C->y)) break;
        }
        for (int k = 0; k < size && !is_solved; k++) C->y[k] = P[k];
    }
    if (!is_solved) is_solved = cone_is_solved(C, CONE_ACCEPTED, natural_map(C, 0));
    for (int k = 0; k < size; k++) P[k] = C->y[k] / C->scale[k];
    return is_solved;
}

/* The same for normal impulses that are not negative. */
static inline int solve_cone(int count, int holds, const int *begin, int stride, const symlie_real *restrict G, const symlie_real *restrict c,
                             const symlie_real *restrict friction, const symlie_real *restrict sizes, const cone_friction *rubbing,
                             const symlie_real *restrict start, symlie_real *restrict work, symlie_real *restrict P)
{
    return solve_bounded_cone(count, holds, begin, stride, G, c, friction, sizes, rubbing, 0, start, work, P);
}

#endif
