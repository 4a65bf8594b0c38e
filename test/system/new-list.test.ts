/**
 * Adds a list with a command, a dataset, a page and a tool to a copy of the project by changing only the files that CONTRIBUTING
 * lists, and reads it in all of these ways.
 */
import { cp, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
/** Timeout of each check, ms. They are slow because they read the whole project. */
const CHECK_MS = 900_000;
const NOT_COPIED = ["node_modules", "dist", ".git"];

let copy: string;
/** The changed files. */
const changed = new Set<string>();

/** Runs a program in the copy. Returns its output if it fails, otherwise an empty text. */
async function run(...[program = "", ...args]: string[]): Promise<string> {
  const result = await execa(program, args, { cwd: copy, all: true, reject: false, env: { CI: "1" } });
  return result.exitCode === 0 ? "" : (result.all ?? `${program} failed`);
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const path = join(copy, file);
  const before = await readFile(path, "utf8");
  const after = change(before);
  expect([file, after === before]).toEqual([file, false]);
  await writeFile(path, after);
  changed.add(file);
}

/** The endpoint and the list, in the contract file of the noun. */
const CONTRACT = `
export const minorBug = bugReport.pick({ id: true, title: true, build: true, createdAt: true });

const minorBugFilters = { build: buildFilter, ...rangeFilters("reports sent") } as const;

export const listMinorBugs = defineRead({
  name: "listMinorBugs",
  tool: "list_minor_bugs",
  path: "/api/v1/minor-bugs/{game}",
  summary: "List the bug reports that are not critical, newest first",
  tag: "bug-reports",
  extension: true,
  names: { game: "game" },
  params: z.object({ game: gameParam }),
  paged: true,
  query: listQuery(minorBugFilters),
  response: page(minorBug),
  errors: ["not_found"],
});

export const minorBugs = defineResource({
  name: "minor-bugs",
  item: minorBug,
  list: listMinorBugs,
  filters: minorBugFilters,
  columns: {
    title: { header: "TITLE" },
    build: { header: "BUILD", link: "build" },
    createdAt: { header: "SENT", kind: "time" },
    id: { header: "ID", kind: "id" },
  },
  command: {
    path: "minor-bugs list",
    summary: "List the bug reports that are not critical, newest first",
    examples: ["minor-bugs list --game ember"],
    empty: "No minor bugs.",
  },
  dataset: {
    summary: "One row per minor bug report",
    help: "minor bug reports of players",
    time: "createdAt",
    columns: ["createdAt", "game", "id", "title", "build"],
  },
  page: {
    title: "Minor bugs",
    caption: "Minor bug reports, newest first",
    empty: "No minor bugs.",
    opens: null,
  },
});
`;

/** Its source and its handler, in the module of the noun. */
const SERVER = `
const storedMinorBugs = defineStoredList(
  (db: Db) => db.selectFrom("bug_reports").where("severity", "!=", "critical"),
  {
    select: ["id", "title", "build", "created_at"],
    game: "game_id",
    filters: { build: "build" },
    time: "created_at",
    id: "id",
    toItem: ({ created_at: createdAt, ...row }) => ({ ...row, createdAt }),
  },
);

export const handleListMinorBugs: Handler<typeof listMinorBugs> =
  createListHandler<typeof listMinorBugs>(storedMinorBugs);
`;

const SERVER_IMPORT = `import { defineStoredList } from "../db/list-queries.ts";
`;

/** Its command group. */
const GROUP = `  "minor-bugs": group("List minor bug reports", async () =>
      deriveCommands((await import("../../contract/bug-reports.ts")).minorBugs),
    ),
  `;

/** Its test. */
const TEST = `import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPage } from "../console/open-page.ts";
import { freshFolder, runCli, startTestService } from "../harness.ts";
import { callTool, connect, textOf } from "../mcp/connect.ts";

test("the list is a command, a dataset, a page and a tool", async () => {
  const service = await startTestService();
  await service.addGame("ember");
  for (const severity of ["high", "critical"]) {
    const report = { title: \`a \${severity} bug\`, description: "text", severity, idempotencyKey: severity };
    await service.post("/api/telemetry/bug-report", { gameId: "ember", ...report });
  }
  const list = await runCli(["minor-bugs", "list", "-g", "ember", "--format", "csv"], { service });
  expect(list.out).toContain("a high bug");
  expect(list.out).not.toContain("a critical bug");
  const file = join(freshFolder(), "bugs.csv");
  await runCli(["export", "minor-bugs", "-g", "ember", "--out", file], { service });
  expect(await readFile(file, "utf8")).toMatch(/^"createdAt","game","id","title","build"\\n.*ember.*a high bug/);
  expect((await openPage(service, "/games/ember/minor-bugs")).text).toContain("a high bug");
  const { client } = await connect(service, { toolsets: ["all"] });
  expect(textOf(await callTool(client, "list_minor_bugs", { game: "ember" }))).toContain("a high bug");
  await service.stop();
});
`;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "playtest-list-"));
  await cp(root, copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  await edit("src/contract/bug-reports.ts", (text) => text + CONTRACT);
  await edit("src/contract/resources.ts", (text) =>
    text
      .replace("import { bugReports }", "import { bugReports, minorBugs }")
      .replace("bugReports, handles", "bugReports, minorBugs, handles"),
  );
  await edit("src/server/feedback/bug-report-handlers.ts", (text) =>
    text
      .replace("type listBugReports,", "type listBugReports, type listMinorBugs,")
      .replace("import ", `${SERVER_IMPORT}import `)
      .concat(SERVER),
  );
  await edit("src/cli/commands/index.ts", (text) =>
    text.replace("  crashes: group(", `${GROUP}  crashes: group(`),
  );
  await writeFile(join(copy, "test/cli/minor-bugs.test.ts"), TEST);
}, CHECK_MS);

describe("a list that was added as CONTRIBUTING describes", { timeout: CHECK_MS }, () => {
  test("changes at most four files", () => {
    expect(changed.size).toBeLessThanOrEqual(4);
  });

  test("passes the type check and the lint", async () => {
    expect(await run("npx", "biome", "check", "--write", ...changed)).toBe("");
    expect(await run("npm", "run", "typecheck")).toBe("");
  });

  test("is in the generated files", async () => {
    expect(await run("npm", "run", "generate")).toBe("");
    const document = JSON.parse(await readFile(join(copy, "docs/openapi.json"), "utf8"));
    expect(document.paths["/api/v1/minor-bugs/{game}"].get.operationId).toBe("listMinorBugs");
    expect(await readFile(join(copy, "docs/reference/export-columns.md"), "utf8")).toContain("## minor-bugs");
  });

  test("passes its own test and the conformance tests", async () => {
    const tests = ["test/server/conformance", "test/server/two-accounts", "test/cli/minor-bugs"];
    expect(await run("npx", "vitest", "run", ...tests)).toBe("");
  });
});
