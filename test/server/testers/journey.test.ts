/** Journeys: how names are resolved, the entries, and the engagement trend. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Insight } from "../../../src/contract/insights.ts";
import { computeTrend, summarizeJourney } from "../../../src/server/testers/journey-handlers.ts";
import type { JourneySession } from "../../../src/server/testers/tester-queries.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

const DAY = 86_400_000;

let service: TestService;
let gameId: string;

async function visit(device: string, day: number, seconds: number, more: Record<string, unknown> = {}) {
  // The service rejects clocks that are more than a day ahead.
  const start = NOW + (day - 9) * DAY;
  return await sendTelemetry(service, {
    gameId: "ember",
    deviceId: device,
    startedAt: start,
    sessionEnded: true,
    sessionMetadata: { gameVersion: `0.${day}` },
    events: [
      ...[0, 1, 2, 3, 4].map((at) => ({
        id: `f${at}`,
        name: "death",
        timestamp: start + at,
        data: { room: "cellar" },
      })),
      { id: "end", name: "walk", timestamp: start + seconds * 1000 },
    ],
    ...more,
  });
}

async function addHandle(handle: string, device: string | null) {
  const row = {
    ...{ game_id: gameId, id: `pth_${handle}`, handle, key_id: null, device_id: device },
    ...{ claimed_at: NOW, claim_token_hash: null, created_at: NOW },
  };
  await service.service.store.writeDb.insertInto("tester_handles").values(row).execute();
}

const sessions: string[] = [];
let typed: string;
let waiting: string;
type Entry = { session: { id: string } };

beforeAll(async () => {
  service = await startTestService();
  gameId = await service.addGame("ember", "Ember");
  for (const [day, seconds] of [100, 100, 100, 200].entries()) sessions.push(await visit("d1", day, seconds));
  await visit("d1", 9, 50, { environment: "staging" });
  typed = await visit("shared", 0, 10, { testerHandle: "Typed" });
  await visit("shared", 1, 10);
  await visit("d5", 0, 10, { deviceId: undefined, testerHandle: "Deviceless" });
  await visit("d3", 0, 10);
  await visit("d4", 0, 10, { testerHandle: "d3" });
  await visit("d6", 0, 10, { testerHandle: "Ash" });
  waiting = await visit("d7", 0, 10, { testerHandle: "Waiting" });
  await addHandle("Waiting", null);
  await addHandle("Ash", "d1");
  await addHandle("Idle", null);
  // A handle that equals the device id of another tester.
  await visit("d2", 0, 10);
  await addHandle("shared", "d2");
  await service.analysis.drain();
});

afterAll(() => service.stop());

const journey = async (name: string, search = "") =>
  (await service.get(`/api/v1/testers/ember/${encodeURIComponent(name)}/journey${search}`)).json.journey;

describe("the tester", () => {
  it("is found by handle and by device id", async () => {
    const byHandle = await journey("Ash");
    expect(byHandle.tester).toEqual({ handle: "Ash", deviceId: "d1", identityLabel: "Ash" });
    expect((await journey("d1")).entries).toEqual(byHandle.entries);
    expect(byHandle.game).toEqual({ id: gameId, slug: "ember", name: "Ember" });
  });

  it("is resolved by handle before device id", async () => {
    expect((await journey("shared")).tester).toMatchObject({ handle: "shared", deviceId: "d2" });
  });

  it("is found by a handle that only sessions name, with only those sessions", async () => {
    const { tester, entries } = await journey("Typed");
    expect(tester).toEqual({ handle: "Typed", deviceId: "shared", identityLabel: "Typed" });
    expect(entries.map((one: Entry) => one.session.id)).toEqual([typed]);
    expect(entries[0].insights.length).toBeGreaterThan(0);
    expect((await journey("Typed", "?env=staging")).entries).toEqual([]);
    expect((await journey("Deviceless")).tester).toMatchObject({ handle: "Deviceless", deviceId: null });
    expect((await journey("Deviceless")).totalSessions).toBe(1);
    // This takes precedence over the device with the same id.
    expect((await journey("d3")).tester).toMatchObject({ handle: "d3", deviceId: "d4" });
  });

  it("is resolved by a registered handle before a handle that sessions name", async () => {
    expect((await journey("Ash")).entries).toHaveLength(5);
    expect((await journey("Waiting")).entries.map((one: Entry) => one.session.id)).toEqual([waiting]);
  });

  it("can have no sessions yet", async () => {
    expect(await journey("Idle")).toEqual({
      tester: { handle: "Idle", deviceId: null, identityLabel: "Idle" },
      game: { id: gameId, slug: "ember", name: "Ember" },
      totalSessions: 0,
      totalActiveSec: 0,
      engagementTrend: "insufficient_data",
      entries: [],
      summary: "Idle has not played yet.",
    });
  });

  it("returns 404 for an unknown name", async () => {
    expect((await service.get("/api/v1/testers/ember/none/journey")).status).toBe(404);
  });
});

describe("entries", () => {
  it("are sorted oldest first, with their insights, in all environments by default", async () => {
    const all = await journey("d1");
    expect(all.totalSessions).toBe(5);
    const own = await journey("d1", "?env=production");
    expect(own.entries.map((entry: { session: { id: string } }) => entry.session.id)).toEqual(sessions);
    expect((await journey("d1", "?env=none")).entries).toEqual([]);
    const [first] = own.entries;
    const { insights } = (await service.get(`/api/v1/sessions/${sessions[0]}`)).json;
    expect(first.insights).toEqual(
      insights.map(
        ({ claims: _claims, activeSec: _activeSec, ...insight }: { claims: unknown; activeSec: unknown }) =>
          insight,
      ),
    );
    expect(first.topFriction[0]).toEqual({
      type: "difficulty-spike",
      tag: "difficulty-spike:cellar",
      title: "Difficulty spike in cellar",
      count: 1,
    });
    expect(first.topPraise).toEqual([]);
  });

  it("are summarized", async () => {
    const own = await journey("Ash", "?env=production");
    expect(own).toMatchObject({ totalActiveSec: 500, engagementTrend: "rising" });
    expect(own.summary).toBe(
      "Ash played 4 sessions over 3 days from build 0.0 to 0.3, with 8m 20s of active play. Top friction: difficulty spike in cellar (in 4 sessions).",
    );
  });
});

describe("the summary of tags that are equally frequent", () => {
  const summarize = (...tags: string[]) => {
    const insights = tags.map((tag) => ({ type: "bug-report", tag }) as Insight);
    const session = { build: "1", recordedAt: 0, activeMs: 1000 } as JourneySession;
    return summarizeJourney("Ash", [session], insights, new Map(), "all").replace(/^.*Top friction: /, "");
  };

  it.each([
    [["bug-report:a", "bug-report:a", "bug-report:b"], "bugs around a (in 2 sessions)."],
    [["bug-report:b", "bug-report:a"], "bugs around a and bugs around b (in 1 session each)."],
    [
      ["bug-report:d", "bug-report:c", "bug-report:b", "bug-report:a"],
      "bugs around a, bugs around b and bugs around c (in 1 session each).",
    ],
  ])("%j", (tags, expected) => expect(summarize(...tags)).toBe(expected));
});

describe("the summary of session lengths", () => {
  const summarize = (activeSec: readonly number[]) => {
    const played = activeSec.map(
      (sec) => ({ build: "1", recordedAt: 0, activeMs: sec * 1000 }) as JourneySession,
    );
    return summarizeJourney("Ash", played, [], new Map(), "all").replace(/^.*of active play/, "");
  };

  it.each([
    [[100, 200, 300, 400], "."],
    [[100, 200, 300, 400, 500], "; sessions are getting longer."],
    [[500, 400, 300, 200, 100], "; sessions are getting shorter."],
    // The last three are much longer than the first three, which chance does in one of ten testers.
    [[100, 300, 200, 600, 150, 400], "."],
  ])("mentions a trend of %j only if it is beyond chance", (activeSec, expected) =>
    expect(summarize(activeSec)).toBe(expected),
  );
});

describe("the trend", () => {
  it.each([
    ["insufficient_data", [1, 2, 3]],
    ["flat", [100, 100, 100, 100]],
    ["flat", [100, 100, 100, 100, 145]],
    ["rising", [100, 100, 100, 100, 100, 146]],
    ["flat", [100, 100, 100, 100, 100, 55]],
    ["declining", [100, 100, 100, 100, 100, 54]],
    ["flat", [0, 0, 0, 0]],
    ["rising", [0, 0, 0, 1]],
    ["declining", [1, 0, 0, 0]],
  ])("is %s over %j", (trend, activeMs) => expect(computeTrend(activeMs)).toBe(trend));
});
