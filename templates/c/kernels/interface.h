/* Functions and types that a compiled model exports. This header defines the binary interface, together with the
 * prototypes in system_kernels.h printed by symlie.contract.kernels: C code includes both, and the loader declares
 * exactly the same signatures. The caller owns all arrays; functions neither keep state nor allocate memory. */
#ifndef SYMLIE_INTERFACE_H
#define SYMLIE_INTERFACE_H

#include "real.h"

/* All nodes of one type. */
typedef struct {
    long long count;
    long long moving;           /* number of nodes moved by increments: count, or 0 if the nodes are clamped,
                                 * prescribed or dependent */
} symlie_nodes;

/* All elements of one type. */
typedef struct {
    long long count;
    const int *storage_of;      /* count x places: first index of each local node in q */
    const int *velocity_of;     /* count x places: first index of each local node in v */
    const symlie_real *parameters; /* prepared parameters of the first element */
    long long stride;           /* distance between the parameters of consecutive elements; 0 if shared */
} symlie_elements;

/* Pairs of elements that share a node, for the Schur complement B M^-1 B^T of large systems. */
typedef struct {
    long long count;
    const int *first;           /* start of the block of the first element in B */
    const int *second;          /* start of the block of the second element in B M^-1 */
    const int *velocity;        /* first velocity component of the shared node */
    const long long *place;     /* position of the block of the pair in S */
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
    long long angles;               /* number of plane rotations whose full turns are counted */
    const int *angle_place;         /* angles x 4: indices of cos and sin in q, component of increments, 1 if
                                     * prescribed */
    const int *motion_storage;      /* first index of each prescribed node in q */
    const int *motion_velocity;     /* first index of each prescribed node in v */
    long long dependent_runs;       /* number of runs of elements that compute dependent nodes, in order of
                                     * evaluation */
    const int *dependent_run;       /* element type, first element and end of each run, whose elements descend if the
                                     * end is smaller */
    long long moving_begin;         /* range of the components of increments, from the first to the last node type
                                     * that moves */
    long long moving_end;
    long long integrates_velocities; /* 0 if all velocities belong to clamped, prescribed or dependent nodes */
    const symlie_scalar *mobility; /* 1 for free velocity components, else 0; large systems only */
    long long bandwidth;            /* half bandwidth of the Schur complement in the order of position */
    const int *position;            /* position of each constraint equation in the order of elimination */
    const symlie_pairs *pairs;      /* one for each block size */
    const int *joint_counts;        /* number of joints of each node with velocities, that is, local nodes of
                                     * constrained elements; large systems only */
    const int *joints;              /* joints x 3, node by node: start of the block in B, first constraint equation,
                                     * number of equations */
    const int *iteration;           /* tables of the Newton matrix of implicit steps; large systems only */
    const long long *output_begin;  /* first part of each named output, and the number of parts; only if elements
                                     * have names */
    const int *output_size;         /* number of components of each output */
    const int *output_part;         /* parts x 3: output index over all element types, element, first component */
    long long changes;              /* changes of the state at events */
    const int *change;              /* changes x 3: event value, component of (v, q), result of the kernel `resets`; -1
                                     * and -2 stand for the values 0 and 1 */
    const int *contact;             /* contacts x 13, see contact_table.h */
    const int *contact_event;       /* for each event value 4 x contact + kind of the event, or -1 */
    symlie_real *workspace;         /* symlie_workspace values */
    const void *values;             /* with tangents: the symlie_problem of numbers without them, with a workspace of
                                     * symlie_values_workspace numbers */
} symlie_problem;

/* Complete state of an integration, sufficient to resume it. */
typedef struct {
    symlie_scalar t;            /* time of q, v */
    symlie_real *time;          /* the same with derivatives; runs with derivatives only */
    symlie_real *q;             /* configuration */
    symlie_real *v;             /* velocity */
    symlie_real *lambda;        /* multipliers */
    symlie_real *carried;       /* auxiliary integrator state: full turns of each angle */
    symlie_real *acceleration;  /* v' at (t, q, v) if it is known */
    long long acceleration_is_valid;
    symlie_real *own;           /* method history, such as slopes of previous steps */
    long long own_is_valid;
    symlie_scalar h;            /* next adaptive step size */
    symlie_real *event;         /* event functions at (t, q, v, lambda) */
    long long event_is_valid;
    long long segment;          /* index of the current segment of the plan */
    long long step;             /* steps taken in the segment */
    long long steps;            /* steps taken in total */
    long long rejected;         /* steps repeated with a smaller step size after rejection */
    long long rhs_evaluations;
    long long newton_iterations; /* corrections of implicit steps */
    long long jacobians;        /* Newton matrices evaluated */
    long long factorisations;
    long long back_substitutions;
    long long refreshes;        /* Newton matrices that replaced stored factors */
    long long halvings;
    long long rounding_floor;   /* Newton iterations that ended at the rounding floor */
    long long most_newton_iterations; /* largest number of corrections in a step */
    symlie_scalar slowest_step; /* start time of that step */
    long long slowest_entry;    /* unknown with the largest residual before the last correction in that step */
    long long steps_of_order_1; /* accepted steps by order, for variable-order methods */
    long long steps_of_order_2;
    long long steps_of_order_3;
    long long steps_of_order_4;
    long long steps_of_order_5;
    symlie_scalar largest_constraint; /* largest |entry| of Phi over all steps */
    symlie_scalar largest_velocity; /* largest |entry| of B v + b over all steps */
    symlie_scalar drift_bound;  /* |Phi| above which the drift check is repeated */
    long long dependent_rows;   /* number of dependent constraint equations, whose multipliers have the smallest norm */
    long long rank_changes;     /* changes of this number, or steps that ended near a singular configuration */
    long long surprises;        /* rejected steps at this state with errors far above the tolerance */
    symlie_scalar watch_reference; /* fixed steps: |change|^2 of velocities in recent ones; adaptive: longest recent one */
    long long suspicious_steps; /* recent steps that indicate stiffness or a discontinuous force */
    long long flipped_steps;    /* suspicious steps in which a velocity and its acceleration changed sign */
    long long calm_steps;       /* other steps since the last suspicious one */
    symlie_scalar stiff_since;  /* time and step size at which stiffness was detected; size 0: not detected */
    symlie_scalar stiff_step;
    symlie_scalar chattering_since; /* time and step size at which a chattering force was detected */
    symlie_scalar chattering_step;
    symlie_scalar changed_at;   /* time of the last change of the state at an event, and the time between the last two */
    symlie_scalar flight;
    long long changes_at_once;  /* number of such changes that time does not separate */
    long long impacts;          /* number of impacts of contacts; those at one time count as one */
    long long is_after_jump;    /* 1 after a jump of accelerations, until lambda is computed */
} symlie_state;

/* Step control. Weights and tolerances refer to (theta, v), 2 x dimension entries. */
typedef struct {
    long long is_adaptive;
    long long with_estimate;    /* 1: estimate the error of each step; always 1 with adaptive steps */
    const symlie_scalar *rtol;
    const symlie_scalar *atol;
    const symlie_scalar *weight; /* weight of the squared error of each entry */
    symlie_scalar safety;
    symlie_scalar exponent;
    symlie_scalar fac_min;
    symlie_scalar fac_max;
    symlie_scalar hold;         /* growth factor up to which the step size remains unchanged */
    symlie_scalar h_min;
    symlie_scalar h_max;
    symlie_scalar baumgarte;    /* alpha of B v + b + alpha Phi = 0 in the stages, in 1/s */
    long long project_position;
    long long project_velocity;
    long long watches_rank;     /* action near singular configurations: 0 none, 1 count, 2 project */
    long long max_steps;        /* maximum number of steps in a segment */
    long long order;            /* order of the run, for methods with a selectable order */
    symlie_scalar tolerance;    /* smallest relative tolerance, for methods with a selectable order */
    symlie_scalar stiffness_limit; /* h |lambda| above which steps are suspicious; 0: no stiffness detection */
    symlie_scalar hidden_limit; /* limit of |B v + b| over max(1, |v|) with redundant constraints; 0: none */
    long long impacts;          /* treatment of impacts at one time: NEWTON_IMPACTS, POISSON_IMPACTS, SEQUENTIAL_IMPACTS */
    long long most_impacts;     /* maximum number of impacts of a run */
    const int *event_direction; /* direction of each event: 1 rising, -1 falling, 0 both */
    const unsigned char *event_is_terminal;
    const unsigned char *event_changes; /* 1 for events that change the state */
} symlie_control;

/* Segments between stop times, each with a whole number of equal steps or with adaptive steps. A segment that ends
 * at its start has no steps. */
typedef struct {
    long long segments;
    const symlie_scalar *start;
    const symlie_scalar *end;
    const long long *steps;
    long long record_every;     /* record every n-th step; 0: only the requested ends of segments */
    long long record_switches;  /* 1: also record states on both sides of switches that end steps */
    long long record_changes;   /* 1: also record states before and after changes of the state at events */
    const unsigned char *record_end;
    const unsigned char *restarts; /* KINK or JUMP if a segment starts at one, else 0 */
    long long budget;           /* number of steps before control returns to the caller, for progress and
                                 * interruption */
    const symlie_control *control;
    const symlie_real *moving_end; /* ends of the segments with derivatives; null: constant ends */
    long long pause;            /* segment before which control returns to the caller; 0: none */
} symlie_plan;

/* Recorded states, up to the capacity; the trace of attempted steps has the same capacity. */
typedef struct {
    long long capacity;
    long long count;
    symlie_lane *t;
    symlie_lane *q;
    symlie_lane *v;
    symlie_lane *lambda;
    symlie_lane *carried;
    long long tried;            /* number of attempted steps in the trace */
    symlie_lane *acceleration;  /* v' that is known at the start of the next step; null: not recorded */
    symlie_lane *own;           /* method history; null: not recorded */
    symlie_scalar *step;        /* how the states were reached, STEP_WIDTH numbers each; null: not recorded */
    symlie_scalar reached[4];   /* the same of the next state: start and length of the step, its kind, as in
                                 * symlie_trail, and the number of steps up to its end; -1 within a step */
    symlie_scalar *trace;       /* TRACE_WIDTH numbers for each attempted step, see record_tried; null: no trace */
    long long event_capacity;   /* capacity of the separate buffer for events */
    long long events;
    symlie_lane *event;         /* index, t, q, v, lambda, auxiliary state, method history of each event */
} symlie_record;

/* States of one system, or of several systems of one topology, one array row per state. */
typedef struct {
    long long count;
    long long of_each;          /* number of consecutive states of each system; 0: all states belong to one system */
    const symlie_scalar *t;
    const symlie_scalar *q;
    const symlie_scalar *v;
    const symlie_scalar *lambda;
    const symlie_scalar *carried; /* null if not requested */
} symlie_states;

/* Requested quantities, one array row per state; null: not requested. */
typedef struct {
    symlie_scalar *energy;      /* kinetic energy, potential energy, and acceleration-dependent energy */
    symlie_scalar *constraint_residual; /* largest |entry| of Phi */
    symlie_scalar *velocity_residual; /* largest |entry| of B v + b */
    symlie_scalar *constraint_force; /* -B^T lambda */
    symlie_scalar *acceleration; /* v' of [M B^T; B 0][v'; lambda] = [-g; -Z]; NaN if undetermined */
    symlie_scalar *multipliers; /* lambda of this system */
    symlie_scalar *outputs;     /* named outputs, in the order of `wanted` */
    long long outputs_wanted;
    const long long *wanted;    /* indices of named outputs */
    symlie_scalar *mass;        /* stored values of M */
    symlie_scalar *jacobian;    /* stored values of B */
    symlie_scalar *force;       /* g */
    symlie_scalar *constraint;  /* Phi */
    symlie_scalar *hidden_residual; /* B v + b */
    symlie_scalar *inverse_dynamics; /* M a + g for the accelerations `given`; models with this kernel only */
    const symlie_scalar *given;
} symlie_values;

/* Initial states of several systems to be completed, one array row per state. */
typedef struct {
    long long count;
    symlie_scalar t;
    const symlie_scalar *stated; /* specified configurations */
    symlie_scalar *q;           /* configurations normalised onto their groups, with dependent nodes computed */
    symlie_scalar *v;           /* velocities: on entry specified values, zero if unspecified; on return completed */
    symlie_scalar *lambda;
    unsigned char *is_ordinary; /* 1 if the state passes all checks by bounds; otherwise it needs a full check */
    const unsigned char *is_free; /* 1 for free velocity components; 1 for unspecified ones among them */
    const unsigned char *is_open;
    const symlie_scalar *of_velocities; /* 0 for acceleration-level constraints, else 1 */
    long long rotations;        /* number of stored rotation matrices, and of stored parts that never vanish on their
                                 * groups */
    const int *rotation_place;
    long long parts;
    const int *part_place;      /* parts x 2: begin and end */
    const int *mass_row;        /* row and column of each stored value of M and B; large systems only */
    const int *mass_column;
    const int *jacobian_row;
    const int *jacobian_column;
} symlie_starts;

/* Additional data for members in SIMD lanes. */
typedef struct {
    long long types;            /* number of element types */
    const long long *parameters; /* sizes of the prepared parameters of the model and of all elements of each type */
    symlie_elements *elements;  /* space for one entry of each type */
    symlie_scalar *workspace;   /* workspace of symlie_lanes_workspace numbers */
    int (*alone)(const symlie_problem *P, symlie_state *state, const symlie_plan *plan, symlie_record *record);
    symlie_real *workspace_alone; /* workspace of symlie_integrate */
} symlie_lanes;

/* Cotangents of a state, with derivatives by parameters and by coefficients of tables. */
typedef struct {
    symlie_real *parameters;    /* parameters of the model, then those of all elements, type by type */
    symlie_real *tables;        /* numbers of the tables, at the places of the prepared parameters */
} symlie_gradient;

typedef struct {
    symlie_real *q;             /* dual to tangents in the Lie algebra */
    symlie_real *v;
    symlie_real *lambda;
    symlie_real *acceleration;  /* of v' that is known at the start of the next step */
    symlie_real *own;           /* of the method history */
    symlie_gradient gradient;
} symlie_cotangents;

/* Consecutive steps, with the states between them: one state more than steps. */
typedef struct {
    long long steps;
    const symlie_scalar *begin; /* start times of the steps, after jumps of inputs */
    const symlie_scalar *length;
    const unsigned char *kind;  /* sum of: 1: v' of the first stage is known from the previous step; 2: v' and lambda are
                                 * computed after a jump; 4: the method history begins; 8: the step ends before a switch with
                                 * lambda of the acceleration-level system; 16: the state before a switch, or 32: that
                                 * behind it, is extrapolated from the start of the step */
    const symlie_scalar *t;
    const symlie_real *q;
    const symlie_real *v;
    const symlie_real *lambda;
    const symlie_real *acceleration; /* v' that is known at the start of the next step, for methods that start from it */
    const symlie_real *own;     /* method history, for methods that have one */
    const long long *weighted;  /* number of the weights of the outputs of each state; -1: none */
    const symlie_real *const *weights; /* weights of the outputs of all elements of each type; null: none */
} symlie_trail;

/* Interpolation rule between recorded states. */
typedef struct {
    const symlie_scalar *inverse; /* coefficients of T^-1 as a series in powers of ad */
    long long terms;
    symlie_scalar tolerance;    /* relative size of the last term of the series */
    const symlie_scalar *hermite; /* 5 x 5: coefficients of s, ..., s^5 from theta' and theta'' at 0, theta, theta'
                                   * and theta'' at 1 */
} symlie_interpolation;

#include "system_kernels.h"

const char *symlie_interface_hash(void);
long long symlie_workspace(const symlie_problem *P);
/* Compute the prepared parameters: the given ones, followed by the constants computed from them. They belong to the
 * model (element < 0; p contains its parameters) or to one element of a type (p contains the prepared parameters of
 * the model, e the parameters of the element). */
void symlie_prepare(long long element, const symlie_real *p, const symlie_real *e, symlie_real *out);
void symlie_initial(const symlie_real *p, symlie_real *q, symlie_real *v);
/* Overwrite the configuration and velocity of prescribed nodes. */
void symlie_prescribe(const symlie_problem *P, symlie_real t, symlie_real *q, symlie_real *v);
/* Compute the accelerations of prescribed nodes; zero for all others. */
void symlie_prescribed_acceleration(const symlie_problem *P, symlie_real t, symlie_real *a);
/* Overwrite v of first-order states with their rates in the Lie algebra. */
void symlie_field(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *a, const symlie_real *lambda, symlie_real *v);
/* Exported for Hamiltonian systems on cotangent bundles: the residual u - h f(stage) of the symplectic theta family
 * with its derivative with respect to u (dimension x dimension), and the end of a step. */
void symlie_symplectic(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *u, symlie_real h, symlie_real theta,
                       symlie_real *r, symlie_real *J);
void symlie_symplectic_end(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *u, symlie_real h, symlie_real theta,
                           symlie_real *out);

/* Exported only by the library of a model. States and results are arrays, and each call has its own workspace. */
/* Apply symlie_prepare and symlie_initial to array rows of the given sizes; ``each`` consecutive rows of an element
 * type belong to one model. */
void symlie_prepare_rows(long long element, long long count, long long each, const symlie_real *p, long long p_size,
                         const symlie_real *e, long long e_size, symlie_real *out, long long out_size);
void symlie_initial_rows(const symlie_problem *problems, long long count, symlie_real *q, long long q_size, symlie_real *v,
                         long long v_size);
long long symlie_observation_workspace(const symlie_problem *P);
/* Return the index of the first state whose acceleration or multipliers are requested but not determined or not
 * finite, or the number of states. */
long long symlie_observe(const symlie_problem *problems, const symlie_states *states, const symlie_values *values, symlie_real *workspace);
/* Normalise several configurations onto their groups. */
void symlie_normalize_rows(const symlie_problem *P, long long count, const symlie_real *q, symlie_real *out);
/* Overwrite the configurations and velocities of prescribed and dependent nodes in several states. */
void symlie_prescribe_rows(const symlie_problem *P, long long count, const symlie_real *t, symlie_real *q, symlie_real *v);
/* Complete the initial states of several systems, and report the states that need a full check. */
long long symlie_begin_workspace(const symlie_problem *P);
void symlie_begin(const symlie_problem *problems, const symlie_starts *starts, symlie_real *workspace);
/* Compute the first adaptive step size of each system from its state, for a method of the given order. */
long long symlie_first_step_workspace(const symlie_problem *P);
void symlie_first_steps(const symlie_problem *problems, const symlie_states *states, const symlie_control *control, long long order,
                        symlie_real longest, symlie_real *h, symlie_real *workspace);
/* Evaluate states at times between the recorded states interval[i] and interval[i] + 1; lambda as in symlie_observe. */
long long symlie_interpolation_workspace(const symlie_problem *P);
void symlie_interpolate_states(const symlie_problem *P, const symlie_states *recorded, const symlie_interpolation *rule,
                               long long count, const long long *interval, const symlie_real *t, symlie_real *q, symlie_real *v,
                               symlie_real *lambda, symlie_real *carried, symlie_real *workspace);

/* Exported by the library of a set of matrices: compute the stored values of each matrix at several states with
 * accelerations a, one array row per state. */
void symlie_matrix_rows(const symlie_problem *P, const symlie_states *states, const symlie_scalar *a, symlie_scalar *const *out);

/* Exported by the library of a method; all functions return a symlie_status. */
/* Compute v' and lambda of [M B^T; B 0][v'; lambda] = [-g; -Z]. */
int symlie_acceleration(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *v, symlie_real *a, symlie_real *lambda);
int symlie_integrate(const symlie_problem *P, symlie_state *state, const symlie_plan *plan, symlie_record *record);
/* Integrate the members with status SYMLIE_BUDGET sequentially, starting at `first`, with a common budget. Return
 * the index of the member to continue with, or the number of members. */
long long symlie_integrate_members(const symlie_problem *problems, long long first, long long count, symlie_state *states,
                                   const symlie_plan *plan, symlie_record *records, int *status, symlie_real *workspace);
/* Exported by libraries compiled for SIMD lanes: the same, with steps common to several members. `alone`, which is
 * symlie_integrate, takes individual steps of members. */
long long symlie_lanes_workspace(const symlie_problem *P, const symlie_lanes *lanes);
long long symlie_integrate_lanes(const symlie_problem *problems, long long first, long long count, symlie_state *states,
                                 const symlie_plan *plan, symlie_record *records, int *status, const symlie_lanes *lanes);
/* Exported for models with first-order states and for polynomials: compute states at the given times by steps from
 * the recorded states interval[i]; `done` counts the steps before a failure. */
int symlie_shorter_steps(const symlie_problem *P, const symlie_control *control, const symlie_states *recorded,
                         long long count, const long long *interval, const symlie_real *t, symlie_real *q, symlie_real *v, symlie_real *lambda,
                         symlie_real *carried, long long *done);

/* Exported by libraries of adjoints. Propagate cotangents from the end of some steps to their start; `other` and the
 * workspace are scratch. Derivatives by parameters and tables are added to those in `bar`. Returns a symlie_status. */
long long symlie_reverse_workspace(const symlie_problem *P);
int symlie_reverse(const symlie_problem *P, const symlie_control *control, const symlie_trail *trail, symlie_cotangents *bar,
                   symlie_cotangents *other);
/* Propagate cotangents of v' and lambda of the acceleration-level system to the state, if velocities are unknown, and
 * cotangents of prescribed and dependent nodes to other nodes and parameters. */
int symlie_reverse_start(const symlie_problem *P, symlie_scalar t, const symlie_real *q, const symlie_real *v, int moves,
                         symlie_cotangents *bar);

/* Exported by libraries with tangents, where a symlie_real is a value and its derivatives; those of configurations are
 * in the Lie algebra. */
/* Complete the derivatives of an initial state for the velocities in v and the increments theta, whose values are zero,
 * of integrated nodes; the values of q, v, lambda and v' are given. Returns a symlie_status. */
long long symlie_values_workspace(const symlie_problem *P);
long long symlie_begin_tangents_workspace(const symlie_problem *P);
int symlie_begin_tangents(const symlie_problem *P, symlie_scalar t, const symlie_real *theta, symlie_real *q, symlie_real *v,
                          symlie_real *lambda, symlie_real *acceleration);
/* Add the increments theta, whose values are zero, to a configuration without derivatives. */
void symlie_move_tangents(const symlie_problem *P, symlie_scalar t, const symlie_real *theta, symlie_real *q);
/* Compute the increments of several configurations, whose values are zero, one array row per configuration. */
void symlie_increment_tangents(const symlie_problem *P, long long count, const symlie_real *q, symlie_real *theta);
/* Compute named outputs at several states, one array row per state. */
void symlie_output_tangents(const symlie_problem *P, long long count, const symlie_real *t, const symlie_real *q, const symlie_real *v,
                            const symlie_real *lambda, long long wanted_count, const long long *wanted, symlie_real *out);

#endif
