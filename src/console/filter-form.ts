/** Forms that choose what a page shows. */
import { listOtherEnvironments } from "../client/other-environments.ts";
import type { ListedBuild } from "../contract/build-list.ts";
import { isKnownBuild } from "../contract/build-order.ts";
import type { Input } from "../contract/define.ts";
import { DEFAULT_ENV } from "../contract/fields.ts";
import { buildFilter, envFilter } from "../contract/filters.ts";
import { listSessions } from "../contract/sessions.ts";
import { el, fragment, type Markup } from "../render/svg/element.ts";
import { linkWith } from "./links.ts";
import type { PageContext, PageInput } from "./page.ts";

interface FilterChoice {
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

interface FilterFormOptions {
  /** Distinguishes it from other forms of the page. */
  readonly label?: string;
  /** Whether a link removes the choices (default: yes). */
  readonly resets?: boolean;
  readonly button?: string;
}

/** A form that changes the parameters of the page. */
export function filterForm(
  { path, search }: Pick<PageInput, "path" | "search">,
  fields: readonly FilterField[],
  { label = "Filters", resets = true, button = "Show" }: FilterFormOptions = {},
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
    el("button", { type: "submit" }, button),
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
  return el("div", el("label", { for: id }, label), input);
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

/** The choices, with the current one if it is not among them, so that a link shows what it filters by. */
function withCurrent(choices: readonly FilterChoice[], current: string): readonly FilterChoice[] {
  const isKnown = current === "" || choices.some(({ value }) => value === current);
  return isKnown ? choices : [...choices, { value: current }];
}

/** How many builds can be chosen from: those played last. */
export const MAX_BUILD_CHOICES = 50;

/** The builds as choices. Sessions without a build are none. */
export const buildChoices = (builds: readonly Pick<ListedBuild, "version">[]): FilterChoice[] =>
  builds.filter(isKnownBuild).map(({ version }) => ({ value: version }));

/** Whether the API accepts a version. It refuses some, which no real service lists. */
export const isAcceptedBuild = (version: string): boolean => buildFilter.safeParse(version).success;

/** The environments of the builds, in alphabetical order. */
export const listEnvironments = (builds: readonly Pick<ListedBuild, "environments">[]): string[] =>
  [...new Set(builds.flatMap(({ environments }) => environments))].sort();

/** The environment that an address names, on a page that shows all of them by default. */
export const withoutAll = (env: string | undefined) => (env === "all" ? undefined : env);

/** The environment as a filter of lists, whose default is all environments. */
export const toListEnv = (env: string | undefined = DEFAULT_ENV): string | undefined =>
  env === "all" ? undefined : env;

/**
 * The environment of answers about players: production, or the only other one of a game that was never played in production.
 * `played` are environments that are known already.
 */
export async function findDefaultEnvironment(
  game: string,
  played: readonly string[],
  call: PageContext["call"],
): Promise<string> {
  if (played.includes(DEFAULT_ENV)) return DEFAULT_ENV;
  const client = { listSessions: (input: Input<typeof listSessions>) => call(listSessions, input) };
  const [other, ...more] = await listOtherEnvironments(client, game);
  // The API refuses some names, which no real service lists.
  return more.length === 0 && envFilter.safeParse(other).success ? (other ?? DEFAULT_ENV) : DEFAULT_ENV;
}

/** The environment to ask for: the chosen one, or the default; undefined for production, which is the default of the API. */
export const toPlayEnv = (env: string | undefined, fallback: string): string | undefined =>
  env ?? (fallback === DEFAULT_ENV ? undefined : fallback);

/** The field of the environment. `fallback` is the one if none is chosen; undefined for all together. */
export const environmentField = (played: readonly string[], fallback: string | undefined): FilterField => ({
  name: "env",
  label: "Environment",
  choices: [
    ...played.filter((value) => value !== fallback).map((value) => ({ value })),
    ...(fallback === undefined ? [] : [{ value: "all", text: "all environments" }]),
  ],
  any: fallback ?? "all environments",
});
