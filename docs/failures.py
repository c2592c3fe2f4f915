"""Write ``docs/failures.md``, a table of all errors and their remedies, from the docstrings of ``symlie.errors``.

python docs/failures.py
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path

from symlie import errors

PAGE = Path(__file__).with_suffix(".md")

HEAD = """# Errors and warnings

This page lists the errors and warnings of symlie with their remedies. All errors derive from
`symlie.errors.SymlieError`; their messages describe the problem, its location and a remedy. If an integration stops
early, the `IntegrationError` contains the solution up to the last valid step. `docs/failures.py` generates this page.

A bead falls in a potential without a lower bound and reaches infinity at t = 1 s:

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
    solution = error.solution  # the motion x = 1/(1 - t)² up to the last valid step

print(solution.status, solution.t[-1], solution.field("bead", "x")[-1])
```

Warnings have the class `sl.SymlieWarning`. Each warning is issued once, and `solution.warnings` lists all of them; see
[Running](running.md#errors-and-warnings). On the command line, an error is printed as one sentence, and the exit code
is 1. An ensemble records the failures of its members and continues with the remaining members; see
[Ensembles](ensembles.md#failures).
"""

SECTIONS = {
    "Model definition": errors.ModelError,
    "Integration": errors.IntegrationError,
    "Other errors": errors.SymlieError,
}
"""Base class of the errors of each section; an error belongs to the first matching section."""


WARNINGS = {
    "Stability of … is uncertain": (
        "The error of an eigenvalue that determines the stability exceeds 1 %, or rounding hides the stiffness of a "
        "zero mode; `is_stable` is False.",
        "Model stiff parts in relative coordinates or by constraints, which avoids the cancellation of large terms; "
        "`Linearization.accuracy` contains error bounds of the eigenvalues, and `resisting` the motion with hidden "
        "stiffness.",
    ),
    "Events accumulate": (
        "The time between two events that change the state is no longer resolved, for example when a ball with "
        'a reset at its impacts comes to rest; `status` is `"accumulation"`.',
        "Replace the impacts with a contact force, or engage a constraint.",
    ),
    "Terminal events accumulate": (
        "The time between two terminal events is no longer resolved, for example when a bouncing ball comes to rest; "
        '`status` is `"accumulation"`.',
        "Replace the impacts with a contact force or a constraint.",
    ),
    "Initial velocities that are not given": (
        "Neither initial values nor constraints determine these velocities; symlie minimises the kinetic energy.",
        "Specify the velocities that the message lists, if the motion depends on them.",
    ),
}
"""Beginning of the message, meaning and remedy of warnings about possibly unexpected results."""


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
    return "\n".join(["", f"## {title}", "", "| error | meaning | remedy |", "|---|---|---|", *map(row, kinds), ""])


def warnings() -> str:
    """The section of warnings."""
    rows = [f"| {begin} | {says} | {advice} |" for begin, (says, advice) in WARNINGS.items()]
    return "\n".join(["", "## Warnings", "", "| warning | meaning | remedy |", "|---|---|---|", *rows, ""])


def document() -> str:
    """The text of the page."""
    return HEAD + "".join(table(title, kinds) for title, kinds in sections().items()) + warnings()


if __name__ == "__main__":
    PAGE.write_text(document(), encoding="utf-8")
