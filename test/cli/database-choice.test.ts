/** Tests of which database and which profile commands use next to running servers. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { chooseUrl } from "../../src/cli/commands/server/ready.ts";
import { registerServer, runningServers } from "../../src/cli/commands/server/registry.ts";
import { type ConfigFile, readConfig } from "../../src/cli/config-file.ts";
import { BASE_URL, freshFolder, NOW, runCli, startTestService } from "../harness.ts";

let home: string;
beforeEach(() => {
  home = freshFolder();
});

const run = (...argv: string[]) => runCli(argv, { home });
const standard = () => join(home, "state", "playtest.db");

/** Registers servers on databases. The registry has one file per process, so only one of them can be this process. */
function pretendServers(...servers: { database: string; isRedacted?: boolean }[]) {
  const folder = join(home, "state", "servers");
  mkdirSync(folder, { recursive: true });
  for (const [index, server] of servers.entries()) {
    const entry = { pid: process.pid, url: `http://127.0.0.1:${4400 + index}`, startedAt: NOW, ...server };
    writeFileSync(join(folder, `${index}.json`), JSON.stringify(entry));
  }
}

async function createGame(database: string, slug: string): Promise<void> {
  expect((await run("admin", "games", "create", slug, "--database", database)).code).toBe(0);
}

const listGames = async (...argv: string[]) => {
  const { code, out, err } = await run("admin", "games", "list", "--json", ...argv);
  const slugs = code === 0 ? JSON.parse(out).games.map(({ slug }: { slug: string }) => slug) : null;
  return { code, err, slugs };
};

describe("the database of admin commands and server export", () => {
  test("is the default one, silently, if no server is running", async () => {
    await createGame(standard(), "ember");
    expect(await listGames()).toEqual({ code: 0, err: "", slugs: ["ember"] });
  });

  test("is that of the running server, which is reported", async () => {
    await createGame(standard(), "ember");
    await createGame("studio.db", "tidepool");
    pretendServers({ database: join(home, "studio.db") });
    const note = `Using the database ${join(home, "studio.db")} of the server at http://127.0.0.1:4400.\n`;
    expect(await listGames()).toEqual({ code: 0, err: note, slugs: ["tidepool"] });
    const exported = await run("server", "export", "studio.gz", "--json");
    expect([exported.err, JSON.parse(exported.out).database]).toEqual([note, join(home, "studio.db")]);
    expect((await listGames("--database", standard())).slugs).toEqual(["ember"]);
  });

  test("is the default one if a server uses that, silently", async () => {
    await createGame(standard(), "ember");
    pretendServers({ database: standard() }, { database: join(home, "studio.db") });
    expect(await listGames()).toEqual({ code: 0, err: "", slugs: ["ember"] });
  });

  test("is the default one, silently, if a server uses it through a symbolic link", async () => {
    await createGame(standard(), "ember");
    symlinkSync(join(home, "state"), join(home, "link"));
    pretendServers({ database: join(home, "link", "playtest.db") });
    expect(await listGames()).toEqual({ code: 0, err: "", slugs: ["ember"] });
    const reset = await run("server", "reset", "--yes");
    expect([reset.code, reset.err]).toEqual([13, expect.stringContaining("is in use by a running server")]);
  });

  test("is the default one if the server has a temporary database, which is reported", async () => {
    await createGame(standard(), "ember");
    pretendServers({ database: ":memory:" });
    expect(await listGames()).toMatchObject({
      code: 0,
      err: `Using the database ${standard()}. The server at http://127.0.0.1:4400 has a temporary database, which other commands cannot open.\n`,
    });
  });

  test("must be specified if the servers of several databases are running", async () => {
    pretendServers({ database: "/data/a.db" }, { database: "/data/b.db" });
    expect(await listGames()).toMatchObject({
      code: 3,
      err: expect.stringContaining("The running servers use several databases: /data/a.db, /data/b.db"),
    });
  });

  test("must be specified if its URL had a password, which is not stored", async () => {
    pretendServers({ database: "postgres://me@db.test/play", isRedacted: true });
    const { code, err } = await listGames();
    expect([code, err]).toEqual([3, expect.stringContaining("whose password is not stored")]);
  });
});

describe("the registry of servers", () => {
  test("is not confused by another process with the id of a server that a power failure ended", async () => {
    const entry = { pid: process.pid, url: "http://127.0.0.1:4400", database: "/data/a.db", startedAt: NOW };
    const io = { stateDir: join(home, "state"), isAlive: () => true };
    await registerServer(io, entry);
    expect(await runningServers(io)).toEqual([entry]);
    const file = join(home, "state", "servers", `${process.pid}.json`);
    const stored = JSON.parse(readFileSync(file, "utf8"));
    for (const other of [{ boot: "earlier" }, { begin: "1" }]) {
      writeFileSync(file, JSON.stringify({ ...stored, ...other }));
      expect([await runningServers(io), existsSync(file)]).toEqual([[], false]);
    }
  });
});

describe("a misspelled database", () => {
  test.each([
    ["admin", "games", "list"],
    ["admin", "keys", "list"],
    ["admin", "accounts", "list"],
    ["server", "export", "a.gz"],
    ["server", "backup", "--out", "backups"],
    ["server", "prune", "--dry-run"],
    ["server", "prune", "--keep-events", "90d", "--yes"],
  ])("is an error of %s %s that names the databases nearby, and creates nothing", async (...argv) => {
    await createGame("studio.db", "ember");
    writeFileSync(join(home, "notes.txt"), "no database");
    const { code, err } = await run(...argv, "--database", "stduio.db");
    expect([code, existsSync(join(home, "stduio.db"))]).toEqual([3, false]);
    expect(err).toBe(
      `error: Database ${JSON.stringify(join(home, "stduio.db"))} not found\n` +
        `hint: Specify one with --database. Found: ${join(home, "studio.db")}.\n`,
    );
    expect(existsSync(join(home, "backups"))).toBe(false);
  });

  test("names the database of a running server", async () => {
    pretendServers({ database: "/data/live.db" });
    const { err } = await run("admin", "games", "list", "--database", "nosuch/play.db");
    expect(err).toContain("Found: /data/live.db.");
  });
});

describe("the profile of a server", () => {
  const config = () => readConfig(join(home, "config"));

  /** Starts a server on a free port, and stops it when it is ready. */
  async function start(...argv: string[]) {
    const controller = new AbortController();
    const started = await runCli(["server", "start", "--port", "0", ...argv], {
      home,
      signal: controller.signal,
      onOut: () => controller.abort(),
    });
    expect(started.code).toBe(0);
    return started;
  }

  test("belongs to one database: another one gets its own profile", async () => {
    await start("--database", "studio.db");
    const before = config().profiles?.local;
    const second = await start("--database", "other.db");
    expect(second.out).toContain(
      'Stored the new keys in profile "other", because profile "local" has the keys of another database. Try:\n' +
        "  playtest status --profile other\n",
    );
    expect(config().profiles).toMatchObject({
      local: before,
      other: { database: join(home, "other.db") },
    });
    // Later starts find their profiles again, whatever the order.
    const again = await start("--database", "other.db");
    expect(again.out).toContain('The keys are stored in profile "other".');
    expect((await start("--database", "studio.db")).out).toContain('The keys are stored in profile "local".');
  });

  test("is numbered if the name of the database is taken", async () => {
    await start("--database", "studio.db");
    mkdirSync(join(home, "folder"));
    await start("--database", "other.db");
    const third = await start("--database", "folder/other.db");
    expect(third.out).toContain('Stored the new keys in profile "other-2"');
    expect(Object.keys(config().profiles ?? {}).sort()).toEqual(["local", "other", "other-2"]);
  });

  test("gets new keys of its own database", async () => {
    await start("--database", "studio.db");
    const key = config().profiles?.local?.keys?.management;
    await start("--database", "studio.db", "--new-keys");
    expect(Object.keys(config().profiles ?? {})).toEqual(["local"]);
    expect(config().profiles?.local?.keys?.management).not.toEqual(key);
  });

  test("of an earlier version, which does not name its database, is never overwritten", async () => {
    const baseUrl = "http://127.0.0.1:4400";
    const local = { baseUrl, keys: { management: { key: "pt_mgmt_old", baseUrl } } };
    const content: ConfigFile = { profile: "local", profiles: { local } };
    mkdirSync(join(home, "config"));
    writeFileSync(join(home, "config", "config.json"), JSON.stringify(content));
    await start("--database", "studio.db");
    expect(config().profiles).toMatchObject({ local, studio: { database: join(home, "studio.db") } });
  });

  test("belongs to the user after a login, and the server does not overwrite the new key", async () => {
    await start("--database", "studio.db");
    const service = await startTestService();
    expect((await runCli(["login", "--profile", "local"], { home, service })).code).toBe(0);
    await service.stop();
    const { local } = config().profiles ?? {};
    expect(local).toMatchObject({
      baseUrl: BASE_URL,
      keys: { management: { key: service.keys.management } },
    });
    expect(local?.database).toBeUndefined();
    await start("--database", "studio.db", "--new-keys");
    expect(config().profiles).toMatchObject({ local, studio: { database: join(home, "studio.db") } });
  });

  test.each([
    ["http://127.0.0.1:4400", ["studio.local"], "http://127.0.0.1:4400"],
    ["http://[::1]:4400", ["studio.local"], "http://[::1]:4400"],
    ["http://192.168.1.5:4400", ["studio.local"], "http://studio.local:4400"],
    ["http://192.168.1.5:4400", ["studio.local", "192.168.1.5"], "http://192.168.1.5:4400"],
    ["http://192.168.1.5:4400", [], "http://192.168.1.5:4400"],
  ])("has a URL that the server at %s with the host names %j accepts: %s", (listening, names, url) => {
    expect(chooseUrl(listening, names)).toBe(url);
  });
});
