/** Every error that a person can meet: what it says is kept in one file, and each code of the table is met. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { registerServer } from "../../src/cli/commands/server/registry.ts";
import { cliErrors, fail } from "../../src/cli/errors.ts";
import type { Transport } from "../../src/client/transport.ts";
import { script } from "../client/script.ts";
import { freshFolder, NOW, runCli } from "../harness.ts";
import { furnish, type Scene, scenes } from "./error-scenes.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:4400", PLAYTEST_KEY: "k", PLAYTEST_INGEST_KEY: "i" };

/** Plays a scene in a fresh folder, with these words put before its line. */
async function play(scene: Scene, before: readonly string[] = []) {
  const home = freshFolder();
  furnish(home, scene);
  const words = typeof scene.line === "string" ? scene.line.split(" ") : scene.line;
  if (words[0] === "admin") await runCli(["admin", "games", "create", "ember"], { home });
  const made = scene.first ? await runCli(scene.first.split(" "), { home }) : null;
  const [id = ""] = /\b(?:ptb|sess)_\w+/.exec(made?.out ?? "") ?? [];
  const { transport } = script(...(scene.replies ?? []));
  const run = await runCli([...before, ...words.map((word) => (word === "ID" ? id : word))], {
    home,
    env: scene.env ?? (scene.config === undefined ? env : {}),
    ...(scene.sockets ? {} : { transport }),
    ...(scene.stdin === undefined ? {} : { stdin: scene.stdin }),
    ...scene.options,
  });
  return { ...run, err: run.err.replaceAll(home, "~").replaceAll(id || "~", id ? "ID" : "~") };
}

/** The codes that were met, and the lines that errors were made at, as `src/cli/flags.ts:55`. */
const met = new Set<string>();
const thrown = new Set<string>();
const SITE = /\bat .*?(src\/\S+?\.ts:\d+):\d+/g;

/** What the last line of stderr tells as JSON; null where it is none. */
function lastError(err: string): { code: string; hint: string } | null {
  try {
    return JSON.parse(err.trimEnd().split("\n").at(-1) ?? "").error;
  } catch {
    return null;
  }
}

/** Where errors are made that no command line alone can meet, and which tests meet them. */
const elsewhere: Readonly<Record<string, string>> = {
  "src/cli/errors.ts": "defines how errors are made",
  "src/cli/keychain.ts": "needs a keychain",
  "src/cli/prompts.ts": "needs a terminal",
  "src/cli/translate-error.ts":
    "makes them of other errors; their scenes are the full disk, the unwritable answer and the bug",
  "src/cli/run.ts": "tells verdicts; their scenes are the gates that fail and cannot tell",
  "src/cli/commands/doctor/": "tells them in its answer: doctor.test.ts",
  "src/cli/commands/admin/sessions/retry.ts": "needs a recording that failed: admin-sessions.test.ts",
  "src/cli/commands/gate/": "has its own tests",
  "src/cli/commands/server/import-files.ts": "needs a database that fails",
  "src/cli/commands/server/reset.ts": "needs a running server: the scene below",
  "src/cli/telemetry-files/lines.ts": "are told in a report, not thrown to the end",
  "src/cli/commands/export/log.ts": "is of a run that is incomplete: export-safety.test.ts",
  "src/client/overlapping-pages.ts": "needs a service that lies about its pages: deep-walk.test.ts",
  "src/client/paging.ts": "needs a service that lies about its end: client-pages.test.ts",
  "src/cli/commands/gather.ts": "needs a service that sends too much: client-pages.test.ts",
  "src/client/network-errors.ts": "needs sockets: transports.test.ts",
};

/** What is told, without where this program and Node lie. */
function placed(told: string): string {
  return told
    .replaceAll(join(import.meta.dirname, "..", ".."), "<program>")
    .replaceAll(process.execPath, "<node>");
}

/** The lines of a folder's sources that make an error, as `src/cli/flags.ts:55`. */
function sitesIn(folder: string): string[] {
  const root = join(import.meta.dirname, "..", "..");
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const lines = readFileSync(join(root, folder, name), "utf8").split("\n");
      return lines.flatMap((line, at) =>
        /\b(fail|new ClientError)\(/.test(line) ? [`${folder}/${name}:${at + 1}`] : [],
      );
    });
}

describe("errors", () => {
  test.each(Object.entries(scenes))("%s", async (_name, scene) => {
    const { code, out, err } = await play(scene);
    expect(`exit ${code}\n${placed(err)}`).toMatchSnapshot();
    expect(code).not.toBe(0);
    // What failed, and what to do: never only that help exists.
    const lines = err.trimEnd().split("\n");
    const hint = lines.find((line) => line.startsWith("hint: "));
    expect(hint?.length).toBeGreaterThan(15);
    expect(hint).not.toBe(`hint: ${cliErrors.usage.hint}`);
    expect(lines.some((line) => line.startsWith("error: ")) || out !== "").toBe(true);
    expect(err).not.toContain("hush");
    expect(err).not.toMatch(/\n {4}at /);
    const whole = await play(
      scene,
      String(scene.line).includes("--format") ? ["--debug"] : ["--json", "--debug"],
    );
    met.add(lastError(whole.err)?.code ?? "");
    for (const [, site = ""] of whole.err.matchAll(SITE)) thrown.add(site);
  });

  test.each(["interrupted", "terminated"] as const)("%s", async (code) => {
    const controller = new AbortController();
    const transport: Transport = async () => {
      controller.abort(fail(code));
      throw new Error("aborted");
    };
    const run = await runCli(["games", "list", "--json"], { env, transport, signal: controller.signal });
    expect(run.err).toMatchSnapshot();
    met.add(lastError(run.err)?.code ?? "");
  });

  test("a database that a server is at work on", async () => {
    const home = freshFolder();
    await runCli(["admin", "games", "create", "ember"], { home });
    const entry = { pid: process.pid, url: "http://127.0.0.1:4400", startedAt: NOW };
    await registerServer(
      { stateDir: join(home, "state") },
      { ...entry, database: join(home, "state", "playtest.db") },
    );
    const run = await runCli(["server", "reset", "--yes", "--json"], { home });
    expect(run.err.replaceAll(home, "~").replaceAll(String(process.pid), "1234")).toMatchSnapshot();
    met.add(lastError(run.err)?.code ?? "");
  });

  test("of every line that makes one, but for those that other tests meet", () => {
    const missed = ["src/cli", "src/client"].flatMap(sitesIn).filter((site) => !thrown.has(site));
    expect(missed.filter((site) => !Object.keys(elsewhere).some((path) => site.startsWith(path)))).toEqual(
      [],
    );
  });

  test("of every code of the table", () => {
    expect(Object.keys(cliErrors).filter((code) => !met.has(code))).toEqual([]);
  });
});
