"""Storage indices of values in the Newton matrix of implicit steps, for C.

`symlie.runtime.implicit.iteration_matrix` defines the matrix. Its unknowns are θ, then λ, then η if present, then the
variations of dependent nodes. Indices of components that are not integrated point after the values, where nothing is
read.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from symlie.contract.kernels import KERNELS
from symlie.contract.set_table import SetTable
from symlie.contract.sets import SETS
from symlie.runtime.kernels.matrices import Positions, matrix_positions
from symlie.runtime.kernels.protocol import result_size
from symlie.runtime.kernels.sample_places import sample_places
from symlie.runtime.layout.layout import Layout
from symlie.runtime.linear.elimination import EliminationStructure, elimination_structure, places_of_kept
from symlie.runtime.linear.eta_tables import NodeBlocks, coupled_nodes, eta_tables, joined, no_eta_columns
from symlie.runtime.linear.saddle import saddle_unknowns
from symlie.runtime.linear.unknowns import Unknowns
from symlie.runtime.linear.variation_unknowns import (
    Needed,
    VariationUnknowns,
    separates_increments,
    variation_unknowns,
)

Integers = NDArray[np.intp]

Values = Mapping[str, Positions]
"""Rows and columns of the values of matrices by their letters, such as K, C and H."""

MATRICES = tuple(m.letter for name in ("newton", "fields", "variations", "dependents") for m in SETS[name].matrices)
"""Letters of all matrices."""

NOTHING: Positions = np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
"""Positions of a matrix without values."""


def newton_sets(layout: Layout) -> tuple[str, ...]:
    """Names of the kernel sets with the matrices of implicit steps."""
    has = {
        "newton": True,
        "fields": layout.has_fields,
        "variations": any(c.level == 2 for e in layout.elements for c in e.constraints),
        "dependents": layout.has_dependents,
    }
    return tuple(name for name, needed in has.items() if needed)


def _values(layout: Layout, tables: Mapping[str, SetTable]) -> Values:
    """Positions of the values of all matrices; those of other sets have no values."""
    found = dict.fromkeys(MATRICES, NOTHING)
    for name, table in tables.items():
        letters = [m.letter for m in SETS[name].matrices]
        found |= dict(zip(letters, (places for places, _ in matrix_positions(layout, SETS[name], table)), strict=True))
    return found


def _needed(layout: Layout, values: Values) -> Needed:
    """Components whose variations of q and v, and whose forces of η, the equations of a step need."""
    rows, components = layout.assembled("jacobian")
    constrained = components[layout.of_velocities[rows]]
    curved = {letter: values[letter][1][~layout.of_velocities[values[letter][0]]] for letter in ("Zq", "Zv")}
    q, v, force = (layout.integrated.copy() for _ in range(3))
    q[np.concatenate([*(values[letter][1] for letter in ("K", "H", "Sq")), curved["Zq"], constrained])] = True
    v[np.concatenate([*(values[letter][1] for letter in ("C", "Sv")), curved["Zv"], constrained])] = True
    force[constrained] = True
    while True:
        before = int(q.sum()) + int(v.sum()) + int(force.sum())
        for letter, row, column in (("Fq", q, q), ("Vq", v, q), ("Vv", v, v), ("Fq", force, force)):
            i, j = values[letter]
            column[j[row[i]]] = True
        if int(q.sum()) + int(v.sum()) + int(force.sum()) == before:
            return Needed(q, v, force)


def _unknowns(
    layout: Layout, has_eta: bool, values: Values, massless: Integers, variations: VariationUnknowns
) -> Unknowns:
    """Unknowns θ, λ and, for stabilised index 2, η of an implicit step, grouped by nodes and by elements with
    constraints, and the variations of dependent nodes."""
    saddle, n = saddle_unknowns(layout, massless), layout.dimension
    node, instance = saddle.group[:n], saddle.group[n:]
    groups = variations.groups(np.concatenate([saddle.group, *[instance] * has_eta]))
    of_q, of_v, of_a = groups[variations.of_q], groups[variations.of_v], groups[variations.of_a]
    of_force = groups[variations.of_force]
    (k, c, h), free, sought = (values[letter] for letter in "KCH"), layout.free, layout.sought
    pairs = [np.stack([node[i], to[j]], axis=1)[free[i] & free[j]] for (i, j), to in ((k, of_q), (c, of_v))]
    separate = separates_increments(layout, has_eta)
    if has_eta and not separate and len(saddle.acts_on):
        meeting = np.unique(saddle.group[saddle.acts_on], axis=0)
        coupled = coupled_nodes(layout, node, c, [values["Sv"], values["Sa"]])
        pair, met = joined(coupled, meeting[:, 1])
        pairs.append(np.stack([coupled[pair, 0], meeting[met, 0]], axis=1))
        order = np.argsort(meeting[:, 1], kind="stable")
        at_node = np.split(meeting[order, 0], np.flatnonzero(np.diff(meeting[order, 1])) + 1)
        pairs += [np.array([*itertools.combinations(group, 2)], dtype=np.intp).reshape(-1, 2) for group in at_node]
    hidden = np.stack([instance[h[0]], of_q[h[1]]], axis=1)[free[h[1]]]
    needed = variations.needed
    for letter, row, to, kept in (
        ("Sq", node, of_q, sought),
        ("Sv", node, of_v, sought),
        ("Sa", node, of_a, sought),
        ("Fq", of_q, of_q, needed.q),
        ("Vq", of_v, of_q, needed.v),
        ("Vv", of_v, of_v, needed.v),
        ("Fq", of_force, of_force, needed.force & separate),
    ):
        i, j = values[letter]
        pairs.append(np.stack([row[i], to[j]], axis=1)[kept[i] & sought[i] & sought[j]])
    i, j = values["Sl"]
    pairs.append(np.stack([node[i], instance[j]], axis=1))
    if separate:
        i, j = layout.assembled("mass")
        pairs += [np.stack([node[a], of_a[b]], axis=1)[free[a] & free[b]] for a, b in ((i, j), (j, i))]
        pairs.append(np.stack([node, of_a], axis=1))
    rows_and_components = layout.assembled("jacobian")
    for (i, j), to, kept in (
        (values["Zq"], of_q, ~layout.of_velocities),
        (values["Zv"], of_v, ~layout.of_velocities),
        (rows_and_components, of_a, ~layout.of_velocities),
        (rows_and_components, of_q, layout.of_velocities),
        (rows_and_components, of_v, layout.of_velocities),
        (rows_and_components, of_force, layout.of_velocities),
    ):
        pairs.append(np.stack([instance[i], to[j]], axis=1)[kept[i] & sought[j]])
    # The rows of η have B B_nᵀ on the diagonal, so only the adjacent rows of λ determine massless nodes.
    rows_of_eta = [saddle.acts_on + np.array([layout.rows, 0])] if has_eta and not len(massless) else []
    return Unknowns(
        groups,
        np.unique(np.concatenate([saddle.coupled, *pairs, hidden]), axis=0),
        np.concatenate([saddle.acts_on, *rows_of_eta]),
        massless,
    )


@dataclass(frozen=True, eq=False)
class IterationTables:
    """Matrix of implicit steps: its storage, and tables of storage indices by name."""

    structure: EliminationStructure
    places: Mapping[str, NDArray[np.int32]]
    squares: int
    """Number of values of T(θ), node by node."""
    blocks: int = 0
    """Number of values of β' M + γ' C; see `symlie.runtime.linear.eta_tables`."""
    sampled: int | None = None
    """Number of values in the blocks of samples, if a step has samples; see `symlie.runtime.kernels.sample_places`."""


def iteration_tables(
    layout: Layout, has_eta: bool, tables: Mapping[str, SetTable], massless: Integers
) -> IterationTables:
    """Matrix of implicit steps with an η for each λ if `has_eta`; `tables` belong to the sets of `newton_sets`."""
    values, unknowns = _values(layout, tables), layout.dimension + (1 + has_eta) * layout.rows
    variations = variation_unknowns(layout, unknowns, has_eta, _needed(layout, values))
    structure = elimination_structure(
        _unknowns(layout, has_eta, values, massless, variations), _kinds(layout, len(variations.further) > 0)
    )
    places, blocks = _places(layout, has_eta, values, structure, variations), 0
    if has_eta:
        states = [values["Sv"], values["Sa"]]
        if separates_increments(layout, has_eta):
            found = no_eta_columns(layout, values["C"], states)
        else:
            node_blocks = _node_blocks(layout, values, states)
            found, blocks = eta_tables(layout, node_blocks, values["C"], states, structure), node_blocks.size
        without = layout.dimension + layout.rows + np.flatnonzero(~layout.holonomic)
        found = {**found, "UNIT_TO": np.concatenate([places["UNIT_TO"], structure.places(without, without)])}
        places |= _as_tables(found)
    for of_set in (_places_of_fields, _places_of_curvature, _places_of_dependents):
        places |= of_set(layout, values, structure, variations)
    places |= _places_of_increments(layout, has_eta, values, structure, variations)
    return IterationTables(structure, places, _squares(layout), blocks)


def _kinds(layout: Layout, has_variations: bool) -> tuple[str, ...]:
    """Suitable structures. Constraints of dependent nodes have no entries next to their multipliers until everything
    that determines these nodes is eliminated, which requires free pivoting."""
    small = ("dense",) if layout.is_fixed else ()
    return (*small, "band") if has_variations and layout.of_velocities.any() else (*small, "band", "blocks")


def discrete_tables(
    layout: Layout, positions: Sequence[Positions], massless: Integers, *, is_sampled: bool
) -> IterationTables:
    """Matrices of both stages of a variational step, which share their storage.

    `positions` are rows and columns of the values of dp⁺/dθ, the θ-derivative of rolling constraints, D_q l and ∂l/∂v;
    `is_sampled` says whether loads act between the ends of a step.
    """
    S, N, K, D = positions
    of_loads = np.concatenate([K[0], D[0]]), np.concatenate([K[1], D[1]])
    values = {**dict.fromkeys(MATRICES, NOTHING), "K": of_loads, "C": S, "H": N}
    known = layout.dimension + layout.rows
    variations = variation_unknowns(layout, known, False, _needed(layout, values))
    structure = elimination_structure(_unknowns(layout, False, values, massless, variations), _kinds(layout, False))
    rows, components = layout.assembled("jacobian")
    multiplier, mobile, to = layout.dimension + np.arange(layout.rows), layout.free, partial(places_of_kept, structure)
    found = {
        "END_TO": to(*D, mobile[D[0]] & mobile[D[1]]),
        "ROLLING_TO": to(multiplier[N[0]], N[1], mobile[N[1]]),
        "REST_TO": to(multiplier[rows], components, mobile[components]),
    }
    places = _places(layout, False, {"K": NOTHING, "C": S, "H": NOTHING}, structure, variations)
    places |= _as_tables(found)
    if not is_sampled:
        return IterationTables(structure, places, _squares(layout))
    between, sampled = sample_places(layout, K, D, structure)
    return IterationTables(structure, places | between, _squares(layout), sampled=sampled)


def _squares(layout: Layout) -> int:
    return result_size(KERNELS["tangent_matrix"], layout)


def _as_tables(found: Mapping[str, NDArray[np.integer]]) -> dict[str, NDArray[np.int32]]:
    return {name: np.ascontiguousarray(values, dtype=np.int32) for name, values in found.items()}


def _node_blocks(layout: Layout, values: Values, states: Sequence[Positions]) -> NodeBlocks:
    sizes, node, first = _sizes(layout, "dimension"), layout.node_of_component, layout.starts[1]
    local = np.arange(layout.dimension) - first[node]
    return NodeBlocks(node, local, sizes[node], first[:-1], coupled_nodes(layout, node, values["C"], states))


def _places(
    layout: Layout, has_eta: bool, values: Values, places: EliminationStructure, variations: VariationUnknowns
) -> dict[str, NDArray[np.int32]]:
    mobile, holonomic = layout.free, layout.holonomic
    sizes, storage = _sizes(layout, "dimension"), _sizes(layout, "storage")
    width = np.repeat(sizes, sizes)
    first = _first(layout)
    local = np.arange(layout.dimension) - first
    square = np.repeat(np.cumsum(sizes**2) - sizes**2, sizes)
    multiplier = layout.dimension + np.arange(layout.rows)
    eta = multiplier + layout.rows

    to, product = partial(places_of_kept, places), partial(_product, layout, places, variations)
    of_v = variations.of_v
    held = np.flatnonzero(~layout.sought)
    units = np.concatenate([held, variations.further])
    i, j = layout.assembled("mass")
    k, c, h = (values[letter] for letter in "KCH")
    rows, components = layout.assembled("jacobian")
    moved = mobile[components]
    target = np.where(holonomic, eta, multiplier) if has_eta else multiplier
    has_rate = (np.ones(layout.rows, dtype=bool) if has_eta else ~holonomic) & layout.of_velocities
    with_rate = np.flatnonzero(has_rate)
    both = mobile[i] & mobile[j]
    found: dict[str, NDArray[np.integer]] = {
        "WIDTH": width,
        "LOCAL": local,
        "TANGENT_ROW": square + local * width,
        "STORED": np.repeat(np.cumsum(storage) - storage, sizes),
        "STORED_SIZE": np.repeat(storage, sizes),
        "HELD": held,
        "UNIT_TO": places.places(units, units),
        "FURTHER": variations.component,
        "MASS_ROW": i,
        "MASS_COLUMN": j,
        "MASS_TO": to(i, variations.of_a[j], both),
        "MASS_MIRROR": to(j, variations.of_a[i], both & (i != j)),
        "STIFFNESS_ROW": k[0],
        "STIFFNESS_COLUMN": k[1],
        "STIFFNESS_TO": product(k[0], k[1], mobile[k[0]] & mobile[k[1]]),
        "DAMPING_TO": to(c[0], of_v[c[1]], mobile[c[0]] & mobile[c[1]]),
        "JACOBIAN_ROW": rows,
        "JACOBIAN_COLUMN": components,
        "PULL_TO": to(components, multiplier[rows], moved),
        "PUSH_TO": product(multiplier[rows], components, moved & holonomic[rows]),
        "RATE_TO": to(target[rows], of_v[components], moved & has_rate[rows]),
        "RATE_ROW": with_rate,
        "RATE_UNKNOWN": target[with_rate],
        "HIDDEN_COLUMN": h[1],
        "HIDDEN_TO": product(target[h[0]], h[1], mobile[h[1]] & has_rate[h[0]]),
    }
    return _as_tables(found)


def _places_of_fields(
    layout: Layout, values: Values, places: EliminationStructure, variations: VariationUnknowns
) -> dict[str, NDArray[np.int32]]:
    """Additional tables for first-order states."""
    q, v, a, multipliers = (values[letter] for letter in ("Sq", "Sv", "Sa", "Sl"))
    moved = np.flatnonzero(~layout.has_velocity)

    to, product = partial(places_of_kept, places), partial(_product, layout, places, variations)
    found: dict[str, NDArray[np.integer]] = {
        "STATE": moved,
        "STATE_UNIT_TO": places.places(moved, variations.of_a[moved]),
        "STATE_ROW": q[0],
        "STATE_COLUMN": q[1],
        "STATE_TO": product(*q, layout.sought[q[0]] & layout.sought[q[1]]),
        "STATE_VELOCITY_TO": to(v[0], variations.of_v[v[1]], layout.free[v[1]]),
        "STATE_ACCELERATION_TO": to(a[0], variations.of_a[a[1]], layout.free[a[1]]),
        "STATE_MULTIPLIER_TO": places.places(multipliers[0], layout.dimension + multipliers[1]),
    }
    return _as_tables(found)


def _places_of_curvature(
    layout: Layout, values: Values, places: EliminationStructure, variations: VariationUnknowns
) -> dict[str, NDArray[np.int32]]:
    """Additional tables for acceleration-level constraints B v̇ + Z = 0."""
    (q_row, q_column), (v_row, v_column), (rows, components) = values["Zq"], values["Zv"], layout.assembled("jacobian")
    multiplier, is_open = layout.dimension + np.arange(layout.rows), ~layout.of_velocities
    if not is_open.any():
        rows = components = np.zeros(0, dtype=np.intp)

    to, product = partial(places_of_kept, places), partial(_product, layout, places, variations)
    found: dict[str, NDArray[np.integer]] = {
        "OPEN_ROW": np.flatnonzero(is_open),
        "IS_OPEN": is_open.astype(np.int64),
        "OPEN_TO": to(multiplier[rows], variations.of_a[components], is_open[rows] & layout.free[components]),
        "CURVATURE_ROW": q_row,
        "CURVATURE_COLUMN": q_column,
        "CURVATURE_TO": product(multiplier[q_row], q_column, is_open[q_row] & layout.sought[q_column]),
        "CURVATURE_VELOCITY_TO": to(
            multiplier[v_row], variations.of_v[v_column], is_open[v_row] & layout.free[v_column]
        ),
    }
    return _as_tables(found)


def _places_of_dependents(
    layout: Layout, values: Values, places: EliminationStructure, variations: VariationUnknowns
) -> dict[str, NDArray[np.int32]]:
    """Additional tables for the derivatives of dependent nodes."""
    of_q, of_v, sought = variations.of_q, variations.of_v, layout.sought
    has_q, has_v = layout.free & variations.needed.q, layout.free & variations.needed.v
    f, v_q, v_v = (values[letter] for letter in ("Fq", "Vq", "Vv"))

    to, product = partial(places_of_kept, places), partial(_product, layout, places, variations)
    found: dict[str, NDArray[np.integer]] = {
        "FOLLOWING_COLUMN": f[1],
        "FOLLOWING_TO": product(of_q[f[0]], f[1], has_q[f[0]] & sought[f[1]]),
        "FOLLOWING_RATE_COLUMN": v_q[1],
        "FOLLOWING_RATE_TO": product(of_v[v_q[0]], v_q[1], has_v[v_q[0]] & sought[v_q[1]]),
        "FOLLOWING_VELOCITY_TO": to(of_v[v_v[0]], of_v[v_v[1]], has_v[v_v[0]] & layout.free[v_v[1]]),
    }
    return _as_tables(found)


def _places_of_increments(
    layout: Layout,
    has_eta: bool,
    values: Values,
    places: EliminationStructure,
    variations: VariationUnknowns,
) -> dict[str, NDArray[np.int32]]:
    """Additional tables for increments w that are unknowns."""
    separate, of_force = separates_increments(layout, has_eta), variations.of_force
    rows, components = layout.assembled("jacobian") if separate else NOTHING
    i, j = values["Fq"] if separate else NOTHING
    eta = layout.dimension + layout.rows + np.arange(layout.rows)
    moving = np.flatnonzero(layout.sought & layout.integrated)[: len(of_force) * separate]
    order = _from_last(layout, i, j)

    to = partial(places_of_kept, places)
    found: dict[str, NDArray[np.integer]] = {
        "DEPENDENT": layout.dependent_components[: len(of_force) * separate],
        "SHIFT_TO": places.places(of_force[moving], moving),
        "FORCE_TO": to(of_force[components], eta[rows], layout.free[components] & layout.holonomic[rows]),
        "FOLLOWED_TO": to(of_force[j], of_force[i], variations.needed.force[i] & layout.free[i] & layout.sought[j]),
        "FOLLOWED": order,
        "FOLLOWED_ROW": i,
        "FOLLOWED_COLUMN": j,
    }
    return _as_tables(found)


def _from_last(layout: Layout, rows: Integers, columns: Integers) -> Integers:
    """Order of the values of Fq in which forces on a dependent node are complete before they act on others."""
    node = layout.node_of_component
    later, earlier = node[rows], node[columns]
    level = np.zeros(len(layout.type_of_node), dtype=np.intp)
    while True:
        found = level.copy()
        np.maximum.at(found, later, level[earlier] + 1)
        if np.array_equal(found, level):
            return np.argsort(-level[later], kind="stable")
        level = found


def _product(
    layout: Layout,
    places: EliminationStructure,
    variations: VariationUnknowns,
    rows: Integers,
    columns: Integers,
    kept: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """Storage indices of products with T: of the first column of each node. Components of dependent nodes are not
    multiplied by T, and their place in the node is subtracted."""
    dependent, first = np.isin(columns, layout.dependent_components), _first(layout)
    target = variations.of_q[np.where(dependent, columns, first[columns])]
    shift = np.where(dependent & kept, columns - first[columns], 0)
    return (places_of_kept(places, rows, target, kept) - shift).astype(np.int32)


def _first(layout: Layout) -> Integers:
    """First component of the node of each component."""
    return layout.starts[1][layout.node_of_component].astype(np.intp)


PRODUCTS = {
    "STIFFNESS": "STIFFNESS_COLUMN",
    "PUSH": "JACOBIAN_COLUMN",
    "HIDDEN": "HIDDEN_COLUMN",
    "STATE": "STATE_COLUMN",
    "CURVATURE": "CURVATURE_COLUMN",
    "FOLLOWING": "FOLLOWING_COLUMN",
    "FOLLOWING_RATE": "FOLLOWING_RATE_COLUMN",
}
"""Products of K, B, H, Sq, Zq, Fq and Vq with T, with the table that contains the columns of the left factor."""


def products_without_zeros(layout: Layout, tangent: SetTable, matrix: IterationTables) -> dict[str, NDArray[np.int32]]:
    """Products of K, B, H, … with T without structural zeros and without unit rows. Variations of dependent nodes are
    not multiplied by T.

    ``X_RUNS`` are runs of values in columns of one node, with six numbers each: first value and count, destination,
    first row of T, its entries from the first to the last structural nonzero, and stride of rows. ``X_UNITS`` are
    values that T leaves unchanged, with their destinations.
    """
    types = {t.name: t.patterns[0] for t in tangent.elements}
    ranges, units = [], []
    for node in layout.nodes:
        pattern, n = types[node.type.name], node.type.dimension
        rows, columns = np.array(pattern.rows, dtype=np.intp), np.array(pattern.columns, dtype=np.intp)
        begin, end = np.full(n, n), np.zeros(n, dtype=np.intp)
        np.minimum.at(begin, rows, columns)
        np.maximum.at(end, rows, columns + 1)
        # A row of ad with only a diagonal entry is zero, since [e_i, e_i] = 0: the row of T is a unit row.
        is_unit = (begin == np.arange(n)) & (end == begin + 1)
        ranges.append(np.tile(np.stack([begin, end], axis=1), (node.count, 1)))
        units.append(np.tile(is_unit, node.count))
    spans, unit = np.concatenate(ranges), np.concatenate(units)
    tables, nowhere, dependent = matrix.places, matrix.structure.stored, layout.dependent_components
    unit[dependent], spans[dependent] = True, tables["LOCAL"][dependent, None] + np.arange(2)
    width = tables["WIDTH"]
    first = np.arange(layout.dimension) - tables["LOCAL"]
    found = {}
    for product, name in PRODUCTS.items():
        if name not in tables:
            continue
        column, to = tables[name], tables[f"{product}_TO"]
        begin, end = spans[column].T
        plain = np.flatnonzero(unit[column] & (to != nowhere))
        found[f"{product}_UNITS"] = np.stack([plain, to[plain] + begin[plain]], axis=1)
        kept = np.flatnonzero(~unit[column] & (to != nowhere))
        same = np.stack([kept - np.arange(len(kept)), column[kept] - kept, first[column[kept]], to[kept]])
        same = np.concatenate([same, spans[column[kept]].T])
        starts = np.flatnonzero(np.any(np.diff(same, axis=1, prepend=-1) != 0, axis=0))
        k, count = kept[starts], np.diff(np.append(starts, len(kept)))
        row = tables["TANGENT_ROW"][column[k]] + begin[k]
        found[f"{product}_RUNS"] = np.stack(
            [k, count, to[k] + begin[k], row, (end - begin)[k], width[column[k]]], axis=1
        )
    return {name: np.ascontiguousarray(values.ravel(), dtype=np.int32) for name, values in found.items()}


def components(structure: EliminationStructure, tables: Mapping[str, NDArray[np.int32]]) -> NDArray[np.int32]:
    """Connected component of each unknown in an implicit step without η; no entry couples different components."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    used = [places for name, places in tables.items() if name.endswith("_TO")]
    for name in PRODUCTS:
        if f"{name}_RUNS" in tables:
            used.append(tables[f"{name}_UNITS"][1::2])
            used += [np.arange(to, to + numbers) for _, _, to, _, numbers, _ in tables[f"{name}_RUNS"].reshape(-1, 6)]
    rows, columns, places = structure.entries()
    kept = np.isin(places, np.concatenate(used))
    size = len(structure.order)
    graph = csr_array((kept[kept], (rows[kept], columns[kept])), shape=(size, size))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int32)


def _sizes(layout: Layout, which: str) -> Integers:
    """Sizes of the storage or of the local coordinates of each node."""
    return np.concatenate([np.full(n.count, getattr(n.type, which), dtype=np.int64) for n in layout.nodes])
