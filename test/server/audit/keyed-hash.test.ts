/** Tests of keyed hashes. */
import { expect, test } from "vitest";
import { createKeyedHasher, keyedHash, readKeyedHash } from "../../../src/server/db/keyed-hash.ts";
import { openTestStore, startTestService } from "../../harness.ts";
import { exportArchive, restoreLines } from "../archive/archives.ts";

test("a text has the same hash in a database, and another one in another database", async () => {
  const [one, two] = [await startTestService(), await startTestService()];
  const hash = (service: typeof one, text: string) =>
    service.service.store.write((db) => keyedHash(db, text));
  const first = await hash(one, "dev_1");
  expect(first).toMatch(/^hash_[0-9a-f]{32}$/);
  expect(await hash(one, "dev_1")).toBe(first);
  expect(await readKeyedHash(one.service.store.readDb, "dev_1")).toBe(first);
  expect((await one.service.store.write(createKeyedHasher))("dev_1")).toBe(first);
  expect(await hash(one, "dev_2")).not.toBe(first);
  expect(await hash(two, "dev_1")).not.toBe(first);
  await one.stop();
  await two.stop();
});

test("hashes that are created at the same time use one secret", async () => {
  const { service, stop } = await startTestService();
  const hash = () => service.store.write((db) => keyedHash(db, "dev_1"));
  const hashes = await Promise.all([hash(), hash(), hash(), hash()]);
  expect(new Set(hashes).size).toBe(1);
  await stop();
});

test("an archive keeps the secret, so that hashes can be compared after an import", async () => {
  const from = await startTestService();
  const to = await openTestStore();
  expect(await readKeyedHash(to.readDb, "dev_1")).toBeNull();
  const hash = await from.service.store.write((db) => keyedHash(db, "dev_1"));
  const { lines } = await exportArchive(from.service.store);
  await restoreLines(to, lines);
  expect(await readKeyedHash(to.readDb, "dev_1")).toBe(hash);
  await from.stop();
  await to.close();
});
