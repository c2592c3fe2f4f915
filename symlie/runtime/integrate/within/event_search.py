"""Event search within a step in NumPy, with the same decisions as ``event_search.h``, which explains them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.constants import (
    ENGAGED,
    EVENT_FAR,
    EVENT_FAR_CUBIC,
    EVENT_GRID,
    EVENT_ITERATIONS,
    EVENT_MARGIN,
    EVENT_POLE,
    EVENT_RESOLVED,
    EVENT_SURE,
    EVENT_TOUCH,
    EXTREMUM_ENOUGH,
    EXTREMUM_STEPS,
    ROUGH_OFFSET,
    SMALLEST_PANEL,
    SURELY_FAR,
    ZERO_WIDTH,
)
from symlie.contract.manifest import CONTACT_EVENTS
from symlie.runtime.integrate.within.step_interpolation import StepInside
from symlie.runtime.kernels.bernstein import (
    BERNSTEIN,
    CHECKS,
    CUBIC,
    NODES,
    OUTLINE,
    bernstein_value,
    resolved_form,
    turning_points,
)
from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.stepper import State

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import Trial

CLOSED, STICKS = (CONTACT_TABLE.index(name) for name in ("closed", "sticks"))

AT_START = float(np.finfo(float).tiny)
"""Size at which a directional event function counts as zero at the start of a run, see ``event_zeros.h``."""

Found = tuple[int, float, "Trial"]
"""Index of an event function, time, and the trial step that ends there."""


def is_crossing(before: float, after: float, direction: int) -> bool:
    """Return whether a function reached zero in the requested direction.

    A function that starts at zero did not: an integration continues from there after an event.
    """
    return (before < 0 <= after and direction >= 0) or (before > 0 >= after and direction <= 0)


def is_idle(layout: Layout, event: int, q: Array) -> bool:
    """Return whether an event only releases and engages constraints which are released and engaged already, or belongs
    to another mode of its contact."""
    if is_in_other_mode(layout, event, q):
        return True
    rows = layout.changes[layout.changes[:, 0] == event]
    known = len(rows) > 0 and bool((rows[:, 2] < 0).all())
    return known and bool((q[rows[:, 1] - layout.dimension] == (rows[:, 2] == ENGAGED)).all())


def is_before(before: float, value: float) -> bool:
    """Return whether a value is still on the initial side; zero is if the function has been zero since the start."""
    return abs(before) == AT_START if value == 0 else (value < 0) == (before < 0)


@dataclass
class _Path:
    """Progress of the search for zeros of an event function within a step: position, and value there."""

    event: int
    direction: int
    value: float
    scale: float
    begins: bool
    """True if the run starts with this step."""
    offset: float = 0.0
    """Largest value beyond zero that counts as zero, for a function that has been zero since the start."""
    x: float = 0.0

    def since_start(self, value: float) -> float:
        """Return a value, which counts as the one at the start while the function has been zero since then."""
        is_zero = value == 0 or (value * self.direction > 0 and abs(value) <= self.offset)
        return self.value if is_zero and abs(self.value) == AT_START else value


def _are_far(layout: Layout, samples: Array) -> Array:
    """Return whether each function is smooth and far from zero, judged by its outline samples; functions of contacts at
    rest are constant up to rounding."""
    low, high = samples.min(axis=0), samples.max(axis=0)
    cubic = sum(weight * sample for weight, sample in zip(CUBIC, samples, strict=True))
    nearest = np.where(low > 0, low, -high)
    is_constant = (layout.contact_of_event >= 0) & (nearest > SURELY_FAR * (high - low))
    is_smooth = (nearest > EVENT_FAR * (high - low)) & (np.abs(cubic) <= EVENT_FAR_CUBIC * (high - low))
    return np.asarray(is_constant | is_smooth)


def is_in_other_mode(layout: Layout, event: int, q: Array) -> bool:
    """Return whether an event belongs to another mode of its contact than the present one."""
    found = int(layout.contact_of_event[event])
    if found < 0:
        return False
    contact = layout.contacts[found // len(CONTACT_EVENTS)]
    is_closed, sticks = q[contact[CLOSED]] != 0, contact[STICKS] >= 0 and q[contact[STICKS]] != 0
    return not (not is_closed, is_closed, is_closed and not sticks, sticks)[found % len(CONTACT_EVENTS)]


class EventSearch:
    """Search for all events within a step.

    Parameters
    ----------
    inside
        The step.
    before, after
        Event functions at its ends.
    begins
        True if the run starts with it.

    Attributes
    ----------
    after
        Event functions at the end, with negligible values replaced by zero.
    """

    def __init__(self, inside: StepInside, before: Array, after: Array, *, begins: bool) -> None:
        self._inside, self.after, self._begins = inside, after, begins
        self._found: list[Found] = []
        middle = [inside.events_inside(NODES[i]) for i in OUTLINE[1:-1]]
        layout, q = inside.stepper.system.layout, inside.state.q
        self._far = _are_far(layout, np.array([before, *middle, after]))
        self._is_far = all(self._far[k] or is_in_other_mode(layout, k, q) for k in range(len(self._far)))
        if self._is_far:
            return
        outer = [inside.events_inside(NODES[i]) for i in (1, 4)]
        self._sample = np.array([before, outer[0], *middle, outer[1], after])
        self._scale = np.abs(self._sample).max(axis=0)
        self._clear_start(self._sample[0], self._scale)
        self.after = self._sample[-1]
        self.after[np.abs(self.after) <= EVENT_TOUCH * self._scale] = 0.0

    def found(self) -> list[Found]:
        """All events of the step, function by function, each in order of time."""
        if self._is_far:
            return []
        values = self._inside.stepper.system.layout.events
        for index, value in enumerate(values):
            layout = self._inside.stepper.system.layout
            if is_idle(layout, index, self._inside.state.q):
                continue
            if layout.contact_of_event[index] >= 0 and self._far[index]:
                continue
            path = _Path(index, value.direction, float(self._sample[0, index]), float(self._scale[index]), self._begins)
            path.offset = self._start_offset(path)
            self._search(path)
            self._keep_start(path)
        return self._found

    def _start_offset(self, path: _Path) -> float:
        """Return the offset of a function that counts as zero at the start, where it can be beyond zero by rounding: a
        contact that lifts directly after an impact does not touch again."""
        if abs(path.value) != AT_START:
            return 0.0
        state = self._inside.state
        found = self._inside.stepper.mechanics.events(state.t, state.q, state.v, state.multipliers)[path.event]
        return ROUGH_OFFSET * abs(float(found)) if found * path.direction > 0 else 0.0

    def _clear_start(self, before: Array, scale: Array) -> None:
        """At the start of a run, replace a value of the size of round-off on the side of the direction by zero."""
        directions = np.array([value.direction for value in self._inside.stepper.system.layout.events], dtype=float)
        is_zero = (before * directions > 0) & (np.abs(before) <= EVENT_TOUCH * scale)
        if self._begins:
            before[is_zero] = -AT_START * directions[is_zero]

    def _keep_start(self, path: _Path) -> None:
        """Preserve the initial side of a function that has been zero since the start of the run."""
        self.after[path.event] = path.since_start(float(self.after[path.event]))

    def _search(self, path: _Path) -> None:
        start, width = 0.0, 1.0
        while start < 1:
            if not start + width < 1:
                width = 1 - start
            values = (self._sample if width == 1 else self._panel(start, width))[:, path.event]
            c = np.zeros(len(NODES))
            for j, value in enumerate(values):
                c = c + BERNSTEIN[:, j] * value
            variation = float(np.ptp(values))
            a, b = (c[k] - 4 * c[k + 1] + 6 * c[k + 2] - 4 * c[k + 3] + c[k + 4] for k in (0, 1))
            last = 5 * abs(a + b) / 256 + abs(b - a) / 512
            is_smallest = not width > SMALLEST_PANEL
            if not is_smallest and not (
                last <= EVENT_RESOLVED * variation
                and (last <= EVENT_SURE * variation or self._agrees(path.event, start, width, c, variation))
            ):
                width *= 0.5
                continue
            x, value, known = path.x, path.value, len(self._found)
            if not self._follow_panel(path, start, width, c, variation, float(values[-1])):
                if not self._inside.is_by_steps:
                    self._begin_by_steps(path)
                    start, width = 0.0, 1.0
                    continue
                path.x, path.value = x, value
                del self._found[known:]
                if not is_smallest:
                    width *= 0.5
                    continue
                self._follow_samples(path, start, width, values)
            start, width = start + width, 2 * width

    def _agrees(self, event: int, start: float, width: float, c: Array, variation: float) -> bool:
        """Return whether a function also agrees with its polynomial between the samples of a part."""
        return all(
            abs(self._inside.events_inside(start + s * width)[event] - bernstein_value(c, s))
            <= EVENT_MARGIN * variation
            for s in CHECKS
        )

    def _begin_by_steps(self, path: _Path) -> None:
        """Restart the search for a function whose values at interpolated states have wrong signs, with samples computed
        by steps."""
        self._inside.is_by_steps = True
        for i in range(1, len(NODES) - 1):
            self._sample[i] = self._inside.events_inside(NODES[i])
        self._found = [found for found in self._found if found[0] != path.event]
        path.x, path.value = 0.0, float(self._sample[0, path.event])

    def _panel(self, start: float, width: float) -> Array:
        """Samples of a part of the step."""
        rows = []
        for i, node in enumerate(NODES):
            if (i == 0 and start == 0) or (i + 1 == len(NODES) and not start + width < 1):
                rows.append(self._sample[i])
            else:
                rows.append(self._inside.events_inside(start + node * width))
        return np.array(rows)

    def _follow_panel(
        self, path: _Path, start: float, width: float, c: Array, variation: float, end_value: float
    ) -> bool:
        """Search a part of the step from extremum to extremum of the polynomial; False if the polynomial is wrong."""
        h, margin = self._inside.h, EVENT_MARGIN * variation
        x, length = start * h, width * h
        slope = np.diff(c)
        previous = slope[0]
        for k in range(1, EVENT_GRID + 1) if np.any((c * c[0] <= 0) | (np.abs(c) <= margin)) else ():
            s = k / EVENT_GRID
            here = bernstein_value(slope, s)
            if previous * here < 0 or (here == 0 and previous != 0 and k < EVENT_GRID):
                at = s - here / ((here - previous) * EVENT_GRID)
                place, value = float(x + at * length), bernstein_value(c, at)
                if abs(value) <= margin:
                    sign, part = 1 if previous < 0 else -1, length / (2 * EVENT_GRID)
                    place, value = self._settled(path, sign, part, place, value)
                if place > path.x and not self._follow(path, place, value):
                    return False
            previous = here
        is_end = not start + width < 1
        last = h if is_end else x + length
        if not last > path.x:
            return True
        if not is_end and abs(end_value) <= margin:
            end_value = self._clear(path, float(self._inside.step_to(last)[1][path.event]))
        return self._follow(path, last, end_value)

    def _follow_samples(self, path: _Path, start: float, width: float, values: Array) -> None:
        """Search at samples, where no polynomial represents the states."""
        h = self._inside.h
        for node, value in zip(NODES[1:], values[1:], strict=True):
            s = start + node * width
            x = s * h if s < 1 else h
            if x > path.x:
                self._follow(path, x, float(value))

    def _settled(self, path: _Path, sign: int, width: float, x: float, value: float) -> tuple[float, float]:
        """Position and value of a minimum (sign 1) or a maximum (-1), or of a point beyond a zero."""
        inside = self._inside
        h, d, center = inside.h, width, x
        for _ in range(EXTREMUM_STEPS):
            d = min(d, 0.5 * min(center, h - center))
            if not d > 0:
                break
            g = []
            for k in range(3):
                x = center + (k - 1) * d
                g.append(float(inside.step_to(x)[1][path.event]))
                if sign * g[-1] < -EVENT_TOUCH * path.scale:
                    return x, g[-1]
            curvature = sign * (g[0] - 2 * g[1] + g[2])
            if not curvature > 0:
                break
            shift = -sign * d * (g[2] - g[0]) / (2 * curvature)
            center += min(2 * d, max(-2 * d, shift))
            if abs(shift) <= 0.5 * d:
                d *= 0.0625
            if not 0 < center < h or abs(shift) <= EXTREMUM_ENOUGH * h:
                break
        x = min(max(center, 0.0), h)
        return (x, self._clear(path, float(inside.step_to(x)[1][path.event]))) if x > 0 else (x, value)

    @staticmethod
    def _clear(path: _Path, value: float) -> float:
        """A value, with negligible ones replaced by zero."""
        return 0.0 if abs(value) <= EVENT_TOUCH * path.scale else value

    def _follow(self, path: _Path, x: float, value: float) -> bool:
        """Advance the search to the length x, where the value of the function is known, and store an event before x.

        False if steps of the method do not confirm the sign change.
        """
        value = path.since_start(value)
        if (
            path.begins
            and path.x == 0
            and abs(path.value) == AT_START
            and is_crossing(path.value, value, path.direction)
        ):
            self._found.append((path.event, self._inside.state.t, self._inside.at_start()))
        elif is_crossing(path.value, value, path.direction):
            located = self._located(path, x, value)
            if located is None:
                return False
            t, trial, at_zero = located
            if abs(at_zero) <= EVENT_POLE * path.scale:
                self._found.append((path.event, t, trial))
        path.x, path.value = x, value
        return True

    def _located(self, path: _Path, high: float, b: float) -> tuple[float, Trial, float] | None:
        """Time directly after the first zero beyond the current position, with the trial step to this time and the
        value there.

        None if a step of the method contradicts the sign at an end of the interval.
        """
        inside, before = self._inside, path.value
        t, h = inside.state.t, inside.h
        low, a, side = path.x, before, 0
        width = ZERO_WIDTH * max(abs(t), abs(t + h))
        behind, at, at_zero = -1.0, inside.trial, b
        for n in range(EVENT_ITERATIONS):
            if not high - low > width or b == 0:
                break
            x = high - b * (high - low) / (b - a)
            if not low < x < high or n % 4 == 3:
                x = low + 0.5 * (high - low)
            if not low < x < high:
                break
            (at, values), behind = inside.step_to(x), x
            at_zero = c = float(values[path.event])
            if is_before(before, c):
                low, a = x, c
                b *= 0.5 if side == -1 else 1.0
                side = -1
            else:
                high, b = x, c
                a *= 0.5 if side == 1 else 1.0
                side = 1
        # The value at an end that was never replaced may come from an interpolated state.
        if low == path.x and low > 0:
            c, behind = float(inside.step_to(low)[1][path.event]), low
            if not is_before(before, c):
                return None
        if high == h:
            return inside.end, inside.trial, b
        if behind != high:
            at, values = inside.step_to(high)
            at_zero = float(values[path.event])
            if b != 0 and is_before(before, at_zero):
                return None
        return t + high, at, at_zero


class SeriesSearch(EventSearch):
    """Event search for functions with Taylor series; see `EventSearch` and ``event_series.h``."""

    def __init__(self, inside: StepInside, before: Array, after: Array, *, begins: bool) -> None:
        self._inside, self._before, self.after, self._begins = inside, before.copy(), after, begins
        self._found = []
        self._clear_start(self._before, np.maximum(np.abs(before), np.abs(after)))

    def found(self) -> list[Found]:
        layout = self._inside.stepper.system.layout
        for index, value in enumerate(layout.events):
            if is_idle(layout, index, self._inside.state.q):
                continue
            before = float(self._before[index])
            scale = max(abs(before), abs(float(self.after[index])))
            known, self._inside.is_by_steps = len(self._found), False
            path = _Path(index, value.direction, before, scale, self._begins)
            path.offset = offset = self._start_offset(path)
            if not all(self._follow_pieces(path)):
                # The series is as accurate as the step: all values now come from steps.
                del self._found[known:]
                self._inside.is_by_steps = True
                path = _Path(index, value.direction, before, scale, self._begins, offset)
                list(self._follow_pieces(path))
            self._keep_start(path)
        return self._found

    def _follow_pieces(self, path: _Path) -> Iterator[bool]:
        """Search parts of the step in order; yield for each whether the series is reliable there."""
        inside, done, is_end = self._inside, 0.0, False
        state = inside.state
        while not is_end:
            rest = inside.h - done
            piece = inside.stepper.method.event_piece(inside.stepper, state, rest)
            assert piece is not None
            of_unit, b = resolved_form(piece.coefficients[:, path.event], piece.length / piece.unit, piece.last_terms)
            length = of_unit * piece.unit
            is_end = not length < rest
            path.scale = max(path.scale, float(np.abs(b).max()))
            if is_end:
                self.after[path.event] = self._clear(path, float(self.after[path.event]))
            yield self._follow_form(path, done, length, b, is_end)
            done += length
            state = State(inside.state.t + done, *piece.state_at(length))

    def _follow_form(self, path: _Path, done: float, length: float, b: Array, is_end: bool) -> bool:
        inside, near = self._inside, EVENT_MARGIN * float(np.ptp(b))
        for s, value, is_extremum in turning_points(b, near, EVENT_TOUCH * path.scale):
            if is_end and s == 1:
                x, value = inside.h, float(self.after[path.event])
            else:
                x = done + s * length
                if x > path.x and (inside.is_by_steps or abs(value) <= near):
                    value = float(inside.step_to(x)[1][path.event])
                    value = self._clear(path, value) if is_extremum else value
            if x > path.x and not self._follow(path, x, value):
                return False
        return True
