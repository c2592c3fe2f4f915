/* The type of all numbers, double unless -DSYMLIE_REAL=... says otherwise. */
#ifndef SYMLIE_REAL_H
#define SYMLIE_REAL_H

#ifndef SYMLIE_REAL
#define SYMLIE_REAL double
#endif
typedef SYMLIE_REAL symlie_real;

#endif
