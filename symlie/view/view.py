"""A view of solutions, as a page, a file and a notebook cell."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from symlie.errors import FormatError
from symlie.runtime.solution.formats import replaced
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import Content
from symlie.utilities.showing import line
from symlie.view.page import page_of
from symlie.view.scene import scene_of

FRAME_HEIGHT = 560
"""Height of a view in a notebook, in pixels."""


@dataclass(frozen=True)
class DrawnSolution:
    """Contents of a view for one solution.

    Attributes
    ----------
    label
        Label on the page.
    frames
        Number of drawn states.
    notes
        Sentences on omitted data.
    """

    label: str
    frames: int
    notes: list[str]


class View:
    """Interactive page that animates solutions of a model; displayed in notebooks.

    Returned by `Solution.view`.

    Parameters
    ----------
    solutions
        The solution, and others of its model, which are drawn as ghosts.

    Attributes
    ----------
    scene
        Data of the page in JSON form.

    Raises
    ------
    ModelError
        For solutions of different models, an empty solution, or a model without any position.

    Examples
    --------
    >>> import symlie as sl
    >>> model = sl.Model("ball")
    >>> q = model.node("ball", "R3", unit="m")
    >>> model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    >>> model.initial(q, x_dot=[1, 0, 0])
    >>> solution = sl.solve(model.derive().compile(), 1.0)
    >>> view = solution.view()
    >>> "<html" in view.html
    True
    """

    def __init__(self, solutions: Sequence[Solution]) -> None:
        self._name = solutions[0].system.name
        self.scene: Content = scene_of(solutions)

    def __repr__(self) -> str:
        return line("View", [self._name, *(f"{d.label}, {d.frames} states" for d in self.drawn)])

    @property
    def drawn(self) -> list[DrawnSolution]:
        """Contents for each solution."""
        return [DrawnSolution(s["label"], s["times"]["shape"][0], s["notes"]) for s in self.scene["solutions"]]

    @cached_property
    def html(self) -> str:
        """HTML text of the page."""
        return page_of(self._name, self.scene)

    def save(self, path: str | Path) -> None:
        """Write the page as one file that any browser opens without a network.

        Equal solutions give bitwise identical files.

        Parameters
        ----------
        path
            File to write, ``.html``.

        Raises
        ------
        FormatError
            If the file name has another extension or the file cannot be written.
        """
        path = Path(path)
        if path.suffix not in (".html", ".htm"):
            raise FormatError(f"A view is saved as .html, not as '{path.name}'.")
        with replaced(path) as temporary:
            temporary.write_text(self.html, encoding="utf-8", newline="\n")

    def _repr_html_(self) -> str:
        # The page is embedded in the notebook, so it survives reopening and conversion.
        page = html.escape(self.html, quote=True)
        title = html.escape(f"View of {self._name}")
        style = f"width: 100%; height: {FRAME_HEIGHT}px; border: 0"
        return (
            f'<iframe title="{title}" sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{page}"></iframe>'
        )


def view_of(solution: Solution, others: Sequence[Solution]) -> View:
    """See `symlie.runtime.solution.solution.Solution.view`."""
    return View([solution, *others])
