/** After random play, answers are those of a service that never got the quarantined sessions, and a release brings them back. */
import { expect, it } from "vitest";
import { previewMove } from "../../../src/server/quarantine/quarantine-queries.ts";
import { engine } from "../../harness.ts";
import fc, { times } from "../../property.ts";
import {
  createChoices,
  createStarter,
  createStudio,
  diverse,
  interleave,
  playSession,
  readAnswers,
  send,
  uniform,
} from "../erasure/random-play.ts";
import { move, requireEmber } from "./move.ts";

const { start, stop } = createStarter();

it.each([
  ["different sessions", diverse, 16],
  ["sessions that are alike", uniform, 32],
])(
  "answers of %s are those without the quarantined ones, and with them after a release",
  async (_, variety, count) => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const random = createChoices(seed);
        const [changed, others, all] = [await start(), await start(), await start()];
        const studio = await createStudio(changed);
        for (const service of [others, all]) await createStudio(service);
        const isAttack = (name: string) => name.endsWith("bot");
        const sessions = Array.from({ length: count }, (_, index) => {
          const tester = index === 0 ? "bot" : random.pick(["bot", "robin", "finch"]);
          const device = `${tester}-phone`;
          return playSession(
            random,
            studio,
            { name: `session${index}-${tester}`, device, handle: null },
            variety,
          );
        });
        const requests = interleave(random, sessions);
        const middle = Math.floor((requests.length * 2) / 3);
        const ids = new Map<string, string>();
        await send(changed, requests.slice(0, middle), ids);
        if (variety === uniform || random.integer(0, 1) === 0) await readAnswers(changed, studio);
        const { id } = await requireEmber(changed);
        const filter = { device: "bot-phone" };
        const preview = await previewMove(changed.service.store.readDb, id, "quarantine", filter);
        const moved = await move(changed, filter);
        expect(preview.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(moved);
        // What arrives late stays out. A session that begins later is another one, so it is moved as well.
        await send(changed, requests.slice(middle), ids);
        await move(changed, filter);
        const ofOthers = requests.filter(({ session }) => !isAttack(session));
        await send(others, ofOthers, new Map());
        expect(await readAnswers(changed, studio)).toEqual(await readAnswers(others, studio));
        await move(changed, filter, true);
        await send(all, requests, new Map());
        expect(await readAnswers(changed, studio)).toEqual(await readAnswers(all, studio));
        expect([changed.faults, await previewMove(changed.service.store.readDb, id, "release", {})]).toEqual([
          [],
          [],
        ]);
        await stop();
      }),
      { numRuns: times(engine === "postgres" ? 1 : 3) },
    );
  },
);
