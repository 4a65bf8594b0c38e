/**
 * Defines lists. A resource describes a list once: the fields of its items, how they are shown, and by what the list can be
 * filtered. The query of its endpoint, flags, tables, datasets and console pages are derived from it. The service adds the
 * SQL (src/server/db/list-queries.ts).
 */
import * as z from "zod";
import type { Endpoint } from "./define.ts";
import * as queries from "./filters.ts";
import type { ShortIdKind } from "./id-kinds.ts";

/** The value of a cell; null if it is unknown. */
export type CellValue = string | number | null;

/** The meaning of a value, which color shows too. */
export type Tone = "good" | "bad" | "muted" | "strong";

/** The page of the console that a value links to. */
export type LinkKind = "session" | "build" | "tester" | "tag";

/** Any row, as code sees it that handles all lists. */
export type Row = Readonly<Record<string, unknown>>;

/** A function of a row. Its type is bivariant, so that a list of any rows is a list of `Row`. */
type OfRow<R, T> = { bivarianceHack(row: R): T }["bivarianceHack"];

/** How a field is shown in tables, in details and on pages. */
export interface FieldColumn<R> {
  readonly header: string;
  /** The value of the cell (default: the field with the name of the column, which can be a dotted path). */
  readonly value?: OfRow<R, CellValue | undefined>;
  /** How the value reads: unix ms, seconds, an id that tables shorten, a build, or a number with decimals (default: as it is). */
  readonly kind?: "time" | "duration" | "milliseconds" | "id" | "build" | "hundredths";
  /** How tables show the value, if not like its kind. */
  readonly format?: OfRow<R, string>;
  readonly tone?: Tone | OfRow<R, Tone | null>;
  /** Shown in tables only with `--wide`, or never, only in details. */
  readonly wide?: true | "details";
  /** Priority for truncating the column in a narrow terminal, highest first (default: never truncated). */
  readonly shrink?: number;
  /** The width below which the column is not truncated (default: 8, or the width of the header). */
  readonly minWidth?: number;
  /** Left out if the terminal is too narrow for all columns, the last of these columns first. */
  readonly yields?: true;
  /** Shown after the other columns, because its texts are long. */
  readonly last?: true;
  /** What the row belongs to: a list leaves the column out if all rows have the same value. */
  readonly groups?: true;
  readonly link?: LinkKind;
  /** What the link leads to (default: the value of the cell). */
  readonly linked?: OfRow<R, string | null | undefined>;
}

/** One filter of a list: its parameter, its flag, and its field on the console page. */
export interface ListFilter<S extends z.ZodType = z.ZodType> {
  /** Optional; its description documents the parameter. An enum becomes a flag and a field with choices. */
  readonly schema: S;
  /** The flag in commander's syntax and its help; absent if the command does not offer it. */
  readonly flag?: readonly [flags: string, help: string];
  /** For `from`: whether commands also offer the shorter `--since`. */
  readonly since?: true;
  /** Whether values are times in unix ms, which flags and pages also accept as ages and dates. */
  readonly isTime?: true;
  /** The label of its field on the page; absent if the page does not offer it. */
  readonly label?: string;
  readonly placeholder?: string;
  /** The text of the choice that does not filter (default: all), and of the others (default: their values). */
  readonly any?: string;
  readonly words?: Readonly<Record<string, string>>;
  /** The field of the items, as a dotted path, whose values the page suggests. */
  readonly suggests?: string;
}

export type ListFilters = Readonly<Record<string, ListFilter>>;

/** The column of a dataset: the name of a field, whose description and type it has, or more than that. */
export interface DatasetColumn<R, Part> {
  readonly name: string;
  /** The value (default: the field with this name). */
  value?(row: R, part: Part): unknown;
  readonly type?: "string" | "int64" | "double" | "timestamp" | "json";
  readonly describe?: string;
  readonly unit?: string;
}

/** The dataset of a list, which `playtest export` writes. */
export interface ListDataset<R, Part = Row> {
  /** Such as `One row per session`. */
  readonly summary: string;
  /** What it contains, in the help of the command. */
  readonly help: string;
  /** The field whose hour, day or week decides to which file a row belongs; absent for lists without time. */
  readonly time?: string;
  /** What is counted, such as `session`. */
  readonly itemName?: string;
  /** Whether it can be exported for each environment separately (default: if the list has the filter). */
  readonly hasEnvironments?: boolean;
  /** The value of `env` for all environments, if the list covers fewer by default. */
  readonly allEnvironments?: "all";
  /** A field that is a list: each of its parts becomes a row. */
  readonly rows?: string;
  /** In the order of all formats. `game` is the slug of the game. New columns are only added at the end. */
  readonly columns: ReadonlyArray<string | DatasetColumn<R, Part>>;
}

export interface ListPage {
  readonly title: string;
  /** The columns, the linked one first (default: those of the table). */
  readonly columns?: readonly string[];
  readonly caption: string;
  /** Shown without items: if nothing is filtered, and otherwise. */
  readonly empty: string;
  readonly emptyFiltered?: string;
  /** The kind of page that a row leads to, by its id (default: a page below this one); null for none. */
  readonly opens?: LinkKind | null;
  readonly live?: true;
  /** Whether the table can be sorted while it shows all items. */
  readonly sorts?: true;
}

export interface ListCommand<R = Row> {
  /** Such as `sessions list`. */
  readonly path: string;
  readonly summary: string;
  readonly details?: string;
  readonly examples: readonly string[];
  /** Printed on stderr without items. */
  readonly empty: string;
  /** A note about the items, printed on stderr before tables; null for none. */
  readonly note?: OfRow<readonly R[], string | null>;
  /** A path parameter that becomes an argument. An optional one is the game. */
  readonly argument?: CommandParameter;
}

export interface CommandParameter {
  /** In the syntax of help, such as `<batch>`. */
  readonly name: string;
  readonly help: string;
  /** The name of the path parameter. */
  readonly param: string;
  /** The kind of its ids, whose beginning is enough. */
  readonly idKind?: ShortIdKind;
}

/** One item of a list in full: its command and its page. */
export interface ResourceItem {
  readonly endpoint: Endpoint;
  /** The field of the response that contains the item. */
  readonly field: string;
  readonly command: Omit<ListCommand, "empty" | "note"> & { readonly argument: CommandParameter };
  /** The columns in the order of the details, the title first. */
  readonly details: readonly string[];
}

/** A list, as the command line, the exports and the console see it. */
export interface Resource<R = Row> {
  /** The command group, the path of the page and the name of the dataset. */
  readonly name: string;
  readonly item: z.ZodType<R>;
  /** The field with the id of an item (default: `id`). */
  readonly id?: string;
  readonly list: Endpoint;
  /** The field of the response that contains the items (default: `items`). */
  readonly items?: string;
  readonly filters: ListFilters;
  /** In the order of tables, by the name of the field or a dotted path. */
  readonly columns: Readonly<Record<string, FieldColumn<R>>>;
  readonly command?: ListCommand<R>;
  readonly dataset?: ListDataset<R>;
  readonly page?: ListPage;
  readonly get?: ResourceItem;
}

/** Defines a list. Its functions receive the type of its items. */
export function defineResource<R>(definition: Resource<R>): Resource<R> {
  return definition;
}

type FilterShape<F extends ListFilters> = { [Name in keyof F]: F[Name]["schema"] };

/** The parameters of filters without pages. */
export function filterShape<F extends ListFilters>(filters: F): FilterShape<F> {
  const shape = Object.entries(filters).map(([name, { schema }]) => [name, schema]);
  return Object.fromEntries(shape) as FilterShape<F>;
}

/** The query of a paged list. `from` must not be after `to`. */
export function listQuery<F extends ListFilters>(filters: F) {
  return queries.requireOrderedRange(z.object({ ...filterShape(filters), ...queries.pageQuery }));
}

/** The filter by game of lists that cover all games by default. Commands and pages have the game from elsewhere. */
export const gameFilter = {
  schema: queries.gameFilter.optional().describe("Game ID or slug (default: all games)"),
} as const;

/** The filter by build, as most lists have it. */
export const buildFilter = {
  schema: queries.buildFilter.optional(),
  flag: ["--build <version>", "build version, `latest` or `previous`"],
  ...{ label: "Build", placeholder: "all", suggests: "build" },
} as const;

/** The filter by environment of lists that cover all of them by default. */
export const envFilter = {
  schema: queries.envFilter.optional(),
  flag: ["--env <slug>", "environment (default: all environments combined)"],
  ...{ label: "Environment", placeholder: "all" },
} as const;

/** The filter by environment of lists that cover production by default. */
export const productionEnvFilter = {
  schema: queries.envFilter.optional().describe("Environment, or `all` (default: production)"),
  flag: ["--env <slug>", "environment, or all (default: production)"],
  ...{ label: "Environment", placeholder: "production" },
} as const;

/** The bounds of a time, both inclusive. `what` completes `at or after`, such as `sessions recorded`. */
export function rangeFilters(what: string, { describe, ...options }: RangeOptions = {}) {
  const { from, to } = queries.rangeQuery;
  const time = { isTime: true, placeholder: "7d or 2026-03-01" } as const;
  const document = (schema: typeof from, bound: string) =>
    describe ? schema.describe(`Only ${describe} ${bound} this time, unix ms`) : schema;
  return {
    from: {
      ...{ ...time, ...options, schema: document(from, "at or after"), label: "From" },
      flag: ["--from <time>", `${what} at or after`],
    },
    to: {
      ...{ ...time, schema: document(to, "at or before"), label: "To" },
      flag: ["--to <time>", `${what} at or before`],
    },
  } as const;
}

interface RangeOptions {
  /** What the parameters limit, such as `sessions recorded`, if the description of every range says too little. */
  readonly describe?: string;
  readonly since?: true;
}

/** The values of an optional enum; null for other schemas. */
export function listChoices(schema: z.ZodType): string[] | null {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return inner instanceof z.ZodEnum ? inner.options.map(String) : null;
}

/** The value of a field by its name or dotted path, such as `metadata.platform`; undefined without one. */
export function readField(row: unknown, path: string): unknown {
  let value = row;
  for (const name of path.split(".")) value = (value as Row | null | undefined)?.[name];
  return value;
}
