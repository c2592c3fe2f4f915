/** Display options: layers, colours of rods, target of the camera. */

import { element, make } from "./elements.js";
import { shown } from "./numbers.js";

export class Display {
  constructor(world, stage, scene, onChange) {
    this.world = world;
    this.stage = stage;
    this.scene = scene;
    this.onChange = onChange;
    this.switches = world.layers.filter(({ fixed }) => !fixed);
    this.boxes = this.switches.map((layer, i) => this.makeSwitch(layer, i + 1));
    this.targets = world.followed(scene.solutions[0]);
    this.fields = world.fields(scene);
    this.fill(element("follow"), ["nothing", ...this.targets.map(({ name }) => name)], (i) => this.follow(i));
    this.fill(element("color"), ["one colour", ...this.fields.map(nameOf)], (i) => this.colorBy(i));
    element("follow-choice").hidden = !this.targets.length;
    element("color-choice").hidden = !this.fields.length;
    element("reset-button").addEventListener("click", () => this.reset());
    if (this.fields.length) this.colorBy(1);
  }

  makeSwitch({ name, label }, number) {
    const box = make("input", { type: "checkbox", checked: this.world.shown.has(name) });
    box.addEventListener("change", () => {
      this.world.show(name, box.checked);
      this.onChange();
    });
    element("layers").append(make("label", {}, box, ` ${label} `, make("kbd", { textContent: String(number) })));
    return box;
  }

  fill(select, names, choose) {
    select.append(...names.map((name, i) => make("option", { value: String(i), textContent: name })));
    select.addEventListener("change", () => choose(Number(select.value)));
  }

  toggleLayer(index) {
    this.boxes[index]?.click();
  }

  /** Follows target `index`, counted from one; zero is none. */
  follow(index) {
    element("follow").value = String(index);
    this.stage.follow(index ? this.targets[index - 1].at : null);
    this.onChange();
  }

  followNext(step) {
    const count = this.targets.length + 1;
    this.follow((Number(element("follow").value) + step + count) % count);
  }

  reset() {
    element("follow").value = "0";
    this.stage.reset();
    this.onChange();
  }

  colorBy(index) {
    element("color").value = String(index);
    const field = index ? this.fields[index - 1] : null;
    this.world.colorBy(this.scene, field);
    element("color-bar").hidden = !field;
    if (field) {
      element("color-label").textContent = nameOf(field);
      element("color-ramp").style.background = `linear-gradient(to right, ${field.scale.stops.join(", ")})`;
      element("color-lower").textContent = shown(field.scale.lower, 3);
      element("color-upper").textContent = shown(field.scale.upper, 3);
    }
    this.onChange();
  }

  nextColor() {
    if (this.fields.length) this.colorBy((Number(element("color").value) + 1) % (this.fields.length + 1));
  }
}

const nameOf = ({ key, unit }) => (unit ? `${key} [${unit}]` : key);
