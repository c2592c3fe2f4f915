"""Steps of generalized-α of the Puma in minimal coordinates, compared with the kinematic tree of Exudyn, if installed.

python tests/benchmarks/exudyn_tree.py [--samples 9] [--steps 512]

Both take steps of 2⁻¹¹ s towards constant angles of 0.05 rad, with spectral radius 0.9 and default tolerances, and
Exudyn the dense solver. CPU time of alternating samples on one core: µs per step, and how many times less symlie takes,
as median of ratios. Angles at the end are compared first.
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
from typing import Any

import numpy as np
from handwritten import stay_on_one_processor
from tables import header, row

import symlie as sl
from symlie.models import puma560
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.study.timing import step_timer

STEP = 2.0**-11
TARGET = 0.05
"""In rad."""
CLOSE = 1e-6
"""Largest difference of final angles in rad: both methods have order two and the same steps."""

KINDS: dict[str, tuple[str | tuple[str, ...], str]] = {
    "parameters": ((), "default"),
    "constants": ("all", "default"),
    "constants, fused": ("all", "contract"),
}
"""Frozen parameters, and contraction of products and sums."""


def own() -> sl.Model:
    """The robot with constant targets in minimal coordinates."""
    model = sl.Model("puma560")
    joints = puma560.arm(model, np.zeros(6))
    for joint, (P, D) in zip(joints, puma560.GAINS, strict=True):
        sl.JointController(model, f"{joint.name}_control", joint, P=P, D=D, target=TARGET)
    return sl.minimal_coordinates(model)


def peer(exudyn: ModuleType, steps: int, *, modified: bool) -> tuple[Callable[[], float], Any]:
    """A function that times the tree, in ns per step, and its system."""
    robotics = importlib.import_module("exudyn.robotics")
    puma = importlib.import_module("exudyn.robotics.models").ManipulatorPuma560()
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    robot = robotics.Robot(
        gravity=[0, 0, -9.81], base=robotics.RobotBase(), tool=robotics.RobotTool(), referenceConfiguration=[0] * 6
    )
    for link, gains in zip(puma["links"], puma560.GAINS, strict=True):
        frame = robotics.StdDH2HT(link["stdDH"])
        robot.AddLink(
            robotics.RobotLink(
                mass=link["mass"], COM=link["COM"], inertia=link["inertia"], localHT=frame, PDcontrol=gains
            )
        )
    tree = robot.CreateKinematicTree(system)
    system.SetObjectParameter(tree["objectKinematicTree"], "jointPositionOffsetVector", [TARGET] * 6)
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = steps * STEP
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = modified
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = 1e9
    settings.linearSolverType = exudyn.LinearSolverType.EXUdense

    def sample() -> float:
        begin = time.process_time()
        system.SolveDynamic(settings)
        return (time.process_time() - begin) / steps * 1e9

    return sample, system


def compare(exudyn: ModuleType, samples: int, steps: int, *, modified: bool) -> None:
    """Print a line for each way to compile."""
    option = "modified" if modified else "full"
    method = chosen_method("generalized_alpha", {"newton": option})
    theirs, tree = peer(exudyn, steps, modified=modified)
    theirs()
    angles = tree.systemData.GetODE2Coordinates()
    for label, (freeze, optimize) in KINDS.items():
        system = own().derive().compile(backend="c", freeze=freeze, optimize=optimize)
        end = sl.solve(system, steps * STEP, h=STEP, method=method, record_every=steps)
        reached = np.ravel([end.field(f"joint{k}", "x")[-1] for k in range(1, 7)])
        apart = float(np.abs(reached - angles).max())
        assert apart < CLOSE, f"angles are {apart:g} rad apart"
        ours = step_timer(system, method, STEP, steps)
        pairs = [(ours(), theirs()) for _ in range(samples)]
        ratio = statistics.median(b / a for a, b in pairs)
        least = [min(column) / 1e3 for column in zip(*pairs, strict=True)]
        ratios = f"{ratio:.1f}", f"{least[1] / least[0]:.1f}", f"{end.statistics.newton_iterations / steps:.2f}"
        row(option, label, *(f"{value:.2f}" for value in least), *ratios, f"{apart:.1e}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--steps", type=int, default=512)
    arguments = parser.parse_args()
    if importlib.util.find_spec("exudyn") is None:
        sys.exit("Exudyn is not installed in this environment; 'pip install exudyn' brings it.")
    warnings.simplefilter("ignore")
    stay_on_one_processor()
    exudyn = importlib.import_module("exudyn")
    print(f"Exudyn {exudyn.__version__}\n", flush=True)
    exudyn.config.printToConsole = False  # The published inertias of the Puma violate the triangle inequality.
    sides = ("symlie, µs", "Exudyn, µs", "median of ratios", "ratio of minima", "iterations", "difference, rad")
    header("Newton", "kernels", *sides)
    for modified in (False, True):
        compare(exudyn, arguments.samples, arguments.steps, modified=modified)


if __name__ == "__main__":
    main()
