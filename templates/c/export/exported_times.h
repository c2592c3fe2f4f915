/* Stop times of exported programs: kinks of functions of time, points of tables, and jumps of inputs. */
#ifndef SYMLIE_EXPORTED_TIMES_H
#define SYMLIE_EXPORTED_TIMES_H

/* Time of a stop, and the start time of the step after it. */
typedef struct {
    symlie_scalar t, after;
} symlie_stop;

/* Stop k of a table, in a period of a periodic table. */
static inline symlie_stop stop_of_table(int k, symlie_scalar period)
{
    const symlie_scalar t = time_of_stop[k] + period * period_of_stop[k];
    const symlie_stop found = {t, t + gap_of_stop[k]};
    return found;
}

/* Include a stop in a search: the steps after a time begin at *begin, and *next is the first later stop. */
static inline void consider(symlie_stop stop, symlie_scalar t, symlie_scalar *restrict begin, int *restrict is_stop,
                            symlie_scalar *restrict next)
{
    if (stop.t <= t) {
        if (stop.after > *begin) *begin = stop.after;
        if (stop.t == t || stop.after > t) *is_stop = 1;
    } else if (*is_stop && stop.t - *begin < TIME_RESOLUTION * fmax(fabs(stop.t), fabs(t))) {
        if (stop.after > *begin) *begin = stop.after;
    } else if (stop.t < *next) *next = stop.t;
}

/* Find the start of the step after t, and the first stop after it; return JUMP or KINK if t is a stop, else 0. */
SYMLIE_APART int depart(const exported_state *s, symlie_scalar t, symlie_scalar *restrict begin, symlie_scalar *restrict next)
{
    int is_stop = 0;
    *begin = t;
    /* Stops that belong to the gap after a jump are known after the first pass. */
    for (int pass = 0; pass < 2; pass++) {
        *next = (symlie_scalar)HUGE_VAL;
        for (int k = 0; k < STOPS_OF_PARAMETERS; k++) {
            const symlie_stop stop = {s->given[parameter_of_stop[k]], s->given[parameter_of_stop[k]]};
            consider(stop, t, begin, &is_stop, next);
        }
        for (int k = 0; k < STOPS_OF_TABLES; k++) {
            if (is_input_set(s, input_of_stop[k])) continue;
            if (!(period_of_stop[k] > 0)) {
                consider(stop_of_table(k, 0), t, begin, &is_stop, next);
                continue;
            }
            const symlie_scalar period = floor((t - time_of_stop[k]) / period_of_stop[k]);
            for (int i = -1; i <= 2; i++) consider(stop_of_table(k, period + (symlie_scalar)i), t, begin, &is_stop, next);
        }
    }
    return !is_stop ? 0 : *begin > t ? JUMP : KINK;
}

#endif
