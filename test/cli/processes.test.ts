/** The bundle as real processes: a server that starts, tells and stops, commands run against one, and closed pipes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { pageOf, SESSION } from "../client/answers.ts";
import { freshFolder } from "../harness.ts";
import { listening, playtest, root, send, startServer } from "./program.ts";

async function storedSessions(database: string): Promise<number> {
  const store = await openStore({ database });
  const rows = await store.readDb.selectFrom("sessions").select("id").execute();
  await store.close();
  return rows.length;
}

describe("server start", () => {
  test("tells where it listens in one line and in a file, and stops at SIGTERM with all that it acknowledged", async () => {
    const folder = freshFolder();
    const [database, readyFile] = [join(folder, "play.db"), join(folder, "ready", "it.json")];
    const argv = ["--port", "0", "--database", database, "--create-game", "ember", "--ready-file", readyFile];
    const { child, ready, line } = await startServer(argv);
    expect(ready).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      database,
      managementKey: expect.stringMatching(/^pt_mgmt_[0-9a-f]{40}$/),
      ingestKey: expect.stringMatching(/^pt_ik_[0-9a-f]{40}$/),
    });
    expect(readFileSync(readyFile, "utf8")).toBe(line);

    const answers = Promise.allSettled(Array.from({ length: 40 }, (_, at) => send(ready, `s${at}`, 20)));
    await send(ready, "first");
    child.kill("SIGTERM");
    const acknowledged = (await answers).filter(
      (one) => one.status === "fulfilled" && one.value === 202,
    ).length;
    const { exitCode, stdout, stderr, signal } = await child;
    expect([exitCode, signal, stdout, stderr]).toEqual([0, undefined, line.trimEnd(), "Stopped."]);
    expect(await storedSessions(database)).toBeGreaterThanOrEqual(acknowledged + 1);
  });

  test("stops at SIGINT as well, and a second server on its database needs no new keys", async () => {
    const database = join(freshFolder(), "play.db");
    const first = await startServer(["--port", "0", "--database", database]);
    first.child.kill("SIGINT");
    expect((await first.child).exitCode).toBe(0);
    const second = await startServer(["--port", "0", "--database", database]);
    expect(Object.keys(second.ready)).toEqual(["url", "database"]);
    const response = await fetch(`${second.ready.url}/api/v1/games`, {
      headers: { authorization: `Bearer ${first.ready.managementKey}` },
    });
    expect([response.status, await response.json()]).toEqual([200, { games: [] }]);
  });

  test("on a port in use ends with exit code 3, names it, and keeps the keys for the next try", async () => {
    const port = await listening();
    const database = join(freshFolder(), "play.db");
    const { exitCode, stdout, stderr } = await playtest([
      "server",
      "start",
      "--port",
      String(port),
      "--database",
      database,
    ]);
    expect([exitCode, stdout]).toEqual([3, ""]);
    expect(stderr).toBe(
      `error: Cannot listen on 127.0.0.1:${port}: port ${port} is in use\n` +
        "hint: Choose another with --port, or --port 0 for any that is free.",
    );
    const { ready } = await startServer(["--port", "0", "--database", database]);
    expect(ready.managementKey).toMatch(/^pt_mgmt_/);
  });

  test("prints what to type next, and what it prints works", async () => {
    const home = freshFolder();
    const env = { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
    const child = playtest(["server", "start", "--demo", "--port", "0"], { env });
    let told = "";
    for await (const chunk of child.stdout ?? []) {
      told += chunk;
      if (told.includes("Ctrl-C")) break;
    }
    expect(told).toMatch(
      /^Serving :memory: on http:\/\/127\.0\.0\.1:\d+\n[\s\S]*\n {2}PLAYTEST_KEY=pt_mgmt_/,
    );
    expect(told).toContain("\n  playtest games list\n");
    const { stdout, exitCode } = await playtest(["games", "list", "--jq", ".games[].slug"], { env });
    expect([exitCode, stdout]).toEqual([0, "tidepool\nember"]);
    const status = await playtest(["server", "status", "--jq", ".servers[].pid"], { env });
    expect(status.stdout).toBe(String(child.pid));
    child.kill("SIGTERM");
    await child;
    expect((await playtest(["server", "status"], { env })).stderr).toContain("No server runs");
  });

  test("refuses a database of a newer version", async () => {
    const database = join(freshFolder(), "play.db");
    const store = await openStore({ database });
    const migrations = store.writeDb.withTables<{ kysely_migration: { name: string; timestamp: string } }>();
    await migrations
      .insertInto("kysely_migration")
      .values({ name: "999-later", timestamp: "2027" })
      .execute();
    await store.close();
    const { exitCode, stdout, stderr } = await playtest([
      "server",
      "start",
      "--port",
      "0",
      "--database",
      database,
    ]);
    expect([exitCode, stdout]).toEqual([3, ""]);
    expect(stderr).toContain("was written by a newer version of playtest");
  });
});

describe("server exec", () => {
  const node = (script: string) => [process.execPath, "-e", script];

  test("gives the command a service and its keys, and ends with its exit code", async () => {
    const script = `
      const { PLAYTEST_BASE_URL: url, PLAYTEST_KEY: key, PLAYTEST_INGEST_KEY: ingest } = process.env;
      fetch(url + "/api/v1/games", { headers: { authorization: "Bearer " + key } })
        .then((response) => response.json())
        .then(({ games }) => {
          console.log(JSON.stringify({ url, ingest, games: games.map((game) => game.slug), rest: process.argv.slice(1) }));
          process.exitCode = 7;
        });`;
    const argv = [
      "server",
      "exec",
      "--create-game",
      "ember",
      "--create-game",
      "tide",
      "--",
      ...node(script),
      "--",
      "--json",
      "-x",
    ];
    const { exitCode, stdout, stderr } = await playtest(argv);
    expect([exitCode, stderr]).toEqual([7, ""]);
    expect(JSON.parse(String(stdout))).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      ingest: expect.stringMatching(/^pt_ik_/),
      games: expect.arrayContaining(["ember", "tide"]),
      rest: ["--json", "-x"],
    });
  });

  test("runs this very program as `playtest`, on the demo once it is analysed", async () => {
    const command = [
      "playtest",
      "builds",
      "compare",
      "previous",
      "latest",
      "-g",
      "ember",
      "--fail-on",
      "introduced",
      "--json",
    ];
    const { exitCode, stdout, stderr } = await playtest(["server", "exec", "--demo", "--", ...command]);
    expect(exitCode).toBe(10);
    const { diff } = JSON.parse(String(stdout));
    expect(diff.changes).toContainEqual(
      expect.objectContaining({ tag: "difficulty-spike:furnace", kind: "introduced" }),
    );
    expect(stderr).toMatch(/^Failed: /);
  });

  test("hands standard input on, and a signal", async () => {
    const echo = ["server", "exec", "--", ...node("process.stdin.pipe(process.stdout)")];
    expect((await playtest(echo, { input: "hello" })).stdout).toBe("hello");
    const waiting = playtest([
      "server",
      "exec",
      "--",
      ...node("console.log('up'); setInterval(() => {}, 1000)"),
    ]);
    await new Promise((resolve) => waiting.stdout?.once("data", resolve));
    waiting.kill("SIGTERM");
    expect((await waiting).exitCode).toBe(143);
  });

  test("of a program that does not exist is bad usage", async () => {
    const { exitCode, stderr } = await playtest(["server", "exec", "--", "no-such-program"]);
    expect([exitCode, stderr]).toEqual([
      2,
      "error: no-such-program cannot be run: there is no such program\nhint: Give the command behind --.",
    ]);
  });
});

describe("a reader that goes away", () => {
  const env = async () => {
    const items = Array.from({ length: 100 }, () => ({ ...SESSION, title: "long ".repeat(4000) }));
    const port = await listening((_request, response) => response.end(JSON.stringify(pageOf(items))));
    return { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" };
  };

  test.each(["json", "ndjson", "table"])("from %s half read is no failure", async (format) => {
    const child = playtest(["sessions", "list", "--limit", "100", "--format", format], {
      env: await env(),
      buffer: false,
    });
    let stderr = "";
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    child.stdout?.once("data", () => child.stdout?.destroy());
    expect([(await child).exitCode, stderr]).toEqual([0, ""]);
  });

  test("gets everything while it stays, however slowly it reads", async () => {
    const child = playtest(["sessions", "list", "--limit", "100", "--json"], {
      env: await env(),
      maxBuffer: 50_000_000,
    });
    const { exitCode, stdout } = await child;
    expect([exitCode, JSON.parse(String(stdout)).items.length]).toEqual([0, 100]);
  });

  test("from stderr changes no exit code", async () => {
    const child = playtest(["games", "get", "x", "--base-url", "http://127.0.0.1:1"], {
      env: { PLAYTEST_KEY: "k" },
      buffer: false,
    });
    child.stderr?.destroy();
    expect((await child).exitCode).toBe(51);
  });
});

test("version and help are answered at once, without a home or a service", async () => {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect((await playtest(["--version"])).stdout).toBe(version);
  const help = await playtest(["sessions", "list", "--help"]);
  expect([help.exitCode, help.stderr]).toEqual([0, ""]);
  expect(help.stdout).toMatch(/^Usage: playtest sessions list/);
});
