/** Event counts stay exact while they move into blocks, next to ingest and deletions, and deleted names leave the blocks. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DamagedData } from "../../../src/server/core/stored-data.ts";
import { listDayCounts } from "../../../src/server/sessions/event-block.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { DAY, removeSession, sendPastSession } from "./past-sessions.ts";

let service: TestService;
let games = 0;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

async function addGame() {
  const slug = `game-${++games}`;
  return { slug, id: await service.addGame(slug) };
}

async function readStored(gameId: string) {
  const { readDb } = service.service.store;
  const rows = await readDb
    .selectFrom("event_rollups")
    .selectAll()
    .where("game_id", "=", gameId)
    .orderBy("day")
    .execute();
  const blocks = await readDb
    .selectFrom("event_count_blocks")
    .selectAll()
    .where("game_id", "=", gameId)
    .orderBy("block")
    .execute();
  return { rows, blocks, text: JSON.stringify([rows, blocks.map(({ names }) => names)]) };
}

describe("compaction of event counts", () => {
  it("moves all days but today and yesterday, and adds late events to them", async () => {
    const { slug, id } = await addGame();
    for (const daysAgo of [0, 1, 2, 40])
      await sendPastSession(service, slug, `s${daysAgo}`, { daysAgo, build: "1.0", env: "production" }, [
        "jump",
      ]);
    await service.eventCompaction.drain();
    const today = Math.floor(NOW / DAY);
    const { rows, blocks } = await readStored(id);
    expect(rows.map((row) => row.day)).toEqual([today - 1, today]);
    expect(blocks.flatMap((block) => listDayCounts(block))).toEqual([
      { name: "jump", day: today - 40, count: 1 },
      { name: "jump", day: today - 2, count: 1 },
    ]);
    await sendPastSession(service, slug, "s2", { daysAgo: 2, build: "1.0", env: "production" }, [
      "jump",
      "late",
    ]);
    expect((await readStored(id)).rows).toHaveLength(4);
    const before = (await service.get(`/api/v1/events/${slug}?from=0`)).json;
    await service.eventCompaction.drain();
    expect((await readStored(id)).rows).toHaveLength(2);
    expect((await service.get(`/api/v1/events/${slug}?from=0`)).json).toEqual(before);
    expect(before.byName).toEqual({ jump: 5, late: 1 });
  });

  it("a deletion removes names and builds of the session from blocks at once", async () => {
    const { slug, id: gameId } = await addGame();
    const old = { daysAgo: 40, build: "1.0", env: "production" };
    const kept = await sendPastSession(service, slug, "kept", old, ["jump"]);
    const removed = await sendPastSession(service, slug, "removed", old, ["jump", "player-jane"]);
    const alone = await sendPastSession(service, slug, "alone", { ...old, build: "jane-build" }, ["jump"]);
    await service.eventCompaction.drain();
    // Events that are not yet in a block.
    await sendPastSession(service, slug, "removed", old, ["player-jane", "more"]);
    expect((await readStored(gameId)).text).toContain("jane");
    await removeSession(service, removed);
    await removeSession(service, alone);
    const { rows, blocks, text } = await readStored(gameId);
    expect([rows, blocks.length, text]).toEqual([[], 1, expect.not.stringContaining("jane")]);
    const from = NOW - 60 * DAY;
    expect((await service.get(`/api/v1/events/${slug}?from=${from}`)).json.byName).toEqual({ jump: 1 });
    await removeSession(service, kept);
    expect((await readStored(gameId)).blocks).toEqual([]);
  });

  it("leaves the rows of a damaged block, and continues with other blocks", async () => {
    const { slug, id } = await addGame();
    const send40 = (name: string, build: string) =>
      sendPastSession(service, slug, name, { daysAgo: 40, build, env: "production" }, ["jump"]);
    await send40("one", "1.0");
    await service.eventCompaction.drain();
    const { writeDb } = service.service.store;
    await writeDb.updateTable("event_count_blocks").set({ names: "[" }).where("game_id", "=", id).execute();
    for (const query of [`?from=${NOW - 60 * DAY}`, ""]) {
      expect((await service.get(`/api/v1/events/${slug}${query}`)).status).toBe(500);
      expect(service.faults.splice(0)).toEqual([
        expect.stringContaining(`/api/v1/events/${slug}`),
        expect.any(DamagedData),
      ]);
    }
    const heatmap = await service.get(`/api/v1/heatmaps/${slug}?event=jump`);
    expect([heatmap.status, heatmap.json.omitted.withoutPosition]).toEqual([200, null]);
    await send40("two", "1.0");
    await send40("three", "1.1");
    await service.eventCompaction.drain();
    const { rows, blocks } = await readStored(id);
    expect(rows.map(({ build, count }) => [build, Number(count)])).toEqual([["1.0", 1]]);
    expect(blocks.map(({ build }) => build)).toEqual(["1.0", "1.1"]);
    await writeDb.deleteFrom("event_count_blocks").where("game_id", "=", id).execute();
    await writeDb.deleteFrom("event_rollups").where("game_id", "=", id).execute();
  });

  it("crashes are found on days whose counts are in blocks", async () => {
    const { slug } = await addGame();
    await sendPastSession(service, slug, "crashed", { daysAgo: 40, build: "1.0", env: "production" }, [
      "jump",
      "crash_reported",
    ]);
    await sendPastSession(service, slug, "quoted", { daysAgo: 80, build: "1.0", env: "production" }, [
      'not a "crash_reported"',
    ]);
    const before = (await service.get(`/api/v1/crashes/${slug}`)).json;
    await service.eventCompaction.drain();
    expect((await service.get(`/api/v1/crashes/${slug}`)).json).toEqual(before);
    expect(before.items).toHaveLength(1);
  });
});
