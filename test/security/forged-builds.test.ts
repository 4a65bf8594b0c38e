/**
 * Whoever holds the ingest key, which ships inside the game, can send sessions of any build. They can neither choose the builds of a
 * gate nor its verdict.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import { adoptBuild, registerBuild } from "../../src/server/builds/registration-queries.ts";
import { startDemo } from "../cli/demo.ts";
import { NOW, runCli, type TestService } from "../harness.ts";

const DAY = 86_400_000;
let service: TestService;
let gameId: string;
beforeEach(async () => {
  service = await startDemo("studio");
  const { id } = await service.service.store.readDb
    .selectFrom("games")
    .select("id")
    .where("slug", "=", "ember")
    .executeTakeFirstOrThrow();
  gameId = id;
});
afterEach(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

/** Sends sessions of testers who die often in the furnace, and quit there. */
async function forge(gameVersion: string, sessions: number, startedAt: number): Promise<void> {
  for (let n = 0; n < sessions; n += 1) {
    const names = ["begin", ...Array.from({ length: 8 }, () => "death"), "rage_quit"];
    const answer = await service.post("/api/telemetry", {
      ...{ gameId: "ember", deviceId: `forged-${gameVersion}-${n}`, startedAt, sessionEnded: true },
      sessionMetadata: { gameVersion },
      events: names.map((name, at) => ({
        ...{ id: `e${at}`, name, timestamp: startedAt + at * (20_000 + 100 * n) },
        data: { room: "furnace" },
      })),
    });
    expect(answer.status).toBe(202);
  }
  await service.analysis.drain();
}

async function gate(...words: string[]) {
  const { code, out } = await runCli(["gate", ...words, "-g", "ember", "--json"], { service });
  return { code, verdict: code === 0 || code === 10 || code === 11 ? JSON.parse(out) : null };
}

const versionsOf = ({ verdict }: Awaited<ReturnType<typeof gate>>) => [verdict.a.version, verdict.b.version];

test("one backdated session does not become the baseline of a gate", async () => {
  expect((await gate("previous", "0.9.0")).code).toBe(10);
  await forge("0.8.9", 1, NOW - 8 * DAY);
  const after = await gate("previous", "0.9.0");
  expect([after.code, versionsOf(after)]).toEqual([10, ["0.8.0", "0.9.0"]]);
  expect(after.verdict.notes).toContain("`previous` is 0.8.0, because 0.8.9 has fewer than 5 testers.");
});

test("a gate names the newest build if it has too few testers, and never replaces it by an older one", async () => {
  await forge("9.9.9", 1, NOW - 1000);
  const latest = await gate();
  expect([latest.code, versionsOf(latest)]).toEqual([11, ["0.9.0", "9.9.9"]]);
  expect(latest.verdict.reasons.join()).toContain("9.9.9 has 1 tester");
});

test("once builds are registered, others are neither latest nor previous, however many testers they have", async () => {
  const { writeDb } = service.service.store;
  await adoptBuild(writeDb, { gameId, version: "0.8.0" });
  await registerBuild(writeDb, { gameId, version: "0.9.0" }, NOW + 1);
  await forge("0.8.9", 9, NOW - 8 * DAY);
  await forge("9.9.9", 9, NOW - 1000);
  const after = await gate();
  expect([after.code, versionsOf(after)]).toEqual([10, ["0.8.0", "0.9.0"]]);
});

test("sessions of the baseline that arrive after the build was registered do not count", async () => {
  const { writeDb } = service.service.store;
  await adoptBuild(writeDb, { gameId, version: "0.8.0" });
  service.clock.now = NOW + 1000;
  await registerBuild(writeDb, { gameId, version: "0.9.0" }, service.clock.now);
  const before = await gate();
  expect([before.code, versionsOf(before)]).toEqual([10, ["0.8.0", "0.9.0"]]);
  service.clock.now += 60_000;
  await forge("0.8.0", 70, NOW - DAY);
  for (const words of [[], ["0.8.0", "0.9.0"]]) {
    const after = await gate(...words);
    expect([after.code, versionsOf(after)]).toEqual([10, ["0.8.0", "0.9.0"]]);
    expect(after.verdict.a).toEqual(before.verdict.a);
    expect(after.verdict.checks).toEqual(before.verdict.checks);
    expect(after.verdict.notes).toContain(
      "70 sessions of 0.8.0 were received after 0.9.0 was registered and are left out.",
    );
  }
  const latest = await runCli(["builds", "get", "latest", "-g", "ember", "--jq", ".rollup.version"], {
    service,
  });
  expect(latest.out).toBe("0.9.0\n");
});

test("without registered builds, the same sessions hide what fails", async () => {
  const failed = async () =>
    (await gate("0.8.0", "0.9.0")).verdict.checks
      .filter(({ ruling }: { ruling: string }) => ruling === "failed")
      .map(({ id }: { id: string }) => id);
  const before = await failed();
  await forge("0.8.0", 70, NOW - DAY);
  expect(before).not.toEqual(await failed());
});
