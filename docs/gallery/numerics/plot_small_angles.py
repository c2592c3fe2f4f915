r"""
Small angles, and a proof
=========================

Rotations need functions such as :math:`(\omega - \sin\omega)/\omega^3`. As it is written, it cancels where the angle
is small; a Taylor polynomial below a threshold helps only if the threshold is right. ``symlie verify`` judges a pair
of formulas: it bounds its error over the whole domain in ball arithmetic, compares the coefficients and proposes the
best threshold.

Known: the values themselves, in fifty digits. symlie evaluates this function by one polynomial without a switch,
whose proved bound on :math:`[0, \pi]` is 1.32 units of the last place.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import mpmath
import numpy as np

EPS = 2.0**-52
folder = Path(tempfile.mkdtemp())
stated = """
[c3]
closed_form = "(w - sin(w)) / w**3"
polynomial = "1/6 - w**2/120 + w**4/5040"
threshold = {threshold}
"""


def verify(*words):
    """What ``symlie verify`` says with these words; its exit code is 1 where a bound is above its target."""
    command = [sys.executable, "-m", "symlie", "verify", *words, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)


def judged(threshold):
    """What is said of the pair with this threshold."""
    file = folder / "mine.toml"
    file.write_text(stated.format(threshold=threshold))
    return verify(str(file))["functions"][0]


# %%
# A threshold that papers print, 10⁻⁴, and the one that is proposed instead:

printed = judged(1e-4)
best = judged(printed["best_switch"]["threshold"])
print(
    f"threshold 1e-4: error up to {printed['proved_eps'] * EPS:.1e} proved, {printed['measured_eps'] * EPS:.1e} found"
)
print(f"threshold {best['switch']}: up to {best['proved_eps'] * EPS:.1e}")

# %%
# The same errors, seen against many digits:


def exact(w):
    """The function in fifty digits."""
    with mpmath.workdps(50):
        w = mpmath.mpf(w)
        return (w - mpmath.sin(w)) / w**3


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
# And symlie's own evaluation. The proof is written as a certificate, which a checker that shares nothing with the
# prover proves again:

certificate = str(folder / "c3.json")
own = verify("c3", "--certificate", certificate)["functions"][1]
checked = verify("--check", certificate)
print(
    f"on [0, π] proved: {own['proved_eps']:.3f} eps, found: {own['measured_eps']:.3f} eps; checked: {checked['status']}"
)
assert own["measured_eps"] <= own["proved_eps"] < 1.32
assert checked["status"] == "ok"
