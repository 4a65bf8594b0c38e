/**
 * Runs the commands of the hand-written pages against a demo service:
 *
 * - `sh` blocks have to exit with 0, or with the code in `sh exit=10`.
 * - `console` blocks also have to print what they show (`fences.ts` describes the patterns).
 * - Blocks marked `not-runnable` are counted below and only checked for their syntax.
 * - Data and queries are parsed, sent to the service (`json POST <path>`) or run (`sql`).
 *
 * `PLAYTEST_RENEW_DOCS=1 npm run test:program -- test/docs/pages` writes the actual output into the pages and the picture.
 * `reference.test.ts` runs the examples in docs/reference.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { execa } from "execa";
import { PNG } from "pngjs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { drawReadmePicture, pictureParts } from "../../scripts/readme-picture.ts";
import {
  type Fence,
  outputLines,
  outputMatches,
  readConsole,
  readFences,
  renewOutput,
  replaceFences,
  writeConsole,
} from "./fences.ts";
import { handWrittenPages, readPage } from "./page-files.ts";
import { type DocsService, type DocsShell, startDocsService } from "./shell.ts";

const root = join(import.meta.dirname, "..", "..");
const isRenewing = process.env.PLAYTEST_RENEW_DOCS === "1";

const pages = handWrittenPages.map((path) => {
  const source = readPage(path);
  return { path, source, fences: readFences(source) };
});

/** Blocks that need a package registry, an outside host, a fixed port, a terminal or minutes. */
const notRunnable: Readonly<Record<string, number>> = {
  "README.md": 5,
  "CONTRIBUTING.md": 6,
  "bench/RESULTS.md": 1,
  "docs/guide/assistants.md": 2,
  "docs/guide/export.md": 1,
  "docs/guide/gates-at-the-service.md": 3,
  "docs/guide/import.md": 1,
  "docs/guide/scripted-runs.md": 1,
  "docs/guide/send-telemetry.md": 2,
  "docs/guide/webhooks.md": 2,
  "docs/host/bad-days.md": 4,
  "docs/host/install.md": 9,
  "docs/host/operate.md": 6,
  "docs/host/scale.md": 1,
  "docs/quickstart.md": 5,
};

const isCommand = ({ language }: Fence) => language === "sh" || language === "console";
const isRunnable = (fence: Fence) => isCommand(fence) && fence.info !== "not-runnable";

/** Languages that have no check here. `test/system/pandas.test.ts` runs Python. */
const plainLanguages = ["crontab", "python", "text"];

test("only the expected number of blocks is not runnable", () => {
  const counts = pages.map(({ path, fences }) => [
    path,
    fences.filter(({ info }) => info === "not-runnable").length,
  ]);
  expect(Object.fromEntries(counts.filter(([, count]) => count !== 0))).toEqual(notRunnable);
});

test("the words after a language are known ones", () => {
  const known = /^(not-runnable|exit=\d+|POST \S+|empty)?$/;
  const unknown = pages.flatMap(({ path, fences }) =>
    fences.filter(({ info }) => !known.test(info)).map(({ line, info }) => `${path}:${line}: ${info}`),
  );
  expect(unknown).toEqual([]);
});

/** What the blocks of a page run in. */
interface Page {
  service: DocsService;
  shell: DocsShell;
  /** Opened for the first query, because later queries can use its views. */
  duckDb?: DuckDBConnection;
}

/** Runs a block. Returns what is wrong with it, and its new content if that differs. */
async function checkFence(fence: Fence, page: Page): Promise<{ problems: string[]; renewed?: string }> {
  const { language, info, content } = fence;
  if (isCommand(fence) && !isRunnable(fence)) return { problems: await checkSyntax(fence) };
  if (language === "sh") {
    const { exitCode, output } = await page.shell.run(content);
    return { problems: exitCode === expectedExitCode(info) ? [] : [`exit code ${exitCode}:\n${output}`] };
  }
  if (language === "console") return await checkConsole(fence, page.shell);
  return { problems: await checkData(fence, page) };
}

function expectedExitCode(info: string): number {
  return Number(/^exit=(\d+)$/.exec(info)?.[1] ?? 0);
}

async function checkConsole({ info, content }: Fence, shell: DocsShell) {
  const commands = readConsole(content);
  const problems: string[] = [];
  const renewed = [];
  for (const { command, output: shown } of commands) {
    const { exitCode, output } = await shell.run(command);
    const actual = outputLines(output);
    // The lines above the next command may end with an empty line.
    const shownLines = outputLines(shown.join("\n"));
    const separator = shown.slice(shownLines.length);
    // The exit code in the info is that of the last command.
    const expected = renewed.length === commands.length - 1 ? expectedExitCode(info) : 0;
    if (exitCode !== expected) problems.push(`exit code ${exitCode} of ${command}`);
    if (!isRenewing && !outputMatches(shownLines, actual))
      problems.push(`output of ${command}:\n${actual.join("\n")}\ninstead of:\n${shownLines.join("\n")}`);
    renewed.push({ command, output: [...renewOutput(shownLines, actual), ...separator] });
  }
  return { problems, renewed: writeConsole(renewed) };
}

async function checkSyntax({ language, content }: Fence): Promise<string[]> {
  const script =
    language === "sh"
      ? content
      : readConsole(content)
          .map(({ command }) => command)
          .join("\n");
  const { exitCode, stderr } = await execa("sh", ["-n"], { input: script, reject: false });
  return exitCode === 0 ? [] : [stderr];
}

async function checkData({ language, info, content }: Fence, page: Page): Promise<string[]> {
  try {
    if (language === "json") JSON.parse(content);
    else if (language === "yaml") parseYaml(content);
    else if (language === "ini") parseIni(content);
    else if (language === "sql") await runSql(content, info, page);
    else if (!plainLanguages.includes(language)) return [`unknown language "${language}"`];
  } catch (error) {
    return [String(error)];
  }
  if (!info.startsWith("POST ")) return [];
  const status = await page.service.post(info.slice("POST ".length), content);
  return status >= 200 && status < 300 ? [] : [`status ${status}`];
}

function parseIni(content: string): void {
  const bad = content.split("\n").filter((line) => !/^(|[#;].*|\[\w+\]|[\w-]+=.*)$/.test(line));
  if (bad.length > 0) throw new Error(`not a setting: ${bad.join(", ")}`);
}

/** Runs a query in DuckDB. Relative paths begin in the folder of the page. Only queries marked as `empty` have no rows. */
async function runSql(query: string, info: string, page: Page): Promise<void> {
  if (page.duckDb === undefined) {
    page.duckDb = await (await DuckDBInstance.create()).connect();
    await page.duckDb.run(`SET file_search_path = '${page.shell.folder}'`);
  }
  const result = await page.duckDb.runAndReadAll(query);
  if (!/^(SELECT|WITH)/.test(query) || (result.currentRowCount === 0) === (info === "empty")) return;
  throw new Error(info === "empty" ? "the query has rows" : "the query has no rows");
}

/** Whether a block changes the data of the service. */
function isWriting({ content, info }: Fence): boolean {
  if (info === "not-runnable") return false;
  return info.startsWith("POST ") || /^(\$ )?playtest (admin|ingest) /m.test(content);
}

// Pages that only read data share a service. Every page has its own folder and settings.
let sharedService: DocsService;
beforeAll(async () => {
  sharedService = await startDocsService();
});
afterAll(async () => await sharedService.stop());

test.each(pages.filter(({ fences }) => fences.length > 0))(
  "the blocks of $path run and print what they show",
  async ({ path, source, fences }) => {
    const service = fences.some(isWriting) ? await startDocsService() : sharedService;
    const page: Page = { service, shell: service.openShell() };
    const renewed = new Map<number, string>();
    const problems: string[] = [];
    for (const fence of fences) {
      const result = await checkFence(fence, page);
      problems.push(...result.problems.map((problem) => `${path}:${fence.line}: ${problem}`));
      if (result.renewed !== undefined) renewed.set(fence.line, result.renewed);
    }
    page.duckDb?.closeSync();
    if (service !== sharedService) await service.stop();
    if (isRenewing) writeFileSync(join(root, path), replaceFences(source, renewed));
    expect(problems.join("\n\n")).toBe("");
  },
);

test("the picture of the README shows what the commands print", async () => {
  const shell = sharedService.openShell();
  const outputs: string[] = [];
  for (const { command } of pictureParts) outputs.push((await shell.run(command)).output);
  const drawn = await drawReadmePicture(outputs);
  const path = join(root, "docs", "images", "overview.png");
  const isEqual = PNG.sync.read(drawn).data.equals(PNG.sync.read(readFileSync(path)).data);
  if (isRenewing && !isEqual) writeFileSync(path, drawn);
  expect(isEqual || isRenewing).toBe(true);
});
