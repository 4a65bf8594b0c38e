/** Verdicts full of hostile text, and what a CI runner makes of what it reads. */

import { type GateVerdict, rulings } from "../../../src/gate/verdict.ts";
import { inconclusiveVerdict, passedVerdict, richVerdict, untestedVerdict } from "../../gate/samples.ts";
import fc from "../../property.ts";
import { hostileText } from "../samples.ts";

export const verdicts: ReadonlyArray<readonly [name: string, verdict: GateVerdict]> = [
  ["failed", richVerdict()],
  ["passed", passedVerdict()],
  ["inconclusive", inconclusiveVerdict()],
  ["untested", untestedVerdict()],
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

const side = fc.constantFrom(
  { total: 20, count: 3, value: 0.15 },
  { total: 0, count: 0, value: null },
  { total: 12, count: null, value: 2.4 },
);

const check = fc.record({
  id: text,
  title: text,
  metric: text,
  family: text,
  unit: fc.constantFrom("share", "points", "sec"),
  kind: fc.option(text),
  status: fc.constantFrom("not comparable", "worse", "better", "ruled out", "unclear"),
  ruling: fc.constantFrom(...rulings),
  level: fc.constantFrom("off", "warn", "error"),
  limit: fc.option(fc.constant(0.1)),
  reason: fc.option(text),
  isNewRoom: fc.boolean(),
  isIntroduced: fc.boolean(),
  newOnly: fc.boolean(),
  a: side,
  b: side,
  difference: fc.constantFrom(0.45, -0.2, null),
  range: fc.constantFrom({ low: 0.1, high: 0.8 }, null),
  pValue: fc.constantFrom(0.001, null),
  adjustedPValue: fc.constantFrom(0.01, null),
  evidence: fc.array(
    fc.record({ insightId: text, sessionId: text, title: fc.option(text), activeSec: fc.constant(null) }),
    {
      maxLength: 3,
    },
  ),
});

/** A verdict each of whose texts is hostile. */
export const hostileVerdict: fc.Arbitrary<GateVerdict> = fc
  .record({
    verdict: fc.constantFrom("passed", "failed", "inconclusive"),
    game: text,
    environment: text,
    versions: fc.tuple(text, text),
    texts: fc.array(text, { maxLength: 3 }),
    isTested: fc.boolean(),
    checks: fc.array(check, { maxLength: 14 }),
    limits: fc.array(
      fc.record({
        name: text,
        status: fc.constantFrom("passed", "failed", "warned", "noise", "unknown"),
        reason: fc.option(text),
        interval: fc.option(fc.record({ low: text, high: text })),
        expected: text,
        found: text,
      }),
      { maxLength: 2 },
    ),
    allow: fc.array(
      fc.record({
        tag: text,
        reason: text,
        expires: text,
        state: fc.constantFrom("active", "expiring", "expired"),
        used: fc.boolean(),
      }),
      { maxLength: 2 },
    ),
    suggestions: fc.array(fc.record({ title: text, rationale: text, confidence: fc.constant(0.5) }), {
      maxLength: 2,
    }),
  })
  .map(({ versions: [a, b], texts, ...rest }) => ({
    ...rest,
    schemaVersion: 2,
    reasons: texts,
    notes: texts,
    a: { version: a, testers: 20, ended: 40, analyzed: 40 },
    b: { version: b, testers: 22, ended: null, analyzed: null },
    judged: rest.checks.length,
    detection: null,
  }));

/** The lines of a log that GitHub's runner may take for a command: `::name ...::` at their start, `##[name]` anywhere. */
export function commandsIn(log: string): string[] {
  return log
    .split(/\r\n|[\r\n]/)
    .filter((line) => /^\s*::[\s\S]*::/.test(line) || /##\[[\s\S]*\]/.test(line));
}
