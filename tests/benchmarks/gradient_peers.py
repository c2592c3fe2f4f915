"""Gradients of runs, compared with variational equations, sensitivities and adjoints of other programs.

pip install heyoka casadi diffrax
python -m tests.benchmarks.gradient_peers heyoka casadi diffrax

The height of the axis of a free top after ten seconds is differentiated by three moments of inertia, the moment of
gravity and the initial angular velocity. heyoka integrates the variational equations by Taylor series. CVODES and IDAS
of CasADi integrate sensitivities or adjoint equations. diffrax differentiates its steps, and integrates adjoint
equations backwards. All other programs use unit quaternions. CPU times are those of one thread after compilation, as
the minimum of several calls. Errors are relative to the largest component of the gradient.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import symlie as sl
from symlie.runtime.layout.layout import Array
from tests.benchmarks.tables import header, row

INERTIA, MOMENT, SPIN = (15.234375, 0.46875, 15.234375), 147.15, (0.0, 150.0, -4.61538)
VALUES = np.array([*INERTIA, MOMENT, *SPIN])
"""Values of the variables: moments of inertia in kg m², moment of gravity in N m, angular velocities in rad/s."""
SPAN = 10.0
"""End of runs in s."""
TOLERANCES = (1e-6, 1e-8, 1e-10)
SAMPLES = 7

Case = Callable[[], Any]
Found = tuple[Case, Case, Callable[[Any], Array]]
"""A run, a run with its gradient, and the gradient from the result of the latter."""


def rates(state: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Rates of quaternion (w, x, y, z) and angular velocity in axes of the body."""
    w, x, y, z, a, b, c = state
    A, B, C, moment = values
    down = (-2 * (x * z - w * y), -(w * w - x * x - y * y + z * z))
    return [
        (-x * a - y * b - z * c) / 2,
        (w * a + y * c - z * b) / 2,
        (w * b + z * a - x * c) / 2,
        (w * c + x * b - y * a) / 2,
        (moment * down[1] + (B - C) * b * c) / A,
        (C - A) * c * a / B,
        (-moment * down[0] + (A - B) * a * b) / C,
    ]


def height(state: Any) -> Any:
    """Vertical component of the second axis of the body."""
    w, x, y, z = (state[k] for k in range(4))
    return 2 * (y * z + w * x)


def height_slope(state: Array) -> Array:
    """Derivatives of the height by the components of the state, shape (7,)."""
    w, x, y, z = state[:4]
    return np.array([2 * x, 2 * w, 2 * z, 2 * y, 0, 0, 0])


def of_symlie(tolerance: float) -> Iterator[tuple[str, Found]]:
    """Forward derivatives and adjoint steps of this package."""
    model = sl.Model("top")
    J, moment = model.parameter("inertia", list(INERTIA)), model.parameter("moment", MOMENT)
    top = model.node("top", "S3")
    model.kinetic_energy(top.Omega.dot(sl.diag(J) * top.Omega) / 2)
    model.potential_energy(moment * top.R[2, 1])
    model.initial(top, Omega=list(SPIN))
    model.output("height", top.R[2, 1])
    system = model.derive().compile()
    wrt = ["inertia", "moment", "top.Omega"]
    words: dict[str, Any] = {
        "method": "rkmk_dopri5", "rtol": tolerance, "atol": tolerance, "record_every": 0
    }  # fmt: skip

    def plain() -> sl.Solution:
        return sl.solve(system, SPAN, **words)

    def derivatives(found: sl.Sensitivity) -> Array:
        return np.asarray(found["height"][-1]).ravel()

    yield "symlie, forward", (plain, lambda: sl.sensitivity(system, SPAN, wrt=wrt, of=["height"], **words), derivatives)
    yield "symlie, adjoint", (plain, lambda: sl.gradient(system, SPAN, "height", wrt=wrt, **words), lambda x: x.array)


def of_heyoka(tolerance: float) -> Iterator[tuple[str, Found]]:
    """Variational equations with Taylor series."""
    import heyoka

    names = heyoka.make_vars("w", "x", "y", "z", "a", "b", "c")
    values = [heyoka.par[k] for k in range(4)]
    equations = list(zip(names, rates(names, values), strict=True))
    start, given = [1.0, 0, 0, 0, *SPIN], VALUES[:4]
    motion = heyoka.taylor_adaptive(equations, start, tol=tolerance, pars=given)
    variational = heyoka.var_ode_sys(equations, [*values, *names[4:]], order=1)
    both = heyoka.taylor_adaptive(variational, start, tol=tolerance, pars=given)
    first = np.array(both.state)

    def run(integrator: Any, state: Any) -> Array:
        integrator.time = 0.0
        integrator.state[:] = state
        integrator.propagate_until(SPAN)
        return np.array(integrator.state)

    def derivatives(state: Array) -> Array:
        return height_slope(state) @ state[7:].reshape(7, 7)

    yield "heyoka, variational equations", (lambda: run(motion, start), lambda: run(both, first), derivatives)


def of_casadi(tolerance: float) -> Iterator[tuple[str, Found]]:
    """Forward and adjoint sensitivities of SUNDIALS."""
    import casadi as ca

    given = ca.MX.sym("given", 7)
    s, p = ca.SX.sym("s", 7), ca.SX.sym("p", 4)
    problem = {"x": s, "p": p, "ode": ca.vertcat(*rates(ca.vertsplit(s), ca.vertsplit(p)))}
    options = {"reltol": tolerance, "abstol": tolerance, "max_num_steps": 1000000}
    for solver in ("cvodes", "idas"):
        flow = ca.integrator("flow", solver, problem, 0.0, SPAN, options)
        end = flow(x0=ca.vertcat(1, 0, 0, 0, given[4:]), p=given[:4])["xf"]
        loss = height(end)
        plain = ca.Function("plain", [given], [loss])
        forward = ca.Function("forward", [given], [loss, ca.jtimes(loss, given, ca.DM.eye(7))])
        backward = ca.Function("backward", [given], [loss, ca.gradient(loss, given)])
        for name, function in (("forward", forward), ("adjoint", backward)):
            yield (
                f"CasADi, {solver.upper()}, {name}",
                (
                    lambda plain=plain: plain(VALUES),
                    lambda function=function: function(VALUES),
                    lambda found: np.array(found[1]).ravel(),
                ),
            )


def of_diffrax(tolerance: float) -> Iterator[tuple[str, Found]]:
    """Derivatives of its steps, forward and in reverse, and adjoint equations."""
    import diffrax
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    term = diffrax.ODETerm(lambda t, state, values: jnp.stack(rates(state, values)))

    def end_height(values: Any, adjoint: Any) -> Any:
        start = jnp.concatenate([jnp.array([1.0, 0, 0, 0]), values[4:]])
        control = diffrax.PIDController(rtol=tolerance, atol=tolerance)
        solution = diffrax.diffeqsolve(
            term, diffrax.Dopri8(), 0.0, SPAN, 1e-4, start, args=values[:4], stepsize_controller=control,
            adjoint=adjoint, max_steps=2**16,
        )  # fmt: skip
        return height(solution.ys[-1])

    given = jnp.array(VALUES)
    plain = jax.jit(lambda x: end_height(x, diffrax.RecursiveCheckpointAdjoint()))
    found = {
        "forward": jax.jit(jax.jacfwd(lambda x: end_height(x, diffrax.ForwardMode()))),
        "reverse with checkpoints": jax.jit(jax.grad(lambda x: end_height(x, diffrax.RecursiveCheckpointAdjoint()))),
        "adjoint equations": jax.jit(jax.grad(lambda x: end_height(x, diffrax.BacksolveAdjoint()))),
    }
    for name, function in found.items():
        yield (
            f"diffrax, {name}",
            (
                lambda: plain(given).block_until_ready(),
                lambda function=function: function(given).block_until_ready(),
                np.asarray,
            ),
        )


PEERS = {"heyoka": of_heyoka, "casadi": of_casadi, "diffrax": of_diffrax}


def best(run: Case) -> float:
    """Return the shortest CPU time of some calls, in ms."""
    times = []
    for _ in range(SAMPLES):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return 1e3 * min(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*", choices=list(PEERS))
    chosen = parser.parse_args().peers
    _, (_, run, derivatives) = next(of_symlie(1e-13))
    reference = derivatives(run())
    header("program", "tolerances", "error", "run, ms", "with gradient, ms", "ratio")
    for cases in {"symlie": of_symlie, **{name: PEERS[name] for name in chosen}}.values():
        for tolerance in TOLERANCES:
            for words, (plain, run, derivatives) in cases(tolerance):
                error = np.abs(derivatives(run()) - reference).max() / np.abs(reference).max()
                of_run, of_both = best(plain), best(run)
                row(
                    words,
                    f"{tolerance:.0e}",
                    f"{error:.0e}",
                    f"{of_run:.2f}",
                    f"{of_both:.2f}",
                    f"{of_both / of_run:.1f}",
                )


if __name__ == "__main__":
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    main()
