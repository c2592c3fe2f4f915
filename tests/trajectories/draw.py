"""Random models: every kind of term on every kind of group and manifold, consistent at the start."""

from __future__ import annotations

import random

import numpy as np

from tests.trajectories import families
from tests.trajectories.drawn import Drawn
from tests.trajectories.oracle import Oracle
from tests.trajectories.texts import Array
from tests.trajectories.vocabulary import Words

CONDITION = 1e4
"""Largest condition of the equations at the start."""

FASTEST = 60.0
"""Largest acceleration at the start."""


def draw(seed: int) -> Drawn:
    """The model of a seed: the first of the models ``seed:0``, ``seed:1``, … that is well posed."""
    for attempt in range(50):
        name = f"{seed}:{attempt}"
        words = Words(random.Random(name))
        drawn = families.one(words, name)
        if _made_consistent(drawn):
            return drawn
    raise AssertionError(f"No model of seed {seed} is well posed.")


def _made_consistent(drawn: Drawn) -> bool:
    """Satisfy constraint equations initially by offsets and velocities; return True if the model is well posed."""
    oracle = Oracle(drawn)
    oracle.at = 1e-9
    with np.errstate(all="ignore"):
        q, v = oracle.placed(0.0, oracle.q0, oracle.v0)
        phi, b, constant = oracle.residuals(0.0, q, v)
        if not np.isfinite(phi).all() or (b.size and not _is_solvable(b)):
            return False
        _set_offsets(drawn, phi)
        if b.size:
            v[oracle.free] -= np.linalg.lstsq(b, b @ v[oracle.free] + constant, rcond=None)[0]
        if not np.isfinite(v).all() or np.abs(v).max(initial=0) > 5:
            return False
        _set_states(drawn, oracle, q, v)
        oracle = Oracle(drawn)
        oracle.at = 1e-9
        try:
            rates = oracle.rates(0.0, q, v)
        except np.linalg.LinAlgError:
            return False
        fast = np.concatenate([rates.q, rates.v, rates.multipliers])
        if not np.isfinite(fast).all() or np.abs(fast).max(initial=0) > FASTEST:
            return False
        mass, _ = oracle.mass_and_force(0.0, q, v)
        jacobian, _ = oracle.rows(0.0, q, v)
        zero = np.zeros((len(jacobian), len(jacobian)))
        saddle = np.block([[mass, jacobian.T], [jacobian, zero]])
        return not saddle.size or bool(np.linalg.eigvalsh(mass).min() > 0.1 and np.linalg.cond(saddle) < CONDITION)


def _is_solvable(b: Array) -> bool:
    values = np.linalg.svd(b, compute_uv=False)
    return len(b) < b.shape[1] and bool(values.min() > 0.1)


def _set_offsets(drawn: Drawn, phi: Array) -> None:
    """Parameters ``offset…`` of constraint equations, in the order of equations and elements."""
    position = 0
    for part in drawn.parts:
        for k in range(len(part.instances)):
            for term in part.terms:
                if term.kind != "constraint":
                    continue
                for name in term.other.split():
                    values = part.parameters.get(name)
                    if values is None:
                        drawn.parameters[name] += float(phi[position])
                    else:
                        values[k] += float(phi[position])
                    position += 1


def _set_states(drawn: Drawn, oracle: Oracle, q: Array, v: Array) -> None:
    for nodes in drawn.nodes:
        for k in range(len(nodes.q)):
            slots = oracle.slots[nodes.name, k]
            nodes.q[k] = [float(c) for c in q[slots.q]]
            nodes.v[k] = [float(c) for c in v[slots.v]]
