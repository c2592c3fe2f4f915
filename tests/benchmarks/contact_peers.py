"""Error over CPU time of contacts compared with Exudyn and MuJoCo, if installed.

python -m tests.benchmarks.contact_peers [--samples 5] [--only ball block stack]

- ball: a ball with e = 0.5 falls 1 m; error of its height after 1 s, relative to the closed form.
- block: a block rocks on its corners, e = 0; error of its angle after 1 s, relative to an event-driven run.
- stack: ten bodies on top of each other at rest; largest displacement after 1 s.

Exudyn and MuJoCo replace contacts by springs and dampers. Their stiffness is such that an impact lasts 10 or 30 steps,
whichever has the smaller error, and their damping gives e; for e = 0 it is critical. Least CPU time of runs after the
first, without preparation.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import itertools
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.optimize import brentq

import symlie as sl
from symlie.runtime.system.system import System
from tests.benchmarks import tables
from tests.benchmarks.handwritten import stay_on_one_processor

G = 9.81
WIDTH, HEIGHT = 0.4, 1.2
"""Sides of the block in m."""
START = math.atan2(WIDTH, HEIGHT) / 2
"""Angle of the block at first."""
COUNT, RADIUS = 10, 0.1
BALL = 0.0612555656574994
"""Height of the ball after 1 s."""
STEPS = (1e-3, 2.5e-4, 6.25e-5)
LASTS = (10, 30)
"""Numbers of steps of an impact with springs."""

Run = Callable[[], float]
"""A run, which returns the result to compare."""


def spring(h: float, e: float, lasts: int, *, sticks: bool) -> tuple[float, float]:
    """Stiffness and damping per mass of a contact that ends without a gap (``sticks``), or without a force."""
    omega = math.pi / (lasts * h)

    def excess(damping: float) -> float:
        """Restitution minus e; its end without a force follows Schwager and Pöschel (2007)."""
        rest = math.sqrt(1 - damping**2)
        angle = math.pi - (0 if sticks else math.atan2(2 * damping * rest, 1 - 2 * damping**2))
        return math.exp(-damping / rest * angle) - e

    return omega**2, 2 * omega * (brentq(excess, 1e-9, 1 - 1e-9) if e else 1.0)


def place() -> np.ndarray:
    """Centre of the block at first."""
    c, s = math.cos(START), math.sin(START)
    return np.array([[c, -s], [s, c]]) @ [WIDTH / 2, HEIGHT / 2]


def ball() -> System:
    """The bouncing ball."""
    model = sl.Model("ball")
    node = model.node("ball", "R1")
    model.kinetic_energy(node.x_dot.dot(node.x_dot) / 2)
    model.potential_energy(G * node.x[0])
    model.contact("floor", node.x[0], restitution=0.5)
    model.output("result", node.x[0])
    model.initial(node, x=[1.0])
    return model.derive().compile()


def block() -> System:
    """The rocking block."""
    model = sl.Model("block")
    inertia = (WIDTH**2 + HEIGHT**2) / 12
    body = sl.RigidBody(model, "block", 1.0, inertia, position=place(), orientation=START, group=sl.SE2)
    model.gravity([0, -G])
    sl.BoxPlaneContact(model, "floor", model.ground, body, size=[WIDTH, HEIGHT], friction=1.0)
    model.output("result", sl.atan2(body.node.R[1, 0], body.node.R[0, 0]))
    return model.derive().compile()


def stack() -> System:
    """The bodies at rest."""
    model = sl.Model("stack")
    nodes = [model.node(f"body_{k}", "R1") for k in range(COUNT)]
    for k, node in enumerate(nodes):
        model.kinetic_energy(node.x_dot.dot(node.x_dot) / 2)
        model.potential_energy(G * node.x[0])
        model.contact(f"contact_{k}", node.x[0] - (nodes[k - 1].x[0] if k else 0))
    model.output("result", nodes[-1].x[0])
    return model.derive().compile()


PROBLEMS = {"ball": (ball, 0.5), "block": (block, 0.0), "stack": (stack, 0.0)}
"""Models with their restitution."""


def own_runs(system: System) -> Iterator[tuple[str, str, Run]]:
    """Runs of symlie, with the method and the length of steps or tolerance."""

    def result(**options: Any) -> Run:
        return lambda: float(sl.solve(system, 1.0, record_every=10**6, **options).outputs["result"][-1])

    for rtol in (1e-6, 1e-9):
        yield "symlie, `half_explicit_5`", f"rtol {rtol:g}", result(method="half_explicit_5", rtol=rtol)
    for method in ("rattlie", "moreau_jean"):
        for h in STEPS:
            yield f"symlie, `{method}`", f"{h:g}", result(method=method, h=h)


def mujoco_runs(name: str, e: float) -> Iterator[tuple[str, str, Run]]:
    """Runs of MuJoCo."""
    mujoco = importlib.import_module("mujoco")
    for h, lasts in itertools.product(STEPS, LASTS):
        k, d = spring(h, e, lasts, sticks=False)
        soft = f'solref="{-k} {-d}" solimp="0.999 0.999 0.001" friction="1 0 0"'
        sphere = f'<geom type="sphere" size="{RADIUS}" mass="1" {soft}/>'
        x, z = place()
        inertia = (WIDTH**2 + HEIGHT**2) / 12
        bodies = {
            "ball": f'<body pos="0 0 {1 + RADIUS}"><joint type="slide" axis="0 0 1"/>{sphere}</body>',
            "block": f'<body pos="{x} 0 {z}" euler="0 {-math.degrees(START)} 0">'
            '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 -1 0"/>'
            f'<geom type="box" size="{WIDTH / 2} {WIDTH / 2} {HEIGHT / 2}" {soft}/>'
            f'<inertial pos="0 0 0" mass="1" diaginertia="{inertia} {inertia} {inertia}"/></body>',
            "stack": "".join(
                f'<body pos="0 0 {RADIUS * (2 * k + 1)}"><joint type="slide" axis="0 0 1"/>{sphere}</body>'
                for k in range(COUNT)
            ),
        }
        model = mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{h}" gravity="0 0 -{G}" cone="elliptic"/><worldbody>'
            f'<geom type="plane" size="9 9 1" {soft}/>{bodies[name]}</worldbody></mujoco>'
        )
        first = {"ball": 1.0, "block": START, "stack": 0.0}[name]

        def run(model: Any = model, h: float = h, first: float = first) -> float:
            data = mujoco.MjData(model)
            mujoco.mj_step(model, data, nstep=round(1 / h))
            return first + float(data.qpos[-1])

        yield "MuJoCo", f"{h:g}", run


def exudyn_runs(name: str, e: float) -> Iterator[tuple[str, str, Run]]:
    """Runs of Exudyn by generalized-α with spectral radius 0.9."""
    exudyn, items = importlib.import_module("exudyn"), importlib.import_module("exudyn.itemInterface")
    for h, lasts in itertools.product(STEPS, LASTS):
        container = exudyn.SystemContainer()
        system = container.AddSystem()
        law = spring(h, e, lasts, sticks=True)
        is_block = name == "block"
        node = exudyn_block(exudyn, items, system, law) if is_block else exudyn_column(items, system, name, law)
        system.Assemble()
        settings = exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = round(1 / h), 1.0
        settings.timeIntegration.verboseMode, settings.solution.file.write = 0, False
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9

        def run(system: Any = system, settings: Any = settings, node: Any = node, kept: Any = container) -> float:
            del kept
            system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.GeneralizedAlpha)
            kinds = exudyn.OutputVariableType
            if name != "block":
                return float(system.GetNodeOutput(node, kinds.Coordinates))
            turn = system.GetNodeOutput(node, kinds.RotationMatrix).reshape(3, 3)
            return math.atan2(turn[2, 0], turn[0, 0])

        yield "Exudyn", f"{h:g}", run


def exudyn_column(items: Any, system: Any, name: str, law: tuple[float, float]) -> Any:
    """Add the ball or the stack, and return the highest node."""
    k, d = law
    below = system.AddMarker(
        items.MarkerNodeCoordinate(nodeNumber=system.AddNode(items.NodePointGround()), coordinate=0)
    )
    node, height = None, 1.0 if name == "ball" else 0.0
    for _ in range(1 if name == "ball" else COUNT):
        node = system.AddNode(items.Node1D(referenceCoordinates=[0], initialCoordinates=[height]))
        system.AddObject(items.ObjectMass1D(mass=1.0, nodeNumber=node))
        marker = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=0))
        system.AddLoad(items.LoadCoordinate(markerNumber=marker, load=-G))
        gap = system.AddNode(items.NodeGenericData(initialCoordinates=[height], numberOfDataCoordinates=1))
        system.AddObject(
            items.ObjectContactCoordinate(
                markerNumbers=[below, marker], nodeNumber=gap, contactStiffness=k, contactDamping=d, offset=0.0
            )
        )
        below = marker
    return node


def exudyn_block(exudyn: Any, items: Any, system: Any, law: tuple[float, float]) -> Any:
    """Add the block with small spheres as corners, and return its node."""
    (k, d), (x, z), small = law, place(), 1e-3
    inertia = (WIDTH**2 + HEIGHT**2) / 12
    node = system.AddNode(items.NodeRigidBodyRotVecLG(referenceCoordinates=[x, 0, z, 0, -START, 0]))
    body = system.AddObject(items.ObjectRigidBody(mass=1, inertia=[inertia] * 3 + [0] * 3, nodeNumber=node))
    ground = system.AddMarker(items.MarkerBodyRigid(bodyNumber=system.AddObject(items.ObjectGround())))
    centre = system.AddMarker(items.MarkerBodyRigid(bodyNumber=body))
    weight = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
    system.AddLoad(items.LoadMassProportional(markerNumber=weight, loadVector=[0, 0, -G]))
    plane = [0, 1, 0, 1, 0, 1]
    system.AddObject(items.ObjectJointGeneric(markerNumbers=[ground, centre], constrainedAxes=plane))
    for side in (-1, 1):
        corner = system.AddMarker(
            items.MarkerBodyRigid(bodyNumber=body, localPosition=[side * WIDTH / 2, 0, -HEIGHT / 2 + small])
        )
        state = system.AddNode(items.NodeGenericData(initialCoordinates=[0] * 4, numberOfDataCoordinates=4))
        system.AddObject(
            items.ObjectContactSphereTriangle(
                markerNumbers=[corner, ground],
                nodeNumber=state,
                sphereRadius=small,
                trianglePoints=exudyn.Vector3DList([[-20.0, -10, 0], [20.0, -10, 0], [0.0, 20, 0]]),
                includeEdges=0,
                dynamicFriction=1.0,
                contactStiffness=k,
                contactDamping=d,
                impactModel=0,
            )
        )
    return node


def measured(run: Run, samples: int) -> tuple[float, float]:
    """Result of a run, and its least CPU time in ms."""
    found, least = run(), math.inf
    for _ in range(samples):
        begin = time.process_time()
        run()
        least = min(least, time.process_time() - begin)
    return found, 1e3 * least


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=list(PROBLEMS), default=list(PROBLEMS))
    options = parser.parse_args()
    stay_on_one_processor()
    peers = {"exudyn": exudyn_runs, "mujoco": mujoco_runs}
    tables.header("problem", "tool", "step, s", "error, m or rad", "CPU time, ms")
    for name in options.only:
        make, e = PROBLEMS[name]
        system = make()
        exact = {"ball": BALL, "stack": 0.0}.get(name)
        if exact is None:
            exact = float(sl.solve(system, 1.0, method="half_explicit_5", rtol=1e-12).outputs["result"][-1])
        runs = list(own_runs(system))
        for peer, others in peers.items():
            if importlib.util.find_spec(peer) is not None:
                runs += others(name, e)
        best: dict[tuple[str, str], tuple[float, float]] = {}
        for tool, step, run in runs:
            found, cpu = measured(run, options.samples)
            best[tool, step] = min(best.get((tool, step), (math.inf, 0.0)), (abs(found - exact), cpu))
        for (tool, step), (error, cpu) in best.items():
            tables.row(name, tool, step, f"{error:.1e}", f"{cpu:.2f}")


if __name__ == "__main__":
    main()
