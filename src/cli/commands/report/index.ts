/** report: one page about the changes between two builds, for people who do not use a terminal. */
import { extname } from "node:path";
import { describeReport, type ReportData } from "../../../charts/report.ts";
import { describeScope, selectShown } from "../../../charts/scorecard.ts";
import type { AnnouncingClient } from "../../../client/client.ts";
import { CONSOLE } from "../../../contract/announcement.ts";
import * as events from "../../../contract/events.ts";
import * as feedback from "../../../contract/feedback.ts";
import * as heatmaps from "../../../contract/heatmaps.ts";
import * as suggestions from "../../../contract/suggestions.ts";
import type { Verdict } from "../../../contract/verdict.ts";
import { requiredTesters } from "../../../gate/config.ts";
import { judge } from "../../../gate/judge.ts";
import { summarizeGate } from "../../../render/gate/summary.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { cleanLine } from "../../../render/text.ts";
import { getMark } from "../../../render/verdict-marks.ts";
import type { ReportEndpoints, ReportSource } from "../../../report/gather.ts";
import { gatherReport } from "../../../report/gather.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { choice, text, toggle } from "../../flags.ts";
import { notifyFlag, prepareNotify } from "../../notify.ts";
import { findPublicUrl } from "../../public-url.ts";
import { REPO_FILE } from "../../repo-file.ts";
import { translateError } from "../../translate-error.ts";
import { comparisonEndpoints } from "../builds/endpoints.ts";
import type { GateQuery } from "../gate/comparison.ts";
import { fetchComparison, toGateInput } from "../gate/comparison.ts";
import { toExitVerdict, toVerdictMessage } from "../gate/conclusion.ts";
import { readNewestEvidence } from "../gate/evidence.ts";
import { readGateQuery, requireGateEnvironment, resolveGateQuery } from "../gate/gate-query.ts";
import { readRules, ruleFlags } from "../gate/rules.ts";
import { writeNamedFile } from "../named-file.ts";

const formats = ["html", "md", "json"] as const;
type ReportFormat = (typeof formats)[number];

const reportCommand = command({
  path: "report",
  summary: "Write a report on the changes between two builds",
  details:
    "The report is for people who do not use a terminal. It opens with the verdict: what is worse, with a map of " +
    "the worst room and what a tester wrote; what is better; and the numbers. Suggestions, all changes, sessions " +
    "worth watching, heatmaps, events and quotes are folded below. Data that is not available is noted.\n\n" +
    "The HTML report is a single file without scripts or external resources, for screen and print. By default, " +
    "the exit code is 0 even if the gate fails; use --exit-code to exit with the gate's code.",
  args: [
    { name: "[a]", describe: "baseline build version, `latest` or `previous` (the build before b; default)" },
    { name: "[b]", describe: "build version to report on, `latest` (default) or `previous`" },
  ],
  flags: {
    env: ruleFlags.env,
    config: ruleFlags.config,
    out: text(
      "--out <file>",
      "write to this .html, .md or .json file; - is standard output (default: at a terminal a file named after the builds)",
    ),
    format: choice(
      "--format <format>",
      "html, md or json (default: from the extension of --out, html at a terminal, or md)",
      formats,
    ),
    notify: notifyFlag,
    exitCode: toggle(
      "--exit-code",
      "exit with code 10 if the gate fails, or 11 if there is not enough data to decide",
    ),
  },
  examples: ["report --game ember", "report 0.8.0 0.9.0 --game ember --format md --out -"],
  async run(context, { args: [a = "previous", b = "latest"], flags }) {
    const format = resolveFormat(flags, context);
    const config = readRules(context, { env: flags.env, config: flags.config });
    if (a.startsWith("@")) {
      throw fail("usage", {
        message: `${a} is a saved baseline, which does not have enough data for a report`,
        hint: "Specify two builds. Only the gate can use a saved baseline.",
      });
    }
    const notify = await prepareNotify(context, flags.notify);
    const unresolved = await readGateQuery(context, { a, b, env: config.env });
    const all = { ...comparisonEndpoints, ...suggestions, ...heatmaps, ...events, ...feedback };
    const client = await context.client(all, { keepAlive: true });
    const query = await resolveGateQuery(client, unresolved, {
      now: context.io.now(),
      minTesters: requiredTesters(config),
    });
    await context.progress("Comparing the builds");
    const comparison = await fetchComparison(client, query, config);
    await requireGateEnvironment(context, config.env, comparison.b);
    const { view, evidence, ...input } = await toGateInput(comparison, config, context.io.now());
    const { slug, gameName: name, environment } = comparison;
    const data = await gatherReport(
      createReportSource(context, client, query),
      {
        ...{ game: { name, slug }, environment, a: String(query.a), b: query.b },
        ...{ verdict: judge(input), view, evidence },
      },
      { generatedAt: context.io.now(), consoleUrl: await findConsole(context, client) },
    );
    const exitVerdict = flags.exitCode
      ? toExitVerdict(data.verdict, config, {
          ...{ hasWaited: false, rulesFile: flags.config ?? REPO_FILE },
          now: context.io.now(),
        })
      : undefined;
    const result = await writeReport(context, data, format, chooseFile(flags.out, format, data, context));
    await notify(toVerdictMessage("report.finished", data.verdict, context));
    return { ...result, ...(exitVerdict ? { verdict: exitVerdict } : {}) };
  },
});

/** The file to write: the named one, or at a terminal one that is named after the builds; null for standard output. */
function chooseFile(
  out: string | undefined,
  format: ReportFormat,
  { game, verdict: { a, b } }: ReportData,
  { settings, render }: Context,
): string | null {
  if (out !== undefined) return out === "-" ? null : out;
  if (!render.tty || settings.flags.json) return null;
  const name = [game.slug, a.version, "to", b.version].join("-").replace(/[^\w.-]/g, "-");
  return `${name.slice(0, MAX_FILE_NAME)}.${format}`;
}

/** A version can be long. */
const MAX_FILE_NAME = 150;

/** The format from the flags, or from the extension of the file. Throws `usage` if they contradict each other. */
function resolveFormat(
  { out, format }: { readonly out: string | undefined; readonly format: ReportFormat | undefined },
  { settings, render }: Context,
): ReportFormat {
  const byFlag = settings.flags.json ? "json" : format;
  if (out === undefined) return byFlag ?? (render.tty ? "html" : "md");
  if (out === "-") return byFlag ?? "md";
  const extension = extname(out).slice(1).toLowerCase();
  const byExtension = extension === "htm" ? "html" : formats.find((known) => known === extension);
  if (byExtension === undefined && (extension !== "" || byFlag === undefined)) {
    throw fail("usage", {
      message: `--out ${JSON.stringify(out)} does not end in .html, .md or .json`,
      hint: "Use one of these extensions, or no extension and --format.",
    });
  }
  if (byFlag !== undefined && byExtension !== undefined && byFlag !== byExtension) {
    throw fail("usage", {
      message: `--format ${byFlag} does not match the extension of --out ${JSON.stringify(out)}`,
      hint: "Remove --format, or change the extension.",
    });
  }
  return byFlag ?? byExtension ?? "md";
}

/** Writes the report to a file, or prints it. `out` is the file; null for standard output. */
async function writeReport(
  context: Context,
  data: ReportData,
  format: ReportFormat,
  out: string | null,
): Promise<Result> {
  if (format === "json" && out === null) return { data: describeReport(data) };
  const content = await renderReport(data, format, context);
  if (out === null) return { data: undefined, raw: content };
  await writeNamedFile("report", out, content, context.io);
  const summary = summarizeGate(data.verdict);
  await context.notify(`Wrote ${out}`);
  return { data: summary, view: (options) => summaryView(summary, data, options) };
}

/** The verdict and what changed, in three lines. */
function summaryView({ answer, status }: Verdict, { scorecard }: ReportData, options: RenderOptions): string {
  const named = selectShown(scorecard)
    .slice(0, MAX_NAMED)
    .map(({ id }) => id);
  const mark = getMark(status).mark;
  return [answer, describeScope(scorecard), ...(named.length > 0 ? [named.join(", ")] : [])]
    .flatMap((line, at) =>
      at === 0
        ? renderParagraph(cleanLine(options.plain ? line : `${mark} ${line}`), "", options)
        : renderParagraph(cleanLine(line), "  ", options),
    )
    .join("\n")
    .concat("\n");
}

/** Rows that the terminal names. */
const MAX_NAMED = 3;

async function renderReport(data: ReportData, format: ReportFormat, { render }: Context): Promise<string> {
  if (format === "json") {
    const { escapeJson } = await import("../../../render/text.ts");
    return `${escapeJson(JSON.stringify(describeReport(data), null, 2))}\n`;
  }
  const { reportDocument } = await import("../../../render/report/document.ts");
  const document = reportDocument(data, render.tz);
  if (format === "md") return (await import("../../../render/report/markdown.ts")).reportMarkdown(document);
  return (await import("../../../render/report/html.ts")).reportHtml(document);
}

type ReportClient = AnnouncingClient<typeof comparisonEndpoints & ReportEndpoints>;

/** Errors that all other requests would also return. */
const FATAL_CODES = ["unauthorized", "forbidden"];

const createReportSource = (context: Context, client: ReportClient, query: GateQuery): ReportSource => ({
  client,
  readEvidence: (rows) => readNewestEvidence(context, client, query, rows),
  async fetchPart(what, request) {
    await context.progress(`Fetching ${what}`);
    try {
      return { ok: true, value: await request() };
    } catch (error) {
      const known = translateError(error);
      if (known === null || context.io.signal.aborted || FATAL_CODES.includes(known.code)) throw error;
      await context.notify(`The report has no ${what}: ${known.message}`);
      return { ok: false, why: known.message, hint: known.hint };
    }
  },
});

/** The address of the console, if the service announces one. */
async function findConsole(
  { settings }: Context,
  { announces }: Pick<ReportClient, "announces">,
): Promise<string | null> {
  if (settings.baseUrl === null || !(await announces(CONSOLE.name))) return null;
  return findPublicUrl(settings.baseUrl.value);
}

export const commands = [reportCommand];
