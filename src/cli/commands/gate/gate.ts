/** gate: decides whether a build may ship, by comparing its friction with a baseline. */
import type { AnnouncingClient } from "../../../client/client.ts";
import { readSuggestions } from "../../../client/suggestions.ts";
import * as suggestions from "../../../contract/suggestions.ts";
import { requiredTesters } from "../../../gate/config.ts";
import { judgeWithEvidence } from "../../../gate/evidence.ts";
import { addNote, type GateVerdict } from "../../../gate/verdict.ts";
import { formatCount } from "../../../render/numbers.ts";
import { formatDuration } from "../../../render/time.ts";
import { MIN_CHANGE_POINTS } from "../../../shared/friction-diff.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { duration, type FlagValues, list, text, toggle } from "../../flags.ts";
import { notifyFlag, prepareNotify } from "../../notify.ts";
import { REPO_FILE } from "../../repo-file.ts";
import { comparisonEndpoints } from "../builds/endpoints.ts";
import { type GateQuery, toGateInput } from "./comparison.ts";
import { writeErrorReports } from "./error-reports.ts";
import { withEvidence } from "./evidence.ts";
import { readGateQuery, requireGateEnvironment, suggestBaselineFile } from "./gate-query.ts";
import { judgeRepeatedly } from "./looks.ts";
import { publishVerdict } from "./publish.ts";
import { parseReports } from "./reports.ts";
import { readRules, ruleFlags } from "./rules.ts";
import { type GateSnapshot, takeSnapshot, waitForBuild } from "./wait.ts";

const gateFlags = {
  ...ruleFlags,
  wait: duration("--wait <duration>", "wait up to this long for testers and their analysis"),
  sequential: text(
    "--sequential <file>",
    "for a gate that runs repeatedly while testers arrive: a run only tests if b has reached another quarter of " +
      "--planned-testers, and otherwise repeats the last result; --confidence covers all tests together; the file " +
      "stores the results between runs",
  ),
  notify: notifyFlag,
  detach: toggle("--detach", "let the service decide later, and end now (needs a CI key)"),
  to: text("--to <receiver>", "webhook that receives the verdict of --detach"),
  commit: text("--commit <hash>", "commit of --detach (default: that of the CI job)"),
  report: list("--report <format[=file]>", "report: text, json, junit, md or github (repeatable)"),
  suggestions: toggle(
    "--suggestions",
    "also show the service's suggested fixes for b; they never affect the verdict",
  ),
} as const;

export const gateCommand = command({
  path: "gate",
  summary: "Fail when friction is new or worse in a build",
  details:
    "Exits with 0 if the gate passes, 10 if it fails, and 11 if there is not enough data to decide. For how it decides, " +
    "see `playtest help gate-rules`.",
  topic: {
    name: "gate-rules",
    summary: "How the gate decides, its rules and reports",
    text:
      "The gate compares friction by tag, such as `difficulty-spike:furnace`, and where testers quit, such as " +
      "`quit:furnace`. It fails if a share increased by more than " +
      "--max-increase and the increase is statistically significant (--confidence), corrected for the number of rows. A " +
      "room that nobody entered in build a has its own limit. There is not enough data to decide if a build has too few " +
      "testers or too few analyzed sessions, or if there is nothing to compare.\n\n" +
      "A change of a tag is of one of three kinds:\n\n" +
      "  introduced    new in b\n" +
      `  got_larger    increased by at least ${MIN_CHANGE_POINTS} percentage points\n` +
      `  carried_over  changed by less than ${MIN_CHANGE_POINTS} percentage points\n\n` +
      `By default, all three can fail the gate, but carried_over only with a --max-increase below ${MIN_CHANGE_POINTS}. Without a rule in ` +
      "the rules file, carried_over uses the rule for got_larger. With --fail-on, only the listed kinds can fail the " +
      "gate, whatever `kinds` in the rules file contains; got_larger includes carried_over.\n\n" +
      "Rules are read from `gate` in playtest.config.json (`playtest gate init` creates it). Flags override the file. " +
      "Rules for single tags can change limits, reduce a failure to a warning or ignore an increase, but cannot make an " +
      "unlisted kind fail.\n\n" +
      "`--report junit=gate.xml` writes a report to a file, and `--report junit` writes it to standard output. `--report " +
      "github` takes no file: it prints annotations and appends to $GITHUB_STEP_SUMMARY and $GITHUB_OUTPUT. If the gate " +
      "ends with an error, every report is written with the error instead of a verdict.\n\n" +
      "`--notify` sends the verdict to a webhook after the gate has decided. If that fails, the gate prints a warning and " +
      "keeps its exit code. Requests are signed if PLAYTEST_NOTIFY_SECRET is set.\n\n" +
      "`--detach --to <receiver>` opens a gate at the service and ends with exit code 0. The service decides it once the testers have " +
      "played, or after --wait (default: 7d), and sends the verdict to the receiver: a webhook of `admin webhooks add`. `gate list` " +
      "shows it.",
    flags: [
      "notify",
      "detach",
      "to",
      "commit",
      "metrics",
      "maxIncrease",
      "confidence",
      "detect",
      "plannedTesters",
      "maxNew",
      "onInconclusive",
      "config",
      "sequential",
      "suggestions",
    ],
  },
  args: [
    {
      name: "[a]",
      describe:
        "baseline: a version, `latest`, `previous` (the build before b; default) or a @<file> of `gate save`",
    },
    {
      name: "[b]",
      describe: "build: a version, `latest` (default) or `previous`",
    },
  ],
  flags: gateFlags,
  examples: [
    "gate 0.8.0 0.9.0 --game ember",
    "gate @baseline.json 0.9.0 --report junit=gate.xml --report github",
    "gate previous 0.9.1 --detach --to github",
  ],
  onError: writeErrorReports,
  async run(context, { args, flags }) {
    if (flags.detach) return await detach(context, args, flags);
    const [a = "previous", b = "latest"] = args;
    checkDetachFlags(flags);
    if (flags.plannedTesters !== undefined && flags.sequential === undefined) {
      throw fail("usage", {
        message: "--planned-testers requires --sequential: a single run tests all testers that there are",
        hint: "Add --sequential <file>, or remove --planned-testers.",
      });
    }
    const config = readRules(context, flags);
    const reports = parseReports(flags.report, context.settings.format.value, context.io);
    const notify = await prepareNotify(context, flags.notify);
    const unresolved = await readGateQuery(context, { a, b, env: config.env });
    const client = await context.client({ ...comparisonEndpoints, ...suggestions }, { keepAlive: true });
    const waitMs = flags.wait ?? 0;
    const taken =
      waitMs > 0
        ? waitForBuild(context, unresolved, config, waitMs)
        : takeSnapshot(client, unresolved, config, context.io.now());
    const snapshot = await taken.catch((error: unknown) => {
      throw suggestBaselineFile(error, unresolved);
    });
    const { query } = snapshot;
    await requireGateEnvironment(context, config.env, snapshot.comparison.b);
    const judged =
      flags.sequential === undefined
        ? judgeWithEvidence(await toGateInput(snapshot.comparison, config, context.io.now()))
        : await judgeRepeatedly(flags.sequential, snapshot.comparison, config, context.io);
    const noted = noteWaiting(noteSelfComparison(judged, query), snapshot, requiredTesters(config), waitMs);
    const complete = snapshot.comparison.selectsEvidence
      ? noted
      : await withEvidence(context, client, query, noted);
    const verdict = flags.suggestions ? await withSuggestions(client, query, complete) : complete;
    return await publishVerdict(context, verdict, {
      ...{ config, reports, notify },
      hints: { hasWaited: waitMs > 0, rulesFile: flags.config ?? REPO_FILE },
    });
  },
});

type GateFlags = FlagValues<typeof gateFlags>;

async function detach(context: Context, [a, b]: readonly string[], flags: GateFlags): Promise<Result> {
  const { detachGate } = await import("./detach.ts");
  return await detachGate(context, {
    ...{ a, b, to: flags.to, commit: flags.commit, waitMs: flags.wait, config: readRules(context, flags) },
    excluded: {
      "--sequential": flags.sequential !== undefined,
      "--planned-testers": flags.plannedTesters !== undefined,
      "--report": flags.report.length > 0,
      "--notify": flags.notify !== undefined,
      "--suggestions": flags.suggestions,
    },
  });
}

/** Throws `usage` for flags that only --detach has. */
function checkDetachFlags({ to, commit }: GateFlags): void {
  if (to === undefined && commit === undefined) return;
  throw fail("usage", { message: `${to === undefined ? "--commit" : "--to"} requires --detach` });
}

/** Notes that the gate waited in vain. */
function noteWaiting(
  verdict: GateVerdict,
  { comparison }: GateSnapshot,
  required: number,
  waitMs: number,
): GateVerdict {
  if (waitMs === 0) return verdict;
  const { unfinished } = comparison;
  const missing =
    comparison.b.testers < required
      ? "too few testers"
      : unfinished > 0
        ? `${formatCount(unfinished, "session")} not analyzed`
        : null;
  if (missing === null) return verdict;
  return addNote(verdict, `Stopped waiting after ${formatDuration(waitMs / 1000)}: ${missing}.`);
}

/** Notes that the baseline was saved from build b itself. This is allowed because the build may have new data since. */
function noteSelfComparison(verdict: GateVerdict, { a, b }: GateQuery): GateVerdict {
  if (typeof a === "string" || a.version !== b) return verdict;
  return addNote(
    verdict,
    `The baseline and the build are both ${b}, so the comparison only shows data that arrived after the baseline was saved (${a.savedAt}).`,
  );
}

type SuggestionClient = AnnouncingClient<typeof comparisonEndpoints & typeof suggestions>;

/** Adds suggestions to the verdict. If they are not available, the reason is a note and never an error. */
async function withSuggestions(
  client: SuggestionClient,
  { game, env, a, b }: GateQuery,
  verdict: GateVerdict,
): Promise<GateVerdict> {
  const selection = typeof a === "string" ? { a, b } : { build: b };
  try {
    const answer = await readSuggestions(client, {
      game,
      ...selection,
      ...(env === undefined ? {} : { env }),
    });
    const all = answer.suggestions.map(({ title, rationale, confidence }) => ({
      title,
      rationale,
      confidence,
    }));
    return { ...verdict, suggestions: all };
  } catch (error) {
    return addNote(verdict, `Suggestions are not available: ${(error as Error).message}.`);
  }
}
