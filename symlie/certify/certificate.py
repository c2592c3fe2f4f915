"""Certificates of proved bounds, in a format that `checker` can verify independently.

The certificates of the standard family are data, identified by the text of a function, so code generation needs no
prover.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symlie.certify.checker.arithmetic import CertificateError
from symlie.certify.checker.check import ASSUMPTIONS, UNPROVED, check
from symlie.certify.source_text import check_copies, named_functions, text_digest
from symlie.errors import FormatError
from symlie.ir.schemes import indices
from symlie.ir.series import is_series, tail_of
from symlie.ir.taylor import expansions
from symlie.utilities.packages import is_installed
from symlie.utilities.reading import brief, other_format, reading
from symlie.version import VERSION

if TYPE_CHECKING:
    from symlie.certify.verification import Verification

FORMAT = 1
SHIPPED = Path(__file__).with_name("standard_certificates.json")

PROVED = "proved"

ALLOWANCE = 1.02
"""Factor between certified and proved bounds, so that a different enclosure also stays below the certified bound."""

SCALE = "scale"
"""Certificate name of the reference of errors of tails of user-defined series."""

STATEMENTS = {
    "c": "c_{k,m}(z) = sum_j (-1)^(j+m) 2^m (j+m)!/(j! (2j+2m+k)!) z^j",
    "g": "g_m(z) = 2^(m+1) m! sum_{n>=1} (4 pi^2 n^2 - z)^-(m+1)",
    "s": "F_{n,m}(z) = (2 d/dz)^m sum_j phi_{n+2j} (-z)^j; coefficients: phi_{n+2m}, phi_{n+2m+2}, ...; |phi_k| <= "
    "constant rate^k/k! or constant/radius^k; scale: largest |coefficient of z^j| x^j, x = min(1, 1/rate^2, end of the "
    "domain)",
}


def _definition_of(base_name: str) -> dict[str, object]:
    """Return a definition in the format of certificates."""
    family = base_name[0]
    if is_series(base_name):
        return {**tail_of(base_name).to_json(), "statement": STATEMENTS[family]}
    k, m = indices(base_name)
    numbers = {"k": k, "m": m} if family == "c" else {"m": k}
    return {"family": family, **numbers, "statement": STATEMENTS[family]}


def entry(verification: Verification) -> dict[str, Any]:
    """Return the certificate of one function."""
    from symlie.certify.definitions import definition
    from symlie.certify.verification import EPSILON

    subject = verification.subject
    operations = subject.operations
    eps = EPSILON[operations.precision]
    end = verification.sections[-1].upper
    series = definition(subject.base_name, end)
    at_zero = abs(float(series.at_zero))
    sections = []
    for section, is_scaled in zip(verification.sections, verification.judged_at_zero, strict=True):
        scale = at_zero * eps if is_scaled else eps
        bounds = [_above((c.absolute if is_scaled else c.relative) / scale) for c in section.cells]
        ends = [c.lower for c in section.cells] + [section.cells[-1].upper]
        sections.append(
            {
                "relative_to": (SCALE if is_series(subject.base_name) else "f(0)") if is_scaled else "f",
                "bound_eps": max(bounds),
                "ends": [x.hex() for x in ends],
                "bounds_eps": bounds,
            }
        )
    return {
        "name": subject.name,
        "status": PROVED,
        "definition": _definition_of(subject.base_name),
        "precision": operations.precision,
        "argument": operations.argument,
        "contraction": verification.contraction,
        "domain": [verification.sections[0].lower, end],
        "text_sha256": text_digest(subject.source, operations.name),
        "operations_sha256": operations.digest,
        "series": {"terms": series.series.length(), "remainder": float(series.remainder.upper())},
        "sections": sections,
        "branches": operations.to_json(),
    }


def _above(value: float) -> float:
    """Return a value increased by the safety margin, rounded to four digits."""
    return float(f"{value * ALLOWANCE + 1e-6:.4g}") if value else 0.0


def prover_versions() -> dict[str, str]:
    """Return the versions of the provers; compilers are irrelevant if they satisfy the assumptions."""
    return {
        "symlie": VERSION,
        "python-flint": importlib.metadata.version("python-flint"),
        "sympy": importlib.metadata.version("sympy"),
        "compiler": "any",
    }


def certificate(entries: Iterable[Mapping[str, object]], versions: Mapping[str, str]) -> str:
    """Return a certificate as text, with one line for each function."""
    lines = ",\n".join(json.dumps(e) for e in entries)
    head = {
        "format": FORMAT,
        "versions": versions,
        "assumptions": list(ASSUMPTIONS),
        "eps": "2**-52 for double, 2**-23 for float; bounds hold for 0 <= z <= the last end, NaN counts as no value",
    }
    return json.dumps(head)[:-1] + ',\n"functions": [\n' + lines + "\n]}\n"


@functools.cache
def _shipped_content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return content


@functools.cache
def shipped() -> dict[str, dict[str, Any]]:
    """Return the certificates of the standard family by the hash of their text."""
    return {e["text_sha256"]: e for e in _shipped_content()["functions"]}


def certificate_of_sources(
    sources: Iterable[str], prefix: str = "symlie_", others: Iterable[Mapping[str, object]] = ()
) -> str:
    """Return the certificate of all coefficient functions in C sources, from the standard family if possible."""
    # Other functions are proved if python-flint is installed; otherwise they are listed as unproved, with bounds of
    # their approximation error in rational arithmetic.
    entries: dict[str, dict[str, Any]] = {}
    for source in sources:
        for short, name in named_functions(source, prefix).items():
            digest = text_digest(source, name)
            base_name = re.sub(r"_to_\d+_\d+$", "", short)
            known = shipped().get(digest)
            if known is not None and known["definition"] == _definition_of(base_name):
                entries[short] = known | {"name": short}
            else:
                entries[short] = _of_new_function(short, base_name, source, name)
    return certificate([*(entries[name] for name in sorted(entries)), *others], _shipped_content()["versions"])


def _of_new_function(name: str, base_name: str, source: str, function: str) -> dict[str, Any]:
    """Return the entry of a function outside of the standard family, proved if python-flint is installed."""
    if not is_installed("flint", "pycparser"):
        return {
            "name": name,
            "status": UNPROVED,
            "definition": _definition_of(base_name),
            "text_sha256": text_digest(source, function),
            "approximation": _approximations(base_name),
        }
    from symlie.certify.operation_list import parse_function
    from symlie.certify.subjects import Subject
    from symlie.certify.verification import prove_subject

    subject = Subject(name, base_name, source, parse_function(source, function))
    return entry(prove_subject(subject)) | {"versions": prover_versions()}


def _approximations(base_name: str) -> list[dict[str, object]]:
    """Return the Taylor polynomials of a function, with remainder bounds in rational arithmetic."""
    reference = "its largest value there" if is_series(base_name) else "f(0)"
    return [
        {
            "kind": "Taylor polynomial",
            "of": f"(4 pi^2 - z)^{e.pole_order} f" if e.pole_order else "f",
            "about": e.centre,
            "degree": len(e.coefficients) - 1,
            "upper": float(e.upper),
            "remainder": math.nextafter(float(e.remainder), 1.0),
            "relative_to": "its least value" if e.pole_order else reference,
        }
        for e in expansions(base_name)
    ]


def check_file(path: Path) -> dict[str, str]:
    """Verify a certificate and its agreement with the C files in its folder, and return the status of each function."""
    with reading(path, "is not a certificate, or it is damaged"):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            found = content.get("format", FORMAT)  # the checker rejects content without a format
            if found != FORMAT:
                version = content.get("versions", {}).get("symlie")
                raise other_format(path, found, FORMAT, version, "check it with that version, or prove it again")
            if "functions" in content:
                _belongs(path, {e["name"]: e for e in content["functions"]})
            check(content)
        except CertificateError as error:
            raise FormatError(f"{path} proves nothing: {brief(error)}") from error
        return {e["name"]: e["status"] for e in content["functions"]}


def _belongs(path: Path, entries: Mapping[str, Any]) -> None:
    """Check that the coefficient functions in the C files of the folder are the certified ones."""
    folder = path.absolute().parent
    headers = sorted(folder.glob("*.h"))
    for prefix in ("symlie_", *(f"{p.stem}_" for p in headers)):
        for source in sorted([*headers, *folder.glob("*.c")]):
            text = source.read_text(encoding="utf-8")
            for short, name in named_functions(text, prefix).items():
                if short not in entries or entries[short]["text_sha256"] != text_digest(text, name):
                    raise FormatError(f"{path} does not match the function {name} of {source.name}.")
                check_copies(text, name)
                stated = entries[short]["definition"]
                if stated["family"] == "s" and stated != _definition_of(short):
                    raise FormatError(
                        f"{path} has coefficients of the series {name} that differ from those in {source.name}."
                    )
                if entries[short]["status"] == PROVED:
                    _same_operations(entries[short], text, name, path)


def _same_operations(certified: Mapping[str, object], text: str, name: str, path: Path) -> None:
    """Check that the certified operations agree with the text, if the parser is installed."""
    if not is_installed("pycparser"):
        return
    from symlie.certify.operation_list import parse_function

    if parse_function(text, name).to_json() != certified["branches"]:
        raise FormatError(f"{path} lists operations of {name} that differ from its source.")


def main() -> None:
    """Prove the standard family and write its certificates to the folder of this module."""
    from symlie.certify.subjects import named_subject, standard_names
    from symlie.certify.verification import prove_subject

    subjects = [named_subject(name, p) for p in ("double", "float") for name in standard_names()]
    text = certificate((entry(prove_subject(s)) for s in subjects), prover_versions())
    SHIPPED.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
