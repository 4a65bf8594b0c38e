/** Finding testers and opening evidence: testers, insights, crashes, feedback and bug reports on the command line. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eraseTester } from "../../src/server/erasure/erase-tester.ts";
import { createForm } from "../../src/server/feedback/forms.ts";
import {
  addPlaytestKeys,
  createBatch,
  inviteTester,
  openInvite,
  redeemPlaytestKey,
  requirePlaytestKey,
  revokePlaytestKey,
} from "../../src/server/playtests/batches.ts";
import { claimHandle, ensureHandle, issueClaimToken } from "../../src/server/testers/handles.ts";
import { DAY_MS } from "../../src/shared/time-units.ts";
import { BASE_URL, createAppTransport, NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";

let service: TestService;
let formId: string;

const stack = (line: number) =>
  `at Furnace.Ignite (Room room) [0x0001${line}] in C:\\build\\Furnace.cs:${line}\n  at UnityEngine.Object.Update () in <a>:0`;

/** Sends a session that failed 6 times in the cellar, and then crashed. */
async function play(day: number, body: Record<string, unknown>, line = 0): Promise<string> {
  service.clock.now = NOW - day * DAY_MS;
  const start = service.clock.now - 60_000;
  const deaths = createEvents(["death", "death", "death", "death", "death", "death"], start).map((event) => ({
    ...event,
    data: { room: "cellar" },
  }));
  const crash = {
    ...{ id: "c", name: "crash_reported", timestamp: start + 9000 },
    data: { type: "NullReferenceException", message: `Null at ${line}`, stackTrace: stack(line) },
  };
  const events = line === 0 ? deaths : [...deaths, crash];
  const id = await sendTelemetry(service, { gameId: "ember", sessionEnded: true, events, ...body });
  await service.analysis.drain();
  return id;
}

let sessions: string[];

beforeAll(async () => {
  service = await startTestService();
  const gameId = await service.addGame("ember");
  const { writeDb: db } = service.service.store;
  const form = {
    name: "After",
    fields: [
      { id: "fun", label: "Fun?", kind: "rating-1-5" as const },
      { id: "again", label: "Again?", kind: "yes-no" as const },
    ],
    triggerHint: "session_end",
    active: true,
  };
  formId = (await createForm(db, service.service, gameId, form)).id;
  const build = (gameVersion: string) => ({ sessionMetadata: { gameVersion } });
  sessions = [
    await play(
      20,
      { deviceId: "dev_a", clientSessionId: "a1", ...build("1.0"), country: "FR", city: "Lyon" },
      12,
    ),
    await play(10, { deviceId: "dev_a", clientSessionId: "a2", ...build("1.1"), country: "VN" }, 99),
    await play(3, { deviceId: "dev_b", clientSessionId: "b1", ...build("1.1"), testerHandle: "bo" }, 47),
    await play(2, { clientSessionId: "c1", ...build("1.1") }),
    await play(1, { deviceId: "dev_q", clientSessionId: "q1", ...build("1.1"), environment: "staging" }),
  ];
  service.clock.now = NOW;
  const answer = (requestId: string, sessionId: string | undefined, fun: string, again: string) =>
    service.post("/api/telemetry/feedback", {
      ...{ requestId, formId, sessionId },
      responses: [
        { fieldId: "fun", value: fun },
        { fieldId: "again", value: again },
      ],
    });
  for (const [at, fun] of ["2", "5", "4"].entries())
    expect((await answer(`r${at}`, sessions[at], fun, at === 0 ? "no" : "yes")).status).toBe(200);
  await service.post("/api/telemetry/bug-report", {
    ...{ gameId: "ember", title: "Door", description: "It is stuck.", idempotencyKey: "1" },
    sessionId: sessions[2],
  });
  await service.analysis.drain();
  const handle = await ensureHandle(db, service.service, gameId, "ada");
  await claimHandle(db, NOW, gameId, await issueClaimToken(db, handle), "dev_a");
});

afterAll(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const run = (...argv: string[]) =>
  runCli([...argv, "--base-url", BASE_URL], {
    env: { PLAYTEST_KEY: service.keys.management, PLAYTEST_GAME: "ember" },
    transport: createAppTransport(service.app),
    columns: 80,
  });

/** The JSON that a command prints. */
async function json(...argv: string[]) {
  const { code, out, err } = await run(...argv, "--json");
  expect([argv, code, err]).toEqual([argv, 0, ""]);
  return JSON.parse(out);
}

describe("testers list", () => {
  it("lists what counts as one tester in build comparisons, last seen first", async () => {
    const { items, total } = await json("testers", "list");
    expect(total).toBe(4);
    expect(
      items.map((item: { tester: string; handle: string | null }) => [item.tester, item.handle]),
    ).toEqual([
      ["dev_q", null],
      [sessions[3], null],
      ["dev_b", "bo"],
      ["dev_a", "ada"],
    ]);
    const compared = await json("builds", "compare", "1.0", "1.1");
    const played = await json("testers", "list", "--build", "1.1", "--env", "production");
    expect(played.total).toBe(compared.buildB.testersInBatch);
  });

  it("agrees with testers get and testers journey on every tester", async () => {
    for (const item of (await json("testers", "list")).items) {
      const { rollup } = await json("testers", "get", item.tester);
      const { journey } = await json("testers", "journey", item.tester);
      expect([rollup.sessionCount, rollup.stats.totalActiveSec]).toEqual([item.sessionCount, item.activeSec]);
      expect([journey.totalSessions, journey.totalActiveSec]).toEqual([item.sessionCount, item.activeSec]);
      expect([rollup.firstSeen, rollup.lastSeen, rollup.handle]).toEqual([
        item.firstSeen,
        item.lastSeen,
        item.handle,
      ]);
    }
  });

  it("selects testers by their last session and by builds", async () => {
    const names = async (...flags: string[]) =>
      (await json("testers", "list", ...flags)).items.map(({ tester }: { tester: string }) => tester);
    expect(await names("--last-seen-before", "7d")).toEqual(["dev_a"]);
    expect(await names("--last-seen-after", "50h")).toEqual(["dev_q", sessions[3]]);
    expect(await names("--build", "1.0")).toEqual(["dev_a"]);
    expect(await names("--env", "staging")).toEqual(["dev_q"]);
  });

  it("shows builds and friction with the number of sessions", async () => {
    const [ada] = (await json("testers", "list", "--build", "1.0")).items;
    expect(ada.builds).toEqual(["1.1", "1.0"]);
    expect(ada.friction).toContainEqual({
      tag: "difficulty-spike:cellar",
      title: "Difficulty spike in cellar",
      sessions: 2,
    });
  });

  it("names an unknown build or environment", async () => {
    const build = await run("testers", "list", "--build", "9.9");
    expect([build.code, build.err]).toEqual([44, expect.stringContaining("No build 9.9 in ember")]);
    const env = await run("testers", "list", "--env", "lab");
    expect([env.code, env.err]).toEqual([44, expect.stringContaining('in "production", "staging"')]);
  });
});

describe("testers get", () => {
  it("accepts a handle or a device, and shows the place of one session", async () => {
    const byHandle = await json("testers", "get", "ada");
    expect(byHandle).toEqual(await json("testers", "get", "dev_a"));
    const { country, region, city } = byHandle.rollup;
    expect([country, region, city]).toEqual(["VN", null, null]);
  });

  it("finds the sessions that name a handle without a linked device", async () => {
    const { rollup } = await json("testers", "get", "bo");
    expect([rollup.deviceId, rollup.handle, rollup.sessionCount]).toEqual(["dev_b", "bo", 1]);
  });
});

describe("testers list --never-played", () => {
  it("lists invites and keys without a session, and says what is unknown", async () => {
    const game = await service.service.store.readDb.selectFrom("games").selectAll().executeTakeFirstOrThrow();
    const { writeDb: db } = service.service.store;
    const batch = await createBatch(db, service.service, game.id, {
      ...{
        name: "Beta",
        distribution_target: "steam",
        fulfillment_source: "uploaded",
        redemption_mode: "link",
      },
      ...{ identity_mode: "email", instructions: null, expires_at: null, shared: false },
    });
    await addPlaytestKeys(db, service.service, batch, ["K1", "K2", "K3", "K4", "K5", "K6", "K7"]);
    await inviteTester(db, service.service, batch, "idle@studio.test", null);
    const revokeInvited = async (email: string, opens: boolean) => {
      const { invite, keyId } = await inviteTester(db, service.service, batch, email, null);
      if (opens) await openInvite(db, invite, NOW);
      const key = await db
        .selectFrom("playtest_keys")
        .selectAll()
        .where("id", "=", keyId)
        .executeTakeFirstOrThrow();
      await revokePlaytestKey(db, key);
    };
    const redeem = async (text: string, handle: string | null) =>
      redeemPlaytestKey(db, service.service, batch, await requirePlaytestKey(db, batch, text), {
        ...{ email: `${text}@studio.test`, handle, country: null, userAgent: null, ip: null },
      });
    await redeem("K2", "ada");
    await redeem("K3", "bo");
    await redeem("K4", "linked");
    await redeem("K5", null);
    await revokeInvited("curious@studio.test", true);
    await revokeInvited("unaware@studio.test", false);
    const linked = await ensureHandle(db, service.service, game.id, "linked");
    await claimHandle(db, NOW, game.id, await issueClaimToken(db, linked), "dev_never");
    const { items, total } = await json("testers", "list", "--never-played");
    expect(total).toBe(4);
    const reasons = items.map((item: { email: string; reason: string }) => [item.email, item.reason]).sort();
    expect(reasons).toEqual([
      ["K4@studio.test", "no-session"],
      ["K5@studio.test", "not-linked"],
      ["curious@studio.test", "revoked"],
      ["idle@studio.test", "not-redeemed"],
    ]);
    const other = await run("testers", "list", "--never-played", "--batch", "ptb_9");
    expect([other.code, other.err]).toEqual([44, expect.stringContaining("No batch ptb_9 in ember")]);
  });
});

describe("insights", () => {
  it("are filtered by tag, environment, device and age", async () => {
    const count = async (...flags: string[]) => (await json("insights", "list", ...flags)).total;
    const tag = ["--tag", "difficulty-spike:cellar"];
    expect(await count(...tag)).toBe(5);
    expect(await count(...tag, "--env", "staging")).toBe(1);
    expect(await count(...tag, "--device", "dev_a")).toBe(2);
    expect(await count(...tag, "--device", "dev_a", "--build", "1.0")).toBe(1);
    // Feedback repeats the analysis, so the insights of three sessions were found today.
    expect(await count(...tag, "--since", "36h")).toBe(4);
  });

  it.each([
    ["--tag", "difficulty-spike:attic"],
    ["--device", "dev_z"],
    ["--env", "lab"],
  ])("refuse the unknown %s %s", async (flag, value) => {
    const { code, err } = await run("insights", "list", flag, value);
    expect([code, err]).toEqual([44, expect.stringContaining(`"${value}"`)]);
  });

  it("are shown with the events that they refer to", async () => {
    const [item] = (await json("insights", "list", "--tag", "difficulty-spike:cellar", "--device", "dev_b"))
      .items;
    const data = await json("insights", "get", item.id);
    expect(data.insight.id).toBe(item.id);
    expect([data.build, data.environment, data.tester]).toEqual([
      "1.1",
      "production",
      { handle: "bo", deviceId: "dev_b" },
    ]);
    const times = data.events.map(({ name, offsetMs }: { name: string; offsetMs: number }) => [
      name,
      offsetMs,
    ]);
    expect(times).toEqual([0, 1, 2, 3, 4, 5].map((second) => ["death", second * 1000]));
    const { out } = await run("insights", "get", item.id);
    expect(out).toContain("0:05.0  death");
  });

  it("are shown with the words that they quote", async () => {
    const { items } = await json("insights", "list", "--tag", "negative-moment:feedback-fun");
    const { quotes } = await json("insights", "get", items[0].id);
    expect(quotes).toMatchObject([{ question: "Fun?", text: "2" }]);
    const { submission } = await json("feedback", "get", quotes[0].id);
    expect(submission.submissionId).toBe(quotes[0].submissionId);
  });
});

describe("crashes list", () => {
  it("groups crashes by their stack without line numbers and addresses", async () => {
    const page = await json("crashes", "list");
    expect([page.environment, page.crashCount, page.testerCount, page.testersInScope]).toEqual([
      "production",
      3,
      2,
      3,
    ]);
    expect(page.items).toMatchObject([
      {
        signature: "NullReferenceException: Furnace.Ignite",
        ...{ crashCount: 3, testerCount: 2, sessionCount: 3, sessionId: sessions[2], eventId: "c" },
        ...{ firstBuild: "1.0", lastBuild: "1.1", message: "Null at 47" },
        builds: [
          { build: "1.1", crashCount: 2, testerCount: 2 },
          { build: "1.0", crashCount: 1, testerCount: 1 },
        ],
      },
    ]);
  });

  it("counts a crash that was reported at the next start for the session that crashed", async () => {
    service.clock.now = NOW;
    const start = NOW - 1000;
    await sendTelemetry(service, {
      ...{ gameId: "ember", deviceId: "dev_b", clientSessionId: "b2", sessionEnded: true },
      sessionMetadata: { gameVersion: "1.2" },
      events: [
        {
          id: "e0",
          name: "crash_reported",
          timestamp: start,
          data: { crashedSessionId: "b1", signal: "SIGBUS" },
        },
      ],
    });
    await service.analysis.drain();
    const { items } = await json("crashes", "list", "--build", "1.1");
    const late = items.find(({ signature }: { signature: string }) => signature === "SIGBUS");
    expect(late.builds).toEqual([{ build: "1.1", crashCount: 1, testerCount: 1 }]);
    expect((await json("crashes", "list", "--build", "1.2")).items).toEqual([]);
    // The event has the same id as another event of the session that crashed.
    const [bug] = (await json("insights", "list", "--tag", "bug-report:crash", "--device", "dev_b")).items;
    const { events } = await json("insights", "get", bug.id);
    expect([bug.sessionId, events.length, events[0].name]).toEqual([sessions[2], 1, "crash_reported"]);
    expect(events[0].sessionId).not.toBe(sessions[2]);
  });

  it("says in which environment there are none", async () => {
    const { code, out, err } = await run("crashes", "list", "--env", "staging");
    expect([code, out, err]).toEqual([0, "", "No crashes in staging, among 1 tester.\n"]);
  });
});

describe("feedback list", () => {
  it("shows the words, and the ratings by build", async () => {
    const page = await json("feedback", "list", "--limit", "1");
    expect([page.total, page.environment, page.items.length]).toEqual([3, "production", 1]);
    const rows = page.ratings.map(
      (row: { label: string; build: string; byValue: object; mean: number | null }) => [
        row.label,
        row.build,
        row.byValue,
        row.mean,
      ],
    );
    expect(rows).toEqual([
      ["Fun?", "1.1", { 1: 0, 2: 0, 3: 0, 4: 1, 5: 1 }, 4.5],
      ["Fun?", "1.0", { 1: 0, 2: 1, 3: 0, 4: 0, 5: 0 }, 2],
      ["Again?", "1.1", { yes: 2, no: 0 }, null],
      ["Again?", "1.0", { yes: 0, no: 1 }, null],
    ]);
  });

  it("shows who answered in the terminal", async () => {
    const { out } = await run("feedback", "list", "--build", "1.0");
    expect(out).toContain("1 submission in production.");
    expect(out).toMatch(/ada · 1\.0 · .* · sess_\w+\n {2}Fun\? 2 · Again\? no\n/);
  });

  it("names the forms if a form does not exist", async () => {
    const { code, err } = await run("feedback", "list", "--form", "ff_9");
    expect([code, err]).toEqual([44, expect.stringContaining(`The forms are ${formId} (After).`)]);
  });
});

it("bug-reports get shows one report", async () => {
  const [listed] = (await json("bug-reports", "list")).items;
  expect((await json("bug-reports", "get", listed.id)).report).toEqual(listed);
  expect((await run("bug-reports", "get", listed.id)).out).toMatch(/Description {2,}It is stuck\./);
});

it("nothing of an erased tester remains", async () => {
  const { readDb } = service.service.store;
  const game = await readDb.selectFrom("games").selectAll().executeTakeFirstOrThrow();
  await eraseTester(service.service, { accountId: service.accountId, name: "ada", gameIds: [game.id] });
  const lines = [
    "testers list",
    "testers list --never-played",
    "insights list --all",
    "crashes list --env all",
    "feedback list --env all",
    "bug-reports list",
  ];
  for (const line of lines) {
    const { code, out } = await run(...line.split(" "), "--json");
    expect([line, code]).toEqual([line, 0]);
    for (const name of ["dev_a", "ada", "K2@studio.test", sessions[0], sessions[1]])
      expect([line, name, out.includes(`"${name}"`)]).toEqual([line, name, false]);
  }
  expect((await json("testers", "list")).items).toHaveLength(3);
});
