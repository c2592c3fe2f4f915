"""Actuators and sensors of a compiled file."""

from __future__ import annotations

import numpy as np

from symlie.importing.description import Motor, SensorData
from symlie.importing.reading import Reading

_SITE, _XBODY, _JOINT = 6, 2, 3
"""Numbers of types of objects in the compiler."""

_SENSORS = {
    "JOINTPOS": "coordinate",
    "JOINTVEL": "rate",
    "FRAMEPOS": "position",
    "FRAMEXAXIS": "x_axis",
    "FRAMEYAXIS": "y_axis",
    "FRAMEZAXIS": "z_axis",
    "FRAMELINVEL": "velocity",
    "FRAMEANGVEL": "spin",
    "VELOCIMETER": "own_velocity",
    "GYRO": "own_spin",
}
"""Outputs by the kind of a sensor."""


def motors(reading: Reading) -> list[Motor]:
    """Return the actuators on hinges and sliders, and list the others."""
    m = reading.compiled
    found = list[Motor]()
    if reading.is_off("ACTUATION"):
        return found
    for k in range(getattr(m, "nactuator", m.nu)):
        name = m.actuator(k).name
        joint = reading.joint_of.get(int(m.actuator_trnid[k, 0])) if int(m.actuator_trntype[k]) in (0, 1) else None
        data = next((j for j in reading.joints if j.name == joint), None)
        extra = ("actuator_delay", "actuator_armature", "actuator_damping", "actuator_dampingpoly")
        if (
            data is None
            or not data.is_scalar
            or int(m.actuator_dyntype[k]) != 0
            or int(m.actuator_gaintype[k]) > 1
            or int(m.actuator_biastype[k]) > 1
            or any(np.any(getattr(m, a)[k]) for a in extra if hasattr(m, a))
        ):
            reading.skipped.add("actuators", name or f"actuator{k}")
            continue
        if m.actuator_forcelimited[k]:
            reading.skipped.add("ranges", f"force of {name or data.name}")
        if np.any(m.actuator_ctrllimited[k : k + 1]):
            reading.skipped.add("ranges", f"control of {name or data.name}")
        gear, is_affine = float(m.actuator_gear[k, 0]), int(m.actuator_gaintype[k]) == 1
        gain = np.array(m.actuator_gainprm[k, :3]) * (1.0 if is_affine else np.array([1.0, 0, 0]))
        bias = np.array(m.actuator_biasprm[k, :3]) * (int(m.actuator_biastype[k]) == 1)
        factors = np.array([gear, gear**2, gear**2])
        gains, biases = (tuple(map(float, factors * part)) for part in (gain, bias))
        label = reading.names.new(name, f"{data.name}_motor", ("",), "_motor")
        found.append(Motor(label, data.name, (gains[0], gains[1], gains[2]), (biases[0], biases[1], biases[2])))
    return found


def sensors(reading: Reading) -> list[SensorData]:
    """Return the sensors that are outputs, and list the others."""
    import mujoco

    m = reading.compiled
    found = list[SensorData]()
    for s in range(m.nsensor):
        name = m.sensor(s).name
        kind = _SENSORS.get(mujoco.mjtSensor(int(m.sensor_type[s])).name.removeprefix("mjSENS_"))
        subject = _subject(reading, int(m.sensor_objtype[s]), int(m.sensor_objid[s]), kind)
        if kind is None or subject is None or int(m.sensor_refid[s]) >= 0:
            reading.skipped.add("sensors", name or f"sensor{s}")
            continue
        found.append(SensorData(reading.names.new(name, f"sensor{s}", ("",), "_sensor"), kind, subject))
    return found


def _subject(reading: Reading, kind: int, number: int, output: str | None) -> str | None:
    """Return the name of the joint or frame of a sensor, and add frames of links."""
    if output in ("coordinate", "rate"):
        return reading.joint_of.get(number) if kind == _JOINT else None
    key = {_SITE: "site", _XBODY: "body"}.get(kind)
    if key is None:
        return None
    if key == "body" and (key, number) not in reading.frame_of:
        link, pose = reading.where[number]
        reading.add_frame(f"{reading.compiled.body(number).name}_body", f"body{number}", link, pose, (key, number))
    return reading.frame_of.get((key, number))
