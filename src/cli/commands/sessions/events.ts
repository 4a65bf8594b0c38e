/** sessions events: the events of one session, or those around one of its insights. */
import type { PathStyle } from "../../../charts/session-path.ts";
import type { Client } from "../../../client/client.ts";
import { AUTO_PLANE } from "../../../contract/heatmap-planes.ts";
import * as heatmaps from "../../../contract/heatmaps.ts";
import { ALL_SOURCES, MAX_REQUESTED_ROOMS } from "../../../contract/heatmaps.ts";
import * as sessionEvents from "../../../contract/session-events.ts";
import {
  DEFAULT_EVENT_PAGE_SIZE,
  MAX_EVENT_PAGE_SIZE,
  type SessionEventItem,
  type SessionEventPage,
} from "../../../contract/session-events.ts";
import * as sessions from "../../../contract/sessions.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderTable } from "../../../render/table.ts";
import {
  collapsePositions,
  eventColumns as columns,
  describePruned,
} from "../../../render/tables/session-events.ts";
import { command, createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { integer, text, time, toggle } from "../../flags.ts";
import { resolveId } from "../../short-ids.ts";
import { checkSelection, enforceMemoryLimit, streamsRows } from "../lists.ts";

export const listSessionEventsCommand = command({
  path: "sessions events",
  summary: "List the events of a session",
  details:
    "Times are minutes and seconds since the first event of the session. Events are listed in the order in which " +
    "they arrived. With --around, they are sorted by time, and a * marks the events that the insight refers to: the " +
    "list begins 30 seconds before the first of them and ends 5 seconds after the last one. In " +
    "tables, consecutive positions are shown as one row.\n\nInsight ids are listed by `playtest sessions get <session> --json`. " +
    "Ratings and quotes refer to no events. A player's bug report is shown by the time at which it was sent.",
  args: [{ name: "<session>", describe: "session id, or its beginning" }],
  flags: {
    around: text("--around <insight>", "only the events around this insight (insight id)"),
    event: text("--event <name>", "exact name of the events (default: all)"),
    player: text("--player <name>", "only events of this player of the device (`data.player`)"),
    from: time("--from <time>", "events at or after, by the clock of the device"),
    to: time("--to <time>", "events at or before, by the clock of the device"),
    limit: integer(
      "--limit <n>",
      `maximum number of events (default: ${DEFAULT_EVENT_PAGE_SIZE}; with --around, all)`,
      1,
    ),
    all: toggle("--all", "return all events, page by page"),
    map: toggle("--map", "draw the path of the player through each room, with deaths"),
  },
  examples: [
    "sessions events sess_0123 --around ins_0456",
    "sessions events sess_0123 --event player_death --all --format csv",
    "sessions events sess_0123 --map",
  ],
  async run(context, { args, flags: { limit, all, map, ...filter } }) {
    if (map && (limit !== undefined || filter.event !== undefined))
      throw fail("usage", {
        message: `--map cannot be used with ${limit === undefined ? "--event" : "--limit"}`,
        hint: "It draws all positions of the session. Use --from and --to, or --around, for a part of it.",
      });
    checkSelection({ all, limit });
    const client = await context.client(sessionEvents, { keepAlive: true });
    const sorts = filter.around !== undefined;
    const max = limit ?? (all || map || sorts ? Number.POSITIVE_INFINITY : DEFAULT_EVENT_PAGE_SIZE);
    const id = await resolveId(context, "sess", args[0] ?? "");
    const around = filter.around && (await resolveId(context, "ins", filter.around));
    const pages = readEventPages(context, client, { ...filter, id, around }, max);
    const empty = "No events match.";
    if (all && !sorts && streamsRows(context))
      return { data: [], table: createTable([], columns, empty), pages: listItems(context, pages) };
    const draw = map ? drawPath(id, await readPathStyle(context, id)) : eventsView;
    const result = await gather(context, pages, { sorts, empty, draw });
    if (filter.event !== undefined && result.items?.length === 0)
      await requireEventName(await context.client(sessions), id, filter.event);
    return result;
  },
});

/** Renders events as text that ends in a line feed. */
type Draw = (items: readonly SessionEventItem[], options: RenderOptions) => string | Promise<string>;

/** The heatmap of the session's game, whose names of deaths and planes the path has; undefined if the service announces none. */
async function readPathStyle(context: Context, id: string): Promise<PathStyle | undefined> {
  const client = await context.client({ ...sessions, ...heatmaps });
  if (!(await client.announces("getHeatmap?plane"))) return undefined;
  const { session } = await client.getSession({ id });
  const drawing = { source: ALL_SOURCES, plane: AUTO_PLANE, maxRooms: MAX_REQUESTED_ROOMS } as const;
  return await client.getHeatmap({ game: session.gameId, marks: "deaths", ...drawing });
}

const drawPath =
  (session: string, style: PathStyle | undefined): Draw =>
  async (items, options) => {
    const { viewSessionPath } = await import("../../../charts/session-path.ts");
    const view = viewSessionPath(session, items, style);
    if (view.rooms.length === 0) return "None of these events is a position.\n";
    return (await import("../../../render/heatmap/heatmap.ts")).renderHeatmap(view, options);
  };

/** Throws `not_found` if the session has no event with the name. Not every service counts the events of a session. */
async function requireEventName(client: Client<typeof sessions>, id: string, event: string): Promise<void> {
  const { session } = await client.getSession({ id });
  const counts = session.event_counts;
  if (!counts || Object.hasOwn(counts, event)) return;
  const { suggestSimilar } = await import("../../../shared/similar-names.ts");
  throw fail("not_found", {
    message: `Not found: event ${JSON.stringify(event)} in session ${JSON.stringify(id)}`,
    hint: suggestSimilar(event, Object.keys(counts), "event names") ?? "The session has no events.",
  });
}

type Query = Parameters<Client<typeof sessionEvents>["listSessionEvents"]>[0];

/** Yields pages until `max` events are read or the session has no more. */
async function* readEventPages(
  context: Context,
  client: Client<typeof sessionEvents>,
  query: Query,
  max: number,
): AsyncGenerator<SessionEventPage> {
  const pacer = context.pacer();
  let received = 0;
  for (let cursor = query.cursor; ; ) {
    await pacer.before();
    const limit = Math.min(max - received, MAX_EVENT_PAGE_SIZE);
    const page = await client.listSessionEvents({ ...query, limit, ...(cursor ? { cursor } : {}) });
    received += page.items.length;
    if (page.pruned) await context.notify(describePruned(page.pruned, context.render.tz));
    yield page;
    if (!page.next || received >= max) return;
    // A service that repeats a cursor would be read forever.
    if (page.next === cursor)
      throw fail("contract", { message: `The service repeats the cursor ${JSON.stringify(cursor)}` });
    cursor = page.next;
    await context.progress(`${received} events`);
  }
}

async function* listItems(
  context: Context,
  pages: AsyncIterable<SessionEventPage>,
): AsyncGenerator<readonly SessionEventItem[]> {
  let unreadable = 0;
  for await (const page of pages) {
    unreadable += page.unreadable ?? 0;
    yield page.items;
  }
  await notifyUnreadable(context, unreadable);
}

async function notifyUnreadable(context: Context, count: number): Promise<void> {
  if (count === 0) return;
  const events = count === 1 ? "1 event" : `${count} events`;
  const its = count === 1 ? "its" : "their";
  await context.notify(`${events} could not be read, because ${its} stored data is damaged.`);
}

async function gather(
  context: Context,
  pages: AsyncIterable<SessionEventPage>,
  { sorts, empty, draw }: { readonly sorts: boolean; readonly empty: string; readonly draw: Draw },
): Promise<Result> {
  const items: SessionEventItem[] = [];
  let next: string | null = null;
  let unreadable = 0;
  let pruned: SessionEventPage["pruned"] = null;
  for await (const page of enforceMemoryLimit(context, pages)) {
    for (const item of page.items) items.push(item);
    next = page.next ?? null;
    unreadable += page.unreadable ?? 0;
    pruned = page.pruned ?? null;
  }
  if (sorts) items.sort((a, b) => a.timestamp - b.timestamp);
  if (next !== null && context.settings.format.value === "table")
    await context.notify(`Showing ${items.length} events. Use --limit or --all to show more.`);
  await notifyUnreadable(context, unreadable);
  return {
    data: { items, next, unreadable, pruned },
    items,
    table: createTable(items, columns, pruned ? "" : empty),
    view: async (options) => (items.length === 0 ? "" : await draw(items, options)),
  };
}

function eventsView(items: readonly SessionEventItem[], options: RenderOptions): string {
  const used = columns.filter(({ key }) => key !== "cited" || items.some(({ cited }) => cited));
  // In a pipe, each event is one line, so that programs can count and search them.
  return renderTable(options.tty ? collapsePositions(items) : items, used, options);
}
