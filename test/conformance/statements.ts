/**
 * What the API document states about reads, as requests and expectations. They hold for every service of the API, so they use only
 * what a service has, and change nothing.
 */
import * as z from "zod";
import type { Endpoint } from "../../src/contract/define.ts";
import { endpoints } from "../../src/contract/index.ts";
import { insightTypes } from "../../src/contract/insights.ts";
import { sessionSources, sessionStatuses } from "../../src/contract/sessions.ts";

/** What an unknown service answers: statements find out what it has. */
// biome-ignore lint/suspicious/noExplicitAny: a wrong field makes a statement fail, which is its purpose
export type Json = any;

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: Json;
}

/** Sends a GET request with the management key, or with another one; null for none. */
export type Get = (path: string, key?: string | null) => Promise<Answer>;

/** What a service has. Empty texts mean that it has none. */
export interface World {
  readonly get: Get;
  readonly ingestKey: string;
  readonly game: { readonly id: string; readonly slug: string };
  readonly session: string;
  readonly build: string;
  readonly otherBuild: string;
  readonly device: string;
  readonly batch: string;
  readonly experiment: string;
}

export interface Statement {
  readonly id: string;
  readonly says: string;
  /** Throws what does not hold. */
  check(world: World): Promise<void>;
}

/** The service has nothing that the statement is about. */
export class NotApplicable extends Error {}

/** Finds what a service has. Throws if the key does not work. */
export async function explore(get: Get, ingestKey: string): Promise<World> {
  const list = async (path: string) => {
    const { status, json, text } = await get(path);
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text.slice(0, 200)}`);
    return json;
  };
  const { games } = await list("/api/v1/games");
  let world: World = {
    ...{ get, ingestKey, game: games[0] ?? { id: "", slug: "" } },
    ...{ session: "", build: "", otherBuild: "", device: "", batch: "", experiment: "" },
  };
  for (const game of games) {
    const { items } = await list(`/api/v1/sessions?game=${game.id}&status=analyzed&limit=100`);
    if (items.length === 0) continue;
    const builds = [...new Set<string>(items.map((item: Json) => item.metadata.gameVersion))];
    const [build = "", otherBuild = ""] = builds.filter((one) => one !== "" && one !== "unknown");
    const { session } = await list(`/api/v1/sessions/${items[0].id}`);
    const { batches } = await list(`/api/v1/batches/${game.id}`);
    const { experiments } = await list(`/api/v1/games/${game.id}/experiments`);
    const [batch = "", experiment = ""] = [batches[0]?.id, experiments[0]?.id];
    const { handles } = await list(`/api/v1/handles/${game.id}`);
    const linked = handles.find(({ device_id: id }: Json) => id !== null);
    const device = session.deviceId ?? linked?.device_id ?? "";
    world = { ...world, game, session: items[0].id, build, otherBuild, device, batch, experiment };
    if (batch !== "" && experiment !== "" && otherBuild !== "") break;
  }
  return world;
}

/** Fails with a text unless something holds. */
function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

const show = ({ status, text }: Answer) => `answered ${status} ${text.slice(0, 160)}`;

function expectStatus(answer: Answer, status: number): void {
  expectThat(answer.status === status, show(answer));
}

/** The body of a successful answer. */
async function read({ get }: World, path: string): Promise<Json> {
  const answer = await get(path);
  expectStatus(answer, 200);
  return answer.json;
}

/** The endpoints of the document that a management key can read. */
const reads = (Object.values(endpoints) as Endpoint[]).filter(
  ({ extension, method, keys, path }) =>
    // The document does not show the flags of events, which SDKs read with their ingest key as well.
    !extension && method === "GET" && keys.join() === "management" && path.startsWith("/api/v1/"),
);

/** The path of a read with what the service has. Throws `NotApplicable` if it has nothing for a parameter. */
function pathOf(endpoint: Endpoint, world: World): string {
  const { game, build, otherBuild, device, batch, experiment, session } = world;
  const nouns: Readonly<Record<string, string>> = {
    ...{ game: game.slug, session, build, device, tester: device, batch, experiment },
  };
  const value = (field: string): string => {
    const noun = endpoint.names[field] ?? "";
    const found = field === "b" ? otherBuild : (nouns[noun] ?? "");
    if (found === "") throw new NotApplicable(`no ${noun === "" ? field : noun}`);
    return encodeURIComponent(found);
  };
  const required = Object.entries(endpoint.query.shape)
    .filter(
      ([name, field]) =>
        !(field instanceof z.ZodOptional) || (endpoint.name === "getBuildSuggestions" && name === "build"),
    )
    .map(([name]) => `${name}=${value(name)}`);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => value(name));
  return required.length === 0 ? path : `${path}?${required.join("&")}`;
}

/** Statements that hold for every read. */
function forEachRead(
  suffix: string,
  says: string,
  check: (world: World, path: string, endpoint: Endpoint) => Promise<void>,
  applies: (endpoint: Endpoint) => boolean = () => true,
): Statement[] {
  return reads.filter(applies).map((endpoint) => ({
    id: `${endpoint.name}.${suffix}`,
    says: `GET ${endpoint.path}: ${says}`,
    check: async (world) => await check(world, pathOf(endpoint, world), endpoint),
  }));
}

const UNKNOWN_KEY = `pt_mgmt_${"0".repeat(40)}`;

const everyRead: Statement[] = [
  ...forEachRead("fields", "has the fields of the document", async ({ get }, path, { response, name }) => {
    const answer = await get(path);
    // Suggestions need a model.
    if (name === "getBuildSuggestions" && answer.status === 402) {
      expectThat(answer.json?.requiresPremium === true, "402 without requiresPremium");
      return;
    }
    expectStatus(answer, 200);
    expectThat(/^application\/json\b/.test(answer.headers["content-type"] ?? ""), "is not application/json");
    const [issue] = response.safeParse(answer.json).error?.issues ?? [];
    expectThat(issue === undefined, `${issue?.path.join(".")}: ${issue?.message}`);
  }),
  ...forEachRead("no-key", "answers 401 without a key", async ({ get }, path) => {
    const answer = await get(path, null);
    expectStatus(answer, 401);
    expectThat(answer.json?.error === "Missing bearer token", show(answer));
  }),
  ...forEachRead("unknown-key", "answers 401 to an unknown key", async ({ get }, path) => {
    const answer = await get(path, UNKNOWN_KEY);
    expectStatus(answer, 401);
    expectThat(answer.json?.error === "Invalid key", show(answer));
  }),
  ...forEachRead(
    "ingest-key",
    "answers 403 to an ingest key",
    async ({ get, ingestKey }, path) => {
      if (ingestKey === "") throw new NotApplicable("no ingest key was given");
      const answer = await get(path, ingestKey);
      expectStatus(answer, 403);
      expectThat(answer.json?.requiredScope === "management", show(answer));
    },
    // SDKs read the flags of events.
    ({ keys }) => !keys.includes("ingest"),
  ),
];

/** Bounds of parameters: a query, and the status that it gets. `{game}` and `{build}` are names that exist. */
const bounds: ReadonlyArray<readonly [query: string, status: number]> = [
  ["sessions?limit=0", 400],
  ["sessions?limit=x", 400],
  ["sessions?limit=1.5", 400],
  ["sessions?limit=1", 200],
  ["sessions?limit=101", 200],
  ["sessions?offset=-1", 400],
  ["sessions?offset=0.5", 400],
  ["sessions?status=unknown", 400],
  ...sessionStatuses.map((status) => [`sessions?status=${status}&limit=1`, 200] as const),
  ["sessions?source=unknown", 400],
  ...sessionSources.map((source) => [`sessions?source=${source}&limit=1`, 200] as const),
  ["sessions?env=UPPER", 400],
  ["sessions?env=", 400],
  [`sessions?env=${"e".repeat(65)}`, 400],
  ["sessions?q=", 400],
  [`sessions?q=${"q".repeat(201)}`, 400],
  [`sessions?q=${"q".repeat(200)}`, 200],
  ["sessions?from=-1", 400],
  ["sessions?from=2&to=1", 400],
  ["sessions?from=1&to=1", 200],
  [`sessions?build=${"b".repeat(121)}`, 400],
  ["sessions?game=no-such-game", 404],
  ["sessions/sess_none", 404],
  ["insights?type=unknown", 400],
  ...insightTypes.map((type) => [`insights?type=${type}&limit=1`, 200] as const),
  ["insights?sentiment=unknown", 400],
  ["insights?sentiment=neutral&limit=1", 200],
  ["insights?limit=0", 400],
  ["insights?offset=-1", 400],
  ["insights?from=2&to=1", 400],
  ["insights?game=no-such-game", 404],
  ["games/no-such-game", 404],
  ["builds/no-such-game/1", 404],
  ["builds/{game}/no-such-build", 404],
  ["testers/{game}/no-such-device", 404],
  ["heatmaps/no-such-game", 404],
  ["events/no-such-game", 404],
  ["events/{game}?from=2&to=1", 400],
  ["events/{game}?from=x", 400],
  ["batches/no-such-game", 404],
  ["batches/{game}/ptb_none", 404],
  ["batches/{game}/ptb_none/keys", 404],
  ["batches/{game}/ptb_none/invites", 404],
  ["handles/no-such-game", 404],
  ["games/no-such-game/prompts", 404],
  ["games/no-such-game/experiments", 404],
  ["experiments/exp_none/comparison", 404],
  ["builds/compare?game={game}&a={build}", 400],
  ["builds/compare?game={game}&a={build}&b=no-such-build", 404],
  [`builds/compare?game={game}&a={build}&b=${"b".repeat(201)}`, 400],
  ["builds/compare/suggestions?game={game}&build={build}&a={build}&b={build}", 400],
  ["builds/compare/suggestions?game={game}&a={build}", 400],
  ["builds/compare/suggestions?game={game}&build={build}&env=all", 400],
  ["testers/{game}/no-such-tester/journey", 404],
  [`testers/{game}/${"d".repeat(257)}/journey`, 400],
  ["testers/no-such-game/archetypes", 404],
];

/** A query in which long runs of a character are counted. */
const shorten = (query: string) => query.replace(/(.)\1{20,}/g, (run, one) => `${one}*${run.length}`);

const refusals: Statement[] = bounds.map(([query, status]) => ({
  id: `status.${shorten(query)}`,
  says: `GET /api/v1/${shorten(query)} answers ${status}`,
  async check({ get, game, build }) {
    if (query.includes("{build}") && build === "") throw new NotApplicable("no build");
    if (query.includes("{game}") && game.slug === "") throw new NotApplicable("no game");
    const path = query.replaceAll("{game}", game.slug).replaceAll("{build}", encodeURIComponent(build));
    const answer = await get(`/api/v1/${path}`);
    // Without a model, a service may say so first.
    if (query.includes("suggestions") && answer.status === 402) return;
    expectStatus(answer, status);
    if (status === 200) return;
    expectThat(typeof answer.json?.error === "string", "the error is not a text");
    if (status === 400) expectThat(Array.isArray(answer.json.issues), "a 400 without issues");
    expectThat(!/\bat .+:\d+:\d+/.test(answer.text), "the body has a stack trace");
  },
}));

const isDescending = (values: readonly number[]) =>
  values.every((value, at) => at === 0 || value <= (values[at - 1] ?? value));

function define(id: string, says: string, check: Statement["check"]): Statement {
  return {
    ...{ id, says },
    async check(world) {
      if (world.game.slug === "") throw new NotApplicable("no game");
      await check(world);
    },
  };
}

/** The items of a list that has some. */
async function requireItems(world: World, path: string): Promise<Json> {
  const page = await read(world, path);
  if (page.items.length === 0) throw new NotApplicable("the list is empty");
  return page;
}

const meanings: Statement[] = [
  define("names.slug", "a game is found by its id and by its slug", async (world) => {
    const [byId, bySlug] = await Promise.all(
      [world.game.id, world.game.slug].map((name) => read(world, `/api/v1/games/${name}`)),
    );
    expectThat(JSON.stringify(byId) === JSON.stringify(bySlug), "the answers differ");
  }),
  define("names.no-leak", "all unknown sessions get the same 404", async ({ get }) => {
    const answers = await Promise.all(["sess_none", "x"].map((id) => get(`/api/v1/sessions/${id}`)));
    const shown = answers.map(({ status, json }) => `${status} ${json?.error}`);
    expectThat(shown[0] === shown[1], "the answers differ");
  }),
  define("pages.clamp", "a limit above 100 is 100", async (world) => {
    const page = await read(world, "/api/v1/sessions?limit=5000");
    expectThat(page.items.length <= 100, `${page.items.length} items`);
  }),
  define("pages.default", "a page has 20 items without a limit", async (world) => {
    const page = await read(world, "/api/v1/sessions");
    expectThat(page.items.length === Math.min(20, page.total), `${page.items.length} of ${page.total}`);
    expectThat(page.hasMore === page.total > 20, `hasMore is ${page.hasMore} of ${page.total}`);
  }),
  define("pages.end", "hasMore is false on the last page", async (world) => {
    const { total } = await read(world, "/api/v1/sessions?limit=1");
    const last = await read(world, `/api/v1/sessions?limit=1&offset=${Math.max(0, total - 1)}`);
    expectThat(last.hasMore === false, "there is more");
    const past = await read(world, `/api/v1/sessions?limit=1&offset=${total + 5}`);
    expectThat(past.items.length === 0 && !past.hasMore, "there are items past the end");
  }),
  define("sessions.range", "from and to include their bounds", async (world) => {
    const { items } = await requireItems(world, `/api/v1/sessions?game=${world.game.id}&limit=1`);
    const at = items[0].recordedAt;
    const found = await read(world, `/api/v1/sessions?game=${world.game.id}&from=${at}&to=${at}`);
    expectThat(
      found.items.some(({ id }: Json) => id === items[0].id),
      "the session is missing",
    );
  }),
  define("sessions.build", "build matches the version exactly", async (world) => {
    if (world.build === "") throw new NotApplicable("no build");
    const path = `/api/v1/sessions?game=${world.game.id}&build=${encodeURIComponent(world.build)}`;
    const { items } = await requireItems(world, path);
    expectThat(
      items.every(({ metadata }: Json) => metadata.gameVersion === world.build),
      "another version",
    );
  }),
  define("sessions.q", "q finds titles without regard to case", async (world) => {
    const { items } = await requireItems(world, `/api/v1/sessions?game=${world.game.id}&limit=1`);
    const { id, title } = items[0];
    const [word = ""] = /[A-Za-z]{3,60}/.exec(title) ?? [];
    if (word === "") throw new NotApplicable("the title has no word in Latin letters");
    const part = word.toUpperCase();
    const found = await read(world, `/api/v1/sessions?game=${world.game.id}&q=${part}&limit=100`);
    if (found.hasMore) throw new NotApplicable("too many sessions have the title");
    expectThat(
      found.items.some((item: Json) => item.id === id),
      `not found by ${title}`,
    );
  }),
  define("session.insights", "a session has all its insights with their evidence", async (world) => {
    if (world.session === "") throw new NotApplicable("no session");
    const { session, insights } = await read(world, `/api/v1/sessions/${world.session}`);
    expectThat(session.id === world.session, "another session");
    expectThat(
      insights.every(({ evidence }: Json) => typeof evidence === "string"),
      "no evidence",
    );
    expectThat(
      insights.every(({ sessionId }: Json) => sessionId === world.session),
      "of another session",
    );
  }),
  define("insights.order", "insights are listed newest first, without their evidence", async (world) => {
    const { items } = await requireItems(world, "/api/v1/insights?limit=100");
    expectThat(isDescending(items.map(({ createdAt }: Json) => createdAt)), "another order");
    expectThat(
      items.every((item: Json) => !("evidence" in item)),
      "there is evidence",
    );
  }),
  define("insights.filter", "type and sentiment filter insights", async (world) => {
    const { items } = await requireItems(world, "/api/v1/insights?limit=1");
    const { type, sentiment } = items[0];
    const found = await read(world, `/api/v1/insights?type=${type}&sentiment=${sentiment}&limit=100`);
    expectThat(found.items.length > 0, "nothing is found");
    expectThat(
      found.items.every((one: Json) => one.type === type && one.sentiment === sentiment),
      "others",
    );
  }),
  define("heatmap.grid", "cells lie in the grid, and the densest one has the intensity 1", async (world) => {
    const { rooms, eventCount } = await read(world, `/api/v1/heatmaps/${world.game.slug}`);
    if (rooms.length === 0) throw new NotApplicable("no positions");
    expectThat(rooms.length <= 12, `${rooms.length} rooms`);
    expectThat(Number.isInteger(eventCount), "eventCount is no integer");
    for (const { room, cells, cellsX, cellsY } of rooms) {
      const isInside = cells.every(({ x, y }: Json) => x >= 0 && x < cellsX && y >= 0 && y < cellsY);
      expectThat(isInside, `a cell of ${room} is outside`);
    }
    const all = rooms.flatMap(({ cells }: Json) => cells.map(({ intensity }: Json) => intensity));
    expectThat(
      all.every((one: number) => one > 0 && one <= 1),
      "an intensity is not from 0 to 1",
    );
    expectThat(Math.max(...all) === 1, "no cell has the intensity 1");
  }),
  define("events.top", "top has at most 50 names, with the counts of byName", async (world) => {
    const { top, byName, total } = await read(world, `/api/v1/events/${world.game.slug}`);
    expectThat(top.length <= 50, `${top.length} names`);
    expectThat(
      top.every(([name, count]: Json) => byName[name] === count),
      "the counts differ",
    );
    const sum = Object.values<number>(byName).reduce((all, count) => all + count, 0);
    expectThat(sum === total, `the sum is ${sum}, the total ${total}`);
  }),
  define("batches.secrets", "batches, keys and invites have no secrets", async (world) => {
    if (world.batch === "") throw new NotApplicable("no batch");
    const base = `/api/v1/batches/${world.game.slug}/${world.batch}`;
    const { batches } = await read(world, `/api/v1/batches/${world.game.slug}`);
    expectThat(
      batches.every((batch: Json) => !("instructions" in batch)),
      "the list has instructions",
    );
    expectThat("instructions" in (await read(world, base)).batch, "the batch has no instructions");
    const { keys } = await read(world, `${base}/keys`);
    const hidden = ["key", "ciphertext", "fingerprint", "redemption_ip", "token", "claim_token"];
    const { invites } = await read(world, `${base}/invites`);
    const shown = [...keys, ...invites].flatMap((one) => hidden.filter((name) => name in one));
    expectThat(shown.length === 0, `has ${shown.join(", ")}`);
  }),
  define("handles.order", "handles are sorted by the time they were last seen", async (world) => {
    const { handles } = await read(world, `/api/v1/handles/${world.game.slug}`);
    const seen = handles.flatMap(({ last_seen_at: at }: Json) => (at === null ? [] : [at]));
    expectThat(isDescending(seen), "another order");
  }),
  define("compare.totals", "the totals of a comparison count its changes", async (world) => {
    const { game, build, otherBuild } = world;
    if (otherBuild === "") throw new NotApplicable("only one build");
    const [a, b] = [build, otherBuild].map(encodeURIComponent);
    const { diff, environment } = await read(world, `/api/v1/builds/compare?game=${game.slug}&a=${a}&b=${b}`);
    expectThat(environment === "production", `the environment is ${environment}`);
    const names = { resolved: "resolved", got_smaller: "gotSmaller", carried_over: "carriedOver" };
    for (const [kind, name] of Object.entries({
      ...names,
      got_larger: "gotLarger",
      introduced: "introduced",
    })) {
      const count = diff.changes.filter((change: Json) => change.kind === kind).length;
      expectThat(diff.totals[name] === count, `${name} is ${diff.totals[name]} for ${count} changes`);
    }
  }),
  define("journey.order", "the entries of a journey are in the order of play", async (world) => {
    if (world.device === "") throw new NotApplicable("no device");
    const path = `/api/v1/testers/${world.game.slug}/${encodeURIComponent(world.device)}/journey`;
    const { journey } = await read(world, path);
    expectThat(
      ["rising", "flat", "declining", "insufficient_data"].includes(journey.engagementTrend),
      "trend",
    );
    const times = journey.entries.flatMap(({ recordedAt }: Json) =>
      recordedAt === undefined ? [] : [recordedAt],
    );
    expectThat(isDescending(times.toReversed()), "another order");
  }),
  define("archetypes.reason", "archetypes are empty with a reason, or have testers", async (world) => {
    const { archetypes, reason } = await read(world, `/api/v1/testers/${world.game.slug}/archetypes`);
    if (reason === "requires_byo_key") expectThat(archetypes.length === 0, "there are archetypes");
    expectThat(
      archetypes.every(({ testerCount }: Json) => testerCount > 0),
      "an empty archetype",
    );
  }),
  define(
    "experiments.order",
    "the comparison of an experiment has days 1, 2 and 7 of its variants",
    async (world) => {
      if (world.experiment === "") throw new NotApplicable("no experiment");
      const { comparison } = await read(world, `/api/v1/experiments/${world.experiment}/comparison`);
      for (const { key, retention } of comparison.variants) {
        const days = retention.map(({ day }: Json) => day).join();
        expectThat(days === "1,2,7", `${key} has the days ${days}`);
      }
    },
  ),
  define("methods", "a v1 path that does not exist is a JSON error", async ({ get }) => {
    const answer = await get("/api/v1/no-such-path");
    expectThat(answer.status === 404 && typeof answer.json?.error === "string", show(answer));
  }),
];

/** All statements, each with an id of its own. */
export const statements: readonly Statement[] = [...everyRead, ...refusals, ...meanings];

/** The outcome of a statement: null if it holds. */
export interface Outcome {
  readonly statement: Statement;
  readonly problem: string | null;
  /** Why the service cannot be asked; null if it was. */
  readonly skipped: string | null;
}

/** Checks one statement. */
export async function checkStatement(statement: Statement, world: World): Promise<Outcome> {
  try {
    await statement.check(world);
    return { statement, problem: null, skipped: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof NotApplicable) return { statement, problem: null, skipped: message };
    return { statement, problem: message, skipped: null };
  }
}
