/** The problems of one build: friction tags, and rooms in which testers quit. */
import { findTagQuestion, parseTagRoom, toTagRoom } from "../shared/tag-subjects.ts";
import { parseTag } from "../shared/tags.ts";
import type { Figure } from "./figures.ts";

/** A problem, and how many testers met it. */
export interface ProblemCounts {
  /** The friction tag, or such as `quit:furnace`. */
  readonly id: string;
  /** The metric and what follows its name, as rows have them. */
  readonly metric: string;
  readonly name: string;
  readonly subject: string;
  readonly testers: number;
  /** The testers who could meet it. */
  readonly outOf: number;
}

/** The beginning of the ids of problems that are not tags. */
export const QUIT = "quit:";

/** Fewer testers may be exceptions. */
const MIN_TESTERS = 2;
/** Of fewer testers who could meet a problem, no share is known well enough. */
export const MIN_OUT_OF = 5;

/** Whether enough testers met a problem, among enough who could. */
export const isCommon = ({ testers, outOf }: Pick<ProblemCounts, "testers" | "outOf">): boolean =>
  testers >= MIN_TESTERS && outOf >= MIN_OUT_OF;

/** The common problems of a build by its figures of `friction` and `quit`, those of the most testers first. */
export function listProblems(figures: readonly Figure[]): ProblemCounts[] {
  const problems = figures.flatMap(({ metric: { name }, subject, count, total }): ProblemCounts[] => {
    if (subject === null || (name !== "friction" && name !== "quit")) return [];
    const metric = `${name}:${subject}`;
    const id = name === "friction" ? subject : metric;
    const problem = { id, metric, name, subject, testers: count ?? 0, outOf: total };
    return isCommon(problem) ? [problem] : [];
  });
  return rankProblems(withoutRepeated(problems), () => 1);
}

/** Who could meet a problem: those who answered a question or entered a room, or all `testers`. */
export function findWho(
  { id, outOf }: Pick<ProblemCounts, "id" | "outOf">,
  testers: number,
): "testers" | "entered" | "answered" {
  if (findTagQuestion(id) !== null) return "answered";
  const isAboutRoom = id.startsWith(QUIT) || parseTagRoom(id) !== null;
  return isAboutRoom && outOf < testers ? "entered" : "testers";
}

/** Leaves out who left a room unfinished, if a row counts who quit in it. */
function withoutRepeated(problems: readonly ProblemCounts[]): ProblemCounts[] {
  const quits = new Set(problems.flatMap(({ name, subject }) => (name === "quit" ? [subject] : [])));
  return problems.filter(({ id }) => {
    const parsed = parseTag(id);
    if (parsed?.kind !== "negative-moment" || parsed.scope !== "room") return true;
    return !quits.has(toTagRoom(parsed.location));
  });
}

/** What testers said counts half, because it may be the effect of another problem. */
const STATEMENT_WEIGHT = 0.5;

/** Sorts problems by the testers who met them times how sure that is, from 0 to 1. */
export function rankProblems<T extends Pick<ProblemCounts, "id" | "testers" | "outOf">>(
  problems: readonly T[],
  measureSureness: (problem: T) => number,
): T[] {
  const measure = (problem: T) =>
    problem.testers * measureSureness(problem) * (isStatement(problem.id) ? STATEMENT_WEIGHT : 1);
  return problems.toSorted((x, y) => measure(y) - measure(x) || x.outOf - y.outOf || (x.id < y.id ? -1 : 1));
}

const isStatement = (id: string): boolean =>
  findTagQuestion(id) !== null || parseTag(id)?.scope === "transcript";
