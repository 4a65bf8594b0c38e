/** gate: decides whether a build may ship, by what friction it introduced. */
import * as builds from "../../../contract/builds.ts";
import * as insights from "../../../contract/insights.ts";
import * as sessions from "../../../contract/sessions.ts";
import * as suggestions from "../../../contract/suggestions.ts";
import type { GateConfig } from "../../../gate/config.ts";
import { judge } from "../../../gate/judge.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import { formatCount } from "../../../render/gate/words.ts";
import { command, createTable, type Result } from "../../command.ts";
import { duration, list, toggle } from "../../flags.ts";
import { findingColumns } from "./columns.ts";
import type { GateClient, GateQuery } from "./comparison.ts";
import { withEvidence } from "./evidence.ts";
import { readGateQuery } from "./gate-query.ts";
import { parseReports, stdoutReport, writeAnnotations, writeReports } from "./reports.ts";
import { readRules, ruleFlags } from "./rules.ts";
import { type GateSnapshot, takeSnapshot, waitForBuild } from "./wait.ts";

export const gateCommand = command({
  path: "gate",
  summary: "Fail when a build introduces friction",
  details:
    "Compares each tag by its share of testers. An increase counts when it is above the limit and " +
    "statistically significant after correction for all tags. The exit code is 0 if the gate passes, 10 if " +
    "it fails, and 11 if there is not enough data to decide: too few testers, or no tags to check.\n\nRules " +
    "are read from `gate` in playtest.config.json (see `playtest gate init`). Flags override the file, " +
    "including its rules for kinds and tags. Kinds that --fail-on does not list are off for all tags; for " +
    "listed kinds, rules for single tags keep their level.\n\nReports with `=<file>` are written to that file, " +
    "and all others to standard output.",
  args: [
    {
      name: "<a>",
      describe:
        "baseline: a build version, `latest`, `previous` (the build before b) or @<file> written by `gate save`",
    },
    { name: "<b>", describe: "build to check: a build version, `latest` or `previous`" },
  ],
  flags: {
    ...ruleFlags,
    wait: duration(
      "--wait <duration>",
      "wait up to this long for testers of b and for the analysis of its sessions",
    ),
    report: list("--report <kind[=file]>", "write a report: text, json, junit, md or github (repeatable)"),
    suggestions: toggle("--suggestions", "also show suggested changes; they do not affect the result"),
  },
  examples: [
    "gate 0.8.0 0.9.0 --game ember",
    "gate previous latest --game ember --fail-on introduced --min-testers 8",
    "gate @baseline.json 0.9.0 --wait 30m --report junit=gate.xml --report github",
  ],
  async run(context, { args: [a = "", b = ""], flags }) {
    const config = readRules(context, flags);
    const reports = parseReports(flags.report, context.settings.format.value, context.io);
    const wanted = await readGateQuery(context, { a, b, env: config.env });
    const client = await context.client(
      { ...builds, ...sessions, ...insights, ...suggestions },
      { keepAlive: true },
    );
    const waited = flags.wait ?? 0;
    const seen =
      waited > 0
        ? await waitForBuild(context, client, wanted, config, waited)
        : await takeSnapshot(client, wanted, config, context.io.now());
    const { query: asked } = seen;
    const { slug: game, environment, a: sideA, b: sideB, changes } = seen.comparison;
    const judged = judge({ game, environment, a: sideA, b: sideB, changes, config, now: context.io.now() });
    const { verdict: noted, isOpen } = noteUnfinished(noteSelfComparison(judged, asked), seen, waited > 0);
    const whole = await withEvidence(context, client, asked, noted);
    const verdict = flags.suggestions ? await withSuggestions(client, asked, whole) : whole;
    await writeReports(reports, verdict, config, context);
    await writeAnnotations(reports, verdict, config, context);
    if (verdict.verdict === "inconclusive" && config.onInconclusive === "warn") {
      await context.notify(`Warning: inconclusive: ${verdict.reasons.join("; ")}`);
    }
    return buildResult(verdict, config, reports, isOpen);
  },
});

/** What is not analysed yet is told; where it was waited for in vain nothing passes on it. */
function noteUnfinished(
  verdict: GateVerdict,
  { unfinished }: GateSnapshot,
  waited: boolean,
): { readonly verdict: GateVerdict; readonly isOpen: boolean } {
  if (unfinished === 0) return { verdict, isOpen: false };
  const told = `${formatCount(unfinished, "session")} of ${verdict.b.version} still to be analysed`;
  if (!waited || verdict.verdict !== "passed")
    return { verdict: { ...verdict, notes: [...verdict.notes, `${told}.`] }, isOpen: false };
  const reasons = [`${told} after the wait`];
  return { verdict: { ...verdict, verdict: "inconclusive", reasons }, isOpen: true };
}

/** A baseline saved of b itself may be meant, for its data may have grown since; that it is the same build is told. */
function noteSelfComparison(verdict: GateVerdict, { a, b }: GateQuery): GateVerdict {
  if (typeof a === "string" || a.side.version !== b) return verdict;
  const told = `The baseline is build ${b} itself, saved at ${a.savedAt}: only what has come since is new.`;
  return { ...verdict, notes: [...verdict.notes, told] };
}

type SuggestionClient = GateClient & {
  getBuildSuggestions: (input: {
    game: string;
    a?: string;
    b?: string;
    build?: string;
    env?: string;
  }) => Promise<{
    suggestions: { title: string; rationale: string; confidence: number }[];
  }>;
};

/** The verdict with what the service would change first; why there is none is a note, never an error. */
async function withSuggestions(
  client: SuggestionClient,
  { game, env, a, b }: GateQuery,
  verdict: GateVerdict,
): Promise<GateVerdict> {
  const about = typeof a === "string" ? { a, b } : { build: b };
  try {
    const answer = await client.getBuildSuggestions({
      game,
      ...about,
      ...(env === undefined ? {} : { env }),
    });
    const told = answer.suggestions.map(({ title, rationale, confidence }) => ({
      title,
      rationale,
      confidence,
    }));
    return { ...verdict, suggestions: told };
  } catch (error) {
    return { ...verdict, notes: [...verdict.notes, `No suggestions: ${(error as Error).message}.`] };
  }
}

function buildResult(
  verdict: GateVerdict,
  config: GateConfig,
  reports: ReturnType<typeof parseReports>,
  isOpen: boolean,
): Result {
  const concluded = buildVerdict(verdict, config, isOpen);
  return {
    data: verdict,
    items: verdict.findings,
    table: createTable(verdict.findings, findingColumns, "No tag changed."),
    view: (options) => stdoutReport(reports, verdict, config, options),
    ...(concluded ? { verdict: concluded } : {}),
  };
}

/**
 * The exit code by the verdict; nothing where it passes or an inconclusive answer is let pass. `isOpen` tells that the
 * analysis alone is what it lacks.
 */
function buildVerdict(
  { verdict, reasons }: GateVerdict,
  { onInconclusive = "fail" }: GateConfig,
  isOpen: boolean,
): Result["verdict"] {
  const told = reasons.join("; ");
  if (verdict === "failed") {
    return {
      code: "gate_failed",
      message: `Failed: ${told}`,
      hint: "Mend it, or allow the tag for a while in playtest.config.json.",
    };
  }
  if (verdict === "passed" || onInconclusive !== "fail") return undefined;
  const hint = isOpen
    ? "The analysis takes longer than the wait: give --wait more; `playtest sessions list` shows how far it is."
    : "Gather more testers (--wait waits for them), or say what it counts as with --on-inconclusive.";
  return { code: "inconclusive", message: `Inconclusive: ${told}`, hint };
}
