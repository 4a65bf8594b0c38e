/** One valid sample request for every endpoint, and a data set for which it succeeds. */
import { expect } from "vitest";
import * as z from "zod";
import type { ApiKeyKind, Endpoint } from "../../src/contract/define.ts";
import { type EndpointName, endpoints } from "../../src/contract/index.ts";
import type { Noun } from "../../src/contract/nouns.ts";
import { storeProvider } from "../../src/server/analysis/provider/provider-queries.ts";
import type { GameRow } from "../../src/server/db/schema.ts";
import { requireExperiment } from "../../src/server/experiments/experiment-queries.ts";
import { createAudience, createExperiment, startExperiment } from "../../src/server/experiments/lifecycle.ts";
import { createForm } from "../../src/server/feedback/forms.ts";
import { ensureGame } from "../../src/server/games/games.ts";
import { createWebhook } from "../../src/server/notifications/webhooks.ts";
import {
  addPlaytestKeys,
  createBatch,
  inviteTester,
  requirePlaytestKey,
  revokePlaytestKey,
} from "../../src/server/playtests/batches.ts";
import { putEventConfig } from "../../src/server/telemetry/event-config-queries.ts";
import { claimHandle, ensureHandle, issueClaimToken } from "../../src/server/testers/handles.ts";
import { NOW, send, type TestKeys, type TestService } from "../harness.ts";

/** The data of one account, by the names that requests can use. */
export interface World {
  readonly keys: TestKeys;
  readonly gameId: string;
  readonly slug: string;
  readonly sessionId: string;
  readonly version: string;
  readonly later: string;
  readonly deviceId: string;
  readonly experimentId: string;
  readonly formId: string;
  readonly batchId: string;
  readonly insightId: string;
  readonly bugReportId: string;
  readonly submissionId: string;
  /** The name of a webhook. */
  readonly receiver: string;
  /** The claim token of the handle that the device is linked to. */
  readonly claimToken: string;
}

/** A request for which the endpoint returns its success status. */
export interface Sample {
  readonly params: Readonly<Record<string, string>>;
  /** The required query parameters, and those of the endpoint's sample. */
  readonly query: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The parameters or body fields that refer to something, each with all its names. Unknown names return 404. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** All objects of each noun, each with all its names. */
function thingsOf(world: World): Readonly<Record<Noun, readonly (readonly string[])[]>> {
  return {
    game: [[world.slug, world.gameId]],
    session: [[world.sessionId]],
    build: [[world.version], [world.later]],
    device: [[world.deviceId]],
    tester: [[world.deviceId]],
    batch: [[world.batchId]],
    experiment: [[world.experimentId]],
    form: [[world.formId]],
    insight: [[world.insightId]],
    "bug report": [[world.bugReportId]],
    submission: [[world.submissionId]],
    receiver: [[world.receiver]],
    claimToken: [[world.claimToken]],
  };
}

/** Number of unique values created so far. */
let unique = 0;

/** The sample request of every endpoint, built from its contract. */
export const samples = Object.fromEntries(
  Object.entries(endpoints).map(([name, endpoint]) => [name, (world: World) => sampleOf(endpoint, world)]),
) as { readonly [Name in EndpointName]: (world: World) => Sample };

function sampleOf(endpoint: Endpoint, world: World): Sample {
  const { names, sample, params, query, body } = endpoint;
  const things = thingsOf(world);
  const given = fieldsOf(endpoint);
  const used = new Map<Noun, number>();
  const named = given.flatMap((field) => {
    const noun = names[field];
    if (noun === undefined) return [];
    const at = used.get(noun) ?? 0;
    used.set(noun, at + 1);
    return [[field, things[noun][at] ?? []] as const];
  });
  const first = Object.fromEntries(named.map(([field, [name]]) => [field, name]));
  const others = Object.entries(names).map(([field, noun]) => [field, things[noun][0] ?? []] as const);
  const values: Record<string, unknown> = { ...filled(sample, things), ...first };
  const pick = (shape: object) =>
    Object.fromEntries(given.flatMap((field) => (field in shape ? [[field, String(values[field])]] : [])));
  const inBody = given.filter((field) => !(field in params.shape) && !(field in query.shape));
  return {
    params: pick(params.shape),
    query: pick(query.shape),
    ...(body instanceof z.ZodUndefined
      ? {}
      : { body: Object.fromEntries(inBody.map((field) => [field, values[field]])) }),
    names: { ...Object.fromEntries(others), ...Object.fromEntries(named) },
  };
}

/** The fields of a sample request: path parameters, required fields, and those of the endpoint's sample. */
function fieldsOf({ names, sample, params, query, body }: Endpoint): string[] {
  const required = Object.entries(query.shape).filter(([, field]) => !(field instanceof z.ZodOptional));
  const inBody =
    body instanceof z.ZodUndefined ? [] : Object.keys(names).filter((name) => !(name in params.shape));
  return [
    ...new Set([
      ...Object.keys(params.shape),
      ...required.map(([name]) => name),
      ...inBody,
      ...Object.keys(sample),
    ]),
  ];
}

/** The values of an endpoint's sample. A placeholder such as `{device}` is replaced by a name. */
function filled(
  sample: Endpoint["sample"],
  things: ReturnType<typeof thingsOf>,
): Readonly<Record<string, unknown>> {
  const fill = (value: unknown) => {
    const [, word] = (typeof value === "string" && /^\{(\w+)\}$/.exec(value)) || [];
    if (word === "unique") return `unique-${unique++}`;
    return word === undefined ? value : things[word as Noun][0]?.[0];
  };
  return Object.fromEntries(Object.entries(sample).map(([field, value]) => [field, fill(value)]));
}

/** All endpoints with their names, optionally only those for one kind of key. */
export function eachEndpoint(kind?: ApiKeyKind): [EndpointName, Endpoint][] {
  const all = Object.entries(endpoints) as [EndpointName, Endpoint][];
  return all.filter(([, endpoint]) => kind === undefined || endpoint.keys.includes(kind));
}

/** The encoded path and query of a request. */
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

/** The sample with one of its names replaced. */
export function renamed(sample: Sample, endpoint: Endpoint, name: string, value: string): Sample {
  if (name in endpoint.params.shape) return { ...sample, params: { ...sample.params, [name]: value } };
  if (name in endpoint.query.shape)
    return { ...sample, query: { ...withoutExcluded(sample.query, endpoint, name), [name]: value } };
  return { ...sample, body: { ...sample.body, [name]: value } };
}

/** The query without the parameters that a parameter excludes. */
export function withoutExcluded(
  query: Sample["query"],
  { excludes }: Endpoint,
  name: string,
): Readonly<Record<string, string>> {
  const excluded = excludes[name] ?? [];
  return Object.fromEntries(Object.entries(query).filter(([key]) => !excluded.includes(key)));
}

/** Creates a game with sessions of two builds in an account, and analyzes them. */
export async function makeWorld(
  service: TestService,
  owner: { readonly accountId: string; readonly keys: TestKeys },
  name: string,
): Promise<World> {
  const { writeDb: write } = service.service.store;
  const slug = `${name}-game`;
  const game = await ensureGame(write, service.service, owner.accountId, slug);
  const [version, later, deviceId] = [`${name}-1`, `${name}-2`, `${name}-device`];
  const experimentId = await runExperiment(service, game, name);
  await storeProvider(write, {
    account_id: owner.accountId,
    kind: "chat",
    // Nothing listens at this address, so the rules respond immediately.
    base_url: "http://127.0.0.1:1/v1",
    model: "none",
    api_key: "none",
    timeout_ms: 1000,
    updated_at: NOW,
  });
  const sessions: string[] = [];
  for (const gameVersion of [version, later]) {
    const events = ["death", "death", "death", "death", "player_pos", "crash_reported"].map((event, at) => ({
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
  let bugReportId = "";
  for (const idempotencyKey of ["one", "two"]) {
    const report = {
      gameId: slug,
      title: "Stuck",
      description: `${name} bug`,
      severity: "low",
      idempotencyKey,
    };
    const sent = await service.post("/api/telemetry/bug-report", report, { key: owner.keys.ingest });
    expect(sent.status).toBe(200);
    bugReportId = sent.json.bugReportId;
  }
  await createWebhook(write, service.service, owner.accountId, {
    ...{ url: "http://127.0.0.1:9/gates", format: "json", events: ["gate.decided"], gameId: null },
    name: `${name}-ci`,
  });
  const gate = { gameId: slug, b: later, to: `${name}-ci` };
  expect((await service.post("/api/ci/gates", gate, { key: owner.keys.ci })).status).toBe(200);
  const more = await furnish(service, game.id, deviceId, name);
  const answers = await service.post(
    "/api/telemetry/feedback",
    {
      requestId: "first",
      formId: more.formId,
      sessionId: sessions[0],
      responses: [{ fieldId: "fun", value: "4" }],
    },
    { key: owner.keys.ingest },
  );
  await service.analysis.drain();
  const found = await service.get(`/api/v1/sessions/${sessions[0]}`, { key: owner.keys.management });
  return {
    keys: owner.keys,
    gameId: game.id,
    slug,
    sessionId: sessions[0] ?? "",
    version,
    later,
    deviceId,
    experimentId,
    insightId: found.json.insights[0].id,
    bugReportId,
    submissionId: answers.json.submissionId,
    receiver: `${name}-ci`,
    ...more,
  };
}

/** Starts an experiment with an audience that includes every device of the world. */
async function runExperiment(service: TestService, game: GameRow, name: string): Promise<string> {
  return await service.service.store.writeDb.transaction().execute(async (db) => {
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

/** Creates a form, a batch with keys and an invite, an event config, and a handle linked to the device. */
async function furnish(service: TestService, gameId: string, deviceId: string, name: string) {
  return await service.service.store.writeDb.transaction().execute(async (db) => {
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
    const keys = await addPlaytestKeys(db, making, batch, ["AAAA", "BBBB", "CCCC"]);
    await inviteTester(db, making, batch, `${name}@studio.test`, null);
    await revokePlaytestKey(db, await requirePlaytestKey(db, batch, keys.get("CCCC") ?? ""));
    await putEventConfig(db, {
      game_id: gameId,
      name: `${name}_event`,
      sdk_ignore: 1,
      link_to_summary: 0,
      hide_from_ai: 1,
      meaning: null,
      sample_rate: null,
    });
    const handle = await ensureHandle(db, making, gameId, `${name}-tester`);
    const claimToken = await issueClaimToken(db, handle);
    await claimHandle(db, NOW, gameId, claimToken, deviceId);
    return { formId: form.id, batchId: batch.id, claimToken };
  });
}

/** The key of an account that an endpoint accepts, by default of its first kind. */
export function keyFor({ keys: kinds }: Endpoint, keys: TestKeys, preferred?: ApiKeyKind): string {
  const kind = preferred !== undefined && kinds.includes(preferred) ? preferred : kinds[0];
  return keys[kind ?? "management"];
}

/** Sends a sample request to its endpoint. */
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
