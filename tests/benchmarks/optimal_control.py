"""Optimal control, compared with direct multiple shooting in CasADi with IPOPT and exact second derivatives.

pip install casadi
python -m tests.benchmarks.optimal_control

A satellite that turns by 180° about an axis between two principal axes, and the swing-up of a spherical pendulum on a
ball joint, both from zero torques. CasADi integrates quaternions with RK4 and the steps of symlie; the state between
all knots is unknown. Times are those of the solution, without derivation, compilation and construction of the program.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

import symlie as sl
from tests.benchmarks.tables import header, row


@dataclass(frozen=True)
class Task:
    """Turn of a body from the identity, with the moment of gravity ``weight`` on the third axis."""

    name: str
    inertia: tuple[float, float, float]
    weight: float
    axis: tuple[float, float, float]
    end: float
    knots: int
    h: float = 0.05


TASKS = (
    Task("satellite", (1.0, 1.5, 2.0), 0.0, (0.5**0.5, 0.0, 0.5**0.5), 5.0, 11),
    Task("spherical pendulum", (1.02, 1.02, 0.02), 9.81, (1.0, 0.0, 0.0), 3.0, 21),
)


def by_symlie(task: Task, intervals: int) -> tuple[float, float, int]:
    """Return the time in s, the cost and the number of iterations."""
    model = sl.Model("body")
    body, torque = model.node("body", "SO3"), model.input("torque", 3)
    model.kinetic_energy(body.Omega.dot(sl.diag(*task.inertia) * body.Omega) / 2)
    model.potential_energy(-task.weight * body.R[2, 2])
    model.generalized_force(body, Omega=torque)
    system = model.derive().compile()
    target = system.state(body={"R": 2 * np.outer(task.axis, task.axis) - np.eye(3)})
    seconds = []
    for _ in range(2):  # the first solution compiles derivatives
        begin = time.perf_counter()
        found = sl.optimal_control(
            system, task.end, controls="torque", knots=task.knots, target=target, h=task.h, intervals=intervals
        )
        seconds.append(time.perf_counter() - begin)
    return seconds[-1], found.cost, found.iterations


def by_casadi(task: Task) -> tuple[float, float, int]:
    """Return the same."""
    q, w, u, slope, t = (ca.SX.sym(n, k) for n, k in (("q", 4), ("w", 3), ("u", 3), ("slope", 3), ("t", 1)))
    J = ca.DM(task.inertia)
    x, y, z, s = q[0], q[1], q[2], q[3]
    third = ca.vertcat(2 * (x * z - y * s), 2 * (y * z + x * s), 1 - 2 * (x**2 + y**2))  # Rᵀ e₃
    moment = task.weight * ca.cross(ca.DM([0, 0, 1]), third)
    q_dot = ca.vertcat(s * w + ca.cross(q[:3], w), -ca.dot(q[:3], w)) / 2
    now = u + t * slope
    rates = ca.vertcat(q_dot, (now + moment - ca.cross(w, J * w)) / J, ca.dot(now, now) / 2)
    f = ca.Function("f", [ca.vertcat(q, w, ca.SX.sym("c")), u, slope, t], [rates])
    steps, span = round(task.end / (task.knots - 1) / task.h), task.end / (task.knots - 1)
    a, b, state = ca.MX.sym("a", 3), ca.MX.sym("b", 3), ca.MX.sym("state", 8)
    end, h = state, span / steps
    for k in range(steps):
        arguments = a, (b - a) / span
        k1 = f(end, *arguments, k * h)
        k2 = f(end + h / 2 * k1, *arguments, (k + 0.5) * h)
        k3 = f(end + h / 2 * k2, *arguments, (k + 0.5) * h)
        end = end + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(end + h * k3, *arguments, (k + 1) * h))
    flow = ca.Function("flow", [state, a, b], [end])
    opti = ca.Opti()
    controls, states = opti.variable(3, task.knots), opti.variable(8, task.knots)
    begin = np.array([0, 0, 0, 1, 0, 0, 0, 0])
    opti.subject_to(states[:, 0] == begin)
    for k in range(task.knots - 1):
        opti.subject_to(states[:, k + 1] == flow(states[:, k], controls[:, k], controls[:, k + 1]))
        part = (k + 1) / (task.knots - 1) * np.pi / 2
        opti.set_initial(states[:, k + 1], [*(np.sin(part) * np.array(task.axis)), np.cos(part), 0, 0, 0, 0])
    # The vector part of the quaternion relative to the target vanishes.
    final, axis = states[:4, -1], ca.DM(task.axis)
    opti.subject_to(-final[3] * axis + ca.cross(final[:3], axis) == 0)
    opti.subject_to(states[4:7, -1] == 0)
    opti.minimize(states[7, -1])
    options: dict[str, Any] = {"print_level": 0, "sb": "yes", "tol": 1e-8}
    opti.solver("ipopt", {"print_time": False}, options)
    clock = time.perf_counter()
    found = opti.solve()
    return time.perf_counter() - clock, float(found.value(states[7, -1])), int(found.stats()["iter_count"])


def main() -> None:
    """Print the table."""
    header("task", "program", "time, ms", "cost", "iterations")
    for task in TASKS:
        results = {
            "symlie, single shooting": by_symlie(task, 1),
            "symlie, five intervals": by_symlie(task, 5),
            "CasADi with IPOPT": by_casadi(task),
        }
        for name, (seconds, cost, count) in results.items():
            row(task.name, name, f"{1e3 * seconds:.0f}", f"{cost:.5f}", count)


if __name__ == "__main__":
    main()
