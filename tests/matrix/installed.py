"""Check an installed package without its repository and extras: derive, compile, solve, save, reject."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import symlie as sl

ROUNDING = 64 * np.finfo(float).eps
"""Two backends after 64 steps, with values of size one: a rounding of each step. Measured 0."""

assert Path(sl.__file__).is_relative_to(sys.prefix), f"symlie comes from {sl.__file__}"

model = sl.Model("wheel")
push = model.input("push", unit="N m")
wheel = model.node("wheel", sl.SO3)
model.kinetic_energy(wheel.Omega.dot(wheel.Omega) / 2)
model.generalized_force(wheel, push * wheel.R.T[:, 2])
model.initial(wheel, Omega=[1.0, 0.5, 0.0])
equations = model.derive()
in_c, in_numpy = (
    sl.solve(equations.compile(backend=backend).with_input("push", [0.0, 1.0], [0.0, 1.0]), 1.0, h=2.0**-6)
    for backend in ("c", "numpy")
)
for part in ("q", "v"):
    assert np.allclose(getattr(in_c, part), getattr(in_numpy, part), rtol=0, atol=ROUNDING), part
in_c.save("wheel.npz")
assert np.array_equal(sl.load_solution("wheel.npz", trust=True).q, in_c.q)
try:
    in_c.plot()
except sl.errors.MissingDependencyError as error:
    assert "symlie[plot]" in str(error), error
else:
    raise AssertionError("matplotlib is there, although no extra was asked for")
print(f"symlie {sl.__version__} solves in C and NumPy, without extras, from {sys.prefix}")
