/**
 * The texts of the project: no banned phrases, links that lead somewhere, no table row twice, and pages within their budgets.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

/** The largest size of each hand-written page in kB (1,000 bytes). A page that outgrows its budget needs a shorter text first. */
const budgets: Readonly<Record<string, number>> = {
  "CHANGELOG.md": 4,
  "CONTRIBUTING.md": 14,
  "README.md": 20,
  "SECURITY.md": 19,
  "docs/analysis.md": 23,
  "docs/analytics.md": 11,
  "docs/charts.md": 14,
  "docs/comparing-builds.md": 8,
  "docs/console.md": 6,
  "docs/data.md": 12,
  "docs/experiments.md": 14,
  "docs/export.md": 26,
  "docs/gate.md": 21,
  "docs/glossary.md": 12,
  "docs/import.md": 7,
  "docs/layout.md": 12,
  "docs/mcp.md": 7,
  "docs/moving.md": 7,
  "docs/operations.md": 28,
  "docs/performance.md": 6,
  "docs/players.md": 5,
  "docs/reliability.md": 19,
  "docs/scaling.md": 24,
  "docs/self-hosting.md": 16,
  "docs/statistics.md": 13,
  "docs/telemetry.md": 31,
  "docs/webhooks.md": 6,
};

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

const read = (path: string) => readFileSync(join(root, path), "utf8");

const pages = [...listFiles(".", /\.md$/), ...listFiles("docs", /^docs\/[^/]+\.md$/)].sort();
const allPages = [...pages, ...listFiles("docs", /^docs\/.+\/.+\.md$/), ...listFiles("clients", /\.md$/)];
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
      ...allPages.map((path) => ({ path, text: withoutCode(read(path)) })),
      ...sources.map((path) => ({ path, text: read(path) })),
    ].flatMap(({ path, text }) => find(text).map((finding) => `${path}: ${finding}`));
    expect(findings).toEqual([]);
  });
});

describe("pages", () => {
  test.each(allPages)("%s links to files that exist", (path) => {
    const links = [...withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    const missing = links
      .filter((target) => !/^([a-z]+:|#)/.test(target))
      .filter((target) => !existsSync(join(root, dirname(path), target.replace(/#.*/, ""))));
    expect(missing).toEqual([]);
  });

  test("begin with the commands that set up a checkout", () => {
    const firstPage = read("README.md").split("\n").slice(0, 40).join("\n");
    for (const command of ["npm ci && npm run demo", "npm ci && npm test"])
      expect(firstPage).toContain(command);
  });

  test("show no table row twice", () => {
    const seen = new Set<string>();
    // Columns of datasets are listed with each dataset.
    const rows = pages
      .flatMap((path) => tableRows(read(path)))
      .filter((row) => !/\| (string|timestamp|integer|number) \|/.test(row));
    expect(rows.filter((row) => seen.size === seen.add(row).size)).toEqual([]);
  });

  test("keep their budgets", () => {
    const sizes = pages.map((path) => [path, Math.ceil(Buffer.byteLength(read(path)) / 1000)] as const);
    const over = sizes.filter(([path, size]) => size > (budgets[path] ?? 0));
    expect(over).toEqual([]);
    expect(Object.keys(budgets).sort()).toEqual(pages);
  });
});

/** The rows of all tables in a page, without headers and with single spaces. */
function tableRows(page: string): string[] {
  const lines = page.split("\n").map((line) => line.trim().replace(/\s+/g, " "));
  const isRule = (line = "") => /^\|[|: -]+\|$/.test(line);
  return lines.filter((line, at) => line.startsWith("|") && !isRule(line) && !isRule(lines[at + 1]));
}
