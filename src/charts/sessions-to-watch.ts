/** Which sessions of a build are worth watching: those that show most of what got worse. */
import type { InsightItem } from "../contract/insights.ts";
import type { Session } from "../contract/sessions.ts";
import type { TagChange } from "../gate/build-comparison.ts";

/** A session with why it is worth watching. */
export interface SessionToWatch {
  readonly id: string;
  readonly title: string;
  readonly tester: string | null;
  /** Unix ms. */
  readonly recordedAt: number;
  /** Seconds. */
  readonly duration: number;
  /** Titles of its findings of tags that got worse, the weightiest first. */
  readonly reasons: readonly string[];
}

/** Told of a session. */
const MAX_REASONS = 3;
/** What is new counts twice what was there before. */
const weights: Readonly<Record<string, number>> = { introduced: 2, got_larger: 1 };

/**
 * The sessions whose findings weigh most: each tag that was introduced or got larger once, by its growth in points and
 * the finding's confidence. The newest first where they weigh the same.
 */
export function rankSessionsToWatch(
  insights: readonly InsightItem[],
  changes: readonly TagChange[],
  sessions: ReadonlyMap<string, Session>,
  most: number,
): SessionToWatch[] {
  const worth = new Map(
    changes.map(({ tag, kind, deltaPct }) => [tag, (weights[kind] ?? 0) * Math.max(0, deltaPct)]),
  );
  const bySession = new Map<string, Map<string, { readonly weight: number; readonly title: string }>>();
  for (const { sessionId, tag, title, confidence } of insights) {
    const weight = (worth.get(tag ?? "") ?? 0) * confidence;
    if (tag == null || weight <= 0 || !sessions.has(sessionId)) continue;
    const tags = bySession.get(sessionId) ?? new Map();
    bySession.set(sessionId, tags);
    if (weight > (tags.get(tag)?.weight ?? 0)) tags.set(tag, { weight, title: title ?? tag });
  }
  return [...bySession]
    .flatMap(([id, tags]) => {
      const session = sessions.get(id);
      const found = [...tags.values()].sort((x, y) => y.weight - x.weight);
      const weight = found.reduce((sum, one) => sum + one.weight, 0);
      return session
        ? [{ session, weight, reasons: found.slice(0, MAX_REASONS).map(({ title }) => title) }]
        : [];
    })
    .sort((x, y) => y.weight - x.weight || y.session.recordedAt - x.session.recordedAt)
    .slice(0, most)
    .map(({ session: { id, title, testerHandle, recordedAt, duration }, reasons }) => ({
      id,
      title,
      tester: testerHandle ?? null,
      recordedAt,
      duration,
      reasons,
    }));
}
