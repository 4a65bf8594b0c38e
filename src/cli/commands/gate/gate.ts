/** gate: decides whether a build may ship, by what friction it introduced. */
import { checkInput } from "../../../client/client.ts";
import * as builds from "../../../contract/builds.ts";
import * as insights from "../../../contract/insights.ts";
import * as sessions from "../../../contract/sessions.ts";
import * as suggestions from "../../../contract/suggestions.ts";
import type { GateConfig } from "../../../gate/config.ts";
import { judge } from "../../../gate/judge.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import { command, type Result, tableOf } from "../../command.ts";
import type { Context } from "../../context.ts";
import { duration, list, toggle } from "../../flags.ts";
import { resolveBaseline, resolveBuild } from "../builds/resolve.ts";
import { readBaseline } from "./baseline.ts";
import { findingColumns } from "./columns.ts";
import { withEvidence } from "./evidence.ts";
import { type Asked, lookUp, unfinishedOf } from "./look-up.ts";
import { parseReports, stdoutReport, tellAnnotations, writeReports } from "./reports.ts";
import { ruleFlags, rulesOf } from "./rules.ts";
import { awaitBuild } from "./wait.ts";

export const gateCommand = command({
  path: "gate",
  summary: "Decide whether a build may ship: fail on friction that it introduced",
  details:
    "Judges every tag by its share of testers: a growth counts when it is material and unlikely by chance, of all tags " +
    "together. Exit code 0 passes, 10 fails, 11 says nothing can be concluded: too few testers, or nothing judged. " +
    "Rules come from `gate` in playtest.config.json (see `playtest gate init`) and from flags. Reports are text, json, " +
    "junit, md and github, to a file with `=file`, else to standard output.",
  args: [
    {
      name: "<a>",
      describe: "baseline: a build, latest, previous (the one before b), or @file of `gate save`",
    },
    { name: "<b>", describe: "build that is to ship, latest or previous" },
  ],
  flags: {
    ...ruleFlags,
    wait: duration("--wait <duration>", "wait so long for b's testers and for the analysis of its sessions"),
    report: list("--report <kind[=file]>", "text, json, junit, md or github; may be given again"),
    suggestions: toggle("--suggestions", "show what the service would change first; never judged"),
  },
  examples: [
    "gate 0.8.0 0.9.0 --game ember",
    "gate previous latest --game ember --fail-on introduced --min-testers 8",
    "gate @baseline.json 0.9.0 --wait 30m --report junit=gate.xml --report github",
  ],
  async run(context, { args: [a = "", b = ""], flags }) {
    const config = rulesOf(context, flags);
    const reports = parseReports(flags.report, context.settings.format.value);
    const client = await context.client(
      { ...builds, ...sessions, ...insights, ...suggestions },
      { many: true },
    );
    const asked = await askedOf(context, client, { a, b, env: config.env });
    const waited = flags.wait ?? 0;
    const { found, unfinished } =
      waited > 0
        ? await awaitBuild(context, client, asked, config, waited)
        : { found: await lookUp(client, asked, config), unfinished: await unfinishedOf(client, asked) };
    const { slug: game, environment, a: sideA, b: sideB, changes } = found;
    const judged = judge({ game, environment, a: sideA, b: sideB, changes, config, now: context.io.now() });
    const whole = await withEvidence(context, client, asked, withUnfinished(judged, unfinished, waited > 0));
    const verdict = flags.suggestions ? await withSuggestions(client, asked, whole) : whole;
    await writeReports(reports, verdict, config, context);
    await tellAnnotations(reports, verdict, config, context);
    if (verdict.verdict === "inconclusive" && config.onInconclusive === "warn") {
      await context.notify(`Warning: inconclusive: ${verdict.reasons.join("; ")}`);
    }
    return resultOf(verdict, config, reports);
  },
});

type Clients = Parameters<typeof resolveBuild>[0];

/** What is meant by the arguments: words become builds, `@file` a saved baseline. */
async function askedOf(
  context: Context,
  client: Clients,
  { a, b, env }: { readonly a: string; readonly b: string; readonly env: string | undefined },
): Promise<Asked> {
  const game = await context.game();
  const baseline = a.startsWith("@") ? await readBaseline(a.slice(1), context.io) : null;
  checkInput(builds.compareBuilds, { game, a: baseline ? b : a, b, env });
  const version = await resolveBuild(client, game, b);
  return { game, env, b: version, a: baseline ?? (await resolveBaseline(client, game, a, version)) };
}

/** What is not analysed yet is told; where it was waited for in vain nothing passes on it. */
function withUnfinished(verdict: GateVerdict, unfinished: number, waited: boolean): GateVerdict {
  if (unfinished === 0) return verdict;
  const told = `${unfinished} ${unfinished === 1 ? "session" : "sessions"} of ${verdict.b.version} still to be analysed`;
  if (!waited || verdict.verdict !== "passed") return { ...verdict, notes: [...verdict.notes, `${told}.`] };
  return { ...verdict, verdict: "inconclusive", reasons: [`${told} after the wait`] };
}

type Suggester = Clients & {
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
  client: Suggester,
  { game, env, a, b }: Asked,
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

function resultOf(
  verdict: GateVerdict,
  config: GateConfig,
  reports: ReturnType<typeof parseReports>,
): Result {
  const concluded = conclusionOf(verdict, config);
  return {
    data: verdict,
    items: verdict.findings,
    table: tableOf(verdict.findings, findingColumns, "No tag changed."),
    view: (options) => stdoutReport(reports, verdict, config, options),
    ...(concluded ? { verdict: concluded } : {}),
  };
}

/** The exit code by the verdict; nothing where it passes or an inconclusive answer is let pass. */
function conclusionOf(
  { verdict, reasons }: GateVerdict,
  { onInconclusive = "fail" }: GateConfig,
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
  const hint =
    "Gather more testers (--wait waits for them), or say what it counts as with --on-inconclusive.";
  return { code: "inconclusive", message: `Inconclusive: ${told}`, hint };
}
