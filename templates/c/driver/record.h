/* Records of states. */
#ifndef SYMLIE_RECORD_H
#define SYMLIE_RECORD_H

static inline void record_at(const symlie_problem *restrict P, symlie_real t, const symlie_real *q, const symlie_real *v, const symlie_real *lambda,
                             const symlie_real *carried, symlie_record *record)
{
    const long long n = record->count++;
    record->t[n] = t;
    copy(STORAGE, q, record->q + n * STORAGE);
    copy(DIMENSION, v, record->v + n * DIMENSION);
    copy(ROWS, lambda, record->lambda + n * ROWS);
    copy(CARRIED, carried, record->carried + n * CARRIED);
}

#endif
