"""Features of files without counterpart: refused by name, or skipped and listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symlie.errors import UnknownNameError, UnsupportedFeatureError

FEATURES = {
    "contacts": "contacts between geometries",
    "limits": "limits of joints, which need the stiffness of a stop",
    "ranges": "ranges of controls, forces and rates",
    "sensors": "sensors without an output",
    "shapes": "shapes that views do not draw",
    "extensions": "elements for other programs, and controls of keyframes",
    "friction": "dry friction in joints",
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

USUAL = ("contacts", "limits", "ranges", "sensors", "shapes", "extensions")
"""Features that are skipped with a warning unless the import is strict."""


class Skipped:
    """Parts of a file that are not imported, by feature."""

    def __init__(self, ignore: Iterable[str], *, strict: bool) -> None:
        self._given = (ignore,) if isinstance(ignore, str) else (*ignore,)
        self._ignored = self._given if strict else (*self._given, *USUAL)
        unknown = [name for name in self._given if name not in FEATURES]
        if unknown:
            raise UnknownNameError(f"There is no feature '{unknown[0]}' to ignore; use some of: {', '.join(FEATURES)}.")
        self._parts: dict[str, list[str]] = {}

    def add(self, feature: str, *parts: str) -> None:
        """List parts of a feature."""
        self._parts.setdefault(feature, []).extend(parts)

    def ignores(self, feature: str) -> bool:
        """Return whether a feature is skipped on request, even if it has a counterpart."""
        return feature in self._given

    def warning(self, source: str) -> str:
        """Return a sentence with the skipped features that were not named in advance, or nothing."""
        listed = [f"{f} ({named(parts)})" for f, parts in self._parts.items() if f not in self._given]
        return f"{source} was imported without {', '.join(listed)}." if listed else ""

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
