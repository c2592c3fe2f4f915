/* The heavy top on SE(3), Phi = R^T x - X, by generalized-alpha of index 3: full Newton with T, dense LU, as one would write
 * it by hand. The equations are those of symlie/runtime/methods/programs/generalized_alpha.py, the start is the plain one.
 *
 * generalized_alpha_top SAMPLES [STEPS STEP_SIZE] prints
 *   generalized_alpha_top.ns_per_step MEDIAN min LEAST
 *   iterations_per_step NUMBER
 *   end X Y Z       position after a sample
 * Times are those of the processor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 6, ROWS = 3, U = N + ROWS };

static const double MASS = 15, J[3] = {0.234375, 0.46875, 0.234375}, LEVER[3] = {0, 1, 0}, GRAVITY = -9.81;

typedef struct {
    double R[9], x[3], v[N], acceleration[N], a[N], lambda[ROWS];
} state;

typedef struct {
    double alpha_m, alpha_f, beta, gamma, h;
} parameters;

static inline void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void hat(const double *a, double *A)
{
    A[0] = 0, A[1] = -a[2], A[2] = a[1];
    A[3] = a[2], A[4] = 0, A[5] = -a[0];
    A[6] = -a[1], A[7] = a[0], A[8] = 0;
}

static inline void multiply(const double *A, const double *B, double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static inline void apply(const double *A, const double *b, double *out)
{
    for (int i = 0; i < 3; i++) out[i] = A[3 * i] * b[0] + A[3 * i + 1] * b[1] + A[3 * i + 2] * b[2];
}

static inline void apply_transposed(const double *A, const double *b, double *out)
{
    for (int i = 0; i < 3; i++) out[i] = A[i] * b[0] + A[3 + i] * b[1] + A[6 + i] * b[2];
}

/* sin(f)/f, (1 - cos f)/f^2 and (f - sin f)/f^3 with s = f^2, for small rotations of a step. */
static inline double c1(double s) { return 1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110)))); }
static inline double c2(double s) { return 0.5 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90 * (1 - s / 132))))); }
static inline double c3(double s) { return (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110 * (1 - s / 156))))) / 6; }
/* Derivatives of the last two by s. */
static inline double d2(double s) { return -1.0 / 24 + s * (2.0 / 720 - s * (3.0 / 40320 - s * (4.0 / 3628800))); }
static inline double d3(double s) { return -1.0 / 120 + s * (2.0 / 5040 - s * (3.0 / 362880 - s * (4.0 / 39916800))); }

static inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* (R, x) exp(theta) */
static inline void advance(const state *s, const double *theta, double *R, double *x)
{
    const double *w = theta, *u = theta + 3, square = dot(w, w), f1 = c1(square), f2 = c2(square), f3 = c3(square);
    double E[9], wu[3], wwu[3], moved[3], turned[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) E[3 * i + j] = f2 * w[i] * w[j] + (i == j ? 1 - f2 * square : 0);
    E[1] -= f1 * w[2], E[2] += f1 * w[1], E[3] += f1 * w[2], E[5] -= f1 * w[0], E[6] -= f1 * w[1], E[7] += f1 * w[0];
    multiply(s->R, E, R);
    cross(w, u, wu);
    cross(w, wu, wwu);
    for (int i = 0; i < 3; i++) moved[i] = u[i] + f2 * wu[i] + f3 * wwu[i];
    apply(s->R, moved, turned);
    for (int i = 0; i < 3; i++) x[i] = s->x[i] + turned[i];
}

/* T(theta) = [A 0; D A] */
static inline void tangent(const double *theta, double *A, double *D)
{
    const double *w = theta, *u = theta + 3, s = dot(w, w), p = 2 * dot(w, u);
    const double f2 = c2(s), f3 = c3(s), g2 = d2(s) * p, g3 = d3(s) * p;
    double W[9], V[9], WW[9], WV[9], VW[9];
    hat(w, W);
    hat(u, V);
    multiply(W, W, WW);
    multiply(W, V, WV);
    multiply(V, W, VW);
    for (int k = 0; k < 9; k++) {
        A[k] = (k % 4 == 0) - f2 * W[k] + f3 * WW[k];
        D[k] = -f2 * V[k] + f3 * (WV[k] + VW[k]) - g2 * W[k] + g3 * WW[k];
    }
}

/* LU with partial pivoting, and its solution. */
static inline int factorise(double (*A)[U], int *pivot)
{
    for (int k = 0; k < U; k++) {
        int p = k;
        for (int i = k + 1; i < U; i++)
            if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
        if (A[p][k] == 0) return 0;
        pivot[k] = p;
        if (p != k)
            for (int j = 0; j < U; j++) {
                const double kept = A[k][j];
                A[k][j] = A[p][j];
                A[p][j] = kept;
            }
        A[k][k] = 1 / A[k][k];
        for (int i = k + 1; i < U; i++) {
            const double factor = A[i][k] *= A[k][k];
            for (int j = k + 1; j < U; j++) A[i][j] -= factor * A[k][j];
        }
    }
    return 1;
}

static inline void solve(double (*A)[U], const int *pivot, double *x)
{
    for (int k = 0; k < U; k++) {
        const double kept = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = kept;
    }
    for (int i = 1; i < U; i++)
        for (int k = 0; k < i; k++) x[i] -= A[i][k] * x[k];
    for (int i = U - 1; i >= 0; i--) {
        for (int k = i + 1; k < U; k++) x[i] -= A[i][k] * x[k];
        x[i] *= A[i][i];
    }
}

/* What the residual was computed from. */
typedef struct {
    double R[9], x[3], v[N], acceleration[N], a[N], body[3], down[3];
} end;

static inline void at_end(const parameters *p, const state *s, const double *u, end *e)
{
    const double h = p->h;
    for (int k = 0; k < N; k++) {
        e->a[k] = (u[k] / h - s->v[k] - h * (0.5 - p->beta) * s->a[k]) / (h * p->beta);
        e->v[k] = s->v[k] + h * (1 - p->gamma) * s->a[k] + h * p->gamma * e->a[k];
        e->acceleration[k] = ((1 - p->alpha_m) * e->a[k] + p->alpha_m * s->a[k] - p->alpha_f * s->acceleration[k]) / (1 - p->alpha_f);
    }
    advance(s, u, e->R, e->x);
}

/* g at R^T x = body and R^T gravity = down */
static inline void force(const double *v, const double *down, double *g)
{
    const double spin[3] = {J[0] * v[0], J[1] * v[1], J[2] * v[2]};
    double turned[3];
    cross(v, spin, g);
    cross(v, v + 3, turned);
    for (int i = 0; i < 3; i++) g[3 + i] = MASS * (turned[i] - down[i]);
}

static inline void seen_from_body(const double *R, const double *x, double *body, double *down)
{
    apply_transposed(R, x, body);
    for (int i = 0; i < 3; i++) down[i] = R[6 + i] * GRAVITY;
}

static inline double residual(const parameters *p, const state *s, const double *u, end *e, double *r)
{
    double moment[3], sum = 0;
    at_end(p, s, u, e);
    seen_from_body(e->R, e->x, e->body, e->down);
    force(e->v, e->down, r);
    cross(u + N, e->body, moment);
    for (int i = 0; i < 3; i++) {
        r[i] += J[i] * e->acceleration[i] + moment[i];
        r[3 + i] += MASS * e->acceleration[3 + i] + u[N + i];
        r[N + i] = e->body[i] - LEVER[i];
    }
    for (int k = 0; k < U; k++) sum += r[k] * r[k];
    return sum;
}

static inline void matrix(const parameters *p, const double *u, const end *e, double (*A)[U])
{
    const double h = p->h, scale = (1 - p->alpha_m) / (p->beta * (1 - p->alpha_f) * h * h), rate = p->gamma / (p->beta * h) / scale;
    const double *W = e->v, *V = e->v + 3, *l = u + N, spin[3] = {J[0] * W[0], J[1] * W[1], J[2] * W[2]};
    double T[9], D[9], L[9], B[9], G[9], S[9], O[9], F[9], LB[9], product[9], other[9];
    tangent(u, T, D);
    hat(l, L);
    hat(e->body, B);
    hat(e->down, G);
    hat(spin, S);
    hat(W, O);
    hat(V, F);
    multiply(L, B, LB);
    /* K T in its four blocks */
    double K11[9], K12[9], K21[9];
    multiply(LB, T, product);
    multiply(L, D, other);
    for (int k = 0; k < 9; k++) K11[k] = (product[k] + other[k]) / scale;
    multiply(L, T, K12);
    multiply(G, T, K21);
    /* B T = [body^ T + D, T] */
    multiply(B, T, product);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int k = 3 * i + j;
            A[i][j] = K11[k] + rate * (O[k] * J[j] - S[k]) + (i == j ? J[i] : 0);
            A[i][3 + j] = K12[k] / scale;
            A[3 + i][j] = -MASS * (K21[k] / scale + rate * F[k]);
            A[3 + i][3 + j] = rate * MASS * O[k] + (i == j ? MASS : 0);
            A[N + i][j] = product[k] + D[k];
            A[N + i][3 + j] = T[k];
            A[i][N + j] = -B[k];
            A[3 + i][N + j] = i == j;
            A[N + i][N + j] = 0;
        }
}

/* One step back to the rotations. */
static inline void orthogonalise(const double *R, double *out)
{
    double G[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) G[3 * i + j] = (i == j ? 1.5 : 0) - 0.5 * (R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j]);
    multiply(R, G, out);
}

/* Newton iterations of a step, or 0 if it fails. */
static int step(const parameters *p, state *s)
{
    const double h = p->h, scale = (1 - p->alpha_m) / (p->beta * (1 - p->alpha_f) * h * h);
    double u[U], r[U], A[U][U];
    int pivot[U], taken = 0;
    end e;
    for (int k = 0; k < N; k++) {
        const double a = (s->acceleration[k] - p->alpha_m * s->a[k]) / (1 - p->alpha_m);
        u[k] = h * (s->v[k] + h * (0.5 - p->beta) * s->a[k] + h * p->beta * a);
    }
    for (int k = 0; k < ROWS; k++) u[N + k] = s->lambda[k];
    double norm = residual(p, s, u, &e, r), first = norm;
    while (taken == 0 || sqrt(norm) > fmax(1e-10, 1e-8 * sqrt(first))) {
        if (taken == 25) return 0;
        matrix(p, u, &e, A);
        if (!factorise(A, pivot)) return 0;
        for (int k = 0; k < N; k++) r[k] /= scale;
        solve(A, pivot, r);
        for (int k = 0; k < N; k++) u[k] -= r[k];
        for (int k = N; k < U; k++) u[k] -= r[k] * scale;
        norm = residual(p, s, u, &e, r);
        if (taken++ == 0) first = fmax(first, norm);
        if (!isfinite(norm)) return 0;
    }
    orthogonalise(e.R, s->R);
    memcpy(s->x, e.x, sizeof s->x);
    memcpy(s->v, e.v, sizeof s->v);
    memcpy(s->a, e.a, sizeof s->a);
    memcpy(s->acceleration, e.acceleration, sizeof s->acceleration);
    memcpy(s->lambda, u + N, sizeof s->lambda);
    return taken;
}

/* v' and lambda of [M B^T; B 0]; what is left of d(B v)/dt vanishes on B v = 0. */
static state start(void)
{
    state s = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 1, 0}, {0, 150, -4.61538}, {0}, {0}, {0}};
    double body[3], down[3], r[U] = {0}, A[U][U] = {{0}}, B[9];
    int pivot[U];
    seen_from_body(s.R, s.x, body, down);
    cross(s.v, body, s.v + 3);
    force(s.v, down, r);
    hat(body, B);
    for (int k = 0; k < N; k++) r[k] = -r[k];
    for (int i = 0; i < 3; i++) {
        A[i][i] = J[i], A[3 + i][3 + i] = MASS, A[N + i][3 + i] = A[3 + i][N + i] = 1;
        for (int j = 0; j < 3; j++) A[N + i][j] = A[j][N + i] = B[3 * i + j];
    }
    if (!factorise(A, pivot)) exit(1);
    solve(A, pivot, r);
    memcpy(s.acceleration, r, sizeof s.acceleration);
    memcpy(s.a, r, sizeof s.a);
    memcpy(s.lambda, r + N, sizeof s.lambda);
    return s;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int count, char **arguments)
{
    const int samples = count > 1 ? atoi(arguments[1]) : 41, steps = count > 2 ? atoi(arguments[2]) : 5000;
    const double rho = 0.9, alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
    const parameters p = {alpha_m, alpha_f, (1 - alpha_m + alpha_f) * (1 - alpha_m + alpha_f) / 4, 0.5 - alpha_m + alpha_f,
                          count > 3 ? atof(arguments[3]) : 7.8e-5};
    double *times = malloc(sizeof(double) * (size_t)samples);
    long long iterations = 0;
    state s = start();
    for (int k = 0; k < samples; k++) {
        s = start();
        iterations = 0;
        const double begin = now();
        for (int n = 0; n < steps; n++) {
            const int taken = step(&p, &s);
            if (!taken) return 1;
            iterations += taken;
        }
        times[k] = (now() - begin) / steps;
    }
    qsort(times, (size_t)samples, sizeof(double), ascending);
    printf("generalized_alpha_top.ns_per_step %.1f min %.1f\n", times[samples / 2], times[0]);
    printf("iterations_per_step %.3f\n", (double)iterations / steps);
    printf("end %.15g %.15g %.15g\n", s.x[0], s.x[1], s.x[2]);
    free(times);
    return 0;
}
