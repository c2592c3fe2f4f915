r"""
Spherical pendulum
==================

A mass on a massless rod is a point :math:`x` of :math:`\mathbb{R}^3` with the constraint :math:`|x| = L`. The model
needs no angles, so that the equations have no singularity at the lowest position. symlie derives the equations of
motion with the multiplier of the rod, compiles and integrates them.

Verification: the energy and the angular momentum about the vertical axis are constant.
"""

import numpy as np

import symlie as sl

pendulum = sl.Model("spherical_pendulum")
m = pendulum.parameter("mass", 1.0, unit="kg")
L = pendulum.parameter("length", 1.0, unit="m")
g = pendulum.parameter("gravity", 9.81, unit="m/s^2")
q = pendulum.node("bob", "R3")
pendulum.kinetic_energy(m * q.x_dot.dot(q.x_dot) / 2)
pendulum.potential_energy(m * g * q.x[2])
rod = pendulum.constraint("rod", (q.x.dot(q.x) - L**2) / 2)
pendulum.output("tension", rod * L, unit="N")
pendulum.output("angular_momentum", m * (q.x[0] * q.x_dot[1] - q.x[1] * q.x_dot[0]), unit="kg m^2/s")
pendulum.initial(q, x=[3 * L / 5, 0, -4 * L / 5], x_dot=[0, 1, 0])
pendulum.shape(q, sl.sphere(0.06))

# %%
# ``derive`` returns the equations of motion, which notebooks display as LaTeX. ``compile`` generates C code, or NumPy
# code without a compiler. The tolerance determines the step size.

equations = pendulum.derive()
system = equations.compile()
solution = sl.solve(system, 10, rtol=1e-9)
solution.plot(panels=["bob.x", "tension"])

# %%
# The invariants are constant, and the tension of the rod is :math:`m(|\dot x|^2 - g x_3)/L`, from the acceleration
# along the rod.

energy, momentum = solution.outputs["energy"], solution.outputs["angular_momentum"]
print("variation of the energy:", np.ptp(energy), "J; of the angular momentum:", np.ptp(momentum), "kg m²/s")
x, x_dot = solution.field("bob", "x"), solution.field("bob", "x_dot")
tension = (x_dot**2).sum(axis=1) - 9.81 * x[:, 2]

assert np.ptp(energy) < 1e-6
assert np.ptp(momentum) < 1e-6
assert np.allclose(abs(solution.outputs["tension"]), tension, rtol=1e-6)

# %%
# 3-D view of the motion:

solution.view()
