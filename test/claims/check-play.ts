/** Checks every claim of every insight of recorded sessions, and the words around it. */
import { type Claim, claim as claimSchema } from "../../src/contract/claims.ts";
import type { InsightWithClaims } from "../../src/contract/insights.ts";
import type { AnalyzedSession } from "./analyzed-play.ts";
import { findFalsehood } from "./check-claim.ts";
import { findUnmetConditions } from "./check-conditions.ts";
import { findUnclaimedWords } from "./check-words.ts";
import type { MeaningConfig } from "./definitions.ts";
import { type CheckedSession, Recording } from "./sessions.ts";

/** The result of checking recorded sessions. */
export interface CheckResult {
  readonly sessions: number;
  /** Number of insights by type. */
  readonly insights: ReadonlyMap<string, number>;
  /** Number of claims that were checked. */
  readonly claims: number;
  /** One line per false claim, unclaimed statement or unmet condition. */
  readonly falsehoods: readonly string[];
}

/** Checks the insights of all sessions, or only those of some of them against all sessions. */
export function checkPlay(
  analyzed: readonly AnalyzedSession[],
  meanings: Readonly<Record<string, MeaningConfig>> = {},
  isChecked: (session: AnalyzedSession) => boolean = () => true,
): CheckResult {
  const recording = new Recording(analyzed, meanings);
  const insights = new Map<string, number>();
  const falsehoods: string[] = [];
  let claimCount = 0;
  for (const [index, session] of recording.sessions.entries()) {
    const { gameId, clientSessionId } = session.play.first;
    const own = analyzed[index];
    for (const insight of own && isChecked(own) ? own.insights : []) {
      insights.set(insight.type, (insights.get(insight.type) ?? 0) + 1);
      const claims = (insight.claims ?? []).map((claim) => claimSchema.parse(claim));
      claimCount += claims.length;
      const reasons = checkInsight(insight, claims, session, recording);
      falsehoods.push(...reasons.map((reason) => `${gameId} ${clientSessionId} ${insight.tag}: ${reason}`));
    }
  }
  return { sessions: recording.sessions.length, insights, claims: claimCount, falsehoods };
}

/** What is false about an insight. */
function checkInsight(
  insight: InsightWithClaims,
  claims: readonly Claim[],
  session: CheckedSession,
  recording: Recording,
): string[] {
  const falseClaims = claims.flatMap((claim) => {
    const reason = findFalsehood(claim, session, recording);
    return reason === null ? [] : `${claim.kind}: ${reason} (${JSON.stringify(claim).slice(0, 200)})`;
  });
  return [
    ...(claims.length === 0 ? ["there is no claim"] : []),
    ...falseClaims,
    ...findUnclaimedWords(insight, claims, session, recording),
    ...findUnmetConditions(insight, claims, session, recording),
  ];
}
