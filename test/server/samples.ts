/** One valid request for every endpoint, and a world of play that answers it. */
import { expect } from "vitest";
import type { Endpoint } from "../../src/contract/define.ts";
import { type EndpointName, endpoints } from "../../src/contract/index.ts";
import type { NewKeys } from "../../src/server/accounts/accounts.ts";
import { putProvider } from "../../src/server/analysis/provider/queries.ts";
import type { GameRow } from "../../src/server/db/schema.ts";
import { createAudience, createExperiment, startExperiment } from "../../src/server/experiments/life.ts";
import { requireExperiment } from "../../src/server/experiments/queries.ts";
import { createForm } from "../../src/server/feedback/forms.ts";
import { ensureGame } from "../../src/server/games/games.ts";
import {
  addKeys,
  createBatch,
  inviteTester,
  requireKey,
  revokeKey,
} from "../../src/server/playtests/batches.ts";
import { putEventConfig } from "../../src/server/telemetry/event-config-queries.ts";
import { claimHandle, ensureHandle, issueClaimToken } from "../../src/server/testers/handles.ts";
import { NOW, send, type TestService } from "../harness.ts";

/** Play of one account, by the names a request may use. */
export interface World {
  readonly keys: NewKeys;
  readonly gameId: string;
  readonly slug: string;
  readonly sessionId: string;
  readonly version: string;
  readonly later: string;
  readonly deviceId: string;
  readonly experimentId: string;
  readonly formId: string;
  readonly batchId: string;
  /** Of the handle that the device is linked to. */
  readonly claimToken: string;
}

/** A request that is answered with the endpoint's own status. */
export interface Sample {
  readonly params: Readonly<Record<string, string>>;
  /** The required query parameters. */
  readonly query: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The query for a parameter that excludes others of the sample's. */
  readonly instead?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The parameters or body fields that name something: unknown, they get 404. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** Counts the threads that were sampled: each is new, for one that is open is answered otherwise. */
let threads = 0;

/** The samples: an endpoint that has none does not compile, and fails the first conformance test. */
export const samples: { readonly [Name in EndpointName]: (world: World) => Sample } = {
  listGames: () => ({ params: {}, query: {}, names: {} }),
  getGame: ({ gameId, slug }) => ({ params: { id: slug }, query: {}, names: { id: [gameId, slug] } }),
  listSessions: ({ gameId, slug }) => ({ params: {}, query: {}, names: { game: [gameId, slug] } }),
  getSession: ({ sessionId }) => ({ params: { id: sessionId }, query: {}, names: { id: [sessionId] } }),
  listInsights: ({ gameId, slug }) => ({ params: {}, query: {}, names: { game: [gameId, slug] } }),
  getBuild: ({ gameId, slug, version }) => ({
    params: { game: gameId, version },
    query: {},
    names: { game: [gameId, slug], version: [version] },
  }),
  compareBuilds: ({ gameId, slug, version, later }) => ({
    params: {},
    query: { game: slug, a: version, b: later },
    names: { game: [gameId, slug], a: [version], b: [later] },
  }),
  getBuildSuggestions: ({ gameId, slug, version, later }) => ({
    params: {},
    query: { game: slug, a: version, b: later },
    instead: { build: { game: slug } },
    names: { game: [gameId, slug], a: [version], b: [later] },
  }),
  getTesterJourney: ({ gameId, slug, deviceId }) => ({
    params: { game: slug, deviceId },
    query: {},
    names: { game: [gameId, slug], deviceId: [deviceId] },
  }),
  getTesterArchetypes: ({ gameId, slug }) => ({
    params: { game: slug },
    query: {},
    names: { game: [gameId, slug] },
  }),
  getTester: ({ gameId, slug, deviceId }) => ({
    params: { game: slug, deviceId },
    query: {},
    names: { game: [gameId, slug], deviceId: [deviceId] },
  }),
  getHeatmap: ({ gameId, slug }) => ({
    params: { game: gameId },
    query: {},
    names: { game: [gameId, slug] },
  }),
  getEvents: ({ gameId, slug }) => ({ params: { game: slug }, query: {}, names: { game: [gameId, slug] } }),
  listGameFeedbackForms: ({ gameId, slug }) => ({
    params: { id: slug },
    query: {},
    names: { id: [gameId, slug] },
  }),
  getEventConfig: ({ gameId, slug }) => ({
    params: { slug },
    query: {},
    names: { slug: [gameId, slug] },
  }),
  listBatches: ({ gameId, slug }) => ({
    params: { game: slug },
    query: {},
    names: { game: [gameId, slug] },
  }),
  getBatch: batchSample,
  listBatchKeys: batchSample,
  listBatchInvites: batchSample,
  listHandles: ({ gameId, slug }) => ({
    params: { game: slug },
    query: {},
    names: { game: [gameId, slug] },
  }),
  sendTelemetry: ({ gameId, slug, sessionId }) => ({
    params: {},
    query: {},
    body: { gameId: slug, sessionId, events: [] },
    names: { gameId: [gameId, slug], sessionId: [sessionId] },
  }),
  submitFeedback: ({ sessionId, formId }) => ({
    params: {},
    query: {},
    body: { requestId: "sample", formId, sessionId, responses: [{ fieldId: "fun", value: "4" }] },
    names: { sessionId: [sessionId] },
  }),
  linkTester: claimSample,
  getCurrentTester: ({ gameId, slug, deviceId }) => ({
    params: {},
    query: { gameId: slug, deviceId },
    names: { gameId: [gameId, slug] },
  }),
  unlinkTester: claimSample,
  ingestDiscordThread: ({ slug }) => ({
    params: {},
    query: {},
    body: { channel_id: `channel-${threads++}`, game: slug },
    names: {},
  }),
  listGameExperiments: ({ gameId, slug }) => ({
    params: { id: slug },
    query: {},
    names: { id: [gameId, slug] },
  }),
  getExperimentComparison: ({ experimentId }) => ({
    params: { id: experimentId },
    query: {},
    names: { id: [experimentId] },
  }),
  assignExperiments: ({ gameId, slug, deviceId }) => ({
    params: {},
    query: { gameId, deviceId },
    names: { gameId: [gameId, slug] },
  }),
};

function batchSample({ gameId, slug, batchId }: World): Sample {
  return {
    params: { game: slug, batchId },
    query: {},
    names: { game: [gameId, slug], batchId: [batchId] },
  };
}

function claimSample({ gameId, slug, deviceId, claimToken }: World): Sample {
  return {
    params: {},
    query: {},
    body: { gameId: slug, deviceId, claimToken },
    names: { gameId: [gameId, slug], claimToken: [claimToken] },
  };
}

/** Every endpoint with its name and sample; only those of a kind of key where one is given. */
export function eachEndpoint(kind?: "management" | "ingest"): [EndpointName, Endpoint][] {
  const all = Object.entries(endpoints) as [EndpointName, Endpoint][];
  return all.filter(([, endpoint]) => kind === undefined || endpoint.keys.includes(kind));
}

/** The path and query of a request, every part encoded. */
export function urlOf(
  endpoint: Endpoint,
  { params, query }: Pick<Sample, "params" | "query">,
  extra: readonly string[] = [],
): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const search = [...pairs, ...extra].join("&");
  return search === "" ? path : `${path}?${search}`;
}

/** The sample with one of its names changed, wherever it is. */
export function renamed(sample: Sample, endpoint: Endpoint, name: string, value: string): Sample {
  if (name in endpoint.params.shape) return { ...sample, params: { ...sample.params, [name]: value } };
  if (name in endpoint.query.shape) return { ...sample, query: { ...sample.query, [name]: value } };
  return { ...sample, body: { ...sample.body, [name]: value } };
}

/** Plays two builds of a new game of an account, and analyses them. */
export async function makeWorld(
  service: TestService,
  owner: { readonly accountId: string; readonly keys: NewKeys },
  name: string,
): Promise<World> {
  const { write } = service.service.store;
  const slug = `${name}-game`;
  const game = await ensureGame(write, service.service, owner.accountId, slug);
  const [version, later, deviceId] = [`${name}-1`, `${name}-2`, `${name}-device`];
  const experimentId = await runExperiment(service, game, name);
  await putProvider(write, {
    account_id: owner.accountId,
    kind: "chat",
    // Nobody listens there: what is answered is by the rules, at once.
    base_url: "http://127.0.0.1:1/v1",
    model: "none",
    api_key: "none",
    timeout_ms: 1000,
    updated_at: NOW,
  });
  const sessions: string[] = [];
  for (const gameVersion of [version, later]) {
    const events = ["fail", "fail", "fail", "fail", "player_pos"].map((event, at) => ({
      id: `e${at}`,
      name: event,
      timestamp: NOW - 60_000 + at * 1000,
      data: { room: "cellar", x: at, y: at },
    }));
    const body = {
      gameId: slug,
      clientSessionId: gameVersion,
      deviceId,
      source: "unity-telemetry",
      sessionMetadata: { gameVersion },
      experimentTags: { [experimentId]: "control" },
      sessionEnded: true,
      events,
    };
    const sent = await service.post("/api/telemetry", body, { key: owner.keys.ingest });
    expect(sent.status).toBe(202);
    sessions.push(sent.json.sessionId as string);
  }
  await service.analysis.settle();
  const more = await furnish(service, game.id, deviceId, name);
  return {
    keys: owner.keys,
    gameId: game.id,
    slug,
    sessionId: sessions[0] ?? "",
    version,
    later,
    deviceId,
    experimentId,
    ...more,
  };
}

/** Starts an experiment with an audience that every device of the world is in. */
async function runExperiment(service: TestService, game: GameRow, name: string): Promise<string> {
  return await service.service.store.write.transaction().execute(async (db) => {
    const { service: making } = service;
    const audience = await createAudience(db, making, game, {
      name: `${name} audience`,
      predicates: [{ field: "environment", op: "in", values: ["production"] }],
    });
    const { id } = await createExperiment(db, making, game, {
      name: `${name} experiment`,
      variants: [
        { key: "control", name: "As it is", allocation: 50 },
        { key: "bright", name: "Brighter cellar", allocation: 50 },
      ],
      audienceId: audience.id,
    });
    await startExperiment(db, await requireExperiment(db, game.account_id, id), making.now());
    return id;
  });
}

/** Gives a game a form, a batch whose keys and invite differ, an event with flags, and a handle linked to the device. */
async function furnish(service: TestService, gameId: string, deviceId: string, name: string) {
  return await service.service.store.write.transaction().execute(async (db) => {
    const { service: making } = service;
    const form = await createForm(db, making, gameId, {
      name: `${name} form`,
      fields: [{ id: "fun", label: "Was it fun?", kind: "rating-1-5", required: true }],
      triggerHint: "session_end",
      active: true,
    });
    const batch = await createBatch(db, making, gameId, {
      name: `${name} batch`,
      distribution_target: "steam",
      fulfillment_source: "uploaded",
      redemption_mode: "link",
      identity_mode: "email",
      instructions: "# Welcome",
      expires_at: NOW + 86_400_000,
      shared: true,
    });
    const keys = await addKeys(db, making, batch, ["AAAA", "BBBB", "CCCC"]);
    await inviteTester(db, making, batch, `${name}@studio.test`, null);
    await revokeKey(db, await requireKey(db, batch, keys.get("CCCC") ?? ""));
    await putEventConfig(db, {
      game_id: gameId,
      name: `${name}_event`,
      sdk_ignore: 1,
      link_to_summary: 0,
      hide_from_ai: 1,
      meaning: null,
    });
    const handle = await ensureHandle(db, making, gameId, `${name}-tester`);
    const claimToken = await issueClaimToken(db, handle);
    await claimHandle(db, NOW, gameId, claimToken, deviceId);
    return { formId: form.id, batchId: batch.id, claimToken };
  });
}

/** Sends a sample the way its endpoint takes it. */
export async function call(
  service: TestService,
  endpoint: Endpoint,
  sample: Sample,
  options: {
    readonly key?: string | null;
    readonly extra?: readonly string[];
    readonly headers?: Record<string, string>;
  } = {},
) {
  const { extra, ...bearer } = options;
  const inQuery = endpoint.credential === "query";
  const key = `key=${encodeURIComponent(options.key ?? service.keys.management)}`;
  const url = urlOf(endpoint, sample, inQuery ? [...(extra ?? []), key] : extra);
  const rest = inQuery ? { ...bearer, key: null } : bearer;
  if (endpoint.method === "DELETE") {
    const authorization = `Bearer ${options.key ?? service.keys.ingest}`;
    const headers = { "content-type": "application/json", authorization, ...options.headers };
    return await send(service.app, url, { method: "DELETE", headers, body: JSON.stringify(sample.body) });
  }
  return endpoint.method === "POST"
    ? await service.post(url, sample.body, rest)
    : await service.get(url, rest);
}
