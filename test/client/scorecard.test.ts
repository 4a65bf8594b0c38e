/** The scorecard of two builds: computed by the service, from facts, or not at all. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReadFactsPage, readAllFacts } from "../../src/client/build-facts.ts";
import { type Announced, type ClientOptions, callEndpoint, createClient } from "../../src/client/client.ts";
import { type BuildPair, readComparison } from "../../src/client/scorecard.ts";
import type { Transport } from "../../src/client/transport.ts";
import { EXTENSIONS_HEADER } from "../../src/contract/announcement.ts";
import { getBuildFacts } from "../../src/contract/build-facts.ts";
import { compareBuilds } from "../../src/contract/builds.ts";
import { getScorecard } from "../../src/contract/scorecard.ts";
import { listSessionEvents } from "../../src/contract/session-events.ts";
import { getSession } from "../../src/contract/sessions.ts";
import { DEFAULT_OPTIONS } from "../../src/scorecard/options.ts";
import type { ScorecardOptions } from "../../src/scorecard/scorecard.ts";
import { isWatched } from "../../src/scorecard/titled-rows.ts";
import { startDemo } from "../cli/demo.ts";
import { withoutExtensions } from "../document-service.ts";
import { BASE_URL, createAppTransport, type TestService } from "../harness.ts";

const builds = { game: "ember", a: "0.8.0", b: "0.9.0" };

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

/** A service that announces only the facts, and returns this many testers on a page. */
const withFactsOnly =
  (limit: number) =>
  (transport: Transport): Transport =>
  async (request) => {
    const url = new URL(request.url);
    if (url.searchParams.has("limit")) url.searchParams.set("limit", String(limit));
    const response = await transport({ ...request, url: String(url) });
    const headers = { ...response.headers, [EXTENSIONS_HEADER]: "getBuildFacts" };
    return { ...response, headers };
  };

/** The options of a client, and the paths that it requests. */
function connect(wrap: (transport: Transport) => Transport = (transport) => transport) {
  const paths: string[] = [];
  const transport = wrap(createAppTransport(service.app));
  const announced: Announced = { header: null };
  const client: ClientOptions = {
    ...{ baseUrl: BASE_URL, key: service.keys.management, timeoutMs: 60_000, maxWaitMs: 0, announced },
    waiting: { sleep: async () => {}, random: () => 0.5, onWait: () => {} },
    transport: (request) => {
      paths.push(new URL(request.url).pathname);
      return transport(request);
    },
  };
  return { client, paths };
}

const endpoints = { compareBuilds, getBuildFacts, getScorecard };
const compare = (client: ClientOptions, pair: BuildPair, options: ScorecardOptions) =>
  readComparison(createClient(endpoints, client), pair, options);

describe("the comparison of two builds", () => {
  it("is one request to a service that computes it", async () => {
    const { client, paths } = connect();
    const compared = await compare(client, builds, DEFAULT_OPTIONS);
    expect(paths).toEqual(["/api/v1/games", "/api/v1/scorecards/ember"]);
    expect(compared.environment).toBe("production");
    const scorecard = typeof compared.scorecard === "string" ? undefined : compared.scorecard;
    expect(scorecard).toMatchObject({
      a: { version: "0.8.0", sessions: { open: 0, unanalyzed: 0, failed: 0 } },
      b: { version: "0.9.0", sessions: { open: 0, unanalyzed: 0, failed: 0 } },
    });
    const { onlyA = 0, onlyB = 0, both = 0 } = scorecard?.testers ?? {};
    expect([onlyA + both, onlyB + both]).toEqual([scorecard?.a.testers, scorecard?.b.testers]);
    const spike = scorecard?.rows.find(({ metric }) => metric === "friction:difficulty-spike:furnace");
    expect(spike).toMatchObject({ family: "friction", unit: "share", room: "furnace" });
    const ratings = scorecard?.rows
      .filter(({ family }) => family === "ratings")
      .map(({ subject }) => subject);
    expect(scorecard?.fields.map(({ field }) => field)).toEqual(ratings?.toSorted());
  });

  it.each([
    ["the defaults", DEFAULT_OPTIONS],
    [
      "other options",
      {
        ...DEFAULT_OPTIONS,
        ...{ level: 0.0123, families: ["crash", "ratings"], limits: { friction: 0.25, rating: 1 } },
        newRooms: { max: 0.125, count: "all" },
      },
    ],
  ] satisfies [string, ScorecardOptions][])(
    "is equal if it is computed from pages of facts, with %s",
    async (_, options) => {
      const { client, paths } = connect(withFactsOnly(7));
      const computed = await compare(client, builds, options);
      expect([...new Set(paths)]).toEqual([
        ...["/api/v1/games", "/api/v1/builds/compare"],
        ...["/api/v1/builds/ember/0.8.0/facts", "/api/v1/builds/ember/0.9.0/facts"],
      ]);
      expect(paths.length).toBeGreaterThan(5);
      const { evidence, ...service } = await compare(connect().client, builds, options);
      expect(computed).toEqual({ ...service, evidence: null });
      expect(evidence).not.toBeNull();
    },
  );

  it("is the friction diff if the service has only the document", async () => {
    const { client, paths } = connect(withoutExtensions);
    const compared = await compare(client, builds, DEFAULT_OPTIONS);
    expect(compared).toMatchObject({ scorecard: "unsupported", evidence: null, b: { version: "0.9.0" } });
    expect(compared.changes.length).toBeGreaterThan(0);
    expect(paths).toEqual(["/api/v1/games", "/api/v1/builds/compare"]);
  });

  it("has sessions behind what is worse or may be: those with the tag, and those that quit in the room", async () => {
    const { evidence, scorecard } = await compare(connect().client, builds, DEFAULT_OPTIONS);
    const rows = typeof scorecard === "string" ? [] : scorecard.rows;
    const evident = rows.filter(({ name }) => name === "friction" || name === "quit");
    const worse = evident.filter(({ status }) => status === "worse");
    const named = [...worse, ...evident.filter(isWatched)].map(({ metric }) => metric);
    expect(worse.length).toBeGreaterThan(1);
    expect(named.length).toBeGreaterThan(worse.length);
    expect(evidence?.map(({ metric }) => metric)).toEqual(named);
    const sessions = (metric: string) => evidence?.find((row) => row.metric === metric)?.sessions ?? [];
    const tagged = sessions("friction:difficulty-spike:furnace");
    expect(tagged).toHaveLength(3);
    for (const { insightId, title, activeSec } of tagged)
      expect([insightId, title, activeSec]).not.toContain(null);
    for (const { sessionId, insightId, title, activeSec, ...shown } of tagged) {
      const { session } = await callEndpoint(getSession, { id: sessionId }, connect().client);
      const { title: sessionTitle, testerHandle, recordedAt, duration } = session;
      expect(shown).toEqual({ sessionTitle, testerHandle, recordedAt, duration });
      expect(activeSec).toBeLessThanOrEqual(duration);
    }
    const quits = sessions("quit:furnace");
    expect(quits).toHaveLength(3);
    for (const { sessionId } of quits) {
      const { items } = await callEndpoint(
        listSessionEvents,
        { id: sessionId, limit: 1000 },
        connect().client,
      );
      const last = items.findLast(({ data }) => data?.room !== undefined);
      expect(last?.data).toMatchObject({ room: "furnace" });
    }
  });

  it("refuses options that are none, and builds that do not exist", async () => {
    const { client } = connect();
    const call = (more: object) => callEndpoint(getScorecard, { ...builds, ...more }, client);
    for (const more of [
      { families: "fun" },
      { limits: "quit" },
      { newRoomMax: "2" },
      { level: "1" },
      { level: "5%" },
    ])
      await expect(call(more)).rejects.toMatchObject({ code: "invalid_input" });
    await expect(call({ b: "9.9" })).rejects.toMatchObject({ code: "not_found" });
  });
});

it("reads the facts of all testers, in any number of pages", async () => {
  const build = { game: "ember", version: "0.9.0" };
  const readFrom =
    ({ client }: ReturnType<typeof connect>): ReadFactsPage =>
    (input) =>
      callEndpoint(getBuildFacts, input, client);
  const whole = await readAllFacts(readFrom(connect()), build);
  expect(whole.testers).toHaveLength(whole.total);
  expect(await readAllFacts(readFrom(connect(withFactsOnly(5))), build)).toEqual(whole);
});
