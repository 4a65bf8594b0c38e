/** Backups that a server makes: when, what counts as one, and which are kept. */
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { selectExpired } from "../../src/server/backups/keep-rules.ts";
import type { BackupSettings } from "../../src/server/backups/schedule.ts";
import { startMetrics } from "../../src/server/observability/metrics.ts";
import { findRootPage, overwritePages } from "../damage-file.ts";
import { engine, freshFolder, NOW, openTestStore, startTestService, type TestService } from "../harness.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("the rules for what is kept", () => {
  const daysAgo = (days: number, hours = 0) => ({
    createdAt: new Date(NOW - days * DAY_MS - hours * HOUR_MS).toISOString(),
  });

  it("keep the newest backup of each of the last days and weeks that have one", () => {
    const backups = Array.from({ length: 40 }, (_, day) => [daysAgo(day), daysAgo(day, 6)]).flat();
    const expired = new Set(selectExpired(backups, { daily: 3, weekly: 2 }));
    // NOW is a Sunday, the last day of its week.
    expect(backups.filter((backup) => !expired.has(backup))).toEqual([0, 1, 2, 7].map((day) => daysAgo(day)));
  });

  it("count only days with a backup, and always keep the newest one", () => {
    const backups = [daysAgo(100), daysAgo(200), daysAgo(300)];
    expect(selectExpired(backups, { daily: 2, weekly: 0 })).toEqual([daysAgo(300)]);
    expect(selectExpired(backups, { daily: 0, weekly: 0 })).toEqual([daysAgo(200), daysAgo(300)]);
    expect(selectExpired([], { daily: 0, weekly: 0 })).toEqual([]);
  });
});

describe.skipIf(engine !== "sqlite")("a server with backups", () => {
  let database: string;
  let folder: string;
  let service: TestService;

  beforeEach(() => {
    database = join(freshFolder(), "play.db");
    folder = join(freshFolder(), "backups");
    mkdirSync(folder);
  });

  afterEach(() => service.stop());

  async function start(settings: Partial<BackupSettings> = {}, continues?: TestService): Promise<void> {
    const clock = { now: continues?.clock.now ?? NOW, elapsed: 0 };
    const backups: BackupSettings = {
      ...{ folder, everyMs: DAY_MS, keep: null, lock: (work) => work() },
      ...settings,
    };
    service = await startTestService({ database, clock, backups, ...(continues ? { continues } : {}) });
  }

  const advance = async (ms: number) => {
    service.clock.now += ms;
    service.clock.elapsed = (service.clock.elapsed ?? 0) + ms;
    await service.backups.drain();
  };
  const listed = () => readdirSync(folder).filter((name) => name.endsWith(".db"));

  it("makes one when the newest is old enough, also after a restart", async () => {
    await start();
    await service.addGame("maze");
    await service.backups.drain();
    expect(listed()).toHaveLength(1);
    await advance(DAY_MS - 1);
    expect(listed()).toHaveLength(1);
    const before = service;
    await service.stop();
    await start({}, before);
    await service.backups.drain();
    expect(listed()).toHaveLength(1);
    await advance(1);
    expect(listed()).toHaveLength(2);
    const store = await openTestStore(join(folder, listed()[0] ?? ""));
    expect(await store.readDb.selectFrom("games").select("slug").execute()).toEqual([{ slug: "maze" }]);
    await store.close();
  });

  it("removes its own old backups only, after a new one was checked", async () => {
    await start({ keep: { daily: 2, weekly: 0 } });
    const [other, notes] = [join(folder, "other-20200101T000000000Z.db"), join(folder, "play-notes.db")];
    const manifest = { backup: "other-20200101T000000000Z.db", database: "/other.db", version: "1" };
    writeFileSync(other, "other");
    writeFileSync(
      `${other}.json`,
      JSON.stringify({ ...manifest, createdAt: new Date(NOW).toISOString(), bytes: 5, sha256: "", rows: 0 }),
    );
    writeFileSync(notes, "mine");
    await service.backups.drain();
    for (let day = 0; day < 3; day += 1) await advance(DAY_MS);
    expect(listed().filter((name) => name.startsWith("play-2"))).toEqual([
      "play-20260303T120000000Z.db",
      "play-20260304T120000000Z.db",
    ]);
    expect([existsSync(other), readFileSync(notes, "utf8")]).toEqual([true, "mine"]);
  });

  it("does not count one that was changed later, and makes another", async () => {
    await start();
    await service.backups.drain();
    truncateSync(join(folder, listed()[0] ?? ""), 4096);
    await advance(1);
    expect(listed()).toHaveLength(2);
    expect(service.backups.status.createdAt).toBe(service.clock.now);
  });

  it("ignores one from the future, of a clock that was wrong", async () => {
    await start();
    service.clock.now += 365 * DAY_MS;
    await service.backups.drain();
    service.clock.now -= 365 * DAY_MS;
    await service.backups.drain();
    await service.backups.drain();
    expect(listed()).toHaveLength(2);
  });

  it("keeps what is there, and waits an hour, if a copy is damaged", async () => {
    await start({ keep: { daily: 1, weekly: 0 } });
    await service.backups.drain();
    overwritePages(database, await findRootPage(database, "insights_by_session"));
    service.clock.now += DAY_MS;
    await expect(service.backups.drain()).rejects.toThrow("damaged");
    await advance(HOUR_MS - 1);
    expect([listed().length, service.backups.status.hasFailed]).toEqual([1, true]);
    expect(readdirSync(folder)).toHaveLength(2);
    service.clock.elapsed = HOUR_MS;
    await expect(service.backups.drain()).rejects.toThrow("damaged");
  });

  it("makes none of a database whose damage is known", async () => {
    await start();
    service.service.integrity.recordDamage("in a test");
    await service.backups.drain();
    expect(listed()).toEqual([]);
  });

  it("shows age, size and result in the metrics", async () => {
    const metrics = startMetrics();
    await start();
    const scrape = async () => (await metrics.scrape(service.service)).text;
    expect(await scrape()).toMatch(/^playtest_backup_interval_seconds 86400$/m);
    expect(await scrape()).toMatch(/^playtest_last_backup_verified 0$/m);
    await service.backups.drain();
    const text = await scrape();
    expect(text).toContain(`\nplaytest_last_backup_timestamp_seconds ${NOW / 1000}\n`);
    expect(text).toMatch(/^playtest_last_backup_verified 1$/m);
    expect(text).toMatch(/^playtest_last_backup_bytes [1-9]\d+$/m);
    metrics.stop();
  });
});
