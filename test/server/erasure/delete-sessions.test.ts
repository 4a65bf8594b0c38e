/** A deleted session leaves no trace: every answer is that of a service that never had it. */
import { describe, expect, it } from "vitest";
import { deleteSession } from "../../../src/server/erasure/delete-session.ts";
import { engine, type TestService } from "../../harness.ts";
import fc, { times } from "../../property.ts";
import { readSessionRow } from "../telemetry-helpers.ts";
import {
  createChoices,
  createStarter,
  createStudio,
  diverse,
  interleave,
  type PlayedSession,
  playSession,
  readAnswers,
  send,
  uniform,
} from "./random-play.ts";

const { start, stop } = createStarter();

async function erase(service: TestService, id: string): Promise<void> {
  const counts = await deleteSession(service.service, service.accountId, await readSessionRow(service, id));
  expect(counts?.sessions).toBe(1);
}

async function hasBlocks({ service }: TestService): Promise<boolean> {
  return (await service.store.readDb.selectFrom("position_blocks").select("id").execute()).length > 0;
}

describe("after sessions were deleted", () => {
  it("answers like a service that never had them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const random = createChoices(seed);
        const [full, fresh] = [await start(), await start()];
        const studio = await createStudio(full);
        expect(await createStudio(fresh)).toEqual(studio);
        const [variety, count] = random.pick([
          [diverse, 20],
          [uniform, 32],
        ] as const);
        const sessions: PlayedSession[] = Array.from({ length: count }, (_, index) => {
          const name = `session${index}`;
          const device = random.pick([null, "device-a", "device-b", "device-c", "device-d"]);
          return playSession(
            random,
            studio,
            { name, device, handle: random.pick([null, "wren", "robin"]) },
            variety,
          );
        });
        const erased = new Set(sessions.filter(() => random.integer(0, 3) === 0).map(({ name }) => name));
        const requests = interleave(random, sessions);
        const middle = Math.floor(requests.length / 2);
        const ids = new Map<string, string>();
        await send(full, requests.slice(0, middle), ids);
        if (variety === uniform || random.integer(0, 1) === 0) await readAnswers(full, studio);
        await send(full, requests.slice(middle), ids);
        if (random.integer(0, 1) === 0) await readAnswers(full, studio);
        if (variety === uniform) expect(await hasBlocks(full)).toBe(true);
        for (const name of erased) await erase(full, ids.get(name) ?? "");
        await send(
          fresh,
          requests.filter(({ session }) => !erased.has(session)),
          new Map(),
        );
        expect(await readAnswers(full, studio)).toEqual(await readAnswers(fresh, studio));
        expect(full.faults).toEqual([]);
        await stop();
      }),
      { numRuns: times(engine === "postgres" ? 1 : 4) },
    );
  });
});
