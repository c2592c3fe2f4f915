"""Steps of generalized-α compared with Exudyn, if installed: the constrained and the free heavy top.

python tests/benchmarks/exudyn_top.py [--samples 9] [--group SO3xR3]

Both take the same steps of the same top with spectral radius 0.9, full Newton and default tolerances; Exudyn's body is
its Lie group node with rotation vector. CPU time of alternating samples on one core: µs per step, and how many times
less symlie takes, as median of ratios and as ratio of the least. Configurations at the end are compared first.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from types import ModuleType

import numpy as np
from handwritten import stay_on_one_processor
from tables import header, row

import symlie as sl
from symlie.models.heavy_top import build as build_top
from symlie.runtime.integrate.solve import solve
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.study.timing import step_timer

STEP = 7.8e-5
STEPS = 5000
MASS = 15.0
CENTRE = (0.0, 1.0, 0.0)
INERTIA = (0.234375, 0.46875, 0.234375)
SPIN = (0.0, 150.0, -4.61538)
CLOSE = 1e-4
"""Positions in m, of two methods of order two with other starts: (h ω)²/12 = 1e-5 rad per radian of a spin of
150 rad/s, which a lever of one metre follows by a small part."""


def free_body(group: str) -> sl.Model:
    """The top without its fixed point: it falls and spins."""
    model = sl.Model("free_top")
    q = model.node("top", group)
    model.kinetic_energy((q.Omega.dot(sl.diag(INERTIA) * q.Omega) + MASS * q.v[3:, :].dot(q.v[3:, :])) / 2)
    model.potential_energy(9.81 * MASS * q.x[2])
    model.initial(q, Omega=SPIN)
    model.output("center_of_mass", q.x, unit="m")
    return model


class Peer:
    """The top in Exudyn."""

    def __init__(self, exudyn: ModuleType, *, constrained: bool) -> None:
        items = importlib.import_module("exudyn.itemInterface")
        self._container = exudyn.SystemContainer()
        self._system = system = self._container.AddSystem()
        self._solver = exudyn.DynamicSolverType.GeneralizedAlpha
        velocity = list(np.cross(SPIN, CENTRE)) if constrained else [0.0, 0.0, 0.0]
        node = items.NodeRigidBodyRotVecLG(
            referenceCoordinates=[*(CENTRE if constrained else (0, 0, 0)), 0, 0, 0],
            initialVelocities=[*velocity, *SPIN],
        )
        self._node = system.AddNode(node)
        body = system.AddObject(items.ObjectRigidBody(mass=MASS, inertia=[*INERTIA, 0, 0, 0], nodeNumber=self._node))
        centre = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        system.AddLoad(items.LoadMassProportional(markerNumber=centre, loadVector=[0, 0, -9.81]))
        if constrained:
            ground = system.AddObject(items.ObjectGround())
            fixed = system.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
            foot = [-x for x in CENTRE]
            moved = system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=foot))
            system.AddObject(items.ObjectJointSpherical(markerNumbers=[fixed, moved]))
        system.Assemble()
        self._settings = settings = exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = STEPS
        settings.timeIntegration.endTime = STEPS * STEP
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        settings.timeIntegration.newton.useModifiedNewton = False
        settings.solution.file.write = False
        self._position = exudyn.OutputVariableType.Position

    def sample(self) -> float:
        """CPU time of a step, in ns."""
        begin = time.process_time()
        self._system.SolveDynamic(self._settings, solverType=self._solver)
        return (time.process_time() - begin) / STEPS * 1e9

    def position(self) -> np.ndarray:
        """Final position of the body in m."""
        return np.array(self._system.GetNodeOutput(self._node, self._position))


def compare(exudyn: ModuleType, group: str, samples: int, *, constrained: bool) -> None:
    """Print one line."""
    system = (build_top(group) if constrained else free_body(group)).derive().compile(backend="c")
    method = chosen_method("generalized_alpha")
    own: Callable[[], float] = step_timer(system, method, STEP, STEPS)
    peer = Peer(exudyn, constrained=constrained)
    ours, theirs = [], []
    for _ in range(samples):
        ours.append(own())
        theirs.append(peer.sample())
    end = solve(system, STEPS * STEP, h=STEP, method=method, record_every=STEPS)
    assert np.abs(end.outputs["center_of_mass"][-1] - peer.position()).max() < CLOSE
    ratio = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
    name = f"{'constrained' if constrained else 'free'} top on {group}"
    least = min(ours) / 1e3, min(theirs) / 1e3
    row(name, *(f"{value:.2f}" for value in least), f"{ratio:.1f}", f"{least[1] / least[0]:.1f}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--group", default="SO3xR3")
    arguments = parser.parse_args()
    if importlib.util.find_spec("exudyn") is None:
        sys.exit("Exudyn is not installed in this environment; 'pip install exudyn' brings it.")
    warnings.simplefilter("ignore", DeprecationWarning)
    stay_on_one_processor()
    exudyn = importlib.import_module("exudyn")
    print(f"Exudyn {exudyn.__version__}, {STEPS} steps of {STEP:g} s\n")
    header("system", "symlie, µs", "Exudyn, µs", "median of ratios", "ratio of minima")
    compare(exudyn, arguments.group, arguments.samples, constrained=True)
    compare(exudyn, arguments.group, arguments.samples, constrained=False)


if __name__ == "__main__":
    main()
