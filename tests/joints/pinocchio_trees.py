"""Random trees of bodies with their accelerations, forces, M and Jacobians by Pinocchio.

PYTHONPATH=. python tests/joints/pinocchio_trees.py tests/data/pinocchio_trees.json

draws the trees and evaluates them; it needs the Python package ``pin``, which the tests of the stored numbers do not.
Bodies have the axes of the inertial frame at zero coordinates, where ``at``, ``axis`` and ``center`` are given.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

TREES, LOOPS = 50, 10
"""Numbers of trees, and of mechanisms with a closed loop."""

GRAVITY = [0.4, -0.3, -9.81]

Tree = dict[str, Any]


def drawn_tree(random: np.random.Generator, *, has_loop: bool) -> Tree:
    """A tree of two to six bodies on hinges, sliders and ball joints, perhaps with a floating base."""
    count = int(random.integers(3 if has_loop else 2, 7))
    bodies: list[dict[str, Any]] = []
    for k in range(count):
        kind = str(random.choice(["revolute", "prismatic", "spherical"], p=[0.65, 0.2, 0.15]))
        kind = "floating" if k == 0 and not has_loop and random.random() < 0.25 else kind
        # Pinocchio needs the joints of each branch in consecutive order.
        parent = k - 1
        while parent > 0 and random.random() < 0.3:
            parent = bodies[parent]["parent"]
        axis = random.normal(size=3)
        spread = random.normal(size=(3, 3)) * 0.2
        moments = spread @ spread.T + 0.02 * np.eye(3)
        bodies.append({
            "kind": kind,
            "parent": parent,
            "axis": (axis / np.linalg.norm(axis)).tolist(),
            "at": (random.normal(size=3) * 0.5 + [0.4 * k, 0, 0]).tolist(),
            "center": (random.normal(size=3) * 0.3 + [0.4 * k, 0, 0]).tolist(),
            "mass": float(random.uniform(0.5, 3)),
            "inertia": (np.trace(moments) * np.eye(3) - moments).tolist(),
        })  # fmt: skip
    return {"bodies": bodies, "tip": random.normal(size=3).tolist()}


def evaluated(tree: Tree, random: np.random.Generator, *, has_loop: bool) -> Tree:
    """The tree with a state and values of Pinocchio; components are ordered by bodies."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear[:] = GRAVITY
    places: list[np.ndarray] = []
    for body in tree["bodies"]:
        parent, center = body["parent"], np.array(body["center"])
        place = center if body["kind"] == "floating" else np.array(body["at"])
        joint = {
            "revolute": lambda b=body: pin.JointModelRevoluteUnaligned(np.array(b["axis"])),
            "prismatic": lambda b=body: pin.JointModelPrismaticUnaligned(np.array(b["axis"])),
            "spherical": pin.JointModelSpherical,
            "floating": pin.JointModelFreeFlyer,
        }[body["kind"]]()
        before = places[parent] if parent >= 0 else np.zeros(3)
        name = f"joint{len(places)}"
        here = model.addJoint(parent + 1, joint, pin.SE3(np.eye(3), place - before), name)
        inertia = pin.Inertia(body["mass"], center - place, np.array(body["inertia"]))
        model.appendBodyToJoint(here, inertia, pin.SE3.Identity())
        places.append(place)
    there = pin.SE3(np.eye(3), np.array(tree["tip"]) - places[-1])
    tip = model.addFrame(pin.Frame("tip", len(places), 0, there, pin.FrameType.OP_FRAME))
    data = model.createData()
    start = pin.neutral(model)
    if tree["bodies"][0]["kind"] == "floating":
        start[:3] = places[0]
    q = start if has_loop else pin.integrate(model, start, random.uniform(-1, 1, model.nv))
    v, a = random.uniform(-1, 1, (2, model.nv))
    found: Tree = {"q": [_coordinates(model, q, k) for k in range(len(places))]}
    if has_loop:
        return tree | found | _loop(model, places, q, v)
    torque = random.uniform(-1, 1, model.nv)
    found |= {"v": v.tolist(), "a": a.tolist(), "torque": torque.tolist()}
    found["aba"] = pin.aba(model, data, q, v, torque).tolist()
    found["rnea"] = pin.rnea(model, data, q, v, a).tolist()
    mass = pin.crba(model, data, q)
    found["crba"] = (np.triu(mass) + np.triu(mass, 1).T).tolist()
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    for name, axes in (("space", pin.LOCAL_WORLD_ALIGNED), ("body", pin.LOCAL)):
        found[name] = pin.getFrameJacobian(model, data, tip, axes).tolist()
    return tree | found


def _coordinates(model: Any, q: np.ndarray, k: int) -> list[float]:
    joint = model.joints[k + 1]
    return q[joint.idx_q : joint.idx_q + joint.nq].tolist()


def _loop(model: Any, places: list[np.ndarray], q: np.ndarray, v: np.ndarray) -> Tree:
    """Accelerations with the last body attached to the ground by a ball joint, at a velocity that permits it."""
    import pinocchio as pin

    point = places[-1] + [0.5, 0.2, -0.1]
    there = pin.SE3(np.eye(3), point - places[-1])
    contact = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, len(places), there, 0, pin.SE3(np.eye(3), point), pin.ReferenceFrame.LOCAL
    )
    data, of_contact = model.createData(), contact.createData()
    pin.computeJointJacobians(model, data, q)
    J = pin.getJointJacobian(model, data, len(places), pin.LOCAL_WORLD_ALIGNED)
    rows = J[:3] - pin.skew(point - data.oMi[len(places)].translation) @ J[3:]
    v = v - np.linalg.pinv(rows) @ (rows @ v)
    pin.initConstraintDynamics(model, data, [contact], [of_contact])
    settings = pin.ProximalSettings(1e-14, 1e-14, 0.0, 100)
    a = pin.constraintDynamics(model, data, q, v, np.zeros(model.nv), [contact], [of_contact], settings)
    return {"point": point.tolist(), "v": v.tolist(), "a": a.tolist(), "rank": int(np.linalg.matrix_rank(rows))}


def main() -> None:
    """Write the trees and values."""
    import pinocchio as pin

    random = np.random.default_rng(49)
    trees = [evaluated(drawn_tree(random, has_loop=False), random, has_loop=False) for _ in range(TREES)]
    loops: list[Tree] = []
    while len(loops) < LOOPS:
        found = evaluated(drawn_tree(random, has_loop=True), random, has_loop=True)
        if found["rank"] == 3 and len(found["v"]) > 3:
            loops.append(found)
    content = {"source": f"Pinocchio {pin.__version__}", "gravity": GRAVITY, "trees": trees, "loops": loops}
    Path(sys.argv[1]).write_text(json.dumps(content) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
