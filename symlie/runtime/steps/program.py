"""Step programs: instructions in order, for systems with certain features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import At, Carry, End, Instruction, Kernel, Result
from symlie.runtime.steps.multistep_instructions import StartingStep
from symlie.runtime.steps.stage_instructions import NextPoint, Stage
from symlie.runtime.steps.values import START_Q, Configuration, Multiplier
from symlie.runtime.system.mechanics import Mechanics


@dataclass(frozen=True)
class Features:
    """Features of a system that determine which instructions its steps need."""

    is_fixed: bool = True
    """True if the topology is part of the generated code."""
    constrained: bool = False
    has_fields: bool = False
    """True if some nodes are first-order states."""
    has_coordinate_rates: bool = False
    """True if some nodes are integrated in stored coordinates whose rates are not the velocities."""
    has_motions: bool = False
    """True if some nodes are prescribed or depend on others."""
    integrates_velocities: bool = True
    """False if no velocity is unknown."""
    has_resting_types: bool = False
    """True if increments do not move all node types."""
    has_redundant_rows: bool = False
    """True if constraint equations may be redundant."""
    mass_is_regular: bool = True
    has_nonlinear_rows: bool = False
    """True if constraints are nonlinear in the velocities."""
    has_acceleration_rows: bool = False
    """True if some constraints restrict accelerations only."""
    has_contacts: bool = False
    has_contacts_alone: bool = False
    """True if all constraint equations belong to contacts."""
    reads_increments: bool = True
    """False if nothing reads the increment of a step after its end."""


ALL_FEATURES = Features(
    constrained=True,
    has_fields=True,
    has_coordinate_rates=True,
    has_motions=True,
    has_resting_types=True,
    has_redundant_rows=True,
    has_nonlinear_rows=True,
)
"""Features for which no instruction is omitted and no results coincide."""


def features_of(mechanics: Mechanics, *, compiled: bool) -> Features:
    """Return the features of a system for compiled code, in which all nodes of fixed topologies move, or for NumPy."""
    layout = mechanics.layout
    return Features(
        is_fixed=layout.is_fixed,
        constrained=any(e.rows for e in layout.elements) if compiled else bool(layout.rows),
        has_fields=layout.has_fields,
        has_coordinate_rates=layout.has_coordinate_rates,
        has_motions=bool(layout.manifest.motions) or layout.has_dependents,
        integrates_velocities=bool((layout.integrated & layout.has_velocity).any()),
        has_redundant_rows=mechanics.takes_redundant_rows,
        mass_is_regular=mechanics.saddle_algebra is None,
        has_nonlinear_rows=layout.has_nonlinear_rows,
        has_acceleration_rows=not bool(layout.of_velocities.all()),
        has_contacts=layout.has_gaps,
        has_contacts_alone=layout.has_contacts_alone,
        reads_increments=not compiled or layout.has_angles or any(e.events for e in layout.elements),
        has_resting_types=not (compiled and layout.is_fixed) and not bool(layout.moving_types.all()),
    )


@dataclass(frozen=True)
class Line:
    """An instruction with its results."""

    instruction: Instruction
    results: tuple[Value, ...]
    for_estimate: bool
    """True if only steps with an error estimate execute it; these lines are the last ones."""


@dataclass(frozen=True)
class Program:
    """Step of a method for systems with certain features."""

    lines: tuple[Line, ...]
    features: Features
    coordinates: str
    """Local coordinates, with the names of the option ``map``."""
    first_steps: int = 0
    """Number of first steps, which another program computes."""

    @cached_property
    def end(self) -> End:
        """End of the step."""
        return next(x.instruction for x in self.lines if isinstance(x.instruction, End))

    @property
    def has_end(self) -> bool:
        """False if the lines only determine initial values of the arrays that the method carries."""
        return self.has(End, StartingStep)

    @property
    def has_estimate(self) -> bool:
        """True if some lines serve the error estimate."""
        return self.lines[-1].for_estimate

    @property
    def earlier_steps(self) -> int:
        """Number of earlier steps that the program needs."""
        return max(self.history.values(), default=0)

    @property
    def is_implicit(self) -> bool:
        """True if Newton's method computes the end of the step."""
        return self.has(ImplicitEnd) or any(x.entry.is_implicit for x in self.solutions)

    def has(self, *kinds: type[Instruction]) -> bool:
        """Return whether the program contains an instruction of these kinds."""
        return any(isinstance(x.instruction, kinds) for x in self.lines)

    @property
    def steps_contacts(self) -> bool:
        """True if contacts may close in the step."""
        return self.solves("contact_end")

    @cached_property
    def solutions(self) -> tuple[Solve, ...]:
        """Solutions of equations of the table."""
        return tuple(x.instruction for x in self.lines if isinstance(x.instruction, Solve))

    def solves(self, *names: str) -> bool:
        """Return whether the program contains a solution of equations with these names."""
        return any(x.name in names for x in self.solutions)

    @property
    def has_next_points(self) -> bool:
        """True if stages satisfy hidden constraints at the next point."""
        return any(isinstance(x.condition, NextPoint) for x in self._stages)

    @cached_property
    def _stages(self) -> tuple[Stage, ...]:
        return tuple(x.instruction for x in self.lines if isinstance(x.instruction, Stage))

    def results(self, name: str) -> list[Value]:
        """Return the values that become a part of the result of the step; see `RESULTS`."""
        instructions = (x.instruction for x in self.lines)
        return [x.x for x in instructions if isinstance(x, Result) and x.name == name]

    @property
    def starts_from_multipliers(self) -> bool:
        """True if λ at the start of the step determines v' there."""
        return any(isinstance(x.condition, Multiplier) for x in self._stages)

    @property
    def starts_from_acceleration(self) -> bool:
        """True if v' of the first stage, known from the previous step, is not a function of the state alone."""
        ends = {x.number for x in self.results("acceleration")}
        stages = (line.instruction for line in self.lines if any(x.number in ends for x in line.results))
        is_between = any(isinstance(x, Stage) and isinstance(x.condition, NextPoint) for x in stages)
        return self.starts_from_multipliers or is_between

    @property
    def carried(self) -> tuple[Carry, ...]:
        """Values that the method carries to the next step."""
        return tuple(x.instruction for x in self.lines if isinstance(x.instruction, Carry))

    @property
    def history(self) -> dict[str, int]:
        """Parts of earlier states that are kept for the following steps, with the number of steps."""
        return {x.name: x.steps for x in self.carried if x.steps}

    @cached_property
    def stages(self) -> int:
        """Number of stages before the end of the step."""
        instructions = [x.instruction for x in self.lines]
        return sum(isinstance(x, Stage) for x in instructions[: instructions.index(self.end)])

    @cached_property
    def is_one_exponential(self) -> bool:
        """True if the increment of the step leads from its start to its end by one exponential."""
        q: Configuration = self.end.q
        for line in reversed(self.lines):
            if q not in line.results:
                continue
            match line.instruction:
                case At(_, before, _, _) | Solve("contact_end", (_, _, Configuration() as before, *_)):
                    q = before
                case ImplicitEnd() | Solve("discrete_start") | Solve("contact_start"):
                    return self.end.theta in line.results
                case instruction:
                    single = instruction == Kernel("advance", (START_Q, self.end.theta))
                    return single and self.coordinates == "exp"
        return False


def passes_acceleration(program: Program, starter: Program | None) -> bool:
    """Return whether v' at the end of a step is a value of the state, since the first stage of the next step, or of its
    substeps by a starting method, reads it and cannot repeat it from q, v and λ."""
    return starter is not None or program.starts_from_acceleration
