/** Access to elements of the page by id, and creation of elements; text is never markup. */

export const element = (id) => document.getElementById(id);

/** A new element with properties, attributes under `attributes`, and children. */
export function make(tag, { attributes = {}, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A button that shows or hides a sheet. */
export function disclose(button, sheet, others = []) {
  const set = (open) => {
    sheet.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) for (const other of others) other(false);
  };
  button.addEventListener("click", () => set(sheet.hidden));
  return set;
}
