/** Ranks the sessions of a build by how much they show of what got worse. */

import type { BuildChange } from "../contract/builds.ts";
import type { InsightItem } from "../contract/insights.ts";
import type { Session } from "../contract/sessions.ts";
import { ownValue } from "../shared/own-value.ts";

/** A session and the reasons to watch it. */
export interface SessionToWatch {
  readonly id: string;
  readonly title: string;
  readonly tester: string | null;
  /** Unix ms. */
  readonly recordedAt: number;
  /** Seconds. */
  readonly duration: number;
  /** Titles of its insights whose tags got worse, by descending weight. */
  readonly reasons: readonly string[];
}

/** Limit for reasons per session. */
const MAX_REASONS = 3;
/** A new tag counts twice as much as a tag that got larger. */
const weights: Readonly<Record<string, number>> = { introduced: 2, got_larger: 1 };

/**
 * Returns at most `most` sessions by descending weight. Each tag that was introduced or got larger counts once per
 * session: its growth in percentage points multiplied by the strength of the insight. The newest session wins a tie.
 */
export function rankSessionsToWatch(
  insights: readonly InsightItem[],
  changes: readonly BuildChange[],
  sessions: ReadonlyMap<string, Session>,
  most: number,
): SessionToWatch[] {
  const tagWeights = new Map(
    changes.map(({ tag, kind, deltaPct }) => [tag, (ownValue(weights, kind) ?? 0) * Math.max(0, deltaPct)]),
  );
  const bySession = new Map<string, Map<string, { readonly weight: number; readonly title: string }>>();
  for (const { sessionId, tag, title, confidence } of insights) {
    const weight = (tagWeights.get(tag ?? "") ?? 0) * confidence;
    if (tag == null || weight <= 0 || !sessions.has(sessionId)) continue;
    const tags = bySession.get(sessionId) ?? new Map();
    bySession.set(sessionId, tags);
    if (weight > (tags.get(tag)?.weight ?? 0)) tags.set(tag, { weight, title: title ?? tag });
  }
  return [...bySession]
    .flatMap(([id, tags]) => {
      const session = sessions.get(id);
      const ranked = [...tags.values()].sort((x, y) => y.weight - x.weight);
      const weight = ranked.reduce((sum, reason) => sum + reason.weight, 0);
      return session
        ? [{ session, weight, reasons: ranked.slice(0, MAX_REASONS).map(({ title }) => title) }]
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
