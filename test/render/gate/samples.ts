/** Verdicts full of hostile text, and what a CI runner makes of what it reads. */

import { findingStatuses, type GateVerdict } from "../../../src/gate/verdict.ts";
import { inconclusiveVerdict, passedVerdict, pointsVerdict, richVerdict } from "../../gate/samples.ts";
import fc from "../../property.ts";
import { hostileText } from "../samples.ts";

export const verdicts: ReadonlyArray<readonly [name: string, verdict: GateVerdict]> = [
  ["failed", richVerdict()],
  ["passed", passedVerdict()],
  ["inconclusive", inconclusiveVerdict()],
  ["by points", pointsVerdict()],
];

/** What breaks out of XML, Markdown, workflow commands and heredocs. */
const ESCAPES = [
  "::error::x",
  "\n::error::x",
  "##[error]x",
  "%0A::stop-commands::x",
  "]]>",
  "<![CDATA[",
  "--><script>",
  "<!--",
  "&#0;",
  '"/><failure',
  "\nGATE_END\nevil=1",
  "GATE_END_",
  "</details>",
  "```\n",
  "| |",
  "---",
];
const text = fc
  .array(fc.oneof(hostileText, fc.constantFrom(...ESCAPES)), { maxLength: 4 })
  .map((parts) => parts.join(""));

const finding = fc.record({
  tag: text,
  title: text,
  kind: text,
  status: fc.constantFrom(...findingStatuses),
  reason: fc.option(text),
  evidence: fc.array(fc.record({ insightId: text, sessionId: text, title: fc.option(text) }), {
    maxLength: 3,
  }),
  counted: fc.boolean(),
});

const judgedPlay = { judgedTesters: 20, judgedSessions: 30, anonymousSessions: 2, analysisVersions: [1] };

const outcomes = fc
  .record({ label: text, mean: fc.constantFrom(3.9, 1), testers: fc.constantFrom(0, 1, 12) })
  .map(({ label, ...answers }) => ({
    completion: { roomsEntered: 50, roomsCompleted: 40 },
    ratings: [{ formId: "f", fieldId: "fun", label, ...answers }],
    rooms: [],
  }));

/** A verdict each of whose texts is hostile. */
export const hostileVerdict: fc.Arbitrary<GateVerdict> = fc
  .record({
    verdict: fc.constantFrom("passed", "failed", "inconclusive"),
    game: text,
    environment: text,
    versions: fc.tuple(text, text),
    texts: fc.array(text, { maxLength: 3 }),
    outcomes: fc.option(fc.record({ a: outcomes, b: outcomes })),
    findings: fc.array(finding, { maxLength: 14 }),
    limits: fc.array(
      fc.record({
        name: text,
        status: fc.constantFrom("passed", "failed", "warned", "noise", "unknown"),
        interval: fc.option(fc.record({ low: text, high: text })),
        expected: text,
        found: text,
      }),
      { maxLength: 2 },
    ),
    suggestions: fc.array(fc.record({ title: text, rationale: text, confidence: fc.constant(0.5) }), {
      maxLength: 2,
    }),
  })
  .map(({ versions: [a, b], texts, findings, verdict, limits, ...rest }) => ({
    ...rest,
    schemaVersion: 1,
    verdict: verdict as GateVerdict["verdict"],
    reasons: texts,
    notes: texts,
    a: { version: a, testers: 20, sessions: 40, ...judgedPlay },
    b: { version: b, testers: 22, sessions: null, ...judgedPlay },
    method: "fisher",
    judged: findings.length,
    detection: null,
    limits: limits as GateVerdict["limits"],
    allow: [],
    findings: findings.map(({ counted, ...one }) => ({
      ...one,
      level: "error" as const,
      expected: { maxIncreasePoints: 10, confidence: 0.95, minTesters: 5 },
      found: {
        deltaPct: 45,
        testersA: counted ? 1 : null,
        testersB: counted ? 11 : null,
        p: null,
        adjustedP: counted ? 0.01 : null,
        judged: null,
      },
    })),
  }));

/** The lines of a log that GitHub's runner may take for a command: `::name ...::` at their start, `##[name]` anywhere. */
export function commandsIn(log: string): string[] {
  return log
    .split(/\r\n|[\r\n]/)
    .filter((line) => /^\s*::[\s\S]*::/.test(line) || /##\[[\s\S]*\]/.test(line));
}
