"""Functional mock-up units in FMPy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def states_of(unit: Path) -> list[str]:
    """Names of the scalar variables of configuration, velocity and multipliers, in this order."""
    import fmpy

    described = fmpy.read_model_description(str(unit), validate=False)
    words = ("configuration ", "velocity ", "multiplier ")
    found: list[list[str]] = [[], [], []]
    for v in described.modelVariables:
        for k, word in enumerate(words):
            if v.description.startswith(word):
                found[k].append(v.name)
    return [name for part in found for name in part]


def simulated(unit: Path, names: Sequence[str], **told: Any) -> NDArray[np.float64]:
    """Values of variables at communication points, shape (points, values), with time first."""
    import fmpy

    rows = fmpy.simulate_fmu(str(unit), output=list(names), fmi_type="CoSimulation", **told)
    return np.array([np.concatenate([np.ravel(x) for x in row]) for row in rows.tolist()])


class Instance:
    """An instance of FMI 2 or 3 with one interface, for co-simulation or model exchange."""

    def __init__(self, unit: Path, name: str = "one", folder: str | None = None, *, exchanges: bool = False) -> None:
        import fmpy
        from fmpy.fmi2 import FMU2Model, FMU2Slave
        from fmpy.fmi3 import FMU3Model, FMU3Slave

        self.described = fmpy.read_model_description(str(unit))
        self.is_second = self.described.fmiVersion == "2.0"
        self.exchanges = exchanges
        self.folder = folder or fmpy.extract(str(unit))
        self.messages: list[str] = []
        told = {
            "guid": self.described.guid if self.is_second else self.described.instantiationToken,
            "unzipDirectory": self.folder,
            "modelIdentifier": (self.described.modelExchange or self.described.coSimulation).modelIdentifier,
            "instanceName": name,
        }
        kinds = (FMU2Model, FMU3Model) if exchanges else (FMU2Slave, FMU3Slave)
        self.unit = kinds[0 if self.is_second else 1](**told)
        self.references = {v.name: v.valueReference for v in self.described.modelVariables}

    def begin(self, start: float = 0.0, **values: Any) -> Instance:
        """Instantiate and initialise, with start values by name; __ stands for a dot."""
        if self.is_second:
            from fmpy.fmi2 import fmi2CallbackFunctions, fmi2CallbackLoggerTYPE

            self.callbacks = fmi2CallbackFunctions()
            self.callbacks.logger = fmi2CallbackLoggerTYPE(self._log2)
            self.unit.instantiate(callbacks=self.callbacks)
            self.unit.setupExperiment(startTime=start)
        else:
            early = {} if self.exchanges else {"earlyReturnAllowed": True}
            self.unit.instantiate(logMessage=self._log3, **early)
        for name, value in values.items():
            self.set(name.replace("__", "."), value)
        if self.is_second:
            self.unit.enterInitializationMode()
        else:
            self.unit.enterInitializationMode(startTime=start)
        self.unit.exitInitializationMode()
        return self

    def _log2(self, environment: Any, name: bytes, status: int, category: bytes, message: bytes) -> None:
        self.messages.append(message.decode())

    def _log3(self, environment: Any, status: int, category: bytes, message: bytes) -> None:
        self.messages.append(message.decode())

    def set(self, name: str, value: Any) -> None:
        """Set a variable."""
        values = [float(x) for x in np.ravel(value)]
        (self.unit.setReal if self.is_second else self.unit.setFloat64)([self.references[name]], values)

    def get(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Values of variables."""
        references = [self.references[name] for name in names]
        if self.is_second:
            return np.array(self.unit.getReal(references))
        return np.array(self.unit.getFloat64(references, self.size(names)))

    def derivatives(
        self, unknowns: Sequence[str], knowns: Sequence[str], seed: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Directional derivatives."""
        references = [[self.references[name] for name in names] for names in (unknowns, knowns)]
        if self.is_second:
            return np.array(self.unit.getDirectionalDerivative(*references, list(seed)))
        return np.array(self.unit.getDirectionalDerivative(*references, list(seed), self.size(unknowns)))

    def size(self, names: Sequence[str]) -> int:
        """Number of values of variables."""
        sizes = {v.name: int(np.prod([int(d.start) for d in v.dimensions])) for v in self.described.modelVariables}
        return sum(sizes[name] for name in names)

    def step(self, t: float, h: float) -> Any:
        """Take a step between communication points."""
        if self.is_second:
            return self.unit.doStep(currentCommunicationPoint=t, communicationStepSize=h)
        return self.unit.doStep(t, h)

    def stored(self) -> bytes:
        """The serialised state."""
        if self.is_second:
            state = self.unit.getFMUstate()
            return bytes(self.unit.serializeFMUstate(state))
        state = self.unit.getFMUState()
        return bytes(self.unit.serializeFMUState(state))

    def restore(self, stored: bytes) -> None:
        """Continue from a serialised state."""
        if self.is_second:
            self.unit.setFMUstate(self.unit.deSerializeFMUstate(stored))
        else:
            self.unit.setFMUState(self.unit.deserializeFMUState(stored))

    def end(self) -> None:
        """Terminate and free the instance."""
        self.unit.terminate()
        self.unit.freeInstance()
