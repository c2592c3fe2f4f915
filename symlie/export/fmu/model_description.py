"""``modelDescription.xml`` and build descriptions of functional mock-up units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from symlie.export.fmu.variables import Variable
from symlie.options import ExportKind
from symlie.version import VERSION


@dataclass(frozen=True)
class UnitDescription:
    """Data of a model description.

    Attributes
    ----------
    model, identifier, method, token
        Name of the model, identifier in C, method, and hash of the sources.
    step
        Step size, in s; 0: adaptive.
    variables
        The variables; the first one is time.
    sources
        Names of the files to be compiled.
    kind
        Kind of the unit.
    events
        Number of event functions.
    can_end
        True if events or accumulating changes can end the run.
    has_derivatives
        True if the unit computes derivatives.
    """

    model: str
    identifier: str
    method: str
    token: str
    step: float
    variables: Sequence[Variable]
    sources: tuple[str, ...]
    kind: ExportKind
    events: int
    can_end: bool
    has_derivatives: bool


LANGUAGES = {"c": ("C99", ""), "cpp": ("C++20", " -fno-exceptions -fno-rtti")}
"""Language of a source by the end of its name, and further options of compilers."""

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _attributes(**values: object) -> str:
    return "".join(f" {name}={quoteattr(_text(x))}" for name, x in values.items() if x is not None)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value) if isinstance(value, float) else str(value)


def _units(variables: Iterable[Variable]) -> str:
    units = sorted({v.unit for v in variables if v.unit})
    lines = [f"    <Unit{_attributes(name=unit)}/>" for unit in units]
    return "\n".join(["  <UnitDefinitions>", *lines, "  </UnitDefinitions>"])


def _experiment(about: UnitDescription) -> str:
    return f"  <DefaultExperiment{_attributes(startTime=0.0, stopTime=1.0, stepSize=about.step or 1e-3)}/>"


def description_2(about: UnitDescription) -> str:
    """Return the model description of FMI 2.0."""
    head = _attributes(
        fmiVersion="2.0", modelName=about.model, guid=about.token, generationTool=f"symlie {VERSION}",
        variableNamingConvention="structured", numberOfEventIndicators=about.events if about.kind != "cs" else 0,
        description=f"{about.model} with {about.method}",
    )  # fmt: skip
    kind = _attributes(
        modelIdentifier=about.identifier, needsExecutionTool=False, canHandleVariableCommunicationStepSize=True,
        canInterpolateInputs=True, maxOutputDerivativeOrder=int(about.has_derivatives),
        providesDirectionalDerivative=about.has_derivatives, canBeInstantiatedOnlyOncePerProcess=False,
        canNotUseMemoryManagementFunctions=True, canGetAndSetFMUstate=True, canSerializeFMUstate=True,
    )  # fmt: skip
    files = "".join(f"<File{_attributes(name=name)}/>" for name in about.sources)
    exchange = _attributes(
        modelIdentifier=about.identifier, needsExecutionTool=False, completedIntegratorStepNotNeeded=False,
        canBeInstantiatedOnlyOncePerProcess=False, canNotUseMemoryManagementFunctions=True, canGetAndSetFMUstate=True,
        canSerializeFMUstate=True, providesDirectionalDerivative=about.has_derivatives,
    )  # fmt: skip
    scalars, outputs, rates, initials = [], [], [], []
    places = {name: k for k, name in enumerate((n for v in about.variables[1:] for n, *_ in v.scalars()), start=1)}
    for v in about.variables[1:]:
        for name, reference, start in v.scalars():
            of_state = places[name.removeprefix("der(").removesuffix(")")] if v.state else None
            initial = "calculated" if v.is_computed else None
            about_scalar = _attributes(
                name=name, valueReference=reference, description=v.meaning, causality=v.causality,
                variability=v.variability, initial=initial,
            )  # fmt: skip
            nominal = v.nominal if about.kind != "cs" else None
            real = _attributes(unit=v.unit or None, nominal=nominal, start=start, derivative=of_state)
            scalars.append(f"    <ScalarVariable{about_scalar}><Real{real}/></ScalarVariable>")
            unknown = f"      <Unknown{_attributes(index=len(scalars))}/>"
            if v.causality == "output":
                outputs.append(unknown)
            if v.state:
                rates.append(unknown)
            if v.causality == "output" or v.state or (about.kind != "cs" and v.is_state):
                initials.append(unknown)
    structure = "".join(
        f"    <{name}>\n" + "\n".join(part) + f"\n    </{name}>\n"
        for name, part in (("Outputs", outputs), ("Derivatives", rates), ("InitialUnknowns", initials))
        if part
    )
    kinds = [
        f"  <{name}{words}>\n    <SourceFiles>{files}</SourceFiles>\n  </{name}>\n"
        for name, words, others in (("ModelExchange", exchange, "cs"), ("CoSimulation", kind, "me"))
        if about.kind != others
    ]
    return (
        f"{HEAD}<fmiModelDescription{head}>\n"
        f"{''.join(kinds)}"
        f"{_units(about.variables)}\n"
        '  <LogCategories>\n    <Category name="logStatusError"/>\n  </LogCategories>\n'
        f"{_experiment(about)}\n"
        "  <ModelVariables>\n" + "\n".join(scalars) + "\n  </ModelVariables>\n"
        f"  <ModelStructure>\n{structure}  </ModelStructure>\n"
        "</fmiModelDescription>\n"
    )


def description_3(about: UnitDescription) -> str:
    """Return the model description of FMI 3.0."""
    head = _attributes(
        fmiVersion="3.0", modelName=about.model, instantiationToken=about.token, generationTool=f"symlie {VERSION}",
        variableNamingConvention="structured", description=f"{about.model} with {about.method}",
    )  # fmt: skip
    kind = _attributes(
        modelIdentifier=about.identifier, needsExecutionTool=False, canBeInstantiatedOnlyOncePerProcess=False,
        canGetAndSetFMUState=True, canSerializeFMUState=True, canHandleVariableCommunicationStepSize=True,
        providesDirectionalDerivatives=about.has_derivatives, providesAdjointDerivatives=about.has_derivatives,
        maxOutputDerivativeOrder=int(about.has_derivatives), canReturnEarlyAfterIntermediateUpdate=False,
        hasEventMode=False, mightReturnEarlyFromDoStep=about.can_end,
    )  # fmt: skip
    exchange = _attributes(
        modelIdentifier=about.identifier, needsExecutionTool=False, canBeInstantiatedOnlyOncePerProcess=False,
        canGetAndSetFMUState=True, canSerializeFMUState=True, needsCompletedIntegratorStep=True,
        providesDirectionalDerivatives=about.has_derivatives, providesAdjointDerivatives=about.has_derivatives,
    )  # fmt: skip
    lines, outputs, rates, initials = [], [], [], []
    references = {v.name: v.reference for v in about.variables}
    for v in about.variables:
        start = " ".join(_text(x) for x in v.start) or None
        initial = "calculated" if v.is_computed else None
        words = _attributes(
            name=v.name, valueReference=v.reference, description=v.meaning, causality=v.causality,
            variability=v.variability, initial=initial, unit=v.unit or None, start=start,
            derivative=references[v.state] if v.state else None, nominal=v.nominal if about.kind != "cs" else None,
        )  # fmt: skip
        sizes = "".join(f"<Dimension{_attributes(start=n)}/>" for n in v.shape)
        lines.append(f"    <Float64{words}>{sizes}</Float64>" if sizes else f"    <Float64{words}/>")
        if v.causality == "output":
            outputs.append(v.reference)
        if v.state:
            rates.append(v.reference)
        if v.causality == "output" or v.state or (about.kind != "cs" and v.is_state):
            initials.append(v.reference)
    indicators = [v.reference for v in about.variables if v.kind == "OF_EVENT"] if about.kind != "cs" else []
    parts = {"Output": outputs, "ContinuousStateDerivative": rates, "InitialUnknown": initials}
    structure = [
        f"    <{name}{_attributes(valueReference=r)}/>"
        for name, part in (parts | {"EventIndicator": indicators}).items()
        for r in part
    ]
    kinds = [
        f"  <{name}{words}/>\n"
        for name, words, others in (("ModelExchange", exchange, "cs"), ("CoSimulation", kind, "me"))
        if about.kind != others
    ]
    return (
        f"{HEAD}<fmiModelDescription{head}>\n"
        f"{''.join(kinds)}"
        f"{_units(about.variables)}\n"
        '  <LogCategories>\n    <Category name="logStatusError"/>\n  </LogCategories>\n'
        f"{_experiment(about)}\n"
        "  <ModelVariables>\n" + "\n".join(lines) + "\n  </ModelVariables>\n"
        "  <ModelStructure>\n" + "".join(f"{line}\n" for line in structure) + "  </ModelStructure>\n"
        "</fmiModelDescription>\n"
    )


def build_description(about: UnitDescription) -> str:
    """Return ``sources/buildDescription.xml`` of FMI 3.0."""
    files = "".join(
        f"    <SourceFileSet{_attributes(language=language, compilerOptions=f'-O2 -ffp-contract=off{options}')}>\n"
        f"      <SourceFile{_attributes(name=name)}/>\n"
        "    </SourceFileSet>\n"
        for name in about.sources
        for language, options in [LANGUAGES[name.partition(".")[2]]]
    )
    configuration = _attributes(modelIdentifier=about.identifier, description="Without contracted operations")
    return (
        f'{HEAD}<fmiBuildDescription fmiVersion="3.0">\n'
        f"  <BuildConfiguration{configuration}>\n"
        f"{files}"
        '    <Library name="m" external="true"/>\n'
        "  </BuildConfiguration>\n"
        "</fmiBuildDescription>\n"
    )
