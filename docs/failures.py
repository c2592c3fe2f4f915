"""Write ``docs/failures.md``: every error, what it says and what to do, from the docstrings of ``symlie.errors``.

python docs/failures.py
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path

from symlie import errors

PAGE = Path(__file__).with_suffix(".md")

HEAD = """# Failures

Every error that symlie raises on purpose is a `symlie.errors.SymlieError` with a name that says its kind. Its message
says what is wrong, where, and what to do. An integration that stops early raises an `IntegrationError`, which carries
the solution up to the last good step. This page is written by `docs/failures.py`.

A bead that falls into a well without floor:

```python
import symlie as sl

model = sl.Model("bead")
bead = model.node("bead", "R1")
model.kinetic_energy(bead.x_dot.dot(bead.x_dot) / 2)
model.potential_energy(-2 * bead.x[0] ** 3)
model.initial(bead, x=[1], x_dot=[2])

try:
    solution = sl.solve(model.derive().compile(), 2)
except sl.errors.IntegrationError as error:
    print(type(error).__name__, error)
    solution = error.solution  # the motion x = 1/(1 - t)², as far as there is one

print(solution.status, solution.t[-1], solution.field("bead", "x")[-1])
```

What may not be as expected, but is a result, is said once by a warning `sl.Notice`, and stands in `solution.notices`:
see [Running](running.md#what-ends-a-run-and-what-is-said-once). On the command line an error is one sentence and the
exit code is 1; members of an ensemble that fail are recorded, and the others go on: see
[Ensembles](ensembles.md#failures).
"""

SECTIONS = {
    "Statements": errors.ModelError,
    "Integrations": errors.IntegrationError,
    "Everything else": errors.SymlieError,
}
"""A section has the errors that derive from one, but for those of sections before it."""


WARNINGS = {
    "Stability of … is not resolved": (
        "`linearize` knows an eigenvalue that decides on stability less well than to 1 %, or a motion along a zero "
        "mode meets a stiffness that rounding hides; `is_stable` is False.",
        "State stiff parts in relative coordinates or as constraints, so that their terms do not cancel; "
        "`Linearization.accuracy` and `resisting` say which eigenvalues and which motion.",
    ),
    "Terminal events accumulate": (
        "Time does not resolve the motion between two terminal events, as of a ball that comes to rest; `status` is "
        '`"accumulation"`.',
        "Go on without impacts, with a contact force or a constraint.",
    ),
    "Initial velocities that are not given": (
        "Neither given values nor constraints determine them; those of least kinetic energy were taken.",
        "Give the velocities that the message names, if the motion depends on them.",
    ),
}
"""How a message begins, what it says and what to do, of warnings about results that may not be the wanted ones."""


def row(kind: type[errors.SymlieError]) -> str:
    """An error as a row of a table."""
    says, _, advice = (inspect.getdoc(kind) or "").partition("\n\n")
    cells = (" ".join(text.replace("``", "`").split()) for text in (says, advice))
    return f"| `{kind.__name__}` | {' | '.join(cells)} |"


def sections() -> dict[str, list[type[errors.SymlieError]]]:
    """The errors of each section, in the order in which they are defined."""
    left = [thing for thing in vars(errors).values() if inspect.isclass(thing)]
    left = [kind for kind in left if issubclass(kind, errors.SymlieError)]
    found = {}
    for title, base in SECTIONS.items():
        found[title] = [kind for kind in left if issubclass(kind, base)]
        left = [kind for kind in left if kind not in found[title]]
    return found


def table(title: str, kinds: Iterable[type[errors.SymlieError]]) -> str:
    """A section."""
    return "\n".join(
        ["", f"## {title}", "", "| error | what it says | what to do |", "|---|---|---|", *map(row, kinds), ""]
    )


def warnings() -> str:
    """The section of warnings."""
    rows = [f"| {begin} | {says} | {advice} |" for begin, (says, advice) in WARNINGS.items()]
    return "\n".join(["", "## Warnings", "", "| warning | what it says | what to do |", "|---|---|---|", *rows, ""])


def document() -> str:
    """The text of the page."""
    return HEAD + "".join(table(title, kinds) for title, kinds in sections().items()) + warnings()


if __name__ == "__main__":
    PAGE.write_text(document(), encoding="utf-8")
