/** Light and dark themes: the setting of the system, until the user changes it. */

const system = window.matchMedia("(prefers-color-scheme: dark)");

export class Theme {
  constructor(onChange) {
    this.chosen = null;
    this.onChange = onChange;
    system.addEventListener("change", () => this.apply());
  }

  get name() {
    return this.chosen ?? (system.matches ? "dark" : "light");
  }

  toggle() {
    this.chosen = this.name === "dark" ? "light" : "dark";
    this.apply();
  }

  apply() {
    document.documentElement.style.colorScheme = this.name;
    document.documentElement.dataset.theme = this.name;
    this.onChange(this.name);
  }
}
