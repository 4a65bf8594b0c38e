/** Requests the data of a report. Parts that are not available are replaced by the reason. */
import { eventChanges } from "../charts/event-changes.ts";
import { buildDifferenceView } from "../charts/heatmap.ts";
import { describeOmitted, mergeNotes } from "../charts/heatmap-notes.ts";
import {
  MAX_SHOWN_ROWS,
  type ReportData,
  type ReportPart,
  type ReportQuotes,
  viewWorstRoom,
} from "../charts/report.ts";
import type { ScorecardView } from "../charts/scorecard.ts";
import { describeAuthor } from "../charts/suggestion-author.ts";
import { type AnnouncingClient, keepAnnounced } from "../client/client.ts";
import { addMissingRooms, announcesRooms, listRoomNames } from "../client/heatmap-rooms.ts";
import { readSuggestions } from "../client/suggestions.ts";
import type * as events from "../contract/events.ts";
import type * as feedback from "../contract/feedback.ts";
import { MAX_PAGE_SIZE } from "../contract/fields.ts";
import { AUTO_PLANE } from "../contract/heatmap-planes.ts";
import type * as heatmaps from "../contract/heatmaps.ts";
import { ALL_SOURCES, GRID, getHeatmap, MAX_REQUESTED_ROOMS } from "../contract/heatmaps.ts";
import type { RowEvidence } from "../contract/scorecard.ts";
import type * as sessions from "../contract/sessions.ts";
import type { FeedbackSubmission } from "../contract/sessions.ts";
import type * as suggestions from "../contract/suggestions.ts";
import type { GateVerdict } from "../gate/verdict.ts";
import { isWatched, type TitledRow } from "../scorecard/titled-rows.ts";

/** The endpoints of the parts. */
export type ReportEndpoints = Pick<typeof sessions, "getSession"> &
  Pick<typeof feedback, "listFeedback"> &
  Pick<typeof suggestions, "getBuildSuggestions"> &
  Pick<typeof heatmaps, "getHeatmap"> &
  Pick<typeof events, "getEvents">;

/** Where the parts of a report come from. */
export interface ReportSource {
  readonly client: AnnouncingClient<ReportEndpoints>;
  /** Requests a part. Throws errors that all other parts would also end with. */
  fetchPart<T>(what: string, request: () => Promise<T>): Promise<ReportPart<T>>;
  /** Sessions behind rows about friction, from a service that selects none. */
  readEvidence(rows: readonly TitledRow[]): Promise<readonly RowEvidence[]>;
}

/** Two builds that have been compared and judged. */
export interface JudgedBuilds {
  readonly game: ReportData["game"];
  readonly environment: string;
  readonly a: string;
  readonly b: string;
  readonly verdict: GateVerdict;
  readonly view: ScorecardView;
  /** Null if the service selects none. */
  readonly evidence: readonly RowEvidence[] | null;
}

/** Maximum number of sessions to read for quotes. */
const MAX_SESSIONS_READ = 6;
const MAX_QUOTES = 8;
/** Kinds of form fields that contain text written by players. */
const FREE_TEXT_KINDS = ["short-text", "long-text"];

/** Gathers the whole report. `generatedAt` is in unix ms, `consoleUrl` as in the data. */
export async function gatherReport(
  source: ReportSource,
  builds: JudgedBuilds,
  about: Pick<ReportData, "generatedAt" | "consoleUrl">,
): Promise<ReportData> {
  const { client, fetchPart } = source;
  const { game, environment, a, b, verdict, view } = builds;
  const shown = view.rows.filter((row) => needsEvidence(row, view.isTested)).slice(0, MAX_SHOWN_ROWS);
  const found = await fetchPart(
    "evidence",
    async () => builds.evidence ?? (await source.readEvidence(shown)),
  );
  const heatmaps = await fetchPart("heatmaps", () => fetchHeatmaps(client, builds));
  return {
    ...about,
    game: { name: game.name, slug: game.slug },
    ...{ environment, verdict, found },
    scorecard: view,
    quotes: await fetchPart("quotes", () => fetchQuotes(client, builds, found)),
    suggested: await fetchSuggestions(source, builds),
    heatmap: heatmaps.ok ? { ok: true, value: heatmaps.value.difference } : heatmaps,
    worstRoom: heatmaps.ok ? viewWorstRoom(view, heatmaps.value.after, `build ${b}`) : null,
    events: await fetchPart("events", async () => {
      const fetchCounts = (build: string) => client.getEvents({ game: game.slug, build, env: environment });
      return eventChanges(await fetchCounts(a), await fetchCounts(b));
    }),
  };
}

/** Whether to show sessions behind a row about friction. Rows that are not tested only have the changes that the service reports. */
const needsEvidence = (row: TitledRow, isTested: boolean): boolean =>
  row.family === "friction" &&
  (isTested ? row.status === "worse" || isWatched(row) : (row.difference ?? 0) > 0);

type ReportClient = ReportSource["client"];

async function fetchSuggestions(
  { client, fetchPart }: ReportSource,
  { game, environment, a, b }: JudgedBuilds,
): Promise<ReportData["suggested"]> {
  if (environment === "all") {
    const why = "Suggestions are for one environment, but this report combines all environments.";
    return { ok: false, why, hint: "Select one with --env." };
  }
  return await fetchPart("suggestions", async () => {
    const pair = { game: game.slug, a, b, env: environment };
    const answer = await readSuggestions(client, pair);
    return { suggestions: answer.suggestions, author: describeAuthor(answer) };
  });
}

/** The difference of both builds, and the heatmap of b with its deaths and quits, if the service marks them. */
async function fetchHeatmaps(client: ReportClient, { game, environment: env, a, b }: JudgedBuilds) {
  const selection = { event: undefined, source: ALL_SOURCES };
  const keep = <P extends object>(parameters: P) => keepAnnounced(client, getHeatmap, parameters);
  const drawn = {
    game: game.slug,
    env,
    ...(await keep({
      source: ALL_SOURCES as heatmaps.HeatmapSource,
      bounds: "robust" as const,
      plane: AUTO_PLANE,
    })),
  };
  const request = async (build: string, room: string) => await client.getHeatmap({ ...drawn, build, room });
  // Almost all games have fewer rooms, so no room of one build has to be requested for the other.
  const requestAll = async (build: string, marks?: heatmaps.MarkSelection) =>
    await client.getHeatmap({ ...drawn, build, ...(await keep({ maxRooms: MAX_REQUESTED_ROOMS, marks })) });
  const before = await requestAll(a);
  const after = await requestAll(b, "deaths,quits");
  const notes = mergeNotes(
    { build: a, notes: describeOmitted(before, selection) },
    { build: b, notes: describeOmitted(after, selection) },
  );
  const busiest = [before, after].map(({ rooms, ...rest }) => ({
    ...rest,
    rooms: rooms.slice(0, GRID.maxRooms),
  }));
  const names = listRoomNames(busiest);
  const hasRooms = await announcesRooms(client);
  const select = async (all: heatmaps.Heatmap, build: string) => {
    const one = hasRooms ? (room: string) => request(build, room) : null;
    const { heatmap, unknown } = await addMissingRooms(all, names, one);
    const rooms = heatmap.rooms.filter(({ room }) => names.has(room));
    return { build, heatmap: { ...heatmap, rooms }, unknown };
  };
  const about = env === "all" ? "" : `environment ${env}`;
  return {
    difference: buildDifferenceView(await select(before, a), await select(after, b), about, notes),
    after,
  };
}

/**
 * The text that players wrote into feedback forms: in the newest submissions of b, or where the service does not list these,
 * in the sessions of the evidence.
 */
async function fetchQuotes(
  client: ReportClient,
  { game, environment: env, b: build }: JudgedBuilds,
  found: ReportData["found"],
): Promise<ReportQuotes> {
  const isListed = await client.announces("listFeedback");
  const { items, hasMore } = isListed
    ? await client.listFeedback({ game: game.slug, build, env, limit: MAX_PAGE_SIZE })
    : { items: await readFeedback(client, found), hasMore: true };
  const quotes = new Map<string, { text: string; question: string; sessionIds: string[] }>();
  for (const { sessionId, responses } of items) {
    for (const { kind, label, value } of responses) {
      if (!FREE_TEXT_KINDS.includes(kind) || value.trim() === "") continue;
      const key = JSON.stringify([label, value]);
      const quote = quotes.get(key) ?? { text: value, question: label, sessionIds: [] };
      quotes.set(key, quote);
      if (!quote.sessionIds.includes(sessionId)) quote.sessionIds.push(sessionId);
    }
  }
  return {
    from: isListed ? (hasMore ? "newest" : "all") : "evidence",
    // Long answers are usually the most informative.
    quotes: [...quotes.values()].sort((x, y) => y.text.length - x.text.length).slice(0, MAX_QUOTES),
  };
}

/** The feedback in the first sessions of the evidence. */
async function readFeedback(client: ReportClient, found: ReportData["found"]) {
  const evidence = found.ok ? found.value.flatMap(({ sessions }) => sessions) : [];
  const ids = [...new Set(evidence.map(({ sessionId }) => sessionId))].slice(0, MAX_SESSIONS_READ);
  const items: { readonly sessionId: string; readonly responses: FeedbackSubmission["responses"] }[] = [];
  for (const id of ids) {
    const { feedback } = (await client.getSession({ id })).session;
    for (const { responses } of feedback ?? []) items.push({ sessionId: id, responses });
  }
  return items;
}
