/* Functions of primitives.h for lanes, evaluated lane by lane. */
#ifndef SYMLIE_LANE_PRIMITIVES_H
#define SYMLIE_LANE_PRIMITIVES_H

LANES_FUNCTION(symlie_sign)
LANES_FUNCTION_OF_TWO(symlie_maximum)
LANES_FUNCTION_OF_TWO(symlie_minimum)
LANES_FUNCTION_OF_TWO(symlie_full_angle_ratio)

#define symlie_sign(x) LANES_CALL(symlie_sign, x)
#define symlie_maximum(a, b) LANES_CALL_OF_TWO(symlie_maximum, a, b)
#define symlie_minimum(a, b) LANES_CALL_OF_TWO(symlie_minimum, a, b)
#define symlie_full_angle_ratio(w, n) LANES_CALL_OF_TWO(symlie_full_angle_ratio, w, n)

#define LANES_FUNCTION_OF_TABLE(function)                                                                                 \
    static inline symlie_real lanes_##function(symlie_real x, const symlie_real *abscissa, const symlie_real *value, int n) \
    {                                                                                                                     \
        symlie_real result;                                                                                               \
        for (int l = 0; l < SYMLIE_LANES; l++)                                                                            \
            result[l] = function(x[l], (const symlie_scalar *)abscissa + l, (const symlie_scalar *)value + l, n);         \
        return result;                                                                                                    \
    }
#define LANES_FUNCTION_OF_INPUT(function)                                                                          \
    static inline symlie_real lanes_##function(symlie_real t, const symlie_real *slot, int component, int derivative)              \
    {                                                                                                              \
        symlie_real result;                                                                                        \
        for (int l = 0; l < SYMLIE_LANES; l++) result[l] = function(t[l], (const symlie_scalar *)slot + l, component, derivative); \
        return result;                                                                                             \
    }

LANES_FUNCTION_OF_TABLE(symlie_interpolate)
LANES_FUNCTION_OF_TABLE(symlie_interpolate_slope)
LANES_FUNCTION_OF_INPUT(symlie_input)
LANES_FUNCTION_OF_INPUT(symlie_input_begin)
LANES_FUNCTION_OF_INPUT(symlie_input_end)

#define symlie_interpolate(x, abscissa, value, n) lanes_symlie_interpolate(x, abscissa, value, n)
#define symlie_interpolate_slope(x, abscissa, value, n) lanes_symlie_interpolate_slope(x, abscissa, value, n)
#define symlie_input(x, slot, component, derivative) lanes_symlie_input(LANES_OF(x), slot, component, derivative)
#define symlie_input_begin(x, slot, component, derivative) lanes_symlie_input_begin(LANES_OF(x), slot, component, derivative)
#define symlie_input_end(x, slot, component, derivative) lanes_symlie_input_end(LANES_OF(x), slot, component, derivative)

static inline symlie_real lanes_symlie_select(symlie_real c, symlie_real a, symlie_real b)
{
    return lanes_where(c > 0, a, lanes_where(c <= 0, b, c));
}

#define symlie_select(c, a, b) lanes_symlie_select(LANES_OF(c), LANES_OF(a), LANES_OF(b))

static inline symlie_real lanes_symlie_rotation_quaternion(int k, symlie_real r0, symlie_real r1, symlie_real r2, symlie_real r3, symlie_real r4,
                                                           symlie_real r5, symlie_real r6, symlie_real r7, symlie_real r8)
{
    symlie_real result;
    for (int l = 0; l < SYMLIE_LANES; l++)
        result[l] = symlie_rotation_quaternion(k, r0[l], r1[l], r2[l], r3[l], r4[l], r5[l], r6[l], r7[l], r8[l]);
    return result;
}

#define symlie_rotation_quaternion(k, r0, r1, r2, r3, r4, r5, r6, r7, r8)                                            \
    lanes_symlie_rotation_quaternion((int)(k), LANES_OF(r0), LANES_OF(r1), LANES_OF(r2), LANES_OF(r3), LANES_OF(r4), \
                                     LANES_OF(r5), LANES_OF(r6), LANES_OF(r7), LANES_OF(r8))

#endif
