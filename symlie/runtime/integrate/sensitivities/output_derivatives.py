"""Mappings of outputs to their derivatives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symlie.errors import UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.utilities.showing import ListsPublicNames


class OutputDerivatives(ListsPublicNames, Mapping[str, Array]):
    """Derivatives of outputs by name."""

    _outputs: Mapping[str, Array]

    def __getitem__(self, name: str) -> Array:
        if name not in self._outputs:
            known = ", ".join(self._outputs) or "none"
            raise UnknownNameError(f"This sensitivity has no output '{name}'; it has: {known}.")
        return self._outputs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._outputs)

    def __len__(self) -> int:
        return len(self._outputs)
