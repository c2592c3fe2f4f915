/* States for model exchange that rotate with bodies: q = q~ o exp((t - t0) W), with a constant W, and v~ in the axes of q~,
 * without W: for x = (q, v), x~ = T x - W, T W = W, and T' = T A with a constant matrix A that commutes with T. */
#ifndef SYMLIE_COROTATION_H
#define SYMLIE_COROTATION_H

#include <math.h>

#define RELATIVE_CHANGE 0.0625          /* of velocities; differences of quadratic functions are exact */
#define SHORT_ROTATION 1.220703125e-4   /* in rad, and in s below 1 rad/s; differences over it have relative errors of 1e-8 */

static double *states_of(unit_data *d, enum unit_kind kind)
{
    switch (kind) {
    case OF_Q: return d->s.q;
    case OF_V: return d->s.v;
    case OF_COROTATING_Q: return d->corotating_q;
    default: return d->corotating_v;
    }
}

static const double *rates_of(const unit_data *d, enum unit_kind kind)
{
    switch (kind) {
    case OF_Q: return d->q_dot;
    case OF_V: return d->v_dot;
    case OF_COROTATING_Q: return d->corotating_q_dot;
    default: return d->corotating_v_dot;
    }
}

/* Add c a x b to a vector. */
static void add_cross(double c, const double *a, const double *b, double *to)
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    to[0] += c * x, to[1] += c * y, to[2] += c * z;
}

/* Rotate a vector by a unit quaternion. */
static void rotate(const double *e, const double *x, double *to)
{
    double half[3] = {0, 0, 0}, rotated[3] = {x[0], x[1], x[2]};
    add_cross(2, e + 1, x, half);
    add_cross(1, e + 1, half, rotated);
    for (int i = 0; i < 3; i++) to[i] = rotated[i] + e[0] * half[i];
}

/* Multiply a quaternion by the inverse of a unit quaternion. */
static void divide(const double *p, const double *e, double *to)
{
    double product[4] = {p[0] * e[0] + p[1] * e[1] + p[2] * e[2] + p[3] * e[3], 0, 0, 0};
    for (int i = 1; i < 4; i++) product[i] = p[i] * e[0] - p[0] * e[i];
    add_cross(-1, p + 1, e + 1, product + 1);
    memcpy(to, product, sizeof product);
}

/* T x for the rotating parts of (q, v), or x / T if the direction is -1. */
static void turn_parts(const unit_data *d, double direction, const double *q, const double *v, double *to_q, double *to_v)
{
    for (int k = 0; k < COROTATIONS; k++) {
        const unit_corotation *part = corotations + k;
        const double *W = d->rotation + 3 * k, speed = sqrt(W[0] * W[0] + W[1] * W[1] + W[2] * W[2]);
        const double half = (d->s.t - d->start) * speed / 2, c = speed > 0 ? direction * sin(half) / speed : 0;
        const double e[4] = {cos(half), c * W[0], c * W[1], c * W[2]};
        if (part->size == 4) divide(q + part->q, e, to_q + part->q);
        else
            for (int i = 0; i < 9; i += 3) rotate(e, q + part->q + i, to_q + part->q + i);
        for (int i = 0; i < 3 * part->vectors; i += 3) rotate(e, v + part->v + i, to_v + part->v + i);
    }
}

/* Add c A x for the rotating parts of x = (q, v). */
static void add_turning(const unit_data *d, double c, const double *q, const double *v, double *to_q, double *to_v)
{
    for (int k = 0; k < COROTATIONS; k++) {
        const unit_corotation *part = corotations + k;
        const double *W = d->rotation + 3 * k, *from = q + part->q;
        double *to = to_q + part->q;
        if (part->size == 4) {
            to[0] += c / 2 * (from[1] * W[0] + from[2] * W[1] + from[3] * W[2]);
            for (int i = 0; i < 3; i++) to[1 + i] -= c / 2 * from[0] * W[i];
            add_cross(c / 2, W, from + 1, to + 1);
        } else {
            for (int i = 0; i < 9; i += 3) add_cross(c, W, from + i, to + i);
        }
        for (int i = 0; i < 3 * part->vectors; i += 3) add_cross(c, W, v + part->v + i, to_v + part->v + i);
    }
}

/* Add W to angular velocities, or subtract it if the sign is -1. */
static void shift_spins(const unit_data *d, double sign, double *v)
{
    for (int k = 0; k < COROTATIONS; k++)
        for (int i = 0; i < 3; i++) v[corotations[k].v + i] += sign * d->rotation[3 * k + i];
}

/* Compute the states from q and v. */
static void follow_state(unit_data *d)
{
    turn_parts(d, 1, d->s.q, d->s.v, d->corotating_q, d->corotating_v);
    shift_spins(d, -1, d->corotating_v);
}

/* Compute q and v from the states. */
static void follow_corotation(unit_data *d)
{
    turn_parts(d, -1, d->corotating_q, d->corotating_v, d->s.q, d->s.v);
    shift_spins(d, 1, d->s.v);
}

/* Compute the rates of the states, T (x' + A x). */
static void corotate_rates(unit_data *d)
{
    memcpy(d->corotating_q_dot, d->q_dot, sizeof d->q_dot);
    memcpy(d->corotating_v_dot, d->v_dot, sizeof d->v_dot);
    add_turning(d, 1, d->s.q, d->s.v, d->corotating_q_dot, d->corotating_v_dot);
    turn_parts(d, 1, d->corotating_q_dot, d->corotating_v_dot, d->corotating_q_dot, d->corotating_v_dot);
}

/* A copy of the state, which moves without the forces that do not depend on velocities. */
typedef struct {
    unit_state s;
    double start_rate[STORAGE_OF_UNIT + 1], q_dot[STORAGE_OF_UNIT + 1], lambda[ROWS_OF_UNIT + 1], v_dot[DIMENSION_OF_UNIT + 1];
    double first[DIMENSION_OF_UNIT + 1], second[DIMENSION_OF_UNIT + 1];
} free_motion;

/* Add c times the part of v' that is quadratic in v, at the state moved by a time. */
static int add_free_acceleration(const unit_data *d, free_motion *m, double c, double time, double *to)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int k = 0; k < STORAGE_OF_UNIT; k++) m->s.q[k] = d->s.q[k] + time * m->start_rate[k];
        for (int k = 0; k < DIMENSION_OF_UNIT; k++) m->s.v[k] = (1 + sign * RELATIVE_CHANGE) * (d->s.v[k] + time * m->first[k]);
        const int status = rates_of_state(&m->s, &d->p, m->q_dot, m->v_dot, m->lambda);
        if (status) return status;
        for (int k = 0; k < DIMENSION_OF_UNIT; k++) to[k] += sign * c / (4 * RELATIVE_CHANGE) * m->v_dot[k];
    }
    return 0;
}

/* Choose W for a rotation: the centre of the circle on which the angular velocity moves in body axes without these forces,
 * such as the spin of a symmetric top; nearer to the angular velocity where this takes more than two turns, and never further
 * from it than its length. */
static void choose_rotation(unit_data *d, int k, const free_motion *m)
{
    const int place = corotations[k].v;
    double speed = 0, first = 0, second = 0;
    for (int i = place; i < place + 3; i++)
        speed += d->s.v[i] * d->s.v[i], first += m->first[i] * m->first[i], second += m->second[i] * m->second[i];
    if (!(speed > 0)) return;
    const double square = fmax(fmax(speed / 4, sqrt(second / speed)), first > 0 ? second / first : 0);
    for (int i = 0; i < 3; i++) d->rotation[3 * k + i] = d->s.v[place + i] + m->second[place + i] / square;
}

/* Choose W for all rotations at initialization, and compute the states. */
static int begin_corotation(unit_data *d)
{
    double speed = 0;
    int status = 0;
    memset(d->rotation, 0, sizeof d->rotation);
    for (int k = 0; k < COROTATIONS; k++)
        for (int i = corotations[k].v; i < corotations[k].v + 3; i++) speed = fmax(speed, fabs(d->s.v[i]));
    if (speed > 0) {
        const double time = SHORT_ROTATION / fmax(speed, 1);
        free_motion *m = calloc(1, sizeof *m);
        if (!m) return d->is_initialized = 0, OUT_OF_MEMORY;
        m->s = d->s;
        status = rates_of_state(&m->s, &d->p, m->start_rate, m->v_dot, m->lambda);
        if (!status) status = add_free_acceleration(d, m, 1, 0, m->first);
        if (!status) status = add_free_acceleration(d, m, 1 / (2 * time), time, m->second);
        if (!status) status = add_free_acceleration(d, m, -1 / (2 * time), -time, m->second);
        for (int k = 0; k < COROTATIONS && !status; k++) choose_rotation(d, k, m);
        free(m);
    }
    d->is_initialized = status == 0;
    follow_state(d);
    return status;
}

#endif
