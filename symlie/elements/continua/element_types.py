"""The element types of a continuum, each made when it is first needed; continua of one material share them."""

from __future__ import annotations

from symlie.elements.continua.densities import Densities
from symlie.elements.continua.discretization import Ends, section_type, segment_type
from symlie.elements.continua.grid import QUADRATURES
from symlie.modeling.element_type import ElementType


class ElementTypes:
    """Element types of cross sections and segments, called NAME_section and NAME_segment.

    Those at ends that are at an angle to the nodes they are joined to are called NAME_section_start,
    NAME_segment_start_end and so on.

    Parameters
    ----------
    densities
        Densities and end conditions of the continuum.
    quadrature
        Name of `QUADRATURES`.
    """

    def __init__(self, densities: Densities, quadrature: str) -> None:
        self._densities, self._rule = densities, QUADRATURES[quadrature]
        self._loads = tuple(densities.loads)  # later ones belong to one continuum, while types are shared
        self._sections: dict[Ends, ElementType] = {}
        self._segments: dict[Ends, ElementType] = {}

    def section(self, ends: Ends = ()) -> ElementType:
        """The type of cross sections, or of those at one of the ends."""
        if ends not in self._sections:
            name = "_".join((self._densities.name, "section", *ends))
            self._sections[ends] = section_type(name, self._densities, self._loads, end="".join(ends))
        return self._sections[ends]

    def segment(self, ends: Ends = ()) -> ElementType:
        """The type of segments, or of those at some of the ends."""
        if ends not in self._segments:
            name = "_".join((self._densities.name, "segment", *ends))
            self._segments[ends] = segment_type(name, self._densities, self._rule, ends)
        return self._segments[ends]
