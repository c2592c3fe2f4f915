"""Contacts of files: the pairs and gaps of MuJoCo, and closed forms of a ball on a plane."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.cli import main
from symlie.importing.compiler import compiled_file
from symlie.importing.features import Requested, Skipped
from symlie.importing.pairs import Pair, touching
from symlie.importing.reading import Reading
from tests.importing.files import LINK
from tests.importing.oracles import quaternion
from tests.importing.test_loops import written
from tests.tolerances import CONTACT, IMPORTED_GAP

G = 9.81

BALL = """<mujoco model="ball">
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" friction="0.3"/>
    <body name="ball" pos="0 0 0.1"><freejoint name="root"/><geom size="0.1" mass="1" friction="0.1"/></body>
  </worldbody>
</mujoco>"""

SHAPES = """<mujoco model="shapes">
  <default><geom contype="2" conaffinity="1" friction="0.5"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" pos="0.1 -0.2 0.3" euler="10 20 30" contype="1" conaffinity="0"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom size="0.1" pos="0.1 0.2 0" contype="6"/></body>
    <body name="egg" pos="1 0 1"><freejoint/><geom size="0.2" pos="0 0.1 -0.2" contype="2" conaffinity="5"/></body>
    <body name="rod" pos="2 0 1"><freejoint/><geom type="capsule" fromto="0.1 0 0 0.3 0.4 0.1" size="0.05"/></body>
    <body name="box" pos="3 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3" pos="0 0.1 0" euler="40 0 20"/></body>
    <body name="can" pos="4 0 1"><freejoint/><geom type="cylinder" size="0.1 0.2" euler="20 50 0"/></body>
  </worldbody>
</mujoco>"""


def pairs_of(path: Path) -> tuple[Any, list[Pair]]:
    """The compiled file, and the pairs that the import finds."""
    compiled = compiled_file(path)
    reading = Reading(compiled, Skipped((), strict=False, requested=Requested(contacts=True)), None)
    reading.read_bodies()
    return compiled, touching(reading)


def pairs_of_mujoco(compiled: Any) -> dict[tuple[int, int], tuple[int, float]]:
    """Number of components and friction of all pairs that move relative to each other and are not filtered out."""
    import mujoco

    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    welded = compiled.body_weldid[compiled.geom_bodyid]
    moving = [c for c in data.contact if welded[c.geom[0]] != welded[c.geom[1]]]
    return {tuple(map(int, c.geom)): (int(c.dim), float(c.friction[0])) for c in moving}


def random_bodies(seed: int) -> str:
    """Spheres on a tree of bodies, some welded, with random masks, priorities, exclusions and pairs."""
    random = np.random.default_rng(seed)

    def body(k: int, depth: int) -> str:
        geometries = "".join(
            f'<geom name="g{k}_{i}" size="0.05" mass="1" pos="{i} 0 0" contype="{random.integers(4)}" '
            f'conaffinity="{random.integers(4)}" priority="{random.integers(2)}" condim="{random.choice([1, 3, 4])}" '
            f'friction="{random.uniform(0.1, 1):.3f} 0.01 0.001"/>'
            for i in range(2)
        )
        joint = "" if random.random() < 0.3 else f'<joint axis="{random.integers(2)} 0 1"/>'
        inner = "".join(body(4 * k + j, depth + 1) for j in (1, 2)) if depth < 2 else ""
        return f'<body name="b{k}" pos="0.3 {0.2 * k} 0.1">{joint}{geometries}{inner}</body>'

    tree = body(1, 0) + body(2, 0)
    return (
        '<mujoco><default><geom margin="100"/><pair margin="100"/></default>'  # all pairs are close enough
        f'<option><flag filterparent="{random.choice(["enable", "disable"])}"/></option><worldbody>'
        f'<geom name="floor" type="plane" size="1 1 1" contype="1" conaffinity="2"/>{tree}</worldbody><contact>'
        '<exclude body1="b5" body2="b2"/><exclude body1="b1" body2="b9"/>'
        '<pair geom1="g1_0" geom2="floor" condim="1"/><pair geom1="g9_1" geom2="g2_0" friction="0.7 0.7 0 0 0"/>'
        "</contact></mujoco>"
    )


@pytest.mark.parametrize("seed", range(20))
def test_pairs_are_those_of_mujoco(seed: int, tmp_path: Path) -> None:
    compiled, found = pairs_of(written(tmp_path, random_bodies(seed)))
    expected = pairs_of_mujoco(compiled)
    assert {(p.first, p.second): (p.dimension, float(p.friction[0])) for p in found} == expected != {}


def test_disabled_contacts_are_not_imported(tmp_path: Path) -> None:
    for flag in ("contact", "constraint"):
        text = BALL.replace("<worldbody>", f'<option><flag {flag}="disable"/></option><worldbody>', 1)
        robot = sl.from_mjcf(written(tmp_path, text), contacts=True, strict=True)
        assert not robot._description.contacts


def test_gaps_are_the_distances_of_mujoco(tmp_path: Path) -> None:
    import mujoco

    robot = sl.from_mjcf(written(tmp_path, SHAPES), contacts=True, strict=True)
    system = robot.compile(backend="numpy")
    close = SHAPES.replace("<default><geom ", '<default><geom margin="100" ')
    compiled = compiled_file(written(tmp_path, close, "close.xml"))
    data, random = mujoco.MjData(compiled), np.random.default_rng(1)
    names = ["ball", "egg", "rod", "box", "can"]
    seen = set[tuple[str, str]]()
    for _ in range(20):
        nodes: dict[str, Any] = {}
        for k, name in enumerate(names):
            turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
            turn = turn * np.sign(np.linalg.det(turn))
            nodes[name] = {"x": random.uniform(-1, 1, 3), "R": turn}
            data.qpos[7 * k : 7 * k + 7] = [*nodes[name]["x"], *quaternion(turn)]
        outputs = system.outputs(system.state(complete=False, **nodes))
        mujoco.mj_forward(compiled, data)
        for first, second in {tuple(map(int, c.geom)) for c in data.contact}:
            shown = tuple(compiled.body(compiled.geom_bodyid[g]).name for g in (first, second))
            stem = "_".join(shown).replace("world", "floor")
            gaps = [float(v) for k, v in outputs.items() if k.startswith(f"{stem}_") and k.endswith("_gap")]
            distances = [c.dist for c in data.contact if tuple(c.geom) == (first, second)]
            assert abs(min(gaps) - min(distances)) <= IMPORTED_GAP
            if shown != ("world", "can"):
                assert (
                    abs(min(gaps) - mujoco.mj_geomDistance(compiled, data, first, second, 10.0, None)) <= IMPORTED_GAP
                )
            seen.add(shown)
    assert seen == {("ball", "egg"), *(("world", name) for name in names)}


@pytest.fixture(scope="module")
def ball(tmp_path_factory: pytest.TempPathFactory) -> sl.System:
    """A ball on a plane with the friction 0.3."""
    robot = sl.from_mjcf(written(tmp_path_factory.mktemp("ball"), BALL), contacts=True, strict=True)
    assert robot.coordinates == "bodies" and "friction=0.3" in robot.text
    return robot.compile()


def test_ball_of_a_file_bounces_exactly(ball: sl.System) -> None:
    system = ball.with_parameters(restitution=0.5).with_initial("ball", x=[0, 0, 1.1])
    solution = sl.solve(system, 1.2, rtol=1e-12)
    fall = math.sqrt(2 / G)
    times = [impact.t for impact in solution.impacts]
    assert np.abs(np.array(times) - [fall, 2 * fall, 2.5 * fall]).max() <= CONTACT
    height = (1.2 - 2.5 * fall) * (0.125 * G * fall - G * (1.2 - 2.5 * fall) / 2)
    assert abs(solution.outputs["floor_ball_gap"][-1] - height) <= CONTACT


def test_ball_of_a_file_slides_until_it_rolls(ball: sl.System) -> None:
    solution = sl.solve(ball.with_initial("ball", x_dot=[1, 0, 0]), 0.5, rtol=1e-12)
    (stick,) = solution.events
    assert stick.name == "floor_ball_stick" and abs(stick.t - 2 / (7 * 0.3 * G)) <= CONTACT
    assert np.abs(solution.field("ball", "x_dot")[-1] - [5 / 7, 0, 0]).max() <= CONTACT


OTHERS = BALL.replace(
    "</worldbody>",
    '<body name="rod" pos="1 0 1"><freejoint/><geom type="capsule" size="0.1 0.2"/></body>'
    '<body name="egg" pos="3 0 1"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body></worldbody>',
)


def test_other_pairs_are_refused_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, OTHERS)
    with pytest.raises(
        sl.errors.UnsupportedFeatureError, match=r"two spheres \(floor and egg, ball and rod.*\"pairs\""
    ):
        sl.from_mjcf(path, contacts=True)
    robot = sl.from_mjcf(path, contacts=True, ignore=("pairs", "shapes"), strict=True)
    assert robot.skipped["pairs"] == ("floor and egg", "ball and rod", "ball and egg", "rod and egg")
    names = [contact.name for contact in robot._description.contacts]
    assert names == ["floor_ball", "floor_rod_end_0", "floor_rod_end_1"]


def test_laws_without_counterpart_are_listed(tmp_path: Path) -> None:
    text = BALL.replace('friction="0.3"', 'friction="0.3 0.02 0.01" condim="4" solref="0.01 0.5" margin="0.01"')
    with pytest.warns(
        sl.warnings.SymlieWarning, match=r"without softness \(floor and ball\), surfaces \(floor and ball\)"
    ):
        robot = sl.from_mjcf(written(tmp_path, text), contacts=True)
    assert set(robot.skipped) == {"softness", "surfaces"}


def test_contacts_are_requested_or_ignored(tmp_path: Path) -> None:
    path = written(tmp_path, BALL)
    with pytest.warns(sl.warnings.SymlieWarning, match=r"contacts \(floor, ball\); import them with contacts=True\."):
        sl.from_mjcf(path)
    with pytest.raises(sl.errors.ModelError, match=r'contacts=True imports what ignore=\("contacts",\) skips'):
        sl.from_mjcf(path, contacts=True, ignore="contacts")


def test_collisions_of_urdf_are_contacts(tmp_path: Path) -> None:
    links = [LINK.format(name=name) for name in ("left", "middle", "right")]
    ball = '<collision name="c"><origin xyz="0 0 0.4"/><geometry><sphere radius="0.05"/></geometry></collision>'
    touching_links = "".join(link.replace("</link>", f"{ball}</link>") for link in links)
    joints = "".join(
        f'<joint name="{name}_pivot" type="continuous"><parent link="base"/><child link="{name}"/>'
        f'<origin xyz="{x} 0 0"/><axis xyz="0 1 0"/></joint>'
        for name, x in (("left", 0), ("middle", 0.3), ("right", 0.6))
    )
    text = f'<robot name="pair"><link name="base"/>{touching_links}{joints}</robot>'
    robot = sl.from_urdf(written(tmp_path, text, "pair.urdf"), contacts=True, strict=True)
    contacts = robot._description.contacts
    assert [c.name for c in contacts] == ["left_middle", "left_right", "middle_right"]
    assert all(c.lengths == ("radii", (0.05, 0.05)) for c in contacts)
    assert contacts[0].frames[1].place == pytest.approx([0, 0, 0.4])
    mesh = text.replace('<sphere radius="0.05"/>', '<mesh filename="a.stl"/>', 1)
    with pytest.raises(sl.errors.UnsupportedFeatureError, match=r"mesh of left"):
        sl.from_urdf(written(tmp_path, mesh, "mesh.urdf"), contacts=True)


def test_command_writes_contacts(tmp_path: Path) -> None:
    out = tmp_path / "ball.py"
    assert main(["import", str(written(tmp_path, BALL)), "--contacts", "--strict", "--out", str(out)]) == 0
    assert "sl.SpherePlaneContact(" in out.read_text(encoding="utf-8")
