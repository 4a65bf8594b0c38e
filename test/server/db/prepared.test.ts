/** Prepared queries: built once for each set of fields, and run with the values of each call. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { prepareQuery, prepareRowsQuery } from "../../../src/server/db/prepared.ts";
import type { Db, GameRow } from "../../../src/server/db/schema.ts";
import { startTestService, type TestService } from "../../harness.ts";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  for (const slug of ["ember", "maze", "sand"]) await service.addGame(slug);
});
afterEach(() => service.stop());

interface GameFilter {
  readonly slug?: string | undefined;
  readonly name?: string | undefined;
  readonly limit: number;
}

/** Creates a query of games that counts how often it is built. */
function createGamesQuery() {
  const built = { times: 0 };
  const run = prepareQuery((db, { slug, name, limit }: GameFilter) => {
    built.times += 1;
    return db
      .selectFrom("games")
      .select("slug")
      .$if(slug !== undefined, (query) => query.where("slug", "=", slug ?? ""))
      .$if(name !== undefined, (query) => query.where("name", "!=", name ?? ""))
      .where("created_at", ">", 5)
      .orderBy("slug")
      .limit(limit);
  });
  const slugs = async (db: Db, filter: GameFilter) => (await run(db, filter)).rows.map((row) => row.slug);
  return { built, slugs };
}

it("is built once for each set of fields, and uses the values of each call", async () => {
  const { built, slugs } = createGamesQuery();
  const { readDb: read, writeDb: write } = service.service.store;
  expect(await slugs(read, { slug: "maze", limit: 9 })).toEqual(["maze"]);
  expect(await slugs(read, { slug: "sand", limit: 9 })).toEqual(["sand"]);
  expect(await slugs(read, { slug: "sand", name: undefined, limit: 0 })).toEqual([]);
  expect(built.times).toBe(1);
  expect(await slugs(read, { limit: 2 })).toEqual(["ember", "maze"]);
  expect(await slugs(read, { name: "ember", limit: 9 })).toEqual(["maze", "sand"]);
  expect(built.times).toBe(3);
  await write.transaction().execute(async (db) => {
    expect(await slugs(db, { limit: 1 })).toEqual(["ember"]);
  });
  expect(built.times).toBeLessThanOrEqual(4);
});

it("is built again for another database", async () => {
  const { built, slugs } = createGamesQuery();
  const other = await startTestService();
  expect(await slugs(service.service.store.readDb, { limit: 1 })).toEqual(["ember"]);
  expect(await slugs(other.service.store.readDb, { limit: 1 })).toEqual([]);
  expect(built.times).toBe(2);
  await other.stop();
});

it("is built once for each number of rows", async () => {
  let built = 0;
  const add = prepareRowsQuery((db, rows: readonly GameRow[]) => {
    built += 1;
    return db.insertInto("games").values(rows);
  });
  const { writeDb: write } = service.service.store;
  const row = (slug: string): GameRow => ({
    id: `game_${slug}`,
    account_id: service.accountId,
    slug,
    name: `"${slug}'; --`,
    sdk_settings: null,
    deletions: 0,
    created_at: 1,
  });
  await add(write, [row("a"), row("b")]);
  await add(write, [row("c"), row("d")]);
  await add(write, [row("e")]);
  expect(built).toBe(2);
  const { games } = (await service.get("/api/v1/games")).json;
  const names = games.map((game: { name: string }) => game.name);
  expect(names).toEqual(expect.arrayContaining(["a", "b", "c", "d", "e"].map((slug) => `"${slug}'; --`)));
});

it("throws if the builder reads a value", async () => {
  const { readDb: read } = service.service.store;
  const invalid = prepareQuery((db, { limit }: GameFilter) =>
    db
      .selectFrom("games")
      .select("slug")
      .limit(limit + 1),
  );
  expect(() => invalid(read, { limit: 1 })).toThrow("may check whether limit is set");
});
