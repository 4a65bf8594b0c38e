/** Counts in which rooms the testers of a build quit: the quits and completions of the scorecard, by room. */
import { type DropoffRoom, MAX_DROPOFF_ROOMS } from "../../contract/dropoff.ts";
import type { TesterFacts } from "../../scorecard/facts.ts";
import { type Figure, measureGroups } from "../../scorecard/figures.ts";
import { METRICS } from "../../scorecard/metrics.ts";
import { median } from "../../statistics/averages.ts";
import { wilsonInterval } from "../../statistics/intervals.ts";

/** The rooms that testers entered, the most quit ones first. `names` has what games call rooms, by their names in tags. */
export function countDropoff(
  testers: readonly TesterFacts[],
  names: ReadonlyMap<string, string>,
): DropoffRoom[] {
  const metrics = METRICS.filter(({ name }) => name === "quit" || name === "completion");
  const [figures = []] = measureGroups([{ testers }], metrics);
  const completed = new Map(
    figures.flatMap(({ metric, subject, count }) => (metric.name === "completion" ? [[subject, count]] : [])),
  );
  return figures
    .flatMap((figure) => {
      const { metric, subject } = figure;
      if (metric.name !== "quit" || subject === null) return [];
      const room = names.get(subject) ?? subject;
      return [{ room, completed: completed.get(subject) ?? 0, ...countQuits(figure, subject, testers) }];
    })
    .sort((x, y) => y.quit - x.quit || y.quitShare - x.quitShare || (x.room < y.room ? -1 : 1))
    .slice(0, MAX_DROPOFF_ROOMS);
}

function countQuits(
  { total, count, value, values }: Figure,
  room: string,
  testers: readonly TesterFacts[],
): Omit<DropoffRoom, "room" | "completed"> {
  const quit = count ?? 0;
  const times = testers.filter((_, at) => values[at] === 1).map((tester) => sumActiveSec(tester, room));
  return {
    entered: total,
    quit,
    quitShare: value ?? 0,
    interval: wilsonInterval(quit, total),
    medianActiveSec: times.length === 0 ? null : median(times),
  };
}

const sumActiveSec = ({ sessions }: TesterFacts, room: string): number =>
  sessions
    .flatMap(({ rooms }) => rooms)
    .reduce((sum, one) => (one.room === room ? sum + one.activeSec : sum), 0);
