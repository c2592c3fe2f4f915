"""Markdown tables of benchmarks, printed row by row."""

from __future__ import annotations


def header(*columns: object) -> None:
    """Print the head of a table."""
    row(*columns)
    print("|---" * len(columns) + "|", flush=True)


def row(*cells: object) -> None:
    """Print a row of a table."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)
