/** The pages of a resource, its list and one item, from its definition in the contract. */
import type * as z from "zod";
import type { Page as ItemPage } from "../../contract/define.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import {
  type FieldColumn,
  type LinkKind,
  type ListFilters,
  listChoices,
  type Resource,
  readField,
} from "../../contract/resource.ts";
import type { TableColumn } from "../../render/columns.ts";
import { type Child, fragment } from "../../render/svg/element.ts";
import { toColumns, toDetails, toTitle } from "../../render/tables/columns.ts";
import { isBuildWord } from "../../shared/build-words.ts";
import { CELLS } from "../cells.ts";
import { toFlags, toTimeFlags } from "../command-line.ts";
import { detailList } from "../details.ts";
import { pager, section } from "../elements.ts";
import { type FilterField, filterForm, withoutAll } from "../filter-form.ts";
import { buildLink, gameLink, sessionLink, tagLink, testerLink } from "../links.ts";
import {
  choiceParam,
  definePage,
  PAGE_SIZE,
  type Page,
  type PageContext,
  pagedParams,
  readTime,
  sortParams,
  textParam,
  timeParam,
  toPageFlags,
} from "../page.ts";
import { readPlayScope, resolveBuild } from "../play-scope.ts";
import { chooseColumns, dataTable } from "../table.ts";

type Params = Readonly<Record<string, string | undefined>>;

/** What a page shows, for the parts that only one list has. */
interface ShownList<Data> {
  readonly data: Data;
  readonly game: string;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** What a page adds to its list. */
interface PageHooks<Data extends ItemPage<unknown>> {
  /** Between the filters and the table. */
  readonly before?: (shown: ShownList<Data>) => Child;
  /** The heading of the table, if `before` has sections with headings. */
  readonly heading?: string;
  /** The command that shows the same, if the definition has none. */
  readonly command?: readonly string[];
  /** Above the filters. */
  readonly note?: (shown: ShownList<Data>) => Child;
  /** The columns and the caption of the table, if not always those of the definition, and further links of its cells. */
  readonly table?: (shown: ShownList<Data>) => {
    readonly columns: readonly TableColumn<Data["items"][number]>[];
    readonly caption: string;
    readonly links: Readonly<Record<string, (row: Data["items"][number]) => string | null>>;
  } | null;
  /** The address that a row leads to (default: as the definition says). */
  readonly link?: (row: Data["items"][number], game: string) => string;
  /** Shown instead of the texts of the definition if there are no items. */
  readonly empty?: (shown: ShownList<Data>) => string;
}

type ListData<Row> = ItemPage<Row> & Readonly<Record<string, unknown>>;

const links: Readonly<Record<LinkKind, (game: string, value: string) => string | null>> = {
  session: sessionLink,
  build: buildLink,
  tester: testerLink,
  tag: tagLink,
};

export function createListPage<Row, Data extends ListData<Row> = ListData<Row>>(
  resource: Resource<Row>,
  hooks: PageHooks<Data> = {},
): Page {
  const { name, list, filters, page, command } = resource;
  if (!page) throw new TypeError(`The list ${name} has no page`);
  const words = hooks.command ?? command?.path.split(" ") ?? [];
  const columns = pageColumns(resource);
  return definePage({
    path: `/games/{game}/${name}`,
    query: { ...toParams(filters), ...(page.sorts && sortParams), ...(list.paged && pagedParams) },
    async show({ params: { game }, ...input }, { call, now }) {
      const { offset = 0, ...asked } = input.query as Params & { readonly offset?: number };
      const fallback = filters.env?.placeholder === DEFAULT_ENV ? DEFAULT_ENV : undefined;
      const query = await readBuild(game, fallback ? asked : { ...asked, env: withoutAll(asked.env) }, call);
      const filter = readFilters(filters, query, now);
      const { limit, flags } = toPart(resource, offset);
      const data = (await call(list, { game, ...filter, ...limit, body: undefined })) as Data;
      const { items, total } = readItems(resource, data);
      const shown = { data, game, query };
      const fields = toFields(filters, items);
      const isFiltered = Object.values(filter).some((value) => value !== undefined);
      const empty = hooks.empty?.(shown) ?? (isFiltered ? (page.emptyFiltered ?? page.empty) : page.empty);
      const special = hooks.table?.(shown);
      const table = fragment(
        dataTable(items, special?.columns ?? columns, {
          caption: special?.caption ?? page.caption,
          link: (row) => hooks.link?.(row, game) ?? linkRow(resource, game, row),
          links: { ...cellLinks(resource, game), ...special?.links },
          stacks: true,
          empty,
          ...(page.sorts && total === items.length ? { sortable: input } : {}),
        }),
        pager(input, { offset, count: items.length, total, limit: PAGE_SIZE }),
      );
      return {
        title: page.title,
        ...(fallback && { scope: { fallback } }),
        ...(page.live && { live: true }),
        body: fragment(
          hooks.note?.(shown),
          fields.length > 0 && filterForm(input, fields),
          hooks.before?.(shown),
          hooks.heading === undefined ? table : section(hooks.heading.toLowerCase(), hooks.heading, table),
        ),
        command: [...words, "--game", game, ...toFilterFlags(filters, query), ...flags],
        data,
      };
    },
  });
}

/** The filters with a version instead of `latest` and `previous`. */
async function readBuild(game: string, query: Params, call: PageContext["call"]): Promise<Params> {
  if (!isBuildWord(query.build)) return query;
  const build = await resolveBuild(query.build, await readPlayScope(game, query.env, call), call);
  return { ...query, build: build ?? query.build };
}

/** The part of a list that a page shows: all of a list without pages. */
const toPart = ({ list }: Pick<Resource, "list">, offset: number) =>
  list.paged ? { limit: { limit: PAGE_SIZE, offset }, flags: toPageFlags(offset) } : { limit: {}, flags: [] };

function readItems<Row>({ list, items: field = "items" }: Resource<Row>, data: ListData<Row>) {
  const items = data[field] as ListData<Row>["items"];
  return { items, total: list.paged ? data.total : items.length };
}

function toParams(filters: ListFilters): Record<string, z.ZodOptional<z.ZodType<string>>> {
  const shown = Object.entries(filters).filter(([, { label }]) => label !== undefined);
  return Object.fromEntries(
    shown.map(([name, { schema, isTime }]) => {
      const [first, ...choices] = listChoices(schema) ?? [];
      if (first !== undefined) return [name, choiceParam([first, ...choices])];
      return [name, isTime ? timeParam : textParam];
    }),
  );
}

const readFilters = (filters: ListFilters, query: Params, now: number) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      filters[name]?.isTime ? readTime(value, now) : value,
    ]),
  );

/** Filters that the header has. */
const IN_HEADER: ReadonlySet<string> = new Set(["build", "env"]);

function toFields(filters: ListFilters, items: readonly unknown[]): FilterField[] {
  return Object.entries(filters).flatMap(
    ([name, { schema, label, placeholder, suggests, any = "all", words = {} }]): FilterField[] => {
      if (label === undefined || IN_HEADER.has(name)) return [];
      const choices = listChoices(schema);
      const toChoice = (value: string) => ({ value, text: words[value] ?? value.replaceAll("-", " ") });
      if (choices) return [{ name, label, any, choices: choices.map(toChoice) }];
      const suggestions = suggests === undefined ? [] : items.flatMap((item) => readTexts(item, suggests));
      return [{ name, label, ...(placeholder && { placeholder }), suggestions }];
    },
  );
}

/** The text or texts at a dotted path. */
const readTexts = (item: unknown, path: string): string[] =>
  [readField(item, path)].flat().filter((text) => typeof text === "string");

/** The flags of the command that shows the same, times last. */
function toFilterFlags(filters: ListFilters, query: Params): string[] {
  const flags = {
    text: {} as Record<string, string | undefined>,
    time: {} as Record<string, string | undefined>,
  };
  for (const [name, { flag, isTime }] of Object.entries(filters)) {
    const long = flag?.[0].split(" ").find((word) => word.startsWith("--"));
    if (long !== undefined) flags[isTime ? "time" : "text"][long] = query[name];
  }
  return [...toFlags(flags.text), ...toTimeFlags(flags.time)];
}

/** The columns that the page of a list shows. */
export function pageColumns<R>(resource: Resource<R>): TableColumn<R>[] {
  const columns = toColumns(resource);
  return resource.page?.columns ? chooseColumns(columns, resource.page.columns) : columns;
}

function linkRow<R>({ name, id = "id", page }: Resource<R>, game: string, row: R): string | null {
  const [value] = readTexts(row, id);
  if (value === undefined || page?.opens === null) return null;
  return page?.opens ? links[page.opens](game, value) : gameLink(game, [name, value]);
}

/** The addresses that cells link to, by the key of their column. */
export function cellLinks<Row>({ columns }: Resource<Row>, game: string) {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([key, column]) => {
      const { link } = column;
      return link ? [[key, (row: Row) => linkCell(key, column, link, game, row)]] : [];
    }),
  );
}

function linkCell<Row>(
  key: string,
  { linked }: FieldColumn<Row>,
  link: LinkKind,
  game: string,
  row: Row,
): string | null {
  const value = linked ? linked(row) : readTexts(row, key)[0];
  return value == null ? null : links[link](game, value);
}

interface ItemHooks<Row> {
  /** The heading (default: the first of the details). */
  readonly title?: (item: Row) => string;
  /** Above the details. */
  readonly before?: (item: Row) => Child;
  /** Further links by the label of a detail. */
  readonly links?: (item: Row, game: string) => Readonly<Record<string, string>>;
}

export function createItemPage<Row>(resource: Resource<Row>, hooks: ItemHooks<Row> = {}): Page {
  const { name, get, page } = resource;
  if (!get || !page) throw new TypeError(`The list ${name} has no page for one item`);
  const { param } = get.command.argument;
  return definePage({
    path: `/games/{game}/${name}/{id}`,
    query: {},
    async show({ params: { game, id } }, { call }) {
      const data = await call(get.endpoint, { game, [param]: id, body: undefined });
      const item = (data as Readonly<Record<string, Row>>)[get.field] as Row;
      const [first, ...others] = toDetails(resource, get.details, item, CELLS);
      const details = hooks.title && first ? [[first[0], first[1]] as const, ...others] : others;
      const hrefs = Object.entries(cellLinks(resource, game)).map(([key, href]) => [
        toTitle(resource.columns[key]?.header ?? key),
        href(item),
      ]);
      return {
        title: hooks.title?.(item) ?? String(first?.[1] ?? id),
        trail: [[name, page.title]],
        body: fragment(
          hooks.before?.(item),
          detailList(details, { ...Object.fromEntries(hrefs), ...hooks.links?.(item, game) }),
        ),
        command: [...get.command.path.split(" "), id, "--game", game],
        data,
      };
    },
  });
}
