/** Selects the friction tags to write suggestions for, worst first, with the counts of `builds compare` and the gate. */
import { rankBySeverity } from "../../charts/severity.ts";
import { type ChangeResult, type TestedChange, testChanges } from "../../charts/tested-changes.ts";
import type { KnownHistory } from "../../contract/play-history.ts";
import { DEFAULT_MIN_TESTERS } from "../../gate/config.ts";
import { findTagQuestion } from "../../shared/tag-subjects.ts";
import type { Db } from "../db/schema.ts";
import { type EvidenceRow, findStrongestEvidence } from "../insights/insight-queries.ts";
import type { BuildScope } from "./build-queries.ts";
import { compareTwoBuilds, readBuildTags } from "./comparison.ts";
import { readTesterHistory } from "./play-history-queries.ts";

/** Maximum number of tags, the worst first. */
const MAX_TAGS = 8;
/** Minimum number of testers with a tag. What a single tester met may be an exception. */
const MIN_TESTERS_WITH_TAG = 2;
/** Maximum number of insights per tag in the prompt. */
const MAX_EVIDENCE_PER_TAG = 5;
/**
 * Maximum number of testers per build whose sessions are matched as the gate matches them. Reading the sessions of more
 * testers would take too long for one request: larger builds get the counts without matching, and no test result.
 */
const MAX_MATCHED_TESTERS = 1000;
const HISTORY_PAGE = 100;

/** A friction tag to write a suggestion for, and its evidence. */
export interface SuggestionTarget {
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
  readonly result: ChangeResult;
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
): Promise<SuggestionTarget[]> {
  const scope = { gameId, version: b, environment };
  const tags =
    a === undefined
      ? await rankTags(db, scope)
      : await rankUnresolvedTags(db, { ...scope, version: a }, scope);
  const targets: SuggestionTarget[] = [];
  for (const target of tags.filter(hasEnoughTesters).slice(0, MAX_TAGS)) {
    const where = { gameId, build: b, environment, tag: target.tag };
    targets.push({ ...target, evidence: await findStrongestEvidence(db, where, MAX_EVIDENCE_PER_TAG) });
  }
  return targets;
}

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

/** The tags that did not improve from one build to another, in the order of the comparison. */
async function rankUnresolvedTags(db: Db, a: BuildScope, b: BuildScope): Promise<TargetCounts[]> {
  const compared = await compareTwoBuilds(db, a, b);
  const history = await readHistory(db, [
    [a, compared.buildA.testersInBatch],
    [b, compared.buildB.testersInBatch],
  ]);
  const { changes, testersB } = testChanges(compared, history ?? "too-many");
  return rankBySeverity(changes)
    .filter((change) => !SOLVED_KINDS.includes(change.kind) && change.testersB !== 0)
    .map((change) => ({
      // Without matched play, the result could differ from that of `builds compare`.
      ...toTarget(history === null ? { ...change, result: "untested" } : change, a.version, b.version),
      isPartial: (change.exposedB ?? testersB) < testersB,
    }));
}

/** The sessions of the testers of both builds; null if they are too many. */
async function readHistory(
  db: Db,
  [a, b]: readonly [readonly [BuildScope, number], readonly [BuildScope, number]],
): Promise<KnownHistory | null> {
  if (Math.max(a[1], b[1]) > MAX_MATCHED_TESTERS) return null;
  return { a: await readAllTesters(db, a[0]), b: await readAllTesters(db, b[0]) };
}

async function readAllTesters(db: Db, scope: BuildScope): Promise<KnownHistory["a"]> {
  const testers: KnownHistory["a"][number][] = [];
  for (;;) {
    const page = await readTesterHistory(db, scope, { limit: HISTORY_PAGE, offset: testers.length });
    if (page.length === 0) return testers;
    testers.push(...page);
  }
}

function toTarget({ tag, result, ...counts }: TestedChange, from: string, to: string) {
  const [testersWithTag, testersExposed] = [counts.testersB ?? 0, counts.exposedB ?? 0];
  const before = { testersWithTag: counts.testersA ?? 0, testersExposed: counts.exposedA ?? 0 };
  return { tag, testersWithTag, testersExposed, change: { from, to, ...before, result } };
}

/** What the test of a change shows, in words; an untested change says nothing. */
const resultWords: Readonly<Record<ChangeResult, string>> = {
  worse: " (worse)",
  better: "",
  unclear: " (no clear change)",
  unequal: " (unequal play could explain the difference)",
  untested: "",
};

/** The testers with a tag, such as `11 of 22 testers in 0.9.0 and 0 of 20 in 0.8.0 (worse)`. */
export function describeTesters(target: SuggestionTarget): string {
  const { tag, testersWithTag, testersExposed, isPartial, change } = target;
  const question = findTagQuestion(tag) !== null;
  const who = question ? " who answered" : isPartial ? " who entered the room" : "";
  const counted = `${testersWithTag} of ${testersExposed} ${testersExposed === 1 ? "tester" : "testers"}${who}`;
  if (change === null) return counted;
  const { from, to } = change;
  return `${counted} in ${to} and ${change.testersWithTag} of ${change.testersExposed} in ${from}${resultWords[change.result]}`;
}
