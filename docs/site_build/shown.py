"""What an example shows: the value of the last line of each of its blocks, as a notebook would."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from textwrap import indent
from typing import Any

import matplotlib
from cycler import cycler
from matplotlib import pyplot
from matplotlib.figure import Figure

from symlie.runtime.plot.style import PALETTE, STYLE

VIEWS = PurePosixPath("extra/views")
"""Where views are written, below the folder of all examples; the site has what is in `extra`."""

DOTS_PER_INCH = 120

PICTURE = """.. image:: /{path}
   :alt: {title}
   :class: sphx-glr-single-img
"""

FRAME = """.. raw:: html

   <figure class="view">
   <iframe src="{path}" title="{title}, in space and moving" loading="lazy"></iframe>
   <figcaption><a href="{path}">The view on a page of its own</a></figcaption>
   </figure>
"""


def look(gallery: dict[str, Any], example: str) -> None:
    """Figures of examples look as those of the package do; a resetter of sphinx-gallery.

    Parameters
    ----------
    gallery
        Settings of the gallery.
    example
        File of the example that comes next.
    """
    cycle = cycler(color=PALETTE)
    matplotlib.rcParams.update({**STYLE, "axes.prop_cycle": cycle, "savefig.dpi": DOTS_PER_INCH})


def shown(block: Any, variables: dict[str, Any], gallery: dict[str, Any]) -> str:
    """The text in reStructuredText of what a block shows; a scraper of sphinx-gallery.

    Parameters
    ----------
    block
        The block of the example.
    variables
        What sphinx-gallery knows of the example; ``___`` of its globals is the value of the last line.
    gallery
        Settings of the gallery.
    """
    values = variables["example_globals"]
    statements = ast.parse(block.content).body
    if not statements or not isinstance(statements[-1], ast.Expr):
        return ""
    value = values.get("___")
    if isinstance(value, Figure) and not pyplot.fignum_exists(getattr(value, "number", None)):
        text = _picture(value, variables, gallery)
    elif hasattr(value, "save") and hasattr(value, "html"):
        text = _view(value, variables)
    elif hasattr(value, "_repr_latex_"):
        text = _formula(value._repr_latex_())
    else:
        return ""
    values["___"] = None  # shown, so that no text stands for it
    return text


def _title(variables: Mapping[str, Any]) -> str:
    """An example in words."""
    return Path(variables["target_file"]).stem.removeprefix("plot_").replace("_", " ").capitalize()


def _picture(figure: Figure, variables: Mapping[str, Any], gallery: Mapping[str, Any]) -> str:
    path = next(variables["image_path_iterator"])
    figure.savefig(path, dpi=DOTS_PER_INCH)
    return PICTURE.format(path=Path(path).relative_to(gallery["src_dir"]).as_posix(), title=_title(variables))


def _view(view: Any, variables: dict[str, Any]) -> str:
    """A page of its own for the view, in a frame."""
    example = Path(variables["target_file"])
    count = variables["views"] = variables.get("views", 0) + 1
    name = f"{example.parent.name}_{example.stem.removeprefix('plot_')}_{count}.html"
    folder = example.parents[1] / VIEWS
    folder.mkdir(parents=True, exist_ok=True)
    view.save(folder / name)
    return FRAME.format(path=f"../../{VIEWS.name}/{name}", title=_title(variables))


def _formula(latex: str) -> str:
    """A formula on lines of its own."""
    return ".. math::\n\n" + indent(re.sub(r"^\$+|\$+$", "", latex.strip()), "   ") + "\n"
