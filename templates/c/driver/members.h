/* Integrate several systems of one topology sequentially, each from its own state. Included after driver.h. */
#ifndef SYMLIE_MEMBERS_H
#define SYMLIE_MEMBERS_H

long long symlie_integrate_members(const symlie_problem *problems, long long first, long long count, symlie_state *states,
                                   const symlie_plan *plan, symlie_record *records, int *status, symlie_real *workspace)
{
    symlie_plan rest = *plan;
    for (long long i = first; i < count; i++) {
        const long long before = states[i].steps + states[i].rejected;
        if (status[i] != SYMLIE_BUDGET) continue;
        if (rest.budget <= 0) return i;
        symlie_problem P = problems[i];
        P.workspace = workspace;
        forget_kept(&P);
        status[i] = symlie_integrate(&P, states + i, &rest, records + i);
        rest.budget -= states[i].steps + states[i].rejected - before + 1;
        if (status[i] == SYMLIE_BUFFER_FULL || status[i] == SYMLIE_BUDGET) return i;
    }
    return count;
}

#endif
