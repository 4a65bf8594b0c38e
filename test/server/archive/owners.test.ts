/** Pages of sharded tables are read by owner: many small ones at once, and large ones alone. */
import { expect, test } from "vitest";
import { insertRows, listOwners, OwnerList, readRows } from "../../../src/server/archive/archive-queries.ts";
import { isSharded } from "../../engine.ts";
import { emptyStore } from "./archives.ts";

/** Takes all owners, each time those of a page. */
function takeAll(owners: OwnerList, limit: number): string[] {
  const taken: string[] = [];
  for (let scope = owners.take(limit); scope; scope = owners.take(limit)) taken.push(scope.values.join(""));
  return taken;
}

test("owners share a page if all their rows fit, and every owner is taken once", () => {
  const owners = [3, 4, 2, 50, 1, 9, 1].map((rows, at) => ({ id: "abcdefg".charAt(at), rows }));
  const take = (limit: number) => takeAll(new OwnerList("game_id", owners), limit);
  expect(take(10)).toEqual(["abc", "d", "e", "f", "g"]);
  expect(take(1000)).toEqual(["abcdefg"]);
  expect(take(1)).toEqual([..."abcdefg"]);
  expect(takeAll(new OwnerList("game_id", []), 10)).toEqual([]);
});

test("the rows of many games are read in the order of the key, however many each game has", async () => {
  const store = await emptyStore();
  const columns = ["game_id", "hour", "changed_at"];
  const counts = [1, 1, 450, 199, 1, 200, 3, 201, ...Array.from({ length: 250 }, () => 2)];
  const rows = counts.flatMap((count, game) =>
    Array.from({ length: count }, (_, hour) => [`game_${String(game).padStart(3, "0")}`, hour, game]),
  );
  for (let at = 0; at < rows.length; at += 500)
    await insertRows(store.writeDb, "session_changes", columns, rows.slice(at, at + 500));
  const read: unknown[] = [];
  for await (const page of readRows(store.readDb, "session_changes", columns)) {
    expect(page.length).toBeLessThanOrEqual(200);
    read.push(...page);
  }
  expect(read).toEqual(rows);
  const owners = await listOwners(store.readDb, "session_changes");
  expect(owners?.take(1)?.values).toEqual(isSharded ? ["game_000"] : undefined);
  await store.close();
});
