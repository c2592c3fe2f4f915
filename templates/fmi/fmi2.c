/* Functions of FMI 2.0. */
#include "unit.h"

#include "fmi2Functions.h"

typedef struct {
    unit_data data;
    fmi2CallbackFunctions callbacks;
    char *name;
    int is_logging;
    int is_initializing;
} unit_instance;

static fmi2Status report(unit_instance *m, fmi2Status status, const char *message)
{
    if (m->callbacks.logger) m->callbacks.logger(m->callbacks.componentEnvironment, m->name, status, "logStatusError", message);
    return status;
}

static fmi2Status checked(unit_instance *m, int status)
{
    return status ? report(m, fmi2Error, message_of(status)) : fmi2OK;
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)n, (void)categories;
    ((unit_instance *)c)->is_logging = on;
    return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String token, fmi2String location, const fmi2CallbackFunctions *callbacks,
                              fmi2Boolean is_visible, fmi2Boolean is_logging)
{
    (void)location, (void)is_visible;
    const int has_type = type == fmi2CoSimulation ? HAS_STEPS : HAS_EXCHANGE;
    if (!has_type || !name || !token || strcmp(token, UNIT_TOKEN)) {
        if (callbacks && callbacks->logger)
            callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError",
                              !has_type ? "the unit is not of this kind" : "the GUID is that of another unit");
        return 0;
    }
    unit_instance *m = calloc(1, sizeof *m);
    if (!m) return 0;
    m->name = calloc(strlen(name) + 1, 1);
    if (!m->name) {
        free(m);
        return 0;
    }
    memcpy(m->name, name, strlen(name));
    if (callbacks) m->callbacks = *callbacks;
    m->is_logging = is_logging;
    reset_data(&m->data);
    m->data.is_exchange = type == fmi2ModelExchange;
    return m;
}

void fmi2FreeInstance(fmi2Component c)
{
    if (!c) return;
    free(((unit_instance *)c)->name);
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((unit_instance *)c)->data.start = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    unit_instance *m = c;
    m->is_initializing = 1, m->data.is_initialized = 0;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    unit_instance *m = c;
    m->is_initializing = 0;
    if (m->data.is_changed) m->data.is_initialized = 0;
    return checked(m, refresh(&m->data));
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    unit_instance *m = c;
    const long long is_exchange = m->data.is_exchange;
    reset_data(&m->data);
    m->data.is_exchange = is_exchange;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t n, fmi2Real values[])
{
    unit_instance *m = c;
    if (m->is_initializing && m->data.is_changed) m->data.is_initialized = 0;
    const int status = refresh(&m->data);
    if (status) return checked(m, status);
    for (size_t k = 0; k < n; k++)
        if (!get_values(&m->data, references[k], 1, values + k)) return report(m, fmi2Error, "a value reference does not exist");
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t n, const fmi2Real values[])
{
    unit_instance *m = c;
    for (size_t k = 0; k < n; k++)
        if (!set_values(&m->data, references[k], 1, values + k))
            return report(m, fmi2Error, "only parameters, inputs and a step size of at least 0 can be set");
    return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t n, const fmi2Integer orders[], const fmi2Real values[])
{
    unit_instance *m = c;
    for (size_t k = 0; k < n; k++) {
        const unit_variable *variable = variable_of(references[k]);
        if (!variable || variable->kind != OF_INPUT || orders[k] != 1) return report(m, fmi2Error, "inputs have derivatives of order 1 only");
        m->data.rate[variable->place + (int)(references[k] - variable->reference)] = values[k];
        mark_input(&m->data, variable->place + (int)(references[k] - variable->reference));
    }
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real current, fmi2Real h, fmi2Boolean keeps_state)
{
    unit_instance *m = c;
    (void)keeps_state;
    if (m->data.has_ended) return report(m, fmi2Discard, "a terminal event has ended the run");
    const int status = take_step(&m->data, current + h);
    if (status == ACCUMULATION) report(m, fmi2Warning, message_of(status));
    if (m->data.has_ended) return fmi2Discard;
    return checked(m, status);
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    unit_instance *m = c;
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = m->data.s.t;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    unit_instance *m = c;
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = m->data.has_ended != 0;
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    unit_instance *m = c;
    if (!*state) *state = malloc(sizeof m->data);
    if (!*state) return report(m, fmi2Error, "out of memory");
    memcpy(*state, &m->data, sizeof m->data);
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    unit_instance *m = c;
    memcpy(&m->data, state, sizeof m->data);
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = 0;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(unit_data);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    if (size < sizeof(unit_data)) return report(c, fmi2Error, "the memory for the state is too small");
    memcpy(bytes, state, sizeof(unit_data));
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    if (size != sizeof(unit_data)) return report(c, fmi2Error, "the state belongs to another unit");
    if (!*state) *state = malloc(sizeof(unit_data));
    if (!*state) return report(c, fmi2Error, "out of memory");
    memcpy(*state, bytes, sizeof(unit_data));
    return fmi2OK;
}

#define UNUSED_GETTER(name, type)                                                                    \
    fmi2Status fmi2Get##name(fmi2Component c, const fmi2ValueReference r[], size_t n, type values[]) \
    {                                                                                                \
        (void)r, (void)values;                                                                       \
        return n ? report(c, fmi2Error, "all variables of the unit are real") : fmi2OK;              \
    }                                                                                                \
    fmi2Status fmi2Set##name(fmi2Component c, const fmi2ValueReference r[], size_t n, const type values[]) \
    {                                                                                                \
        (void)r, (void)values;                                                                       \
        return n ? report(c, fmi2Error, "all variables of the unit are real") : fmi2OK;              \
    }

UNUSED_GETTER(Integer, fmi2Integer)
UNUSED_GETTER(Boolean, fmi2Boolean)
UNUSED_GETTER(String, fmi2String)

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer orders[], fmi2Real values[])
{
#if HAS_DERIVATIVES
    unit_instance *m = c;
    for (size_t k = 0; k < n; k++)
        if (orders[k] != 1) return report(m, fmi2Error, "outputs have derivatives of order 1 only");
    return checked(m, n ? time_derivatives(&m->data, r, n, values) : 0);
#else
    (void)r, (void)orders, (void)values;
    return n ? report(c, fmi2Error, "the unit has no derivatives of outputs") : fmi2OK;
#endif
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference z[], size_t n, const fmi2ValueReference x[], size_t count,
                                        const fmi2Real dx[], fmi2Real dz[])
{
#if HAS_DERIVATIVES
    unit_instance *m = c;
    return checked(m, directional_derivative(&m->data, z, n, x, count, dx, dz));
#else
    (void)z, (void)n, (void)x, (void)count, (void)dx, (void)dz;
    return report(c, fmi2Error, "the unit has no directional derivatives");
#endif
}

fmi2Status fmi2CancelStep(fmi2Component c) { return report(c, fmi2Error, "no step is pending"); }

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

#if HAS_EXCHANGE
fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *found)
{
    unit_instance *m = c;
    int is_moved = 0;
    const int status = handle_events(&m->data, &is_moved);
    found->newDiscreteStatesNeeded = fmi2False, found->terminateSimulation = m->data.has_ended != 0;
    found->nominalsOfContinuousStatesChanged = fmi2False, found->valuesOfContinuousStatesChanged = is_moved;
    found->nextEventTimeDefined = fmi2False, found->nextEventTime = 0;
    return checked(m, status);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    unit_instance *m = c;
    const int status = refresh(&m->data);
    keep_state(&m->data);
    return checked(m, status);
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keeps_state, fmi2Boolean *needs_events, fmi2Boolean *terminates)
{
    unit_instance *m = c;
    int needed = 0;
    (void)keeps_state;
    const int status = complete_step(&m->data, &needed);
    *needs_events = needed != 0, *terminates = m->data.has_ended != 0;
    if (!status && m->data.has_ended) report(m, fmi2Warning, message_of(ACCUMULATION));
    return checked(m, status);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t)
{
    set_exchange_time(&((unit_instance *)c)->data, t);
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    if (n != STATES) return report(c, fmi2Error, "the number of states is wrong");
    set_states(&((unit_instance *)c)->data, x);
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real x[], size_t n)
{
    unit_instance *m = c;
    if (n != STATES) return report(c, fmi2Error, "the number of states is wrong");
    const int status = refresh(&m->data);
    get_states(&m->data, 1, x);
    return checked(m, status);
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real x[], size_t n)
{
    unit_instance *m = c;
    const int status = refresh(&m->data);
    for (size_t k = 0; k < n && k < (size_t)EVENTS_OF_UNIT; k++) x[k] = m->data.event[k];
    return checked(m, status);
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    if (n != STATES) return report(c, fmi2Error, "the number of states is wrong");
    get_states(&((unit_instance *)c)->data, 0, x);
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    (void)c;
    for (size_t k = 0; k < n; k++) x[k] = NOMINAL_SIZE;
    return fmi2OK;
}
#endif
