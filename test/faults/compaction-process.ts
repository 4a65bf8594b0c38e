/**
 * A process that runs compaction in a loop until it is killed. Its argument is the database. It prints a line once the
 * database has blocks.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/server/db/open.ts";
import { startService } from "../../src/server/start.ts";

const [, , database = ":memory:"] = process.argv;
const store = await openStore({ database, durability: "NORMAL" });
const { compaction, eventCompaction } = await startService({ store, limits: "off", sharesDatabase: true });
const pass = async () => {
  await compaction.drain();
  await eventCompaction.drain();
  return await store.readDb.selectFrom("position_blocks").select("points").executeTakeFirst();
};
for (let hasBlocks = false; ; await sleep(5)) {
  // Ignore errors, because tests restart the database.
  const block = await pass().catch(() => undefined);
  if (block && !hasBlocks) console.log("moved");
  hasBlocks ||= block !== undefined;
}
