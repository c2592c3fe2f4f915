/** Instances of one geometry in one draw call, each with position, rotation, size and colour. */

import { Color, DynamicDrawUsage, InstancedMesh, Matrix4, MeshLambertMaterial, Quaternion, Vector3 } from "three";

/** Opacity of solutions after the first. */
const GHOST = 0.28;

export function material(ghost, settings = {}) {
  const glass = ghost ? { transparent: true, opacity: GHOST, depthWrite: false } : {};
  return new MeshLambertMaterial({ ...glass, ...settings });
}

export class Instances {
  constructor(geometry, count, { ghost = false, settings = {} } = {}) {
    this.count = count;
    this.object = new InstancedMesh(geometry, material(ghost, settings), count);
    this.object.instanceMatrix.setUsage(DynamicDrawUsage);
    this.object.frustumCulled = false;
    this.matrix = new Matrix4();
    this.place = new Vector3();
    this.turn = new Quaternion();
    this.size = new Vector3(1, 1, 1);
  }

  /** Applies `place`, `turn` and `size` to instance `index`. */
  put(index) {
    this.object.setMatrixAt(index, this.matrix.compose(this.place, this.turn, this.size));
  }

  commit() {
    this.object.instanceMatrix.needsUpdate = true;
  }

  paint(color) {
    const linear = new Color();
    for (let i = 0; i < this.count; i++) this.object.setColorAt(i, linear.set(color(i)));
    this.object.instanceColor.needsUpdate = true;
  }
}
