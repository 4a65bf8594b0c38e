/** Administrative commands killed at any moment: what each makes is there whole or not at all, and running it again works. */
import { expect, it } from "vitest";
import { findKey } from "../../src/server/accounts/keys.ts";
import type { Store } from "../../src/server/db/store.ts";
import { playtest } from "../cli/program.ts";
import { openTestStore } from "../engine.ts";
import { freshFolder } from "../harness.ts";
import { seed } from "../property.ts";
import { databaseIn } from "../server/real-server.ts";
import { sharesOf } from "../shares.ts";
import { killedAt, type Moment } from "./killed.ts";
import { integrityOf } from "./play-to-disk.ts";

const IS_LONG = process.env.PLAYTEST_FAULTS === "long";
const KILLS = IS_LONG ? 200 : 8;
/** Keys of one command, so that its transaction takes a while. */
const KEYS = 2000;
const VARIANTS = ["a", "b", "c"];

/** What a command that told its answer said. */
type Told = Readonly<Record<string, { readonly id?: string; readonly slug?: string } | undefined>> & {
  readonly key?: string;
  readonly added?: readonly unknown[];
};

interface Scene {
  /** The words behind `admin` of the nth kill. */
  argv(nth: number, batch: string): string[];
  /** How many things of that making there are: of those that were told there must be as many at least. */
  made(store: Store, nth: number, batch: string): Promise<number>;
  /** Whether running it again leaves the one thing that it made. */
  readonly once?: boolean;
}

const countOf = async (rows: Promise<readonly unknown[]>) => (await rows).length;

const scenes: readonly Scene[] = [
  {
    argv: (nth) => ["accounts", "create", `studio ${nth}`],
    made: ({ readDb: read }, nth) =>
      countOf(read.selectFrom("accounts").select("id").where("name", "=", `studio ${nth}`).execute()),
  },
  {
    argv: (_nth, batch) => ["batches", "add-keys", batch, "--game", "maze", "--generate", String(KEYS)],
    made: async ({ readDb: read }) =>
      (await countOf(read.selectFrom("playtest_keys").select("id").execute())) / KEYS,
  },
  {
    argv: (nth) => ["games", "create", `g${nth}`, "--name", `Game ${nth}`],
    made: ({ readDb: read }, nth) =>
      countOf(read.selectFrom("games").select("id").where("name", "=", `Game ${nth}`).execute()),
    once: true,
  },
  {
    argv: (nth) => [
      ...["experiments", "create", `Caves ${nth}`, "--game", "maze"],
      ...VARIANTS.flatMap((key) => ["--variant", key]),
    ],
    made: ({ readDb: read }, nth) =>
      countOf(read.selectFrom("experiments").select("id").where("name", "=", `Caves ${nth}`).execute()),
  },
  {
    argv: () => ["keys", "rotate"],
    made: async ({ readDb: read }) =>
      (await countOf(read.selectFrom("keys").select("hash").where("kind", "=", "management").execute())) -
      (await countOf(read.selectFrom("accounts").select("id").where("name", "like", "studio%").execute())),
    once: true,
  },
  {
    argv: (nth) => [
      ...["event-config", "set", `wiped-${nth}`, "--game", "maze"],
      ...["--meaning", "failure", "--hide-from-ai", "on"],
    ],
    made: ({ readDb: read }, nth) =>
      countOf(read.selectFrom("event_config").select("name").where("name", "=", `wiped-${nth}`).execute()),
    once: true,
  },
  {
    argv: (nth) => ["batches", "create", `Alpha ${nth}`, "--game", "maze", "--share"],
    made: ({ readDb: read }, nth) =>
      countOf(read.selectFrom("playtest_batches").select("id").where("name", "=", `Alpha ${nth}`).execute()),
  },
  {
    argv: (nth, batch) => ["batches", "invite", batch, `wren${nth}@example.com`, "--game", "maze"],
    made: ({ readDb: read }, nth) =>
      countOf(
        read
          .selectFrom("tester_invites")
          .select("id")
          .where("email", "=", `wren${nth}@example.com`)
          .execute(),
      ),
    once: true,
  },
];

/** Nothing is there by halves. */
async function expectWhole({ readDb: read }: Store): Promise<void> {
  const accounts = await read.selectFrom("accounts").select(["id", "name"]).execute();
  for (const { id, name } of accounts.filter((account) => account.name !== "local")) {
    const keys = await read.selectFrom("keys").select("kind").where("account_id", "=", id).execute();
    expect([name, keys.map(({ kind }) => kind).sort()]).toEqual([name, ["ingest", "management"]]);
  }
  expect(accounts.filter(({ name }) => name === "local")).toHaveLength(1);
  const keys = await read.selectFrom("playtest_keys").select(["status", "tester_invite_id"]).execute();
  expect(keys.length % KEYS).toBe(0);
  const invites = await read.selectFrom("tester_invites").select("id").execute();
  expect(keys.flatMap(({ tester_invite_id }) => tester_invite_id ?? []).sort()).toEqual(
    invites.map(({ id }) => id).sort(),
  );
  for (const { variants } of await read.selectFrom("experiments").select("variants").execute())
    expect(JSON.parse(variants).map(({ key }: { key: string }) => key)).toEqual(VARIANTS);
  for (const event of await read.selectFrom("event_config").selectAll().execute())
    expect(event).toMatchObject({ meaning: "failure", hide_from_ai: 1 });
  for (const batch of await read.selectFrom("playtest_batches").selectAll().execute())
    expect(batch.share_token).toMatch(/^share_/);
}

it(
  `administrative commands, killed ${KILLS} times, leave nothing by halves (PLAYTEST_SEED=${seed})`,
  async () => {
    const share = sharesOf(seed);
    const folder = freshFolder();
    const database = databaseIn(folder);
    const admin = (argv: readonly string[]) => playtest(["admin", ...argv, "--database", database, "--json"]);
    const calmly = async (argv: readonly string[]): Promise<Told> => {
      const { exitCode, stdout, stderr } = await admin(argv);
      expect([argv, exitCode, stderr]).toEqual([argv, 0, expect.any(String)]);
      return JSON.parse(String(stdout));
    };
    await calmly(["games", "create", "maze"]);
    const started = performance.now();
    const batch = (await calmly(["batches", "create", "Alpha", "--game", "maze", "--share"])).batch?.id ?? "";
    const whole = performance.now() - started;
    await calmly(scenes[1]?.argv(0, batch) ?? []);
    await calmly(["keys", "rotate"]);

    // How many were killed, and how many of those once their work was stored.
    let [cut, stored] = [0, 0];
    for (let nth = 0; nth < KILLS; nth += 1) {
      const scene = scenes[nth % scenes.length];
      if (!scene) continue;
      const argv = scene.argv(nth, batch);
      const look = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
        const store = await openTestStore(database);
        return await work(store).finally(() => store.close());
      };
      const before = await look((store) => scene.made(store, nth, batch));
      // The database is written to late in a run: half of the kills come with what is seen of that.
      const when: Moment =
        share() < 0.5
          ? { folder, event: 1 + Math.floor(share() * 12) }
          : { ms: (0.3 + share() * 0.7) * whole };
      const ended = await killedAt(admin(argv), when);
      if (ended.signal === "SIGKILL") cut += 1;
      expect(await integrityOf(database)).toBe("ok");
      const after = await look(async (store) => {
        await expectWhole(store);
        return await scene.made(store, nth, batch);
      });
      const isTold = String(ended.stdout).endsWith("}");
      expect([before, before + 1]).toContain(after);
      if (ended.signal === "SIGKILL" && after > before) stored += 1;
      if (isTold && !scene.once) expect(after).toBe(before + 1);

      const again = await admin(argv);
      if (again.exitCode !== 0)
        expect([argv[1], String(again.stderr)]).toEqual([
          "invite",
          expect.stringMatching(/invited .* already/),
        ]);
      await look(async (store) => {
        await expectWhole(store);
        expect(await scene.made(store, nth, batch)).toBe(scene.once ? 1 : after + 1);
        const told: Told = again.exitCode === 0 ? JSON.parse(String(again.stdout)) : {};
        if (argv[1] === "rotate")
          expect((await findKey(store.readDb, told.key ?? ""))?.kind).toBe("management");
      });
    }
    console.info(`${cut} of ${KILLS} were killed, ${stored} of them once their work was stored`);
    expect(cut).toBeGreaterThan(stored);
    if (IS_LONG) expect(stored).toBeGreaterThan(0);
  },
  60_000 + KILLS * 5000,
);

it(
  `the first command on a new file, killed ${KILLS} times, leaves one that the next works on`,
  async () => {
    const share = sharesOf(seed);
    let cut = 0;
    for (let nth = 0; nth < KILLS; nth += 1) {
      const folder = freshFolder();
      const database = databaseIn(folder);
      const run = () => playtest(["admin", "games", "create", "maze", "--database", database, "--json"]);
      if ((await killedAt(run(), { folder, event: 1 + Math.floor(share() * 25) })).signal) cut += 1;
      const again = await run();
      expect([again.exitCode, again.stderr]).toEqual([0, expect.any(String)]);
      const store = await openTestStore(database);
      expect(await countOf(store.readDb.selectFrom("accounts").select("id").execute())).toBe(1);
      expect(await countOf(store.readDb.selectFrom("games").select("id").execute())).toBe(1);
      await store.close();
      expect(await integrityOf(database)).toBe("ok");
    }
    expect(cut).toBeGreaterThan(0);
  },
  60_000 + KILLS * 5000,
);
