"""
C and NumPy backends
====================

symlie generates C code, which it compiles and loads, and NumPy code, which is portable and readable. Both have the same
list of operations, and compiler options do not permit optimisations that change results.

Verification: the results agree to rounding. Code is compiled once and then cached.
"""

import time

import matplotlib.pyplot as plt

import symlie as sl

model = sl.Model("two_bodies")
upper, lower = (
    sl.RigidBody(model, name, 2.0, [0.1, 0.2, 0.3], position=[0, 0, z])
    for name, z in (("upper", -0.5), ("lower", -1.5))
)
sl.SphericalJoint(model, "pivot", model.ground, upper, at=[0, 0, 0])
sl.RevoluteJoint(model, "hinge", upper, lower, at=[0, 0, -1], axis=[0, 1, 0])
model.gravity([0, 0, -9.81])
model.initial(upper.node, Omega=[1, 2, 3])
equations = model.derive()

# %%
# The same run with both backends:

times, solutions = {}, {}
for backend in "c", "numpy":
    begin = time.process_time()
    system = equations.compile(backend=backend)
    made = time.process_time()
    solutions[backend] = sl.solve(system, 0.5, method="half_explicit_5", h=2.5e-3)
    times[backend] = made - begin, time.process_time() - made

figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for k, title in enumerate(["generate and compile", "200 steps"]):
    axes[k].bar(list(times), [times[name][k] for name in times], color=["C0", "C1"], width=0.5)
    axes[k].set(title=title, ylabel="processor time, s", yscale="log" if k else "linear")
    axes[k].grid(axis="x", visible=False)

apart = max(
    abs(solutions["c"].field(body, name) - solutions["numpy"].field(body, name)).max()
    for body in ("upper", "lower")
    for name in ("R", "x", "Omega", "x_dot")
)
print("largest difference:", apart)
assert apart < 1e-12
