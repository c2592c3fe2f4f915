"""Features of files without counterpart: refused by name, or skipped and listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symlie.errors import ModelError, UnknownNameError, UnsupportedFeatureError

FEATURES = {
    "contacts": "contacts between geometries, without contacts=True",
    "limits": "limits of joints, without limits=True, and of ball joints",
    "ranges": "ranges of controls, forces and rates",
    "sensors": "sensors without an output",
    "shapes": "shapes that views do not draw",
    "extensions": "elements for other programs, and controls of keyframes",
    "friction": "dry friction in joints",
    "pairs": "contacts other than those of a plane with a sphere, capsule, box or cylinder, and of two spheres",
    "surfaces": "torsional and rolling friction, adhesion and moving surfaces of contacts",
    "softness": "stiffness, damping and margins of contacts and stops, which are rigid in the model",
    "tendons": "tendons",
    "actuators": "actuators that do not act on one hinge or slider, or have an activation or another gain",
    "equalities": "equality constraints of tendons and flexible parts, and inactive ones",
    "springs": "springs of ball joints and free bodies, and nonlinear springs and dampers",
    "gravcomp": "compensation of gravity",
    "fluid": "forces of a surrounding fluid",
    "flexes": "flexible parts",
    "mocap": "bodies moved by a program",
    "plugins": "plugins",
}
"""What each feature is, by the name that ``ignore`` takes."""

USUAL = ("contacts", "limits", "ranges", "sensors", "shapes", "extensions", "surfaces", "softness")
"""Features that are skipped with a warning unless the import is strict."""


@dataclass(frozen=True)
class Requested:
    """Parts of files whose equations change at events, which restricts the methods; each one is imported on request."""

    contacts: bool = False
    limits: bool = False
    dry_friction: bool = False


_OPTIONS = {"contacts": "contacts", "limits": "limits", "friction": "dry_friction"}
"""Options that request a feature."""


class Skipped:
    """Parts of a file that are not imported, by feature."""

    def __init__(self, ignore: Iterable[str], *, strict: bool, requested: Requested) -> None:
        self.requested = requested
        self._given = (ignore,) if isinstance(ignore, str) else (*ignore,)
        self._ignored = self._given if strict else (*self._given, *USUAL)
        unknown = [name for name in self._given if name not in FEATURES]
        if unknown:
            raise UnknownNameError(f"There is no feature '{unknown[0]}' to ignore; use some of: {', '.join(FEATURES)}.")
        for name, option in _OPTIONS.items():
            if name in self._given and getattr(requested, option):
                raise ModelError(f'{option}=True imports what ignore=("{name}",) skips; give one of the two.')
        self._parts: dict[str, list[str]] = {}

    def add(self, feature: str, *parts: str) -> None:
        """List parts of a feature."""
        self._parts.setdefault(feature, []).extend(parts)

    def ignores(self, feature: str) -> bool:
        """Return whether a feature is skipped on request, even if it has a counterpart."""
        return feature in self._given

    def warning(self, source: str) -> str:
        """Return a sentence with the skipped features that were not named in advance, or nothing."""
        skipped = {f: parts for f, parts in self._parts.items() if f not in self._given}
        if not skipped:
            return ""
        listed = ", ".join(f"{f} ({named(parts)})" for f, parts in skipped.items())
        options = [f"{o}=True" for f, o in _OPTIONS.items() if f in skipped and not getattr(self.requested, o)]
        hint = f"; import them with {' and '.join(options)}" if options else ""
        return f"{source} was imported without {listed}{hint}."

    def checked(self, file: str) -> Mapping[str, tuple[str, ...]]:
        """Return the parts by feature.

        Raises
        ------
        UnsupportedFeatureError
            If a feature is not among the ignored ones.
        """
        refused = [f for f in self._parts if f not in self._ignored]
        if refused:
            what = "; ".join(f"{FEATURES[f]} ({named(self._parts[f])})" for f in refused)
            words = ", ".join(f'"{f}"' for f in refused)
            raise UnsupportedFeatureError(
                f"{file} has features without counterpart: {what}; skip them with ignore=({words},)."
            )
        return {f: tuple(dict.fromkeys(parts)) for f, parts in self._parts.items()}


def named(parts: Iterable[str], most: int = 4) -> str:
    """Return the first of some names, and the number of the others."""
    names = [*dict.fromkeys(parts)]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
