/** The `list` and `get` commands of a resource, from its definition in the contract. */
import type * as z from "zod";
import { announces, callEndpoint, checkInput } from "../../client/client.ts";
import type { Endpoint, Page } from "../../contract/define.ts";
import {
  type CommandParameter,
  type ListFilter,
  type ListFilters,
  listChoices,
  type Resource,
} from "../../contract/resource.ts";
import type { TableColumn } from "../../render/columns.ts";
import { renderDetails } from "../../render/details.ts";
import type { RenderOptions } from "../../render/options.ts";
import { toColumns, toDetails } from "../../render/tables/columns.ts";
import { type Command, command, createTable, type Result } from "../command.ts";
import type { Context } from "../context.ts";
import { choice, type Flag, text, time } from "../flags.ts";
import { withWholeId } from "../short-ids.ts";
import {
  checkSelection,
  createListTable,
  type FetchPage,
  isMultiPage,
  type ListSelection,
  listFlags,
  listResult,
  readSince,
  sinceFlag,
} from "./lists.ts";

export type Query = Readonly<Record<string, unknown>>;

export interface ListRequest<Row> {
  readonly query: Query;
  /** Requests a page with these parameters besides the filters. */
  readonly read: (input: Query) => Promise<Page<Row>>;
  /** As the function `announces` of the client. */
  readonly announces: (name: string) => Promise<boolean>;
}

export interface ListForPeople<Row> {
  readonly columns: readonly TableColumn<Row>[];
  readonly fetchPage: FetchPage<Row>;
  /** What the table leaves out, for stderr; null for nothing. */
  readonly note: string | null;
}

/** What a command adds to its list. */
interface ListHooks<Row> {
  /** Selects what a table shows; null for the items of the service with all columns. */
  readonly forPeople?: (request: ListRequest<Row>) => Promise<ListForPeople<Row> | null>;
  /** Completes the result. `first` is the first page that was read; undefined before any was. `query` has the filters. */
  readonly complete?: (result: Result, first: Page<Row> | undefined, query: Query) => Result;
  /** Explains an error of a request. Returns any other error unchanged. */
  readonly explain?: (error: unknown, query: Query, context: Context) => Promise<unknown>;
}

export function createListCommand<Row>(resource: Resource<Row>, hooks: ListHooks<Row> = {}): Command {
  const { list, filters, name, command: definition } = resource;
  if (!definition) throw new TypeError(`The list ${name} has no command`);
  const { empty, note, argument, ...texts } = definition;
  return command({
    ...texts,
    args: argument ? [{ name: argument.name, describe: argument.help }] : [],
    flags: { ...toFlags(filters), ...(list.paged ? listFlags : {}) },
    async run(context, { args, flags }) {
      const { limit, offset, all = false, from, since, ...filter } = flags as ListFlagValues;
      const selection = { limit, offset, all };
      const isMulti = list.paged && isMultiPage(selection);
      // Without a game and without a service, a list without pages names the service first.
      const early = list.paged ? null : await context.clientOptions({ keepAlive: false });
      const query = {
        ...filter,
        ...(from === undefined && since === undefined ? {} : { from: readSince(from, since) }),
        ...(await readGame(context, list, argument, args[0])),
      };
      const options = early ?? (await context.clientOptions({ keepAlive: isMulti }));
      const call = (input: Query) =>
        withArgument(context, argument, args[0], (param) =>
          callEndpoint(list, { ...query, ...param, ...input }, options),
        );
      if (!list.paged) return await showWholeList(context, resource, await call({}));
      let first: Page<Row> | undefined;
      const fetchPage = async (input: Query) => {
        const page = await call(input).catch(async (error: unknown) => {
          throw hooks.explain ? await hooks.explain(error, query, context) : error;
        });
        first ??= page as Page<Row>;
        return page as Page<Row>;
      };
      const request = { query, read: fetchPage, announces: (name: string) => announces(options, name) };
      checkSelection(selection);
      if (hooks.forPeople) checkInput(list, query);
      const shown = showsTable(context) ? await hooks.forPeople?.(request) : null;
      const { columns, note } = shown ?? { columns: toColumns(resource), note: null };
      const result = await listResult(context, selection, shown?.fetchPage ?? fetchPage, { columns, empty });
      if (note !== null) await context.notify(note);
      return hooks.complete?.(result, first, query) ?? result;
    },
  });
}

/** Whether the output is a table for people, and not what programs select from it. */
function showsTable({ settings }: Context): boolean {
  const { jq, fields } = settings.flags;
  return settings.format.value === "table" && jq === undefined && fields === undefined;
}

type ListFlagValues = Query & Partial<ListSelection> & { readonly from?: number; readonly since?: number };

/** Creates the command that shows one item of a resource, by default its details. */
export function createGetCommand<Row>(
  resource: Resource<Row>,
  render?: (item: Row, options: RenderOptions) => string,
): Command {
  const { get, name } = resource;
  if (!get) throw new TypeError(`The list ${name} has no command for one item`);
  const { argument, ...texts } = get.command;
  return command({
    ...texts,
    args: [{ name: argument.name, describe: argument.help }],
    async run(context, { args }) {
      const options = await context.clientOptions({});
      const game = await readGame(context, get.endpoint);
      const data = await withArgument(context, argument, args[0], (param) =>
        callEndpoint(get.endpoint, { ...game, ...param }, options),
      );
      const item = (data as Readonly<Record<string, Row>>)[get.field] as Row;
      return {
        data,
        items: [item],
        table: createTable([item], toColumns(resource), ""),
        view: (options) =>
          render?.(item, options) ?? renderDetails(toDetails(resource, get.details, item, options), options),
      };
    },
  });
}

export function createResourceCommands<Row>(resource: Resource<Row>): Command[] {
  return [createListCommand(resource), ...(resource.get ? [createGetCommand(resource)] : [])];
}

/** The result of a list without pages. */
async function showWholeList<Row>(context: Context, resource: Resource<Row>, data: unknown): Promise<Result> {
  const items = (data as Readonly<Record<string, readonly Row[]>>)[resource.items ?? "items"] ?? [];
  const { empty = "", note } = resource.command ?? {};
  const text = context.settings.format.value === "table" ? note?.(items) : null;
  if (text != null) await context.notify(text);
  return { data, table: await createListTable(context, items, toColumns(resource), empty) };
}

/** The parameter that selects the game, if the endpoint has one. Throws `usage` if it is required and none is set. */
async function readGame(
  context: Context,
  { params, query, names }: Endpoint,
  argument?: CommandParameter,
  value?: string,
): Promise<Query> {
  const name = Object.keys(params.shape).find((param) => names[param] === "game");
  if (name !== undefined)
    return { [name]: (argument?.param === name ? value : undefined) ?? (await context.requireGame()) };
  return "game" in query.shape ? { game: (await context.findGame())?.value } : {};
}

/** Runs a request with the argument of the command. The beginning of an id is enough. */
function withArgument<T>(
  context: Context,
  argument: CommandParameter | undefined,
  value: string | undefined,
  request: (param: Query) => Promise<T>,
): Promise<T> {
  if (!argument || value === undefined) return request({});
  const { param, idKind } = argument;
  const send = (id: string) => request({ [param]: id });
  return idKind ? withWholeId(context, idKind, value, send) : send(value);
}

/** The flags of filters that have one. Each flag has the type of its parameter. */
type FilterFlags<F extends ListFilters> = {
  readonly [Name in keyof F as F[Name] extends { readonly flag: unknown } ? Name : never]: Flag<
    z.output<F[Name]["schema"]>
  >;
};

export function toFlags<F extends ListFilters>(filters: F): FilterFlags<F> {
  const flags: Record<string, Flag<unknown>> = {};
  for (const [name, filter] of Object.entries(filters))
    if (filter.flag) flags[name] = toFlag(filter.flag, filter);
  const since = Object.values(filters).find((filter) => filter.since)?.flag;
  return (since ? { ...flags, since: sinceFlag(since[1]) } : flags) as FilterFlags<F>;
}

function toFlag([flags, help]: readonly [string, string], { schema, isTime }: ListFilter): Flag<unknown> {
  if (isTime) return time(flags, help);
  const values = listChoices(schema);
  return values ? choice(flags, `${help}: ${values.join(", ")}`, values) : text(flags, help);
}
