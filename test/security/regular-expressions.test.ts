/**
 * Every regular expression of the program takes linear time, on any text. The steps are counted by recheck, which needs no
 * texts: it proves the bound for the expression.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { check } from "recheck";
import ts from "typescript";
import { expect, test } from "vitest";
import { FAMILIES } from "../../src/contract/scorecard.ts";
import { lineCommands, suspects } from "../../src/render/characters.ts";
import { EXPOSED, EXPOSED_IN_JSON } from "../../src/render/csv.ts";
import { SLOT } from "../../src/render/table.ts";
import { KEY } from "../../src/server/observability/redact.ts";

const root = join(import.meta.dirname, "..", "..");
type Params = Parameters<typeof check>[2];
type Diagnostics = Awaited<ReturnType<typeof check>>;

/** The build of recheck that needs no Java and no binary. */
const { checkSync } = createRequire(import.meta.url)("recheck/lib/browser.js") as {
  checkSync(source: string, flags: string, params?: Params): Diagnostics;
};

/** Without time limits, so that the result depends on counted steps only. The seed of the fuzzer is constant. */
const PARAMS = { timeout: null, attackTimeout: null, incubationTimeout: null } as unknown as Params;

/** The expressions that are built from parts, by the file that builds them. */
const builtExpressions: Readonly<Record<string, readonly RegExp[]>> = {
  "src/contract/scorecard.ts": [FAMILIES],
  "src/render/characters.ts": [suspects(), lineCommands()],
  "src/render/csv.ts": [EXPOSED, EXPOSED_IN_JSON],
  "src/render/table.ts": [SLOT],
  "src/server/observability/redact.ts": [KEY],
};
const allBuilt = Object.values(builtExpressions).flat();

/** The expressions that recheck cannot prove to be linear, because they look around or count, and why they are. */
const reviewedExpressions: Readonly<Record<string, string>> = {
  "^[a-z0-9_-]{1,64}$": "reads at most 65 characters",
  "^[\\w-]{1,64}$": "reads at most 65 characters",
  "^[\\w-]{43}$": "reads at most 44 characters",
  "^[a-z]{2,5}_[0-9a-f]{6,40}$": "reads at most 47 characters",
  "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$": "reads at most 65 characters",
  "^[a-z0-9][a-z0-9_-]{0,63}$": "reads at most 65 characters",
  "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$": "reads at most 65 characters",
  "^whsec_[A-Za-z0-9+/]{32,88}={0,2}$": "reads at most 97 characters",
  "^[A-Za-z0-9._-]{1,128}$": "reads at most 129 characters",
  "^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$":
    "starts at one place and has one repetition",
  "^(\\d+)(?=[.)](?:\\s|$))": "starts at one place and has one repetition",
  "\\B(?=(?:\\d{3})+(?!\\d))": "reads the digits of a number, of which there are at most 21",
  "(?<=[.!?\\u2026][\"\\u201d')\\]]?)\\s+|[\\r\\n]+": "both repetitions match wherever they start",
  "\\b(confus\\w*|unclear|puzzl(?:ed|ing)|lost|no idea|(?:do|did|could)(?:n't| not) (?:understand|know|get|figure|find|see)|what (?:to|am i|do i|was i)|where (?:to|am i|do i|was i)|how (?:to|do i|am i|was i)|makes? no sense)\\b":
    "starts at the start of a word, and its one repetition ends with the word",
  "^(IDs? of|Number of|Time of|Whether there are|Whether recordedAt) |, (unix ms|in seconds|such as [a-z]+)$|ISO 3166|^Milliseconds$":
    "reads descriptions of the contract",
  '"(?:[^"\\\\]|\\\\.)*"': "reads JSON, in which every string ends",
  "@|#(?=\\d)|(?<![\\p{L}\\p{N}])(?:GH|GHSA|CVE)-(?=[\\p{L}\\p{N}])|:(?=\\/\\/|(?!\\d\\d?:)[\\w+\\\\-]+:)|www(?=\\.)":
    "its one repetition starts at a colon and ends before the next one",
  "(?<![\\p{L}\\p{N}_])[\\da-f]{7,40}(?![\\p{L}\\p{N}_])": "reads at most 41 characters",
  "(?<![^\\s>])#+$": "starts only once in each run of its repetition",
  [lineCommands().source]: "starts once in a line, and its repetition does not leave the line",
  [EXPOSED.source]: "its repetition ends before the next character at which a match can start",
  [EXPOSED_IN_JSON.source]: "its repetition ends before the next character at which a match can start",
  [KEY.source]: "its one repetition matches wherever it starts, after a prefix of limited length",
  [suspects().source]: "its one repetition matches wherever it starts",
};

interface Found {
  readonly literals: readonly { readonly source: string; readonly flags: string }[];
  readonly built: number;
}

/** Finds the regular expressions of a source file in its syntax tree. */
function findExpressions(name: string, text: string): Found {
  const literals: { source: string; flags: string }[] = [];
  let built = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      literals.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && ts.isIdentifier(node.expression) && node.expression.text === "RegExp") built += 1;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest));
  return { literals, built };
}

const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => `src/${name.replaceAll("\\", "/")}`);
const found = new Map(
  files.map((name) => [name, findExpressions(name, readFileSync(join(root, name), "utf8"))]),
);

/**
 * Whether an expression takes linear time: because a person has checked it, or because recheck proves it. The fuzzer of
 * recheck proves nothing. It only fails to find a slow text.
 */
function isLinear({ source, flags }: { readonly source: string; readonly flags: string }): boolean {
  if (Object.hasOwn(reviewedExpressions, source)) return true;
  const { status, checker } = checkSync(source, flags, PARAMS);
  return status === "safe" && checker === "automaton";
}

const literals = [...found].flatMap(([name, file]) => file.literals.map((one) => ({ name, ...one })));

test("every literal takes linear time", () => {
  expect(literals.length).toBeGreaterThan(100);
  const distinct = new Map(literals.map((literal) => [`/${literal.source}/${literal.flags}`, literal]));
  expect([...distinct.values()].filter((literal) => !isLinear(literal))).toEqual([]);
});

test("every expression that is built from parts is listed here and takes linear time", () => {
  const building = [...found].filter(([, { built }]) => built > 0).map(([name, { built }]) => [name, built]);
  const listed = Object.entries(builtExpressions).map(([name, expressions]) => [name, expressions.length]);
  expect(building.sort()).toEqual(listed);
  expect(allBuilt.filter((expression) => !isLinear(expression))).toEqual([]);
});

test("every reviewed expression is in use", () => {
  const used = new Set([...literals, ...allBuilt].map(({ source }) => source));
  expect(Object.keys(reviewedExpressions).filter((source) => !used.has(source))).toEqual([]);
});

test.each([
  ["-+$", ""],
  [" +$", "gm"],
  ["^(\\s*):(?=:)", "gm"],
  ["^([^\\S\\n]*):(?=:)", "gm"],
  ["\\{([^}]+)\\}", "g"],
  ["^(a+)+$", ""],
])("the check finds /%s/%s", (source, flags) => {
  expect(isLinear({ source, flags })).toBe(false);
});
