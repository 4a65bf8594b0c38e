/** Every read of the demo studio answers the same before and after its events are removed, except for what the docs list. */
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EndpointName } from "../../../src/contract/index.ts";
import { changedByPruning } from "../../../src/server/pruning/changed-answers.ts";
import { prune } from "../../../src/server/pruning/prune.ts";
import { DAY_MS } from "../../../src/shared/time-units.ts";
import { startDemo } from "../../cli/demo.ts";
import type { TestService } from "../../harness.ts";
import { call, eachEndpoint, samples, type World } from "../sample-requests.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

/** The names of the demo studio, with a bug report. The session crashed. */
async function findWorld(): Promise<World> {
  const get = async (path: string) => (await service.get(`/api/v1/${path}`)).json;
  const [crash] = (await get("crashes/ember?env=all")).items;
  const { session, insights } = await get(`sessions/${crash.sessionId}`);
  const first = async (path: string) =>
    Object.values<{ id: string }[]>(await get(path)).find(Array.isArray)?.[0]?.id ?? "";
  const sent = {
    gameId: "ember",
    sessionId: session.id,
    title: "Stuck",
    description: "In a wall",
    severity: "low",
  };
  const { json: report } = await service.post("/api/telemetry/bug-report", {
    ...sent,
    idempotencyKey: "one",
  });
  service.clock.now += DAY_MS;
  await service.analysis.drain();
  const { experiments } = await get("games/ember/experiments");
  return {
    keys: service.keys,
    gameId: session.gameId,
    slug: "ember",
    sessionId: session.id,
    version: "0.8.0",
    later: "0.9.0",
    deviceId: session.deviceId,
    experimentId: experiments[0].id,
    formId: "",
    batchId: await first("batches/ember"),
    insightId: insights[0].id,
    bugReportId: report.bugReportId,
    submissionId: (await get("feedback/ember?env=all")).items[0].submissionId,
    receiver: "",
    claimToken: "",
  };
}

/** Parameters for which answers contain what comes from events. */
const queries: { readonly [Name in EndpointName]?: Readonly<Record<string, string>> } = {
  getFunnel: { steps: "room:ash-bridge" },
  getHeatmap: { paths: "5", marks: "deaths,quits" },
};

/** The answers of all reads. */
async function readAnswers(world: World): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const failed: unknown[] = [];
  for (const [name, endpoint] of eachEndpoint("management")) {
    if (endpoint.method !== "GET") continue;
    const sample = samples[name](world);
    const query = { ...sample.query, ...queries[name] };
    const { status, json } = await call(
      service,
      endpoint,
      { ...sample, query },
      { key: world.keys.management },
    );
    if (status !== 200) failed.push([name, status, json]);
    answers.set(name, json);
  }
  expect(failed).toEqual([]);
  return answers;
}

it("lists the reads whose answers change", async () => {
  const world = await findWorld();
  const before = await readAnswers(world);
  expect(isDeepStrictEqual(await readAnswers(world), before)).toBe(true);
  const signal = new AbortController().signal;
  await prune(service.service, { keepEventsMs: 0, keepSessionsMs: null }, { signal });
  const after = await readAnswers(world);
  const changed = [...before].flatMap(([name, answer]) => {
    const fields = listChanged(answer, after.get(name) as typeof answer);
    return fields.length === 0 ? [] : [[name, fields] as const];
  });
  const listed = Object.entries(changedByPruning).map(([name, { fields }]) => [name, fields] as const);
  expect(Object.fromEntries(changed)).toEqual(Object.fromEntries(listed));
  const crashes = after.get("listCrashes") ?? {};
  expect(crashes).toMatchObject({ total: 0, notGrouped: { pruned: 12 } });
  // Whoever asks for a time from which the answer is complete gets no pruned session.
  const funnel = after.get("getFunnel") ?? {};
  for (const [path, { completeSince: from }] of [
    ["crashes/ember", crashes],
    ["funnels/ember?steps=room:ash-bridge", funnel],
  ] as const) {
    expect(from).toEqual(expect.any(Number));
    const later = await service.get(`/api/v1/${path}${path.includes("?") ? "&" : "?"}from=${from}`);
    expect(later.json.completeSince).toBeNull();
  }
});

type Answer = Readonly<Record<string, unknown>>;

/** The fields of an answer that differ. */
const listChanged = (before: Answer, after: Answer) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .sort();
