"""``--over``: quantities that vary between the members of a sweep."""

from __future__ import annotations

import csv
import re
from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from symlie.cli.common import node_with
from symlie.cli.sweeping.draws import Draw, draw, pieces, stated
from symlie.cli.values import number, option, quantity, whole
from symlie.errors import FormatError, SymlieError
from symlie.options import Sampler
from symlie.utilities.reading import reading

if TYPE_CHECKING:
    from symlie.runtime.layout.layout import Array
    from symlie.runtime.system.system import System

Rows: TypeAlias = "Mapping[str, Sequence[object] | Array]"
"""Values by name, members first."""

RANGE_FORM = "NAME=FIRST:LAST:NUMBER, with :log for equal ratios"


@dataclass(frozen=True)
class Over:
    """One parsed ``--over`` argument, with exactly one kind of values."""

    text: str
    """Text of the argument."""
    name: str
    """Name of the varied quantity; empty for a table of members."""
    texts: tuple[str, ...] = ()
    """Individual values."""
    values: tuple[float, ...] = ()
    """Values of a range."""
    drawn: Draw | None = None
    """Distribution of the values."""
    file: str = ""
    """File with the values."""

    def options(self) -> list[object]:
        """Return the values for a model option, or raise `SymlieError` if they are drawn or in a file."""
        if not (self.values or self.texts):
            raise SymlieError(
                f"--over {self.text}: '{self.name}' is an option of the model, which takes only a list or a range."
            )
        found = [*self.values] if self.values else [option(f"{self.name}={text}")[1] for text in self.texts]
        return [int(x) if isinstance(x, float) and x.is_integer() else x for x in found]

    def numbers(self) -> list[object]:
        """Return the values as numbers or lists of numbers, or raise `SymlieError`."""
        if self.values:
            return [*self.values]
        try:
            return [quantity(f"{self.name}={text}")[1] for text in self.texts]
        except ArgumentTypeError as error:
            raise SymlieError(f"--over {self.text}: {error}.") from error


def over(text: str) -> Over:
    """Parse ``--over``, or raise `ArgumentTypeError`."""
    if text.startswith("@"):
        return Over(text, "", file=text[1:])
    name, sign, value = (part.strip() for part in text.partition("="))
    if not (name and sign and value):
        raise ArgumentTypeError(f"{text!r} must be NAME=VALUES or @FILE")
    if value.startswith("@"):
        return Over(text, name, file=value[1:])
    if ":" in value:
        return Over(text, name, values=_range(text, value))
    found = pieces(value)
    if any("(" in piece for piece in found):
        if len(found) > 1:
            raise ArgumentTypeError(f"{text!r} must be one distribution, or for a vector a list in brackets: [a, b, c]")
        return Over(text, name, drawn=draw(found[0]))
    if not all(found):
        raise ArgumentTypeError(f"{text!r} has an empty value")
    return Over(text, name, texts=tuple(found))


def _range(text: str, value: str) -> tuple[float, ...]:
    import numpy as np

    parts = value.split(":")
    if len(parts) not in (3, 4) or parts[3:] not in ([], ["log"]):
        raise ArgumentTypeError(f"{text!r} must be {RANGE_FORM}")
    first, last, count = number(parts[0]), number(parts[1]), whole(parts[2])
    if count < 2:
        raise ArgumentTypeError(f"the range {text!r} needs at least two values")
    if len(parts) == 3:
        return tuple(np.linspace(first, last, count).tolist())
    if first * last <= 0:
        raise ArgumentTypeError(f"the range {text!r} cannot be logarithmic: its ends must have the same sign")
    return tuple(np.geomspace(first, last, count).tolist())


@dataclass(frozen=True)
class Sampling:
    """Number of samples, seed and sampler of distributions."""

    count: int | None
    seed: int
    sampler: Sampler


def stated_rows(found: Sequence[Over], sampling: Sampling, combine: str) -> Rows:
    """Return values by name, members first, in command line order, or raise an error for duplicate names or invalid
    files."""
    drawn = _drawn([o for o in found if o.drawn is not None], sampling)
    rows: dict[str, Sequence[object] | Array] = {}
    for part in found:
        if part.file and not part.name:
            if combine != "zip":
                raise SymlieError(f"--over {part.text} has one member in each line: use --combine zip.")
            new: Rows = dict(_columns(part.file))
        elif part.file:
            new = {part.name: _table(part)}
        elif part.drawn is not None:
            new = {part.name: drawn[part.name]}
        else:
            new = {part.name: part.numbers()}
        for name in new:
            if name in rows:
                raise SymlieError(f"--over defines '{name}' twice.")
        rows |= new
    return _gathered(rows, combine)


def _drawn(found: Sequence[Over], sampling: Sampling) -> Mapping[str, Array]:
    if not found:
        if sampling.count is not None:
            raise SymlieError("--samples draws from distributions, such as --over 'mass=normal(15, 0.5)'.")
        return {}
    if sampling.count is None:
        raise SymlieError(
            f"--over {found[0].text} is drawn from a distribution; give the number of samples with --samples N."
        )
    from symlie.ensembles.samples import samples

    distributions = {}
    for part in found:
        assert part.drawn is not None
        try:
            distributions[part.name] = stated(part.drawn)
        except ArithmeticError as error:
            raise SymlieError(f"--over {part.text}: these arguments do not define a distribution.") from error
    return samples(sampling.count, seed=sampling.seed, sampler=sampling.sampler, **distributions)


def _lines(file: str) -> list[list[str]]:
    with reading(file, "cannot be read"), open(file, newline="", encoding="utf-8-sig") as stream:
        return [[cell.strip() for cell in line] for line in csv.reader(stream) if any(cell.strip() for cell in line)]


def _columns(file: str) -> dict[str, Array]:
    """Return the columns of a table whose first line contains names."""
    header, *lines = _lines(file) or [[]]
    if not lines:
        raise FormatError(f"{file} needs a line with names, and one for each member.")
    if not all(header) or len(set(header)) < len(header):
        raise FormatError(f"{file} must have a unique name for each column, not: {', '.join(header)}.")
    values = _numbers(file, lines, len(header), first=2)
    return {name: values[:, k] for k, name in enumerate(header)}


def _table(part: Over) -> Array:
    """Return the values of one name: one column, or several for a vector; with a header line, the
    columns of this name."""
    lines = _lines(part.file)
    if lines and not all(map(_is_number, lines[0])):
        columns = _gathered(_columns(part.file), "zip")
        if part.name not in columns:
            raise FormatError(f"{part.file} has no column '{part.name}'; it has: {', '.join(columns)}.")
        import numpy as np

        return np.asarray(columns[part.name], dtype=float)
    if not lines:
        raise FormatError(f"{part.file} is empty; it needs a line for each member.")
    values = _numbers(part.file, lines, len(lines[0]), first=1)
    return values[:, 0] if values.shape[1] == 1 else values


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers(file: str, lines: list[list[str]], width: int, first: int) -> Array:
    """Return a table of numbers; members with non-finite values fail later."""
    import numpy as np

    for k, line in enumerate(lines, start=first):
        if len(line) != width:
            raise FormatError(f"{file}, line {k} has {len(line)} columns, not {width}.")
        for cell in line:
            if not _is_number(cell):
                raise FormatError(f"{file}, line {k} has {cell!r} where a number is needed.")
    return np.array([[float(cell) for cell in line] for line in lines])


def _gathered(rows: Rows, combine: str) -> Rows:
    """Combine components ``name[0]``, ``name[1]``, … to vectors."""
    import numpy as np

    found: dict[str, Sequence[object] | Array] = {}
    components: dict[str, dict[int, Array]] = {}
    for name, values in rows.items():
        match = re.fullmatch(r"(.+)\[(\d+)\]", name)
        if match is None:
            found[name] = values
            continue
        if combine != "zip":
            raise SymlieError(
                f"'{name}' is a component, and the components of a vector vary together: use --combine zip."
            )
        found.setdefault(match[1], ())
        components.setdefault(match[1], {})[int(match[2])] = np.asarray(values, dtype=float)
    for name, parts in components.items():
        missing = [k for k in range(max(parts) + 1) if k not in parts]
        if missing or name in rows:
            raise SymlieError(f"Give all components of '{name}', such as {name}[{(missing or [0])[0]}], or the vector.")
        if len({len(values) for values in parts.values()}) > 1:
            raise SymlieError(f"The components of '{name}' must have the same number of values.")
        found[name] = np.stack([parts[k] for k in sorted(parts)], axis=1)
    return found


def placed(system: System, rows: Rows) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """Return values of parameters by name, and initial values by node and field, or raise `UnknownNameError` if
    ambiguous."""
    from symlie.runtime.system.parameters import has_parameter

    layout = system.layout
    places = {node.name for node in layout.nodes} | set(layout.joints)
    fields = {field.name for node in layout.nodes for field in node.type.fields}
    parameters: dict[str, object] = {}
    initial: dict[str, dict[str, object]] = {}
    for name, values in rows.items():
        node, _, field = name.rpartition(".")
        if has_parameter(layout, name) or not (node in places or (not node and field in fields)):
            parameters[name] = values
        else:
            initial.setdefault(node or node_with(system, field), {})[field] = values
    return parameters, initial
