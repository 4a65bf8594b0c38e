/** The reports of a gate, written to files or standard output. */
import { appendFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { GateConfig } from "../../../gate/config.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import { gateAnnotations, gateOutputs, gateSummary } from "../../../render/gate/github.ts";
import { gateJson } from "../../../render/gate/json.ts";
import { gateJunit } from "../../../render/gate/junit.ts";
import { gateComment } from "../../../render/gate/markdown.ts";
import { gateView } from "../../../render/gate/text.ts";
import type { RenderOptions } from "../../../render/options.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { OutputFormat } from "../../global-flags.ts";
import type { Io } from "../../io.ts";
import { checkNamedFile, writeNamedFile } from "../named-file.ts";

const reportKinds = ["text", "json", "junit", "md", "github"] as const;
type GateReportKind = (typeof reportKinds)[number];

export interface GateReport {
  readonly kind: GateReportKind;
  /** Null for standard output, and for `github`, whose files the runner specifies. */
  readonly file: string | null;
}

/** Parses the values of `--report`. Throws `usage` for unknown kinds and for two reports with the same destination. */
export function parseReports(
  values: readonly string[],
  format: OutputFormat,
  { cwd }: Pick<Io, "cwd">,
): GateReport[] {
  const reports = values.map((text): GateReport => {
    const [, name = "", file] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    const kind = reportKinds.find((known) => known === name);
    if (!kind || file === "") {
      throw fail("usage", {
        message: `--report ${JSON.stringify(text)} is not a report; use ${reportKinds.join(", ")}, or add a file as in junit=gate.xml`,
      });
    }
    if (kind === "github" && file !== undefined) {
      throw fail("usage", {
        message: `--report ${JSON.stringify(text)}: the github report takes no file: it prints annotations and appends to $GITHUB_STEP_SUMMARY and $GITHUB_OUTPUT`,
        hint: "Use --report github.",
      });
    }
    return { kind, file: file ?? null };
  });
  requireDistinctFiles(reports, cwd);
  const onStdout = findStdoutReports(reports).map(({ kind }) => kind);
  if (onStdout.length > 1 || (onStdout.length === 1 && format !== "table")) {
    const conflict = onStdout.length > 1 ? onStdout.join(" and ") : `${onStdout[0]} and --format ${format}`;
    throw fail("usage", {
      message: `${conflict} cannot both be written to standard output`,
      hint: `Write one to a file: --report ${onStdout[0]}=<file>.`,
    });
  }
  return reports;
}

function requireDistinctFiles(reports: readonly GateReport[], cwd: string): void {
  const kindByPath = new Map<string, GateReportKind>();
  for (const { kind, file } of reports) {
    if (file === null) continue;
    const path = resolve(cwd, file);
    const other = kindByPath.get(path);
    if (other !== undefined) {
      throw fail("usage", {
        message: `${other} and ${kind} cannot both be written to ${file}`,
        hint: "Use a different file for each report.",
      });
    }
    kindByPath.set(path, kind);
  }
}

export function findStdoutReports(reports: readonly GateReport[]): readonly GateReport[] {
  return reports.filter(({ kind, file }) => file === null && kind !== "github");
}

function renderReport(
  kind: Exclude<GateReportKind, "github">,
  verdict: GateVerdict,
  { onInconclusive = "fail" }: GateConfig,
  options: RenderOptions,
): string {
  if (kind === "json") return gateJson(verdict);
  if (kind === "junit") return gateJunit(verdict, { now: options.now, onInconclusive });
  if (kind === "md") return gateComment(verdict);
  return gateView(verdict, options, onInconclusive);
}

/** Throws `config` if a report cannot be written to its file. */
export async function checkReportFiles(reports: readonly GateReport[], io: Pick<Io, "cwd">): Promise<void> {
  for (const { file } of reports) if (file !== null) await checkNamedFile("report", file, io);
}

/** Writes the reports that go to files. Throws `config` if a file cannot be written. */
export async function writeReports(
  reports: readonly GateReport[],
  verdict: GateVerdict,
  config: GateConfig,
  context: Pick<Context, "io" | "render" | "notify">,
): Promise<void> {
  const { io, render } = context;
  const options: RenderOptions = { ...render, tty: false, color: 0 };
  for (const { kind, file } of reports) {
    if (kind === "github") {
      await appendToRunnerFile(io.env.GITHUB_STEP_SUMMARY, gateSummary(verdict));
      await appendToRunnerFile(io.env.GITHUB_OUTPUT, gateOutputs(verdict));
    } else if (file !== null) {
      const report = renderReport(kind, verdict, config, options);
      await context.notify(`Wrote ${await writeNamedFile("report", file, report, io)}`);
    }
  }
}

/** Appends to a file of the runner. Does nothing outside of GitHub Actions, where there is no such file. */
export async function appendToRunnerFile(file: string | undefined, content: string): Promise<void> {
  if (!file) return;
  try {
    await appendFile(file, content);
  } catch (cause) {
    const message = `Cannot write ${file}, a file of the GitHub Actions runner: ${(cause as Error).message}`;
    throw fail("config", { message, hint: "Outside of GitHub Actions, remove --report github.", cause });
  }
}

/** The report for standard output, by default `text`. */
export function stdoutReport(
  reports: readonly GateReport[],
  verdict: GateVerdict,
  config: GateConfig,
  options: RenderOptions,
): string {
  const [report] = findStdoutReports(reports);
  const kind = report && report.kind !== "github" ? report.kind : "text";
  return renderReport(kind, verdict, config, options);
}

/** Writes the annotations to stderr. The runner reads both streams, and stdout may contain a report. */
export async function writeAnnotations(
  reports: readonly GateReport[],
  verdict: GateVerdict,
  config: GateConfig,
  { io }: Pick<Context, "io">,
): Promise<void> {
  if (!reports.some(({ kind }) => kind === "github")) return;
  // Written directly, because the usual writer escapes commands for the runner.
  await io.err.write(gateAnnotations(verdict, config.onInconclusive ?? "fail")).catch(() => {});
}
