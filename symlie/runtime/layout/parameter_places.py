"""Places of parameters in one vector: those of the model, then those of all elements, type by type."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Layout


def parameter_places(layout: Layout) -> tuple[int, list[NDArray[np.intp]]]:
    """Return the length of the vector, and for each element type the places of the parameters that its kernels read,
    shape (elements, parameters): those of the model, then its own ones, which may be parameters of the model.
    """
    model, found = len(layout.parameter_defaults), list[NDArray[np.intp]]()
    end = model
    own_values = zip(layout.instance_counts, layout.element_parameters, layout.parameter_sources, strict=True)
    for count, rows, sources in own_values:
        width = rows.shape[1]
        places = end + np.arange(count * width, dtype=np.intp).reshape(count, width)
        if sources is not None:
            places = np.where(sources >= 0, sources, places)
        end += count * width
        found.append(np.hstack([np.tile(np.arange(model, dtype=np.intp), (count, 1)), places]))
    return end, found


def parameter_names(layout: Layout, chosen: NDArray[np.bool_]) -> list[str]:
    """Return the names of parameters with chosen places: NAME of the model, or TYPE.NAME of element types."""
    found = [name for name, (part, *_) in layout.parameters.items() if chosen[part].any()]
    _, places = parameter_places(layout)
    for name, owners in layout.parameters_of_elements.items():
        for element, part in owners:
            own = places[element][:, len(layout.parameter_defaults) :]
            if chosen[own[:, part]].any():
                found.append(f"{layout.elements[element].name}.{name}")
    return found
