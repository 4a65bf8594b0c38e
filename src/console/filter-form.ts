/** Forms that choose what a page shows. */
import { el, type Markup } from "../render/svg/element.ts";
import type { PageInput } from "./page.ts";

/** One choice of a filter. */
export interface FilterChoice {
  readonly value: string;
  readonly text?: string;
}

/** A field of a filter form: a choice if it has choices, otherwise text. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly FilterChoice[];
  /** The text of the choice that does not filter. */
  readonly any?: string;
  readonly placeholder?: string;
}

/** A form that changes the parameters of the page. `label` distinguishes it from other forms of the page. */
export function filterForm(
  { path, search }: Pick<PageInput, "path" | "search">,
  fields: readonly FilterField[],
  label = "Filters",
): Markup {
  const names = new Set(fields.map(({ name }) => name));
  const kept = [...search].filter(([name]) => !names.has(name) && name !== "offset");
  return el(
    "form",
    { class: "filters", method: "get", action: path, "aria-label": label },
    kept.map(([name, value]) => el("input", { type: "hidden", name, value })),
    fields.map((field) => filterField(field, search.get(field.name) ?? "")),
    el("button", { type: "submit" }, "Show"),
  );
}

function filterField({ name, label, choices, any, placeholder }: FilterField, current: string): Markup {
  const id = `filter-${name}`;
  const input = choices
    ? el(
        "select",
        { id, name, "data-submit": "" },
        any === undefined ? null : el("option", { value: "" }, any),
        withCurrent(choices, current).map(({ value, text }) =>
          el("option", { value, selected: value === current ? "" : null }, text ?? value),
        ),
      )
    : el("input", { id, name, value: current, placeholder, type: "text" });
  return el("div", {}, el("label", { for: id }, label), input);
}

/** The choices, with the current one if it is not among them, so that a link shows what it filters by. */
function withCurrent(choices: readonly FilterChoice[], current: string): readonly FilterChoice[] {
  const isKnown = current === "" || choices.some(({ value }) => value === current);
  return isKnown ? choices : [...choices, { value: current }];
}
