r"""
Proved accuracy at small angles
===============================

Rotations need functions such as :math:`(\omega - \sin\omega)/\omega^3`, whose closed form suffers from cancellation at
small angles. A Taylor polynomial below a threshold helps only if the threshold is suitable. ``symlie verify`` bounds
the error of such a pair of formulas over the whole domain in ball arithmetic, checks the coefficients and computes the
best threshold.

Verification: values in fifty digits. symlie evaluates this function by one polynomial without a threshold; the proved
error bound on :math:`[0, \pi]` is 1.32 eps.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import mpmath
import numpy as np

EPS = 2.0**-52
folder = Path(tempfile.mkdtemp())
PAIR = """
[c3]
closed_form = "(w - sin(w)) / w**3"
polynomial = "1/6 - w**2/120 + w**4/5040"
threshold = {threshold}
"""


def verify(*arguments: str) -> dict[str, Any]:
    """Return the report of ``symlie verify``; its exit code is 1 if a bound exceeds its target."""
    command = [sys.executable, "-m", "symlie", "verify", *arguments, "--json"]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return found


def report(threshold: float) -> dict[str, Any]:
    """Return the report on the pair of formulas with a threshold."""
    file = folder / "mine.toml"
    file.write_text(PAIR.format(threshold=threshold))
    found: dict[str, Any] = verify(str(file))["functions"][0]
    return found


# %%
# The published threshold 10⁻⁴, and the best threshold:

printed = report(1e-4)
best = report(printed["best_switch"]["threshold"])
print(f"threshold 1e-4: proved {printed['proved_eps'] * EPS:.1e}, measured {printed['measured_eps'] * EPS:.1e}")
print(f"threshold {best['switch']}: proved {best['proved_eps'] * EPS:.1e}")

# %%
# Errors against values in fifty digits:


def exact(w: float) -> mpmath.mpf:
    """Return the function in fifty digits."""
    with mpmath.workdps(50):
        x = mpmath.mpf(w)
        return (x - mpmath.sin(x)) / x**3


w = np.geomspace(1e-5, np.pi, 400)
polynomial = 1 / 6 - w**2 / 120 + w**4 / 5040
closed_form = (w - np.sin(w)) / w**3
values = [exact(float(x)) for x in w]
figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
for threshold, label in (1e-4, "threshold $10^{-4}$"), (best["switch"], f"threshold {best['switch']}"):
    pair = np.where(w < threshold, polynomial, closed_form)
    errors = np.array([float(abs(mpmath.mpf(float(x)) / y - 1)) for x, y in zip(pair, values, strict=True)])
    axes.loglog(w, np.maximum(errors, EPS / 8), ".", ms=3, label=label)
    bound = (printed if threshold == 1e-4 else best)["proved_eps"] * EPS
    axes.axhline(bound, ls=":", color="k", lw=0.8)
    assert errors.max() <= bound
axes.axhline(1.32 * EPS, color="C2", label="symlie, proved")
axes.set(xlabel="angle ω, rad", ylabel="relative error; dotted: proved bounds")
axes.legend()

assert printed["wrong_coefficients"] == []
assert 1e-8 < printed["measured_eps"] * EPS <= printed["proved_eps"] * EPS
assert best["proved_eps"] < 1e-4 * printed["proved_eps"]

# %%
# The evaluation by symlie. The proof is saved as a certificate, which an independent checker verifies:

certificate = str(folder / "c3.json")
builtin = verify("c3", "--certificate", certificate)["functions"][1]
checked = verify("--check", certificate)
print(f"on [0, π] proved: {builtin['proved_eps']:.3f} eps, measured: {builtin['measured_eps']:.3f} eps")
print("certificate:", checked["status"])
assert builtin["measured_eps"] <= builtin["proved_eps"] < 1.32
assert checked["status"] == "ok"
