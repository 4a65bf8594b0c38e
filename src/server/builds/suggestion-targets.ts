/** Selects the friction tags to write suggestions for, worst first, with the counts of `builds compare` and the gate. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { DEFAULT_MIN_TESTERS } from "../../gate/config.ts";
import { compareBuildFacts } from "../../scorecard/build-scorecard.ts";
import type { ReadFacts } from "../../scorecard/facts.ts";
import { measureGroups } from "../../scorecard/figures.ts";
import { METRICS } from "../../scorecard/metrics.ts";
import { DEFAULT_OPTIONS } from "../../scorecard/options.ts";
import type { RowStatus, ScorecardRow } from "../../scorecard/rows.ts";
import { rankRows, titleRow } from "../../scorecard/titled-rows.ts";
import { MIN_CHANGE_POINTS } from "../../shared/friction-diff.ts";
import { findTagQuestion } from "../../shared/tag-subjects.ts";
import { runStepsInTurns, type Steps } from "../../statistics/steps.ts";
import type { Service } from "../db/service.ts";
import { type EvidenceRow, findStrongestEvidence } from "../insights/insight-queries.ts";
import { createPlainReader, readBuildGroup } from "./facts-queries.ts";

/** Maximum number of tags, the worst first. */
const MAX_TAGS = 8;
/** Minimum number of testers with a tag. What a single tester met may be an exception. */
const MIN_TESTERS_WITH_TAG = 2;
/** Maximum number of insights per tag in the prompt. */
const MAX_EVIDENCE_PER_TAG = 5;
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
  /** What the test shows. */
  readonly result: RowStatus;
}

type TargetCounts = Omit<SuggestionTarget, "evidence">;

interface TargetQuery {
  readonly a: string | undefined;
  readonly b: string;
  readonly environment: string;
}

/** The tags to write suggestions for: of one build the most common ones, of two builds those that did not improve. */
export async function findTargets(
  { store, now }: Pick<Service, "store" | "now">,
  gameId: string,
  { a, b, environment }: TargetQuery,
): Promise<SuggestionTarget[]> {
  const reader = createPlainReader(now());
  const read = (version: string) => readBuildGroup(store, { gameId, version, environment }, reader);
  const steps = a === undefined ? rankTags(await read(b)) : rankUnresolvedRows(await read(a), await read(b));
  const tags = await runStepsInTurns(steps, nextTurn);
  const targets: SuggestionTarget[] = [];
  for (const target of tags.filter(hasEnoughTesters).slice(0, MAX_TAGS)) {
    const room = getQuitRoom(target.tag);
    const where = {
      gameId,
      build: b,
      environment,
      tag: room === null ? target.tag : `negative-moment:${room}`,
    };
    targets.push({
      ...target,
      evidence: await findStrongestEvidence(store.readDb, where, MAX_EVIDENCE_PER_TAG),
    });
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
function* rankTags({ group }: ReadFacts): Steps<TargetCounts[]> {
  const { testers } = group;
  const [figures = []] = yield* measureGroups([group], [METRICS[0]]);
  return figures
    .map(({ subject, count, total }) => ({
      tag: subject ?? "",
      testersWithTag: count ?? 0,
      testersExposed: total,
      isPartial: total < testers.length,
      change: null,
    }))
    .sort(
      (x, y) =>
        y.testersWithTag - x.testersWithTag ||
        x.testersExposed - y.testersExposed ||
        (x.tag < y.tag ? -1 : 1),
    );
}

/** The tags that did not improve from one build to another, and the rooms in which more testers quit, the worst first. */
function* rankUnresolvedRows(a: ReadFacts, b: ReadFacts): Steps<TargetCounts[]> {
  const { rows } = yield* compareBuildFacts(a, b, DEFAULT_OPTIONS);
  const testers = b.group.testers.length;
  const isTarget = ({ name, status }: ScorecardRow) =>
    name === "friction" || (name === "quit" && status === "worse");
  return rankRows(rows.filter(isTarget).map((row) => titleRow(row, NO_WORDS)))
    .filter((row) => !isSolved(row))
    .map(({ id, a: before, b: after, status }) => ({
      tag: id,
      testersWithTag: after.count ?? 0,
      testersExposed: after.total,
      isPartial: after.total < testers,
      change: {
        from: a.version,
        to: b.version,
        testersWithTag: before.count ?? 0,
        testersExposed: before.total,
        result: status,
      },
    }));
}

const NO_WORDS = { titles: new Map<string, string>(), kinds: new Map<string, string>() };

/** Whether a problem is gone, or affects fewer testers than before. */
const isSolved = ({ status, difference, b }: ScorecardRow): boolean =>
  b.count === 0 || status === "better" || (difference ?? 0) * 100 <= -MIN_CHANGE_POINTS;

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
  return `${counted} in ${to} and ${change.testersWithTag} of ${change.testersExposed} in ${from}${resultWords[change.result] ?? ""}`;
}
