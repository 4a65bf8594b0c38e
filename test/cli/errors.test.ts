/** Every error of the command line: a snapshot has all messages, and every error code and every `fail` call is covered. */
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { registerServer } from "../../src/cli/commands/server/registry.ts";
import { cliErrors, fail } from "../../src/cli/errors.ts";
import type { Transport } from "../../src/client/transport.ts";
import { announcing, script } from "../client/script.ts";
import { freshFolder, NOW, runCli } from "../harness.ts";
import { createFiles, type ErrorCase, errorCases } from "./error-cases.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:4400", PLAYTEST_KEY: "k", PLAYTEST_INGEST_KEY: "i" };

/** A home folder whose database has the game `ember`. Cases get copies, because creating the tables takes longer than most of them. */
let homeWithGame: Promise<string> | undefined;

async function createHomeWithGame(): Promise<string> {
  const home = freshFolder();
  expect((await runCli(["admin", "games", "create", "ember"], { home })).code).toBe(0);
  return home;
}

/** Runs a case in a new folder, with extra arguments before its command line. */
async function runCase(errorCase: ErrorCase, extraArgs: readonly string[] = []) {
  const home = freshFolder();
  const words = typeof errorCase.line === "string" ? errorCase.line.split(" ") : errorCase.line;
  if (words[0] === "admin") {
    homeWithGame ??= createHomeWithGame();
    cpSync(await homeWithGame, home, { recursive: true });
  }
  createFiles(home, errorCase);
  const first = errorCase.first
    ? await runCli(errorCase.first.split(" "), { home, env: errorCase.firstEnv ?? {} })
    : null;
  const [id = ""] = /\b(?:ptb|sess|whk)_\w+/.exec(first?.out ?? "") ?? [];
  const { transport: scripted } = script(...(errorCase.replies ?? []));
  const transport = errorCase.announces ? announcing(scripted) : scripted;
  const run = await runCli([...extraArgs, ...words.map((word) => (word === "ID" ? id : word))], {
    home,
    env: errorCase.env ?? (errorCase.config === undefined ? env : {}),
    ...(errorCase.sockets ? {} : { transport }),
    ...(errorCase.stdin === undefined ? {} : { stdin: errorCase.stdin }),
    ...errorCase.options,
  });
  return { ...run, err: run.err.replaceAll(home, "~").replaceAll(id || "~", id ? "ID" : "~") };
}

/** The codes that occurred, and the lines that created errors, such as `src/cli/flags.ts:55`. */
const seenCodes = new Set<string>();
const coveredSites = new Set<string>();
const SITE = /\bat .*?(src\/\S+?\.ts:\d+):\d+/g;

/** The error in the JSON on the last line of stderr, or null. */
function lastError(err: string): { code: string; hint: string } | null {
  try {
    return JSON.parse(err.trimEnd().split("\n").at(-1) ?? "").error;
  } catch {
    return null;
  }
}

/**
 * Sources of errors that a command line alone cannot provoke, and the tests that cover them. A text after the file limits
 * the exception to errors with it.
 */
const coveredElsewhere: Readonly<Record<string, string>> = {
  "src/cli/errors.ts": "defines errors",
  "src/cli/commands/server/check.ts: although a check found": "needs a disk that fails between two reads",
  "src/client/event-stream.ts": "needs a stream: telemetry-commands.test.ts",
  "src/cli/key-error.ts": "needs an expired key: admin-keys.test.ts",
  "src/cli/keychain.ts": "needs a keychain",
  "src/cli/prompts.ts": "needs a terminal",
  "src/cli/translate-error.ts": "translates other errors; covered by the cases about the disk and the bug",
  "src/cli/run.ts": "reports verdicts; covered by the failed and inconclusive comparisons",
  "src/cli/commands/doctor/": "reports errors in its output: doctor.test.ts",
  "src/cli/commands/admin/revoke-keys.ts": "needs the management key of the account: admin-keys.test.ts",
  "src/cli/commands/admin/resolve-id.ts": "needs stored ids: changes-by-short-id.test.ts",
  "src/cli/commands/admin/sessions.ts: is a recording without a transcript":
    "needs a failed recording: admin-sessions.test.ts",
  "src/cli/commands/experiments/find-experiment.ts": "needs experiments: experiments.test.ts",
  "src/cli/commands/gate/": "has its own tests",
  "src/cli/commands/server/import-files.ts": "needs a database that fails",
  "src/cli/commands/server/reset.ts": "rejects an in-memory database: local-server.test.ts",
  "src/cli/commands/server/registry.ts": "needs a running server: the test below",
  "src/cli/commands/server/choose-database.ts": "needs running servers: database-choice.test.ts",
  "src/cli/commands/server/prune.ts": "needs another process that prunes: prune-command.test.ts",
  "src/cli/telemetry-files/lines.ts": "errors are part of the report and are not thrown",
  "src/cli/telemetry-files/bytes.ts": "errors are part of the report and are not thrown",
  "src/cli/csv-files/reader.ts": "errors are part of the report, except for headers, which have cases",
  "src/cli/commands/export/log.ts": "needs an incomplete run: export-safety.test.ts",
  "src/client/overlapping-pages.ts": "needs a service with inconsistent pages: deep-walk.test.ts",
  "src/client/build-facts.ts": "needs a service with an inconsistent end of the list: build-facts.test.ts",
  "src/cli/known-names.ts": "ends a request for suggestions, which is not reported",
  "src/cli/unknown-names.ts": "needs a service with names: unknown-names.test.ts",
  "src/cli/commands/sessions/events.ts": "needs a session with events: unknown-names.test.ts",
  "src/client/not-offered.ts": "needs a service that ignores parameters: not-offered.test.ts",
  "src/client/paging.ts": "needs a service with an inconsistent end of the list: client-pages.test.ts",
  "src/cli/commands/lists.ts: too large to keep in memory":
    "needs a service that sends too much: client-pages.test.ts",
  "src/client/network-errors.ts": "needs the network: transports.test.ts",
};

/** Replaces the paths of this program and of Node.js. */
function normalizePaths(text: string): string {
  return text
    .replaceAll(join(import.meta.dirname, "..", ".."), "<program>")
    .replaceAll(process.execPath, "<node>");
}

/** The lines in a folder that create an error, such as `src/cli/flags.ts:55`, and the source of the error. */
function findErrorSites(folder: string): { site: string; source: string }[] {
  const root = join(import.meta.dirname, "..", "..");
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const lines = readFileSync(join(root, folder, name), "utf8").split("\n");
      return lines.flatMap((line, index) =>
        /\b(fail|failNotFound|failToRead|new ClientError)\(/.test(line)
          ? [
              {
                site: `${folder}/${name}:${index + 1}`,
                source: lines.slice(index, index + 4).join(" "),
              },
            ]
          : [],
      );
    });
}

describe("errors", () => {
  test.each(Object.entries(errorCases))("%s", async (_name, errorCase) => {
    const { code, out, err } = await runCase(errorCase);
    expect(`exit ${code}\n${normalizePaths(err)}`).toMatchSnapshot();
    expect(code).not.toBe(0);
    // The way out is in the first line of a usage error or of one with a suggestion, or else in a hint.
    const lines = err.trimEnd().split("\n");
    const hint = lines.find((line) => line.startsWith("hint: "));
    if (hint === undefined) expect(code === 2 || /\. (Did you mean|The columns are) /.test(err)).toBe(true);
    else expect(hint.length).toBeGreaterThan(15);
    expect(hint).not.toBe(`hint: ${cliErrors.usage.hint}`);
    expect(lines.some((line) => line.startsWith("error: ")) || out !== "").toBe(true);
    expect(err).not.toContain("hush");
    expect(err).not.toMatch(/\n {4}at /);
    const debugRun = await runCase(
      errorCase,
      String(errorCase.line).includes("--format") ? ["--debug"] : ["--json", "--debug"],
    );
    seenCodes.add(lastError(debugRun.err)?.code ?? "");
    for (const [, site = ""] of debugRun.err.matchAll(SITE)) coveredSites.add(site);
  });

  test.each(["hung_up", "interrupted", "terminated"] as const)("%s", async (code) => {
    const controller = new AbortController();
    const transport: Transport = async () => {
      controller.abort(fail(code));
      throw new Error("aborted");
    };
    const run = await runCli(["games", "list", "--json"], { env, transport, signal: controller.signal });
    expect(run.err).toMatchSnapshot();
    seenCodes.add(lastError(run.err)?.code ?? "");
  });

  test("a database in use by a server", async () => {
    const home = freshFolder();
    await runCli(["admin", "games", "create", "ember"], { home });
    const entry = { pid: process.pid, url: "http://127.0.0.1:4400", startedAt: NOW };
    await registerServer(
      { stateDir: join(home, "state") },
      { ...entry, database: join(home, "state", "playtest.db") },
    );
    const run = await runCli(["server", "reset", "--yes", "--json"], { home });
    expect(run.err.replaceAll(home, "~").replaceAll(String(process.pid), "1234")).toMatchSnapshot();
    seenCodes.add(lastError(run.err)?.code ?? "");
  });

  test("every `fail` call is covered here or by another test", () => {
    const missed = ["src/cli", "src/client"]
      .flatMap(findErrorSites)
      .filter(({ site }) => !coveredSites.has(site));
    const isExcepted = ({ site, source }: (typeof missed)[number]) =>
      Object.keys(coveredElsewhere).some((exception) => {
        const [path = "", text = ""] = exception.split(": ");
        return site.startsWith(path) && source.includes(text);
      });
    expect(missed.filter((one) => !isExcepted(one)).map(({ site }) => site)).toEqual([]);
  });

  test("every error code is covered", () => {
    expect(Object.keys(cliErrors).filter((code) => !seenCodes.has(code))).toEqual([]);
  });
});
