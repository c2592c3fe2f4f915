"""Element types of a continuum, created on demand; continua of one material share them."""

from __future__ import annotations

from symlie.elements.continua.densities import Densities
from symlie.elements.continua.discretization import Ends, section_type, segment_type
from symlie.elements.continua.grid import QUADRATURES
from symlie.modeling.element_type import ElementType
from symlie.options import Quadrature


class ElementTypes:
    """Element types NAME_section and NAME_segment; types at ends with an angle have suffixes, as in
    NAME_segment_start_end."""

    def __init__(self, densities: Densities, quadrature: Quadrature) -> None:
        self._densities, self._rule = densities, QUADRATURES[quadrature]
        self._loads = tuple(densities.loads)  # excludes later loads, which belong to one continuum
        self._sections: dict[Ends, ElementType] = {}
        self._segments: dict[Ends, ElementType] = {}

    def section(self, ends: Ends = ()) -> ElementType:
        """Return the type of cross sections, inside or at an end with an angle."""
        if ends not in self._sections:
            name = "_".join((self._densities.name, "section", *ends))
            self._sections[ends] = section_type(name, self._densities, self._loads, end="".join(ends))
        return self._sections[ends]

    def segment(self, ends: Ends = ()) -> ElementType:
        """Return the type of segments, inside or at ends with an angle."""
        if ends not in self._segments:
            name = "_".join((self._densities.name, "segment", *ends))
            self._segments[ends] = segment_type(name, self._densities, self._rule, ends)
        return self._segments[ends]
