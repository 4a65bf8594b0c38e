/** Adds an endpoint to a copy of the project by changing only the files that CONTRIBUTING lists, and runs all checks. */
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

/** Runs a program in the copy. Returns its output if it fails, otherwise an empty text. */
async function run(...[program = "", ...args]: string[]): Promise<string> {
  const result = await execa(program, args, { cwd: copy, all: true, reject: false, env: { CI: "1" } });
  return result.exitCode === 0 ? "" : (result.all ?? `${program} failed`);
}

async function append(file: string, text: string): Promise<void> {
  const path = join(copy, file);
  await writeFile(path, (await readFile(path, "utf8")) + text);
}

async function replace(file: string, from: string, to: string): Promise<void> {
  const path = join(copy, file);
  const before = await readFile(path, "utf8");
  expect([file, before.includes(from)]).toEqual([file, true]);
  await writeFile(path, before.replace(from, to));
}

/** The endpoint, in its noun's contract file. */
const CONTRACT = `
export const countHandles = defineRead({
  name: "countHandles",
  tool: "count_handles",
  path: "/api/v1/handles/{game}/count",
  summary: "How many tester handles a game has",
  tag: "handles",
  extension: true,
  names: { game: "game" },
  params: z.object({ game: gameParam }),
  extensions: { prefix: text(1, 64).optional().describe("How the handles begin") },
  response: z.object({ count }),
  errors: ["not_found"],
});
`;

/** Its handler, in its module. */
const HANDLER = `
export const handleCountHandles: Handler<typeof countHandles> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const handles = await findHandles(db, game.id);
  const { prefix = "" } = input;
  return { count: handles.filter(({ handle }) => handle.startsWith(prefix)).length };
};
`;

/** Its command. */
const COMMAND = `/** handles count: how many tester handles a game has. */
import * as handles from "../../../contract/handles.ts";
import { command } from "../../command.ts";
import { text } from "../../flags.ts";

export const countHandlesCommand = command({
  path: "handles count",
  summary: "Count a game's tester handles",
  args: [],
  flags: { prefix: text("--prefix <text>", "only handles that begin with this text") },
  examples: ["handles count --game ember"],
  async run(context, { flags }) {
    const client = await context.client(handles);
    return { data: await client.countHandles({ game: await context.requireGame(), prefix: flags.prefix }) };
  },
});
`;

/** Its test. */
const TEST = `import { expect, test } from "vitest";
import { runCli, startTestService } from "../harness.ts";

test("counts the handles of a game", async () => {
  const service = await startTestService();
  await service.addGame("ember");
  const { out } = await runCli(["handles", "count", "-g", "ember", "--prefix", "a", "--json"], { service });
  expect(JSON.parse(out)).toEqual({ count: 0, applied: { prefix: "a" } });
  await service.stop();
});
`;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "playtest-endpoint-"));
  await cp(root, copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  const contract = "src/contract/handles.ts";
  await replace(contract, "orNull, unixMs", "orNull, text, unixMs");
  await append(contract, CONTRACT);
  const handlers = "src/server/testers/handle-handlers.ts";
  await replace(handlers, "import type { listHandles }", "import type { countHandles, listHandles }");
  await append(handlers, HANDLER);
  await writeFile(join(copy, "src/cli/commands/handles/count.ts"), COMMAND);
  const index = "src/cli/commands/handles/index.ts";
  await replace(
    index,
    "import { listHandles",
    'import { countHandlesCommand } from "./count.ts";\nimport { listHandles',
  );
  await replace(index, "[listHandlesCommand]", "[listHandlesCommand, countHandlesCommand]");
  await writeFile(join(copy, "test/cli/handles-count.test.ts"), TEST);
}, CHECK_MS);

describe("an endpoint that was added as CONTRIBUTING describes", { timeout: CHECK_MS }, () => {
  test("passes the type check", async () => {
    expect(await run("npm", "run", "typecheck")).toBe("");
  });

  test("passes the lint", async () => {
    expect(await run("npm", "run", "lint")).toBe("");
  });

  test("is in the generated files", async () => {
    expect(await run("npm", "run", "generate")).toBe("");
    const document = JSON.parse(await readFile(join(copy, "docs/openapi.json"), "utf8"));
    const operation = document.paths["/api/v1/handles/{game}/count"].get;
    expect([operation.operationId, operation.tags]).toEqual(["countHandles", ["handles"]]);
    expect(await readFile(join(copy, "docs/reference/handles.md"), "utf8")).toContain("handles count");
    expect(await run("npm", "run", "generate", "--", "--check")).toBe("");
  });

  test("passes its own test and the tests that are derived from the contract", async () => {
    const derived = [
      "test/contract",
      "test/server/conformance",
      "test/server/arbitrary",
      "test/server/two-accounts",
      "test/server/http/not-found",
      "test/server/http/openapi",
      "test/mcp/tools",
      "test/build/openapi",
      "test/build/reference",
      "test/cli/command-table",
      "test/cli/handles-count",
    ];
    expect(await run("npx", "vitest", "run", ...derived, "--hookTimeout", "120000")).toBe("");
  });
});
