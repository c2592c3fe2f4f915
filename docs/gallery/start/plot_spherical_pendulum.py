r"""
A spherical pendulum
====================

A mass on a rod without inertia: a point :math:`x` of :math:`\mathbb{R}^3`, its energies, and the constraint that it
stays at the distance :math:`L` from the pivot. No angles are needed, so nothing is singular where the pendulum hangs
straight down.

symlie derives the equations of motion with the multiplier of the rod, compiles them and integrates them. Known: the
energy and the angular momentum about the vertical are conserved.
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
# The equations of motion are derived from that; a notebook shows ``equations`` as LaTeX. They become C if there is a
# compiler, else NumPy. Steps follow from the tolerance.

equations = pendulum.derive()
system = equations.compile()
solution = sl.solve(system, 10, rtol=1e-9)
solution.plot(panels=["bob.x", "tension"])

# %%
# What is conserved is conserved, and the pull of the rod is :math:`m(|\dot x|^2 - g x_3)/L`, as the acceleration
# along the rod says.

energy, momentum = solution.outputs["energy"], solution.outputs["angular_momentum"]
print("energy changes by", np.ptp(energy), "J, angular momentum by", np.ptp(momentum), "kg m²/s")
x, x_dot = solution.field("bob", "x"), solution.field("bob", "x_dot")
pull = (x_dot**2).sum(axis=1) - 9.81 * x[:, 2]

assert np.ptp(energy) < 1e-6
assert np.ptp(momentum) < 1e-6
assert np.allclose(abs(solution.outputs["tension"]), pull, rtol=1e-6)

# %%
# The motion in space:

solution.view()
