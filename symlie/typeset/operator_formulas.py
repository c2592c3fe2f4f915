"""Closed forms of ad, exp, T and T⁻¹ of a group, and the kinematic equation of a node, for aligned equations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy
from sympy import Expr, ImmutableMatrix, Integer, Matrix, Rational, Symbol

from symlie.groups.group import Field, LieGroup, algebra_symbols
from symlie.groups.homogeneous import HomogeneousSpace
from symlie.groups.kinematics import LinearBlock, kinematic_blocks
from symlie.groups.operators import ad_matrix, squared_angle
from symlie.groups.rotation import Rotate, rotation_size
from symlie.groups.spectrum import (
    DEXP,
    DEXP_NEGATIVE,
    DEXP_NEGATIVE_INVERSE,
    EXP,
    AnalyticFunction,
    has_closed_form,
    spectrum,
)
from symlie.groups.standard import skew
from symlie.ir.primitives import WORKING_INTERVAL
from symlie.ir.program import Application, Program, Vector
from symlie.modeling.node import Node
from symlie.typeset.notation import STORAGE, VELOCITY, Notation, field_letter
from symlie.typeset.term_rows import field_part
from symlie.typeset.vector_forms import VectorForms
from symlie.typeset.view import Row, StatementView

COEFFICIENTS = (
    Row("c_{k}(z)", (r"\sum_{j \geq 0} \frac{(-z)^j}{(2 j + k)!}",)),
    Row("c_{k,m}(z)", (r"\left(2 \frac{\mathrm{d}}{\mathrm{d} z}\right)^m c_{k}(z)",)),
    Row(
        "g_{m}(z)",
        (
            r"\left(2 \frac{\mathrm{d}}{\mathrm{d} z}\right)^m "
            r"\frac{1 - \frac{\omega}{2} \cot \frac{\omega}{2}}{\omega^2}",
        ),
    ),
)
"""Definitions of the coefficient functions."""


SERIES = (
    Row("T(v)", (r"\sum_{k \geq 0} \frac{(-A)^k}{(k + 1)!}",)),
    Row("T^{-1}(v)", (r"I + \frac{1}{2} A + \sum_{k \geq 1} \frac{B_{2 k}}{(2 k)!} A^{2 k}",)),
)
"""T and T⁻¹ of groups without closed forms; B are the Bernoulli numbers."""


def kinematic_rows(view: StatementView, node: Node) -> list[Row]:
    """Typeset q' = DL_q(e) v by field of the storage, and R(p) if the rotation matrix is not stored."""
    if isinstance(node.group, HomogeneousSpace):
        return _generator_rows(view, node, node.group)
    group, storage, velocity = node.group, node.value.components, node.velocity.components
    rows = []
    for factor, offset, _ in group.simple_factors:
        part = storage[offset : offset + factor.storage_dimension]
        if factor.rotation is not None and not set(view.rotations[part].entries) <= set(part):
            if factor.coordinates_of is not None and factor.stored_as is None:
                field = next(f for f in group.storage_fields if f.offset == offset)
                name = rf"\exp \widetilde{{{_name(view, node, field)}}}"
                rows.append(Row(str(view.rotations[part].letter), (name,)))
                continue
            formulas = view.rotations[part].formulas
            n = rotation_size(factor)
            matrix = view.notation.matrix([formulas[i : i + n] for i in range(0, n * n, n)])
            rows.append(Row(str(view.rotations[part].letter), (matrix,)))
    program = Program()
    coordinates = {
        offset + field.offset: factor
        for factor, offset, _ in group.simple_factors
        for field in factor.storage_fields
        if factor.coordinates_of is not None
    }
    rates = group.storage_tangent(program, storage, velocity)
    forms = VectorForms(view.notation)
    for velocity_field in group.velocity_fields:
        forms.add(_name(view, node, velocity_field), velocity[velocity_field.offset :][: velocity_field.size])
    for statement in program.statements:
        if isinstance(statement, Application) and isinstance(statement.operation, Rotate):
            rotation = view.rotations[statement.arguments[0].components]
            latex = rotation.latex(transpose=statement.operation.transpose)
            forms.add(forms.operand(statement.arguments[1].components, latex), statement.result.components)
    for field in group.storage_fields:
        part = rates[field.offset : field.offset + field.size]
        if field.offset in coordinates:
            spin = _velocity_at(node, field.offset)
            is_stored_as = coordinates[field.offset].stored_as is not None
            name, inverse = _name(view, node, field), "G^{-1}" if is_stored_as else "T^{-1}"
            right = rf"{inverse}\left({name}\right) {_name(view, node, spin)}"
            if is_stored_as:
                rows.append(Row(r"\widetilde{G_k}", (rf"R^{{\mathsf{{T}}}} \partial R / \partial {name}_k",)))
        elif len(field.shape) == 2:
            right = _matrix_rate(view, node, field, part)
        else:
            right = forms.vector(part) or view.notation.column([sympy.expand(c) for c in part])
        if not right.startswith(r"\dot"):
            rows.append(Row(rf"\dot {_name(view, node, field)}", (right,)))
    return rows


def _generator_rows(view: StatementView, node: Node, space: HomogeneousSpace) -> list[Row]:
    """Typeset y' = ψ_*(f)|_y by field of the storage."""
    f = tuple(Symbol(f"{node.name}.f{i}", real=True) for i in range(space.dimension))
    forms = VectorForms(view.notation)
    for part in space.group.velocity_fields:
        name, symbols = field_part(view, node, part), f[part.offset : part.offset + part.size]
        view.notation.name_vector(symbols, name, VELOCITY)
        forms.add(str(name), symbols)
    for field in space.storage_fields:
        forms.add(_name(view, node, field), node.value.components[field.offset : field.offset + field.size])
    rates = space.storage_tangent(Program(), node.value.components, f)
    rows = []
    for field in space.storage_fields:
        rate = [sympy.expand(c) for c in rates[field.offset : field.offset + field.size]]
        if len(field.shape) == 2:
            right = view.notation.matrix([rate[i : i + field.shape[1]] for i in range(0, field.size, field.shape[1])])
        else:
            right = forms.vector(tuple(rate)) or view.notation.column(rate)
        rows.append(Row(rf"\dot {_name(view, node, field)}", (right,)))
    return rows


def _velocity_at(node: Node, storage_offset: int) -> Field:
    """Return the velocity field of the factor whose storage begins at an offset."""
    offset = next(a for _, s, a in node.lie_group.simple_factors if s == storage_offset)
    return next(f for f in node.group.velocity_fields if f.offset == offset)


def _name(view: StatementView, node: Node, field: Field) -> str:
    return str(field_letter(field, view.superscript(node)))


def _matrix_rate(view: StatementView, node: Node, field: Field, rate: Vector) -> str:
    """Return R ω̃ if that is the rate of a stored rotation matrix, else its entries."""
    part = node.value.components[field.offset : field.offset + field.size]
    rows, columns = field.shape
    for spin in node.group.velocity_fields:
        if spin.size == rows == columns == 3:
            omega = node.velocity.components[spin.offset : spin.offset + 3]
            if (Matrix(3, 3, part) * skew(omega) - Matrix(3, 3, rate)).expand().is_zero_matrix:
                return rf"{_name(view, node, field)} \widetilde{{{_name(view, node, spin)}}}"
    return view.notation.matrix([rate[i * columns : (i + 1) * columns] for i in range(rows)])


def operator_rows(group: LieGroup) -> list[Row]:
    """Typeset ad, z = ω², T, T⁻¹ and exp of a group that is no direct product; empty for commutative groups."""
    if ad_matrix(group).is_zero_matrix:
        return []
    symbols = algebra_symbols(group)
    notation = Notation()
    forms = VectorForms(notation)
    notation.name(Symbol("z"), "z", STORAGE)
    notation.name_fields(symbols, group.velocity_fields, VELOCITY)
    for field in group.velocity_fields:
        forms.add(str(field_letter(field)), symbols[field.offset : field.offset + field.size])
    sizes = [f.size for f in group.velocity_fields]
    matrix = ImmutableMatrix(ad_matrix(group))
    blocks = forms.blocks(matrix.tolist(), sizes, sizes) or notation.matrix(matrix.tolist())
    z = squared_angle(group)
    head = Row(r"A = \mathrm{ad}_{v}", (blocks,))
    if not has_closed_form(DEXP_NEGATIVE_INVERSE, matrix):
        return [head, *SERIES, *_exponential_rows(notation, forms, group)]
    return [
        head,
        Row("z", (forms.scalar(z),)),
        Row("T(v)", (closed_form(notation, DEXP_NEGATIVE, matrix, z, "A"),)),
        Row("T^{-1}(v)", (closed_form(notation, DEXP_NEGATIVE_INVERSE, matrix, z, "A"),)),
        *_exponential_rows(notation, forms, group),
    ]


@dataclass(frozen=True)
class Term:
    """coefficient(z) Aⁿ (A² + κ z)ᵏ."""

    coefficient: Expr
    n: int
    k: int


def closed_form_terms(function: AnalyticFunction, matrix: ImmutableMatrix, z: Expr) -> tuple[Expr, list[Term]]:
    """Return κ and the terms of φ(A), with coefficients in z, from the minimal polynomial of A (see `spectrum`)."""
    form = spectrum(matrix)
    a, ratio = form.zero_multiplicity, sympy.cancel(form.zeta / z) if form.pair_multiplicity else Integer(1)
    variable = Symbol("zeta")
    tails = []
    if form.pair_multiplicity:
        tails = [function.tail(a + i, variable, ratio * WORKING_INTERVAL) for i in range(2)]
    terms = [Term(function.coefficient(n), n, 0) for n in range(a)]
    for k in range(form.pair_multiplicity):
        number = Rational((-1) ** k, sympy.factorial(k))
        terms += [Term(number * sympy.diff(tail, variable, k), a + i, k) for i, tail in enumerate(tails)]
    at_z = {variable: ratio * Symbol("z")}
    return ratio, [Term(t.coefficient.xreplace(at_z), t.n, t.k) for t in terms if t.coefficient != 0]


def closed_form(notation: Notation, function: AnalyticFunction, matrix: ImmutableMatrix, z: Expr, name: str) -> str:
    """Return φ(A) as LaTeX."""
    ratio, terms = closed_form_terms(function, matrix, z)
    squared = rf"\left({name}^{{2}} + {notation.latex(ratio * Symbol('z'))} \thinspace I\right)"

    def power(term: Term) -> str:
        plain = "" if term.n == 0 else name if term.n == 1 else f"{name}^{{{term.n}}}"
        factor = "" if term.k == 0 else squared + (f"^{{{term.k}}}" if term.k > 1 else "")
        return " ".join(t for t in (plain, factor) if t) or "I"

    return _sum(notation, [(t.coefficient, power(t)) for t in terms])


def _sum(notation: Notation, terms: list[tuple[Expr, str]]) -> str:
    text = ""
    for coefficient, power in terms:
        negative = coefficient.could_extract_minus_sign() and not coefficient.is_Add
        size = -coefficient if negative else coefficient
        factor = "" if size == 1 else notation.latex(size) + " "
        factor = rf"\left({factor.strip()}\right) " if size.is_Add else factor
        sign = ("-" if negative else "") if not text else (" - " if negative else " + ")
        text += sign + factor + power
    return text


def _exponential_rows(notation: Notation, forms: VectorForms, group: LieGroup) -> Iterator[Row]:
    """Typeset exp(v) by field of the storage, from the linear kinematic equation s' = L s + f."""
    z = squared_angle(group)
    if group.coordinates_of is not None:
        (field,) = group.storage_fields
        yield Row(rf"{field_letter(field)}\left(\exp v\right)", ("v",))
        return
    for field in group.storage_fields:
        indices = range(field.offset, field.offset + field.size)
        blocks = [b for b in kinematic_blocks(group) if set(b.components) <= set(indices)]
        if len({b.linear for b in blocks}) != 1 or sum(len(b.components) for b in blocks) != field.size:
            continue
        name, block = str(field_letter(field)), blocks[0]
        linear, rows = f"L_{{{name}}}", block.linear.tolist()
        yield Row(linear, (forms.block(rows) or notation.matrix(rows),))
        function = EXP if block.forcing.is_zero_matrix else DEXP
        if has_closed_form(function, block.linear) and (z != 0 or not spectrum(block.linear).pair_multiplicity):
            formula = closed_form(notation, function, block.linear, z, linear)
        else:
            formula = rf"e^{{{linear}}}" if function is EXP else rf"{linear}^{{-1}} \left(e^{{{linear}}} - I\right)"
        operand = _operand(notation, forms, group, field, block)
        yield Row(rf"{name}\left(\exp v\right)", (rf"\left({formula}\right) {operand}" if operand else formula,))


def _operand(notation: Notation, forms: VectorForms, group: LieGroup, field: Field, block: LinearBlock) -> str:
    """Return the operand of φ(L): empty for a matrix with initial value I, else the initial value or the forcing."""
    if len(field.shape) == 2:
        return ""
    start = [group.identity[i] for i in block.components]
    return notation.column(start) if block.forcing.is_zero_matrix else forms.operand(tuple(block.forcing))
