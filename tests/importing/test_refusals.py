"""Bad files: one sentence each, before the compiler reads anything outside of the folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import symlie as sl
from symlie.importing import compiler
from tests.importing.files import ARM, FOUR_BAR, urdf_four_bar
from tests.importing.test_loops import written

BODY = '<body name="b"><joint name="j"/><geom size="0.1"/></body>'


def mjcf(content: str) -> str:
    return f"<mujoco>{content}</mujoco>"


def world(content: str) -> str:
    return mjcf(f"<worldbody>{content}</worldbody>")


BAD_MJCF = {
    "is not well-formed XML": "<mujoco><worldbody></mujoco>",
    "declares the entity 'secret'": '<!DOCTYPE m [<!ENTITY secret SYSTEM "file:///etc/passwd">]><mujoco>&secret;</mujoco>',
    "declares the entity 'a'": '<!DOCTYPE m [<!ENTITY a "aaaa">]><mujoco model="&a;"/>',
    "which is outside of the folder": mjcf('<include file="../other.xml"/>'),
    "but there is no file": mjcf('<include file="missing.xml"/>'),
    "form a cycle: robot.xml → robot.xml": mjcf('<include file="robot.xml"/>'),
    "needs the mesh 'part.stl'": mjcf('<asset><mesh name="m" file="part.stl"/></asset>'),
    "has zero mass or inertia": world('<body name="b"><joint name="j"/></body>'),
    "defines two parts of one name": world(BODY + BODY.replace('"j"', '"k"')),
    "MuJoCo's compiler rejects": world('<body name="b"><joint type="screw"/><geom size="0.1"/></body>'),
    "its root is <robot>": ARM,
    "which is outside of the folder of robot.xml": mjcf('<asset><model name="m" file="../other.xml"/></asset>'),
    "no joints": world('<body name="b"><geom size="0.1"/></body>'),
}

BAD_URDF = {
    "its root is <mujoco>": "<mujoco/>",
    "has the type 'screw', which has no counterpart": ARM.replace('"continuous"', '"screw"'),
    "two links of the name 'upper'": ARM.replace('<link name="tool"/>', '<link name="tool"/><link name="upper"/>'),
    "two joints of the name 'elbow'": ARM.replace('"flange"', '"elbow"'),
    "The moving link 'lower' of": ARM.replace('<mass value="1"/>', '<mass value="0"/>'),
    "needs the mesh 'package://robot/arm.stl'": ARM.replace(
        '<cylinder radius="0.03" length="0.5"/>', '<mesh filename="package://robot/arm.stl"/>'
    ),
    "needs 3 numbers": ARM.replace('xyz="0 0 0.25"', 'xyz="0 0"'),
    "follows the joint 'wrist', which does not exist": ARM.replace(
        '<parent link="upper"/>', '<parent link="upper"/><mimic joint="wrist"/>'
    ),
    "Constraint 'pin' of": urdf_four_bar("hook"),
    "names the link 'rod', which does not exist": urdf_four_bar("revolute").replace(
        '<child link="rocker"/><child_o', '<child link="rod"/><child_o'
    ),
    "The child axis of constraint 'pin'": urdf_four_bar("revolute").replace(
        'child_axis xyz="0 1', 'child_axis xyz="0 0'
    ),
    "follows itself": ARM.replace('<parent link="upper"/>', '<parent link="upper"/><mimic joint="elbow"/>'),
}


def one_sentence(error: sl.errors.SymlieError) -> bool:
    text = str(error)
    return text.endswith(".") and "\n" not in text and ". " not in text.replace("robot. ", "")


@pytest.mark.parametrize("expected", BAD_MJCF)
def test_bad_mjcf_raises_one_sentence(expected: str, tmp_path: Path) -> None:
    (tmp_path / "robot").mkdir()
    (tmp_path / "other.xml").write_text("<mujoco/>", encoding="utf-8")
    path = written(tmp_path / "robot", BAD_MJCF[expected])
    with pytest.raises((sl.errors.FormatError, sl.errors.ModelError)) as caught:
        sl.from_mjcf(path)
    assert expected in str(caught.value) and one_sentence(caught.value)


@pytest.mark.parametrize("expected", BAD_URDF)
def test_bad_urdf_raises_one_sentence(expected: str, tmp_path: Path) -> None:
    path = written(tmp_path, BAD_URDF[expected], "robot.urdf")
    with pytest.raises(sl.errors.FormatError) as caught:
        sl.from_urdf(path)
    assert expected in str(caught.value) and one_sentence(caught.value)


def test_limits_in_reverse_order_are_listed(tmp_path: Path) -> None:
    path = written(tmp_path, ARM.replace('lower="-2" upper="2"', 'lower="2" upper="-2"'), "arm.urdf")
    with pytest.warns(sl.warnings.SymlieWarning, match="shoulder, whose lower limit exceeds the upper one"):
        robot = sl.from_urdf(path, limits=True, ignore="ranges")
    assert not robot.limits


def test_longer_cycles_of_includes_are_found(tmp_path: Path) -> None:
    written(tmp_path, mjcf('<include file="b.xml"/>'), "a.xml")
    written(tmp_path, mjcf('<include file="a.xml"/>'), "b.xml")
    with pytest.raises(sl.errors.FormatError, match=r"cycle: a\.xml → b\.xml → a\.xml"):
        sl.from_mjcf(tmp_path / "a.xml")


@pytest.mark.parametrize("read", [sl.from_mjcf, sl.from_urdf])
def test_missing_files_are_named(read: Callable[[Path], sl.Robot], tmp_path: Path) -> None:
    with pytest.raises(sl.errors.FormatError, match=r"There is no file .*robot\.xml\."):
        read(tmp_path / "robot.xml")


FEATURES = {
    "tendons": '<tendon><spatial name="cable"><site site="tip"/><site site="low"/></spatial></tendon>',
    "actuators": '<actuator><muscle name="muscle" joint="crank_pivot" lengthrange="0 1"/></actuator>',
    "fluid": '<option density="1.2"/>',
}


@pytest.mark.parametrize("feature", FEATURES)
def test_features_without_counterpart_are_refused_or_listed(feature: str, tmp_path: Path) -> None:
    text = FOUR_BAR.replace("</mujoco>", f"{FEATURES[feature]}</mujoco>")
    path = written(tmp_path, text.replace('<site name="tip"', '<site name="low"/><site name="tip"'))
    with pytest.raises(sl.errors.UnsupportedFeatureError, match=f'ignore=\\("{feature}"'):
        sl.from_mjcf(path)
    assert feature in sl.from_mjcf(path, ignore=[feature]).skipped


def test_usual_features_are_skipped_with_a_warning(tmp_path: Path) -> None:
    path = written(tmp_path, ARM, "arm.urdf")
    with pytest.warns(sl.warnings.SymlieWarning, match=r"without ranges \(velocity of shoulder, .*limits \(shoulder\)"):
        robot = sl.from_urdf(path)
    assert robot.limits == {"shoulder": (-2.0, 2.0)}
    quiet = sl.from_urdf(path, ignore=("limits", "ranges"), strict=True)
    assert quiet.skipped == robot.skipped
    with pytest.raises(sl.errors.UnsupportedFeatureError, match="limits of joints"):
        sl.from_urdf(path, strict=True, ignore="ranges")
    with pytest.raises(sl.errors.UnknownNameError, match="no feature 'colors'"):
        sl.from_urdf(path, ignore=["colors"])


def test_other_elements_are_listed(tmp_path: Path) -> None:
    text = ARM.replace("</robot>", '<transmission name="gear"/></robot>').replace(
        '<dynamics damping="0.1"/>', '<dynamics damping="0.1"/><calibration rising="0"/>'
    )
    robot = sl.from_urdf(written(tmp_path, text, "arm.urdf"), ignore=("limits", "ranges", "extensions"))
    assert robot.skipped["extensions"] == ("calibration of shoulder", "gear")
    keyed = FOUR_BAR.replace(
        "</mujoco>",
        '<actuator><motor joint="crank_pivot"/></actuator><keyframe><key name="k" ctrl="1"/></keyframe></mujoco>',
    )
    robot = sl.from_mjcf(written(tmp_path, keyed), ignore="extensions")
    assert robot.skipped == {"extensions": ("controls of keyframe k",)}


def test_warnings_of_the_compiler_are_warnings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mujoco

    mujoco.set_mju_user_warning(None)
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, ARM.replace('lower="-2" upper="2"', 'lower="1" upper="1"'), "arm.urdf")
    with pytest.warns(sl.warnings.SymlieWarning, match=r"about .*arm\.urdf: joint 'shoulder' has equal") as caught:
        robot = sl.from_urdf(path, ignore="ranges")
    assert caught[0].filename == __file__
    assert not robot.limits and [p.name for p in tmp_path.iterdir()] == ["arm.urdf"]
    assert mujoco.get_mju_user_warning() is None


def test_unsupported_versions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "BELOW", (3, 0))
    with pytest.raises(sl.errors.MissingDependencyError, match=r"from version 3\.3 to below 3, not"):
        sl.from_mjcf(written(tmp_path, FOUR_BAR))


def test_large_robots_with_loops_refuse_minimal_coordinates(tmp_path: Path) -> None:
    arm = "".join(
        f'<body name="b{k}" pos="0 0 0.1"><joint name="j{k}" axis="{k % 2} {1 - k % 2} 0"/>'
        '<geom size="0.05" contype="0" conaffinity="0"/>'
        for k in range(26)
    )
    connect = '<equality><connect body1="b25" body2="world" anchor="0 0 0"/></equality>'
    path = written(tmp_path, mjcf(f"<worldbody>{arm}{'</body>' * 26}</worldbody>{connect}"))
    with pytest.raises(sl.errors.ModelError, match="use coordinates='bodies'"):
        sl.from_mjcf(path, coordinates="minimal")
    assert sl.from_mjcf(path).coordinates == "bodies"
