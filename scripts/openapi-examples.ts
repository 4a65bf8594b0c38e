/** Requests the examples of the OpenAPI document from a service with the demo studio, one for each endpoint. */

import * as z from "zod";
import { seedDemo } from "../src/cli/commands/server/seed.ts";
import type { Endpoint } from "../src/contract/define.ts";
import { UNKNOWN_BUILD } from "../src/contract/fields.ts";
import { endpoints } from "../src/contract/index.ts";
import type { Noun } from "../src/contract/nouns.ts";
import { createAccount, issueKeys } from "../src/server/accounts/accounts.ts";
import { issueKey } from "../src/server/accounts/keys.ts";
import { openStore } from "../src/server/db/open.ts";
import { requireGame } from "../src/server/games/game-queries.ts";
import { createWebhook } from "../src/server/notifications/webhooks.ts";
import { startService } from "../src/server/start.ts";
import { ensureHandle, issueClaimToken } from "../src/server/testers/handles.ts";

/** 2026-03-01T12:00:00Z: examples are the same on every run. */
const NOW = Date.UTC(2026, 2, 1, 12);
const GAME = "ember";
const RECEIVER = "ci";
/** Maximum number of items of a list, or of entries of a map by name, in an example. */
const MAX_ITEMS = 2;
/** Longer lists are truncated, even if the example counts their items. */
const MAX_COUNTED_ITEMS = 20;

/** Returns the body of a response with status 200; undefined for any other status. */
type Get = (path: string) => Promise<unknown>;

/** A request of a game, a CI job or a chat bot. */
interface OtherRequest {
  readonly method?: string;
  readonly path: string;
  readonly key: "ingest" | "ci" | "management";
  readonly body?: unknown;
}

/** Returns a response of each endpoint, with truncated lists. */
export async function demoExamples(): Promise<Record<string, unknown>> {
  let next = 0;
  const newId = (kind: string) => `${kind}_${(next++).toString(16).padStart(24, "0")}`;
  const store = await openStore({ database: ":memory:", durability: "NORMAL" });
  // Hashes of testers are the same on every run, too.
  await store.writeDb
    .insertInto("secrets")
    .values({ name: "keyed-hash", value: "0".repeat(64) })
    .execute();
  const running = await startService({ store, limits: "off", dependencies: { now: () => NOW, newId } });
  try {
    const account = await createAccount(store.writeDb, running.service, "demo");
    const keys = await issueKeys(store.writeDb, running.service, account.id);
    await seedDemo({ ...running, accountId: account.id, database: ":memory:" });
    await running.analysis.drain();
    const get: Get = async (path) => {
      const headers = { authorization: `Bearer ${keys.management}` };
      const response = await running.app.fetch(new Request(`http://127.0.0.1${path}`, { headers }));
      return response.status === 200 ? await response.json() : undefined;
    };
    const examples = await requestExamples(get);
    const game = await requireGame(store.readDb, account.id, GAME);
    const handle = await ensureHandle(store.writeDb, running.service, game.id, "finch");
    const claimToken = await issueClaimToken(store.writeDb, handle);
    await createWebhook(store.writeDb, running.service, account.id, {
      ...{ url: "https://ci.example.com/playtest", format: "json", events: ["gate.decided"] },
      ...{ gameId: null, name: RECEIVER },
    });
    const ci = await issueKey(store.writeDb, account.id, "ci", NOW);
    for (const [name, request] of await listOtherRequests(get, claimToken, keys.management)) {
      const { method = "GET", path, key, body } = request;
      const response = await running.app.fetch(
        new Request(`http://127.0.0.1${path}`, {
          method,
          headers: { authorization: `Bearer ${{ ...keys, ci }[key]}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      if (!response.ok) throw new Error(`The example of ${name} failed: ${await response.text()}`);
      examples[`${name} ${response.status}`] = truncate(await response.json());
    }
    const { bugReportId } = examples["submitBugReport 200"] as { bugReportId: string };
    examples["getBugReport 200"] = await get(`/api/v1/bug-reports/${GAME}/${bugReportId}`);
    examples["listGates 200"] = await get(`/api/v1/gates/${GAME}`);
    return examples;
  } finally {
    await running.stop();
  }
}

/** The requests that are not reads of a management key, and reads of what only they create. */
async function listOtherRequests(
  get: Get,
  claimToken: string,
  management: string,
): Promise<(readonly [name: string, request: OtherRequest])[]> {
  const { items } = (await get(`/api/v1/feedback/${GAME}?limit=1`)) as {
    items: { formId: string; sessionId: string }[];
  };
  const device = { gameId: GAME, deviceId: "device-1" };
  const search = new URLSearchParams(device);
  const write = { method: "POST", key: "ingest" } as const;
  const event = { id: "e1", name: "room_enter", timestamp: NOW, data: { room: "dock" } };
  const claim = { path: "/api/telemetry/claim", body: { ...device, claimToken } };
  const discord: OtherRequest = {
    ...write,
    ...{ key: "management", path: `/api/webhooks/discord?key=${management}` },
    body: { channel_id: "1203", game: GAME },
  };
  const requests: Record<string, OtherRequest> = {
    sendTelemetry: {
      ...write,
      path: "/api/telemetry",
      body: { ...device, clientSessionId: "run-1", events: [event] },
    },
    resolveGame: { key: "ingest", path: `/api/telemetry/resolve?gameId=${GAME}` },
    submitFeedback: {
      ...write,
      path: "/api/telemetry/feedback",
      body: {
        ...{ gameId: GAME, requestId: "r1", formId: items[0]?.formId, sessionId: items[0]?.sessionId },
        responses: [{ fieldId: "fun", value: "4" }],
      },
    },
    submitBugReport: {
      ...write,
      path: "/api/telemetry/bug-report",
      body: {
        gameId: GAME,
        title: "The door does not open",
        description: "I have both keys.",
        idempotencyKey: "r1",
      },
    },
    linkTester: { ...write, ...claim },
    getCurrentTester: { key: "ingest", path: `/api/telemetry/tester?${search}` },
    unlinkTester: { ...write, ...claim, method: "DELETE" },
    assignExperiments: { key: "ingest", path: `/api/telemetry/experiments?${search}` },
    registerBuild: { ...write, key: "ci", path: "/api/ci/builds", body: { gameId: GAME, version: "0.9.1" } },
    openGate: {
      ...{ ...write, key: "ci", path: "/api/ci/gates" },
      body: { gameId: GAME, b: "0.9.1", to: RECEIVER, commit: "0123456789abcdef0123456789abcdef01234567" },
    },
    getFunnel: {
      key: "management",
      path: `/api/v1/funnels/${GAME}?steps=room:dock,room:gardens`,
    },
  };
  // The second message of a thread creates nothing.
  return [...Object.entries(requests), ["ingestDiscordThread", discord], ["ingestDiscordThread", discord]];
}

async function requestExamples(get: Get): Promise<Record<string, unknown>> {
  const names = await readNames(get);
  const examples: Record<string, unknown> = {};
  for (const endpoint of Object.values(endpoints) as Endpoint[]) {
    if (endpoint.method !== "GET" || !endpoint.keys.includes("management")) continue;
    const url = buildUrl(endpoint, names);
    const response = url === null ? undefined : await get(url);
    if (response !== undefined) examples[`${endpoint.name} 200`] = truncate(response);
  }
  return examples;
}

/** Reads the names of the demo studio's data, by noun. Of the builds, these are the second newest and the newest. */
async function readNames(get: Get): Promise<Partial<Record<Noun, readonly string[]>>> {
  const { items } = (await get(`/api/v1/sessions?game=${GAME}&status=analyzed&limit=100`)) as {
    items: { id: string; metadata: { gameVersion: string } }[];
  };
  const [newest] = items;
  const builds = [...new Set(items.map((item) => item.metadata.gameVersion))].filter(
    (build) => build !== UNKNOWN_BUILD,
  );
  const full = (await get(`/api/v1/sessions/${newest?.id}`)) as { session: { deviceId: string } };
  const insights = (await get(`/api/v1/insights?game=${GAME}&type=difficulty-spike&limit=1`)) as {
    items: { id: string }[];
  };
  const feedback = (await get(`/api/v1/feedback/${GAME}?limit=1`)) as { items: { submissionId: string }[] };
  const first = async (path: string, list: string) =>
    ((await get(path)) as Record<string, { id: string }[]> | undefined)?.[list]
      ?.slice(0, 1)
      .map(({ id }) => id);
  return {
    game: [GAME],
    session: items.slice(0, 1).map(({ id }) => id),
    experiment: (await first(`/api/v1/games/${GAME}/experiments`, "experiments")) ?? [],
    batch: (await first(`/api/v1/batches/${GAME}`, "batches")) ?? [],
    insight: insights.items.map(({ id }) => id),
    submission: feedback.items.map(({ submissionId }) => submissionId),
    device: [full.session.deviceId],
    tester: [full.session.deviceId],
    build: builds.slice(0, 2).reverse(),
  };
}

/**
 * Builds the URL of an endpoint with all required parameters, and with the game if it accepts one. Returns null if the demo
 * studio has no value for a parameter.
 */
function buildUrl(
  { path, params, query, names: named, sample }: Endpoint,
  names: Awaited<ReturnType<typeof readNames>>,
): string | null {
  const queryFields = Object.entries(query.shape).flatMap(([name, field]) =>
    name === "game" || name === "limit" || name in sample || !(field instanceof z.ZodOptional) ? [name] : [],
  );
  const fields = [...Object.keys(params.shape), ...queryFields];
  const unused = new Map(Object.entries(names).map(([noun, values]) => [noun, [...(values ?? [])]]));
  // If there is only one build parameter, use the newest build, which is the last.
  const builds = fields.filter((field) => named[field] === "build").length;
  unused.set("build", unused.get("build")?.slice(-builds) ?? []);
  const values = new Map(
    fields.map((field) => [
      field,
      // A page of the list, whose total and cursor are those of the rows.
      field === "limit"
        ? `${MAX_ITEMS}`
        : (unused.get(named[field] ?? "")?.shift() ?? sampleText(sample[field])),
    ]),
  );
  const encodedName = (name: string) => encodeURIComponent(values.get(name) ?? "");
  if (fields.some((field) => values.get(field) === undefined)) return null;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodedName(name));
  const pairs = queryFields.map((name) => `${name}=${encodedName(name)}`).join("&");
  return pairs === "" ? filled : `${filled}?${pairs}`;
}

/** The value of a sample, unless it refers to a name. */
const sampleText = (value: unknown) =>
  typeof value === "string" && !value.startsWith("{") ? value : undefined;

const isPair = (value: unknown) => Array.isArray(value) && value.every((part) => typeof part !== "object");

/** Truncates lists, and maps whose keys are data, unless a number beside them counts what they contain. */
function truncate(value: unknown, key = "", counts: ReadonlySet<number> = new Set()): unknown {
  if (Array.isArray(value)) {
    const isWhole = isPair(value) || isCounted(value, counts);
    return (isWhole ? value : value.slice(0, MAX_ITEMS)).map((item) => truncate(item));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const isTruncated =
    (key === "byName" || key === "event_counts") && !isCounted(Object.values(value), counts);
  const shown = isTruncated ? entries.slice(0, MAX_ITEMS) : entries;
  const own = listCounts(value);
  return Object.fromEntries(shown.map(([name, part]) => [name, truncate(part, name, own)]));
}

/** The numbers of an object, and the sums of those in its objects. */
function listCounts(value: object): ReadonlySet<number> {
  const sums = Object.values(value).map((part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? sumNumbers(Object.values(part))
      : part,
  );
  return new Set(sums.filter((part) => typeof part === "number" && part > 0) as number[]);
}

const sumNumbers = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, one) => sum + (typeof one === "number" ? one : 0), 0);

/** Whether one of the numbers is that of the items, or the sum of one of their fields. */
function isCounted(items: readonly unknown[], counts: ReadonlySet<number>): boolean {
  if (items.length > MAX_COUNTED_ITEMS) return false;
  const objects = items.filter((item) => typeof item === "object" && item !== null);
  const fields = new Set(objects.flatMap((item) => Object.keys(item)));
  const sums = [...fields].map((field) => sumNumbers(objects.map((item) => Reflect.get(item, field))));
  return [items.length, sumNumbers(items), ...sums].some((sum) => counts.has(sum));
}
