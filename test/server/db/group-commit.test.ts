/** Group commit: a failed write does not affect the others, and nothing is acknowledged before the commit. */
import { type AddressInfo, connect, createServer } from "node:net";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GroupCommit } from "../../../src/server/db/group-commit.ts";
import type { Db } from "../../../src/server/db/schema.ts";
import type { Store } from "../../../src/server/db/store.ts";
import { openTestStore } from "../../harness.ts";

let store: Store;
let commits: GroupCommit;
let undone: string[];

beforeEach(async () => {
  store = await openTestStore();
  commits = new GroupCommit(store);
  undone = [];
});

afterEach(() => store.close());

const insert = (db: Db, id: string) =>
  db.insertInto("accounts").values({ id, name: id, created_at: 0 }).execute();

/** Stores an account, and then throws `fault` if it is given. */
function add(id: string, fault?: Error): Promise<string> {
  const work = async (db: Db) => {
    await insert(db, id);
    if (fault) throw fault;
    return id;
  };
  return commits.run(work, () => undone.push(id));
}

async function stored(): Promise<string[]> {
  const rows = await store.readDb.selectFrom("accounts").select("id").orderBy("id").execute();
  return rows.map((row) => row.id);
}

describe("concurrent writes", () => {
  it("are stored in order of arrival, and each returns its own value", async () => {
    expect(await Promise.all(["a", "b", "c"].map((id) => add(id)))).toEqual(["a", "b", "c"]);
    expect(await stored()).toEqual(["a", "b", "c"]);
    expect(undone).toEqual([]);
  });

  it("share commits even if each turn of the event loop adds only one write, as with new connections", async () => {
    let transactions = 0;
    const write: Store["write"] = (work) => {
      transactions += 1;
      return store.write(work);
    };
    commits = new GroupCommit({ ...store, write });
    const COUNT = 48;
    const works: Promise<string>[] = [];
    const server = createServer((socket) => {
      works.push(add(`c${works.length}`));
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: COUNT }, () => connect(port, "127.0.0.1").on("error", () => {}));
    while (works.length < COUNT) await new Promise((resolve) => setTimeout(resolve, 5));
    await Promise.all(works);
    for (const client of clients) client.destroy();
    await new Promise((resolve) => server.close(resolve));
    expect(await stored()).toHaveLength(COUNT);
    expect(transactions).toBeLessThan(COUNT / 4);
  });

  it("are stored if one of them fails", async () => {
    for (const bad of [0, 1, 2]) {
      const ids = ["x", "y", "z"].map((name) => `${name}${bad}`);
      const works = ids.map((id, at) => add(id, at === bad ? new Error("bad") : undefined));
      const settled = await Promise.allSettled(works);
      expect(settled.map(({ status }) => status === "rejected")).toEqual([0, 1, 2].map((at) => at === bad));
      expect(undone.splice(0)).toEqual([ids[bad]]);
    }
    expect(await stored()).toEqual(["x1", "x2", "y0", "y2", "z0", "z1"]);
  });

  it("see the changes of earlier writes, but not of failed ones", async () => {
    const seen: string[][] = [];
    const look = async (db: Db) => {
      const rows = await db.selectFrom("accounts").select("id").orderBy("id").execute();
      seen.push(rows.map((row) => row.id));
    };
    const failing = add("b", new Error("bad"));
    const works = [add("a"), failing, commits.run(look, () => {})];
    await expect(failing).rejects.toThrow("bad");
    await Promise.allSettled(works);
    expect(seen).toEqual([["a"]]);
  });

  it("all fail, and are undone first, if the transaction itself is lost", async () => {
    const lose = () =>
      commits.run(
        (db) => sql`rollback`.execute(db),
        () => undone.push("lost"),
      );
    const settled = await Promise.allSettled([add("a"), lose(), add("b")]);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(undone).toEqual(["a", "lost", "b"]);
    expect(await stored()).toEqual([]);
    expect(await add("later")).toBe("later");
    expect(await stored()).toEqual(["later"]);
  });
});

it("undoes a single write that fails", async () => {
  await expect(add("a", new Error("bad"))).rejects.toThrow("bad");
  expect(undone).toEqual(["a"]);
  expect(await stored()).toEqual([]);
});

it("stores more writes than fit into one transaction", async () => {
  const ids = Array.from({ length: 100 }, (_, at) => `id${String(at).padStart(3, "0")}`);
  await Promise.all(ids.map((id) => add(id)));
  expect(await stored()).toEqual(ids);
});

it("resolves no write before the commit", async () => {
  let hasResolved = false;
  const work = async (db: Db) => {
    await insert(db, "a");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(hasResolved).toBe(false);
  };
  const done = commits
    .run(work, () => {})
    .then(() => {
      hasResolved = true;
    });
  await Promise.all([done, add("b").then(() => expect(hasResolved).toBe(true))]);
});
