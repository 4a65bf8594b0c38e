/** Selects the friction tags to write suggestions for, worst first, with the counts of `builds compare` and the gate. */
import type { BuildChange } from "../../contract/builds.ts";
import { DEFAULT_MIN_TESTERS } from "../../gate/config.ts";
import { readGroup } from "../../scorecard/build-scorecard.ts";
import type { GroupFacts } from "../../scorecard/facts.ts";
import { DEFAULT_OPTIONS } from "../../scorecard/options.ts";
import type { RowStatus, ScorecardRow } from "../../scorecard/rows.ts";
import { computeScorecard } from "../../scorecard/scorecard.ts";
import { rankRows, type TitledRow, titleRow } from "../../scorecard/titled-rows.ts";
import { findTagQuestion } from "../../shared/tag-subjects.ts";
import type { Db } from "../db/schema.ts";
import { type EvidenceRow, findStrongestEvidence } from "../insights/insight-queries.ts";
import type { BuildScope } from "./build-queries.ts";
import { compareTwoBuilds, readBuildTags } from "./comparison.ts";
import { readFactsScope, readTesterFacts } from "./facts-queries.ts";

/** Maximum number of tags, the worst first. */
const MAX_TAGS = 8;
/** Minimum number of testers with a tag. What a single tester met may be an exception. */
const MIN_TESTERS_WITH_TAG = 2;
/** Maximum number of insights per tag in the prompt. */
const MAX_EVIDENCE_PER_TAG = 5;
/**
 * Maximum number of testers per build who are compared as `builds compare` does. Reading the sessions of more testers would
 * take too long for one request: larger builds get the counts of all testers, and no test result.
 */
const MAX_COMPARED_TESTERS = 1000;
const FACTS_PAGE = 100;

/** A friction tag, or a room in which testers quit, to write a suggestion for, and its evidence. */
export interface SuggestionTarget {
  /** The tag, or `quit:` and the room. */
  readonly tag: string;
  readonly testersWithTag: number;
  /** The testers who could meet the tag. */
  readonly testersExposed: number;
  /** Whether only some of the compared testers could meet the tag. */
  readonly isPartial: boolean;
  /** The change from build a; null for one build. */
  readonly change: TargetChange | null;
  readonly evidence: readonly EvidenceRow[];
}

interface TargetChange {
  readonly from: string;
  readonly to: string;
  readonly testersWithTag: number;
  readonly testersExposed: number;
  /** What the test shows; null without one. */
  readonly result: RowStatus | null;
}

type TargetCounts = Omit<SuggestionTarget, "evidence">;

interface TargetQuery {
  readonly a: string | undefined;
  readonly b: string;
  readonly environment: string;
}

/** The tags to write suggestions for: of one build the most common ones, of two builds those that did not improve. */
export async function findTargets(
  db: Db,
  gameId: string,
  { a, b, environment }: TargetQuery,
  now: number,
): Promise<SuggestionTarget[]> {
  const scope = { gameId, version: b, environment };
  const tags =
    a === undefined
      ? await rankTags(db, scope)
      : await rankUnresolvedTags(db, { ...scope, version: a }, scope, now);
  const targets: SuggestionTarget[] = [];
  for (const target of tags.filter(hasEnoughTesters).slice(0, MAX_TAGS)) {
    const room = getQuitRoom(target.tag);
    const where = {
      gameId,
      build: b,
      environment,
      tag: room === null ? target.tag : `negative-moment:${room}`,
    };
    targets.push({ ...target, evidence: await findStrongestEvidence(db, where, MAX_EVIDENCE_PER_TAG) });
  }
  return targets;
}

const QUIT = "quit:";

/** The room that a target is about in which testers quit; null for a tag. */
export const getQuitRoom = (tag: string): string | null =>
  tag.startsWith(QUIT) ? tag.slice(QUIT.length) : null;

/** Whether enough testers had the tag, among as many who could meet it as the gate requires by default. */
const hasEnoughTesters = ({ testersWithTag, testersExposed }: TargetCounts) =>
  testersWithTag >= MIN_TESTERS_WITH_TAG && testersExposed >= DEFAULT_MIN_TESTERS;

/** The tags of one build, those of the most testers first. */
async function rankTags(db: Db, scope: BuildScope): Promise<TargetCounts[]> {
  const tags = await readBuildTags(db, scope);
  return tags
    .toSorted(
      (x, y) =>
        y.testersWithTag - x.testersWithTag ||
        x.testersExposed - y.testersExposed ||
        (x.tag < y.tag ? -1 : 1),
    )
    .map(({ tag, testersWithTag, testersExposed, testersInBatch }) => ({
      tag,
      testersWithTag,
      testersExposed,
      isPartial: testersExposed < testersInBatch,
      change: null,
    }));
}

/** The kinds of changes after which a tag is no longer a problem to solve. */
const SOLVED_KINDS: readonly string[] = ["resolved", "got_smaller"];

/** The tags that did not improve from one build to another, and the rooms in which more testers quit, the worst first. */
async function rankUnresolvedTags(
  db: Db,
  a: BuildScope,
  b: BuildScope,
  now: number,
): Promise<TargetCounts[]> {
  const { buildA, buildB, diff } = await compareTwoBuilds(db, a, b);
  const kinds = new Map(diff.changes.map(({ tag, kind }) => [tag, kind]));
  const isSolved = (tag: string) => SOLVED_KINDS.includes(kinds.get(tag) ?? "");
  const versions = { from: a.version, to: b.version };
  if (Math.max(buildA.testersInBatch, buildB.testersInBatch) > MAX_COMPARED_TESTERS) {
    return diff.changes
      .filter(({ tag, testersB }) => !isSolved(tag) && testersB !== 0)
      .map((change) => toReportedTarget(change, versions, buildB.testersInBatch));
  }
  const [before, after] = [await readAllTesters(db, a, now), await readAllTesters(db, b, now)];
  const { rows } = computeScorecard(before, after, DEFAULT_OPTIONS);
  const words = { titles: new Map<string, string>(), kinds };
  const isTarget = ({ name, status }: ScorecardRow) =>
    name === "friction" || (name === "quit" && status === "worse");
  return rankRows(rows.filter(isTarget).map((row) => titleRow(row, words)))
    .filter((row) => !isSolved(row.id) && row.b.count !== 0)
    .map((row) => toTarget(row, versions, after.testers.length));
}

/** The testers of a build who are compared. Nothing but their order depends on what they are called. */
async function readAllTesters(db: Db, scope: BuildScope, now: number): Promise<GroupFacts> {
  const reader = { now, hash: (device: string) => device };
  const { sessions, analysisVersions, total } = await readFactsScope(db, scope, now);
  const testers: Awaited<ReturnType<typeof readTesterFacts>>["testers"] = [];
  while (testers.length < total) {
    const page = await readTesterFacts(db, scope, { limit: FACTS_PAGE, offset: testers.length }, reader);
    if (page.testers.length === 0) break;
    testers.push(...page.testers);
  }
  return readGroup({ sessions, analysisVersions, testers, fields: [] }).group;
}

interface Versions {
  readonly from: string;
  readonly to: string;
}

const toTarget = ({ id, a, b, status }: TitledRow, versions: Versions, testers: number): TargetCounts => ({
  tag: id,
  testersWithTag: b.count ?? 0,
  testersExposed: b.total,
  isPartial: b.total < testers,
  change: { ...versions, testersWithTag: a.count ?? 0, testersExposed: a.total, result: status },
});

const toReportedTarget = (change: BuildChange, versions: Versions, testers: number): TargetCounts => ({
  tag: change.tag,
  testersWithTag: change.testersB ?? 0,
  testersExposed: change.testersExposedB ?? 0,
  isPartial: (change.testersExposedB ?? testers) < testers,
  change: {
    ...versions,
    testersWithTag: change.testersA ?? 0,
    testersExposed: change.testersExposedA ?? 0,
    result: null,
  },
});

/** What the test of a row shows, in words; nothing if it shows nothing. */
const resultWords: Partial<Readonly<Record<RowStatus, string>>> = {
  worse: " (worse)",
  unclear: " (no clear change)",
};

/** The testers with a tag, such as `11 of 22 testers in 0.9.0 and 0 of 20 in 0.8.0 (worse)`. */
export function describeTesters(target: SuggestionTarget): string {
  const { tag, testersWithTag, testersExposed, isPartial, change } = target;
  const question = findTagQuestion(tag) !== null;
  const who = question ? " who answered" : isPartial ? " who entered the room" : "";
  const counted = `${testersWithTag} of ${testersExposed} ${testersExposed === 1 ? "tester" : "testers"}${who}`;
  if (change === null) return counted;
  const { from, to } = change;
  if (change.testersExposed === 0) return `${counted} in ${to}, where nobody of ${from} got`;
  return `${counted} in ${to} and ${change.testersWithTag} of ${change.testersExposed} in ${from}${(change.result && resultWords[change.result]) ?? ""}`;
}
