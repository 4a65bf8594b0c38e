/** Requests the data of a report. Parts that are not available are replaced by the reason. */

import { eventChanges } from "../../../charts/event-changes.ts";
import { buildDifferenceView } from "../../../charts/heatmap.ts";
import { describeOmitted, mergeNotes } from "../../../charts/heatmap-notes.ts";
import {
  type BuildFindings,
  MAX_TITLES_PER_TAG,
  type ReportData,
  type ReportPart,
  type ReportQuote,
  type TagFindings,
} from "../../../charts/report.ts";
import { rankSessionsToWatch } from "../../../charts/sessions-to-watch.ts";
import { describeAuthor } from "../../../charts/suggestion-author.ts";
import type { AnnouncingClient } from "../../../client/client.ts";
import { addMissingRooms, listRoomNames } from "../../../client/heatmap-rooms.ts";
import { paginateByOffset } from "../../../client/paging.ts";
import type { Page } from "../../../contract/define.ts";
import type * as events from "../../../contract/events.ts";
import type * as heatmaps from "../../../contract/heatmaps.ts";
import { ALL_SOURCES, GRID, MAX_REQUESTED_ROOMS } from "../../../contract/heatmaps.ts";
import type * as insights from "../../../contract/insights.ts";
import type * as sessions from "../../../contract/sessions.ts";
import type * as suggestions from "../../../contract/suggestions.ts";
import { RULES_FALLBACK } from "../../../contract/suggestions.ts";
import { UNPACED } from "../../../export/reader.ts";
import type { GateRules } from "../../../gate/config.ts";
import { judge } from "../../../gate/judge.ts";
import type { Context } from "../../context.ts";
import { translateError } from "../../translate-error.ts";
import { fetchComparison, type GateEndpoints, type GateQuery, toGateInput } from "../gate/comparison.ts";
import { requireGateEnvironment } from "../gate/gate-query.ts";

type ReportClient = AnnouncingClient<
  GateEndpoints &
    Pick<typeof sessions, "getSession"> &
    Pick<typeof suggestions, "getBuildSuggestions"> &
    Pick<typeof heatmaps, "getHeatmap"> &
    Pick<typeof events, "getEvents">
>;

/** Maximum number of sessions and of insights to read, newest first. */
const MAX_ITEMS_READ = 500;
const MAX_WATCH_SESSIONS = 6;
const MAX_QUOTES = 8;
/** Kinds of form fields that contain text written by players. */
const FREE_TEXT_KINDS = ["short-text", "long-text"];

interface ReportContext {
  readonly context: Context;
  /** Paced to stay within the rate limit. */
  readonly client: ReportClient;
  readonly query: GateQuery & { readonly a: string };
}

/** Gathers the whole report. Throws if the comparison of the builds is not available. */
export async function gatherReport(
  context: Context,
  unpacedClient: ReportClient,
  query: ReportContext["query"],
  config: GateRules,
): Promise<ReportData> {
  const client = paceClient(context, unpacedClient);
  const reportContext: ReportContext = { context, client, query };
  await context.progress("Comparing the builds");
  const comparison = await fetchComparison(client, query, config);
  await requireGateEnvironment(context, config.env, comparison.b);
  const { slug, gameName, environment } = comparison;
  const { changes } = await comparison.compareAt();
  const { view, ...input } = await toGateInput(comparison, config, context.io.now());
  const newest = await fetchPart(reportContext, "sessions", () => fetchSessions(reportContext, environment));
  const found = newest.ok
    ? await fetchPart(reportContext, "insights", () => fetchFindings(reportContext, newest.value, changes))
    : newest;
  return {
    game: { name: gameName, slug },
    environment,
    generatedAt: context.io.now(),
    verdict: judge(input),
    scorecard: view,
    found,
    quotes: found.ok
      ? await fetchPart(reportContext, "quotes", () => fetchQuotes(client, found.value.watch))
      : found,
    suggested: await fetchSuggestions(reportContext, environment),
    heatmap: await fetchPart(reportContext, "heatmaps", () => fetchHeatmap(reportContext, environment)),
    builds: await fetchPart(reportContext, "play time", async () => ({
      a: (await client.getBuild({ game: query.game, version: query.a })).rollup,
      b: (await client.getBuild({ game: query.game, version: query.b })).rollup,
    })),
    events: await fetchPart(reportContext, "events", async () => {
      const { game, a: buildA, b: buildB } = query;
      const fetchCounts = (build: string) => client.getEvents({ game, build, env: environment });
      return eventChanges(await fetchCounts(buildA), await fetchCounts(buildB));
    }),
  };
}

/**
 * Wraps the client so that each request waits for the pacer. A request that was already answered is not sent again,
 * because every request counts toward the rate limit of the key, which other commands of the same minute share.
 */
function paceClient(context: Context, client: ReportClient): ReportClient {
  const pacer = context.pacer();
  const answers = new Map<string, unknown>();
  const { announces, ...endpoints } = client as Record<string, (input: unknown) => Promise<unknown>>;
  const paced = Object.entries(endpoints).map(([name, method]) => [
    name,
    async (input: unknown) => {
      const request = JSON.stringify([name, input]);
      if (!answers.has(request)) {
        await pacer.before();
        answers.set(request, await method(input));
      }
      return answers.get(request);
    },
  ]);
  return { ...Object.fromEntries(paced), announces } as ReportClient;
}

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

async function fetchHeatmap({ client, query }: ReportContext, env: string) {
  const { game, a, b } = query;
  const selection = { event: undefined, source: ALL_SOURCES };
  const request = (build: string, room?: string) =>
    client.getHeatmap({ game, build, env, room, source: ALL_SOURCES });
  // Almost all games have fewer rooms, so no room of one build has to be requested for the other.
  const requestAll = (build: string) =>
    client.getHeatmap({ game, build, env, maxRooms: MAX_REQUESTED_ROOMS, source: ALL_SOURCES });
  const [before, after] = [await requestAll(a), await requestAll(b)];
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
  return buildDifferenceView(
    await select(before, a),
    await select(after, b),
    env === "all" ? "" : `environment ${env}`,
    notes,
  );
}

/** The newest items of a list. */
interface NewestItems<T> {
  readonly items: readonly T[];
  /** Whether there are more. */
  readonly isTruncated: boolean;
}

/** The newest sessions of b in the environment. */
async function fetchSessions({ client, query }: ReportContext, env: string) {
  const { game, b: build } = query;
  return await fetchNewest((range) => client.listSessions({ game, build, env, ...range }));
}

/** The insights of b's sessions in the environment. Insights do not include their environment, so the sessions are needed. */
async function fetchFindings(
  { client, query }: ReportContext,
  newest: NewestItems<sessions.Session>,
  changes: Parameters<typeof rankSessionsToWatch>[1],
): Promise<BuildFindings> {
  const { game, b: build } = query;
  const sessionsById = new Map(newest.items.map((session) => [session.id, session]));
  const all = await fetchNewest((range) => client.listInsights({ game, build, ...range }));
  const inEnvironment = all.items.filter(({ sessionId }) => sessionsById.has(sessionId));
  return {
    tags: changes.map(({ tag }) => groupTagFindings(tag, inEnvironment)),
    watch: rankSessionsToWatch(inEnvironment, changes, sessionsById, MAX_WATCH_SESSIONS),
    isCut: newest.isTruncated || all.isTruncated,
  };
}

function groupTagFindings(tag: string, all: readonly insights.InsightItem[]): TagFindings {
  const findings = all.filter((insight) => insight.tag === tag);
  const byTitle = new Map<string, string[]>();
  for (const { title, sessionId } of findings) {
    const sessionIds = byTitle.get(title ?? tag) ?? [];
    byTitle.set(title ?? tag, sessionIds);
    if (!sessionIds.includes(sessionId)) sessionIds.push(sessionId);
  }
  const grouped = [...byTitle]
    .sort(([, x], [, y]) => y.length - x.length)
    .slice(0, MAX_TITLES_PER_TAG)
    .map(([title, sessionIds]) => ({ title, sessionIds }));
  return { tag, count: findings.length, findings: grouped };
}

/** The text that players wrote into feedback forms in these sessions. */
async function fetchQuotes(client: ReportClient, watch: BuildFindings["watch"]): Promise<ReportQuote[]> {
  const quotes = new Map<string, { text: string; question: string; sessionIds: string[] }>();
  for (const { id } of watch) {
    const { feedback } = (await client.getSession({ id })).session;
    const answers = (feedback ?? []).flatMap(({ responses }) => responses);
    for (const { kind, label, value } of answers) {
      if (!FREE_TEXT_KINDS.includes(kind) || value.trim() === "") continue;
      const key = JSON.stringify([label, value]);
      const quote = quotes.get(key) ?? { text: value, question: label, sessionIds: [] };
      quotes.set(key, quote);
      quote.sessionIds.push(id);
    }
  }
  // Long answers are usually the most informative.
  return [...quotes.values()].sort((x, y) => y.text.length - x.text.length).slice(0, MAX_QUOTES);
}

async function fetchNewest<T>(
  fetchPage: (range: { limit: number; offset: number }) => Promise<Page<T>>,
): Promise<NewestItems<T>> {
  const items: T[] = [];
  let isTruncated = false;
  for await (const { page } of paginateByOffset(fetchPage, { offset: 0, items: MAX_ITEMS_READ }, UNPACED)) {
    for (const item of page.items) items.push(item);
    isTruncated = page.hasMore;
  }
  return { items, isTruncated };
}
