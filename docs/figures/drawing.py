"""Shared functions of the scripts of this folder: figure style and compressed PNG files."""

from __future__ import annotations

import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from symlie.runtime.plot.style import STYLE

FOLDER = Path(__file__).parent
DOTS_PER_INCH = 200
SETTINGS = {**STYLE, "axes.grid": True, "axes.axisbelow": True, "legend.handlelength": 2.4}


@contextmanager
def picture(width: float, height: float) -> Iterator[Figure]:
    """Create a figure with a size in inches, in the style of the package."""
    with matplotlib.rc_context(SETTINGS):
        yield Figure(figsize=(width, height), layout="constrained")


def letters() -> Iterator[str]:
    """Return the letters of panels."""
    return iter(string.ascii_lowercase)


def write(figure: Figure, name: str) -> None:
    """Write a figure as a PNG file."""
    path = FOLDER / name
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(path, dpi=DOTS_PER_INCH)
    quantized(path)


def quantized(path: Path) -> None:
    """Convert a PNG file to a palette of colours, which reduces its size to a third."""
    from PIL import Image

    with Image.open(path) as image:
        image.convert("RGB").quantize(64).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
