"""Generated code of random models, and states that it is judged at."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symlie.compile.compiler import BASE_FLAGS, run_compiler
from symlie.compile.library import Library
from symlie.derive.equations import Equations
from symlie.derive.kernels import model_kernels
from symlie.emit.c.model import emit_c
from symlie.emit.manifest import manifest_of, types_of
from symlie.emit.numpy.model import emit_numpy
from symlie.ir.kernels import Elimination, EmittedModel
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.kernels.c_library import library_files
from symlie.runtime.kernels.numpy import NumpyKernels
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.layout import Array, Layout
from tests.random import groups
from tests.random.generator import RandomModel

KINDS = {"identity": (0.0, 0.0), "generic": (0.3, 2.5), "near π": (math.pi - 1e-3, math.pi - 1e-6), "turns": (3.3, 9.0)}
"""Rotation angles of the states that models are judged at."""

QUICK_FLAGS = (*(f for f in BASE_FLAGS if f != "-O3"), "-O0", "-ffp-contract=off")
"""Kernels alone, without optimisation: it changes no bit, and compiles fast."""


@dataclass
class Judged:
    """Generated code of a random model, loaded."""

    drawn: RandomModel
    equations: Equations
    emitted: EmittedModel
    layout: Layout
    numpy: NumpyKernels
    files: Mapping[str, str]
    prepared: Prepared

    @classmethod
    def of(cls, drawn: RandomModel) -> Judged:
        """Derive and emit, without the elimination, which costs more than the kernels."""
        equations = drawn.model.derive()
        fixed = equations.is_fixed
        kernels = model_kernels(drawn.model, equations.derived, fixed=fixed)
        emitted = EmittedModel(kernels, equations.arrangement, Elimination((), 0) if fixed else None)
        types = types_of(emitted)
        layout = Layout(manifest_of(types, equations.arrangement, ()))
        files = {**emit_c(emitted, types.interface_hash), **emit_numpy(emitted, types.interface_hash)}
        numpy = NumpyKernels(layout, files[f"{layout.name}.py"])
        prepared = numpy.prepare(layout.parameter_defaults, layout.element_parameters)
        return cls(drawn, equations, emitted, layout, numpy, files, prepared)

    def compiled(self, folder: Path) -> CKernels:
        """The kernels in C, compiled without optimisation."""
        for name, text in library_files(self.files, self.layout.name, self.layout.algebra_header).items():
            (folder / name).write_text(text, encoding="utf-8")
        run_compiler(folder / "library.c", folder / "library.so", QUICK_FLAGS)
        return CKernels(self.layout, Library(folder / "library.so", self.layout.interface_hash))


@dataclass
class SystemState:
    """A state of all nodes in doubles."""

    t: float
    q: Array
    v: Array
    multipliers: Array
    u: Array
    """A step with large angles."""


def random_state(judged: Judged, draw: random.Random, kind: str) -> SystemState:
    """Nodes with rotation angles of a kind, and velocities of magnitude one."""
    layout = judged.layout
    q, v, u = np.empty(layout.storage), np.empty(layout.dimension), np.empty(layout.dimension)
    for node in layout.nodes:
        group, count = judged.drawn.nodes[node.name]
        elements, steps = [], []
        for _ in range(count):
            elements += groups.element(group, draw, draw.uniform(*KINDS[kind]))
            steps += [draw.uniform(-1, 1) for _ in range(group.dimension)]
        q[node.storage] = [float(c) for c in elements]
        u[node.velocity] = steps
        v[node.velocity] = [draw.uniform(-1.5, 1.5) for _ in range(count * group.dimension)]
    multipliers = np.array([draw.uniform(-2, 2) for _ in range(layout.rows)])
    return SystemState(0.4375, q, v, multipliers, (0.1 if kind == "identity" else 3.0) * u)
