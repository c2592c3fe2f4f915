/* Functions and types that a compiled model exports. This text is the contract, together with the prototypes in
 * system_kernels.h printed by symlie.contract.kernels: C includes both, and the loader declares exactly the same. The
 * caller owns all arrays; functions neither store state nor allocate. */

#include "real.h"

/* All nodes of one type. */
typedef struct {
    long long count;
    long long moving;           /* number of nodes that increments move: count, or 0 if all are clamped, prescribed or dependent */
} symlie_nodes;

/* All elements of one type. */
typedef struct {
    long long count;
    const int *storage_of;      /* count x places: first storage index of each local node */
    const int *velocity_of;     /* count x places: first velocity index of each local node */
    const symlie_real *parameters; /* prepared parameters of the first element */
    long long stride;           /* between the parameters of consecutive elements; 0 if shared */
} symlie_elements;

/* Elements that share nodes, for the complement B M^-1 B^T of large systems. */
typedef struct {
    long long count;
    const int *first;           /* start of the block of the first element in B, */
    const int *second;          /* of the block of the second one in B M^-1, */
    const int *velocity;        /* first component of their node, */
    const long long *place;     /* and the block of the pair in S */
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
    long long angles;               /* plane rotations whose full turns are counted */
    const int *angle_place;         /* angles x 4: storage of cos and sin, component of increments, 1 if prescribed */
    const int *motion_storage;      /* first storage index of each prescribed node */
    const int *motion_velocity;     /* first velocity index of each prescribed node */
    long long locations;            /* runs of elements that compute dependent nodes, in their order, */
    const int *location;            /* each with its element type, first element, end */
    long long moving_begin;         /* components of increments, from the first to the last node type that moves */
    long long moving_end;
    long long integrates_velocities; /* 0 if all velocities belong to clamped, prescribed and dependent nodes */
    const symlie_scalar *mobility; /* 1 for free velocity components, else 0; large systems only */
    long long bandwidth;            /* half bandwidth of the complement in the order of position */
    const int *position;            /* position of each constraint equation in the order of elimination */
    const symlie_pairs *pairs;      /* one for each size of blocks */
    const int *joint_counts;        /* number of joints of each node with velocities, as places of constrained elements; large systems only */
    const int *joints;              /* places x 3, node by node: start of its block in B, first constraint equation, number of equations */
    const int *iteration;           /* tables of the Newton matrix of implicit steps; large systems only */
    const long long *output_begin;  /* first part of each named output, and their number; only if elements have names */
    const int *output_size;         /* components of each */
    const int *output_part;         /* parts x 3: output index over all element types, element, first component */
    symlie_real *workspace;         /* symlie_workspace values */
} symlie_problem;

/* Complete state of an integration, sufficient to continue it. */
typedef struct {
    symlie_scalar t;            /* time of q, v */
    symlie_real *q;             /* configuration */
    symlie_real *v;             /* velocity */
    symlie_real *lambda;        /* multipliers */
    symlie_real *carried;       /* auxiliary integrator state: full turns of all angles */
    symlie_real *acceleration;  /* v' at (t, q, v) if it is known */
    long long acceleration_is_valid;
    symlie_real *own;           /* method history, such as slopes of previous steps */
    long long own_is_valid;
    symlie_scalar h;            /* next adaptive step size */
    symlie_real *event;         /* event functions at (t, q, v, lambda) */
    long long event_is_valid;
    long long segment;          /* index into the plan */
    long long step;             /* steps taken in the segment */
    long long steps;            /* steps taken in total */
    long long rejected;         /* steps repeated with a smaller step size */
    long long rhs_evaluations;
    long long newton_iterations; /* corrections of implicit steps */
    long long jacobians;        /* Newton matrices evaluated for them */
    long long factorisations;
    long long back_substitutions;
    long long refreshes;        /* matrices that replaced stored factors */
    long long halvings;
    long long rounding_floor;   /* iterations that ended at rounding */
    long long most_newton_iterations; /* largest number of corrections in a step */
    symlie_scalar slowest_step; /* start time of that step */
    long long slowest_entry;    /* index of its largest residual before the last correction */
    long long steps_of_order_1; /* accepted steps of variable-order methods */
    long long steps_of_order_2;
    long long steps_of_order_3;
    long long steps_of_order_4;
    long long steps_of_order_5;
    symlie_scalar largest_constraint; /* largest |entry| of Phi over all steps */
    symlie_scalar largest_velocity; /* largest |entry| of B v + b over all steps */
    symlie_scalar drift_bound;  /* |Phi| above which the constraints are checked again */
    long long dependent_rows;   /* dependent constraint equations, for which multipliers have the smallest norm */
    long long rank_changes;     /* number of changes of it, or of steps that ended near a singular configuration */
    long long surprises;        /* rejected steps at this state with errors far above the tolerance */
    symlie_scalar last_change;  /* |change|^2 of velocities within the last step of fixed length */
    long long suspicious_steps; /* recent steps that indicate stiffness or a discontinuous force */
    long long flipped_steps;    /* among them, steps in which a velocity and its acceleration changed sign */
    long long calm_steps;       /* other steps since the last suspicious one */
    symlie_scalar stiff_since;  /* time and step size of the detection of stiffness; size 0: not detected */
    symlie_scalar stiff_step;
    symlie_scalar chattering_since; /* the same for a chattering force */
    symlie_scalar chattering_step;
} symlie_state;

/* Control of steps. Weights and tolerances refer to (theta, v), 2 x dimension entries. */
typedef struct {
    long long is_adaptive;
    long long with_estimate;    /* estimate the error of each step; always with adaptive steps */
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
    long long watches_rank;     /* action near a singular configuration: 0 none, 1 count, 2 project */
    long long max_steps;        /* maximum number of steps in a segment */
    long long order;            /* order of the run, for methods with selectable order */
    symlie_scalar tolerance;    /* smallest relative tolerance, for these methods */
    symlie_scalar stiffness_limit; /* h |lambda| above which steps are suspicious; 0: no detection */
    symlie_scalar hidden_limit; /* limit of |B v + b| over max(1, |v|) with redundant constraints; 0: none */
    const int *event_direction; /* 1: rising, -1: falling, 0: both */
    const unsigned char *event_is_terminal;
} symlie_control;

/* Segments between times that steps reach exactly, each with a whole number of equal steps or with adaptive steps. A
 * segment that ends at its start has no steps. */
typedef struct {
    long long segments;
    const symlie_scalar *start;
    const symlie_scalar *end;
    const long long *steps;
    long long record_every;     /* record each n-th step; 0: only the requested ends of segments */
    long long record_switches;  /* also record states on both sides of switches that end steps */
    const unsigned char *record_end;
    const unsigned char *restarts; /* KINK or JUMP if a segment starts at one, else 0 */
    long long budget;           /* number of steps before a return, for progress and interruption */
    const symlie_control *control;
} symlie_plan;

/* Recorded states, up to the capacity; attempted steps have buffers of the same capacity. */
typedef struct {
    long long capacity;
    long long count;
    symlie_scalar *t;
    symlie_scalar *q;
    symlie_scalar *v;
    symlie_scalar *lambda;
    symlie_scalar *carried;
    long long tried;            /* steps in the trace */
    symlie_scalar *trace;       /* TRACE_WIDTH numbers of each attempted step, see record_tried; null: no trace */
    long long event_capacity;   /* events have a separate buffer */
    long long events;
    symlie_scalar *event;       /* index, t, q, v, lambda, auxiliary state, method history of each event */
} symlie_record;

/* States of a system, or of several systems of one topology, one array row each. */
typedef struct {
    long long count;
    long long of_each;          /* number of states of each system, which are consecutive; 0: all states belong to one system */
    const symlie_scalar *t;
    const symlie_scalar *q;
    const symlie_scalar *v;
    const symlie_scalar *lambda;
    const symlie_scalar *carried; /* null unless requested */
} symlie_states;

/* Requested quantities of states, one array row each; null: not requested. */
typedef struct {
    symlie_scalar *energy;      /* kinetic and potential energy, and acceleration-dependent energy */
    symlie_scalar *constraint_residual; /* largest |entry| of Phi */
    symlie_scalar *velocity_residual; /* largest |entry| of B v + b */
    symlie_scalar *constraint_force; /* -B^T lambda */
    symlie_scalar *acceleration; /* v' of [M B^T; B 0][v'; lambda] = [-g; -Z]; NaN if undetermined */
    symlie_scalar *multipliers; /* its lambda */
    symlie_scalar *outputs;     /* named outputs, in the order of `wanted` */
    long long outputs_wanted;
    const long long *wanted;    /* indices of named outputs */
} symlie_values;

/* Initial states of several systems to complete, one array row each. */
typedef struct {
    long long count;
    symlie_scalar t;
    const symlie_scalar *stated; /* configurations */
    symlie_scalar *q;           /* normalised onto their groups, with dependent nodes computed */
    symlie_scalar *v;           /* specified values on entry, zero if unspecified; completed on return */
    symlie_scalar *lambda;
    unsigned char *is_ordinary; /* 1 if all bounds hold; otherwise the state needs a full check */
    const unsigned char *is_free; /* free velocity components, and the unspecified ones among them */
    const unsigned char *is_open;
    const symlie_scalar *of_velocities; /* 0 for acceleration-level constraints, else 1 */
    long long rotations;        /* stored rotation matrices, and stored parts that never vanish on their groups */
    const int *rotation_place;
    long long parts;
    const int *part_place;      /* parts x 2: begin and end of each */
    const int *mass_row;        /* rows and columns of stored values of M and B; large systems only */
    const int *mass_column;
    const int *jacobian_row;
    const int *jacobian_column;
} symlie_starts;

/* Additional data for members in SIMD lanes. */
typedef struct {
    long long types;            /* element types */
    const long long *parameters; /* sizes of the prepared parameters of the model, and of all elements of each type */
    symlie_elements *elements;  /* space for one of each type */
    symlie_scalar *workspace;   /* symlie_lanes_workspace numbers */
    int (*alone)(const symlie_problem *P, symlie_state *state, const symlie_plan *plan, symlie_record *record);
    symlie_real *workspace_alone; /* symlie_integrate's workspace */
} symlie_lanes;

/* Rule of the interpolation between recorded states. */
typedef struct {
    const symlie_scalar *inverse; /* weights of T^-1 in powers of ad */
    long long terms;
    symlie_scalar tolerance;    /* relative size of the last term */
    const symlie_scalar *hermite; /* 5 x 5: coefficients of s ... s^5 from theta' and theta'' at 0, theta, theta' and theta'' at 1 */
} symlie_interpolation;

#include "system_kernels.h"

const char *symlie_interface_hash(void);
long long symlie_workspace(const symlie_problem *P);
/* Parameters of the model (element < 0) or of one element of a type, followed by the constants computed from them; for
 * elements p contains the prepared parameters of the model. */
void symlie_prepare(long long element, const symlie_real *p, const symlie_real *e, symlie_real *out);
void symlie_initial(const symlie_real *p, symlie_real *q, symlie_real *v);
/* Overwrite configuration and velocity of prescribed nodes. */
void symlie_prescribe(const symlie_problem *P, symlie_real t, symlie_real *q, symlie_real *v);
/* Acceleration of prescribed nodes, zero for all others. */
void symlie_prescribed_acceleration(const symlie_problem *P, symlie_real t, symlie_real *a);
/* Overwrite v of first-order states with their algebra-valued rates. */
void symlie_field(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *a, const symlie_real *lambda, symlie_real *v);
/* Exported for Hamiltonian systems on cotangent bundles: u - h f(stage) of the symplectic theta family with its
 * derivative by u (dimension x dimension), and the end of a step. */
void symlie_symplectic(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *u, symlie_real h, symlie_real theta,
                       symlie_real *r, symlie_real *J);
void symlie_symplectic_end(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *u, symlie_real h, symlie_real theta,
                           symlie_real *out);

/* Exported by the library of a model only. States and results are arrays, and each workspace belongs to its call. */
/* symlie_prepare and symlie_initial for array rows of given sizes; ``each`` rows of an element type belong to one
 * model. */
void symlie_prepare_rows(long long element, long long count, long long each, const symlie_real *p, long long p_size,
                         const symlie_real *e, long long e_size, symlie_real *out, long long out_size);
void symlie_initial_rows(const symlie_problem *problems, long long count, symlie_real *q, long long q_size, symlie_real *v,
                         long long v_size);
long long symlie_observation_workspace(const symlie_problem *P);
void symlie_observe(const symlie_problem *problems, const symlie_states *states, const symlie_values *values, symlie_real *workspace);
/* Complete states in a workspace, and report states that need a full check. */
long long symlie_begin_workspace(const symlie_problem *P);
void symlie_begin(const symlie_problem *problems, const symlie_starts *starts, symlie_real *workspace);
/* First adaptive step sizes of systems, one state each, for a method of the given order. */
long long symlie_first_step_workspace(const symlie_problem *P);
void symlie_first_steps(const symlie_problem *problems, const symlie_states *states, const symlie_control *control, long long order,
                        symlie_real longest, symlie_real *h, symlie_real *workspace);
/* States at times between the recorded states interval[i] and interval[i] + 1; lambda as in symlie_observe. */
long long symlie_interpolation_workspace(const symlie_problem *P);
void symlie_interpolate_states(const symlie_problem *P, const symlie_states *recorded, const symlie_interpolation *rule,
                               long long count, const long long *interval, const symlie_real *t, symlie_real *q, symlie_real *v,
                               symlie_real *lambda, symlie_real *carried, symlie_real *workspace);

/* Exported by a library compiled for a method; all functions return a symlie_status. */
/* v' and lambda of [M B^T; B 0][v'; lambda] = [-g; -Z]. */
int symlie_acceleration(const symlie_problem *P, symlie_real t, const symlie_real *q, const symlie_real *v, symlie_real *a, symlie_real *lambda);
int symlie_integrate(const symlie_problem *P, symlie_state *state, const symlie_plan *plan, symlie_record *record);
/* Integrate members sequentially from `first` on if their status is SYMLIE_BUDGET, with a common budget. Return the
 * index of the member to continue with, or their count. */
long long symlie_integrate_members(const symlie_problem *problems, long long first, long long count, symlie_state *states,
                                   const symlie_plan *plan, symlie_record *records, int *status, symlie_real *workspace);
/* Exported by a library compiled for SIMD lanes: the same with common steps of several members. `alone`, which is
 * symlie_integrate, takes steps that a member needs individually. */
long long symlie_lanes_workspace(const symlie_problem *P, const symlie_lanes *lanes);
long long symlie_integrate_lanes(const symlie_problem *problems, long long first, long long count, symlie_state *states,
                                 const symlie_plan *plan, symlie_record *records, int *status, const symlie_lanes *lanes);
/* Exported for models with first-order states and for polynomials: results of steps from the recorded states
 * interval[i] to times; `done` counts them up to a failure. */
int symlie_shorter_steps(const symlie_problem *P, const symlie_control *control, const symlie_states *recorded,
                         long long count, const long long *interval, const symlie_real *t, symlie_real *q, symlie_real *v, symlie_real *lambda,
                         symlie_real *carried, long long *done);
