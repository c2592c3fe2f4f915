/* The functions and types that a compiled model exports. This text is the contract, together with the prototypes in
 * system_kernels.h that symlie.contract.kernels prints: C includes both, and the loader declares exactly the same. All
 * arrays are owned by the caller; no function keeps state or allocates. */

#include "real.h"

/* All nodes of one type. */
typedef struct {
    long long count;
    long long moving;           /* how many increments move: count, or 0 if all are clamped, prescribed or placed */
} symlie_nodes;

/* All instances of one element type. */
typedef struct {
    long long count;
    const int *storage_of;      /* count x places: first storage index of each local node */
    const int *velocity_of;     /* count x places: first velocity index of each local node */
    const symlie_real *parameters; /* prepared parameters of the first instance */
    long long stride;           /* from one instance's parameters to the next; 0 if shared */
} symlie_elements;

/* Instances that share nodes, for the complement B M^-1 B^T of large systems. */
typedef struct {
    long long count;
    const int *first;           /* where the block of the first one begins in B, */
    const int *second;          /* that of the second one in B M^-1, */
    const int *velocity;        /* the first component of their node, */
    const long long *place;     /* and the pair's block in S */
} symlie_pairs;

/* A model with its topology and parameters. */
typedef struct {
    const symlie_real *p;           /* prepared parameters of the model */
    const symlie_elements *elements; /* one for each element type */
    const symlie_nodes *nodes;      /* one for each node type */
    long long storage;
    long long dimension;
    long long rows;
    long long mass_values;
    long long jacobian_values;
    long long events;               /* number of event values */
    long long angles;               /* rotations of the plane, whose turns are counted */
    const int *angle_place;         /* angles x 4: storage of cos and sin, component of increments, is it prescribed */
    const int *motion_storage;      /* first storage index of each prescribed node */
    const int *motion_velocity;     /* first velocity index of each prescribed node */
    long long locations;            /* runs of instances that locate nodes, in their order, */
    const int *location;            /* each by its element type, first instance, end */
    long long moving_begin;         /* components of increments, from the first to the last node type that moves */
    long long moving_end;
    long long integrates_velocities; /* 0 if all velocities are those of clamped, prescribed and placed nodes */
    const symlie_scalar *mobility; /* 0 for what is no free velocity component, else 1; large systems only */
    long long bandwidth;            /* half bandwidth of the complement in the order of position */
    const int *position;            /* place of each constraint row in the order of elimination */
    const symlie_pairs *pairs;      /* one for each size of blocks */
    const int *joint_counts;        /* places of constrained instances that each node with velocities is; large systems only */
    const int *joints;              /* places x 3, node after node: where its block begins in B, first row, number of rows */
    const int *iteration;           /* tables of the matrix of implicit steps; large systems only */
    const long long *output_begin;  /* first part of each named output, and their number; if instances have names only */
    const int *output_size;         /* components of each */
    const int *output_part;         /* parts x 3: which output of all element types, instance, first component */
    symlie_real *workspace;         /* symlie_workspace values */
} symlie_problem;

/* Progress of an integration; everything needed to continue is here. */
typedef struct {
    symlie_scalar t;            /* time of q, v */
    symlie_real *q;             /* configuration */
    symlie_real *v;             /* velocity */
    symlie_real *lambda;        /* multipliers */
    symlie_real *carried;       /* what goes from step to step beside them: whole turns of all angles */
    symlie_real *acceleration;  /* v' at (t, q, v) if it is known */
    long long acceleration_is_valid;
    symlie_real *own;           /* what the method carries for itself, such as slopes of earlier steps */
    long long own_is_valid;
    symlie_scalar h;            /* next step size of adaptive steps */
    symlie_real *event;         /* event functions at (t, q, v, lambda) */
    long long event_is_valid;
    long long segment;          /* index into the plan */
    long long step;             /* steps done within the segment */
    long long steps;            /* steps done in all */
    long long rejected;         /* steps tried again with a smaller step size */
    long long rhs_evaluations;
    long long newton_iterations; /* corrections of implicit steps */
    long long jacobians;        /* matrices that were evaluated for them */
    long long factorisations;
    long long back_substitutions;
    long long refreshes;        /* matrices that took the place of kept factors */
    long long halvings;
    long long rounding_floor;   /* iterations that ended at rounding */
    long long most_newton_iterations; /* of one step */
    symlie_scalar slowest_step; /* time from which that step went */
    long long slowest_entry;    /* where its residual was largest before the last correction */
    long long steps_of_order_1; /* accepted steps of methods that choose their order */
    long long steps_of_order_2;
    long long steps_of_order_3;
    long long steps_of_order_4;
    long long steps_of_order_5;
    symlie_scalar largest_constraint; /* largest |entry| of Phi over all steps */
    symlie_scalar largest_velocity; /* largest |entry| of B v + b over all steps */
    symlie_scalar drift_bound;  /* |Phi| from which on the constraints are looked at again */
    long long dependent_rows;   /* rows more than their rank, where multipliers have the smallest norm */
    long long rank_changes;     /* how often their number changed, or steps ended near a singular configuration */
    long long surprises;        /* rejected steps at this state with errors far above the tolerance */
    symlie_scalar last_change;  /* |change|^2 of velocities within the last step of fixed length */
    long long suspicious_steps; /* steps of late that look as if the motion were stiff or a force jumped */
    long long flipped_steps;    /* those of them in which a velocity and its acceleration changed sign */
    long long calm_steps;       /* other steps since the last one of them */
    symlie_scalar stiff_since;  /* time and step size where the motion was found to be stiff; a size of 0: nowhere */
    symlie_scalar stiff_step;
    symlie_scalar chattering_since; /* the same where a force was found to jump to and fro */
    symlie_scalar chattering_step;
} symlie_state;

/* How steps are taken. Weights and tolerances go over (theta, v), 2 x dimension entries. */
typedef struct {
    long long is_adaptive;
    long long with_estimate;    /* compute the error of each step; always so for adaptive steps */
    const symlie_scalar *rtol;
    const symlie_scalar *atol;
    const symlie_scalar *weight; /* of the squared error of each entry */
    symlie_scalar safety;
    symlie_scalar exponent;
    symlie_scalar fac_min;
    symlie_scalar fac_max;
    symlie_scalar hold;         /* factor up to which a longer step is left as it is */
    symlie_scalar h_min;
    symlie_scalar h_max;
    symlie_scalar baumgarte;    /* alpha of B v + b + alpha Phi = 0 in the stages, in 1/s */
    long long project_position;
    long long project_velocity;
    long long watches_rank;     /* what is done near a singular configuration: 0 nothing, 1 it is counted, 2 projection */
    long long max_steps;        /* steps within a segment at most */
    long long order;            /* of methods whose order belongs to a run */
    symlie_scalar tolerance;    /* the least of the relative ones, for them */
    symlie_scalar stiffness_limit; /* h |lambda| from which on steps are suspicious; 0: they are not looked at */
    symlie_scalar hidden_limit; /* |B v + b| over max(1, |v|) that a step may have where rows may depend on each other; 0: any */
    const int *event_direction; /* 1: from negative to positive, -1: the other way, 0: both */
    const unsigned char *event_is_terminal;
} symlie_control;

/* Segments between times that must be hit exactly, each with a whole number of equal steps, or with adaptive steps; one
 * that ends where it starts has no steps. */
typedef struct {
    long long segments;
    const symlie_scalar *start;
    const symlie_scalar *end;
    const long long *steps;
    long long record_every;     /* record each n-th step; 0: only ends of segments that ask for it */
    long long record_switches;  /* record states on both sides of switches that end steps, too */
    const unsigned char *record_end;
    const unsigned char *restarts; /* KINK or JUMP where a segment starts at one, else 0 */
    long long budget;           /* steps after which to return, for progress and interruption */
    const symlie_control *control;
} symlie_plan;

/* Recorded states, filled up to capacity; tried steps have buffers of the same capacity. */
typedef struct {
    long long capacity;
    long long count;
    symlie_scalar *t;
    symlie_scalar *q;
    symlie_scalar *v;
    symlie_scalar *lambda;
    symlie_scalar *carried;
    long long tried;            /* steps in the trace */
    symlie_scalar *trace;       /* TRACE_WIDTH numbers of each tried step, see record_tried; null: not wanted */
    long long event_capacity;   /* events have a buffer of their own */
    long long events;
    symlie_scalar *event;       /* index, t, q, v, lambda, carried, own of each event */
} symlie_record;

/* States of a system, one row for each, or of several systems of one topology. */
typedef struct {
    long long count;
    long long of_each;          /* states of each system, one system after the other; 0: all are of one */
    const symlie_scalar *t;
    const symlie_scalar *q;
    const symlie_scalar *v;
    const symlie_scalar *lambda;
    const symlie_scalar *carried; /* where it is asked for, else null */
} symlie_states;

/* What is wanted of states, one row for each; null: not wanted. */
typedef struct {
    symlie_scalar *energy;      /* kinetic and potential energy, and what depends on accelerations */
    symlie_scalar *constraint_residual; /* largest |entry| of Phi */
    symlie_scalar *velocity_residual; /* largest |entry| of B v + b */
    symlie_scalar *constraint_force; /* -B^T lambda */
    symlie_scalar *acceleration; /* v' of [M B^T; B 0][v'; lambda] = [-g; -Z]; NaN where it is not determined */
    symlie_scalar *multipliers; /* its lambda */
    symlie_scalar *outputs;     /* named outputs, in the order of wanted */
    long long outputs_wanted;
    const long long *wanted;    /* numbers of named outputs */
} symlie_values;

/* Stated states of several systems that are to be completed, one row for each. */
typedef struct {
    long long count;
    symlie_scalar t;
    const symlie_scalar *stated; /* configurations */
    symlie_scalar *q;           /* on their groups, with placed nodes in their places */
    symlie_scalar *v;           /* as stated on entry, zero where it is not; completed */
    symlie_scalar *lambda;
    unsigned char *is_ordinary; /* whether all bounds hold; otherwise the state is to be looked at closely */
    const unsigned char *is_free; /* free components of velocity, and those of them that are not stated */
    const unsigned char *is_open;
    const symlie_scalar *of_velocities; /* 0 for rows of accelerations, else 1 */
    long long rotations;        /* stored matrices of rotations, and stored parts that are not zero on their groups */
    const int *rotation_place;
    long long parts;
    const int *part_place;      /* parts x 2: where each begins and ends */
    const int *mass_row;        /* places of stored values of M and B; large systems only */
    const int *mass_column;
    const int *jacobian_row;
    const int *jacobian_column;
} symlie_starts;

/* What members side by side need beside what they need alone. */
typedef struct {
    long long types;            /* element types */
    const long long *parameters; /* prepared parameters of the model, and of all instances of each element type */
    symlie_elements *elements;  /* room for one of each type */
    symlie_scalar *workspace;   /* symlie_lanes_workspace numbers */
    int (*alone)(const symlie_problem *P, symlie_state *state, const symlie_plan *plan, symlie_record *record);
    symlie_real *workspace_alone; /* symlie_integrate's workspace */
} symlie_lanes;

/* How states between recorded ones are found. */
typedef struct {
    const symlie_scalar *inverse; /* weights of T^-1 in powers of ad */
    long long terms;
    symlie_scalar tolerance;    /* relative size of a last term */
    const symlie_scalar *hermite; /* 5 x 5: coefficients of s ... s^5 from theta' and theta'' at 0, theta, theta' and theta'' at 1 */
} symlie_interpolation;

#include "system_kernels.h"

const char *symlie_interface_hash(void);
long long symlie_workspace(const symlie_problem *P);
/* Parameters of the model (element < 0) or of one instance of an element type, followed by the constants computed
 * from them; for instances p holds the prepared parameters of the model. */
void symlie_prepare(long long element, const symlie_real *p, const symlie_real *e, symlie_real *out);
void symlie_initial(const symlie_real *p, symlie_real *q, symlie_real *v);
/* Overwrite configuration and velocity of prescribed nodes. */
void symlie_prescribe(const symlie_problem *P, symlie_real t, symlie_real *q, symlie_real *v);
/* Acceleration of prescribed nodes, zero for all others. */
void symlie_prescribed_acceleration(const symlie_problem *P, symlie_real t, symlie_real *a);
/* Overwrite v of nodes that have no velocity with their algebra-valued fields. */
void symlie_field(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *a, const symlie_real *lambda, symlie_real *v);
/* Present in Hamiltonian systems on cotangent bundles: u - h f(stage) of the symplectic theta family with its
 * derivative by u (dimension x dimension), and the end of a step. */
void symlie_symplectic(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *u, symlie_real h, symlie_real theta,
                       symlie_real *r, symlie_real *J);
void symlie_symplectic_end(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *u, symlie_real h, symlie_real theta,
                           symlie_real *out);

/* Present in the library of a model alone; states and results are arrays, and each workspace belongs to its call. */
/* symlie_prepare and symlie_initial for rows of given sizes; ``each`` rows of an element type belong to one model. */
void symlie_prepare_rows(long long element, long long count, long long each, const symlie_real *p, long long p_size,
                         const symlie_real *e, long long e_size, symlie_real *out, long long out_size);
void symlie_initial_rows(const symlie_problem *problems, long long count, symlie_real *q, long long q_size, symlie_real *v,
                         long long v_size);
long long symlie_observation_workspace(const symlie_problem *P);
void symlie_observe(const symlie_problem *problems, const symlie_states *states, const symlie_values *values, symlie_real *workspace);
/* Complete states in a workspace; where the library can not, or something is not ordinary, it says so. */
long long symlie_begin_workspace(const symlie_problem *P);
void symlie_begin(const symlie_problem *problems, const symlie_starts *starts, symlie_real *workspace);
/* First adaptive steps of systems in states, one of each, for a method of an order. */
long long symlie_first_step_workspace(const symlie_problem *P);
void symlie_first_steps(const symlie_problem *problems, const symlie_states *states, const symlie_control *control, long long order,
                        symlie_real longest, symlie_real *h, symlie_real *workspace);
/* States at times between the recorded ones interval[i] and interval[i] + 1; lambda as symlie_observe has it. */
long long symlie_interpolation_workspace(const symlie_problem *P);
void symlie_interpolate_states(const symlie_problem *P, const symlie_states *recorded, const symlie_interpolation *rule,
                               long long count, const long long *interval, const symlie_real *t, symlie_real *q, symlie_real *v,
                               symlie_real *lambda, symlie_real *carried, symlie_real *workspace);

/* Present in a library that was compiled for a method; all return a symlie_status. */
/* v' and lambda of [M B^T; B 0][v'; lambda] = [-g; -Z]. */
int symlie_acceleration(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *v, symlie_real *a, symlie_real *lambda);
int symlie_integrate(const symlie_problem *P, symlie_state *state, const symlie_plan *plan, symlie_record *record);
/* Members one after the other from the first on, where their status is SYMLIE_BUDGET, with a budget for all; returns the one
 * to go on with, or their count. */
long long symlie_integrate_members(const symlie_problem *problems, long long first, long long count, symlie_state *states,
                                   const symlie_plan *plan, symlie_record *records, int *status, symlie_real *workspace);
/* Present in a library that was compiled for members side by side: the same, with steps of several members at a time. What
 * a member needs in another way than others is left to `alone`, which is symlie_integrate. */
long long symlie_lanes_workspace(const symlie_problem *P, const symlie_lanes *lanes);
long long symlie_integrate_lanes(const symlie_problem *problems, long long first, long long count, symlie_state *states,
                                 const symlie_plan *plan, symlie_record *records, int *status, const symlie_lanes *lanes);
/* Present where nodes move by fields, and of polynomials: results of steps from the recorded states interval[i] to times, done of them before
 * one fails. */
int symlie_shorter_steps(const symlie_problem *P, const symlie_control *control, const symlie_states *recorded,
                         long long count, const long long *interval, const symlie_real *t, symlie_real *q, symlie_real *v, symlie_real *lambda,
                         symlie_real *carried, long long *done);
