/** Kills admin commands at random moments: each creates everything or nothing, and a second run works. */
import { expect, it } from "vitest";
import { findKey } from "../../src/server/accounts/keys.ts";
import type { Store } from "../../src/server/db/store.ts";
import { playtest } from "../cli/program.ts";
import { openTestStore } from "../engine.ts";
import { freshFolder } from "../harness.ts";
import { seed } from "../property.ts";
import { createRandom } from "../random.ts";
import { databaseIn } from "../server/real-server.ts";
import { killAt, type Moment } from "./kill-process.ts";
import { checkIntegrity } from "./send-events.ts";

const IS_LONG = process.env.PLAYTEST_FAULTS === "long";
const KILLS = IS_LONG ? 200 : 8;
/** Many keys per command, so that its transaction takes a while. */
const KEYS = 2000;
const VARIANTS = ["a", "b", "c"];

/** The JSON output of a command. */
type Output = Readonly<Record<string, { readonly id?: string; readonly slug?: string } | undefined>> & {
  readonly key?: string;
  readonly added?: readonly unknown[];
};

interface Scene {
  /** The arguments after `admin` for the nth kill. */
  argv(nth: number, batch: string): string[];
  /** Counts what the command creates. */
  count(store: Store, nth: number, batch: string): Promise<number>;
  /** Whether a second run creates nothing more. */
  readonly idempotent?: boolean;
}

const countRows = async (rows: Promise<readonly unknown[]>) => (await rows).length;

const scenes: readonly Scene[] = [
  {
    argv: (nth) => ["accounts", "create", `studio ${nth}`],
    count: ({ readDb: read }, nth) =>
      countRows(read.selectFrom("accounts").select("id").where("name", "=", `studio ${nth}`).execute()),
  },
  {
    argv: (_nth, batch) => ["batches", "add-keys", batch, "--game", "maze", "--generate", String(KEYS)],
    count: async ({ readDb: read }) =>
      (await countRows(read.selectFrom("playtest_keys").select("id").execute())) / KEYS,
  },
  {
    argv: (nth) => ["games", "create", `g${nth}`, "--name", `Game ${nth}`],
    count: ({ readDb: read }, nth) =>
      countRows(read.selectFrom("games").select("id").where("name", "=", `Game ${nth}`).execute()),
    idempotent: true,
  },
  {
    argv: (nth) => [
      ...["experiments", "create", `Caves ${nth}`, "--game", "maze"],
      ...VARIANTS.flatMap((key) => ["--variant", key]),
    ],
    count: ({ readDb: read }, nth) =>
      countRows(read.selectFrom("experiments").select("id").where("name", "=", `Caves ${nth}`).execute()),
  },
  {
    argv: () => ["keys", "rotate", "--yes"],
    count: async ({ readDb: read }) =>
      (await countRows(read.selectFrom("keys").select("hash").where("kind", "=", "management").execute())) -
      (await countRows(read.selectFrom("accounts").select("id").where("name", "like", "studio%").execute())),
    idempotent: true,
  },
  {
    argv: (nth) => [
      ...["event-config", "set", `wiped-${nth}`, "--game", "maze"],
      ...["--meaning", "failure", "--hide-from-ai", "on"],
    ],
    count: ({ readDb: read }, nth) =>
      countRows(read.selectFrom("event_config").select("name").where("name", "=", `wiped-${nth}`).execute()),
    idempotent: true,
  },
  {
    argv: (nth) => ["batches", "create", `Alpha ${nth}`, "--game", "maze", "--share"],
    count: ({ readDb: read }, nth) =>
      countRows(
        read.selectFrom("playtest_batches").select("id").where("name", "=", `Alpha ${nth}`).execute(),
      ),
  },
  {
    argv: (nth, batch) => ["batches", "invite", batch, `wren${nth}@example.com`, "--game", "maze"],
    count: ({ readDb: read }, nth) =>
      countRows(
        read
          .selectFrom("tester_invites")
          .select("id")
          .where("email", "=", `wren${nth}@example.com`)
          .execute(),
      ),
    idempotent: true,
  },
];

/** Checks that nothing is incomplete. */
async function expectComplete({ readDb: read }: Store): Promise<void> {
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
  `admin commands, killed ${KILLS} times, leave nothing incomplete (PLAYTEST_SEED=${seed})`,
  async () => {
    const random = createRandom(seed);
    const folder = freshFolder();
    const database = databaseIn(folder);
    const admin = (argv: readonly string[]) => playtest(["admin", ...argv, "--database", database, "--json"]);
    const runUndisturbed = async (argv: readonly string[]): Promise<Output> => {
      const { exitCode, stdout, stderr } = await admin(argv);
      expect([argv, exitCode, stderr]).toEqual([argv, 0, expect.any(String)]);
      return JSON.parse(String(stdout));
    };
    await runUndisturbed(["games", "create", "maze"]);
    const started = performance.now();
    const batch =
      (await runUndisturbed(["batches", "create", "Alpha", "--game", "maze", "--share"])).batch?.id ?? "";
    const durationMs = performance.now() - started;
    await runUndisturbed(scenes[1]?.argv(0, batch) ?? []);
    await runUndisturbed(["keys", "rotate"]);

    // Number of killed commands, and how many of them had already stored their work.
    let [killed, stored] = [0, 0];
    for (let nth = 0; nth < KILLS; nth += 1) {
      const scene = scenes[nth % scenes.length];
      if (!scene) continue;
      const argv = scene.argv(nth, batch);
      const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
        const store = await openTestStore(database);
        return await work(store).finally(() => store.close());
      };
      const before = await withStore((store) => scene.count(store, nth, batch));
      // A command writes to the database late in its run, so half of the kills wait for a change of the folder.
      const moment: Moment =
        random() < 0.5
          ? { folder, event: 1 + Math.floor(random() * 12) }
          : { ms: (0.3 + random() * 0.7) * durationMs };
      const result = await killAt(admin(argv), moment);
      if (result.signal === "SIGKILL") killed += 1;
      expect(await checkIntegrity(database)).toBe("ok");
      const after = await withStore(async (store) => {
        await expectComplete(store);
        return await scene.count(store, nth, batch);
      });
      const hasOutput = String(result.stdout).endsWith("}");
      expect([before, before + 1]).toContain(after);
      if (result.signal === "SIGKILL" && after > before) stored += 1;
      if (hasOutput && !scene.idempotent) expect(after).toBe(before + 1);

      const again = await admin(argv);
      if (again.exitCode !== 0)
        expect([argv[1], String(again.stderr)]).toEqual([
          "invite",
          expect.stringMatching(/was already invited to batch/),
        ]);
      await withStore(async (store) => {
        await expectComplete(store);
        expect(await scene.count(store, nth, batch)).toBe(scene.idempotent ? 1 : after + 1);
        const output: Output = again.exitCode === 0 ? JSON.parse(String(again.stdout)) : {};
        if (argv[1] === "rotate")
          expect((await findKey(store.readDb, output.key ?? ""))?.kind).toBe("management");
      });
    }
    console.info(`${killed} of ${KILLS} commands were killed, ${stored} of them after their work was stored`);
    expect(killed).toBeGreaterThan(stored);
    if (IS_LONG) expect(stored).toBeGreaterThan(0);
  },
  60_000 + KILLS * 5000,
);

it(
  `the first command on a new file, killed ${KILLS} times, leaves a file that the next command can use`,
  async () => {
    const random = createRandom(seed);
    let killed = 0;
    for (let nth = 0; nth < KILLS; nth += 1) {
      const folder = freshFolder();
      const database = databaseIn(folder);
      const run = () => playtest(["admin", "games", "create", "maze", "--database", database, "--json"]);
      if ((await killAt(run(), { folder, event: 1 + Math.floor(random() * 25) })).signal) killed += 1;
      const again = await run();
      expect([again.exitCode, again.stderr]).toEqual([0, expect.any(String)]);
      const store = await openTestStore(database);
      expect(await countRows(store.readDb.selectFrom("accounts").select("id").execute())).toBe(1);
      expect(await countRows(store.readDb.selectFrom("games").select("id").execute())).toBe(1);
      await store.close();
      expect(await checkIntegrity(database)).toBe("ok");
    }
    expect(killed).toBeGreaterThan(0);
  },
  60_000 + KILLS * 5000,
);
