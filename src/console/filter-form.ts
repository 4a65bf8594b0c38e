/** Forms that choose what a page shows. */
import { el, fragment, type Markup } from "../render/svg/element.ts";
import { linkWith } from "./links.ts";
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
  /** Values that a text field suggests. */
  readonly suggestions?: ReadonlyArray<string | null | undefined>;
}

/** A form that changes the parameters of the page. `label` distinguishes it from other forms of the page. */
export function filterForm(
  { path, search }: Pick<PageInput, "path" | "search">,
  fields: readonly FilterField[],
  { label = "Filters", resets = true }: { readonly label?: string; readonly resets?: boolean } = {},
): Markup {
  const names = new Set(fields.map(({ name }) => name));
  const kept = [...search].filter(([name]) => !names.has(name) && name !== "offset");
  const without = Object.fromEntries([...names, "offset"].map((name) => [name, undefined]));
  const isFiltered = resets && fields.some(({ name }) => (search.get(name) ?? "") !== "");
  return el(
    "form",
    { class: "filters", method: "get", action: path, "aria-label": label },
    kept.map(([name, value]) => el("input", { type: "hidden", name, value })),
    fields.map((field) => filterField(field, search.get(field.name) ?? "")),
    el("button", { type: "submit" }, "Show"),
    isFiltered && el("a", { href: linkWith({ path, search }, without) }, "Reset"),
  );
}

function filterField(field: FilterField, current: string): Markup {
  const { name, label, choices, any } = field;
  const id = `filter-${name}`;
  const input = choices
    ? el(
        "select",
        { id, name },
        any === undefined ? null : el("option", { value: "" }, any),
        withCurrent(choices, current).map(({ value, text }) =>
          el("option", { value, selected: value === current ? "" : null }, text ?? value),
        ),
      )
    : textField(field, id, current);
  return el("div", {}, el("label", { for: id }, label), input);
}

function textField(
  { name, placeholder, suggestions = [] }: FilterField,
  id: string,
  current: string,
): Markup {
  const values = [...new Set(suggestions)].filter((value) => typeof value === "string" && value !== "");
  const list = values.length > 0 && `${id}-values`;
  return fragment(
    el("input", { id, name, value: current, placeholder, type: "text", list }),
    list &&
      el(
        "datalist",
        { id: list },
        values.map((value) => el("option", { value })),
      ),
  );
}

/** A field for the earliest or latest time. */
export const timeField = (name: string, label: string): FilterField => ({
  name,
  label,
  placeholder: "7d or 2026-03-01",
});

/** The choices, with the current one if it is not among them, so that a link shows what it filters by. */
function withCurrent(choices: readonly FilterChoice[], current: string): readonly FilterChoice[] {
  const isKnown = current === "" || choices.some(({ value }) => value === current);
  return isKnown ? choices : [...choices, { value: current }];
}
