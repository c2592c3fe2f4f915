"""A random model against its definition in 50 digits, and the compiled kernels against those in NumPy."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf

import symlie as sl
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.kernels.protocol import Kernels, Prepared
from tests import tolerances
from tests.derive.matrices import DIGITS
from tests.random.elements import ElementJudge
from tests.random.findings import Findings
from tests.random.generated import KINDS, Judged, SystemState, random_state
from tests.random.generator import RandomModel
from tests.random.rounding import Bounded, kernel_bounds

STEPS = 3
"""Steps of the run that both backends take."""


def judge(
    drawn: RandomModel, draw: random.Random, *, kinds: Sequence[str] = tuple(KINDS), compile_kernels: bool = True,
    most: int = 1,
) -> Findings:  # fmt: skip
    """All disagreements of a random model.

    Parameters
    ----------
    drawn
        The model.
    draw
        Chooses states and directions.
    kinds
        Kinds of states.
    compile_kernels
        If True, the kernels are compiled and compared with NumPy.
    most
        Instances of each element type that are compared with their definition.
    """
    findings = Findings()
    judged = Judged.of(drawn)
    with mpmath.workdps(DIGITS), tempfile.TemporaryDirectory() as folder:
        c = judged.compiled(Path(folder)) if compile_kernels else None
        for kind in kinds:
            state = random_state(judged, draw, kind)
            marked = Findings()
            elements = []
            for part in drawn.parts:
                count = len(part.places)
                for instance in range(count):
                    element = ElementJudge(judged, part, instance, state, draw, marked)
                    if instance < most:
                        element.run()
                    else:
                        element._evaluate()
                    elements.append(element)
            _judge_assembly(judged, state, elements, c, marked)
            _judge_nodes(judged, state, c, marked)
            findings += [f"{kind}: {finding}" for finding in marked]
    return findings


def _judge_assembly(
    judged: Judged, state: SystemState, elements: Sequence[ElementJudge], c: CKernels | None, findings: Findings
) -> None:
    """Sums over elements in both backends."""
    layout = judged.layout
    force: list[Bounded] = [(0.0, 0.0)] * layout.dimension
    energy: list[Bounded] = [(0.0, 0.0)] * 2
    outputs: list[Bounded] = [(0.0, 0.0)] * layout.outputs_size
    joined = ("mass", "jacobian", "constraint", "constraint_rate", "curvature", "events")
    rows: dict[str, list[Bounded]] = {name: [] for name in joined}
    for index in range(len(layout.elements)):
        for element in elements:
            if element.index != index:
                continue
            values = element.values
            for place, (value, bound) in zip(element.velocity, values.get("force", []), strict=False):
                force[place] = _plus(force[place], (value, bound))
            energy = [_plus(a, b) for a, b in zip(energy, values["energy"], strict=True)]
            for output in layout.elements[index].outputs:
                for target, part in enumerate(values[f"output_{output.name}"], layout.outputs[output.name][0].start):
                    outputs[target] = _plus(outputs[target], part)
            size = layout.element_rows[index]
            rows["mass"] += values.get("mass", [])
            rows["jacobian"] += values.get("jacobian", [])
            rows["events"] += values.get("events", [])
            for name in ("constraint", "constraint_rate", "curvature"):
                rows[name] += values.get(name, [(0.0, 0.0)] * size)
    q, v, t, multipliers = state.q, state.v, state.t, state.multipliers
    arguments: dict[str, tuple[Any, ...]] = {
        "mass": (q,), "jacobian": (q, v), "constraint": (q,), "constraint_rate": (q, v), "force": (q, v),
        "energy": (q, v), "curvature": (q, v), "outputs": (q, v, multipliers), "events": (q, v, multipliers),
    }  # fmt: skip
    sums = {"force": force, "energy": energy, "outputs": outputs, **rows}
    backends: list[tuple[str, Kernels, Prepared]] = [("NumPy", judged.numpy, judged.prepared)]
    if c is not None:
        backends.append(("C", c, c.prepare(layout.parameter_defaults, layout.element_parameters)))
    for label, kernels, prepared in backends:
        for name, given in arguments.items():
            found = getattr(kernels, name)(prepared, t, *given)
            findings.compare(f"assembled {name} in {label}", sums[name], [mpf(float(x)) for x in found])


def _plus(a: Bounded, b: Bounded) -> Bounded:
    total = a[0] + b[0]
    return total, a[1] + b[1] + tolerances.EPSILON * (abs(a[0]) + abs(b[0]))


def _judge_nodes(judged: Judged, state: SystemState, c: CKernels | None, findings: Findings) -> None:
    """The kernels of node types in both backends, and q∘exp(u) by its definition."""
    layout, q, u, w = judged.layout, state.q, state.u, state.v
    arguments = {
        "advance": (q, u),
        "inverse_tangent_operator": (u, w),
        "tangent_operator": (u, w),
        "bracket": (u, w),
        "normalize": (q,),
    }
    pair = ("u", "w")
    names = {
        "advance": ("q", "u"),
        "inverse_tangent_operator": pair,
        "tangent_operator": pair,
        "bracket": pair,
        "normalize": ("q",),
    }
    for name, given in arguments.items():
        on_storage = name in ("advance", "normalize")
        expected: list[Bounded] = [(0.0, 0.0)] * (layout.storage if on_storage else layout.dimension)
        for node in layout.nodes:
            kernel = next(k for k in judged.emitted.types.node_type(node.type.name).kernels
                          if k.signature.name == f"{node.type.name}_{name}")  # fmt: skip
            storage, dimension = node.type.storage, node.type.dimension
            for k in range(node.count):
                places = {
                    "q": range(node.storage.start + k * storage, node.storage.start + (k + 1) * storage),
                    "u": range(node.velocity.start + k * dimension, node.velocity.start + (k + 1) * dimension),
                }
                places["w"] = places["u"]
                inputs = {
                    label: [(float(values[i]), 0.0) for i in places[label]]
                    for label, values in zip(names[name], given, strict=True)
                }
                own = kernel_bounds(kernel, inputs)
                if name == "advance":
                    group, _ = judged.drawn.nodes[node.name]
                    exact = group.advance([mpf(c) for c, _ in inputs["q"]], [mpf(c) for c, _ in inputs["u"]])
                    findings.compare(f"{node.name} q∘exp(u)", own, exact)
                for place, value in zip(places["q" if on_storage else "u"], own, strict=True):
                    expected[place] = value
        for label, kernels in (("NumPy", judged.numpy), ("C", c)):
            if kernels is not None:
                found = getattr(kernels, name)(*given)
                findings.compare(f"{name} in {label}", expected, [mpf(float(x)) for x in found])


def judge_run(drawn: RandomModel) -> Findings:
    """Compare the steps of both backends; the initial values of random models are consistent."""
    findings = Findings()
    equations = drawn.model.derive()
    ends = {}
    for backend in ("numpy", "c"):
        system = equations.compile(backend=backend)
        solution = sl.solve(system, STEPS / 256, method="half_explicit_3", h=1 / 256)
        ends[backend] = np.concatenate([solution.q[-1], solution.v[-1]])
    scale = max(1.0, float(np.abs(ends["c"]).max()))
    error = float(np.abs(ends["c"] - ends["numpy"]).max())
    if not error <= tolerances.RANDOM_RUN * scale:
        findings.append(f"states after {STEPS} steps differ by {error:.3g} of {scale:.3g}")
    return findings
