"""The heavy top with a fixed point, in unit quaternions, as other programs run ensembles of it."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import time
from collections.abc import Callable

import numpy as np

import symlie as sl
from symlie.models import heavy_top

PROBLEM = "free top, t = 1 s, rtol = 1e-8, one core"
COUNT = 200
MASS = 15.0
INERTIA = (15.234375, 0.46875, 15.234375)
SPIN = (0.0, 150.0, -4.61538)
TOLERANCE = 1e-8


def moments() -> np.ndarray:
    """Moments of gravity m g l of the members, in N m."""
    return np.random.default_rng(1).uniform(100, 200, COUNT)


def rates(y: np.ndarray, moment: float) -> list[float]:
    """Rates of quaternion (w, x, y, z) and angular velocity in axes of the body."""
    w, x, y_, z, a, b, c = y
    A, B, C = INERTIA
    down = (-2 * (x * z - w * y_), -2 * (y_ * z + w * x), -(w * w - x * x - y_ * y_ + z * z))
    torque = (moment * down[2], 0.0, -moment * down[0])
    return [
        (-x * a - y_ * b - z * c) / 2,
        (w * a + y_ * c - z * b) / 2,
        (w * b + z * a - x * c) / 2,
        (w * c + x * b - y_ * a) / 2,
        (torque[0] + (B - C) * b * c) / A,
        (torque[1] + (C - A) * c * a) / B,
        (torque[2] + (A - B) * a * b) / C,
    ]


START = [1.0, 0.0, 0.0, 0.0, *SPIN]


def _scipy_member(moment: float) -> tuple[float, np.ndarray]:
    from scipy.integrate import solve_ivp

    begin = time.process_time()
    found = solve_ivp(
        lambda t, y: rates(y, moment), (0, 1), START, method="RK45", rtol=TOLERANCE, atol=TOLERANCE, t_eval=[1.0]
    )
    return time.process_time() - begin, found.y[:, -1]


def scipy_members() -> tuple[float, np.ndarray]:
    """CPU seconds and ends, in a pool of one process, by chunks."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(_scipy_member, moments(), chunksize=25))
    return sum(cpu for cpu, _ in found), np.array([end for _, end in found])


def heyoka_members() -> tuple[float, np.ndarray]:
    """CPU seconds and ends of its ensembles on one thread, without its just-in-time compilation."""
    import heyoka

    names = heyoka.make_vars("w", "x", "y", "z", "a", "b", "c")
    equations = rates(names, heyoka.par[0])
    top = heyoka.taylor_adaptive(list(zip(names, equations, strict=True)), START, tol=TOLERANCE, pars=[1.0])

    def member(integrator: object, k: int) -> object:
        integrator.time = 0.0
        integrator.state[:], integrator.pars[0] = START, moments()[k]
        return integrator

    heyoka.set_nthreads(1)
    heyoka.ensemble_propagate_until(top, 1.0, 2, member)
    begin = time.process_time()
    found = heyoka.ensemble_propagate_until(top, 1.0, COUNT, member)
    return time.process_time() - begin, np.array([integrator.state for integrator, *_ in found])


def symlie_members() -> tuple[float, np.ndarray]:
    """The same of this package."""
    system = heavy_top.build("S3").derive().compile("c")

    gravity = np.outer(moments() / MASS, [0, 0, -1])

    def run() -> sl.Ensemble:
        words = {"method": "rkmk_dopri5", "rtol": TOLERANCE, "atol": TOLERANCE, "t_eval": [1.0], "record": ["top"]}
        return sl.ensemble(system, 1.0, parameters={"gravity": gravity}, workers=1, **words)

    run()
    begin = time.process_time()
    arrays = run().arrays
    return time.process_time() - begin, np.hstack([arrays["top.p"][:, 0], arrays["top.Omega"][:, 0]])


PEERS: dict[str, Callable[[], tuple[float, np.ndarray]]] = {"scipy": scipy_members, "heyoka": heyoka_members}


def compared(name: str) -> tuple[float, float, float]:
    """CPU seconds for a member of a peer and of symlie, and the difference of turning rates at the end, in rad/s."""
    theirs, ends = PEERS[name]()
    ours, own = symlie_members()
    return theirs / COUNT, ours / COUNT, float(np.abs(ends[:, 4:] - own[:, -3:]).max())
