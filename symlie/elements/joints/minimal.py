"""Minimal coordinates: the free coordinates of joints as unknowns instead of the poses of bodies.

Along the tree of joints, poses and velocities of bodies are products of exponentials of the coordinates q. Energies and
forces are rewritten as functions of q, which gives the equations of motion of q; for rigid bodies they are derived by
sweeps over the tree (`symlie.derive.tree_dynamics`):

    M(q) q'' = -g(t, q, q') - Bᵀλ,    λ only of joints that close loops

Source: [Holzinger2024], section 2.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sympy import Add, Expr, Integer, Symbol

from symlie.contract.manifest import InitialCondition
from symlie.elements.joints.body_links import BodyLinks
from symlie.elements.joints.coordinates import Turn
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.kinematics import has_minimal_coordinates
from symlie.elements.joints.located_bodies import located_model
from symlie.elements.joints.placed_bodies import PlacedBodies
from symlie.elements.joints.placing import guess_outboard_velocities
from symlie.elements.joints.rows import BALL_RATE
from symlie.elements.joints.tree import Tree, body_tree
from symlie.elements.placement import Array, body_dimension, initial_placement, initial_velocity
from symlie.errors import ModelError
from symlie.ir.differentiate import reverse
from symlie.ir.program import depends_on
from symlie.ir.restatement import Restatement
from symlie.modeling.element_type import ElementInstances, add_instances
from symlie.modeling.freezing import values_and_sources
from symlie.modeling.model import Model
from symlie.modeling.node import Node, column
from symlie.modeling.statement import Statement
from symlie.modeling.terms import Contact, Friction

MOST_VELOCITIES = 24
"""Largest number of joint velocities for one statement of all coordinates, whose code grows with the square of their
number: with 24 hinges derivation and compilation take 8 s, and a step takes half as long as with dependent bodies.
"""


def minimal_coordinates(model: Model) -> Model:
    """Return a model with the free coordinates of its joints as unknowns.

    Each hinge, slider, cylindrical, planar or universal joint of the tree rooted at the ground, or at a floating body,
    becomes a node with its coordinates, in rad and m, in the order of ``joint.coordinate_names``; each ball joint
    becomes a node with a rotation. Angles are unwrapped. The outboard bodies are no longer unknowns: outputs NAME_R,
    NAME_x and NAME_Omega are their rotation matrix, position and angular velocity in body axes. Joints that close
    loops, and kinds without minimal coordinates, remain constraints. All definitions on bodies, joints and by element
    types keep their meaning.

    With up to 24 coordinates, M(q) is derived as one matrix, which suits all methods; the generated code grows with the
    square of the number of coordinates. Parameters of instances then become parameters of the model,
    INSTANCE_PARAMETER, and joints whose constraints are eliminated have no outputs of forces and moments. With more
    coordinates, code and derivation do not depend on their number, and a step costs O(1) per body: poses and velocities
    of bodies are computed along the tree, and their accelerations and the reactions of joints by a banded elimination.
    Explicit and implicit methods accept this form: ``rkmk_*``, ``generalized_alpha``, ``bdf`` and others; of the
    explicit ones ``index1_*`` if loops or drives leave constraints.

    Parameters
    ----------
    model
        A complete model, which does not change.

    Returns
    -------
    Model
        Another model of the same name.

    Raises
    ------
    ModelError
        If no joint of the model has minimal coordinates; if an outboard body is on a group other than SO3xR3, SE3 and
        SE2, is a node of an array, or has a prescribed motion; or if initial velocities of bodies violate the joints.

    Examples
    --------
    >>> import symlie as sl
    >>> model = sl.Model("pendulum")
    >>> rod = sl.RigidBody(model, "rod", mass=1.2, inertia=sl.inertia.rod(1.2, 0.8), position=[0, 0, -0.4])
    >>> pivot = sl.RevoluteJoint(model, "pivot", model.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    >>> model.gravity([0, 0, -9.81])
    >>> [node.name for node in sl.minimal_coordinates(model).nodes]
    ['pivot']
    """
    guess_outboard_velocities(model)
    tree = joint_tree(model)
    _check_friction(model, tree)
    if _velocities(tree) > MOST_VELOCITIES:
        return located_model(model, tree)
    other = _with_the_rest(model, [n for n in tree if isinstance(n, Node) and tree[n][1] is not None])
    bodies = PlacedBodies(model, other, tree)
    _Restated(model, other, bodies).state()
    return other


def _is_followed(joint: Joint) -> bool:
    held = len(joint._rows.vanishing(*joint._initial_frames(), {})) if not joint.parameters else None
    return held is not None and has_minimal_coordinates(joint._rows, held, joint._size)


def joint_tree(model: Model) -> Tree:
    """Return the tree of bodies and joints with minimal coordinates, or raise `ModelError`."""
    tree = body_tree(model, _is_followed)
    if all(joint is None for _, joint in tree.values()):
        raise ModelError(
            f"No joint of '{model.name}' has minimal coordinates: no joint between bodies has coordinates "
            "that determine the relative pose; use other coordinates."
        )
    _check_bodies(model, tree)
    return tree


def _check_friction(model: Model, tree: Tree) -> None:
    """Raise `ModelError` for friction of eliminated reactions, and for contacts of more coordinates than have one
    statement."""
    for joint in (j for _, j in tree.values() if j is not None):
        if joint._friction:
            raise ModelError(
                f"Joint '{joint.name}' of '{model.name}' has friction that follows its reaction, which minimal "
                "coordinates eliminate; give the limit of the friction, or use other coordinates."
            )
    statements = [model, *(i.element for i in model.instances)]
    if _velocities(tree) > MOST_VELOCITIES and any(s.contacts for s in statements):
        raise ModelError(
            f"Model '{model.name}' has contacts or friction, which minimal coordinates support for up to "
            f"{MOST_VELOCITIES} joint velocities, not for {_velocities(tree)}; use other coordinates."
        )


def _velocities(tree: Tree) -> int:
    """Return the number of velocities of the joints of a tree; a ball joint has three."""
    joints = (joint for _, joint in tree.values() if joint is not None)
    return sum(3 if j._rows.is_ball else len(j._rows.coordinates) for j in joints)


def _check_roots(tree: Tree) -> None:
    """Raise `ModelError` if a floating body that carries others is no node, or has no angular velocity."""
    for body in dict.fromkeys(parent for parent, joint in tree.values() if joint is not None):
        if body is None or tree[body][1] is not None:
            continue
        if not isinstance(body, Node):
            shown = f"{body[0].name}[{body[1]}]" if isinstance(body, tuple) else repr(body)
            raise ModelError(
                f"Minimal coordinates start from the ground, or from a body that is a node, not from '{shown}', which "
                "is a node of an array."
            )
        if all(f.name != "Omega" for f in body.group.velocity_fields):
            raise ModelError(
                f"Minimal coordinates start from bodies with an angular velocity, not from '{body.name}' on "
                f"{body.group}, whose velocity is the rate of rotation parameters; use coordinates='lie' or "
                "form='angular_velocity'."
            )


def _check_bodies(model: Model, tree: Tree) -> None:
    _check_roots(tree)
    prescribed = {m.node for m in model.motions}
    for body, (_, joint) in tree.items():
        if joint is None:
            continue
        if not isinstance(body, Node):
            raise ModelError(
                f"Joint '{joint.name}' of '{model.name}' has an outboard body of a node array; minimal coordinates "
                "need bodies that are single nodes."
            )
        if body.name in prescribed:
            raise ModelError(
                f"The motion of '{body.name}' is prescribed; a prescribed body has no minimal coordinates."
            )
        if body_dimension(body.group) is None or body.group.name not in ("SO3xR3", "SE3", "SE2"):
            raise ModelError(
                f"Body '{body.name}' is on {body.group}; a body with minimal coordinates stores no others: define it "
                "on SO3xR3, SE3 or SE2."
            )


def _with_the_rest(model: Model, placed: Sequence[Node]) -> Model:
    """Return a model with all parameters, and with the nodes and instances that do not involve some bodies."""
    other = Model(model.name)
    for p in model.parameters:
        other.parameter(p.name, np.reshape(p.default, p.shape), p.unit)
    other.breakpoints, other.curves = list(model.breakpoints), list(model.curves)
    other.inputs, other.tables = list(model.inputs), list(model.tables)
    other.motions, other.arrays = list(model.motions), list(model.arrays)
    other.shapes = list(model.shapes)
    other.joint_rates, other.conditions = list(model.joint_rates), dict(model.conditions)
    other.bases = model.bases
    other.given_coordinates, other.compliances = dict(model.given_coordinates), dict(model.compliances)
    for node in model.nodes:
        if node not in placed:
            other._add_node(Node(other.program, node.name, node.group, node.unit))
            if node.name in model.initial_values:
                other.initial_values[node.name] = list(model.initial_values[node.name])
    names = {n.name for n in placed}
    for instances in model.instances:
        values, sources = values_and_sources(instances)
        rows = [k for k, places in enumerate(instances.nodes) if names.isdisjoint(name for name, _ in places)]
        if rows:
            add_instances(
                other, instances.element, [instances.nodes[k] for k in rows], values[rows], sources[rows],
                [instances.labels[k] for k in rows], [instances.names[k] for k in rows],
            )  # fmt: skip
    return other


class _Restated:
    """Translation of terms defined on bodies to joint coordinates."""

    def __init__(self, model: Model, other: Model, bodies: PlacedBodies) -> None:
        self._model, self._other, self._bodies = model, other, bodies
        self._links = BodyLinks(other.program, bodies, other._own_nodes)
        self._forces: list[tuple[Expr, Expr]] = []
        self._outputs: dict[str, tuple[list[Expr], str]] = {}
        self._rows: dict[str, tuple[int, list[Expr], list[Symbol]]] = {}

    def state(self) -> None:
        """Translate all terms."""
        for instances in self._model.instances:
            for k, places in enumerate(instances.nodes):
                if not self._bodies.names.isdisjoint(name for name, _ in places):
                    self._instance(instances, k)
        self._own()
        if (tree := self._links.tree()) is not None:
            self._other.trees.append(tree)
        nodes = self._other.moving_nodes
        if self._forces:
            pulled = reverse(self._other.program, self._forces, [n.velocity for n in nodes])
            for node, vector in zip(nodes, pulled, strict=True):
                if any(c != 0 for c in vector):
                    self._other.generalized_forces.append((node, vector))
        for joint in self._bodies.joints.values():
            named = [(c.name, c.rate) for c, _ in self._bodies.coordinates_of(joint)]
            if len(named) == 1:
                self._other.joint_coordinates[joint.name] = named[0]
            for coordinate, (value, rate) in self._bodies.coordinates_of(joint):
                self._other.output(f"{joint.name}_{coordinate.name}", value, unit=coordinate.unit)
                self._other.output(f"{joint.name}_{coordinate.rate}", rate, unit=coordinate.rate_unit)
            if joint._rows.is_ball:
                spin = self._other._own_nodes[joint.name].velocity.components
                self._other.output(f"{joint.name}_{BALL_RATE}", column(spin), unit="rad/s")
        for name, (total, unit) in self._outputs.items():
            self._other.output(name, column(total), unit=unit)
        for name, body in self._bodies.placed.items():
            for label, value, unit in (("R", body.matrix, ""), ("x", body.x, "m"), ("Omega", body.spin, "rad/s")):
                self._other.output(f"{name}_{label}", column(value), unit=unit)
        self._given_velocities()

    def _given_velocities(self) -> None:
        """Convert given velocities of outboard bodies, which are not states, to initial conditions on outputs."""
        for node in self._model.nodes:
            values = self._model.initial_values.get(node.name, ())
            names = {v.field.name for v in values if v.is_velocity and v.is_given}
            known = initial_velocity(self._model, node) if names and node.name in self._bodies.names else None
            if known is None:
                continue
            given: dict[str, Array] = {}
            if "Omega" in names:
                turn = initial_placement(self._model, node)[0]
                given["Omega"] = turn.T @ known["Omega"] if len(turn) == 3 else known["Omega"]
            if names & {"U", "x_dot"}:
                x_dot = self._other.rate(column(self._bodies.placed[node.name].x))
                self._other.output(f"{node.name}_x_dot", x_dot, unit="m/s")
                given["x_dot"] = known["x_dot"]
            for label, value in given.items():
                output, components = f"{node.name}_{label}", tuple(map(float, value))
                self._other.conditions[output] = InitialCondition(output, components, f"{label} of body '{node.name}'")

    def _instance(self, instances: ElementInstances, k: int) -> None:
        """Translate one instance of an element type, unless it is a joint whose coordinates are unknowns."""
        element, name = instances.element, instances.names[k]
        if name in self._bodies.joints:
            return
        values: dict[Symbol, Expr] = {}
        for node, place in zip(element.nodes, instances.nodes[k], strict=True):
            values |= self._bodies.values(node, place, f"Element '{element.name}'")
        values |= self._parameters(instances, k, name or f"{element.name}_{k}")
        labels = [label.name for label in instances.labels[k]]
        if not labels:  # sum outputs of instances without names, but not constraints and events
            own = f"_{k}" if len(instances.nodes) > 1 else ""
            parts = ((element.constraints, own), (element.outputs, ""), (element.events, own))
            labels = [f"{quantity.name}{suffix}" for quantities, suffix in parts for quantity in quantities]
        energies = self._other.kinetic_terms, self._other.potential_terms
        counts = [len(terms) for terms in energies]
        if element.contacts and not name:
            raise ModelError(
                f"Element type '{element.name}' has contacts or friction, which minimal coordinates support only for "
                "instances with names; give names=…."
            )
        again = self._statement(element, values, labels, prefix=name)
        body, _ = instances.nodes[k][0]
        if element.rigid is not None and body in self._links:
            inertia = element.rigid.mapped(again.of)
            self._links.add(body, inertia, *(terms[n:] for terms, n in zip(energies, counts, strict=True)))

    def _parameters(self, instances: ElementInstances, k: int, name: str) -> dict[Symbol, Expr]:
        numbers, sources = (block[k] for block in values_and_sources(instances))
        of_model = [s for p in self._other.parameters for s in p.symbols]
        found: dict[Symbol, Expr] = {}
        start = 0
        for p in instances.element.parameters:
            part = slice(start, start + len(p.symbols))
            start = part.stop
            if all(sources[part] >= 0):
                symbols = [of_model[i] for i in sources[part]]
            else:
                self._other.parameter(f"{name}_{p.name}", numbers[part].reshape(p.shape), p.unit)
                own = self._other.parameters[-1].symbols
                pairs = zip(sources[part], own, strict=True)
                symbols = [of_model[i] if i >= 0 else symbol for i, symbol in pairs]
            found |= dict(zip(p.symbols, symbols, strict=True))
        for i in instances.element.inputs:
            number, component = numbers[start : start + 2].astype(int).tolist()
            found |= dict(zip(i.choice, (self._other.inputs[number].slots[0], Integer(component)), strict=True))
            start += 2
        return found

    def _own(self) -> None:
        """Translate the terms of the model itself; loads on joint coordinates act along the unknowns."""
        model, bodies = self._model, self._bodies
        values: dict[Symbol, Expr] = {}
        for node in model.nodes:
            values |= bodies.values(node, (node.name, 0), f"'{model.name}'")
        skipped: set[int] = set()
        loads = []
        for joint in bodies.joints.values():
            values |= bodies.known_of(joint)
            along = {c: value for c, (value, _) in bodies.coordinates_of(joint)}
            for load in joint.loads:
                if isinstance(load.coordinate, Turn):
                    skipped |= set(load.forces)
                    loads.append((along[load.coordinate], load.effort))
        self._statement(model, values, None, loads, skipped)

    def _statement(
        self,
        statement: Statement,
        values: Mapping[Symbol, Expr],
        labels: Sequence[str] | None,
        loads: Sequence[tuple[Expr, Expr]] = (),
        skipped: set[int] | frozenset[int] = frozenset(),
        prefix: str = "",
    ) -> Restatement:
        """Translate all terms of a statement; without labels, names are unchanged.

        The prefix is the name of an instance, which begins the names of its contacts.
        """
        other, program = self._other, statement.program
        again = Restatement(other.program, values)
        renamed: dict[str, str] = {}
        own: list[Contact | Friction] = [
            replace(c, name="_".join(filter(None, (prefix, c.name)))) for c in statement.contacts
        ]
        for contact, other_contact in zip(statement.contacts, own, strict=True):
            again.know(dict(zip(contact.modes, other_contact.modes, strict=True)))
            if isinstance(contact, Contact) and isinstance(other_contact, Contact):
                renamed[contact.normal_name] = other_contact.normal_name

        def restated(*expressions: Expr) -> tuple[Expr, ...]:
            again.follow(program, expressions)
            return other.program.vector(map(again.of, expressions))

        if statement.dependents or any(c.level == 2 for c in statement.constraints):
            raise ModelError(
                f"'{statement.name}' defines dependent nodes or acceleration-level constraints in addition to bodies, "
                "which minimal coordinates do not support."
            )
        for node, field in statement.fields:
            if statement is not self._model or depends_on(program, field, statement._accelerations):
                raise ModelError(
                    f"'{statement.name}' defines a field of an element type, or one that depends on accelerations, in "
                    "addition to bodies, which minimal coordinates do not support."
                )
            other.fields.append((other._own_nodes[node.name], restated(*field)))
        if statement.resets or statement.engagements:
            raise ModelError(
                f"'{statement.name}' changes its state or its constraints at events; define these changes on the "
                "result of minimal_coordinates."
            )
        for angle in statement.angles:
            if angle.value in values:
                continue
            sine, cosine, start = restated(*angle.stated)
            again.know({angle.value: other.unwrapped_angle(sine, cosine, start)})
        for terms, into in (
            (statement.kinetic_terms, other.kinetic_terms), (statement.potential_terms, other.potential_terms),
            (statement.dissipated_terms, other.dissipated_terms), (statement.energy_terms, other.energy_terms),
        ):  # fmt: skip
            if terms:
                into += restated(Add(*terms))
        for position, force in statement.applied_forces:
            along, value = restated(position, force)
            other.applied_forces.append((along, value))
        for coordinate, effort in loads:
            other.applied_forces.append((coordinate, *restated(effort)))
        for k, (node, vector) in enumerate(statement.generalized_forces):
            if k not in skipped:
                velocity = map(again.of, node.velocity.components)
                self._forces += zip(velocity, restated(*vector), strict=True)
        kinds = (statement.constraints, statement.outputs, statement.events)
        names = iter(labels or [q.name for kind in kinds for q in kind])
        for constraint in statement.constraints:
            rows, label = restated(*constraint.rows), next(names)
            multipliers = other._add_constraint(
                renamed.get(constraint.name, label), rows, level=constraint.level, is_affine=constraint.is_affine
            )
            again.know(dict(zip(constraint.multipliers, multipliers, strict=True)))
        for output in statement.outputs:
            name, parts = next(names), restated(*output.components)
            known = self._outputs.get(name)
            total = list(parts) if known is None else [a + b for a, b in zip(known[0], parts, strict=True)]
            self._outputs[name] = (total, output.unit)
        for event in statement.events:
            other.event(next(names), restated(event.expression)[0], event.direction, event.is_terminal)
        for contact in own:
            laws: dict[str, Any] = {"slip": restated(*contact.slip), "friction": restated(contact.friction)[0]}
            if isinstance(contact, Contact):
                laws |= {"gap": restated(contact.gap)[0], "restitution": restated(contact.restitution)[0]}
            else:
                laws |= {"limit": restated(contact.limit)[0], "reaction": restated(*contact.reaction)}
            other.contacts.append(replace(contact, **laws))
        return again
