"""Files of mechanisms with loops, written for these tests."""

from __future__ import annotations

FOUR_BAR = """<mujoco model="four_bar">
  <compiler angle="radian"/>
  <default><joint axis="0 1 0"/><geom type="capsule" size="0.02" contype="0" conaffinity="0"/></default>
  <worldbody><body name="base">
    <body name="crank">
      <joint name="crank_pivot"/>
      <inertial pos="0.0 0.0 0.15" mass="0.5" diaginertia="0.006 0.006 0.001"/>
      <geom fromto="0 0 0 0 0 0.3"/>
      <body name="coupler" pos="0 0 0.3">
        <joint name="coupler_pivot"/>
        <inertial pos="0.4 0.0 0.1" mass="0.5" diaginertia="0.006 0.006 0.001"/>
      <geom fromto="0 0 0 0.8 0 0.2"/>
        <site name="tip" pos="0.8 0 0.2"/>
      </body>
    </body>
    <body name="rocker" pos="0.8 0 0">
      <joint name="rocker_pivot"/>
      <inertial pos="0.0 0.0 0.25" mass="0.5" diaginertia="0.006 0.006 0.001"/>
      <geom fromto="0 0 0 0 0 0.5"/>
    </body>
  </body></worldbody>
  <equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.8 0 0.2"/></equality>
</mujoco>"""

PARALLEL = """<mujoco model="parallel">
  <compiler angle="degree"/>
  <default><geom type="capsule" size="0.02" contype="0" conaffinity="0"/></default>
  <worldbody><body name="base">
    <body name="lower1" pos="0.4 0 0"><joint name="hip1" axis="0 1 0"/>
      <inertial pos="0.0 0.0 0.2" mass="0.5" diaginertia="0.006 0.006 0.001"/>
      <geom fromto="0 0 0 0 0 0.4"/>
      <body name="upper1" pos="0 0 0.4"><joint name="knee1" axis="0 1 0"/>
      <inertial pos="-0.1 0.0 0.2" mass="0.5" diaginertia="0.006 0.006 0.001"/>
      <geom fromto="0 0 0 -0.2 0 0.4"/>
        <body name="platform" pos="-0.2 0 0.4"><joint name="ankle1" type="ball"/>
          <inertial pos="-0.2 0 0" mass="1" diaginertia="0.02 0.02 0.04"/>
        </body>
      </body>
    </body>
    <body name="lower2" pos="-0.2 0.3464 0" euler="0 0 120">
      <joint name="hip2" axis="0 1 0"/>
      <inertial pos="0.0 0.0 0.2" mass="0.5" diaginertia="0.006 0.006 0.001"/>
      <geom fromto="0 0 0 0 0 0.4"/>
      <body name="upper2" pos="0 0 0.4"><joint name="knee2" axis="0 1 0"/>
      <inertial pos="-0.1 0.0 0.2" mass="0.5" diaginertia="0.006 0.006 0.001"/>
      <geom fromto="0 0 0 -0.2 0 0.4"/></body>
    </body>
    <body name="lower3" pos="-0.2 -0.3464 0" euler="0 0 240">
      <joint name="hip3" axis="0 1 0"/>
      <inertial pos="0.0 0.0 0.2" mass="0.5" diaginertia="0.006 0.006 0.001"/>
      <geom fromto="0 0 0 0 0 0.4"/>
      <body name="upper3" pos="0 0 0.4"><joint name="knee3" axis="0 1 0"/>
      <inertial pos="-0.1 0.0 0.2" mass="0.5" diaginertia="0.006 0.006 0.001"/>
      <geom fromto="0 0 0 -0.2 0 0.4"/></body>
    </body>
  </body></worldbody>
  <equality>
    <connect name="ankle2" body1="upper2" body2="platform" anchor="-0.2 0 0.4"/>
    <connect name="ankle3" body1="upper3" body2="platform" anchor="-0.2 0 0.4"/>
  </equality>
</mujoco>"""

URDF_FOUR_BAR = """<robot name="four_bar">
  <link name="base"/>
  {links}
  <joint name="crank_pivot" type="continuous"><parent link="base"/><child link="crank"/><axis xyz="0 1 0"/></joint>
  <joint name="coupler_pivot" type="continuous"><parent link="crank"/><child link="coupler"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 1 0"/></joint>
  <joint name="rocker_pivot" type="continuous"><parent link="base"/><child link="rocker"/>
    <origin xyz="0.8 0 0"/><axis xyz="0 1 0"/></joint>
  <constraint name="pin" type="{kind}">
    <parent link="coupler"/><parent_origin xyz="0.8 0 0.2"/><parent_axis xyz="0 1 0"/>
    <child link="rocker"/><child_origin xyz="0 0 0.5"/><child_axis xyz="0 1 0"/>
  </constraint>
</robot>"""

LINK = (
    '<link name="{name}"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>'
    '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.001"/></inertial></link>'
)


def urdf_four_bar(kind: str) -> str:
    """A four-bar whose loop is a ``constraint`` element."""
    links = "".join(LINK.format(name=name) for name in ("crank", "coupler", "rocker"))
    return URDF_FOUR_BAR.format(links=links, kind=kind)


ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.25"/><mass value="2"/>
    <inertia ixx="0.04" ixy="0" ixz="0" iyy="0.04" iyz="0" izz="0.002"/></inertial>
    <visual><origin xyz="0 0 0.25"/><geometry><cylinder radius="0.03" length="0.5"/></geometry>
      <material name="blue"><color rgba="0.2 0.4 0.8 1"/></material></visual></link>
  <link name="lower"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>
    <inertia ixx="0.013" ixy="0" ixz="0" iyy="0.013" iyz="0" izz="0.001"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="3"/><dynamics damping="0.1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.5"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.4"/></joint>
</robot>"""
