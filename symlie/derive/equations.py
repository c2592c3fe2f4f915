"""`derive`: equations of motion of a model, shown as LaTeX and compiled to kernels."""

from __future__ import annotations

import functools
import time
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from symlie.derive.balances import with_balances
from symlie.derive.constraints import check_resets, with_activities, without_held_lengths
from symlie.derive.dependents import check_dependents
from symlie.derive.derived_statement import DerivedStatement, derive_statement
from symlie.errors import ModelError
from symlie.modeling.inventory import check_symbols, fingerprint
from symlie.modeling.model import Model
from symlie.modeling.reported_names import check_reported_names
from symlie.modeling.statement import Statement
from symlie.options import Backend, Optimize
from symlie.utilities.showing import ListsPublicNames, line, listed
from symlie.utilities.stages import stage

if TYPE_CHECKING:
    from pathlib import Path

    from symlie.contract.discrete import DiscreteLagrangianLike
    from symlie.ir.kernels import Arrangement, EmittedModel
    from symlie.modeling.freezing import Freeze
    from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False)
class Equations(ListsPublicNames):
    """Equations of motion M v' = -g(t, q, v) - Bᵀ λ, Φ(t, q) = 0 of a model, from `Model.derive`.

    Notebooks display an object of this class as LaTeX.
    """

    INTERNAL = frozenset(
        {"arrangement", "canonical_text", "derived", "elements", "emitted", "options", "stated", "with_symbols"}
    )

    model: Model
    """The model at the time of derivation."""
    options: tuple[tuple[str, object], ...] = ()
    stated: Hashable = None
    """Fingerprint of the model at the time of derivation."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Duration of the derivation in s, under ``"derive"``; empty until a derivation is necessary."""
    frozen: tuple[str, ...] = ()
    """Names of the parameters that are constants in all kernels; ELEMENT.NAME for parameters of element types."""

    def with_constants(self, freeze: Freeze) -> Equations:
        """Return a copy in which exactly these parameters are constants.

        Parameters
        ----------
        freeze
            As in `compile`.

        Raises
        ------
        UnknownNameError, ModelError
            As in `compile`.
        """
        from symlie.modeling.freezing import frozen_names

        self._check_unchanged()
        names = frozen_names(self.model, freeze)
        return self if names == self.frozen else replace(self, frozen=names, seconds={})

    @functools.cached_property
    def with_symbols(self) -> Equations:
        """Equations with symbols for all parameters, for display."""
        return self.with_constants(())

    def _check_unchanged(self) -> None:
        if self.stated is not None and fingerprint(self.model) != self.stated:
            raise ModelError(
                f"Model '{self.model.name}' was changed after derive(); complete the model first, or call derive() "
                "again."
            )

    @functools.cached_property
    def is_fixed(self) -> bool:
        """True if the topology is part of the generated code, as for small models without node arrays.

        The elimination of such models is derived symbolically. The topology of other models is run-time data.
        """
        from symlie.derive.topology import has_fixed_topology

        self._check_unchanged()
        return has_fixed_topology(self.model)

    @functools.cached_property
    def elements(self) -> Model:
        """Model from which kernels are derived: large models are cut into element types.

        Parameters become constants afterwards, so that parts that differ only in their values share code.
        """
        from symlie.modeling.freezing import frozen_model

        model = self._cut
        if not self.frozen:
            return model
        with stage("derive", f"constants of {model.name}"):
            return frozen_model(model, self.frozen)

    @functools.cached_property
    def _cut(self) -> Model:
        from symlie.derive.cutting import can_be_cut, cut
        from symlie.derive.topology import is_whole

        self._check_unchanged()
        if (self.is_fixed and is_whole(self.model)) or not can_be_cut(self.model):
            return self.model
        check_symbols(self.model, self.model)
        with stage("derive", f"elements of {self.model.name}"):
            return cut(self.model)

    @functools.cached_property
    def canonical_text(self) -> str | None:
        """Canonical text, which determines all generated code except the values in the manifest, or None."""
        from symlie.modeling.canonical import NoTextError, canonical_text

        self._check_unchanged()
        try:
            text = canonical_text(self.elements, with_topology=self.is_fixed)
        except NoTextError:
            return None
        # Comments of the generated code list them as well.
        constants = [(p.name, p.default) for p in self.model.parameters if p.name in self.frozen]
        return f"{text}\nconstants {constants!r}" if self.frozen else text

    @functools.cached_property
    def derived(self) -> tuple[DerivedStatement, ...]:
        """Statements of the model itself, if any, and of each element type, with all derived terms."""
        self._check_unchanged()
        model = self.elements
        start = time.perf_counter()
        with stage("derive", model.name):
            for statement in statements_of(model):
                check_symbols(model, statement)
            derived = tuple(derive_statement(s) for s in statements_of(model))
            _check_masses(model, derived)
            if any(s.dependents for s in statements_of(model)):
                check_dependents(model)
        self.seconds["derive"] = time.perf_counter() - start
        return derived

    @functools.cached_property
    def emitted(self) -> EmittedModel:
        """Kernels of the model with its arrangement, ready to be emitted."""
        from symlie.derive.arrangement import small_elimination
        from symlie.derive.kernels import model_kernels
        from symlie.ir.kernels import EmittedModel

        self._check_unchanged()
        types = model_kernels(self.elements, self.derived, fixed=self.is_fixed)
        elimination = small_elimination(types, self.arrangement) if self.is_fixed else None
        return EmittedModel(types, self.arrangement, elimination)

    @functools.cached_property
    def arrangement(self) -> Arrangement:
        """Nodes, instances and parameter values: the run-time data of the model."""
        from symlie.derive.arrangement import arrange

        self._check_unchanged()
        outputs = tuple(o.name for o in self.model.outputs)
        return replace(arrange(self.elements, fixed=self.is_fixed), outputs=outputs, frozen=self.frozen)

    def compile(
        self,
        backend: Backend = "auto",
        optimize: Optimize = "default",
        *,
        freeze: Freeze = (),
        progress: bool | None = None,
    ) -> System:
        """Generate the code of the equations, compile it, and return a system; code in the cache is reused.

        Parameters
        ----------
        backend
            ``"c"``, ``"numpy"``, or ``"auto"``: C if a compiler is found, otherwise NumPy with a warning.
        optimize
            ``"default"``, ``"contract"`` (allow fused multiply-add) or ``"portable"``.
        freeze
            Parameters to compile as constants, which makes the code shorter and faster: their names, as NAME or
            ELEMENT.NAME, or ``"all"``. Their values cannot change later. A parameter of an element type must have the
            same value in all elements; ``"all"`` omits those that differ. Default: none.
        progress
            True: print each stage to stderr. False: print nothing. Default: print stages of more than a second on a
            terminal and in notebooks.

        Returns
        -------
        System
            The compiled model with its default parameters and initial values.

        Raises
        ------
        NoCompilerError
            If ``backend="c"`` and no C compiler is found.
        CompilerError
            If the compiler fails, or its result cannot be loaded.
        UnknownNameError
            If a parameter in ``freeze``, the backend or the optimization does not exist.
        ModelError
            If the model was changed after the derivation, if elements differ in a frozen parameter, or if an expression
            is not finite for a frozen value.
        """
        from symlie.api import compile_equations

        constant = self.with_constants(freeze) if freeze else self
        return compile_equations(constant, backend=backend, optimize=optimize, progress=progress)

    def generate(self, folder: str | Path, *, freeze: Freeze = ()) -> Path:
        """Write the generated files into a folder, which `symlie.load` reads without SymPy.

        Parameters
        ----------
        folder
            Output folder; it is created if it does not exist.
        freeze
            As in `compile`.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        UnknownNameError, ModelError
            As in `compile`.
        FormatError
            If a file cannot be written; the folder is then unchanged.
        """
        from symlie.api import write_generated

        return write_generated(self.with_constants(freeze) if freeze else self, folder)

    def latex(self, *, newton: bool = False, variational: DiscreteLagrangianLike | None = None) -> str:
        """Return all derived terms as LaTeX.

        Parameters
        ----------
        newton
            True: include the Newton matrices K = D_q(M v' + g + Bᵀλ), C = ∂g/∂v and H = D_q(B v + b).
        variational
            Discrete Lagrangian whose momenta and stages are included: ``"trapezoid"``, ``"midpoint"``, a function of
            (q0, q1, h), or ``"FILE.py:NAME"`` of such a function.

        Raises
        ------
        UnknownNameError, FormatError
            If the discrete Lagrangian does not exist, or its file cannot be read.
        ModelError
            If the discrete Lagrangian is invalid, or variational methods do not support the model.
        """
        from symlie.api import typeset

        return typeset(self, "latex", newton=newton, variational=variational)

    def markdown(self, *, newton: bool = False, variational: DiscreteLagrangianLike | None = None) -> str:
        """Return a Markdown page with all derived terms and the meaning of all symbols.

        Parameters
        ----------
        newton, variational
            As in `latex`.

        Raises
        ------
        UnknownNameError, FormatError, ModelError
            As in `latex`.
        """
        from symlie.api import typeset

        return typeset(self, "markdown", newton=newton, variational=variational)

    def _repr_latex_(self) -> str:
        return self.latex()

    def __repr__(self) -> str:
        constants = [listed(self.frozen, "constants")] if self.frozen else []
        names = [s.name for s in statements_of(self.model)]
        return line("Equations", [self.model.name, listed(names, "statements"), *constants])


def statements_of(model: Model) -> list[Statement]:
    """Return the statements from which kernels are derived."""
    own: list[Statement] = [] if model.is_empty else [model]
    return own + [i.element for i in model.instances]


def equations_of(model: Model, options: tuple[tuple[str, object], ...] = ()) -> Equations:
    """Return the equations of a model, derived on first use; raise `ModelError` without nodes or kinetic energy."""
    if not model.nodes and not model.arrays:
        raise ModelError(f"Model '{model.name}' has no nodes; add one with model.node(name, group).")
    has_velocity = any(g.velocity_dimension for g in model.spaces)
    if has_velocity and all(s.kinetic == 0 for s in statements_of(model)):
        raise ModelError(f"Model '{model.name}' has no kinetic energy; define it with model.kinetic_energy(...).")
    check_reported_names(model)
    check_resets(model)
    _check_quantities(model)
    for instances in model.instances:
        width = sum(len(p.default) for p in instances.element.parameters) + 2 * len(instances.element.inputs)
        if any(block.shape[1] != width for block in instances.parameters):
            raise ModelError(
                f"Element type '{instances.element.name}' received parameters or inputs after it was added to "
                f"'{model.name}'; declare them first."
            )
    balanced = with_balances(with_activities(without_held_lengths(model)))
    return Equations(balanced, options, stated=fingerprint(balanced))


def derive(model: Model) -> Equations:
    """Return the equations of a model with all terms derived; raise `ModelError` if the model is invalid."""
    # Errors: no nodes; a velocity without mass or constraint; an energy of the wrong kind; a constraint without
    # configuration.
    equations = equations_of(model)
    _ = equations.derived
    return equations


def _check_quantities(model: Model) -> None:
    """Check that functions of initial values take known arguments, and that no quantity has the name of a field."""
    parameters = [p.name for p in model.parameters]
    elements = [p.name for i in model.instances for p in i.element.parameters]
    single = [*parameters, *(name for name in elements if elements.count(name) == 1)]
    for array in model.arrays:
        own = [f.name for f in (*array.group.storage_fields, *array.group.velocity_fields)]
        for name, quantity in array.quantities.items():
            for space in model.spaces:
                if name in [f.name for f in (*space.storage_fields, *space.velocity_fields)]:
                    raise ModelError(f"Quantity '{name}' of '{array.name}' is a field of {space}, too; rename it.")
            known = dict.fromkeys([name, *(f for f in own if f != quantity.field.name), *single])
            unknown = [a for a in quantity.arguments if a not in known]
            if unknown:
                raise ModelError(
                    f"The function that computes '{array.name}.{quantity.field.name}' from {name} has the unknown "
                    f"argument '{unknown[0]}'; use one of: {', '.join(known)}."
                )


def _check_masses(model: Model, derived: tuple[DerivedStatement, ...]) -> None:
    """Check that every free velocity component has a mass or a constraint, and every node without velocity a vector
    field."""
    sizes = {n.name: (1, n.group.velocity_dimension) for n in model.nodes}
    sizes |= {a.name: (a.count, a.group.velocity_dimension) for a in model.arrays}
    without = {name for name, (_, dimension) in sizes.items() if not dimension}
    seen: dict[tuple[str, int], set[int]] = {}
    for d in derived:
        local: list[set[int]] = []
        position = 0
        for node in d.statement.nodes:
            n = node.group.velocity_dimension
            held = [any(row[position + k] != 0 for row in d.constraints.jacobian) for k in range(n)]
            local.append({k for k in range(n) if held[k] or any(e != 0 for e in d.dynamics.mass[position + k])})
            if any(moved is node for moved, _ in d.statement.fields):
                local[-1].add(0)
            position += n
        if d.statement is model:
            rows = [tuple((node.name, 0) for node in model.nodes)]
        else:
            rows = next(i.nodes for i in model.instances if i.element is d.statement)
        for row in rows:
            for place, components in zip(row, local, strict=True):
                seen.setdefault(place, set()).update(components)
    fixed = {a.name: a.fixed for a in model.arrays}
    prescribed = {(m.node, m.index) for m in model.motions}
    for name, (count, dimension) in sizes.items():
        for k in range(count):
            missing = set(range(1 if name in without else dimension)) - seen.get((name, k), set())
            if missing and name in without:
                label = name if any(n.name == name for n in model.nodes) else f"{name}[{k}]"
                raise ModelError(
                    f"Node '{label}' has no velocity and no equation of motion; define its field, its vector field or "
                    "a Hamiltonian."
                )
            if missing and not (name in fixed and fixed[name][k]) and (name, k) not in prescribed:
                label = f"{name}[{k}]" if name in fixed else name
                raise ModelError(
                    f"Velocity component {min(missing)} of node '{label}' has no inertia; add its kinetic energy"
                    f"{' or clamp it' if name in fixed else ', or define forces in the model that determine it'}."
                )
