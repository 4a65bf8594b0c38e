/** What groups of testers show in rows of the scorecard, each on its own: the figures that a comparison has, of all play. */
import { findTagQuestion, parseTagRoom } from "../shared/tag-subjects.ts";
import { measureRows } from "./drafts.ts";
import type { SessionFacts, TesterFacts } from "./facts.ts";
import { METRICS, type Metric, type Subject } from "./metrics.ts";
import { parsePerformanceSubject } from "./performance.ts";
import { describeSide, type RowSide } from "./rows.ts";
import { readScope } from "./scope.ts";

interface Testers {
  readonly testers: readonly TesterFacts[];
}

/** A row by its metric and what follows the name of the metric. */
export interface RowName {
  readonly metric: Metric;
  readonly subject: Subject;
}

/** What one group shows in a row. */
export interface Figure extends RowSide, RowName {
  /** The value of each tester: 1 with the outcome and 0 without, or what the mean is of; NaN for who does not count. */
  readonly values: Float64Array;
}

/** Finds the metric of a row by the name that rules and commands use: a friction tag, or such as `quit:level-01`. */
export function parseRowId(id: string): RowName {
  const single = METRICS.find(({ name }) => name === id);
  if (single !== undefined) return { metric: single, subject: null };
  const metric = METRICS.find(({ name }) => id.startsWith(`${name}:`));
  if (metric !== undefined) return { metric, subject: id.slice(metric.name.length + 1) };
  return { metric: METRICS[0], subject: id };
}

/**
 * Measures the rows of some metrics in each group, in the order of the groups. What a tag is about, and which rooms are hubs,
 * follows from the sessions of all of them.
 */
export function measureGroups(
  groups: readonly Testers[],
  metrics: readonly Metric[],
): readonly (readonly Figure[])[] {
  const scope = readScope({ testers: groups.flatMap(({ testers }) => testers) }, { testers: [] });
  const figures: Figure[][] = [];
  for (const { testers } of groups) {
    const records = testers.map((tester) => ({
      tester,
      matched: tester.sessions.filter(({ analyzed }) => analyzed),
    }));
    const own: Figure[] = [];
    for (const metric of metrics) {
      const rows = measureRows(metric, { records, scope });
      for (const [subject, values] of rows) {
        own.push({ metric, subject, values, ...describeSide(metric.unit, [...values].filter(isKnown)) });
      }
    }
    figures.push(own);
  }
  return figures;
}

const isKnown = (value: number) => !Number.isNaN(value);

/** Keeps of the facts of testers what one row is computed from, so that many builds fit into memory. */
export function keepRow(testers: readonly TesterFacts[], { metric, subject }: RowName): TesterFacts[] {
  const tag = metric.name === "friction" ? (subject ?? "") : null;
  const { room: measuredRoom } = parsePerformanceSubject(subject);
  const room = tag === null ? subject : parseTagRoom(tag);
  const question = tag === null ? null : findTagQuestion(tag);
  const keep = (session: SessionFacts): SessionFacts => ({
    ...session,
    rooms: session.rooms.filter((one) => one.room === room),
    tags: session.tags.filter((one) => one.tag === tag),
    questions: session.questions.filter((name) => name === question),
    answers: session.answers.filter(({ field }) => field === subject),
    performance:
      metric.family === "performance" && session.performance
        ? {
            ...session.performance,
            rooms: session.performance.rooms.filter((one) => one.room === measuredRoom),
          }
        : null,
  });
  return testers.map((tester) => ({ ...tester, sessions: tester.sessions.map(keep) }));
}
