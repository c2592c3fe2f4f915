/* Records of states. */
#ifndef SYMLIE_RECORD_H
#define SYMLIE_RECORD_H

/* Set how the next recorded state is reached. */
static inline void reach_by(symlie_record *record, symlie_scalar begin, symlie_scalar length, int kind, long long steps)
{
    record->reached[0] = begin, record->reached[1] = length;
    record->reached[2] = (symlie_scalar)kind, record->reached[3] = (symlie_scalar)steps;
}

static inline void record_at(const symlie_problem *restrict P, symlie_real t, const symlie_real *q, const symlie_real *v, const symlie_real *lambda,
                             const symlie_real *carried, symlie_record *record)
{
    const long long n = record->count++;
    record->t[n] = t;
    copy(STORAGE, q, record->q + n * STORAGE);
    copy(DIMENSION, v, record->v + n * DIMENSION);
    copy(ROWS, lambda, record->lambda + n * ROWS);
    copy(CARRIED, carried, record->carried + n * CARRIED);
    for (int k = 0; record->step && k < STEP_WIDTH; k++) record->step[n * STEP_WIDTH + k] = record->reached[k];
}

#endif
