/**
 * Runs the examples of docs/reference against a demo service: those that write data, files or settings. Those that a shell
 * has to read run in one, and all others in this process. test/cli/help.test.ts parses all examples and runs those that only
 * read.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFences } from "./fences.ts";
import { type DocsService, type DocsShell, startDocsService } from "./shell.ts";

const reference = join(import.meta.dirname, "..", "..", "docs", "reference");

/** The lines of the `sh` blocks, without synopses. */
const examples = readdirSync(reference).flatMap((name) =>
  readFences(readFileSync(join(reference, name), "utf8"))
    .filter(({ language }) => language === "sh")
    .flatMap(({ content }) => content.split("\n"))
    .filter((line) => !/\[flags\]|--help$|<topic>$/.test(line)),
);

/** Run by test/cli/help.test.ts. */
const READS =
  /^playtest (games|sessions|insights|builds|testers|heatmap|events|batches|handles|experiments|ingest discord|api) /;

/** Needs a terminal or another host, serves until it is stopped, changes the key of the other examples, or waits for analyses. */
const NOT_RUNNABLE =
  /^playtest (login|telemetry tail|mcp$|mcp --|mcp install claude|server (start|exec)|server .*postgres:|admin keys rotate|logout|gate @|gate .*--detach)/;

const written = examples.filter((line) => !READS.test(line));
/** Deletes data that other examples need, so it runs last, in this order. Testers are exported before they are erased. */
const DELETIONS = [
  /^playtest admin testers export /,
  /^playtest admin testers erase .*--dry-run/,
  /^playtest admin testers erase /,
  /^playtest admin sessions delete /,
  /^playtest admin games delete /,
];
const findDeletion = (line: string) => DELETIONS.findIndex((pattern) => pattern.test(line));

const executable = written.filter((line) => !NOT_RUNNABLE.test(line));
const runnable = executable.toSorted((one, other) => findDeletion(one) - findDeletion(other));

let service: DocsService;
let shell: DocsShell;

beforeAll(async () => {
  service = await startDocsService();
  shell = service.openShell({
    PLAYTEST_GAME: "ember",
    PLAYTEST_BUILD: "dev",
    PLAYTEST_TOKEN_KEY: "0".repeat(64),
  });
  const events = [{ id: "1", name: "jump", timestamp: Date.now(), data: {} }];
  const line = JSON.stringify({ gameId: "ember", clientSessionId: "a", source: "unity-telemetry", events });
  const map = { session: "s", event: "n", time: { column: "t", format: "unix-ms" } };
  const opengamedata = [
    "session_id\tuser_id\ttimestamp\tevent_name\tevent_data\tapp_version\tgame_state",
    "1\tp\t2026-01-01T00:00:00Z\tjump\t{}\t1\t{}",
  ];
  const files = {
    // Sends nothing, so the gate fails.
    Game: "#!/bin/sh\n",
    "events.tsv": `${opengamedata.join("\n")}\n`,
    "events.csv.gz": gzipSync(`s,n,t\na,jump,${Date.now()}\n`),
    "map.json": JSON.stringify(map),
    "session.txt": "I did not see the lever.\n",
    "welcome.md": "Welcome!\n",
    "steam-keys.txt": "AAAAA-BBBBB-CCCCC\n",
    "plan.json": '{"events":{"jump":{}}}',
    "key.txt": "sk-test\n",
    "token.txt": "github_pat_test\n",
    "play.ndjson": `${line}\n`,
    "play.ndjson.gz": gzipSync(`${line}\n`),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(shell.folder, name), content);
  const preparation = await shell.run(`
    playtest admin accounts create studio
    playtest gate save 0.8.0 --out baseline.json
    sed 's/"environment":"production"/"environment":"ci"/' baseline.json > runs.json
    chmod +x Game
    playtest server export studio.ndjson.gz
    playtest server import studio.ndjson.gz --database old.db
    playtest server import studio.ndjson.gz --database studio.db
    cp studio.ndjson.gz old.ndjson.gz
    cp studio.ndjson.gz new.ndjson.gz
    cp studio.ndjson.gz monday.ndjson.gz
    cp studio.ndjson.gz friday.ndjson.gz`);
  expect(preparation).toMatchObject({ exitCode: 0 });
});
afterAll(async () => await service.stop());

test("only the expected number of examples is not runnable", () => {
  expect(written.length - runnable.length).toBe(21);
});

/** Examples with the id of a document or key that does not exist find nothing, and the gate fails. */
function expectedExitCode(line: string): number {
  if (/ [a-z]+_[0-9a-f]{4,}| keys revoke | --key [0-9a-f]{12}/.test(line)) return 44;
  return /^playtest gate (?!allow|init|list|plan|save)/.test(line) ? 10 : 0;
}

/** What only a shell reads, and commands that start this program or look for other processes that use a file. */
const NEEDS_SHELL = /^(?!playtest )|[<>|$`*]|&&|;|^playtest server (exec|restore) /;

test.each(runnable)("%s", async (line) => {
  // An export does not replace an archive.
  if (line.startsWith("playtest server export studio")) rmSync(join(shell.folder, "studio.ndjson.gz"));
  const run = NEEDS_SHELL.test(line) ? shell.run : shell.runHere;
  const { exitCode, output } = await run(line);
  expect([exitCode, output]).toEqual([expectedExitCode(line), output]);
});
