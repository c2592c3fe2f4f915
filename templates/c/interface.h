/* The functions and types that a compiled model exports. This text is the contract: C includes it and the loader
 * declares exactly the same. All arrays are owned by the caller; no function keeps state or allocates. */

/* Progress of an integration; everything needed to continue is here. */
typedef struct {
    double t;                   /* time of q, v */
    double *q;                  /* configuration, STORAGE */
    double *v;                  /* velocity, DIMENSION */
    double *lambda;             /* multipliers, ROWS */
    double *acceleration;       /* v' of the last stage if it can serve as the next first stage, DIMENSION */
    long long acceleration_is_valid;
    long long segment;          /* index into the plan */
    long long step;             /* steps done within the segment */
    long long steps;            /* steps done in all */
    long long rhs_evaluations;
    double largest_constraint;  /* largest |entry| of Phi over all steps */
    double largest_velocity;    /* largest |entry| of B v + b over all steps */
} symlie_state;

/* Segments between times that must be hit exactly, each with a whole number of equal steps. */
typedef struct {
    long long segments;
    const double *start;
    const double *end;
    const long long *steps;
    long long record_every;     /* record each n-th step; 0: only ends of segments that ask for it */
    const unsigned char *record_end;
    long long budget;           /* steps after which to return, for progress and interruption */
} symlie_plan;

/* Recorded states, filled up to capacity. */
typedef struct {
    long long capacity;
    long long count;
    double *t;
    double *q;
    double *v;
    double *lambda;
} symlie_record;

const char *symlie_interface_hash(void);

/* p: PARAMETERS values; out: PREPARED values, which is what every other function takes as p. */
void symlie_prepare(const double *p, double *out);
void symlie_initial(const double *p, double *q, double *v);
void symlie_advance(const double *q, const double *u, double *out);
void symlie_rate(const double *u, const double *w, double *out);
void symlie_transport(const double *u, const double *w, double *out);
void symlie_bracket(const double *u, const double *w, double *out);
void symlie_difference(const double *q, const double *b, double *out);
void symlie_normalize(const double *q, double *out);
double symlie_chart(const double *u);
void symlie_mass(const double *p, double t, const double *q, double *M);
void symlie_force(const double *p, double t, const double *q, const double *v, double *g);
void symlie_energy(const double *p, double t, const double *q, const double *v, double *E);
void symlie_outputs(const double *p, double t, const double *q, const double *v, double *out);
void symlie_constraint(const double *p, double t, const double *q, double *Phi);
void symlie_jacobian(const double *p, double t, const double *q, double *B);
void symlie_constraint_rate(const double *p, double t, const double *q, double *b);
void symlie_curvature(const double *p, double t, const double *q, const double *v, double *Z);

/* Present in a library that was compiled for a method; returns a symlie_status. */
int symlie_integrate(const double *p, symlie_state *state, const symlie_plan *plan, symlie_record *record);
