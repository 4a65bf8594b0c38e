/** Kills erasures at random moments: the next run continues, and the receipt counts the rows of all runs. */
import { expect, it } from "vitest";
import { playtest } from "../cli/program.ts";
import { openTestStore, readStoredText } from "../engine.ts";
import { freshFolder, startTestService } from "../harness.ts";
import { seed } from "../property.ts";
import {
  createChoices,
  createStudio,
  interleave,
  playSession,
  readAnswers,
  send,
} from "../server/erasure/random-play.ts";
import { databaseIn } from "../server/real-server.ts";
import { killAt } from "./kill-process.ts";
import { checkIntegrity } from "./send-events.ts";

const ROUNDS = process.env.PLAYTEST_FAULTS === "long" ? 30 : 2;
/** Sessions of the tester, so that an erasure has many steps. */
const SESSIONS = 40;
const MAX_KILLS = 12;

it(
  `erasures, killed in ${ROUNDS} rounds, continue until nothing is left (PLAYTEST_SEED=${seed})`,
  async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const random = createChoices(seed + round);
      const folder = freshFolder();
      const file = databaseIn(folder);
      const service = await startTestService({ database: file });
      const studio = await createStudio(service);
      const sessions = Array.from({ length: 2 * SESSIONS }, (_, index) => {
        const name = index % 2 === 0 ? "wrensecret" : "robin";
        return playSession(random, studio, {
          name: `${name}${index}`,
          device: `${name}-phone`,
          handle: name,
        });
      });
      await send(service, interleave(random, sessions), new Map());
      await readAnswers(service, studio);
      await service.stop();
      const database = file;
      const erase = (more: readonly string[]) =>
        playtest(["admin", "testers", "erase", "wrensecret", "--database", database, "--json", ...more]);
      const dry = JSON.parse(String((await erase(["--dry-run"])).stdout));
      for (let kill = 0; kill < MAX_KILLS; kill += 1) {
        const event = random.integer(1, 40);
        const { signal } = await killAt(erase(["--yes"]), { folder, event });
        expect(await checkIntegrity(database)).toBe("ok");
        if (signal !== "SIGKILL") break;
      }
      const last = await erase(["--yes"]);
      expect(last.exitCode).toBe(0);
      const receipt = JSON.parse(String(last.stdout));
      expect(receipt.remaining).toBe(0);
      // The last killed run may have finished its work.
      expect([dry.rows, 0]).toContain(receipt.rows);
      expect(await readStoredText(file)).not.toMatch(/wrensecret/);
      const store = await openTestStore(file);
      const left = await store.readDb.selectFrom("sessions").select("tester_handle").execute();
      expect(left.map(({ tester_handle }) => tester_handle)).toEqual(Array(SESSIONS).fill("robin"));
      expect(await store.readDb.selectFrom("erasures").selectAll().execute()).toEqual([]);
      await store.close();
    }
  },
  120_000 + ROUNDS * 60_000,
);
