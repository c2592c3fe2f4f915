"""Inputs of loops over matrices for a factor whose functions are series: small kernels, and sizes of the matrices."""

from __future__ import annotations

from sympy import Expr, ImmutableMatrix, Integer, Matrix

from symlie.derive.operators.kernels import named_kernel, numbered
from symlie.groups.group import LieGroup, algebra_symbols, storage_symbols
from symlie.groups.kinematics import kinematic_matrices
from symlie.groups.operators import ad_matrix, general_matrices, triangular_blocks
from symlie.groups.representation import representation
from symlie.ir.group_operators import ForcedBlock, MatrixLoops
from symlie.ir.kernels import Kernel
from symlie.ir.program import Program, Vector


def is_looped(group: LieGroup) -> bool:
    """Return whether operators of a simple factor need loops: functions without closed forms, or a matrix logarithm."""
    return bool(general_matrices(group)) or (group.coordinates_of is None and _blocks(group)[1] is None)


def loop_kernels(group: LieGroup) -> tuple[tuple[Kernel, ...], MatrixLoops]:
    """Return the kernels that loops of a simple factor call, and the sizes of its matrices, if `is_looped` holds."""
    theta, q = {"theta": algebra_symbols(group)}, {"q": storage_symbols(group)}
    is_general = bool(general_matrices(group))
    matrices = tuple(dict.fromkeys(m.matrix for m in kinematic_matrices(group) if is_general))
    kernels = [named_kernel("ad", theta, "A", _entries(ad_matrix(group)), "A = ad(theta).")]
    for k, matrix in enumerate(matrices):
        what = "A(theta) of the kinematic equation s' = A(theta) s."
        kernels.append(named_kernel(f"matrix{k}", theta, "A", _entries(matrix), what))
    if is_general:
        kernels.append(_image(group, matrices))
    known, blocks = _blocks(group)
    rows = 0
    if blocks is None:
        found = representation(group)
        rows = found.matrix.rows
        entries = {"A": numbered("A", rows * rows)}
        read = tuple(found.coordinates * Matrix(entries["A"]))
        kernels += [
            named_kernel("representation", q, "X", _entries(found.matrix), "The matrix of q."),
            named_kernel("generator", theta, "A", _entries(found.generator), "log of the matrix of exp(theta)."),
            named_kernel("coordinates", entries, "theta", read, "Reads theta off such a matrix."),
        ]
    else:
        kernels.append(known)
        for k, block in enumerate(triangular_blocks(group, _places(group)) or ()):
            what = "L(theta) of components with x' = L(theta) x + theta_x."
            kernels.append(named_kernel(f"linear{k}", theta, "A", _entries(block.linear), what))
    return tuple(kernels), MatrixLoops(tuple(m.rows for m in matrices), rows, blocks or ())


def _places(group: LieGroup) -> tuple[int, ...]:
    """Return the components of θ that the logarithm of rotations determines."""
    if group.rotation_logarithm is None:
        return ()
    if group.logarithm_places:
        return group.logarithm_places
    return tuple(range(len(group.rotation_logarithm(Program(), storage_symbols(group)))))


def _blocks(group: LieGroup) -> tuple[Kernel, tuple[ForcedBlock, ...] | None]:
    """Return the kernel of the known components of θ, and the blocks that determine the others; None if blocks do not
    determine them."""
    places, program, q = _places(group), Program(), storage_symbols(group)
    found = triangular_blocks(group, places)
    theta: list[Expr] = [Integer(0)] * group.dimension
    if group.rotation_logarithm is not None:
        for place, component in zip(places, group.rotation_logarithm(program, q), strict=True):
            theta[place] = component
    kernel = named_kernel(
        "known", {"q": q}, "theta", tuple(theta), "Rotations of log(q); zero for the others.", program
    )
    if found is None:
        return kernel, None
    symbols = algebra_symbols(group)
    blocks = (ForcedBlock(b.components, tuple(symbols.index(f) for f in b.forcing)) for b in found)
    return kernel, tuple(blocks)


def _image(group: LieGroup, matrices: tuple[ImmutableMatrix, ...]) -> Kernel:
    """Return the storage of exp(θ) from the exponentials of the matrices, multiplied in order."""
    sizes = [m.rows**2 for m in matrices]
    entries = numbered("E", sum(sizes))
    storage: list[Expr] = [Integer(0)] * group.storage_dimension
    for part in kinematic_matrices(group):
        k, n = matrices.index(part.matrix), part.matrix.rows
        begin = sum(sizes[:k])
        exponential = Matrix(n, n, entries[begin : begin + n * n])
        start = [*(group.identity[i] for i in part.components), *([Integer(1)] if part.is_augmented else [])]
        moved = exponential * Matrix(start)
        for i, component in zip(part.components, moved, strict=False):
            storage[i] = component
    return named_kernel("image", {"E": entries}, "q", tuple(storage), "q from the exponentials of the matrices.")


def _entries(matrix: Matrix) -> Vector:
    """Return the entries of a matrix, row by row."""
    return tuple(matrix)
