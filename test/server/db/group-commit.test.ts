/** What is committed together: all that succeeds is stored, what fails takes nothing with it, and nothing is told early. */
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

/** Stores an account, and fails after that where told to. */
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

describe("works that come together", () => {
  it("are stored in the order they came, and each gets its own value", async () => {
    expect(await Promise.all(["a", "b", "c"].map((id) => add(id)))).toEqual(["a", "b", "c"]);
    expect(await stored()).toEqual(["a", "b", "c"]);
    expect(undone).toEqual([]);
  });

  it("share commits where each turn of the event loop brings only one, as new connections do", async () => {
    let transactions = 0;
    const change: Store["write"] = (work) => {
      transactions += 1;
      return store.write(work);
    };
    commits = new GroupCommit({ write: change });
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

  it("lose nothing by one that fails, whichever it is", async () => {
    for (const bad of [0, 1, 2]) {
      const ids = ["x", "y", "z"].map((name) => `${name}${bad}`);
      const works = ids.map((id, at) => add(id, at === bad ? new Error("bad") : undefined));
      const settled = await Promise.allSettled(works);
      expect(settled.map(({ status }) => status === "rejected")).toEqual([0, 1, 2].map((at) => at === bad));
      expect(undone.splice(0)).toEqual([ids[bad]]);
    }
    expect(await stored()).toEqual(["x1", "x2", "y0", "y2", "z0", "z1"]);
  });

  it("see what those before them stored, and nothing of one that failed", async () => {
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

  it("are all refused, and undone first, where the transaction itself is lost", async () => {
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

it("a work of its own that fails is undone", async () => {
  await expect(add("a", new Error("bad"))).rejects.toThrow("bad");
  expect(undone).toEqual(["a"]);
  expect(await stored()).toEqual([]);
});

it("more than one transaction takes are stored all the same", async () => {
  const ids = Array.from({ length: 100 }, (_, at) => `id${String(at).padStart(3, "0")}`);
  await Promise.all(ids.map((id) => add(id)));
  expect(await stored()).toEqual(ids);
});

it("nothing is told before it is committed", async () => {
  let told = false;
  const work = async (db: Db) => {
    await insert(db, "a");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(told).toBe(false);
  };
  const done = commits
    .run(work, () => {})
    .then(() => {
      told = true;
    });
  await Promise.all([done, add("b").then(() => expect(told).toBe(true))]);
});
