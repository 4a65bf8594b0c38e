/** Checks every claim of every insight of recorded sessions, and the words around it. */
import { type Claim, claim as claimSchema } from "../../src/contract/claims.ts";
import type { AnalyzedSession } from "./analyzed-play.ts";
import { findFalsehood } from "./check-claim.ts";
import { findUnmetConditions } from "./check-conditions.ts";
import { findUnclaimedWords } from "./check-words.ts";
import type { MeaningConfig } from "./definitions.ts";
import { Recording } from "./sessions.ts";

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

export function checkPlay(
  analyzed: readonly AnalyzedSession[],
  meanings: Readonly<Record<string, MeaningConfig>> = {},
): CheckResult {
  const recording = new Recording(analyzed, meanings);
  const insights = new Map<string, number>();
  const falsehoods: string[] = [];
  let claimCount = 0;
  for (const [index, session] of recording.sessions.entries()) {
    for (const insight of analyzed[index]?.insights ?? []) {
      insights.set(insight.type, (insights.get(insight.type) ?? 0) + 1);
      const report = (reason: string) =>
        falsehoods.push(
          `${session.play.first.gameId} ${session.play.first.clientSessionId} ${insight.tag}: ${reason}`,
        );
      const claims: Claim[] = (insight.claims ?? []).map((claim) => claimSchema.parse(claim));
      if (claims.length === 0) report("there is no claim");
      claimCount += claims.length;
      for (const claim of claims) {
        const reason = findFalsehood(claim, session, recording);
        if (reason !== null) report(`${claim.kind}: ${reason} (${JSON.stringify(claim).slice(0, 200)})`);
      }
      for (const reason of findUnclaimedWords(insight, claims, session, recording)) report(reason);
      for (const reason of findUnmetConditions(insight, claims, session)) report(reason);
    }
  }
  return { sessions: recording.sessions.length, insights, claims: claimCount, falsehoods };
}
