/** The built-in analyst: rules that read one session and tell what they can prove from its events. */
import type { RecordedSession, SessionFinding } from "./recorded-session.ts";
import { findBugReports } from "./rules/bug-report.ts";
import { findDifficultySpikes } from "./rules/difficulty-spike.ts";
import { findInFeedback } from "./rules/feedback.ts";
import { findLowFrameRate } from "./rules/frame-rate.ts";
import { findLongIdle } from "./rules/long-idle.ts";
import { findNegativeMoments } from "./rules/negative-moment.ts";
import { findPositiveMoments } from "./rules/positive-moment.ts";
import { groupByRoom } from "./rules/rooms.ts";
import type { AnalysisRule, DraftFinding } from "./rules/rule.ts";
import { summarizeSession } from "./rules/session-summary.ts";
import { findStuckPoints } from "./rules/stuck-point.ts";
import { findInTranscript } from "./rules/transcript.ts";

/** Every rule; add one here. The order matters only between findings that start at the same event. */
export const rules: readonly AnalysisRule[] = [
  findDifficultySpikes,
  findStuckPoints,
  findNegativeMoments,
  findBugReports,
  findLowFrameRate,
  findLongIdle,
  findPositiveMoments,
  findInFeedback,
  findInTranscript,
  summarizeSession,
];

/**
 * Findings that one rule may make of one session: nobody reads more, and a hostile client could otherwise turn
 * each of its events into a stored insight. The surest are kept, the earlier of equals.
 */
export const MAX_FINDINGS_PER_RULE = 20;

/** What the rules find in a session, by position of the first evidence, the summary last; no tag twice. */
export function analyze(play: RecordedSession): SessionFinding[] {
  const byRoom = groupByRoom(play);
  const drafts = rules.flatMap((rule) => selectMostConfident(rule(play, byRoom)));
  // A room may be named like another rule's place: of one tag the first rule's finding is kept.
  const byTag = new Map(drafts.toReversed().map((draft) => [draft.tag, draft]));
  return drafts
    .filter((draft) => byTag.get(draft.tag) === draft)
    .sort((a, b) => a.at - b.at)
    .map(({ at, ...finding }) => finding);
}

/** The surest drafts of one rule, one a tag: rooms whose names differ only in symbols share one. */
function selectMostConfident(drafts: readonly DraftFinding[]): readonly DraftFinding[] {
  const byTag = new Map<string, DraftFinding>();
  for (const draft of drafts.toSorted((a, b) => b.confidence - a.confidence || a.at - b.at)) {
    if (byTag.size === MAX_FINDINGS_PER_RULE) break;
    if (!byTag.has(draft.tag)) byTag.set(draft.tag, draft);
  }
  return [...byTag.values()];
}
