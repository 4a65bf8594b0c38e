/** Devices ask for their variants and send telemetry while experiments start, stop and resume, on one or two servers. */
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { computeBucket } from "../../../src/server/experiments/bucketing.ts";
import { requireExperiment } from "../../../src/server/experiments/experiment-queries.ts";
import {
  createExperiment,
  resumeExperiment,
  startExperiment,
  stopExperiment,
} from "../../../src/server/experiments/lifecycle.ts";
import { engine, freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
import { seed } from "../../property.ts";
import { createRandom } from "../../random.ts";
import { compare, gameOf, HALVES } from "./helpers.ts";

const CHANGES = process.env.PLAYTEST_FAULTS === "long" ? 300 : 8;
const DEVICES = 24;

const servers: TestService[] = [];
afterEach(async () => {
  const started = servers.splice(0).reverse();
  for (const server of started) await server.stop();
  expect(started.flatMap(({ faults }) => faults)).toEqual([]);
});

it(`a device has one variant through ${CHANGES} starts, stops and resumes, and is counted in it once (PLAYTEST_SEED=${seed})`, async () => {
  const random = createRandom(seed);
  const database = join(freshFolder(), "play.db");
  const first = await startTestService({ database });
  servers.push(first);
  await first.addGame("ember");
  // On SQLite, a second server in the same process would block the first one.
  if (engine === "postgres") servers.push(await startTestService({ database, continues: first }));
  const pick = () => servers[Math.floor(random() * servers.length)] ?? first;
  const game = await gameOf(first, "ember");
  const { service } = first;
  const create = async () => {
    const input = { name: "Caves", variants: HALVES, audienceId: null };
    return (await service.store.serializable((db) => createExperiment(db, service, game, input))).id;
  };
  const ids = [await create(), await create()];
  const variantOf = (id: string, device: string) =>
    computeBucket(id, game.id, device) < 0.5 ? "control" : "bright";

  const tagsByDevice = new Map<string, Record<string, string>>();
  let isDone = false;
  let answers = 0;
  const ask = async (server: TestService, device: string) => {
    const path = `/api/telemetry/experiments?gameId=ember&deviceId=${device}`;
    const { status, json } = await server.get(path, { key: first.keys.ingest });
    expect(status).toBe(200);
    const map: Record<string, string> = json.experiments;
    for (const [id, variant] of Object.entries(map))
      expect([id, variant]).toEqual([id, variantOf(id, device)]);
    answers += 1;
    return map;
  };
  const play = async (lane: number) => {
    for (let n = lane; !isDone; n += 4) {
      const device = `d${n % DEVICES}`;
      // The same device asks several servers at once, also for the first time.
      const [one = {}] = await Promise.all([0, 1, 2].map(() => ask(pick(), device)));
      const tags = { ...tagsByDevice.get(device), ...one };
      if (Object.keys(tags).length === 0) continue;
      tagsByDevice.set(device, tags);
      const event = { id: `e${n}`, name: "jump", timestamp: NOW + n };
      const body = { gameId: "ember", clientSessionId: device, deviceId: device, events: [event] };
      const sent = await pick().post("/api/telemetry", { ...body, startedAt: NOW, experimentTags: one });
      expect(sent.status).toBe(202);
    }
  };
  const lanes = [0, 1, 2, 3].map(play);
  const changeAll = async () => {
    for (let n = 0; n < CHANGES; n += 1) {
      const id = ids[n % 2] ?? "";
      const { store } = pick().service;
      const status = await store.serializable(async (db) => {
        const row = await requireExperiment(db, first.accountId, id);
        if (row.status === "draft") return (await startExperiment(db, row, NOW)).status;
        if (row.status === "stopped") return (await resumeExperiment(db, row)).status;
        return (await stopExperiment(db, row, NOW)).status;
      });
      // From the change on, every server answers accordingly.
      for (const server of servers) {
        const map = await ask(server, `new${n}`);
        expect([n, status, Object.hasOwn(map, id)]).toEqual([n, status, status === "running"]);
      }
      const before = answers;
      while (answers < before + 12) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await changeAll().finally(() => {
    isDone = true;
  });
  await Promise.all(lanes);

  const stored = await service.store.readDb.selectFrom("exposures").selectAll().execute();
  const sessions = await service.store.readDb.selectFrom("sessions").select(["id", "device_id"]).execute();
  const deviceOf = new Map(sessions.map(({ id, device_id }) => [id, device_id ?? ""]));
  const expected = [...tagsByDevice].flatMap(([device, tags]) =>
    Object.entries(tags).map(([id, variant]) => `${device} ${id} ${variant}`),
  );
  const found = stored.map(
    (row) => `${deviceOf.get(row.session_id)} ${row.experiment_id} ${row.variant_key}`,
  );
  expect(found.sort()).toEqual(expected.sort());
  for (const id of ids) {
    const { comparison } = await compare(first, id);
    const counts = comparison.variants.map((one: { key: string; sessionCount: number }) => [
      one.key,
      one.sessionCount,
    ]);
    const counted = (key: string) => expected.filter((line) => line.endsWith(` ${id} ${key}`)).length;
    expect(counts).toEqual(HALVES.map(({ key }) => [key, counted(key)]));
  }
  expect(found.length).toBeGreaterThan(DEVICES / 2);
});
