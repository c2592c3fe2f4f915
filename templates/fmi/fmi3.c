/* Functions of FMI 3.0. */
#include "unit.h"

#include "fmi3Functions.h"

typedef struct {
    unit_data data;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    int is_initializing;
    int returns_early;          /* 1 if steps may end before the next communication point */
} unit_instance;

static fmi3Status report(unit_instance *m, fmi3Status status, const char *message)
{
    if (m->log) m->log(m->environment, status, "logStatusError", message);
    return status;
}

static fmi3Status checked(unit_instance *m, int status)
{
    return status ? report(m, fmi3Error, message_of(status)) : fmi3OK;
}

const char *fmi3GetVersion(void) { return fmi3Version; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return fmi3OK;
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean is_visible, fmi3Boolean is_logging,
                                         fmi3Boolean uses_events, fmi3Boolean returns_early, const fmi3ValueReference references[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    (void)name, (void)path, (void)is_visible, (void)is_logging, (void)references, (void)n, (void)update;
    if (!HAS_STEPS || !token || strcmp(token, UNIT_TOKEN) || uses_events) {
        if (log)
            log(environment, fmi3Error, "logStatusError",
                !HAS_STEPS ? "the unit is not of this kind" : uses_events ? "the unit has no event mode" : "the token is that of another unit");
        return 0;
    }
    unit_instance *m = calloc(1, sizeof *m);
    if (!m) return 0;
    m->environment = environment, m->log = log, m->returns_early = returns_early;
    reset_data(&m->data);
    return m;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean is_visible, fmi3Boolean is_logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)name, (void)path, (void)is_visible, (void)is_logging;
    if (!HAS_EXCHANGE || !token || strcmp(token, UNIT_TOKEN)) {
        if (log) log(environment, fmi3Error, "logStatusError", !HAS_EXCHANGE ? "the unit is not of this kind" : "the token is that of another unit");
        return 0;
    }
    unit_instance *m = calloc(1, sizeof *m);
    if (!m) return 0;
    m->environment = environment, m->log = log;
    reset_data(&m->data);
    m->data.is_exchange = 1;
    return m;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean is_visible, fmi3Boolean is_logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
                                               fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)path, (void)is_visible, (void)is_logging, (void)update, (void)lock, (void)unlock;
    if (log) log(environment, fmi3Error, "logStatusError", "the unit is not of this kind");
    return 0;
}

void fmi3FreeInstance(fmi3Instance c) { free(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop,
                                       fmi3Float64 stop)
{
    unit_instance *m = c;
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    m->data.start = start, m->is_initializing = 1, m->data.is_initialized = 0;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    unit_instance *m = c;
    m->is_initializing = 0;
    if (m->data.is_changed) m->data.is_initialized = 0;
    return checked(m, refresh(&m->data));
}

fmi3Status fmi3Terminate(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance c)
{
    unit_instance *m = c;
    const long long is_exchange = m->data.is_exchange;
    reset_data(&m->data);
    m->data.is_exchange = is_exchange;
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t n, fmi3Float64 values[], size_t count)
{
    unit_instance *m = c;
    if (m->is_initializing && m->data.is_changed) m->data.is_initialized = 0;
    const int status = refresh(&m->data);
    size_t place = 0;
    if (status) return checked(m, status);
    for (size_t k = 0; k < n; k++) {
        const unit_variable *variable = variable_of(references[k]);
        if (!variable || variable->reference != references[k] || place + (size_t)variable->size > count)
            return report(m, fmi3Error, "a value reference does not exist, or the number of values is wrong");
        get_values(&m->data, references[k], variable->size, values + place);
        place += (size_t)variable->size;
    }
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t n, const fmi3Float64 values[], size_t count)
{
    unit_instance *m = c;
    size_t place = 0;
    for (size_t k = 0; k < n; k++) {
        const unit_variable *variable = variable_of(references[k]);
        if (!variable || variable->reference != references[k] || place + (size_t)variable->size > count)
            return report(m, fmi3Error, "a value reference does not exist, or the number of values is wrong");
        if (!set_values(&m->data, references[k], variable->size, values + place))
            return report(m, fmi3Error, "only parameters, inputs and a step size of at least 0 can be set");
        place += (size_t)variable->size;
    }
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 current, fmi3Float64 h, fmi3Boolean keeps_state, fmi3Boolean *needs_events, fmi3Boolean *terminates,
                      fmi3Boolean *is_early, fmi3Float64 *last)
{
    unit_instance *m = c;
    (void)keeps_state;
    *needs_events = *terminates = *is_early = fmi3False;
    if (m->data.has_ended) return report(m, fmi3Error, "a terminal event has ended the run");
    const int status = take_step(&m->data, current + h);
    *last = m->data.s.t;
    if (status == ACCUMULATION) report(m, fmi3Warning, message_of(status));
    if (m->data.has_ended) {
        *terminates = fmi3True;
        *is_early = m->returns_early && m->data.s.t < current + h;
        return fmi3OK;
    }
    return checked(m, status);
}

fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    unit_instance *m = c;
    if (!*state) *state = malloc(sizeof m->data);
    if (!*state) return report(m, fmi3Error, "out of memory");
    memcpy(*state, &m->data, sizeof m->data);
    return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    unit_instance *m = c;
    memcpy(&m->data, state, sizeof m->data);
    return fmi3OK;
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    free(*state);
    *state = 0;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(unit_data);
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    if (size < sizeof(unit_data)) return report(c, fmi3Error, "the memory for the state is too small");
    memcpy(bytes, state, sizeof(unit_data));
    return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    if (size != sizeof(unit_data)) return report(c, fmi3Error, "the state belongs to another unit");
    if (!*state) *state = malloc(sizeof(unit_data));
    if (!*state) return report(c, fmi3Error, "out of memory");
    memcpy(*state, bytes, sizeof(unit_data));
    return fmi3OK;
}

#define ONLY_FLOAT64(name, type)                                                                                            \
    fmi3Status fmi3Get##name(fmi3Instance c, const fmi3ValueReference r[], size_t n, type values[], size_t count)           \
    {                                                                                                                       \
        (void)r, (void)values, (void)count;                                                                                 \
        return n ? report(c, fmi3Error, "all variables of the unit have the type Float64") : fmi3OK;                        \
    }                                                                                                                       \
    fmi3Status fmi3Set##name(fmi3Instance c, const fmi3ValueReference r[], size_t n, const type values[], size_t count)     \
    {                                                                                                                       \
        (void)r, (void)values, (void)count;                                                                                 \
        return n ? report(c, fmi3Error, "all variables of the unit have the type Float64") : fmi3OK;                        \
    }

ONLY_FLOAT64(Float32, fmi3Float32)
ONLY_FLOAT64(Int8, fmi3Int8)
ONLY_FLOAT64(UInt8, fmi3UInt8)
ONLY_FLOAT64(Int16, fmi3Int16)
ONLY_FLOAT64(UInt16, fmi3UInt16)
ONLY_FLOAT64(Int32, fmi3Int32)
ONLY_FLOAT64(UInt32, fmi3UInt32)
ONLY_FLOAT64(Int64, fmi3Int64)
ONLY_FLOAT64(UInt64, fmi3UInt64)
ONLY_FLOAT64(Boolean, fmi3Boolean)
ONLY_FLOAT64(String, fmi3String)

/* Functions of features that the unit does not have. */
#define ABSENT(name, ...)                                                              \
    fmi3Status fmi3##name(fmi3Instance c, __VA_ARGS__)                                 \
    {                                                                                  \
        return report(c, fmi3Error, "the unit does not have the feature fmi3" #name); \
    }
#define ABSENT_ALONE(name)                                                             \
    fmi3Status fmi3##name(fmi3Instance c)                                              \
    {                                                                                  \
        return report(c, fmi3Error, "the unit does not have the feature fmi3" #name); \
    }

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

ABSENT(GetBinary, const fmi3ValueReference r[], size_t n, size_t sizes[], fmi3Binary values[], size_t count)
ABSENT(SetBinary, const fmi3ValueReference r[], size_t n, const size_t sizes[], const fmi3Binary values[], size_t count)
ABSENT(GetClock, const fmi3ValueReference r[], size_t n, fmi3Clock values[])
ABSENT(SetClock, const fmi3ValueReference r[], size_t n, const fmi3Clock values[])
ABSENT(GetNumberOfVariableDependencies, fmi3ValueReference r, size_t *n)
ABSENT(GetVariableDependencies, fmi3ValueReference r, size_t i[], fmi3ValueReference on[], size_t j[], fmi3DependencyKind kinds[], size_t n)
ABSENT_ALONE(EnterConfigurationMode)
ABSENT_ALONE(ExitConfigurationMode)
ABSENT_ALONE(EvaluateDiscreteStates)
ABSENT(GetIntervalDecimal, const fmi3ValueReference r[], size_t n, fmi3Float64 x[], fmi3IntervalQualifier q[])
ABSENT(GetIntervalFraction, const fmi3ValueReference r[], size_t n, fmi3UInt64 x[], fmi3UInt64 y[], fmi3IntervalQualifier q[])
ABSENT(GetShiftDecimal, const fmi3ValueReference r[], size_t n, fmi3Float64 x[])
ABSENT(GetShiftFraction, const fmi3ValueReference r[], size_t n, fmi3UInt64 x[], fmi3UInt64 y[])
ABSENT(SetIntervalDecimal, const fmi3ValueReference r[], size_t n, const fmi3Float64 x[])
ABSENT(SetIntervalFraction, const fmi3ValueReference r[], size_t n, const fmi3UInt64 x[], const fmi3UInt64 y[])
ABSENT(SetShiftDecimal, const fmi3ValueReference r[], size_t n, const fmi3Float64 x[])
ABSENT(SetShiftFraction, const fmi3ValueReference r[], size_t n, const fmi3UInt64 x[], const fmi3UInt64 y[])
ABSENT(ActivateModelPartition, fmi3ValueReference r, fmi3Float64 t)

#if HAS_DERIVATIVES
static int has_size(const fmi3ValueReference r[], size_t n, size_t size)
{
    for (size_t k = 0; k < n; k++) {
        const unit_variable *variable = variable_of(r[k]);
        if (!variable || (size_t)variable->size > size) return 0;
        size -= (size_t)variable->size;
    }
    return size == 0;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference z[], size_t n, const fmi3ValueReference x[], size_t count,
                                        const fmi3Float64 seed[], size_t seeds, fmi3Float64 values[], size_t size)
{
    unit_instance *m = c;
    if (!has_size(x, count, seeds) || !has_size(z, n, size)) return report(m, fmi3Error, "the number of values is wrong");
    return checked(m, directional_derivative(&m->data, z, n, x, count, seed, values));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference z[], size_t n, const fmi3ValueReference x[], size_t count,
                                    const fmi3Float64 seed[], size_t seeds, fmi3Float64 values[], size_t size)
{
    unit_instance *m = c;
    if (!has_size(z, n, seeds) || !has_size(x, count, size)) return report(m, fmi3Error, "the number of values is wrong");
    return checked(m, adjoint_derivative(&m->data, z, n, x, count, seed, seeds, values));
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Int32 orders[], fmi3Float64 values[], size_t count)
{
    unit_instance *m = c;
    if (!has_size(r, n, count)) return report(m, fmi3Error, "the number of values is wrong");
    for (size_t k = 0; k < n; k++)
        if (orders[k] != 1) return report(m, fmi3Error, "outputs have derivatives of order 1 only");
    return checked(m, n ? time_derivatives(&m->data, r, n, values) : 0);
}
#else
ABSENT(GetDirectionalDerivative, const fmi3ValueReference z[], size_t n, const fmi3ValueReference x[], size_t count, const fmi3Float64 seed[],
       size_t seeds, fmi3Float64 values[], size_t size)
ABSENT(GetAdjointDerivative, const fmi3ValueReference z[], size_t n, const fmi3ValueReference x[], size_t count, const fmi3Float64 seed[],
       size_t seeds, fmi3Float64 values[], size_t size)
ABSENT(GetOutputDerivatives, const fmi3ValueReference r[], size_t n, const fmi3Int32 orders[], fmi3Float64 values[], size_t count)
#endif

#if HAS_EXCHANGE
fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *needs_update, fmi3Boolean *terminates, fmi3Boolean *has_other_nominals,
                                    fmi3Boolean *has_other_states, fmi3Boolean *has_next, fmi3Float64 *next)
{
    unit_instance *m = c;
    int is_moved = 0;
    const int status = handle_events(&m->data, &is_moved);
    *needs_update = *has_other_nominals = *has_next = fmi3False;
    *next = 0, *terminates = m->data.has_ended != 0, *has_other_states = is_moved != 0;
    return checked(m, status);
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c)
{
    unit_instance *m = c;
    const int status = refresh(&m->data);
    keep_state(&m->data);
    return checked(m, status);
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean keeps_state, fmi3Boolean *needs_events, fmi3Boolean *terminates)
{
    unit_instance *m = c;
    int needed = 0;
    (void)keeps_state;
    const int status = complete_step(&m->data, &needed);
    *needs_events = needed != 0, *terminates = m->data.has_ended != 0;
    if (!status && m->data.has_ended) report(m, fmi3Warning, message_of(ACCUMULATION));
    return checked(m, status);
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t)
{
    set_exchange_time(&((unit_instance *)c)->data, t);
    return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n)
{
    if (n != STATES) return report(c, fmi3Error, "the number of states is wrong");
    set_states(&((unit_instance *)c)->data, x);
    return fmi3OK;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    unit_instance *m = c;
    if (n != STATES) return report(c, fmi3Error, "the number of states is wrong");
    const int status = refresh(&m->data);
    get_states(&m->data, 1, x);
    return checked(m, status);
}

fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    unit_instance *m = c;
    const int status = refresh(&m->data);
    for (size_t k = 0; k < n && k < (size_t)EVENTS_OF_UNIT; k++) x[k] = m->data.event[k];
    return checked(m, status);
}

fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    if (n != STATES) return report(c, fmi3Error, "the number of states is wrong");
    get_states(&((unit_instance *)c)->data, 0, x);
    return fmi3OK;
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    for (size_t k = 0; k < n; k++) x[k] = NOMINAL_SIZE;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n)
{
    *n = EVENTS_OF_UNIT;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n)
{
    *n = STATES;
    return fmi3OK;
}
#else
ABSENT_ALONE(EnterEventMode)
ABSENT_ALONE(EnterContinuousTimeMode)
ABSENT(UpdateDiscreteStates, fmi3Boolean *a, fmi3Boolean *b, fmi3Boolean *d, fmi3Boolean *e, fmi3Boolean *f, fmi3Float64 *next)
ABSENT(CompletedIntegratorStep, fmi3Boolean keeps, fmi3Boolean *a, fmi3Boolean *b)
ABSENT(SetTime, fmi3Float64 t)
ABSENT(SetContinuousStates, const fmi3Float64 x[], size_t n)
ABSENT(GetContinuousStateDerivatives, fmi3Float64 x[], size_t n)
ABSENT(GetEventIndicators, fmi3Float64 x[], size_t n)
ABSENT(GetContinuousStates, fmi3Float64 x[], size_t n)
ABSENT(GetNominalsOfContinuousStates, fmi3Float64 x[], size_t n)
ABSENT(GetNumberOfEventIndicators, size_t *n)
ABSENT(GetNumberOfContinuousStates, size_t *n)
#endif
