/** The list of builds: its order, its totals, and its agreement with the sessions, `builds get` and `latest`. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { timesByBuild } from "../../../src/cli/commands/builds/find-build.ts";
import type { ListedBuild } from "../../../src/contract/build-list.ts";
import { compareBuildTimes, isKnownBuild, MIN_COMPARED_TESTERS } from "../../../src/contract/build-order.ts";
import type { Session } from "../../../src/contract/sessions.ts";
import { NOW, runCli, startTestService, type TestService } from "../../harness.ts";
import { createRandom } from "../../random.ts";
import { listAll } from "../telemetry-helpers.ts";

const DAY = 86_400_000;
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
  const random = createRandom(7);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  for (let n = 0; n < 60; n += 1) {
    const at = NOW - Math.floor(random() * 40) * DAY + (random() < 0.1 ? 400 * DAY : 0);
    const build = pick(["0.7.0", "0.8.0", "0.9.0", "0.9.0-rc", null]);
    const answer = await service.post("/api/telemetry", {
      gameId: "ember",
      clientSessionId: `c${n}`,
      environment: pick(["production", "production", "staging"]),
      ...(random() < 0.8 ? { deviceId: `dev-${Math.floor(random() * 12)}` } : {}),
      sessionMetadata: { platform: "x", ...(build === null ? {} : { gameVersion: build }) },
      startedAt: at,
      events: [{ id: "a", name: "jump", timestamp: at }],
    });
    expect(answer.status).toBe(202);
  }
  // A service whose own clock was wrong, and sessions of a version that did not store the time of receipt.
  const { writeDb } = service.service.store;
  await writeDb.updateTable("sessions").set({ received_at: null }).where("build", "=", "0.7.0").execute();
});
afterAll(() => service.stop());

const list = async (query = "") =>
  (await service.get(`/api/v1/builds/ember${query}`)).json as { items: ListedBuild[]; total: number };

test.each(["", "?env=production", "?env=staging", `?from=${NOW - 20 * DAY}`])(
  "has the order and the totals of the sessions: %s",
  async (query) => {
    const search = query.slice(1);
    const sessions = (await listAll(service, `/api/v1/sessions?game=ember&${search}`)) as Session[];
    const rows = await service.service.store.readDb.selectFrom("sessions").selectAll().execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    const stored = sessions.map((session) => ({
      ...session,
      receivedAt: byId.get(session.id)?.received_at ?? null,
    }));
    const order = [...timesByBuild(stored, NOW).values()]
      .filter(isKnownBuild)
      .sort((a, b) => compareBuildTimes(b, a));
    const { items: builds, total } = await list(query);
    expect([builds.map(({ version }) => version), total]).toEqual([
      order.map(({ version }) => version),
      order.length,
    ]);
    for (const build of builds) {
      const own = stored.filter(({ metadata }) => metadata.gameVersion === build.version);
      const times = own.map(({ recordedAt }) => recordedAt);
      expect(build).toMatchObject({
        sessionCount: own.length,
        testerCount: new Set(own.map(({ id }) => byId.get(id)?.tester)).size,
        firstSeen: Math.min(...times),
        lastSeen: Math.max(...times),
      });
      expect([...build.environments].sort()).toEqual(
        [...new Set(own.map(({ id }) => byId.get(id)?.environment))].sort(),
      );
    }
  },
);

test("agrees with builds get, builds compare, latest and previous", async () => {
  const { items: builds } = await list("?env=production");
  const resolve = async (word: string) =>
    (await runCli(["builds", "get", word, "-g", "ember", "--jq", ".rollup.version"], { service })).out.trim();
  const [latest, ...earlier] = builds;
  // A build with fewer testers is not compared with.
  const before = earlier.find(({ testerCount }) => testerCount >= MIN_COMPARED_TESTERS);
  expect(before).not.toBe(earlier[0]);
  expect([await resolve("latest"), await resolve("previous")]).toEqual([latest?.version, before?.version]);
  const [b, a] = builds;
  const compared = await service.get(`/api/v1/builds/compare?game=ember&a=${a?.version}&b=${b?.version}`);
  expect([compared.json.buildA.testersInBatch, compared.json.buildB.testersInBatch]).toEqual([
    a?.testerCount,
    b?.testerCount,
  ]);
  for (const build of (await list()).items) {
    const { rollup } = (await service.get(`/api/v1/builds/ember/${build.version}`)).json;
    expect(build).toMatchObject({
      sessionCount: rollup.sessionCount,
      firstSeen: rollup.firstSeen,
      lastSeen: rollup.lastSeen,
      totalWallSec: rollup.stats.totalWallSec,
    });
  }
});

test("leaves out sessions without a version, as the count of builds does", async () => {
  const all = await list();
  expect(all.items.map(({ version }) => version)).not.toContain("unknown");
  expect((await service.get("/api/v1/games/ember")).json.counts.buildCount).toBe(all.total);
});

test("returns pages, and the whole list on the command line", async () => {
  const all = await list();
  const second = (await service.get("/api/v1/builds/ember?limit=2&offset=1")).json;
  expect([second.items, second.hasMore, second.total]).toEqual([all.items.slice(1, 3), true, all.total]);
  const run = await runCli(["builds", "list", "-g", "ember", "--json"], { service });
  expect(JSON.parse(run.out)).toEqual(all);
  const first = await runCli(["builds", "list", "-g", "ember", "--limit", "1"], { service });
  expect(first.err).toBe(`Showing 1 of ${all.total} builds. Use --limit or --all to show more.\n`);
});

test("hides the games of other accounts", async () => {
  const { keys } = await service.addAccount("other");
  expect((await service.get("/api/v1/builds/ember", { key: keys.management })).status).toBe(404);
});
