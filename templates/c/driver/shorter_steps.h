/* States between recorded ones, computed by shorter steps of the method, for models with first-order states and for
 * polynomials. */
#ifndef SYMLIE_SHORTER_STEPS_H
#define SYMLIE_SHORTER_STEPS_H

#if BY_SHORTER_STEPS
int symlie_shorter_steps(const symlie_problem *P, const symlie_control *control, const symlie_states *recorded,
                         long long count, const long long *interval, const symlie_real *t, symlie_real *q, symlie_real *v, symlie_real *lambda,
                         symlie_real *carried, long long *done)
{
    mass_matrix mass;
    symlie_real *work = place_mass(P, P->workspace + kept_workspace(P), &mass);
    TRIAL(trial);
    TRIAL(begin);
    trial.is_inside = 1;
    symlie_state state = {.q = begin.q, .v = begin.v, .lambda = begin.lambda, .carried = begin.carried,
                          .acceleration = begin.acceleration, .own = begin.own, .event = begin.event};
    *done = 0;
    if (count && !evaluate_mass(P, recorded->t[0], recorded->q, &mass)) return mass_failure(P, SYMLIE_NUMBER(0), &mass);
    for (; *done < count; ++*done, q += STORAGE, v += DIMENSION, lambda += ROWS, carried += CARRIED) {
        const long long n = interval[*done];
        const symlie_real start = recorded->t[n], end = t[*done];
        copy(STORAGE, recorded->q + n * STORAGE, state.q);
        copy(DIMENSION, recorded->v + n * DIMENSION, state.v);
        copy(ROWS, recorded->lambda + n * ROWS, state.lambda);
        state.own_is_valid = 0;
        int status = begin_method(P, work, start, end - start, control, &mass, &state);
        if (status == SYMLIE_DONE) status = try_step(P, work, start, end - start, control, &mass, &state, &trial);
        if (status == SYMLIE_DONE) status = finish_step(P, work, start, end, control, &mass, &state, &trial);
        if (status == SYMLIE_DONE) status = renew_multipliers(P, work, end, &mass, &trial, trial.first_acceleration);
        if (status != SYMLIE_DONE) return status;
        copy(STORAGE, trial.q, q);
        copy(DIMENSION, trial.v, v);
        copy(ROWS, trial.lambda, lambda);
        carry(P, work, start, state.q, recorded->carried + n * CARRIED, end, trial.q, trial.increment, carried);
    }
    return SYMLIE_DONE;
}
#endif

#endif
