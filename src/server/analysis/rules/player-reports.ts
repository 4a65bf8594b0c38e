/** Bug reports that players sent from inside the game. */
import { formatTag, quote } from "../../insights/wording.ts";
import type { PlayerReport, RecordedSession } from "../recorded-session.ts";
import { type DraftFinding, roundConfidence } from "./rule.ts";

/** A player saw the bug, so even the lowest severity is strong evidence. */
const CONFIDENCES: Readonly<Record<string, number>> = { low: 0.6, medium: 0.7, high: 0.8, critical: 0.9 };

/** One finding for each report. Reports with the same title share a tag. */
export function findPlayerReports(session: RecordedSession): readonly DraftFinding[] {
  // Reports have no position among the events, so they come after all of them.
  return (session.playerReports ?? []).map((report) => ({
    ...describeReport(report),
    at: session.events.length,
  }));
}

function describeReport({ id, title, severity }: PlayerReport): Omit<DraftFinding, "at"> {
  const text = quote(title);
  return {
    type: "bug-report",
    sentiment: "negative",
    confidence: roundConfidence(CONFIDENCES[severity] ?? CONFIDENCES.medium ?? 0),
    tag: formatTag("bug-report", `reported ${title}`),
    title: `A player reported: “${text}”`,
    evidence: `“${text}”, severity ${severity}: report ${id}`,
    claims: [{ kind: "quote", source: id, text }],
  };
}
