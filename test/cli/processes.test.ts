/** Tests of the bundle in real processes: servers, commands against a server, and closed pipes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { createPage, SESSION } from "../client/response-fixtures.ts";
import { freshFolder } from "../harness.ts";
import { listening, playtest, root, send, startServer } from "./program.ts";

async function storedSessions(database: string): Promise<number> {
  const store = await openStore({ database });
  const rows = await store.readDb.selectFrom("sessions").select("id").execute();
  await store.close();
  return rows.length;
}

describe("server start", () => {
  test("prints its URL on one line and to the ready file, and keeps all acknowledged events at SIGTERM", async () => {
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

  test("stops at SIGINT, and a second server on its database creates no new keys", async () => {
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

  test("ends with exit code 3 if the port is in use, and creates no keys", async () => {
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
        "hint: Use another port with --port, or any free port with --port 0.",
    );
    const { ready } = await startServer(["--port", "0", "--database", database]);
    expect(ready.managementKey).toMatch(/^pt_mgmt_/);
  });

  test("reports that the port is in use before it prepares the demo", async () => {
    const { exitCode, stderr } = await playtest([
      "server",
      "start",
      "--demo",
      "--port",
      String(await listening()),
    ]);
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/^error: Cannot listen on .*\nhint: .*$/)]);
  });

  test("prints a command to try, which works", async () => {
    const home = freshFolder();
    const env = { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
    const child = playtest(["server", "start", "--demo", "--port", "0"], { env });
    let output = "";
    for await (const chunk of child.stdout ?? []) {
      output += chunk;
      if (output.includes("Ctrl-C")) break;
    }
    expect(output).toMatch(
      /^Serving :memory: on http:\/\/127\.0\.0\.1:\d+\n[\s\S]*\n {2}PLAYTEST_KEY=pt_mgmt_/,
    );
    expect(output).toContain("\n  playtest status\n");
    const { stdout, exitCode } = await playtest(["games", "list", "--jq", ".games[].slug"], { env });
    expect([exitCode, stdout]).toEqual([0, "tidepool\nember"]);
    const status = await playtest(["server", "status", "--jq", ".servers[].pid"], { env });
    expect(status.stdout).toBe(String(child.pid));
    child.kill("SIGTERM");
    await child;
    expect((await playtest(["server", "status"], { env })).stderr).toContain("No servers are running");
  });

  test("rejects a database of a newer version", async () => {
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

  test("passes the URL and the keys to the command, and ends with its exit code", async () => {
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

  test("forwards standard input and signals", async () => {
    const echo = ["server", "exec", "--", ...node("process.stdin.pipe(process.stdout)")];
    expect((await playtest(echo, { input: "hello" })).stdout).toBe("hello");
    const forever = ["server", "exec", "--", ...node("console.log('up'); setInterval(() => {}, 1000)")];
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGHUP", 129],
    ] as const) {
      const waiting = playtest(forever);
      await new Promise((resolve) => waiting.stdout?.once("data", resolve));
      waiting.kill(signal);
      expect((await waiting).exitCode).toBe(code);
    }
  });

  test("ends with exit code 2 if the program does not exist", async () => {
    const { exitCode, stderr } = await playtest(["server", "exec", "--", "no-such-program"]);
    expect([exitCode, stderr]).toEqual([
      2,
      "error: Cannot run no-such-program: program not found\nhint: Check the command name and PATH.",
    ]);
  });
});

describe("a closed pipe", () => {
  const env = async () => {
    const items = Array.from({ length: 100 }, () => ({ ...SESSION, title: "long ".repeat(4000) }));
    const port = await listening((_request, response) => response.end(JSON.stringify(createPage(items))));
    return { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" };
  };

  test.each(["json", "ndjson", "table"])("is not an error while %s is written", async (format) => {
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

  test("does not occur with a slow reader, which receives everything", async () => {
    const child = playtest(["sessions", "list", "--limit", "100", "--json"], {
      env: await env(),
      maxBuffer: 50_000_000,
    });
    const { exitCode, stdout } = await child;
    expect([exitCode, JSON.parse(String(stdout)).items.length]).toEqual([0, 100]);
  });

  test("at stderr does not change the exit code", async () => {
    const child = playtest(["games", "get", "x", "--base-url", "http://127.0.0.1:1"], {
      env: { PLAYTEST_KEY: "k" },
      buffer: false,
    });
    child.stderr?.destroy();
    expect((await child).exitCode).toBe(51);
  });
});

test("version and help need no home folder and no service", async () => {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect((await playtest(["--version"])).stdout).toBe(version);
  const help = await playtest(["sessions", "list", "--help"]);
  expect([help.exitCode, help.stderr]).toEqual([0, ""]);
  expect(help.stdout).toMatch(/^Usage: playtest sessions list/);
});
