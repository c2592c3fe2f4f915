"""C text of instructions of multi-step methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symlie.runtime.steps.multistep_instructions import OrderChoice, StartingStep
from symlie.runtime.steps.program import Line
from symlie.runtime.steps.value_text import RETURN_FAILURE, ValueText


class MultistepText(ValueText):
    """Printer of instructions of multi-step methods."""

    def multistep_statements(self, line: Line) -> Iterator[str]:
        """Yield the statements of an instruction of a multi-step method."""
        instruction, out = line.instruction, [self._array(x) for x in line.results]
        match instruction:
            case StartingStep(acceleration):
                yield f"status = take_starting_step(P, work, t, h, control, mass, state, {out[3]}, trial);"
                yield RETURN_FAILURE
                yield f"system_increment(P, q, trial->q, {out[3]});"
                known = f"trial->acceleration_is_valid ? trial->acceleration : {self._array(acceleration)}"
                yield f"copy(DIMENSION, {known}, {out[2]});"
                yield "pass_record(P, state, trial);"
            case OrderChoice():
                yield from self._order_choice(instruction, out)

    def _order_choice(self, choice: OrderChoice, out: Sequence[str]) -> Iterator[str]:
        for name, values in {"lengths": choice.lengths, "norms": choice.norms}.items():
            yield f"const symlie_real {name}[] = {{{', '.join(map(self._number, values))}}};"
        state = ", ".join(map(self._number, (choice.known, choice.order, choice.equal)))
        arguments = f"control, state, h, {state}, lengths, norms, {self._number(choice.rotation)}, trial"
        yield f"const next_order next = choose_order({arguments});"
        for x, name in zip(out, ("known", "order", "equal", "is_omitted"), strict=True):
            yield f"const symlie_real {x} = next.{name};"
