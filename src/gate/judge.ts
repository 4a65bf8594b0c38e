/** Decides the verdict: applies the rules of the gate to the changes between two builds. Has no side effects. */

import { explainAnalysisVersions } from "./analysis-versions.ts";
import type { GateBuild } from "./build-comparison.ts";
import { applyMaxNew, buildFinding } from "./findings.ts";
import {
  explainTooFewTesters,
  findInconclusiveReasons,
  withUncheckedLimits,
  withUnsureFindings,
} from "./inconclusive.ts";
import {
  type GateInput,
  hasEnoughTesters,
  judgeTags,
  resolveLevel,
  type TagJudgement,
} from "./judge-tags.ts";
import { judgeLimits } from "./limits.ts";
import { measureDetection } from "./measure-detection.ts";
import { buildNotes } from "./notes.ts";
import { explainRarelyEntered } from "./rarely-entered.ts";
import { describeFailures } from "./reasons.ts";
import type { JudgedPlay } from "./tag-counts.ts";
import { type GateVerdict, VERDICT_VERSION } from "./verdict.ts";

/** The verdict without outcomes, evidence and suggestions, which the caller adds. */
export function judge(input: GateInput): GateVerdict {
  const { config, a, b } = input;
  const { allow, method, play, judged, checked } = judgeTags(input);
  const differences = explainAnalysisVersions(a, b);
  const blocked = [
    ...differences,
    ...explainTooFewTesters(
      input,
      play,
      judged.some((judgement) => isSignificant(judgement, input)) ? null : checked,
    ),
  ];
  const allFindings = applyMaxNew(
    judged.map((judgement) => buildFinding(judgement, play, input)),
    config.maxNew ?? 0,
  );
  const allLimits = judgeLimits(input);
  const unchecked = differences.length > 0 ? "different analyses" : "too few testers";
  const findings = blocked.length > 0 ? withUnsureFindings(allFindings) : allFindings;
  const limits = blocked.length > 0 ? withUncheckedLimits(allLimits, unchecked) : allLimits;
  const failures = describeFailures(findings, limits);
  const counted = blocked.length > 0 ? [] : judged.filter((judgement) => isCounted(judgement, play));
  const hasRules = judged.some(({ hasRule }) => hasRule);
  const detection = checked && measureDetection(checked, config, play);
  const { inconclusive, notes } =
    blocked.length > 0
      ? { inconclusive: blocked, notes: [] }
      : findInconclusiveReasons(
          { ...input, play },
          {
            findings,
            limits,
            judged: counted.length,
            hasRules,
            detection,
            rarelyEntered: explainRarelyEntered(judged, play, input),
          },
        );
  // A failure always wins over an inconclusive result, for example a crossed limit if no tag was checked.
  const doubts = failures.length > 0 ? [] : inconclusive;
  const used = new Set(
    judged.filter((_, index) => findings[index]?.status === "allowed").map(({ allowed }) => allowed?.tag),
  );
  return {
    schemaVersion: VERDICT_VERSION,
    verdict: doubts.length > 0 ? "inconclusive" : failures.length > 0 ? "failed" : "passed",
    reasons: doubts.length > 0 ? doubts : failures,
    game: input.game,
    environment: input.environment,
    a: describeBuild(a, play, "a"),
    b: describeBuild(b, play, "b"),
    method,
    judged: counted.length,
    // Without compared tags, nothing could be noticed.
    detection: counted.length === 0 ? null : detection,
    outcomes: null,
    findings,
    limits,
    allow: allow.map((entry) => ({ ...entry, used: used.has(entry.tag) })),
    notes: buildNotes({
      method,
      play,
      versionA: a.version,
      versionB: b.version,
      historyFaults: [a, b].flatMap(({ historyFault }) => historyFault ?? []),
      findings,
      explained: findings.filter((finding, at) => isExplainedByPlay(finding, judged[at], input)),
      allow,
      uncertain: excludeTexts(notes, doubts),
    }),
    suggestions: [],
  };
}

/** Whether an increase of a tag that is not about a room only passes because of the allowance for longer play. */
function isExplainedByPlay(
  { status }: GateVerdict["findings"][number],
  judgement: TagJudgement | undefined,
  input: GateInput,
): boolean {
  if (status !== "noise" || judgement === undefined || judgement.tag.subject?.kind === "room") return false;
  const { rule, adjustedPWithoutAllowance: p } = judgement;
  return p !== null && p <= resolveLevel(rule, input);
}

function describeBuild(build: GateBuild, play: JudgedPlay, side: "a" | "b"): GateVerdict["a"] {
  const matched = play.matched?.[side];
  return {
    version: build.version,
    testers: build.testers,
    sessions: build.sessions,
    judgedTesters: side === "a" ? play.testersA : play.testersB,
    judgedSessions: matched?.judgedSessions ?? null,
    anonymousSessions: matched?.anonymousSessions ?? null,
    analysisVersions: build.analysisVersions && [...build.analysisVersions],
  };
}

const excludeTexts = (texts: readonly string[], excluded: readonly string[]) =>
  texts.filter((text) => !excluded.includes(text));

/** Whether the change of a tag is larger than chance at the significance level of this run. */
const isSignificant = ({ adjustedP, rule }: TagJudgement, input: GateInput) =>
  adjustedP !== null && adjustedP <= resolveLevel(rule, input);

const isCounted = ({ isJudged, rule }: TagJudgement, play: JudgedPlay) =>
  isJudged && hasEnoughTesters(rule, play);
