/** The outbox of webhooks is not in an archive. An imported database says so of what was in it. */
import { expect, test } from "vitest";
import { startTestService } from "../../harness.ts";
import { makeWorld } from "../sample-requests.ts";
import { emptyStore, exportArchive, restoreLines } from "./archives.ts";

test("verdicts that waited are dropped, and no event from before the import is kept", async () => {
  const service = await startTestService();
  await makeWorld(service, service, "moved");
  const { store } = service.service;
  const decided = { state: "passed", decided_at: service.clock.now, delivery: "waiting" } as const;
  await store.writeDb.updateTable("gates").set(decided).execute();
  const webhook = await store.readDb.selectFrom("webhooks").selectAll().executeTakeFirstOrThrow();
  const unused = { ...webhook, id: "whk_unused", name: "unused", attempted_at: null, kept_since: null };
  await store.writeDb.insertInto("webhooks").values(unused).execute();
  const used = { attempted_at: 1, kept_since: null };
  await store.writeDb.updateTable("webhooks").set(used).where("id", "=", webhook.id).execute();
  const { lines } = await exportArchive(store);
  await service.stop();
  const copy = await emptyStore();
  const now = service.clock.now + 1000;
  await restoreLines(copy, lines, { now });
  const gates = await copy.readDb.selectFrom("gates").select("delivery").execute();
  expect(new Set(gates.map(({ delivery }) => delivery))).toEqual(new Set(["dropped"]));
  const webhooks = await copy.readDb.selectFrom("webhooks").select(["id", "kept_since"]).execute();
  expect(new Map(webhooks.map(({ id, kept_since }) => [id, kept_since]))).toEqual(
    new Map([
      [webhook.id, now],
      [unused.id, null],
    ]),
  );
  await copy.close();
});
