/* BDF formulas: velocities and accelerations at the new point from the increments to previous points, and a
 * prediction of the new point. Equation numbers refer to bdf.h. */
#ifndef SYMLIE_BDF_FORMULA_H
#define SYMLIE_BDF_FORMULA_H

#if CHOOSES_ORDER
#define ORDER(f) (f)->order
#define POINTS (STEPS + 1)
#else
#define ORDER(f) STEPS
#define POINTS STEPS
#endif

struct step_formula {
    symlie_real h;
    int order;                          /* at most STEPS */
    symlie_real time[STEPS + 1];        /* t_{n+1-i} - t_{n+1} */
    symlie_real weight[STEPS + 1];      /* alpha_i/h */
    const symlie_real *increments;      /* logarithms of `elements`: theta_1, theta_2, ... at the end of the previous
                                         * step */
    const symlie_real *elements;        /* q_n^-1 o q_{n-1}, q_n^-1 o q_{n-2}, ... */
    const symlie_real *velocities;      /* v_n, v_{n-1}, ... */
    symlie_real *known;                 /* contribution of v_n, v_{n-1}, ... to v'_{n+1} */
    symlie_real *offset;                /* m - theta, where gamma' T^-1(m) is the derivative of v with respect to the
                                         * configuration */
    symlie_real *element;               /* exp(theta) for the latest theta */
    symlie_real *theta_i;               /* theta_1, theta_2, ... for the latest theta */
    symlie_real *apart;                 /* q_{n+1}^-1 o q_n, q_{n+1}^-1 o q_{n-1}, ... for the latest theta */
};

#define FORMULA(name)                          \
    ARRAY(name##_known, DIMENSION);            \
    ARRAY(name##_offset, DIMENSION);           \
    ARRAY(name##_element, STORAGE);            \
    ARRAY(name##_theta_i, POINTS * DIMENSION); \
    ARRAY(name##_apart, POINTS * STORAGE);     \
    step_formula name = {.known = name##_known, .offset = name##_offset, .element = name##_element, .theta_i = name##_theta_i, .apart = name##_apart}

static inline long long formula_workspace(const symlie_problem *restrict P)
{
    return (POINTS + 1LL) * (STORAGE + DIMENSION) + DIMENSION;
}

/* (4) */
static inline void take_weights(step_formula *restrict f, symlie_real h, const symlie_real *restrict lengths)
{
    symlie_real *restrict time = f->time, *restrict weight = f->weight;
    f->h = h, time[0] = 0, time[1] = -h, weight[0] = 0;
    for (int i = 2; i <= ORDER(f); i++) time[i] = time[i - 1] - lengths[i - 2];
    for (int i = 1; i <= ORDER(f); i++) {
        symlie_real above = 1, below = time[i];
        for (int j = 1; j <= ORDER(f); j++)
            if (j != i) above *= time[j], below *= time[j] - time[i];
        weight[i] = above / below;
        weight[0] -= weight[i];
    }
}

/* Compute the contributions of previous steps to (3) and to m. Up to brackets, theta_i equals its value at the
 * previous step minus theta. */
static inline void take_known(const symlie_problem *restrict P, const step_formula *restrict f)
{
    (void)P;
    const symlie_real part = 1 / f->weight[0];
    for (int k = 0; k < DIMENSION; k++) f->offset[k] = 0;
    for (int i = 2; i <= ORDER(f); i++)
        for (int k = 0; k < DIMENSION; k++) f->offset[k] += f->weight[i] * part * f->increments[(i - 2) * DIMENSION + k];
    for (int k = 0; k < DIMENSION; k++) f->known[k] = f->weight[1] * f->velocities[k];
    for (int i = 2; i <= ORDER(f); i++)
        for (int k = 0; k < DIMENSION; k++) f->known[k] += f->weight[i] * f->velocities[(i - 1) * DIMENSION + k];
}

/* (1) for some of the points before q_n */
static inline void look_back(const symlie_problem *restrict P, const step_formula *restrict f, int first, int last)
{
    for (int i = first; i <= last; i++)
        system_increment(P, f->element, f->elements + (i - 2) * STORAGE, f->theta_i + (i - 1) * DIMENSION);
}

/* (a) and (1); the group elements of (1) come first, since v depends on (1) alone. */
static inline void formula_advance(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict q_n,
                                   const symlie_real *restrict theta, symlie_real *restrict q)
{
    system_exponential(P, theta, f->element);
    look_back(P, f, 2, ORDER(f));
    system_compose(P, q_n, f->element, q);
}

static inline const symlie_real *formula_offset(const step_formula *restrict f)
{
    return f->offset;
}

/* Amplification of the rounding of theta in v': one per step, and more if previous points are close together and
 * have large weights. */
static inline symlie_real formula_span(const step_formula *restrict f)
{
    symlie_real sum = 0;
    for (int i = 1; i <= ORDER(f); i++) sum += fabs(f->weight[i]);
    return fmax(STEPS, 0.5 * sum / f->weight[0]);
}

/* Compute theta_1 and the group elements of `count` points, relative to the end of a step. */
static inline void take_apart(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict theta, int count)
{
    for (int k = 0; k < DIMENSION; k++) f->theta_i[k] = -theta[k];
    system_inverse(P, f->element, f->apart);
    for (int i = 2; i <= count; i++) system_compose(P, f->apart, f->elements + (i - 2) * STORAGE, f->apart + (i - 1) * STORAGE);
}

/* (2) and (3); requires (a) */
static inline void formula_at(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict theta,
                              const symlie_real *restrict w, symlie_real *restrict v, symlie_real *restrict v_dot)
{
    const symlie_real *restrict weight = f->weight, *restrict theta_i = f->theta_i, *restrict known = f->known;
    (void)P;
    for (int k = 0; k < DIMENSION; k++) {
        symlie_real sum = (HAS_ETA ? weight[0] * (w[k] - theta[k]) : 0) - weight[1] * theta[k];
        for (int i = 2; i <= ORDER(f); i++) sum += weight[i] * theta_i[(i - 1) * DIMENSION + k];
        v[k] = sum;
        v_dot[k] = weight[0] * sum + known[k];
    }
#if FIELDS
    for (int n = 0; n < COUNT_OF_STATE; n++) v_dot[STATE[n]] = v[STATE[n]], v[STATE[n]] = 0;
#endif
}

/* Predict theta by extrapolation: a polynomial through the increments to previous configurations that has slope v_n
 * at q_n. */
static inline void predict(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict v_dot_n,
                           symlie_real *restrict theta)
{
    const symlie_real *restrict time = f->time, h = f->h;
    symlie_real above = h, below = 1;
    for (int i = 2; i <= ORDER(f); i++) above *= time[i], below *= time[i] + h;
    for (int k = 0; k < DIMENSION; k++) theta[k] = f->velocities[k];
#if FIELDS
    for (int n = 0; n < COUNT_OF_STATE; n++) theta[STATE[n]] = v_dot_n[STATE[n]];
#else
    (void)P, (void)v_dot_n;
#endif
    for (int k = 0; k < DIMENSION; k++) theta[k] *= above / below;
    for (int i = 2; i <= ORDER(f); i++) {
        const symlie_real x = time[i] + h;
        above = h * h, below = x * x;
        for (int j = 2; j <= ORDER(f); j++)
            if (j != i) above *= time[j], below *= time[j] - time[i];
        const symlie_real weight = above / below;
        for (int k = 0; k < DIMENSION; k++) theta[k] += weight * f->increments[(i - 2) * DIMENSION + k];
    }
}

/* Initially all previous points coincide with the first one. */
static inline void begin_elements(const symlie_problem *restrict P, int count, symlie_real *restrict elements, symlie_real *restrict zero)
{
    for (int k = 0; k < DIMENSION; k++) zero[k] = 0;
    for (int i = 0; i < count; i++) system_exponential(P, zero, elements + i * STORAGE);
}

#endif
