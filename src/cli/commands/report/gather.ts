/** Requests the data of a report. Parts that are not available are replaced by the reason. */

import { eventChanges } from "../../../charts/event-changes.ts";
import { buildDifferenceView } from "../../../charts/heatmap.ts";
import { describeOmitted, mergeNotes } from "../../../charts/heatmap-notes.ts";
import {
  MAX_SHOWN_ROWS,
  type ReportData,
  type ReportPart,
  type ReportQuotes,
  viewWorstRoom,
} from "../../../charts/report.ts";
import { describeAuthor } from "../../../charts/suggestion-author.ts";
import type { AnnouncingClient } from "../../../client/client.ts";
import { addMissingRooms, listRoomNames } from "../../../client/heatmap-rooms.ts";
import { CONSOLE } from "../../../contract/announcement.ts";
import type * as events from "../../../contract/events.ts";
import type * as feedback from "../../../contract/feedback.ts";
import { MAX_PAGE_SIZE } from "../../../contract/fields.ts";
import type * as heatmaps from "../../../contract/heatmaps.ts";
import { ALL_SOURCES, GRID, MAX_REQUESTED_ROOMS } from "../../../contract/heatmaps.ts";
import type * as sessions from "../../../contract/sessions.ts";
import type { FeedbackSubmission } from "../../../contract/sessions.ts";
import type * as suggestions from "../../../contract/suggestions.ts";
import { RULES_FALLBACK } from "../../../contract/suggestions.ts";
import type { GateRules } from "../../../gate/config.ts";
import { judge } from "../../../gate/judge.ts";
import { isWatched, type TitledRow } from "../../../scorecard/titled-rows.ts";
import type { Context } from "../../context.ts";
import { findPublicUrl } from "../../public-url.ts";
import { translateError } from "../../translate-error.ts";
import { fetchComparison, type GateEndpoints, type GateQuery, toGateInput } from "../gate/comparison.ts";
import { readNewestEvidence } from "../gate/evidence.ts";
import { requireGateEnvironment } from "../gate/gate-query.ts";

type ReportClient = AnnouncingClient<
  GateEndpoints &
    Pick<typeof sessions, "getSession"> &
    Pick<typeof feedback, "listFeedback"> &
    Pick<typeof suggestions, "getBuildSuggestions"> &
    Pick<typeof heatmaps, "getHeatmap"> &
    Pick<typeof events, "getEvents">
>;

/** Maximum number of sessions to read for quotes. */
const MAX_SESSIONS_READ = 6;
const MAX_QUOTES = 8;
/** Kinds of form fields that contain text written by players. */
const FREE_TEXT_KINDS = ["short-text", "long-text"];

interface ReportContext {
  readonly context: Context;
  readonly client: ReportClient;
  readonly query: GateQuery & { readonly a: string };
}

/** Gathers the whole report. Throws if the comparison of the builds is not available. */
export async function gatherReport(
  context: Context,
  client: ReportClient,
  query: ReportContext["query"],
  config: GateRules,
): Promise<ReportData> {
  const reportContext: ReportContext = { context, client, query };
  await context.progress("Comparing the builds");
  const comparison = await fetchComparison(client, query, config);
  await requireGateEnvironment(context, config.env, comparison.b);
  const { slug, gameName, environment } = comparison;
  const { view, evidence, ...input } = await toGateInput(comparison, config, context.io.now());
  const shown = view.rows.filter((row) => needsEvidence(row, view.isTested)).slice(0, MAX_SHOWN_ROWS);
  const found = await fetchPart(
    reportContext,
    "evidence",
    async () => evidence ?? (await readNewestEvidence(context, client, query, shown)),
  );
  const heatmaps = await fetchPart(reportContext, "heatmaps", () =>
    fetchHeatmaps(reportContext, environment),
  );
  return {
    game: { name: gameName, slug },
    environment,
    consoleUrl: await findConsole(reportContext),
    generatedAt: context.io.now(),
    verdict: judge(input),
    scorecard: view,
    found,
    quotes: await fetchPart(reportContext, "quotes", () => fetchQuotes(reportContext, environment, found)),
    suggested: await fetchSuggestions(reportContext, environment),
    heatmap: heatmaps.ok ? { ok: true, value: heatmaps.value.difference } : heatmaps,
    worstRoom: heatmaps.ok ? viewWorstRoom(view, heatmaps.value.after, `build ${query.b}`) : null,
    events: await fetchPart(reportContext, "events", async () => {
      const { game, a: buildA, b: buildB } = query;
      const fetchCounts = (build: string) => client.getEvents({ game, build, env: environment });
      return eventChanges(await fetchCounts(buildA), await fetchCounts(buildB));
    }),
  };
}

/** Whether to show sessions behind a row about friction. Rows that are not tested only have the changes that the service reports. */
const needsEvidence = (row: TitledRow, isTested: boolean): boolean =>
  row.family === "friction" &&
  (isTested ? row.status === "worse" || isWatched(row) : (row.difference ?? 0) > 0);

/** Returns the result of a request, or why it failed. Throws on interruption and on errors of the key. */
async function fetchPart<T>(
  { context }: ReportContext,
  what: string,
  request: () => Promise<T>,
): Promise<ReportPart<T>> {
  await context.progress(`Fetching ${what}`);
  try {
    return { ok: true, value: await request() };
  } catch (error) {
    const known = translateError(error);
    if (known === null || context.io.signal.aborted || FATAL_CODES.includes(known.code)) throw error;
    await context.notify(`The report has no ${what}: ${known.message}`);
    return { ok: false, why: known.message, hint: known.hint };
  }
}

/** Errors that all other requests would also return. */
const FATAL_CODES = ["unauthorized", "forbidden"];

async function fetchSuggestions(
  reportContext: ReportContext,
  environment: string,
): Promise<ReportData["suggested"]> {
  if (environment === "all") {
    const why = "Suggestions are for one environment, but this report combines all environments.";
    return { ok: false, why, hint: "Select one with --env." };
  }
  const { game, a, b } = reportContext.query;
  return await fetchPart(reportContext, "suggestions", async () => {
    const answer = await reportContext.client.getBuildSuggestions({
      game,
      a,
      b,
      env: environment,
      fallback: RULES_FALLBACK,
    });
    return { suggestions: answer.suggestions, author: describeAuthor(answer) };
  });
}

/** The address of the console, if the service announces one. */
async function findConsole({ client, context: { settings } }: ReportContext): Promise<string | null> {
  if (settings.baseUrl === null || !(await client.announces(CONSOLE.name))) return null;
  return findPublicUrl(settings.baseUrl.value);
}

/** The difference of both builds, and the heatmap of b with its deaths and quits, if the service marks them. */
async function fetchHeatmaps({ client, query }: ReportContext, env: string) {
  const { game, a, b } = query;
  const selection = { event: undefined, source: ALL_SOURCES };
  const request = (build: string, room?: string) =>
    client.getHeatmap({ game, build, env, room, source: ALL_SOURCES });
  // Almost all games have fewer rooms, so no room of one build has to be requested for the other.
  const requestAll = (build: string, marks?: heatmaps.MarkSelection) =>
    client.getHeatmap({ game, build, env, maxRooms: MAX_REQUESTED_ROOMS, source: ALL_SOURCES, marks });
  const isMarked = await client.announces("getHeatmap?marks");
  const before = await requestAll(a);
  const after = await requestAll(b, isMarked ? "deaths,quits" : undefined);
  const notes = mergeNotes(
    { build: a, notes: describeOmitted(before, selection) },
    { build: b, notes: describeOmitted(after, selection) },
  );
  const busiest = [before, after].map(({ rooms, ...rest }) => ({
    ...rest,
    rooms: rooms.slice(0, GRID.maxRooms),
  }));
  const names = listRoomNames(busiest);
  const select = async (all: heatmaps.Heatmap, build: string) => {
    const { heatmap, unknown } = await addMissingRooms(all, names, (room) => request(build, room));
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
  { client, query }: ReportContext,
  env: string,
  found: ReportData["found"],
): Promise<ReportQuotes> {
  const { game, b: build } = query;
  const isListed = await client.announces("listFeedback");
  const { items, hasMore } = isListed
    ? await client.listFeedback({ game, build, env, limit: MAX_PAGE_SIZE })
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
