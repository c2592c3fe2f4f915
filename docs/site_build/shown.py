"""Results of gallery examples: the value of the last line of each block, as in a notebook."""

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

from site_build import thumbnails
from symlie.runtime.plot.style import PALETTE, STYLE

VIEWS = PurePosixPath("extra/views")
"""Folder of 3-D views, below the folder of all examples; the site contains `extra`."""

SCRIPT = "viewer.js"
"""File with the script of all views."""

DOTS_PER_INCH = 120

PICTURE = """.. image:: /{path}
   :alt: {title}
   :class: sphx-glr-single-img
"""

FRAME = """.. raw:: html

   <figure class="view">
   <iframe src="{path}" title="{title}, 3-D view" loading="lazy"></iframe>
   <figcaption><a href="{path}">Open the view on a separate page</a></figcaption>
   </figure>
"""


def look(gallery: dict[str, Any], example: str) -> None:
    """Apply the figure style of the package; a resetter of sphinx-gallery.

    Parameters
    ----------
    gallery
        Settings of the gallery.
    example
        File of the next example.
    """
    cycle = cycler(color=PALETTE)
    matplotlib.rcParams.update({**STYLE, "axes.prop_cycle": cycle, "savefig.dpi": DOTS_PER_INCH})


def shown(block: Any, variables: dict[str, Any], gallery: dict[str, Any]) -> str:
    """Return the result of a block in reStructuredText; a scraper of sphinx-gallery.

    Parameters
    ----------
    block
        The block of the example.
    variables
        Variables of sphinx-gallery for the example; ``___`` of its globals is the value of the last line.
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
    values["___"] = None  # suppresses the text of the value
    return text


def _title(variables: Mapping[str, Any]) -> str:
    """Return the title of an example."""
    return Path(variables["target_file"]).stem.removeprefix("plot_").replace("_", " ").capitalize()


def _picture(figure: Figure, variables: Mapping[str, Any], gallery: Mapping[str, Any]) -> str:
    path = next(variables["image_path_iterator"])
    figure.savefig(path, dpi=DOTS_PER_INCH)
    return PICTURE.format(path=Path(path).relative_to(gallery["src_dir"]).as_posix(), title=_title(variables))


def _view(view: Any, variables: dict[str, Any]) -> str:
    """Save the view as a page and return a frame with it; its picture is an image without a place on the page."""
    example = Path(variables["target_file"])
    count = variables["views"] = variables.get("views", 0) + 1
    name = f"{example.parent.name}_{example.stem.removeprefix('plot_')}_{count}.html"
    folder = example.parents[1] / VIEWS
    folder.mkdir(parents=True, exist_ok=True)
    view.save(folder / name)
    share_script(folder / name)
    if thumbnails.is_requested(example) and (image := thumbnails.picture(folder / name)):
        Path(next(variables["image_path_iterator"])).write_bytes(image)
    return FRAME.format(path=f"../../{VIEWS.name}/{name}", title=_title(variables))


def share_script(page: Path) -> None:
    """Move the script of a view to a file next to it, which all views of the site share.

    Parameters
    ----------
    page
        Page of the view, whose last script is the viewer.
    """
    before, found, rest = page.read_text(encoding="utf-8").rpartition("<script>")
    if not found:
        return
    script, end, after = rest.partition("</script>")
    (page.parent / SCRIPT).write_text(script, encoding="utf-8")
    allowed = before.replace("script-src 'unsafe-inline'", "script-src 'self' file:")
    page.write_text(f'{allowed}<script src="{SCRIPT}">{end}{after}', encoding="utf-8")


def _formula(latex: str) -> str:
    """Return a displayed formula."""
    return ".. math::\n\n" + indent(re.sub(r"^\$+|\$+$", "", latex.strip()), "   ") + "\n"
