/* Matrices without rows of released constraints: nothing to omit or to hold, unlike in saddle_algebra.h. */
#ifndef SYMLIE_RELEASED_ROWS_H
#define SYMLIE_RELEASED_ROWS_H

#define OMITS_ROWS 0
static const int SADDLE_DIAGONAL[] = {0};

static inline void hold_released_rows(const symlie_problem *restrict P, const symlie_real *restrict B, int has_eta, symlie_real *restrict matrix)
{
    (void)P, (void)B, (void)has_eta, (void)matrix;
}

#endif
