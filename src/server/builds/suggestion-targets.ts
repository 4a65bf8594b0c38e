/** Selects the friction tags to write suggestions for, worst first, with the counts of `builds compare` and the gate. */
import { measureBuild } from "../../charts/status.ts";
import { type SessionMoment, toMoment } from "../../contract/verdict.ts";
import { compareBuildFacts } from "../../scorecard/build-scorecard.ts";
import type { ReadFacts } from "../../scorecard/facts.ts";
import { DEFAULT_OPTIONS } from "../../scorecard/options.ts";
import { findWho, isCommon, type ProblemCounts, QUIT } from "../../scorecard/problems.ts";
import type { RowStatus, ScorecardRow } from "../../scorecard/rows.ts";
import { rankRows, titleRow } from "../../scorecard/titled-rows.ts";
import { MIN_CHANGE_POINTS } from "../../shared/friction-diff.ts";
import { MINUTE_MS } from "../../shared/time-units.ts";
import type { Db } from "../db/schema.ts";
import type { Task } from "../db/service.ts";
import { type EvidenceRow, findStrongestEvidence } from "../insights/insight-queries.ts";
import { createPlainReader, readBuildGroup } from "./facts-queries.ts";
import { rankBuildProblems } from "./problem-queries.ts";
import { readRowEvidence } from "./row-evidence-queries.ts";

/** Maximum number of tags, the worst first. */
const MAX_TAGS = 8;
/** Maximum number of insights per tag in the prompt. */
const MAX_EVIDENCE_PER_TAG = 5;
/** A friction tag, or a room in which testers quit, to write a suggestion for, and its evidence. */
export interface SuggestionTarget {
  /** The tag, or `quit:` and the room. */
  readonly tag: string;
  readonly testersWithTag: number;
  /** The testers who could meet the tag. */
  readonly testersExposed: number;
  readonly who: ReturnType<typeof findWho>;
  /** The change from build a; null for one build. */
  readonly change: TargetChange | null;
  readonly evidence: readonly EvidenceRow[];
  /** Sessions that show it, the clearest first. */
  readonly sessions: readonly SessionMoment[];
}

interface TargetChange {
  readonly from: string;
  readonly to: string;
  readonly testersWithTag: number;
  readonly testersExposed: number;
  /** What the test shows. */
  readonly result: RowStatus;
}

/** A problem of build b, and its change. */
interface Target extends ProblemCounts, Pick<SuggestionTarget, "who" | "change"> {}

interface TargetQuery {
  readonly gameId: string;
  readonly a: string | undefined;
  readonly b: string;
  readonly environment: string;
}

/** The tags to write suggestions for: of one build those to fix first, of two builds those that did not improve. */
async function findTargets(
  db: Db,
  { gameId, a, b, environment }: TargetQuery,
  now: number,
): Promise<SuggestionTarget[]> {
  const reader = createPlainReader(now);
  const read = (version: string) => readBuildGroup(db, { gameId, version, environment }, reader);
  const build = { gameId, version: b, environment };
  const targets =
    a === undefined
      ? await rankBuildProblems(db, build, listOwnProblems(await read(b)))
      : rankUnresolvedRows(await read(a), await read(b));
  const shown = targets.slice(0, MAX_TAGS);
  const sessions = await readRowEvidence(db, build, shown);
  const found: SuggestionTarget[] = [];
  for (const [at, { id, testers, outOf, who, change }] of shown.entries()) {
    const room = getQuitRoom(id);
    const where = { gameId, build: b, environment, tag: room === null ? id : `negative-moment:${room}` };
    found.push({
      ...{ tag: id, testersWithTag: testers, testersExposed: outOf, who, change },
      evidence: await findStrongestEvidence(db, where, MAX_EVIDENCE_PER_TAG),
      sessions: (sessions[at]?.sessions ?? []).map(toMoment),
    });
  }
  return found;
}

export const findTargetsTask: Task<TargetQuery, SuggestionTarget[]> = {
  name: "find targets of suggestions",
  lane: "reads",
  maxMs: MINUTE_MS,
  run: ({ store, now }, query) => store.read((db) => findTargets(db, query, now())),
};

/** The problems of one build. */
function listOwnProblems(build: ReadFacts): Target[] {
  const { problems, testers } = measureBuild(build);
  return problems.map((problem) => ({ ...problem, who: findWho(problem, testers), change: null }));
}

/** The room that a target is about in which testers quit; null for a tag. */
export const getQuitRoom = (tag: string): string | null =>
  tag.startsWith(QUIT) ? tag.slice(QUIT.length) : null;

/** The tags that did not improve from one build to another, and the rooms in which more testers quit, the worst first. */
function rankUnresolvedRows(a: ReadFacts, b: ReadFacts): Target[] {
  const { rows } = compareBuildFacts(a, b, DEFAULT_OPTIONS);
  const testers = b.group.testers.length;
  const isTarget = ({ name, status }: ScorecardRow) =>
    name === "friction" || (name === "quit" && status === "worse");
  return rankRows(rows.filter(isTarget).map((row) => titleRow(row, NO_WORDS)))
    .filter((row) => !isSolved(row))
    .map(({ id, metric, name, subject, a: before, b: after, status }) => ({
      ...{ id, metric, name, subject: subject ?? "" },
      testers: after.count ?? 0,
      outOf: after.total,
      who: findWho({ id, outOf: after.total }, testers),
      change: {
        from: a.version,
        to: b.version,
        testersWithTag: before.count ?? 0,
        testersExposed: before.total,
        result: status,
      },
    }))
    .filter(isCommon);
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

const whoWords = { testers: "", entered: " who entered the room", answered: " who answered" } as const;

/** The testers with a tag, such as `11 of 22 testers in 0.9.0 and 0 of 20 in 0.8.0 (worse)`. */
export function describeTesters(target: SuggestionTarget): string {
  const { testersWithTag, testersExposed, who, change } = target;
  const counted = `${testersWithTag} of ${testersExposed} ${testersExposed === 1 ? "tester" : "testers"}${whoWords[who]}`;
  if (change === null) return counted;
  const { from, to } = change;
  if (change.testersExposed === 0) return `${counted} in ${to}, where nobody of ${from} got`;
  return `${counted} in ${to} and ${change.testersWithTag} of ${change.testersExposed} in ${from}${resultWords[change.result] ?? ""}`;
}
