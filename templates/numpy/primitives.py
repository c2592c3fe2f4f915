"""Functions that generated modules may use; each gets those that it needs."""

import numpy as np


def _horner(coefficients, z):
    result = coefficients[-1]
    for c in coefficients[-2::-1]:
        result = result * z + c
    return result


def _select(c, a, b):
    return np.where(c > 0, a, np.where(c <= 0, b, c))


def _interpolate(x, abscissa, value):
    k = np.clip(np.searchsorted(abscissa, x, side="right") - 1, 0, len(abscissa) - 2)
    inside = value[k] + (value[k + 1] - value[k]) / (abscissa[k + 1] - abscissa[k]) * (x - abscissa[k])
    return np.where(x <= abscissa[0], value[0], np.where(x >= abscissa[-1], value[-1], inside))


def _interpolate_slope(x, abscissa, value):
    k = np.clip(np.searchsorted(abscissa, x, side="right") - 1, 0, len(abscissa) - 2)
    slope = (value[k + 1] - value[k]) / (abscissa[k + 1] - abscissa[k])
    return np.where((x < abscissa[0]) | (x >= abscissa[-1]), 0.0, slope)


def _interval_begin(x, abscissa, value):
    k = np.searchsorted(abscissa, x, side="right")
    return np.where(k > 0, abscissa[np.maximum(k - 1, 0)], -np.inf)


def _interval_end(x, abscissa, value):
    k = np.searchsorted(abscissa, x, side="right")
    return np.where(k < len(abscissa), abscissa[np.minimum(k, len(abscissa) - 1)], np.inf)


def _input_piece(x, slot):
    start, n, degree = int(slot[0]), int(slot[1]), int(slot[2])
    knots, shift = slot[start : start + n], 0.0
    if degree < 0:
        period = knots[-1] - knots[0]
        shift = period * np.floor((x - knots[0]) / period)
    return knots, abs(degree), np.searchsorted(knots, x - shift, side="right"), shift, slot[start + n :]


def _input(x, slot, component, derivative):
    if slot[1] == 0:
        return 0.0
    knots, degree, piece, shift, coefficients = _input_piece(x, slot)
    start = (component * (len(knots) + 1) + piece) * (degree + 1)
    distance = x - shift - knots[np.maximum(piece - 1, 0)]
    result = 0.0 * distance
    for j in range(degree, derivative - 1, -1):
        factor = 1
        for i in range(derivative):
            factor *= j - i
        result = result * distance + factor * coefficients[start + j]
    return result


def _chosen_input(x, p, slot, component, derivative):
    x, slot, component = np.broadcast_arrays(x, slot, component)
    result = np.zeros(x.shape)
    for first, k in {*zip(slot.ravel().tolist(), component.ravel().tolist())}:
        chosen = (slot == first) & (component == k)
        result[chosen] = _input(x[chosen], p[int(first) :], int(k), derivative)
    return result


def _input_begin(x, slot, component, derivative):
    if slot[1] == 0:
        return -np.inf
    knots, _, piece, shift, _ = _input_piece(x, slot)
    return np.where(piece > 0, shift + knots[np.maximum(piece - 1, 0)], -np.inf)


def _input_end(x, slot, component, derivative):
    if slot[1] == 0:
        return np.inf
    knots, _, piece, shift, _ = _input_piece(x, slot)
    return np.where(piece < len(knots), shift + knots[np.minimum(piece, len(knots) - 1)], np.inf)


def _half_angle_ratio(w, n):
    s = np.sqrt(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(s > 0, 2 * np.arctan(s / w) / s, 2 / np.asarray(w, dtype=float))


def _full_angle_ratio(w, n):
    s = np.sqrt(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(s > 0, 2 * np.arctan2(s, w) / s, 2 / np.abs(w))


def _angle_excess(z):
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = (np.arctan2(np.sqrt(z), np.sqrt(1 - z)) / np.sqrt(z * (1 - z)) - 1) / (2 * z)
    series = 1.0
    for n in range(12, 1, -1):
        series = 1.0 + 2 * n / (2 * n + 1) * z * series
    return np.where(z <= 0.05, series / 3, beyond)


def _rotation_quaternion(k, r0, r1, r2, r3, r4, r5, r6, r7, r8):
    trace = r0 + r4 + r8
    candidates = np.array(
        [
            [1 + trace, r7 - r5, r2 - r6, r3 - r1],
            [r7 - r5, 1 + r0 - r4 - r8, r1 + r3, r2 + r6],
            [r2 - r6, r1 + r3, 1 - r0 + r4 - r8, r5 + r7],
            [r3 - r1, r2 + r6, r5 + r7, 1 - r0 - r4 + r8],
        ]
    )
    choice = np.argmax(np.array([trace, r0, r4, r8]), axis=0)
    p = np.take_along_axis(candidates, np.broadcast_to(choice, (1, 4, *np.shape(choice))), axis=0)[0]
    norm = np.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    return p[int(k)] / np.where(p[0] < 0, -norm, norm)
