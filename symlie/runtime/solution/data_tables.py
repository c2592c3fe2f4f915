"""Solutions as tables of xarray and pandas, and as files of comma-separated values."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.variables import Variable, solution_attributes, solution_variables
from symlie.utilities.packages import require

if TYPE_CHECKING:
    import pandas
    import xarray

    from symlie.runtime.solution.solution import Solution


def dataset(solution: Solution) -> xarray.Dataset:
    """See `symlie.runtime.solution.solution.Solution.to_xarray`."""
    require("Datasets of xarray", "xarray", "pandas")
    import xarray

    variables = {v.name: (v.dimensions, v.values, dict(v.attributes)) for v in solution_variables(solution)}
    times = {"time": variables.pop("time")}
    return xarray.Dataset(variables, times, solution_attributes(solution))


def data_frame(solution: Solution) -> pandas.DataFrame:
    """See `symlie.runtime.solution.solution.Solution.to_dataframe`."""
    require("Data frames", "pandas")
    import pandas

    found = columns(solution_variables(solution))
    return pandas.DataFrame(found, index=pandas.Index(found.pop("time"), name="time"))


def write_text(path: Path, variables: list[Variable]) -> None:
    """Write one column per component and one line per time, at full precision."""
    found = columns(variables)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(found)
        writer.writerows(np.column_stack(list(found.values())).tolist())


def columns(variables: list[Variable]) -> dict[str, Array]:
    """Return components over time by name: ``time``, ``energy``, ``top_x[0]``, ``top_R[0,1]``, ``rod_x[5,2]`` of node
    5."""
    found = {}
    for variable in variables:
        for index in np.ndindex(variable.values.shape[1:]):
            label = f"[{','.join(map(str, index))}]" if index else ""
            found[variable.name + label] = variable.values[(slice(None), *index)]
    return found
