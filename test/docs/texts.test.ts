/**
 * The texts of the project: no banned phrases, links that lead somewhere, no table row twice, and pages within their budgets.
 */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { docsPages, handWrittenPages, listPages, readPage, userPages } from "./page-files.ts";

const root = join(import.meta.dirname, "..", "..");

/** The largest size of each page in bytes. A page that outgrows its budget needs a shorter text first. */
const budgets: Readonly<Record<string, number>> = {
  "CHANGELOG.md": 4000,
  "CONTRIBUTING.md": 16_000,
  "README.md": 7000,
  "SECURITY.md": 1000,
  "bench/RESULTS.md": 18_000,
  "clients/README.md": 7000,
  "docs/concepts.md": 5000,
  "docs/guide/assistants.md": 4000,
  "docs/guide/compare-builds.md": 5000,
  "docs/guide/console.md": 3000,
  "docs/guide/experiments.md": 6000,
  "docs/guide/export.md": 8000,
  "docs/guide/gate-in-ci.md": 10_000,
  "docs/guide/gates-at-the-service.md": 3500,
  "docs/guide/heatmaps-reports.md": 7000,
  "docs/guide/import.md": 4000,
  "docs/guide/players.md": 7000,
  "docs/guide/recipes.md": 8000,
  "docs/guide/scripted-runs.md": 4000,
  "docs/guide/send-telemetry.md": 12_000,
  "docs/guide/webhooks.md": 4000,
  "docs/host/bad-days.md": 6500,
  "docs/host/damage.md": 2000,
  "docs/host/install.md": 10_000,
  "docs/host/operate.md": 12_000,
  "docs/host/scale.md": 8000,
  "docs/methods.md": 6000,
  "docs/quickstart.md": 4000,
  "docs/rules.md": 10_000,
  "docs/threat-model.md": 8000,
  "src/README.md": 16_000,
  "test/claims/README.md": 19_000,
  "test/faults/README.md": 2000,
};
/** The largest size of all pages under docs/ together, without the reference and the decisions. */
const MAX_DOCS_BYTES = 145_000;
const MAX_README_WORDS = 900;

/** Phrases that cost readers time, and what to write instead. They match whole words in any case. */
const bannedPhrases: Readonly<Record<string, string>> = {
  "unless (told|asked|said)|until told": '"by default", then the exception',
  "(is|are|was|be) told|tells? (of|whether|which|what|how|that)": '"report", "show" or "return"',
  "(stays?|stayed) as (it|they) (is|are|was|were)": '"is unchanged" or "is kept"',
  "(is|are|was) said|(says?|said) so": '"specified" or "reported"',
  "(let|lets|left) be": '"ignore" or "leave unchanged"',
  "br(ings?|ought) along": '"include" or "ship with"',
  "so (many|much|long)": "the number, or the noun that it counts",
  "(none|nothing) is named|is not named": '"specified" or "given"',
  "again and again|over and over": '"repeatedly"',
  "once more|anew|afresh": '"again"',
  "no (later|earlier) than": '"at or before", "at or after"',
  "neither pass nor fail": '"Not enough data to decide."',
  "mend|mends|mended": '"fix"',
  "(stands?) for": '"represent" or "mean"',
  "(gives?|given|puts) back": '"return" or "release"',
  "for good|for a while": '"permanently", "temporarily"',
  "to be had|those there are": '"available", "existing"',
  "thereof|therein|whereof|whence|thence|hitherto|henceforth|lest": "a modern word",
};

function listFiles(folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: folder !== ".", encoding: "utf8" })
    .map((file) => join(folder, file))
    .filter((file) => name.test(file));
}

const allPages = [...new Set([...handWrittenPages, ...listPages("docs")])];
const sources = ["src", "clients", "scripts", "bench"].flatMap((folder) => listFiles(folder, /\.(ts|mjs)$/));

/** Replaces code blocks and code spans of a page, which keep the words of others. */
function withoutCode(page: string): string {
  return page.replace(/^ *```[\s\S]*?^ *```/gm, "").replace(/`[^`\n]+`/g, "``");
}

describe("banned phrases", () => {
  const banned = Object.entries(bannedPhrases).map(
    ([phrase, instead]) => [new RegExp(`(?<![\\w-])(${phrase})(?![\\w-])`, "gi"), instead] as const,
  );
  /** The banned phrases in a text. A phrase may continue on the next line, also of a comment. */
  const find = (text: string) =>
    banned.flatMap(([pattern, instead]) =>
      [...text.replace(/\n[ *]*/g, " ").matchAll(pattern)].map(([found]) => `"${found}": write ${instead}`),
    );

  test("are found across lines, as whole words", () => {
    expect(find("It is\n * told.")).toEqual(['"is told": write "report", "show" or "return"']);
    expect(find("This told amended")).toEqual([]);
  });

  test("do not occur in pages and sources", () => {
    const findings = [
      ...allPages.map((path) => ({ path, text: withoutCode(readPage(path)) })),
      ...sources.map((path) => ({ path, text: readPage(path) })),
    ].flatMap(({ path, text }) => find(text).map((finding) => `${path}: ${finding}`));
    expect(findings).toEqual([]);
  });
});

describe("pages", () => {
  test.each(allPages)("%s links to files and headings that exist", (path) => {
    const links = [...withoutCode(readPage(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, target = ""]) => target,
    );
    const missing = links
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !linkExists(path, target));
    expect(missing).toEqual([]);
  });

  test("begin with the commands that set up a checkout", () => {
    const firstPage = readPage("README.md").split("\n").slice(0, 40).join("\n");
    for (const command of ["npm ci && npm run demo", "npm ci && npm test"])
      expect(firstPage).toContain(command);
  });

  test("show no table row twice", () => {
    const seen = new Set<string>();
    // Columns of datasets are listed with each dataset.
    const rows = handWrittenPages
      .flatMap((path) => tableRows(readPage(path)))
      .filter((row) => !/\| (string|timestamp|integer|number) \|/.test(row));
    expect(rows.filter((row) => seen.size === seen.add(row).size)).toEqual([]);
  });

  test("keep their budgets", () => {
    const sizes = handWrittenPages.map((path) => [path, Buffer.byteLength(readPage(path))] as const);
    expect(sizes.filter(([path, size]) => size > (budgets[path] ?? 0))).toEqual([]);
    expect(Object.keys(budgets).sort()).toEqual(handWrittenPages.toSorted());
    const docs = docsPages.reduce((sum, path) => sum + Buffer.byteLength(readPage(path)), 0);
    expect(docs).toBeLessThanOrEqual(MAX_DOCS_BYTES);
    expect(readPage("README.md").split(/\s+/).length).toBeLessThanOrEqual(MAX_README_WORDS);
  });

  test("are complete: no page is at another place", () => {
    const placed = [
      ...listPages("src"),
      ...listPages("test"),
      ...listPages("bench"),
      ...listFiles(".", /\.md$/),
    ];
    expect(placed.filter((path) => !handWrittenPages.includes(path))).toEqual([]);
  });

  test.each(userPages)("%s names no test, source file, decision or benchmark", (path) => {
    const names = /\b(?:src|test|bench|scripts)\/|\.test\.ts|npm run (?!demo)|decisions\b|\bdecision \d/g;
    expect(readPage(path).match(names) ?? []).toEqual([]);
  });

  test("name tests that exist for each promise", () => {
    const named = [...readPage("test/claims/README.md").matchAll(/`(test\/[^`]*)`/g)].map(
      ([, file = ""]) => file,
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

/** Whether the file of a link exists, and its heading. */
function linkExists(from: string, target: string): boolean {
  const [path = "", heading] = target.split("#");
  const file = path === "" ? from : join(dirname(from), path);
  if (!existsSync(join(root, file))) return false;
  return heading === undefined || findHeadings(readPage(file)).includes(heading);
}

/** The anchors of the headings in a page, as GitHub makes them. */
function findHeadings(page: string): string[] {
  const lines = page.replace(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/^#+ (.+)$/gm);
  return [...lines].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The rows of all tables in a page, without headers and with single spaces. */
function tableRows(page: string): string[] {
  const lines = page.split("\n").map((line) => line.trim().replace(/\s+/g, " "));
  const isRule = (line = "") => /^\|[|: -]+\|$/.test(line);
  return lines.filter((line, at) => line.startsWith("|") && !isRule(line) && !isRule(lines[at + 1]));
}
