/* Derivatives of rates, multipliers, outputs and event functions of a unit by states, inputs, parameters and time. */
#ifndef SYMLIE_DERIVATIVES_H
#define SYMLIE_DERIVATIVES_H

enum { GIVEN_BEGIN = 1 + STORAGE_OF_UNIT + DIMENSION_OF_UNIT, TABLES_BEGIN = GIVEN_BEGIN + GIVEN_OF_UNIT, TANGENT_INPUTS = TABLES_BEGIN + PREPARED_OF_UNIT };
enum { V_DOT_BEGIN = STORAGE_OF_UNIT, LAMBDA_BEGIN = V_DOT_BEGIN + DIMENSION_OF_UNIT, OUTPUTS_BEGIN = LAMBDA_BEGIN + ROWS_OF_UNIT,
       INDICATORS_BEGIN = OUTPUTS_BEGIN + OUTPUT_VALUES, TANGENT_RESULTS = INDICATORS_BEGIN + EVENTS_OF_UNIT };

/* Arguments and results of an evaluation with tangents. */
typedef struct {
    double value[TANGENT_INPUTS];
    double tangent[TANGENT_INPUTS];
    double parameter[PARAMETER_VALUES + 1];
    double result[TANGENT_RESULTS + 1];
    double result_tangent[TANGENT_RESULTS + 1];
} unit_tangents;

static void begin_tangents(const unit_data *d, unit_tangents *x)
{
    double *to = x->value;
    memset(x, 0, sizeof *x);
    *to++ = d->s.t;
    for (int k = 0; k < STORAGE_OF_UNIT; k++) *to++ = d->s.q[k];
    for (int k = 0; k < DIMENSION_OF_UNIT; k++) *to++ = d->s.v[k];
    for (int k = 0; k < GIVEN_OF_UNIT; k++) *to++ = d->s.given[k];
    for (int k = 0; k < PREPARED_OF_UNIT; k++) *to++ = d->s.p[k];
}

/* Set the tangent of a value. Return 0 for variables by which the unit has no derivatives. */
static int seed_value(unit_tangents *x, const unit_variable *variable, int place, double tangent)
{
    switch (variable->kind) {
    case OF_TIME: x->tangent[0] = tangent; return 1;
    case OF_Q: x->tangent[1 + place] = tangent; return 1;
    case OF_V: x->tangent[1 + STORAGE_OF_UNIT + place] = tangent; return 1;
    case OF_PARAMETER: x->parameter[place] = tangent; return 1;
    case OF_INPUT: {
        /* A table of two lines: that before the last change, and that after it. */
        double *table = x->tangent + TABLES_BEGIN + place_of_input[place];
        table[0] = table[2] = tangent;
        return 1;
    }
    default: return 0;
    }
}

static int result_place(const unit_variable *variable, int place)
{
    switch (variable->kind) {
    case OF_Q_DOT: return place;
    case OF_V_DOT: return V_DOT_BEGIN + place;
    case OF_LAMBDA: return LAMBDA_BEGIN + place;
    case OF_OUTPUT: return OUTPUTS_BEGIN + place;
    case OF_EVENT: return INDICATORS_BEGIN + place;
    default: return -1;
    }
}

static int evaluate_tangents(unit_tangents *x)
{
    unit_parameters p;
    memset(&p, 0, sizeof p);
    assign_values(x->parameter, &p);
    collect_parameters(&p, x->tangent + GIVEN_BEGIN);
    for (int k = 0; k < OTHER_PARAMETERS; k++) x->tangent[GIVEN_BEGIN + place_of_other[k]] = 0;
    return tangents_of_unit(x->value, x->tangent, x->result, x->result_tangent);
}

/* Prepare derivatives by variables; inputs that were not set keep their start values from now on. */
static int begin_derivatives(unit_data *d, const unsigned int *knowns, size_t n, unit_tangents *x)
{
    for (size_t k = 0; k < n; k++) {
        const unit_variable *variable = variable_of(knowns[k]);
        if (!variable || variable->kind != OF_INPUT || d->is_input_set[input_of_value[variable->place]]) continue;
        mark_input(d, variable->place);
        d->is_current = 0;
    }
    const int status = refresh(d);
    begin_tangents(d, x);
    return status;
}

/* Visit the values of variables: read their seeds, or add up products of results and factors. Return the number of
 * values, or -1 for a variable without derivatives. */
static long long seed_values(unit_tangents *x, const unsigned int *references, size_t n, const double *seed)
{
    long long count = 0;
    for (size_t k = 0; k < n; k++) {
        const unit_variable *variable = variable_of(references[k]);
        if (!variable) return -1;
        const int first = (int)(references[k] - variable->reference), size = values_at_once(variable);
        for (int i = 0; i < size; i++, count++)
            if (!seed_value(x, variable, variable->place + first + i, seed[count])) return -1;
    }
    return count;
}

static long long collect_values(const unit_tangents *x, const unsigned int *references, size_t n, double *out)
{
    long long count = 0;
    for (size_t k = 0; k < n; k++) {
        const unit_variable *variable = variable_of(references[k]);
        if (!variable) return -1;
        const int first = (int)(references[k] - variable->reference), size = values_at_once(variable);
        for (int i = 0; i < size; i++, count++) {
            const int place = result_place(variable, variable->place + first + i);
            if (place < 0) return -1;
            out[count] = x->result_tangent[place];
        }
    }
    return count;
}

/* dz = J dx. Return a status, or NO_DERIVATIVE. */
static int directional_derivative(unit_data *d, const unsigned int *z, size_t n, const unsigned int *x, size_t count, const double *dx, double *dz)
{
    unit_tangents *work = calloc(1, sizeof *work);
    if (!work) return NO_DERIVATIVE;
    int status = begin_derivatives(d, x, count, work);
    if (!status && seed_values(work, x, count, dx) < 0) status = NO_DERIVATIVE;
    if (!status) status = evaluate_tangents(work);
    if (!status && collect_values(work, z, n, dz) < 0) status = NO_DERIVATIVE;
    free(work);
    return status;
}

/* Derivatives of variables by time, along the motion. */
static int time_derivatives(unit_data *d, const unsigned int *z, size_t n, double *dz)
{
    unit_tangents *work = calloc(1, sizeof *work);
    if (!work) return NO_DERIVATIVE;
    int status = begin_derivatives(d, 0, 0, work);
    if (!status) status = evaluate_tangents(work);
    if (!status) {
        work->tangent[0] = 1;
        for (int k = 0; k < STORAGE_OF_UNIT + DIMENSION_OF_UNIT; k++) work->tangent[1 + k] = work->result[k];
        status = evaluate_tangents(work);
    }
    if (!status && collect_values(work, z, n, dz) < 0) status = NO_DERIVATIVE;
    free(work);
    return status;
}

#if VALUES_ARE_ARRAYS
/* dx = J^T dz, one direction for each value of the known variables. */
static int adjoint_derivative(unit_data *d, const unsigned int *z, size_t n, const unsigned int *x, size_t count, const double *dz, size_t seeds, double *dx)
{
    unit_tangents *work = calloc(1, sizeof *work);
    double *column = calloc(seeds + 1, sizeof *column);
    int status = work && column ? begin_derivatives(d, x, count, work) : NO_DERIVATIVE;
    for (size_t k = 0; k < count && !status; k++) {
        const unit_variable *variable = variable_of(x[k]);
        for (int i = 0; i < (variable ? values_at_once(variable) : 1) && !status; i++) {
            memset(work->tangent, 0, sizeof work->tangent);
            memset(work->parameter, 0, sizeof work->parameter);
            if (!variable || !seed_value(work, variable, variable->place + i, 1)) status = NO_DERIVATIVE;
            if (!status) status = evaluate_tangents(work);
            if (!status && collect_values(work, z, n, column) != (long long)seeds) status = NO_DERIVATIVE;
            double sum = 0;
            for (size_t j = 0; j < seeds; j++) sum += column[j] * dz[j];
            *dx++ = sum;
        }
    }
    free(work), free(column);
    return status;
}
#endif

#endif
