/** The figures of builds: after random play, analyses, answers and deletions, they are what a naive count of all rows finds. */
import { afterEach, expect, it } from "vitest";
import type { BuildComparison } from "../../../src/contract/builds.ts";
import { analyzeNext } from "../../../src/server/analysis/analyze-next.ts";
import { deleteSession } from "../../../src/server/erasure/delete-session.ts";
import { engine, startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import {
  type Choices,
  createChoices,
  createStudio,
  diverse,
  interleave,
  playSession,
  send,
} from "../erasure/random-play.ts";
import { readSessionRow } from "../telemetry-helpers.ts";
import { computeComparedBuilds, computeRollups } from "./naive-builds.ts";

const open: TestService[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.stop();
});

const SESSIONS = 25;
/** Rooms whose names differ only in symbols share a tag. */
const rooms = ["cave", "Cave!", "tower", "__proto__", "💠"];
const [first, second] = ["1.0", "__proto__"] as const;

async function expectExact(service: TestService): Promise<void> {
  const { store } = service.service;
  const rollups = await computeRollups(store.readDb);
  for (const rollup of rollups) {
    const answer = await service.get(`/api/v1/builds/ember/${encodeURIComponent(rollup.version)}`);
    expect(answer.json.rollup).toEqual(rollup);
  }
  if (rollups.length < 2) return;
  for (const env of ["production", "staging", "all"]) {
    const answer = await service.get(`/api/v1/builds/compare?game=ember&a=${first}&b=${second}&env=${env}`);
    const { buildA, buildB } = answer.json as BuildComparison;
    expect([buildA, buildB]).toEqual(await computeComparedBuilds(store.readDb, [first, second], env));
  }
}

/** Analyzes sessions that are due, and repeats analyses. */
async function analyzeSome({ service }: TestService, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1)
    if (!(await analyzeNext(service, "due"))) await analyzeNext(service, "requested");
}

/** Deletes some of the sessions, in any state. */
async function deleteSome(service: TestService, random: Choices, ids: Map<string, string>): Promise<void> {
  for (const [name, id] of ids) {
    if (random.integer(0, 4) !== 0) continue;
    await deleteSession(service.service, service.accountId, await readSessionRow(service, id));
    ids.delete(name);
  }
}

it("are exact at any time", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = createChoices(seed);
      const service = await startTestService();
      open.push(service);
      // Analyses run between the checks only.
      await service.analysis.stop();
      const studio = await createStudio(service);
      const sessions = Array.from({ length: SESSIONS }, (_, index) =>
        playSession(
          random,
          studio,
          {
            name: `session${index}`,
            device: random.pick([null, "device-a", "device-b", "device-c"]),
            handle: null,
          },
          { ...diverse, rooms, builds: [first, second] },
        ),
      );
      const ids = new Map<string, string>();
      const requests = interleave(random, sessions);
      const deleted = new Set<string>();
      while (requests.length > 0) {
        const part = requests.splice(0, random.integer(10, 40));
        await send(
          service,
          part.filter(({ session }) => !deleted.has(session)),
          ids,
        );
        await analyzeSome(service, random.integer(0, 12));
        await expectExact(service);
        const before = [...ids.keys()];
        if (random.integer(0, 1) === 0) await deleteSome(service, random, ids);
        for (const name of before) if (!ids.has(name)) deleted.add(name);
        await expectExact(service);
      }
      await analyzeSome(service, SESSIONS);
      await expectExact(service);
      expect(service.faults).toEqual([]);
      for (const service of open.splice(0)) await service.stop();
    }),
    { numRuns: engine === "postgres" ? 2 : 4 },
  );
});
