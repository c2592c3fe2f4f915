/** Heading of the page: model, solutions, and notes. */

import { element, make } from "./elements.js";

export function writeHeading({ model, made_by: maker, solutions }) {
  element("model").textContent = model;
  element("made-by").textContent = maker && `Made by ${maker}.`;
  const several = solutions.length > 1;
  element("solutions").append(
    ...solutions.map(({ label }, i) =>
      make("li", { textContent: label, className: several ? (i ? "ghost" : "solid") : "" }),
    ),
  );
  const notes = solutions.flatMap(({ label, notes: own }) => own.map((text) => (several ? `${label}: ${text}` : text)));
  element("notes").append(...notes.map((text) => make("p", { textContent: text })));
  element("notes-button").textContent = notes.length === 1 ? "1 note" : `${notes.length} notes`;
  element("notes-button").hidden = !notes.length;
}
