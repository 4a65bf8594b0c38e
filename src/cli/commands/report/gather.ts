/** Asks the service for all that a report tells: what cannot be had is told in its place, and the rest stands. */

import { eventChanges } from "../../../charts/event-changes.ts";
import { buildDifferenceView } from "../../../charts/heatmap.ts";
import type {
  BuildFindings,
  ReportData,
  ReportPart,
  ReportQuote,
  TagFindings,
} from "../../../charts/report.ts";
import { rankSessionsToWatch } from "../../../charts/sessions-to-watch.ts";
import type { Client } from "../../../client/client.ts";
import { addMissingRooms, listRoomNames } from "../../../client/heatmap-rooms.ts";
import { paginateByOffset } from "../../../client/paging.ts";
import type * as builds from "../../../contract/builds.ts";
import type { Page } from "../../../contract/define.ts";
import type * as events from "../../../contract/events.ts";
import type * as heatmaps from "../../../contract/heatmaps.ts";
import type * as insights from "../../../contract/insights.ts";
import type * as sessions from "../../../contract/sessions.ts";
import type * as suggestions from "../../../contract/suggestions.ts";
import { UNPACED } from "../../../export/reader.ts";
import type { GateConfig } from "../../../gate/config.ts";
import { judge } from "../../../gate/judge.ts";
import { formatCount } from "../../../render/gate/words.ts";
import type { Context } from "../../context.ts";
import { translateError } from "../../translate-error.ts";
import { countUnfinished, fetchComparison, type GateQuery } from "../gate/comparison.ts";

export type ReportClient = Client<{
  getBuild: typeof builds.getBuild;
  compareBuilds: typeof builds.compareBuilds;
  listSessions: typeof sessions.listSessions;
  getSession: typeof sessions.getSession;
  listInsights: typeof insights.listInsights;
  getBuildSuggestions: typeof suggestions.getBuildSuggestions;
  getHeatmap: typeof heatmaps.getHeatmap;
  getEvents: typeof events.getEvents;
}>;

/** Sessions and findings that are read at most, the newest. */
const MAX_ITEMS_READ = 500;
/** Sessions worth watching that are told and read in full, and titles of findings told of each tag. */
const MAX_WATCH_SESSIONS = 6;
const MAX_TITLES_PER_TAG = 3;
/** Quotes told. */
const MAX_QUOTES = 8;
/** Kinds of answers that are in the player's own words. */
const FREE_TEXT_KINDS = ["short-text", "long-text"];

interface ReportContext {
  readonly context: Context;
  /** Sends each request in its turn, within the rate limit. */
  readonly client: ReportClient;
  readonly query: GateQuery & { readonly a: string };
}

/** The whole report. Throws where the comparison itself cannot be had: then there is nothing to tell. */
export async function gatherReport(
  context: Context,
  sender: ReportClient,
  asked: ReportContext["query"],
  config: GateConfig,
): Promise<ReportData> {
  const client = paceClient(context, sender);
  const asking: ReportContext = { context, client, query: asked };
  await context.progress("Comparing the builds");
  const { slug, gameName, environment, a, b, changes } = await fetchComparison(client, asked, config);
  const judged = judge({ game: slug, environment, a, b, changes, config, now: context.io.now() });
  const unfinished = await fetchPart(asking, "the analysis", () => countUnfinished(client, asked));
  const notes = unfinished.ok
    ? unfinished.value > 0
      ? [`${formatCount(unfinished.value, "session")} of ${b.version} still to be analysed.`]
      : []
    : [`How much of ${b.version} is still to be analysed is not known: ${unfinished.why}.`];
  const found = await fetchPart(asking, "findings", () => fetchFindings(asking, environment, changes));
  const side = ({ version, testers }: typeof a) => ({ version, testers });
  return {
    game: { name: gameName, slug },
    environment,
    generatedAt: context.io.now(),
    verdict: { ...judged, notes: [...judged.notes, ...notes] },
    friction: { game: gameName, environment, a: side(a), b: side(b), changes },
    found,
    quotes: found.ok
      ? await fetchPart(asking, "quotes", () => fetchQuotes(client, found.value.watch))
      : found,
    suggested: await fetchSuggestions(asking, environment),
    heatmap: await fetchPart(asking, "heatmaps", () => fetchHeatmap(asking, environment)),
    builds: await fetchPart(asking, "play time", async () => ({
      a: (await client.getBuild({ game: asked.game, version: asked.a })).rollup,
      b: (await client.getBuild({ game: asked.game, version: asked.b })).rollup,
    })),
    events: await fetchPart(asking, "events", async () => {
      const { game, a: buildA, b: buildB } = asked;
      const counts = (build: string) => client.getEvents({ game, build, env: environment });
      return eventChanges(await counts(buildA), await counts(buildB));
    }),
  };
}

/** The client, each request waiting for its turn. */
function paceClient(context: Context, client: ReportClient): ReportClient {
  const pacer = context.pacer();
  const methods = Object.entries(client as Record<string, (input: unknown) => Promise<unknown>>);
  const waiting = methods.map(([name, method]) => [
    name,
    async (input: unknown) => {
      await pacer.before();
      return await method(input);
    },
  ]);
  return Object.fromEntries(waiting) as ReportClient;
}

/** What a request answers, or why it does not. What ends the run, a refused key or an interruption, still does. */
async function fetchPart<T>(
  { context }: ReportContext,
  what: string,
  request: () => Promise<T>,
): Promise<ReportPart<T>> {
  await context.progress(`Asking for ${what}`);
  try {
    return { ok: true, value: await request() };
  } catch (error) {
    const known = translateError(error);
    if (known === null || context.io.signal.aborted || FATAL_CODES.includes(known.code)) throw error;
    await context.notify(`Without ${what}: ${known.message}`);
    return { ok: false, why: known.message, hint: known.hint };
  }
}

/** Errors that every further request would meet. */
const FATAL_CODES = ["unauthorized", "forbidden"];

async function fetchSuggestions(
  asking: ReportContext,
  environment: string,
): Promise<ReportData["suggested"]> {
  if (environment === "all") {
    const why = "Suggestions are about one environment, and this report is about all.";
    return { ok: false, why, hint: "Name one with --env." };
  }
  const { game, a, b } = asking.query;
  return await fetchPart(asking, "suggestions", async () => {
    const answer = await asking.client.getBuildSuggestions({ game, a, b, env: environment });
    return { suggestions: answer.suggestions, byModel: answer.source === "ai" };
  });
}

async function fetchHeatmap({ client, query: asked }: ReportContext, env: string) {
  const { game, a, b } = asked;
  const request = (build: string, room?: string) => client.getHeatmap({ game, build, env, room });
  const [before, after] = [await request(a), await request(b)];
  const names = listRoomNames([before, after]);
  return buildDifferenceView(
    { build: a, ...(await addMissingRooms(before, names, (room) => request(a, room))) },
    { build: b, ...(await addMissingRooms(after, names, (room) => request(b, room))) },
    env === "all" ? "" : `environment ${env}`,
  );
}

/** What was found in b's sessions of the environment, for insights do not tell theirs. */
async function fetchFindings(
  asking: ReportContext,
  env: string,
  changes: Parameters<typeof rankSessionsToWatch>[1],
): Promise<BuildFindings> {
  const { client, query: asked } = asking;
  const { game, b: build } = asked;
  const played = await fetchNewest((range) => client.listSessions({ game, build, env, ...range }));
  const known = new Map(played.items.map((session) => [session.id, session]));
  const all = await fetchNewest((range) => client.listInsights({ game, build, ...range }));
  const here = all.items.filter(({ sessionId }) => known.has(sessionId));
  return {
    tags: changes.map(({ tag }) => groupTagFindings(tag, here)),
    watch: rankSessionsToWatch(here, changes, known, MAX_WATCH_SESSIONS),
    isCut: played.isCut || all.isCut,
  };
}

function groupTagFindings(tag: string, all: readonly insights.InsightItem[]): TagFindings {
  const findings = all.filter((one) => one.tag === tag);
  const byTitle = new Map<string, string[]>();
  for (const { title, sessionId } of findings) {
    const known = byTitle.get(title ?? tag) ?? [];
    byTitle.set(title ?? tag, known);
    if (!known.includes(sessionId)) known.push(sessionId);
  }
  const told = [...byTitle]
    .slice(0, MAX_TITLES_PER_TAG)
    .map(([title, sessionIds]) => ({ title, sessionIds }));
  return { tag, count: findings.length, findings: told };
}

/** What the players of these sessions wrote into forms. */
async function fetchQuotes(client: ReportClient, watch: BuildFindings["watch"]): Promise<ReportQuote[]> {
  const quotes = new Map<string, { text: string; question: string; sessionIds: string[] }>();
  for (const { id } of watch) {
    const { feedback } = (await client.getSession({ id })).session;
    const answers = (feedback ?? []).flatMap(({ responses }) => responses);
    for (const { kind, label, value } of answers) {
      if (!FREE_TEXT_KINDS.includes(kind) || value.trim() === "") continue;
      const key = JSON.stringify([label, value]);
      const known = quotes.get(key) ?? { text: value, question: label, sessionIds: [] };
      quotes.set(key, known);
      known.sessionIds.push(id);
    }
  }
  // Long ones tell most.
  return [...quotes.values()].sort((x, y) => y.text.length - x.text.length).slice(0, MAX_QUOTES);
}

async function fetchNewest<T>(
  fetchPage: (range: { limit: number; offset: number }) => Promise<Page<T>>,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const items: T[] = [];
  let isCut = false;
  for await (const { page } of paginateByOffset(fetchPage, { offset: 0, items: MAX_ITEMS_READ }, UNPACED)) {
    for (const item of page.items) items.push(item);
    isCut = page.hasMore;
  }
  return { items, isCut };
}
