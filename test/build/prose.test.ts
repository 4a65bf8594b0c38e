/** The prose check of `npm run lint`: it finds each banned phrase and runs each rule, and points to the right place. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { bannedPhrases } from "../../prose.config.ts";
import { checkProse } from "../../scripts/prose/check.ts";

const root = join(import.meta.dirname, "..", "..");

/** Where the check finds something, as `line:column rule`. */
function findingsIn(path: string, source: string): string[] {
  return checkProse(path, source).map(({ line, column, rule }) => `${line}:${column} ${rule}`);
}

const phrases = bannedPhrases.flatMap(({ phrases, write }) => phrases.map((phrase) => ({ phrase, write })));

test.each(phrases)(
  'the banned phrase "$phrase" is found in pages, messages, comments and titles',
  (banned) => {
    const words = banned.phrase.replace(/\.$/, "");
    const sentence = `Keys ${words}.`;
    const message = `Replace "${words}": write ${banned.write}`;
    const places = [
      { path: "docs/page.md", source: `# Title\n\nText.\n${sentence}\n`, line: 4, column: 6 },
      {
        path: "src/cli/a.ts",
        source: `const a = 1;\nthrow new Error("${sentence}");\n`,
        line: 2,
        column: 23,
      },
      { path: "src/cli/b.ts", source: `/** One.\n * ${sentence} */\nconst a = 1;\n`, line: 2, column: 9 },
      { path: "test/c.test.ts", source: `test.each([1])("${sentence}", () => {});\n`, line: 1, column: 22 },
    ];
    for (const { path, source, line, column } of places)
      expect(checkProse(path, source)).toContainEqual({ path, line, column, rule: "banned-phrase", message });
  },
);

test("no banned phrase is listed twice", () => {
  const all = phrases.map(({ phrase }) => phrase);
  expect(all).toEqual([...new Set(all)]);
});

describe.each([
  ["retext-contractions", "Rules dont change."],
  ["retext-indefinite-article", "It takes a hour."],
  ["retext-redundant-acronyms", "Use a LCD display."],
  ["retext-repeated-words", "Read the the page."],
  ["retext-sentence-spacing", "First page.  Second page."],
  ["retext-simplify", "Utilize the page."],
])("%s", (rule, sentence) => {
  test("runs on pages", () => {
    expect(checkProse("README.md", `${sentence}\n`).map((finding) => finding.rule)).toContain(rule);
  });

  test("runs on messages", () => {
    const source = `console.log("${sentence}");\n`;
    expect(checkProse("src/cli/file.ts", source).map((finding) => finding.rule)).toContain(rule);
  });
});

test("upper case, line breaks and indentation do not hide a phrase", () => {
  expect(findingsIn("docs/page.md", "- Item.\n\n  > Keys. Unless\n  > told, no.\n")).toEqual([
    "3:11 banned-phrase",
  ]);
  expect(findingsIn("src/a.ts", "  // Keys unless\n  // told, no.\n")).toEqual(["1:11 banned-phrase"]);
  expect(findingsIn("src/a.ts", "/**\n * Keys unless\n * told, no.\n */\n")).toEqual(["2:9 banned-phrase"]);
});

test("only whole words are banned phrases", () => {
  expect(
    findingsIn("docs/page.md", "An ill-formed body will recommend amends and of its own accord.\n"),
  ).toEqual([]);
});

test("escapes and the values of templates do not move a finding", () => {
  const source =
    'const text = `\\u2026 "$' + '{name}":\\n  keys \\`x\\` unless told $' + "{`a b one that c`}`;\n";
  expect(findingsIn("src/a.ts", source).map((finding) => finding.split(" ")[0])).toEqual([
    `1:${source.indexOf("unless") + 1}`,
    `1:${source.indexOf("one that") + 1}`,
  ]);
});

test("findings of retext point into the file", () => {
  expect(findingsIn("docs/page.md", "# Title\n\n* Use `a` *now*.\n  Read **the** the page.\n")).toEqual([
    "4:10 retext-repeated-words",
  ]);
});

describe("the check ignores", () => {
  test.each([
    [
      "code blocks and inline code",
      "docs/page.md",
      "Use `unless told`.\n\n```sh\necho unless told\n```\n\n    one that\n",
    ],
    ["URLs", "docs/page.md", "[Link](https://example.com/one%20that/anew)\n"],
    ["strings of tests", "test/cli/file.test.ts", 'test("works", () => expect(text).toBe("unless told"));\n'],
    ["quoted code in comments", "src/a.ts", "// Runs `unless told`.\n"],
    ["regular expressions", "src/a.ts", "const pattern = /a // unless told/;\n"],
    ["imports, types and keys", "src/a.ts", 'import a from "unless told";\ntype A = "one that";\n'],
    ["tagged templates", "src/a.ts", "sql`SELECT one that`;\n"],
    ["queries", "src/server/games/queries.ts", 'raw("select one that");\n'],
    ["generated files", "src/cli/help.generated.ts", 'export const text = "unless told";\n'],
    ["other files", "docs/openapi.json", '{ "description": "unless told" }\n'],
  ])("%s", (_what, path, source) => {
    expect(findingsIn(path, source)).toEqual([]);
  });
});

describe("npm run lint", () => {
  /** Runs the check in a folder that contains one page. */
  async function lint(page: string) {
    const folder = mkdtempSync(join(tmpdir(), "playtest-prose-"));
    mkdirSync(join(folder, "docs"));
    writeFileSync(join(folder, "docs", "page.md"), page);
    const tsx = join(root, "node_modules", ".bin", "tsx");
    return await execa(tsx, [join(root, "scripts", "lint-prose.ts")], { cwd: folder, reject: false });
  }

  test("prints each finding with its place and what to write, and fails", async () => {
    const { exitCode, stdout } = await lint("One.\n\nKeys unless told.\n");
    expect(exitCode).toBe(1);
    expect(stdout.split("\n")).toEqual([
      'docs/page.md:3:6 Replace "unless told": write "by default", then the exception (banned-phrase)',
      "Prose: files checked: 1, findings: 1",
    ]);
  });

  test("passes without findings", async () => {
    const { exitCode, stdout } = await lint("One page.\n");
    expect([exitCode, stdout]).toEqual([0, "Prose: files checked: 1, findings: 0"]);
  });
});
