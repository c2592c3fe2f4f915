"""Steps and Newton iterations of generalized-α compared with Exudyn, if installed: rotor, slider-crank, Puma.

python tests/benchmarks/exudyn_mechanisms.py [--samples 9] [--only rotor puma560]

Both take the same steps of the same mechanisms with spectral radius 0.9 and default tolerances; Exudyn's bodies are its
Lie group nodes with rotation vectors. Targets of the Puma's controllers are constant, which needs no function of Python
in Exudyn's steps; "moved puma560" follows its profile, where such a function is part of their time. CPU time of
alternating samples on one core: µs per step, and how many times less symlie takes, as median of ratios and as ratio of
the least. Configurations at the end are compared first.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from handwritten import stay_on_one_processor
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.models import puma560, rotor, slider_crank
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.study.timing import step_timer
from symlie.runtime.system.system import System

GRAVITY = [0.0, 0.0, -9.81]
TARGET = 0.05
"""Of the Puma's controllers, in rad."""


class Peer:
    """A mechanism in Exudyn, defined by its bodies."""

    def __init__(self, exudyn: ModuleType) -> None:
        self._exudyn = exudyn
        self.items = importlib.import_module("exudyn.itemInterface")
        self._container = exudyn.SystemContainer()
        self.system = self._container.AddSystem()
        self.ground = self.system.AddObject(self.items.ObjectGround())
        self.nodes: list[Any] = []

    def body(
        self,
        mass: float,
        inertia: Sequence[float],
        position: Sequence[float] = (0, 0, 0),
        rotation: Sequence[float] = (0, 0, 0),
        velocity: Sequence[float] = (0, 0, 0),
        spin: Sequence[float] = (0, 0, 0),
        *,
        heavy: bool = True,
    ) -> Any:
        """A body with rotation vector and angular velocity in body axes."""
        node = self.system.AddNode(
            self.items.NodeRigidBodyRotVecLG(
                referenceCoordinates=[*position, *rotation], initialVelocities=[*velocity, *spin]
            )
        )
        self.nodes.append(node)
        body = self.system.AddObject(
            self.items.ObjectRigidBody(mass=mass, inertia=[*inertia, 0, 0, 0], nodeNumber=node)
        )
        if heavy:
            centre = self.system.AddMarker(self.items.MarkerBodyMass(bodyNumber=body))
            self.system.AddLoad(self.items.LoadMassProportional(markerNumber=centre, loadVector=GRAVITY))
        return body

    def marker(self, body: Any, position: Sequence[float]) -> Any:
        """A frame on a body."""
        return self.system.AddMarker(self.items.MarkerBodyRigid(bodyNumber=body, localPosition=list(position)))

    def joint(
        self, first: Any, second: Any, held: Sequence[int], axes_first: Any = None, axes_second: Any = None
    ) -> None:
        """A joint that holds displacements and rotations along axes of the first frame."""
        self.system.AddObject(
            self.items.ObjectJointGeneric(
                markerNumbers=[first, second],
                constrainedAxes=list(held),
                rotationMarker0=np.eye(3) if axes_first is None else axes_first,
                rotationMarker1=np.eye(3) if axes_second is None else axes_second,
            )
        )

    def prepare(self, steps: int, h: float, *, modified: bool) -> None:
        """Common settings of all runs."""
        self.system.Assemble()
        self._settings = settings = self._exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = steps * h
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        settings.timeIntegration.newton.useModifiedNewton = modified
        settings.solution.file.write = False
        self._steps = steps

    def sample(self) -> float:
        """CPU time of a step, in ns."""
        begin = time.process_time()
        self.system.SolveDynamic(self._settings, solverType=self._exudyn.DynamicSolverType.GeneralizedAlpha)
        return (time.process_time() - begin) / self._steps * 1e9

    def iterations(self) -> float:
        """Newton iterations of a step, of the last sample."""
        return float(self.system.sys["dynamicSolver"].it.newtonStepsCount) / self._steps

    def position(self, node: int) -> np.ndarray:
        """Final position of a body in m."""
        return np.array(self.system.GetNodeOutput(self.nodes[node], self._exudyn.OutputVariableType.Position))


def rotor_peer(exudyn: ModuleType) -> Peer:
    """The rotor of the derived data."""
    peer, model = Peer(exudyn), rotor.build("derived")
    values = {p.name: np.array(p.default, dtype=float) for p in model.parameters}
    mass = 7850 * np.pi * 0.05**2 * 0.02
    across = mass * (0.05**2 / 4 + 0.02**2 / 12)
    body = peer.body(mass, (mass * 0.05**2 / 2, across, across), spin=(rotor.SPEED, 0, 0), heavy=False)
    k, d = float(values["stiffness"][0]), float(values["damping"][0])
    for place, along in ((-rotor.LEFT, 1), (rotor.RIGHT, 0)):
        peer.system.AddObject(
            peer.items.ObjectConnectorCartesianSpringDamper(
                markerNumbers=[peer.marker(peer.ground, (place, 0, 0)), peer.marker(body, (place, 0, 0))],
                stiffness=[along * k, k, k],
                damping=[along * d, d, d],
            )
        )
    moment = [0, 0, float(values["moment"][0])]
    peer.system.AddLoad(peer.items.LoadTorqueVector(markerNumber=peer.marker(body, (0, 0, 0)), loadVector=moment))
    return peer


def slider_crank_peer(exudyn: ModuleType) -> Peer:
    """The mechanism with four joints."""
    peer = Peer(exudyn)
    crank = peer.body(0.12, (1e-4, 1e-4, 1e-5), (0, 0.1, 0.16), velocity=(0, -0.24, 0), spin=(6, 0, 0))
    turn = Rotation.from_euler("XY", [-np.arctan(0.5), np.arccos(2 / 3)])
    spin = turn.inv().apply([1.92, -0.96, 0.48])
    rod = peer.body(0.5, (4e-4, 4e-3, 4e-3), (0.1, 0.05, 0.1), turn.as_rotvec(), (0.12, -0.24, 0), spin)
    slider = peer.body(2.0, (1e-4, 1e-4, 1e-4), (0.2, 0, 0), velocity=(0.24, 0, 0))
    peer.joint(peer.marker(peer.ground, (0, 0.1, 0.12)), peer.marker(crank, (0, 0, -0.04)), (1, 1, 1, 0, 1, 1))
    peer.joint(peer.marker(crank, (0, 0, 0.04)), peer.marker(rod, (-0.15, 0, 0)), (1, 1, 1, 0, 0, 0))
    peer.joint(peer.marker(slider, (0, 0, 0)), peer.marker(rod, (0.15, 0, 0)), (1, 1, 1, 0, 0, 1))
    peer.joint(peer.marker(peer.ground, (0, 0, 0)), peer.marker(slider, (0, 0, 0)), (0, 1, 1, 1, 1, 1))
    return peer


def puma_peer(exudyn: ModuleType) -> Peer:
    """The robot with controllers that hold a target, from its zero angles."""
    peer = Peer(exudyn)
    R, x, end = np.eye(3), np.zeros(3), peer.marker(peer.ground, (0, 0, 0))
    for (d, a, turns, mass, centre, inertia), (P, D) in zip(puma560.LINKS, puma560.GAINS, strict=True):
        twist = np.array([[1.0, 0.0, 0.0], [0.0, 1.0 - abs(turns), -turns], [0.0, turns, 1.0 - abs(turns)]])
        x, R, axes = x + R @ [a, 0, d], R @ twist, twist.T
        c = np.array(centre)
        link = peer.body(mass, inertia, x + R @ c, Rotation.from_matrix(R).as_rotvec())
        start = peer.marker(link, axes @ [-a, 0, -d] - c)
        peer.joint(end, start, (1, 1, 1, 1, 1, 0), axes_second=axes)
        peer.system.AddObject(
            peer.items.ObjectConnectorTorsionalSpringDamper(
                markerNumbers=[end, start], stiffness=P, damping=D, rotationMarker1=axes, offset=TARGET
            )
        )
        end = peer.marker(link, -c)
    return peer


def moved_puma_peer(exudyn: ModuleType) -> Peer:
    """The robot along its profile; a function of Python gives targets and their rates before each step."""
    peer = puma_peer(exudyn)
    springs = [k for k in range(peer.system.systemData.NumberOfObjects())]
    springs = [k for k in springs if "TorsionalSpring" in peer.system.GetObject(k)["objectType"]]

    def aim(system: Any, t: float) -> bool:
        share, rate = (2 * t**2, 4 * t) if t <= 0.5 else (1 - 2 * (1 - t) ** 2, 4 * (1 - t))
        for spring, goal in zip(springs, puma560.GOAL, strict=True):
            system.SetObjectParameter(spring, "offset", share * goal)
            system.SetObjectParameter(spring, "velocityOffset", rate * goal)
        return True

    peer.system.SetPreStepUserFunction(aim)
    return peer


def own_puma() -> System:
    """The Puma whose controllers hold the same target."""
    joints = range(1, len(puma560.LINKS) + 1)
    targets = {f"joint{k}_profile_{end}": TARGET for k in joints for end in ("start", "goal")}
    return puma560.build("A").derive().compile(backend="c").with_parameters(**targets)


@dataclass(frozen=True)
class Case:
    """A mechanism on both sides."""

    own: Callable[[], System]
    peer: Callable[[ModuleType], Peer]
    steps: tuple[float, ...]
    """Sizes, in s; the first one is timed."""
    end: float
    """Duration, in s."""
    last: str
    """Name of the last body, whose position is compared."""
    close: float
    """By how much positions of two methods of order two may differ, in m."""


CASES = {
    "rotor": Case(
        lambda: rotor.build("derived", "SO3rvxR3").derive().compile(backend="c"),
        rotor_peer, (5e-5, 2.5e-5, 1.25e-5, 6.25e-6, 3.125e-6), 0.1, "rotor", 1e-6,
    ),
    "slider_crank": Case(
        lambda: slider_crank.build().derive().compile(backend="c"),
        slider_crank_peer, (2.0**-11, 2.0**-10, 2.0**-9, 2.0**-8), 2.0, "slider", 1e-3,
    ),
    "puma560": Case(own_puma, puma_peer, (2.0**-11, 2.0**-10, 2.0**-9), 0.0625, "link6", 1e-4),
    "moved puma560": Case(
        lambda: puma560.build("A").derive().compile(backend="c"),
        moved_puma_peer, (2.0**-11, 2.0**-10, 2.0**-9), 0.5, "link6", 1e-3,
    ),
}  # fmt: skip


def compare(exudyn: ModuleType, name: str, samples: int, *, modified: bool) -> None:
    """Print a row of the table."""
    case = CASES[name]
    system = case.own()
    option = "modified" if modified else "full"
    method = chosen_method("generalized_alpha", {"newton": option})
    counts, cells = [], ""
    for number, h in enumerate(case.steps):
        steps = round(case.end / h)
        peer = case.peer(exudyn)
        peer.prepare(steps, h, modified=modified)
        theirs = [peer.sample()]
        solution = sl.solve(system, steps * h, h=h, method=method, record_every=steps)
        apart = float(np.abs(solution.field(case.last, "x")[-1] - peer.position(-1)).max())
        assert apart < case.close, f"{name}, h = {h:g}: ends are {apart:g} m apart"
        counts.append(f"{solution.statistics.newton_iterations / steps:.2f} / {peer.iterations():.2f}")
        if number == 0:
            own = step_timer(system, method, h, steps)
            ours = [own()]
            for _ in range(samples - 1):
                ours.append(own())
                theirs.append(peer.sample())
            ratio = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
            cells = f"{min(ours) / 1e3:.2f} | {min(theirs) / 1e3:.1f} | {ratio:.1f} | {apart:.0e} m"
    sizes = ", ".join(f"{h:.2g}" for h in case.steps)
    print(f"| {name}, {option} | {case.steps[0]:.2g} | {cells} | {', '.join(counts)} (h = {sizes} s) |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--only", nargs="*", default=list(CASES), choices=list(CASES))
    arguments = parser.parse_args()
    if importlib.util.find_spec("exudyn") is None:
        sys.exit("Exudyn is not installed in this environment; 'pip install exudyn' brings it.")
    warnings.simplefilter("ignore")
    stay_on_one_processor()
    exudyn = importlib.import_module("exudyn")
    print(f"Exudyn {exudyn.__version__}\n")
    print("| mechanism, Newton | h, s | symlie, µs | Exudyn, µs | ratio | difference | iterations, symlie / Exudyn |")
    print("|---|---|---|---|---|---|---|")
    for name in arguments.only:
        for modified in (False, True):
            compare(exudyn, name, arguments.samples, modified=modified)


if __name__ == "__main__":
    main()
