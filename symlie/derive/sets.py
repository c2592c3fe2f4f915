"""A set of kernels of a model, derived on first use."""

from __future__ import annotations

from dataclasses import replace

from symlie.contract.sets import ADJOINT, DISCRETE, DISCRETE_GRADIENTS, kernel_set
from symlie.derive.adjoint.discrete_kernels import discrete_gradients
from symlie.derive.adjoint.element_kernels import element_gradients
from symlie.derive.adjoint.motion_kernels import motion_gradient
from symlie.derive.adjoint.node_kernels import transposed_operators
from symlie.derive.discrete.kernels import discrete_kernels
from symlie.derive.equations import Equations, statements_of
from symlie.derive.jet_kernels import jet_kernels
from symlie.derive.kernels import parameter_symbols
from symlie.derive.matrices.fields import has_points
from symlie.derive.matrices.kernels import MATRICES, element_matrices
from symlie.derive.step_kernels import step_kernels
from symlie.errors import GroupError
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.ir.sets import NodeTypeSet, SetKernels
from symlie.modeling.model import Model


def derive_set(equations: Equations, name: str) -> SetKernels:
    """Return the kernels of a set; raise `GroupError` or `ModelError` if the model does not have it."""
    # `GroupError`: a group does not have these coordinates, no node has a field or is dependent, or local outputs are
    # missing.
    # `ModelError`: a term has no rule for Taylor coefficients.
    model, chosen = equations.elements, kernel_set(name)
    if name == "fields" and not has_points(equations.derived):
        raise GroupError(f"All nodes of '{model.name}' have velocities; derivatives of fields do not exist.")
    if name == "dependents" and not any(s.dependents for s in statements_of(model)):
        raise GroupError(f"'{model.name}' has no dependent nodes.")
    if name == "local_outputs" and not any(s.local_outputs for s in statements_of(model)):
        raise GroupError(f"No element type of '{model.name}' has local outputs.")
    if chosen.kind == DISCRETE:
        return discrete_kernels(model, equations.derived, chosen)
    if name == "jets":
        return jet_kernels(equations, chosen)
    if chosen.rows in MATRICES:
        elements = tuple(element_matrices(model, d, chosen) for d in equations.derived)
        return SetKernels(model.name, chosen, elements=elements)
    spaces = dict.fromkeys(model.spaces)
    if chosen.kind == DISCRETE_GRADIENTS:
        found = discrete_gradients(model, equations.derived, chosen)
        return replace(found, inputs=_inputs(model), parameters=len(parameter_symbols(model)) - len(model.slots))
    if name == ADJOINT:
        of_nodes = tuple(_transposed(space) for space in spaces)
        of_elements = tuple(element_gradients(model, d) for d in equations.derived)
        count = len(parameter_symbols(model)) - len(model.slots)
        of_motions = tuple(motion_gradient(model, number) for number in range(len(model.motions)))
        return SetKernels(
            model.name, chosen, of_nodes, of_elements, motion_gradients=of_motions, inputs=_inputs(model),
            parameters=count,
        )  # fmt: skip
    nodes = (NodeTypeSet(s.name, s.storage_dimension, s.dimension, step_kernels(s, name)) for s in spaces)
    has_angles = any(s.angles or s.activities for s in statements_of(model))
    return SetKernels(model.name, chosen, nodes=tuple(nodes), has_angles=has_angles)


def _inputs(model: Model) -> tuple[tuple[int, int], ...]:
    """Return the first slot among the parameters, and the number of components, of each input."""
    known = parameter_symbols(model)
    return tuple((known.index(i.slots[0]), i.size) for i in model.inputs)


def _transposed(space: ConfigurationSpace) -> NodeTypeSet:
    sizes = space.storage_dimension, space.dimension
    return NodeTypeSet(space.name, *sizes, transposed_operators(space), moves_by_field=not space.velocity_dimension)
