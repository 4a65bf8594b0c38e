/** The metrics of a build that trends show, each with its 95% interval. */
import type { TrendMetric, TrendPoint } from "../../contract/trends.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { groupBy } from "../../shared/group-by.ts";
import { bootstrapInterval, drawOnce, prepareMedian } from "../../statistics/bootstrap.ts";
import { wilsonInterval } from "../../statistics/intervals.ts";
import { clusteredInterval, type RateContribution, sumContributions } from "../../statistics/rates.ts";
import type { MetricSession } from "./metric-queries.ts";

/** The value of a metric, and what it was counted from. */
type MetricValue = Pick<TrendPoint, "counted" | "withTag" | "value" | "interval">;

/** Which sessions crashed, by crash events and by the reports of later sessions. */
interface CrashFacts {
  /** Sessions whose crash a later session reported. */
  readonly crashed: ReadonlySet<string>;
  /** The number of crash events of a session that are about an earlier session. */
  readonly reportsOfOthers: ReadonlyMap<string, number>;
}

/** Above this number of draws in all resamples, fewer resamples are drawn. */
const MAX_DRAWS = 4_000_000;
const [MIN_RESAMPLES, MAX_RESAMPLES] = [200, 2000];

export function computeSessionMetric(
  metric: Exclude<TrendMetric, "day-1">,
  sessions: readonly MetricSession[],
  crashes: CrashFacts,
): MetricValue {
  if (sessions.length === 0) return { counted: 0, withTag: null, value: null, interval: null };
  if (metric === "crash-free") return computeCrashFree(sessions, crashes);
  const byTester = [...groupBy(sessions, ({ tester }) => tester).values()];
  return metric === "engagement"
    ? computeEngagement(byTester, sessions.length)
    : computeLength(byTester, sessions.length);
}

/** The share of testers without a crash in any session of the build, with its Wilson interval. */
function computeCrashFree(sessions: readonly MetricSession[], crashes: CrashFacts): MetricValue {
  const testers = new Set(sessions.map(({ tester }) => tester));
  const crashed = new Set(
    sessions.filter((session) => hasCrashed(session, crashes)).map(({ tester }) => tester),
  );
  const without = testers.size - crashed.size;
  return toShare(without, testers.size);
}

/** Whether a session crashed: a crash event counts for the session that it is about. */
function hasCrashed(
  { id, event_counts }: Pick<MetricSession, "id" | "event_counts">,
  { crashed, reportsOfOthers }: CrashFacts,
): boolean {
  if (crashed.has(id)) return true;
  if (!event_counts.includes(EVENTS.crash)) return false;
  const counts = JSON.parse(event_counts) as Record<string, number>;
  const own = Object.hasOwn(counts, EVENTS.crash) ? (counts[EVENTS.crash] ?? 0) : 0;
  return own > (reportsOfOthers.get(id) ?? 0);
}

/** A share of testers with its Wilson interval. Unknown without testers. */
export function toShare(withTag: number, counted: number): MetricValue {
  return counted === 0
    ? { counted, withTag, value: null, interval: null }
    : { counted, withTag, value: withTag / counted, interval: wilsonInterval(withTag, counted) };
}

/** Active time divided by wall time, with the interval that experiments use, which allows for repeated sessions. */
function computeEngagement(testers: readonly MetricSession[][], counted: number): MetricValue {
  const shares = testers.map(
    (sessions): RateContribution => ({
      part: sessions.reduce((sum, { active_ms }) => sum + active_ms, 0),
      whole: sessions.reduce((sum, { wall_ms }) => sum + wall_ms, 0),
    }),
  );
  const sums = sumContributions(shares);
  if (sums.whole === 0) return { counted, withTag: null, value: null, interval: null };
  return {
    counted,
    withTag: null,
    value: Math.min(1, sums.part / sums.whole),
    interval: clusteredInterval(sums),
  };
}

/** The median active time of a session in seconds, with its bootstrap interval over testers. */
function computeLength(testers: readonly MetricSession[][], counted: number): MetricValue {
  const resamples = Math.max(MIN_RESAMPLES, Math.min(MAX_RESAMPLES, Math.floor(MAX_DRAWS / counted)));
  const medianOf = prepareMedian(
    testers.map((sessions) => sessions.map(({ active_ms }) => active_ms / 1000)),
  );
  const once = drawOnce(testers.length);
  const interval = bootstrapInterval([testers.length], ([draws = once]) => medianOf(draws), { resamples });
  return { counted, withTag: null, value: medianOf(once), interval };
}
