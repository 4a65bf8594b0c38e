/** report: one page about the changes between two builds, for people who do not use a terminal. */
import { extname } from "node:path";
import type { ReportData } from "../../../charts/report.ts";
import * as facts from "../../../contract/build-facts.ts";
import * as buildList from "../../../contract/build-list.ts";
import * as builds from "../../../contract/builds.ts";
import * as events from "../../../contract/events.ts";
import * as feedback from "../../../contract/feedback.ts";
import * as heatmaps from "../../../contract/heatmaps.ts";
import * as insights from "../../../contract/insights.ts";
import * as scorecards from "../../../contract/scorecard.ts";
import * as sessions from "../../../contract/sessions.ts";
import * as suggestions from "../../../contract/suggestions.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { choice, text, toggle } from "../../flags.ts";
import { notifyFlag, prepareNotify } from "../../notify.ts";
import { REPO_FILE } from "../../repo-file.ts";
import { toExitVerdict } from "../gate/exit-verdict.ts";
import { readGateQuery, resolveGateQuery } from "../gate/gate-query.ts";
import { describeVerdict } from "../gate/notification.ts";
import { readRules, ruleFlags } from "../gate/rules.ts";
import { writeNamedFile } from "../named-file.ts";
import { gatherReport } from "./gather.ts";

const formats = ["html", "md", "json"] as const;
type ReportFormat = (typeof formats)[number];

export const reportCommand = command({
  path: "report",
  summary: "Write a report on the changes between two builds",
  details:
    "The report is for people who do not use a terminal. It contains the gate result according to the rules " +
    "in playtest.config.json, what changed for players, sessions worth watching, suggestions, heatmaps, events " +
    "that appeared or disappeared, and player quotes. Data that is not available is noted in the report.\n\n" +
    "The HTML report is a single file without scripts or external resources, for screen and print. By default, " +
    "the exit code is 0 even if the gate fails; use --exit-code to exit with the gate's code.",
  args: [
    { name: "[a]", describe: "baseline build version, `latest` or `previous` (the build before b; default)" },
    { name: "[b]", describe: "build version to report on, `latest` (default) or `previous`" },
  ],
  flags: {
    env: ruleFlags.env,
    config: ruleFlags.config,
    out: text("--out <file>", "write to this .html, .md or .json file (default: standard output)"),
    format: choice(
      "--format <format>",
      "html, md or json (default: from the extension of --out, or md)",
      formats,
    ),
    notify: notifyFlag,
    exitCode: toggle(
      "--exit-code",
      "exit with code 10 if the gate fails, or 11 if there is not enough data to decide",
    ),
  },
  examples: [
    "report 0.8.0 0.9.0 --game ember --out report.html",
    "report previous latest --game ember --format md",
  ],
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
    const gate = { ...builds, ...buildList, ...facts, ...scorecards, ...sessions, ...insights };
    const all = { ...gate, ...suggestions, ...heatmaps, ...events, ...feedback };
    const client = await context.client(all, { keepAlive: true });
    const query = await resolveGateQuery(client, unresolved, context.io.now());
    const data = await gatherReport(context, client, { ...query, a: String(query.a) }, config);
    const exitVerdict = flags.exitCode
      ? toExitVerdict(data.verdict, config, {
          ...{ hasWaited: false, rulesFile: flags.config ?? REPO_FILE },
          now: context.io.now(),
        })
      : undefined;
    const result = await writeReport(context, data, format, flags.out);
    await notify(describeVerdict("report.finished", data.verdict, context));
    return { ...result, ...(exitVerdict ? { verdict: exitVerdict } : {}) };
  },
});

/** The format from the flags, or from the extension of the file. Throws `usage` if they contradict each other. */
function resolveFormat(
  { out, format }: { readonly out: string | undefined; readonly format: ReportFormat | undefined },
  { settings }: Context,
): ReportFormat {
  const byFlag = settings.flags.json ? "json" : format;
  if (out === undefined) return byFlag ?? "md";
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

async function writeReport(
  context: Context,
  data: ReportData,
  format: ReportFormat,
  out: string | undefined,
): Promise<Result> {
  if (format === "json" && out === undefined) return { data: toJson(data) };
  const content = await renderReport(data, format, context);
  if (out === undefined) return { data: undefined, raw: content };
  await writeNamedFile("report", out, content, context.io);
  const { verdict: gate } = data;
  await context.notify(`Wrote ${out} (${gate.a.version} -> ${gate.b.version}). Gate: ${gate.verdict}`);
  return { data: undefined };
}

async function renderReport(data: ReportData, format: ReportFormat, { render }: Context): Promise<string> {
  if (format === "json") {
    const { escapeJson } = await import("../../../render/text.ts");
    return `${escapeJson(JSON.stringify(toJson(data), null, 2))}\n`;
  }
  const { reportDocument } = await import("../../../render/report/document.ts");
  const document = reportDocument(data, render.tz);
  if (format === "md") return (await import("../../../render/report/markdown.ts")).reportMarkdown(document);
  return (await import("../../../render/report/html.ts")).reportHtml(document);
}

/** The rows of the scorecard are in the checks of the verdict. */
const toJson = ({ scorecard: { notes }, ...data }: ReportData) => ({ ...data, notes });
