/* Instances of functional mock-up units, for all versions of the interface. */
#ifndef SYMLIE_INSTANCE_H
#define SYMLIE_INSTANCE_H

static void reset_data(unit_data *d)
{
    memset(d, 0, sizeof *d);
    memcpy(d->parameter, default_parameters, sizeof default_parameters);
    memcpy(d->input, default_inputs, sizeof default_inputs);
    d->step_size = FIXED_STEP;
    d->is_changed = 1;
}

static const unit_variable *variable_of(unsigned int reference)
{
    int low = 0, high = VARIABLES - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (variables[middle].reference <= reference) low = middle;
        else high = middle - 1;
    }
    const unit_variable *found = variables + low;
    return reference >= found->reference && reference < found->reference + (unsigned int)found->size ? found : 0;
}

/* Values of a variable, at one of its value references. */
static double *values_of(unit_data *d, const unit_variable *variable, unsigned int reference)
{
    const int place = variable->place + (int)(reference - variable->reference);
    switch (variable->kind) {
    case OF_TIME: return &d->s.t;
    case OF_STEP_SIZE: return &d->step_size;
    case OF_PARAMETER: return d->parameter + place;
    case OF_INPUT: return d->input + place;
    case OF_OUTPUT: return d->output + place;
    case OF_Q: return d->s.q + place;
    case OF_V: return d->s.v + place;
    case OF_LAMBDA: return d->s.lambda + place;
    case OF_Q_DOT: return d->q_dot + place;
    case OF_V_DOT: return d->v_dot + place;
    default: return d->event + place;
    }
}

/* Initialise the state, or take changed parameters and inputs. */
static int prepare_unit(unit_data *d)
{
    const int status = d->is_initialized ? 0 : initialize_unit(d);
    if (!status && d->is_changed) assign_parameters(d);
    if (!status) apply_inputs(d);
    return status;
}

/* Prepare the unit, and compute outputs. */
static int refresh(unit_data *d)
{
    int status = 0;
    if (d->is_initialized && d->is_current) return 0;
    status = prepare_unit(d);
    if (status) return status;
    status = unit_outputs(d);
    d->is_current = !status;
    return status;
}

/* Set values that begin at a value reference. Return 0 if the variable cannot be set. */
static int set_values(unit_data *d, unsigned int reference, int count, const double *from)
{
    const unit_variable *variable = variable_of(reference);
    if (!variable || (int)(reference - variable->reference) + count > variable->size) return 0;
    if (variable->kind == OF_STEP_SIZE && !(from[0] >= 0)) return 0;
    if (variable->kind != OF_PARAMETER && variable->kind != OF_INPUT && variable->kind != OF_STEP_SIZE) return 0;
    double *to = values_of(d, variable, reference);
    for (int k = 0; k < count; k++) {
        if (variable->kind == OF_PARAMETER && to[k] != from[k]) d->is_changed = 1, d->is_current = 0;
        if (variable->kind == OF_INPUT) mark_input(d, variable->place + (int)(reference - variable->reference) + k), d->is_current = 0;
        to[k] = from[k];
    }
    return 1;
}

/* Get values that begin at a value reference. Return 0 if the variable does not exist. */
static int get_values(unit_data *d, unsigned int reference, int count, double *to)
{
    const unit_variable *variable = variable_of(reference);
    if (!variable || (int)(reference - variable->reference) + count > variable->size) return 0;
    const double *from = values_of(d, variable, reference);
    for (int k = 0; k < count; k++) to[k] = from[k];
    return 1;
}

/* Advance to a communication point. Return a status; terminal events and changes that accumulate end the run. */
static int take_step(unit_data *d, double until)
{
    int status = prepare_unit(d);
    if (status) return status;
    if (until > d->s.t) status = advance_unit(d, until);
    d->is_current = 0;
    for (int k = 0; k < INPUT_VALUES; k++) d->rate[k] = 0;
    if (status == TERMINAL_EVENT || status == ACCUMULATION) d->has_ended = 1;
    return status;
}

#endif
