/** Registered builds: they alone are listed, `latest` and `previous`, in the order of their registration. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  adoptBuild,
  registerBuild,
  setBuildHidden,
} from "../../../src/server/builds/registration-queries.ts";
import { openPage } from "../../console/open-page.ts";
import { freshFolder, NOW, runCli, startTestService, type TestService } from "../../harness.ts";
import { callTool, connect, textOf } from "../../mcp/connect.ts";

const DAY = 86_400_000;
let service: TestService;
let gameId: string;
beforeEach(async () => {
  service = await startTestService();
  gameId = await service.addGame("ember");
  for (const [version, daysAgo, testers] of [
    ["0.7.0", 30, 6],
    ["0.8.0", 20, 6],
    ["0.9.0", 10, 6],
    ["0.8.9", 15, 1],
    ["9.9.9", 1, 1],
  ] as const)
    await play(version, daysAgo, testers);
});
afterEach(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

let devices = 0;
async function play(version: string, daysAgo: number, testers: number, environment = "production") {
  for (let n = 0; n < testers; n += 1) {
    devices += 1;
    const answer = await service.post("/api/telemetry", {
      ...{ gameId: "ember", environment, deviceId: `dev-${devices}`, startedAt: NOW - daysAgo * DAY },
      sessionMetadata: { gameVersion: version },
      sessionEnded: true,
      events: [{ id: "e", name: "jump", timestamp: NOW - daysAgo * DAY }],
    });
    expect(answer.status).toBe(202);
  }
}

const register = async (...versions: string[]) => {
  for (const version of versions)
    await registerBuild(service.service.store.writeDb, { gameId, version }, NOW);
};
const list = async (query = "") => {
  const { json } = await service.get(`/api/v1/builds/ember${query}`);
  return [json.items.map(({ version }: { version: string }) => version), json.unregistered];
};
const resolve = async (word: string, ...flags: string[]) => {
  const run = await runCli(["builds", "get", word, "-g", "ember", "--jq", ".rollup.version", ...flags], {
    service,
  });
  return run.code === 0 ? [run.out.trim(), run.err.trim()] : run.err.trim();
};
const readStatus = async (query = "") => {
  const { json } = await service.get(`/api/v1/status/ember${query}`);
  return [json.build?.version, json.verdict?.a.version, json.skipped];
};

test("without registered builds, all are listed, and previous has enough testers", async () => {
  expect(await list()).toEqual([["9.9.9", "0.9.0", "0.8.9", "0.8.0", "0.7.0"], 0]);
  expect(await resolve("latest")).toEqual(["9.9.9", ""]);
  expect(await readStatus()).toEqual(["9.9.9", "0.9.0", []]);
  expect(await readStatus("?build=0.9.0")).toEqual(["0.9.0", "0.8.0", ["0.8.9"]]);
  const { out, err } = await runCli(["builds", "compare", "previous", "0.9.0", "-g", "ember"], { service });
  expect(out).toMatch(/0\.9\.0 vs 0\.8\.0/);
  expect(err).toBe("`previous` is 0.8.0, because 0.8.9 has fewer than 5 testers.\n");
  const status = await runCli(["status", "-g", "ember", "--build", "0.9.0"], { service });
  expect(status.out).toContain("previous is 0.8.0, because 0.8.9 has fewer than 5 testers.");
});

test("a hidden build is never listed, latest or previous", async () => {
  await setBuildHidden(service.service.store.writeDb, { gameId, version: "9.9.9" }, NOW);
  expect(await list()).toEqual([["0.9.0", "0.8.9", "0.8.0", "0.7.0"], 0]);
  expect([await resolve("latest"), await readStatus()]).toEqual([
    ["0.9.0", ""],
    ["0.9.0", "0.8.0", ["0.8.9"]],
  ]);
  await register("9.9.9");
  expect(await list()).toEqual([["0.9.0", "0.8.9", "0.8.0", "0.7.0"], 0]);
});

test("registered builds have the order of their registration, and the others are counted", async () => {
  await register("0.9.0", "0.7.0", "0.6.0");
  expect(await list()).toEqual([["0.7.0", "0.9.0"], 3]);
  expect(await list("?registration=unregistered")).toEqual([["9.9.9", "0.8.9", "0.8.0"], 0]);
  expect(await list("?registration=registered&limit=1&offset=1")).toEqual([["0.9.0"], 3]);
  expect([await resolve("latest"), await resolve("previous")]).toEqual([
    ["0.7.0", ""],
    ["0.9.0", ""],
  ]);
  expect([await readStatus(), await readStatus("?build=9.9.9")]).toEqual([
    ["0.7.0", "0.9.0", []],
    ["9.9.9", "0.7.0", []],
  ]);
  const { json: trend } = await service.get("/api/v1/trends/ember?metric=session-length");
  expect(trend.points.map(({ build }: { build: string }) => build)).toEqual(["0.9.0", "0.7.0"]);
  const { json: one } = await service.get("/api/v1/builds/ember?limit=1");
  expect([one.items[0].registeredAt, one.hasMore, one.total]).toEqual([NOW + 1, true, 2]);
  const shown = await runCli(["builds", "list", "-g", "ember"], { service });
  expect(shown.err).toContain("3 unregistered builds not shown. Use --registration unregistered");
});

test("no session changes the order of registered builds", async () => {
  await register("0.8.0", "0.9.0");
  await play("0.8.0", 0, 30);
  await play("1.0.0", 0, 30);
  expect([await list(), await resolve("latest"), await readStatus()]).toEqual([
    [["0.9.0", "0.8.0"], 4],
    ["0.9.0", ""],
    ["0.9.0", "0.8.0", []],
  ]);
});

test("a status without a played registered build says that others were played", async () => {
  await register("1.3.0");
  const sentence = "No registered build has sessions in production.";
  const adopt = "playtest admin builds adopt &lt;version&gt;";
  const { json } = await service.get("/api/v1/status/ember");
  expect([json.build, json.noBuild]).toEqual([null, expect.stringContaining(sentence)]);
  const { out } = await runCli(["status", "-g", "ember"], { service, tty: true });
  expect(out).toMatch(/^\? ember: no registered build has sessions in production\n/);
  expect(out).toContain("Adopt a build: playtest admin builds adopt <version> --game ember");
  const { text } = await openPage(service, "/games/ember");
  expect(text).toContain("ember: no registered build has sessions in production");
  expect(text).toContain(sentence);
  expect(text).toContain(adopt);
  expect(text).not.toContain("No sessions yet");
  const { client } = await connect(service);
  expect(textOf(await callTool(client, "get_status", { game: "ember" }))).toContain(sentence);
  await register("0.9.0");
  expect((await service.get("/api/v1/status/ember")).json.noBuild).toBeNull();
});

test("a build that is adopted comes before those registered later", async () => {
  service.clock.now += DAY;
  await registerBuild(service.service.store.writeDb, { gameId, version: "0.9.0" }, NOW + DAY);
  expect(await resolve("previous")).toContain('no build before "0.9.0" in production');
  expect(await resolve("previous")).toContain("playtest admin builds adopt");
  await adoptBuild(service.service.store.writeDb, { gameId, version: "0.8.0" });
  expect([await list(), await resolve("previous")]).toEqual([
    [["0.9.0", "0.8.0"], 3],
    ["0.8.0", ""],
  ]);
});

test("a registered build is one only in environments where it was played", async () => {
  await register("0.8.0", "0.9.0", "1.0.0");
  await play("1.0.0", 0, 1, "staging");
  expect([await resolve("latest"), await resolve("latest", "--env", "staging")]).toEqual([
    ["0.9.0", ""],
    ["1.0.0", ""],
  ]);
  const compared = await runCli(
    ["builds", "compare", "previous", "1.0.0", "-g", "ember", "--jq", ".buildA.version"],
    { service },
  );
  expect(compared.out.trim()).toBe("0.9.0");
  const unregistered = await runCli(
    ["builds", "compare", "previous", "0.7.0", "-g", "ember", "--jq", ".buildA.version"],
    { service },
  );
  expect([unregistered.out.trim(), unregistered.err.trim()]).toEqual([
    "0.9.0",
    "0.7.0 is not registered, so it counts as later than all registered builds.",
  ]);
  const unplayed = await runCli(["builds", "get", "latest", "-g", "ember", "--env", "staging"], { service });
  expect(unplayed.code).toBe(0);
});

test("the gate takes a registered build without sessions for one without testers, and no other", async () => {
  await register("0.8.0", "0.9.0", "1.0.0");
  const gate = async (build: string) => await runCli(["gate", "0.9.0", build, "-g", "ember"], { service });
  const unplayed = await gate("1.0.0");
  expect([unplayed.code, unplayed.out]).toEqual([
    11,
    expect.stringContaining("1.0.0 has 0 testers in production, 5 needed"),
  ]);
  expect((await gate("1.0.1")).code).toBe(44);
});

test("sessions received after a later build was registered are not compared with it", async () => {
  const { writeDb } = service.service.store;
  await adoptBuild(writeDb, { gameId, version: "0.8.0" });
  service.clock.now += DAY;
  await registerBuild(writeDb, { gameId, version: "0.9.0" }, service.clock.now);
  service.clock.now += 1;
  await play("0.8.0", 5, 3);
  await service.analysis.drain();
  const facts = async (query: string) => (await service.get(`/api/v1/builds/ember/${query}`)).json;
  const ended = { open: 0, analyzed: 6, unanalyzed: 0, failed: 0 };
  expect((await facts("0.8.0/facts")).sessions).toEqual({ ...ended, analyzed: 9 });
  const before = await facts("0.8.0/facts?comparedWith=0.9.0");
  expect([before.sessions, before.total, before.testers.length]).toEqual([{ ...ended, late: 3 }, 6, 6]);
  // A build is not late for one that was registered earlier.
  expect((await facts("0.9.0/facts?comparedWith=0.8.0")).sessions).toEqual(ended);
  expect((await service.get("/api/v1/builds/ember/0.8.0/facts?comparedWith=nosuch")).status).toBe(404);
  const { json: scorecard } = await service.get("/api/v1/scorecards/ember?a=0.8.0&b=0.9.0");
  expect([scorecard.a.sessions, scorecard.testersInBatch]).toEqual([
    { ...ended, late: 3 },
    { a: 6, b: 6 },
  ]);
  const rules = join(freshFolder(), "rules.json");
  // Limits need what each tester did, which the command reads itself.
  for (const limits of [{}, { medianActiveSec: { min: 0 } }]) {
    writeFileSync(rules, JSON.stringify({ gate: { limits } }));
    const { out } = await runCli(["gate", "0.8.0", "0.9.0", "-g", "ember", "--json", "--config", rules], {
      service,
    });
    const { a, notes } = JSON.parse(out);
    expect([a.testers, a.ended, notes]).toEqual([
      ...[6, 6],
      expect.arrayContaining([
        "3 sessions of 0.8.0 were received after 0.9.0 was registered and are left out.",
      ]),
    ]);
  }
});
