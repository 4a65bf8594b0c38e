/** gate with a scripted service: what each tester played in pages, versions of the analysis, and old baseline files. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TesterHistory } from "../../src/contract/play-history.ts";
import { gateVerdict } from "../../src/gate/verdict.ts";
import { type ScriptedReply, script } from "../client/script.ts";
import { freshFolder, runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };
const GAME = { id: "game_1", userId: "u", name: "Ember", slug: "ember", createdAt: 1 };
const TAG = "confusion:x";
const TESTERS = 20;

/** One session of one tester. */
const tester = (hasTag: boolean): TesterHistory => ({
  anonymous: false,
  sessions: [{ activeSec: 600, wallSec: 700, bugReports: 0, rooms: [], tags: hasTag ? [TAG] : [] }],
});

/** Twenty testers; the first `withTag` have the tag. */
const testers = (withTag: number) => Array.from({ length: TESTERS }, (_, at) => tester(at < withTag));

interface ServedBuild {
  readonly withTag: number;
  /** The sizes of the pages and the versions of the analysis on each; null for a service without the endpoint. */
  readonly pages: ReadonlyArray<{ readonly size: number; readonly versions: readonly number[] }> | null;
  /** The testers that the history lists as all of them (default: those that the comparison counts). */
  readonly listed?: readonly TesterHistory[];
}

const onePage = (withTag: number, versions: readonly number[]): ServedBuild => ({
  withTag,
  pages: [{ size: TESTERS, versions }],
});

/** A service with the builds 1 and 2. */
function serve(a: ServedBuild, b: ServedBuild) {
  const builds = new Map([
    ["1", a],
    ["2", b],
  ]);
  return script(({ url }): ScriptedReply => {
    const { pathname, searchParams } = new URL(url);
    const words = pathname.split("/");
    const word = words.at(-1);
    if (word === "compare") return { body: compare(builds, searchParams) };
    if (word === "exposure") return historyPage(builds.get(words.at(-2) ?? ""), words, searchParams);
    return { body: { items: [], hasMore: false, total: 0 } };
  });
}

function compare(builds: ReadonlyMap<string, ServedBuild>, query: URLSearchParams) {
  const side = (version: string) => {
    const withTag = builds.get(version)?.withTag ?? 0;
    const counts = { testersWithTag: withTag, testersInBatch: TESTERS, insightCount: withTag };
    const byTag = withTag === 0 ? [] : [{ tag: TAG, ...counts, pct: (100 * withTag) / TESTERS }];
    return { version, testersInBatch: TESTERS, sessionCount: TESTERS, byTag };
  };
  const [a, b] = [side(query.get("a") ?? ""), side(query.get("b") ?? "")];
  const [testersA, testersB] = [a, b].map(({ byTag }) => byTag[0]?.testersWithTag ?? 0);
  const deltaPct = (100 * ((testersB ?? 0) - (testersA ?? 0))) / TESTERS;
  const kind = testersA === 0 ? "introduced" : deltaPct >= 10 ? "got_larger" : "carried_over";
  return {
    game: GAME,
    environment: "production",
    buildA: a,
    buildB: b,
    diff: {
      changes: [{ kind, tag: TAG, deltaPct, testersA, testersB }],
      totals: { resolved: 0, gotSmaller: 0, carriedOver: 0, gotLarger: 0, introduced: 0 },
    },
  };
}

function historyPage(
  build: ServedBuild | undefined,
  words: readonly string[],
  query: URLSearchParams,
): ScriptedReply {
  if (!build?.pages) return { status: 404, body: { error: "Not found" } };
  const offset = Number(query.get("offset"));
  let [start, at] = [0, 0];
  for (; start < offset; at += 1) start += build.pages[at]?.size ?? TESTERS;
  const { size = 0, versions = [] } = build.pages[at] ?? {};
  const all = build.listed ?? testers(build.withTag);
  const body = {
    game: GAME,
    version: words.at(-2),
    environment: "production",
    analysisVersions: versions,
    testers: all.slice(start, start + size),
    hasMore: start + size < all.length,
    total: all.length,
  };
  return { body };
}

async function gate(served: ReturnType<typeof serve>, argv: readonly string[], cwd = freshFolder()) {
  const run = await runCli(["gate", ...argv, "--json"], { env, transport: served.transport, cwd });
  return { ...run, verdict: gateVerdict.parse(JSON.parse(run.out)) };
}

/** A folder with base.json: build 1, with four testers who have the tag. */
function folderWithBaseline(content: Readonly<Record<string, unknown>>): string {
  const cwd = freshFolder();
  const baseline = {
    game: "ember",
    environment: "production",
    savedAt: "2026-01-01T00:00:00Z",
    version: "1",
    testers: TESTERS,
    sessions: TESTERS,
    byTag: [{ tag: TAG, testers: 4, insights: 4 }],
    stats: null,
    ...content,
  };
  writeFileSync(join(cwd, "base.json"), JSON.stringify(baseline));
  return cwd;
}

test("reads the sessions of all testers, for any number of testers per page", async () => {
  const a = onePage(0, [2]);
  const pages = [12, 7, 1].map((size) => ({ size, versions: [2] }));
  const served = serve(a, { withTag: 12, pages });
  const { code, verdict } = await gate(served, ["1", "2"]);
  expect([code, verdict.b.judgedTesters, verdict.b.analysisVersions]).toEqual([10, TESTERS, [2]]);
  expect(verdict.findings[0]?.found.judged).toMatchObject({ testersA: 0, testersB: 12, totalB: TESTERS });
  const offsets = served.requests
    .map(({ url }) => new URL(url))
    .filter(({ pathname }) => pathname.endsWith("/2/exposure"))
    .map(({ searchParams }) => searchParams.get("offset"));
  expect(offsets).toEqual(["0", "12", "19"]);
});

test("rejects a list of testers that has more testers after an empty page", async () => {
  const pages = [12, 0].map((size) => ({ size, versions: [2] }));
  const { transport } = serve(onePage(0, [2]), { withTag: 16, pages });
  const { code, out, err } = await runCli(["gate", "1", "2"], { env, transport, cwd: freshFolder() });
  expect([code, out]).toEqual([53, ""]);
  expect(err).toContain("The service reports more testers after tester 12 but returns none");
});

test.each([
  ["no tag that the comparison counts", testers(0), `0 of at least 16 testers with ${TAG}`],
  ["fewer testers with a tag", testers(2), `2 of at least 16 testers with ${TAG}`],
  ["fewer testers", testers(16).slice(10), "10 of 20 testers"],
  ["no testers", [], "0 of 20 testers"],
])("judges all testers, and reports it, if the history of b lists %s", async (_, listed, missing) => {
  const served = () => serve(onePage(0, [2]), { ...onePage(16, [2]), listed });
  const { code, verdict } = await gate(served(), ["1", "2"]);
  expect([code, verdict.verdict, verdict.b.judgedTesters]).toEqual([10, "failed", TESTERS]);
  expect(verdict.findings[0]?.found.judged).toMatchObject({ testersA: 0, testersB: 16, totalB: TESTERS });
  expect(verdict.notes).toEqual([
    `The list of what the testers of 2 played is incomplete: it has ${missing}. All testers are compared instead, even if those of one build played more.`,
  ]);
  const { transport } = served();
  const { out } = await runCli(["gate", "1", "2"], { env, transport, cwd: freshFolder() });
  expect(out.replace(/\s+/g, " ")).toContain(`it has ${missing}.`);
});

test("is inconclusive if different versions of the rules analyzed the builds, or the pages of one", async () => {
  const pages = [1, 2].map((version) => ({ size: TESTERS / 2, versions: [version] }));
  for (const b of [onePage(12, [2]), { withTag: 12, pages }]) {
    const { code, err, verdict } = await gate(serve(onePage(0, [1]), b), ["1", "2"]);
    expect([code, verdict.verdict, verdict.findings[0]?.status]).toEqual([11, "inconclusive", "unsure"]);
    expect(verdict.reasons).toEqual([
      "the sessions were analyzed with different versions of the rules (1 and 2): wait until the older analyses are redone, or save the baseline again",
    ]);
    expect(err).toContain("hint: Run the gate again later, save the baseline again, or ");
  }
});

test("is inconclusive if another version of the rules analyzed the saved baseline", async () => {
  const cwd = folderWithBaseline({ playtestBaseline: 2, analysisVersions: [1], exposure: testers(4) });
  const { code, verdict } = await gate(serve(onePage(4, [2]), onePage(12, [2])), ["@base.json", "2"], cwd);
  expect([code, verdict.reasons.length, verdict.a.analysisVersions]).toEqual([11, 1, [1]]);
  expect(verdict.reasons[0]).toContain("different versions of the rules (1 and 2)");
});

test("judges all testers if the history of a saved baseline lacks a tag", async () => {
  const content = { playtestBaseline: 2, analysisVersions: [2], exposure: testers(0) };
  const served = serve(onePage(4, [2]), onePage(16, [2]));
  const { code, verdict } = await gate(served, ["@base.json", "2"], folderWithBaseline(content));
  expect([code, verdict.findings[0]?.found.judged?.testersA, verdict.notes.length]).toEqual([10, 4, 1]);
});

test("asks to save a baseline of version 1 again if the service reports the version of the rules", async () => {
  const cwd = folderWithBaseline({ playtestBaseline: 1 });
  const { code, err, verdict } = await gate(
    serve(onePage(4, [2]), onePage(16, [2])),
    ["@base.json", "2"],
    cwd,
  );
  expect([code, verdict.reasons]).toEqual([
    11,
    ["the baseline 1 was saved without the version of the rules that analyzed it: save it again"],
  ]);
  expect(err).toContain("hint: Save the baseline again, or ");
});

test("judges all testers of a baseline of version 1 if the service reports no versions, and reports it", async () => {
  const cwd = folderWithBaseline({ playtestBaseline: 1 });
  const served = () => serve(onePage(4, [2]), { withTag: 16, pages: null });
  const { code, verdict } = await gate(served(), ["@base.json", "2"], cwd);
  expect([code, verdict.a.judgedSessions, verdict.b.judgedSessions]).toEqual([10, null, null]);
  expect(verdict.findings[0]?.found.judged).toMatchObject({ totalA: TESTERS, testersA: 4, testersB: 16 });
  const { transport } = served();
  const { out } = await runCli(["gate", "@base.json", "2"], { env, transport, cwd });
  expect(out.replace(/\s+/g, " ")).toContain(
    "All testers count, even if those of one build played more, because what each tester played is not known.",
  );
});
