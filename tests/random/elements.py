"""Comparison of the kernels of one element with its definition."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf
from sympy import Expr

from symlie.ir.kernels import ElementTypeKernels, Kernel
from tests import tolerances
from tests.derive.definition import State, difference, dot, plus, second_difference
from tests.derive.matrices import Numbers
from tests.evaluation import Evaluation
from tests.random.findings import Findings
from tests.random.generated import Judged, SystemState
from tests.random.generator import Part
from tests.random.rounding import Bounded, bounds, kernel_bounds


class ElementJudge:
    """One instance of an element type at one state."""

    def __init__(
        self, judged: Judged, part: Part, instance: int, state: SystemState, draw: random.Random, findings: Findings
    ) -> None:
        self.judged, self.part, self.findings, self.draw = judged, part, findings, draw
        layout = judged.layout
        self.index = next(k for k, e in enumerate(layout.elements) if e.name == part.model.name)
        self.kind: ElementTypeKernels = judged.emitted.types.element_type(part.model.name)
        self.kernels: dict[str, Kernel] = {
            k.signature.name.removeprefix(f"{self.kind.name}_"): k for k in self.kind.kernels
        }
        self.instance = instance
        self.storage, self.velocity = layout.stored_places[self.index][instance], layout.places[self.index][instance]
        rows, first = layout.element_rows[self.index], layout.first_rows[self.index]
        own = slice(first + rows * instance, first + rows * (instance + 1))
        self.t, self.q, self.v = state.t, state.q[self.storage], state.v[self.velocity]
        self.multipliers = state.multipliers[own]
        self.label = f"{self.kind.name}[{instance}]"
        self.values: dict[str, list[Bounded]] = {}

    def run(self) -> None:
        """Compare every kernel with its definition."""
        self.part.instance = self.instance
        self._evaluate()
        self._state_in_digits()
        for check in (
            self._energy, self._mass, self._force, self._constraints, self._outputs, self._events
        ):  # fmt: skip
            check()

    def _prepared(self) -> tuple[list[Bounded], list[Bounded]]:
        types, layout = self.judged.emitted.types, self.judged.layout
        p = bounds(types.prepare.body, {f"p[{k}]": (float(c), 0.0) for k, c in enumerate(layout.parameter_defaults)})
        rows = layout.element_parameters[self.index]
        e = rows[self.instance if len(rows) > 1 else 0]
        inputs = {f"p[{k}]": c for k, c in enumerate(p)} | {f"e[{k}]": (float(c), 0.0) for k, c in enumerate(e)}
        return p, bounds(self.kernels["prepare_element"].body, inputs)

    def _evaluate(self) -> None:
        """All kernels in NumPy with bounds of their errors; both evaluations must agree."""
        p, e = self._prepared()
        # Elements are in the group up to rounding, which counts as an error of the input.
        inputs: dict[str, Any] = {
            "t": (self.t, 0.0),
            "q": [(float(c), tolerances.EPSILON * max(1.0, abs(float(c)))) for c in self.q],
            "v": [(float(c), 0.0) for c in self.v],
            "multipliers": [(float(c), 0.0) for c in self.multipliers],
            "p": p,
            "e": e,
        }
        prepared = self.judged.prepared
        rows = prepared.elements[self.index]
        arrays = {"t": np.float64(self.t), "q": self.q, "v": self.v, "multipliers": self.multipliers,
                  "p": prepared.model, "e": rows[self.instance if len(rows) > 1 else 0]}  # fmt: skip
        for name, kernel in self.kernels.items():
            if name == "prepare_element":
                continue
            bounded = kernel_bounds(kernel, inputs)
            function = self.judged.numpy._functions[kernel.signature.name]
            with np.errstate(all="ignore"):
                found = function(*(arrays[a.name] for a in kernel.signature.arguments if not a.is_output))
            self.findings.compare(f"{self.label} {name} in NumPy", bounded, [mpf(float(c)) for c in found])
            self.values[name] = [(float(c), b) for c, (_, b) in zip(found, bounded, strict=True)]

    def _state_in_digits(self) -> None:
        q, offset = [], 0
        for group in self.part.groups:
            q.append([mpf(float(c)) for c in self.q[offset : offset + group.storage]])
            offset += group.storage
        self.at = (mpf(self.t), q, [mpf(float(c)) for c in self.v])
        self.w, self.other = (
            [mpf(self.draw.uniform(-1, 1)) for _ in self.v] for _ in range(2)
        )  # fmt: skip

    def _dotted(self, name: str, w: Sequence[mpf], size: int) -> list[Bounded]:
        values = self.values.get(name) or [(0.0, 0.0)] * size
        total = mpmath.fsum(mpf(v) * c for (v, _), c in zip(values, w, strict=True))
        rounding = tolerances.EPSILON * sum(abs(v * float(c)) for (v, _), c in zip(values, w, strict=True))
        return [(float(total), rounding + sum(b * abs(float(c)) for (_, b), c in zip(values, w, strict=True)))]

    def _products(self, name: str, rows: Sequence[int], columns: Sequence[int], w: Sequence[mpf], count: int,
                  left: Sequence[mpf] | None = None) -> list[Bounded]:  # fmt: skip
        """A stored matrix times a vector; with ``left``, the symmetric one between two vectors."""
        sums, errors = [mpf(0)] * count, [0.0] * count
        for (value, bound), i, j in zip(self.values.get(name, []), rows, columns, strict=True):
            factor = w[j]
            place = i
            if left is not None:
                factor, place = left[i] * w[j] + (left[j] * w[i] if i != j else 0), 0
            sums[place] += mpf(value) * factor
            errors[place] += (bound + tolerances.EPSILON * abs(value)) * abs(float(factor))
        return [(float(s), e) for s, e in zip(sums, errors, strict=True)]

    def _energy(self) -> None:
        self.findings.compare(f"{self.label} energy", self.values["energy"], self.part.energies(*self.at))

    def _mass(self) -> None:
        t, q, v = self.at
        rest = [mpf(0)] * len(v)
        expected = self.part.momentum(t, q, self.other, self.w) - self.part.momentum(t, q, rest, self.w)
        pattern = self.kind.mass
        found = self._products("mass", pattern.rows, pattern.columns, self.w, 1, self.other) if pattern.count \
            else [(0.0, 0.0)]  # fmt: skip
        self.findings.compare(f"{self.label} mass", found, [expected])

    def _force(self) -> None:
        expected = self.part.force_of_definition(State(*self.at), self.w)
        self.findings.compare(
            f"{self.label} force",
            self._dotted("force", self.w, len(self.v)),
            [expected],
            tolerances.VARIATION_OF_RANDOM,
        )

    def _rows(self, holonomic: bool) -> tuple[list[int], Callable[[mpf, Any, Any], Numbers]]:
        stated = [(row, c.level == 0) for c in self.part.model.constraints for row in c.rows]
        chosen = [k for k, (_, is_holonomic) in enumerate(stated) if is_holonomic == holonomic]
        return chosen, self.part.function([stated[k][0] for k in chosen])

    def _constraints(self) -> None:
        t, q, v = self.at
        count = self.kind.rows
        if not count:
            return
        part, slack = self.part, tolerances.VARIATION_OF_RANDOM
        rest = [mpf(0)] * len(v)
        pattern = self.kind.jacobian
        moved = self._products("jacobian", pattern.rows, pattern.columns, self.w, count)
        nothing: list[Bounded] = [(0.0, 0.0)] * count
        position, rate = self.values.get("constraint", nothing), self.values.get("constraint_rate", nothing)
        for holonomic in (True, False):
            chosen, f = self._rows(holonomic)

            def pick(values: Sequence[Bounded], chosen: Sequence[int] = chosen) -> list[Bounded]:
                return [values[k] for k in chosen]

            def along(h: mpf, f: Any = f) -> Numbers:
                return list(f(t + h, part.moved(q, v, h), v))

            if not chosen:
                continue
            if holonomic:
                expected = (
                    f(t, q, v), difference(lambda h, f=f: f(t, part.moved(q, self.w, h), v)),
                    difference(lambda h, f=f: f(t + h, q, v)), second_difference(along),
                )  # fmt: skip
            else:
                expected = (
                    [mpf(0)] * len(chosen), plus(f(t, q, self.w), [-c for c in f(t, q, rest)]),
                    f(t, q, rest), difference(along),
                )  # fmt: skip
            for name, found, wanted in zip(
                ("constraint", "jacobian", "constraint rate", "curvature"),
                (position, moved, rate, self.values["curvature"]),
                expected,
                strict=True,
            ):
                kind = "holonomic" if holonomic else "nonholonomic"
                self.findings.compare(f"{self.label} {kind} {name}", pick(found), wanted, slack)

    def _outputs(self) -> None:
        t, q, v = self.at
        for output in self.part.model.outputs:
            part = self.values[f"output_{output.name}"]
            label = f"{self.label} output {output.name}"
            if output.name in self.part.rates:
                f = self._function([self.part.rates[output.name]])
                expected = difference(lambda h, f=f: f(t + h, self.part.moved(q, v, h), v))
                self.findings.compare(label, part, expected, tolerances.VARIATION_OF_RANDOM)
            elif output.name in self.part.reactions:
                self._reaction(label, part, self.part.reactions[output.name])
            else:
                self.findings.compare(label, part, self._function(output.components)(t, q, v))

    def _function(self, expressions: Sequence[Expr]) -> Callable[[mpf, Any, Any], Numbers]:
        """Expressions that may contain multipliers."""
        evaluation = Evaluation(self.part.model.program, list(expressions))
        multipliers = dict(zip(self.part.model.multipliers, map(mpf, map(float, self.multipliers)), strict=True))
        return lambda t, q, v: evaluation(self.part.values(t, q, v) | multipliers)

    def _reaction(self, label: str, found: Sequence[Bounded], place: int) -> None:
        """The power of the constraint force of one node along w equals the power of -λ."""
        t, q, v = self.at
        sizes = [g.dimension for g in self.part.groups]
        start = sum(sizes[:place])
        inside = range(start, start + sizes[place])
        w = [c if k in inside else mpf(0) for k, c in enumerate(self.w)]
        expected = mpf(0)
        for holonomic in (True, False):
            chosen, f = self._rows(holonomic)
            if chosen:
                rest = [mpf(0)] * len(v)
                powers = (
                    difference(lambda h, f=f: f(t, self.part.moved(q, w, h), v))
                    if holonomic
                    else plus(f(t, q, w), [-c for c in f(t, q, rest)])
                )
                expected -= dot(powers, [mpf(float(self.multipliers[k])) for k in chosen])
        own = [w[k] for k in inside]
        total = float(mpmath.fsum(mpf(c) * x for (c, _), x in zip(found, own, strict=True)))
        bound = sum((b + tolerances.EPSILON * abs(c)) * abs(float(x)) for (c, b), x in zip(found, own, strict=True))
        self.findings.compare(label, [(total, bound)], [expected], tolerances.VARIATION_OF_RANDOM)

    def _events(self) -> None:
        stated = [e.expression for e in self.part.model.events]
        if stated:
            self.findings.compare(f"{self.label} events", self.values["events"], self._function(stated)(*self.at))
