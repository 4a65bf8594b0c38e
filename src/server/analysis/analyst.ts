/** The built-in analysis: rules that read one session and report what its data supports. */

import { quote } from "../insights/wording.ts";
import type { RecordedSession, SessionFinding } from "./recorded-session.ts";
import { findBugReports, findPlayerReports } from "./rules/bug-report.ts";
import { findDifficultySpikes } from "./rules/difficulty-spike.ts";
import { findInFeedback } from "./rules/feedback.ts";
import { findLowFrameRate } from "./rules/frame-rate.ts";
import { findLongIdle } from "./rules/long-idle.ts";
import { findNegativeMoments } from "./rules/negative-moment.ts";
import { findPositiveMoments } from "./rules/positive-moment.ts";
import type { AnalysisRule, DraftFinding } from "./rules/rule.ts";
import { summarizeSession } from "./rules/session-summary.ts";
import { findStuckPoints } from "./rules/stuck-point.ts";
import { findInTranscript } from "./rules/transcript.ts";
import { readPlay } from "./session-play.ts";
import { dividePlayers, mergePlay, type PlayerPart } from "./session-players.ts";

/**
 * All rules. Their order decides between findings with the same tag, and sorts findings that start at the same event.
 */
const rules: readonly AnalysisRule[] = [
  findDifficultySpikes,
  findStuckPoints,
  findNegativeMoments,
  findBugReports,
  findLowFrameRate,
  findLongIdle,
  findPositiveMoments,
  findInFeedback,
  findPlayerReports,
  findInTranscript,
  summarizeSession,
];

/** The rules that follow what one player does. If several share the device, each is judged on their own. */
const playerRules: ReadonlySet<AnalysisRule> = new Set([
  findDifficultySpikes,
  findStuckPoints,
  findNegativeMoments,
  findLongIdle,
  findPositiveMoments,
]);

/**
 * Maximum number of findings of one rule per session. Without it, a hostile client could turn each of its events into a
 * stored insight. The strongest findings are kept, and the earlier ones if tied.
 */
export const MAX_FINDINGS_PER_RULE = 20;

/**
 * Runs all rules on a session. Findings are ordered by their first evidence, with the summary last. No tag occurs
 * twice.
 */
export function analyze(session: RecordedSession): SessionFinding[] {
  const play = readPlay(session);
  const parts = dividePlayers(session, play);
  const merged = mergePlay(play, parts);
  const drafts = rules.flatMap((rule) =>
    selectStrongest(
      playerRules.has(rule) ? parts.flatMap((part) => applyToPlayer(rule, part)) : rule(session, merged),
    ),
  );
  // A room name can collide with the words of a message. The finding of the first rule is kept.
  const byTag = new Map(drafts.toReversed().map((draft) => [draft.tag, draft]));
  return drafts
    .filter((draft) => byTag.get(draft.tag) === draft)
    .sort((a, b) => a.at - b.at)
    .map(({ at, shown = -1, ...finding }) => {
      const afterMs = play.activeMsAt[shown];
      return afterMs === undefined ? finding : { ...finding, afterMs };
    });
}

/** Maximum length of a player's name in a title, in characters. */
const MAX_PLAYER_LENGTH = 40;

/** The findings of a rule about one player, with the indexes of the whole session. */
function applyToPlayer(
  rule: AnalysisRule,
  { player, session, play, indexes }: PlayerPart,
): readonly DraftFinding[] {
  const drafts = rule(session, play);
  if (player === null) return drafts;
  const words = `player ${quote(player, MAX_PLAYER_LENGTH)}`;
  return drafts.map((draft) => ({
    ...draft,
    title: `${draft.title} (${words})`,
    evidence: `${draft.evidence}; ${words}`,
    claims: [...draft.claims, { kind: "player", player }],
    at: indexes[draft.at] ?? session.events.length,
    shown: draft.shown === undefined ? undefined : indexes[draft.shown],
  }));
}

/** The strongest drafts of one rule, one per tag. Rooms whose names differ only in symbols share a tag. */
function selectStrongest(drafts: readonly DraftFinding[]): readonly DraftFinding[] {
  const byTag = new Map<string, DraftFinding>();
  for (const draft of drafts.toSorted((a, b) => b.confidence - a.confidence || a.at - b.at)) {
    if (byTag.size === MAX_FINDINGS_PER_RULE) break;
    if (!byTag.has(draft.tag)) byTag.set(draft.tag, draft);
  }
  return [...byTag.values()];
}
