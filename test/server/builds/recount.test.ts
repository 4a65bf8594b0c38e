/** Recounts of builds: they correct what servers of an earlier version have not counted, while others store sessions. */
import { afterEach, expect, it } from "vitest";
import { analyzeNext } from "../../../src/server/analysis/analyze-next.ts";
import { recountAllBuilds } from "../../../src/server/builds/recount.ts";
import { findDifferingBuilds } from "../../../src/server/builds/recount-queries.ts";
import { createRecountWatch } from "../../../src/server/builds/recount-watch.ts";
import type { RecountedBuild } from "../../../src/server/core/observer.ts";
import type { Db, Schema } from "../../../src/server/db/schema.ts";
import type { Store } from "../../../src/server/db/store.ts";
import { deleteSession } from "../../../src/server/erasure/delete-session.ts";
import { startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import {
  type Choices,
  createChoices,
  createStudio,
  diverse,
  interleave,
  playSession,
  type Studio,
  send,
} from "../erasure/random-play.ts";
import { createEvents, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";
import { readBuildTables, readRecountedTables } from "./build-tables.ts";

const running: TestService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

const tables = ["build_testers", "build_counts", "build_durations"] as const;
const always = { signal: new AbortController().signal, dryRun: false };

async function start(): Promise<TestService> {
  const service = await startTestService();
  running.push(service);
  await service.analysis.stop();
  return service;
}

/** Counts all builds again. Returns those that were wrong. */
async function recountAll(store: Store, options = always): Promise<RecountedBuild[]> {
  const corrected: RecountedBuild[] = [];
  for await (const build of recountAllBuilds(store, options)) if (build) corrected.push(build);
  return corrected;
}

type Saved = { [Table in (typeof tables)[number]]: Schema[Table][] };

const save = async (db: Db): Promise<Saved> => ({
  build_testers: await db.selectFrom("build_testers").selectAll().execute(),
  build_counts: await db.selectFrom("build_counts").selectAll().execute(),
  build_durations: await db.selectFrom("build_durations").selectAll().execute(),
});

/** Undoes all that was counted since, as if servers of the previous version had stored it. */
async function restore(db: Db, saved: Saved): Promise<void> {
  for (const table of tables) {
    await db.deleteFrom(table).execute();
    for (const row of saved[table]) await db.insertInto(table).values(row).execute();
  }
}

/** Deletes and changes some rows. */
async function damage(db: Db, random: Choices): Promise<void> {
  for (const row of (await save(db)).build_testers)
    if (random.integer(0, 3) === 0)
      await db
        .deleteFrom("build_testers")
        .where("tester", "=", row.tester)
        .where("build", "=", row.build)
        .execute();
  for (const { kind, name } of (await save(db)).build_counts)
    if (random.integer(0, 5) === 0)
      await db
        .updateTable("build_counts")
        .set({ amount: random.integer(0, 9) })
        .where("kind", "=", kind)
        .where("name", "=", name)
        .execute();
  for (const level of [0, 1, 2, 3])
    if (random.integer(0, 2) === 0)
      await db.deleteFrom("build_durations").where("level", "=", level).execute();
}

/** Plays sessions whose names begin with a prefix. `first` is the number of their first request. */
async function play(
  service: TestService,
  random: Choices,
  { studio, prefix, first }: { readonly studio: Studio; readonly prefix: string; readonly first: number },
  ids: Map<string, string>,
): Promise<void> {
  const sessions = Array.from({ length: 12 }, (_, index) =>
    playSession(
      random,
      studio,
      {
        name: `${prefix}${index}`,
        device: random.pick([null, "device-a", "device-b", "device-c"]),
        handle: null,
      },
      { ...diverse, rooms: ["cave", "Cave!", "tower"], builds: ["1.0", "__proto__"] },
    ),
  );
  // Ids follow from the numbers of requests.
  const requests = interleave(random, sessions);
  const numbered = requests.map((request) => ({ ...request, number: request.number + first }));
  await send(service, numbered, ids);
}

async function analyzeSome({ service }: TestService, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await analyzeNext(service, "due");
}

async function deleteSome(service: TestService, random: Choices, ids: Map<string, string>): Promise<void> {
  for (const [name, id] of ids) {
    if (random.integer(0, 3) !== 0) continue;
    await deleteSession(service.service, service.accountId, await readSessionRow(service, id));
    ids.delete(name);
  }
}

it("equal a fresh count after servers of an earlier version stored sessions, while others store, analyze and delete some", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = createChoices(seed);
      const service = await start();
      const { store } = service.service;
      const studio = await createStudio(service);
      const ids = new Map<string, string>();
      await play(service, random, { studio, prefix: "before", first: 0 }, ids);
      await analyzeSome(service, 6);
      const saved = await save(store.readDb);
      await play(service, random, { studio, prefix: "uncounted", first: 1000 }, ids);
      await analyzeSome(service, 6);
      await deleteSome(service, random, ids);
      await store.write(async (db) => {
        await restore(db, saved);
        if (random.integer(0, 1) === 0) await damage(db, random);
      });
      const later = new Map<string, string>();
      await Promise.all([
        recountAll(store),
        recountAll(store),
        play(service, random, { studio, prefix: "beside", first: 2000 }, later).then(() =>
          deleteSome(service, random, later),
        ),
        analyzeSome(service, 10),
      ]);
      expect(await readBuildTables(store.readDb)).toEqual(await readRecountedTables(store));
      expect(await recountAll(store)).toEqual([]);
      expect(service.faults).toEqual([]);
      for (const one of running.splice(0)) await one.stop();
    }),
    { numRuns: 3 },
  );
});

it("finds the builds whose counters differ, and changes nothing in a dry run", async () => {
  const service = await start();
  const { store } = service.service;
  const studio = await createStudio(service);
  const random = createChoices(7);
  await play(service, random, { studio, prefix: "before", first: 0 }, new Map());
  await analyzeSome(service, 3);
  const { id: gameId } = await store.readDb.selectFrom("games").select("id").executeTakeFirstOrThrow();
  const findAll = () => findDifferingBuilds(store.readDb, gameId, 100);
  expect(await findAll()).toEqual([]);
  // Only the status of sessions changes.
  const saved = await save(store.readDb);
  await analyzeSome(service, 20);
  await store.write((db) => restore(db, saved));
  expect([...(await findAll())].sort()).toEqual(["1.0", "__proto__"]);
  const corrected = await recountAll(store, { ...always, dryRun: true });
  expect(corrected.map(({ game, build }) => [game, build]).sort()).toEqual([
    ["ember", "1.0"],
    ["ember", "__proto__"],
  ]);
  expect(await save(store.readDb)).toEqual(saved);
  await recountAll(store);
  expect(await findAll()).toEqual([]);
});

it("watches the counters, corrects those that differ, and reports and records it once", async () => {
  const service = await start();
  const { store } = service.service;
  const studio = await createStudio(service);
  await play(service, createChoices(7), { studio, prefix: "before", first: 0 }, new Map());
  const reported: (readonly RecountedBuild[])[] = [];
  const observer = {
    ...service.service.observer,
    recounted: (builds: readonly RecountedBuild[]) => void reported.push(builds),
  };
  const watch = createRecountWatch({ ...service.service, observer });
  expect(await watch.check()).toEqual([]);
  const counted = await readBuildTables(store.readDb);
  await store.writeDb.deleteFrom("build_testers").where("build", "=", "1.0").execute();
  await store.writeDb.deleteFrom("build_counts").where("build", "=", "1.0").execute();
  expect(await watch.check()).toMatchObject([{ game: "ember", build: "1.0" }]);
  expect(await watch.check()).toEqual([]);
  expect(reported).toMatchObject([[{ game: "ember", build: "1.0" }]]);
  expect(await readBuildTables(store.readDb)).toEqual(counted);
  const changes = await store.readDb.selectFrom("audit").select(["action", "actor"]).execute();
  expect(changes.filter(({ action }) => action === "server.recount")).toEqual([
    { action: "server.recount", actor: "service" },
  ]);
  // Earlier versions maintain these counters. A recount finds nothing wrong if they are.
  await store.writeDb.updateTable("session_counts").set({ sessions: 1000 }).execute();
  expect(await watch.check()).toEqual([]);
  await watch.stop();
});

it("checks and reports the other games and builds although one cannot be recounted", async () => {
  const service = await start();
  const { store } = service.service;
  const studio = await createStudio(service);
  await play(service, createChoices(7), { studio, prefix: "before", first: 0 }, new Map());
  const otherId = await service.addGame("other");
  await sendTelemetry(service, {
    gameId: "other",
    clientSessionId: "evening",
    events: createEvents(["jump"]),
  });
  const readOther = () =>
    store.readDb
      .selectFrom("build_counts")
      .selectAll()
      .where("game_id", "=", otherId)
      .orderBy("kind")
      .execute();
  const counted = (await readOther()).length;
  const recounted: (readonly RecountedBuild[])[] = [];
  const observer = {
    ...service.service.observer,
    recounted: (builds: readonly RecountedBuild[]) => void recounted.push(builds),
  };
  const watch = createRecountWatch({ ...service.service, observer });
  await store.writeDb.updateTable("build_testers").set({ facts: "[" }).where("build", "=", "1.0").execute();
  await store.writeDb.deleteFrom("build_counts").execute();
  const builds = (await watch.check()).map(({ game, build }) => [game, build]);
  expect(builds).toEqual([
    ["ember", "__proto__"],
    ["other", expect.any(String)],
  ]);
  expect(recounted.flat()).toHaveLength(2);
  expect(service.faults.splice(0)).toEqual([expect.stringContaining("recount"), expect.any(SyntaxError)]);
  const changes = await store.readDb.selectFrom("audit").select("action").execute();
  expect(changes.filter(({ action }) => action === "server.recount")).toHaveLength(1);
  expect([counted > 0, (await readOther()).length]).toEqual([true, counted]);
  await watch.stop();
});
