"""Safe reading of XML files, before another parser opens them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from symlie.errors import FormatError

LARGEST = 50
"""Maximum size of an XML file, in MB."""


def read_xml(path: Path) -> ElementTree.Element:
    """Return the root of an XML file; raise `FormatError` if it is missing, malformed or declares entities."""
    if not path.is_file():
        raise FormatError(f"There is no file {path}.")
    if path.stat().st_size > LARGEST * 1e6:
        raise FormatError(f"{path} has more than {LARGEST} MB, the largest size of an XML file of a robot.")
    data = path.read_bytes()

    def refuse(*arguments: object) -> None:
        raise FormatError(
            f"{path} declares the entity '{arguments[0]}', which could read other files; write its text in its place."
        )

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
        return ElementTree.fromstring(data)
    except (expat.ExpatError, ElementTree.ParseError) as error:
        raise FormatError(f"{path} is not well-formed XML: {error}.") from error
    except (LookupError, ValueError) as error:  # unknown encoding
        raise FormatError(f"{path} cannot be decoded: {error}.") from error


def included_files(path: Path) -> list[ElementTree.Element]:
    """Return the roots of an MJCF file and of all files that it includes, without reading outside of its folder.

    Raises
    ------
    FormatError
        If an included file is missing, outside of the folder, malformed, or includes itself, or if it is not MJCF.
    """
    folder, roots = path.resolve().parent, list[ElementTree.Element]()

    def read(file: Path, chain: tuple[Path, ...]) -> None:
        if file in chain:
            shown = " → ".join(p.name for p in (*chain[chain.index(file) :], file))
            raise FormatError(f"The includes of {path} form a cycle: {shown}.")
        root = read_xml(file)
        roots.append(root)
        for element in (*root.iter("include"), *root.iter("model")):
            name = element.get("file", "")
            if not name:
                continue
            target = (folder / name).resolve()
            if not target.is_relative_to(folder):
                raise FormatError(
                    f"{file} includes '{name}', which is outside of the folder of {path.name}; move it into the folder."
                )
            if not target.is_file():
                raise FormatError(f"{file} includes '{name}', but there is no file {target}.")
            read(target, (*chain, file))

    read(path.resolve(), ())
    if roots[0].tag != "mujoco":
        raise FormatError(f"{path} is not an MJCF file: its root is <{roots[0].tag}>, not <mujoco>.")
    return roots


def check_assets(path: Path, roots: list[ElementTree.Element]) -> None:
    """Raise `FormatError` if a mesh or height field of an MJCF file is missing."""
    folder = path.resolve().parent
    settings = {k: v for root in roots for c in root.iter("compiler") for k, v in c.attrib.items()}
    base = Path(settings.get("meshdir") or settings.get("assetdir") or "")
    for root in roots:
        for element in (*root.iter("mesh"), *root.iter("hfield")):
            name = element.get("file")
            if not name:
                continue
            name = Path(name).name if settings.get("strippath") == "true" else name
            places = (folder / base / name, folder / name)
            if not any(p.is_file() for p in places):
                raise FormatError(f"{path} needs the mesh '{name}', but there is no file {places[0]}.")
