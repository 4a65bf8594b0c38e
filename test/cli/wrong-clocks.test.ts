/** One tester with a wrong clock must not affect `latest`, `previous`, event series and exports. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPage, SESSION } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { freshFolder, NOW, runCli, startTestService, type TestService } from "../harness.ts";

const DAY = 86_400_000;
const YEAR = 365 * DAY;

let service: TestService;
let devices = 0;

async function play(
  build: string,
  at: number | undefined,
  { gameId = "ember", environment = "production", jump = 0 } = {},
) {
  devices += 1;
  const first = at ?? Number.MAX_SAFE_INTEGER;
  await service.post("/api/telemetry", {
    gameId,
    environment,
    ...(at === undefined ? {} : { startedAt: at }),
    deviceId: `dev-${devices}`,
    sessionMetadata: { gameVersion: build, platform: "x" },
    sessionEnded: true,
    events: [
      { id: "a", name: "jump", timestamp: first },
      { id: "b", name: "jump", timestamp: first + jump },
    ],
  });
}

beforeAll(async () => {
  service = await startTestService();
  for (const game of ["ember", "only", "staged"]) await service.addGame(game);
  for (const daysAgo of [9, 8, 7]) await play("1.0", NOW - daysAgo * DAY);
  for (const daysAgo of [4, 3, 2]) await play("1.1", NOW - daysAgo * DAY);
  // The same tester, on builds that nobody else plays any more.
  for (const at of [NOW + YEAR, 5, DAY, undefined]) await play("0.1", at);
  await play("1.0", NOW + YEAR);
  await play("1.0", NOW - 8 * DAY, { jump: YEAR });
  await play("2.0-dev", NOW - DAY, { environment: "staging" });
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const run = async (line: string, more: object = {}) => await runCli(line.split(" "), { service, ...more });
const resolved = async (line: string) => (await run(`builds get ${line} --jq .rollup.version`)).out.trim();

describe("a wrong clock", () => {
  test("does not change latest and previous", async () => {
    expect(await resolved("latest -g ember")).toBe("1.1");
    expect(await resolved("previous -g ember")).toBe("1.0");
    const { out } = await run(
      "builds compare previous latest -g ember --jq [.buildA.version,.buildB.version]",
    );
    expect(JSON.parse(out)).toEqual(["1.0", "1.1"]);
    const gated = await run("gate previous latest -g ember --json");
    expect(JSON.parse(gated.out)).toMatchObject({ a: { version: "1.0" }, b: { version: "1.1" } });
  });

  test("sorts a build that only this tester played before all others", async () => {
    const { out } = await run("builds list -g ember --env production --jq [.items[].version]");
    expect(JSON.parse(out)).toEqual(["1.1", "1.0", "0.1"]);
    await play("0.2", NOW + YEAR, { gameId: "only" });
    expect(await resolved("latest -g only")).toBe("0.2");
  });

  test("adds no days to event series, and a range that ends now remains short", async () => {
    const labels = async (line: string) =>
      JSON.parse((await run(line)).out).buckets.map(({ label }: { label: string }) => label);
    const all = await labels("events --by day -g ember --json");
    expect([all[0], all.at(-1)]).toEqual(["2026-02-20", "2026-03-01"]);
    expect(await labels("events --by day --from 14d -g ember --json")).toHaveLength(15);
  });

  test("does not add empty periods to event series, in the past or the future", async () => {
    await service.addGame("series");
    const gameId = "series";
    for (const daysAgo of [9, 5, 2]) await play("1.0", NOW - daysAgo * DAY, { gameId });
    await play("1.0", Date.UTC(2000, 0, 1), { gameId });
    // The largest lead that is not corrected.
    await play("1.0", NOW + DAY, { gameId });
    const { out, err } = await run("events --by day -g series --json");
    const buckets: { label: string; sessionCount: number }[] = JSON.parse(out).buckets;
    expect([buckets[0]?.label, buckets.at(-1)?.label, buckets.length]).toEqual([
      "2026-02-20",
      "2026-02-27",
      8,
    ]);
    expect(err).toContain("Showing the last 8 of 9555 days.");
    const hours = JSON.parse((await run("events --by hour --from 5d -g series --json")).out).buckets;
    expect(hours.at(-1).label).toBe("2026-02-27T12");
    const ahead = JSON.parse((await run("events --by day --from 1d --to 2026-03-02 -g series --json")).out);
    expect(ahead.buckets.map(({ sessionCount }: never) => sessionCount)).toEqual([0, 0, 1]);
  });

  test("does not remove days from the export or add future ones", async () => {
    const cwd = freshFolder();
    const line = "export sessions -g ember --since-last --out out --by day";
    expect((await run(line, { cwd })).code).toBe(0);
    const files = readdirSync(`${cwd}/out`, { recursive: true }).map(String);
    const days = files.flatMap((file) => /\d{4}-\d{2}-\d{2}/.exec(file)?.[0] ?? []).sort();
    expect(days.at(-1)).toBe("2026-03-01");
    service.clock.now += DAY;
    await play("1.1", NOW + DAY);
    const again = await run(line, { cwd });
    service.clock.now = NOW;
    expect(again.code).toBe(0);
    expect(readdirSync(`${cwd}/out`, { recursive: true }).join(" ")).toContain("2026-03-02");
  });

  test("is reported by sessions get", async () => {
    const { out } = await run("sessions list -g ember --build 0.1 --jq .items[0].id");
    const { out: shown } = await run(`sessions get ${out.trim()}`);
    expect(shown).toContain("corrected (the device's clock was wrong)");
  });
});

describe("the environment", () => {
  test("is the requested one, by default production", async () => {
    expect(await resolved("latest -g ember --env staging")).toBe("2.0-dev");
    expect(await resolved("latest -g ember --env all")).toBe("2.0-dev");
    // 1.1 has 3 testers, fewer than a comparison needs.
    expect(await resolved("previous -g ember --env all")).toBe("1.0");
  });

  test("without sessions is named in the error", async () => {
    await play("1", NOW, { gameId: "staged", environment: "staging" });
    const { code, err } = await run("builds get latest -g staged");
    expect([code, err.split("\n")[0]]).toEqual([
      44,
      'error: No latest build: game "staged" has no sessions in production',
    ]);
  });
});

describe("a build that was played only in another environment", () => {
  test("is ordered by the median of its sessions, not by the first one", async () => {
    const gameId = "elsewhere";
    await service.addGame(gameId);
    for (const daysAgo of [9, 8]) await play("1.0", NOW - daysAgo * DAY, { gameId });
    for (const daysAgo of [5, 4]) await play("1.1", NOW - daysAgo * DAY, { gameId });
    for (const daysAgo of [3, 2]) await play("2.0", NOW - daysAgo * DAY, { gameId, environment: "staging" });
    // An old recording, sent as the same build.
    await play("2.0", NOW - 10 * YEAR, { gameId, environment: "staging" });
    const { out } = await run(
      `builds compare previous 2.0 -g ${gameId} --jq [.buildA.version,.buildB.version]`,
    );
    expect(JSON.parse(out)).toEqual(["1.1", "2.0"]);
  });
});

describe("recorded sessions loaded in bulk", () => {
  test("keeps its times, and does not change latest, event series and finished exports", async () => {
    const gameId = "bulk";
    await service.addGame(gameId);
    for (const daysAgo of [4, 3]) await play("2.0", NOW - daysAgo * DAY, { gameId });
    for (const daysAgo of [2, 1]) await play("2.1", NOW - daysAgo * DAY, { gameId });
    const cwd = freshFolder();
    const line = `export sessions -g ${gameId} --out x/ --since-last --json`;
    expect(JSON.parse((await run(line, { cwd })).out).series).toMatchObject([{ rows: 4 }]);
    const recordings = Array.from({ length: 30 }, (_, n) => {
      const startedAt = NOW - 3 * YEAR + n * DAY;
      const body = { gameId, clientSessionId: `old-${n}`, deviceId: `old-${n % 5}`, startedAt };
      const sessionMetadata = { gameVersion: n < 15 ? "0.8" : "0.9" };
      const events = [{ id: "a", name: "jump", timestamp: startedAt }];
      return JSON.stringify({ ...body, sessionMetadata, sessionEnded: true, events });
    });
    const file = join(cwd, "old.ndjson");
    writeFileSync(file, recordings.join("\n"));
    expect((await run(`ingest telemetry ${file}`, { cwd })).code).toBe(0);
    const { items } = JSON.parse((await run(`sessions list -g ${gameId} --build 0.8 --json`)).out);
    expect(items.at(-1)).toMatchObject({
      recordedAt: NOW - 3 * YEAR,
      receivedAt: NOW,
      clockCorrected: false,
    });
    expect(await resolved(`latest -g ${gameId}`)).toBe("2.1");
    const { out } = await run(`builds list -g ${gameId} --jq [.items[].version]`);
    expect(JSON.parse(out)).toEqual(["2.1", "2.0", "0.9", "0.8"]);
    const { buckets } = JSON.parse((await run(`events --by day -g ${gameId} --json`)).out);
    expect(buckets.map(({ label }: never) => label)).toHaveLength(4);
    // An incremental export adds them, because they arrived after the run before. It repeats the changes of the last hour.
    const again = JSON.parse((await run(line, { cwd })).out);
    const nothingLeftOut = { before: 0, after: 0, future: 0 };
    expect(again.series).toMatchObject([{ files: 34, rows: 34, leftOut: nothingLeftOut }]);
  });
});

describe("a service whose own clock was wrong", () => {
  const add = async (gameId: string) => {
    await service.addGame(gameId);
    for (const daysAgo of [9, 8, 7]) await play("1.0", NOW - daysAgo * DAY, { gameId });
    for (const daysAgo of [4, 3, 2]) await play("1.1", NOW - daysAgo * DAY, { gameId });
  };
  /** Sends sessions of the oldest build without a start, so that only the time of receipt is known. */
  const playAt = async (gameId: string, now: number) => {
    service.clock.now = now;
    const { status } = await service.post("/api/telemetry", {
      gameId,
      deviceId: "late",
      sessionMetadata: { gameVersion: "0.1" },
      sessionEnded: true,
      events: [{ id: "a", name: "jump", timestamp: NOW }],
    });
    service.clock.now = NOW;
    expect(status).toBe(202);
  };

  test.each([
    ["ahead", YEAR],
    ["behind", -YEAR],
    ["far behind", -27 * YEAR],
  ])("%s: its sessions do not change latest, event series and exports", async (name, lead) => {
    const gameId = `service-${name.replace(" ", "-")}`;
    await add(gameId);
    await playAt(gameId, NOW + lead);
    expect(await resolved(`latest -g ${gameId}`)).toBe("1.1");
    expect(await resolved(`previous -g ${gameId}`)).toBe("1.0");
    const { buckets } = JSON.parse((await run(`events --by day -g ${gameId} --json`)).out);
    expect([buckets[0].label, buckets.at(-1).label]).toEqual(["2026-02-20", "2026-02-27"]);
    const { series } = JSON.parse((await run(`export sessions -g ${gameId} --out x/ --json`)).out);
    const future = lead > 0 ? 1 : 0;
    expect(series).toMatchObject([{ rows: 7 - future, leftOut: { before: 0, after: 0, future } }]);
  });
});

describe("a service that does not send receivedAt", () => {
  const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };

  test("is trusted except for times in the future", async () => {
    const sessions = [
      ["0.1", NOW + YEAR],
      ["0.9", NOW - DAY],
      ["0.8", NOW - 2 * DAY],
    ].map(([gameVersion, recordedAt], at) => ({
      ...SESSION,
      id: `sess_${at}`,
      recordedAt,
      metadata: { ...SESSION.metadata, gameVersion },
    }));
    const { transport, requests } = script({ body: createPage(sessions) });
    await runCli(["builds", "get", "latest"], { env, transport });
    expect(requests.at(-1)?.url).toContain("/builds/ember/0.9");
  });
});

describe("a game of more sessions than are read", () => {
  const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };
  const MINUTE = 60_000;
  /** 3,000 sessions of 3.0, played a minute apart; 2.0 was played before, and now and then since. */
  const sessions = Array.from({ length: 3000 }, (_, n) => sessionOf(n, n % 500 === 7 ? "2.0" : "3.0")).concat(
    Array.from({ length: 200 }, (_, n) => sessionOf(3000 + n, n < 150 ? "2.0" : "1.0")),
  );

  function sessionOf(n: number, gameVersion: string) {
    const recordedAt = NOW - n * MINUTE;
    const times = { recordedAt, receivedAt: recordedAt, clockCorrected: false };
    return { ...SESSION, ...times, id: `sess_${n}`, metadata: { ...SESSION.metadata, gameVersion } };
  }

  /** A service that answers lists of these sessions, the newest first. */
  const answerWith =
    (listed: typeof sessions) =>
    ({ url }: { url: string }) => {
      const { searchParams } = new URL(url);
      const number = (name: string, other: number) => Number(searchParams.get(name) ?? other);
      const build = searchParams.get("build");
      const fitting = listed.filter(
        ({ recordedAt, metadata }) =>
          recordedAt <= number("to", Number.POSITIVE_INFINITY) &&
          (build === null || metadata.gameVersion === build),
      );
      const [offset, limit] = [number("offset", 0), number("limit", 20)];
      const items = fitting.slice(offset, offset + limit);
      return { body: createPage(items, fitting.length, offset + items.length < fitting.length) };
    };

  test.each([
    ["latest", "3.0"],
    ["previous", "2.0"],
  ])("%s is found in few requests", async (word, build) => {
    const { transport, requests } = script(answerWith(sessions));
    await runCli(["builds", "get", word], { env, transport });
    expect(requests.at(-1)?.url).toContain(`/builds/ember/${build}`);
    expect(requests.length).toBeLessThan(40);
  });

  test.each([
    ["latest", "3.0"],
    ["previous", "2.0"],
  ])("%s is not moved by the newest sessions, of a device with a wrong clock", async (word, build) => {
    const wrong = Array.from({ length: 5 }, (_, n) => ({
      ...sessionOf(0, "0.1"),
      id: `sess_wrong_${n}`,
      clockCorrected: true,
    }));
    const { transport, requests } = script(answerWith([...wrong, ...sessions]));
    await runCli(["builds", "get", word], { env, transport });
    expect(requests.at(-1)?.url).toContain(`/builds/ember/${build}`);
    expect(requests.length).toBeLessThan(40);
  });
});
