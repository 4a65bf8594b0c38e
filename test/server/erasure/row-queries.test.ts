/** Rows of testers with more sessions than one query can name. */
import { expect, it } from "vitest";
import { countRows, eraseRows, readFoundRows } from "../../../src/server/erasure/row-queries.ts";
import { startTestService } from "../../harness.ts";

it("counts, reads and erases each row once", async () => {
  const service = await startTestService();
  const gameId = await service.addGame("ember");
  const session = Array.from({ length: 40_000 }, (_, index) => `sess_${index}`);
  const { writeDb } = service.service.store;
  for (const [index, sessionId] of ["sess_0", "sess_20000", "sess_39999", null, "sess_other"].entries())
    await writeDb
      .insertInto("bug_reports")
      .values({
        ...{ game_id: gameId, id: `bug_${index}`, session_id: sessionId, idempotency_key: `k${index}` },
        ...{ content_hash: "", title: "t", description: "d", severity: "low", build: "1" },
        ...{ player_id: index === 2 || index === 3 ? "wren" : null, environment: "production" },
        ...{ platform: "x", device: "{}", created_at: 0 },
      })
      .execute();
  const finders = { session, handle: ["wren"] };
  expect(await countRows(writeDb, gameId, finders)).toEqual({ bug_reports: 4 });
  expect((await readFoundRows(writeDb, gameId, finders)).get("bug_reports")).toHaveLength(4);
  expect(await eraseRows(writeDb, gameId, finders)).toEqual({ bug_reports: 4 });
  const left = await writeDb.selectFrom("bug_reports").select("id").execute();
  expect(left).toEqual([{ id: "bug_4" }]);
  await service.stop();
});
