/** Reports of a gate: several in one run, each to its file or to standard output. */
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
import { writeNamedFile } from "../named-file.ts";

const reportKinds = ["text", "json", "junit", "md", "github"] as const;
type GateReportKind = (typeof reportKinds)[number];

export interface GateReport {
  readonly kind: GateReportKind;
  /** Null for standard output; what the runner names for github. */
  readonly file: string | null;
}

/** What `--report` asks for. Throws `usage` for what is no report, and for two documents in one place. */
export function parseReports(
  given: readonly string[],
  format: OutputFormat,
  { cwd }: Pick<Io, "cwd">,
): GateReport[] {
  const reports = given.map((text): GateReport => {
    const [, word = "", file] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    const kind = reportKinds.find((one) => one === word);
    if (!kind || file === "") {
      throw fail("usage", {
        message: `--report ${JSON.stringify(text)} is not one of ${reportKinds.join(", ")}, each with =file or alone`,
      });
    }
    if (kind === "github" && file !== undefined) {
      throw fail("usage", {
        message: `--report ${JSON.stringify(text)}: the runner names the files of github`,
        hint: "Give it alone: --report github.",
      });
    }
    return { kind, file: file ?? null };
  });
  requireDistinctFiles(reports, cwd);
  const shown = findStdoutDocuments(reports).map(({ kind }) => kind);
  if (shown.length > 1 || (shown.length === 1 && format !== "table")) {
    const other = shown.length > 1 ? shown.join(" and ") : `${shown[0]} and --format ${format}`;
    throw fail("usage", {
      message: `${other} cannot both go to standard output`,
      hint: `Give one a file: --report ${shown[0]}=<file>.`,
    });
  }
  return reports;
}

function requireDistinctFiles(reports: readonly GateReport[], cwd: string): void {
  const taken = new Map<string, GateReportKind>();
  for (const { kind, file } of reports) {
    if (file === null) continue;
    const path = resolve(cwd, file);
    const other = taken.get(path);
    if (other !== undefined) {
      throw fail("usage", {
        message: `${other} and ${kind} cannot both go to ${file}`,
        hint: "Give each report a file of its own.",
      });
    }
    taken.set(path, kind);
  }
}

/** The reports that are a document on standard output. */
function findStdoutDocuments(reports: readonly GateReport[]): readonly GateReport[] {
  return reports.filter(({ kind, file }) => file === null && kind !== "github");
}

/** How a report is drawn in a file or a pipe. */
interface GateReportInput {
  readonly verdict: GateVerdict;
  readonly config: GateConfig;
  readonly options: RenderOptions;
}

function renderReport(
  kind: Exclude<GateReportKind, "github">,
  { verdict, config, options }: GateReportInput,
): string {
  const { onInconclusive = "fail" } = config;
  if (kind === "json") return gateJson(verdict);
  if (kind === "junit") return gateJunit(verdict, { now: options.now, onInconclusive });
  if (kind === "md") return gateComment(verdict);
  return gateView(verdict, options);
}

/** Writes what goes into files. Throws `config` where one cannot be written. */
export async function writeReports(
  reports: readonly GateReport[],
  verdict: GateVerdict,
  config: GateConfig,
  { io, render }: Pick<Context, "io" | "render">,
): Promise<void> {
  const options: RenderOptions = { ...render, tty: false, color: 0 };
  for (const { kind, file } of reports) {
    if (kind === "github") {
      await appendToRunnerFile(io.env.GITHUB_STEP_SUMMARY, gateSummary(verdict));
      await appendToRunnerFile(io.env.GITHUB_OUTPUT, gateOutputs(verdict));
    } else if (file !== null) {
      await writeNamedFile("report", file, renderReport(kind, { verdict, config, options }), io);
    }
  }
}

/** Adds to a file of the runner: nothing where it names none. */
async function appendToRunnerFile(file: string | undefined, content: string): Promise<void> {
  if (!file) return;
  try {
    await appendFile(file, content);
  } catch (cause) {
    const message = `${file}, which the runner names, cannot be written: ${(cause as Error).message}`;
    throw fail("config", { message, hint: "Leave out --report github outside of GitHub Actions.", cause });
  }
}

/** What goes to standard output: the document asked for, text unless told. */
export function stdoutReport(
  reports: readonly GateReport[],
  verdict: GateVerdict,
  config: GateConfig,
  options: RenderOptions,
): string {
  const [document] = findStdoutDocuments(reports);
  const kind = document && document.kind !== "github" ? document.kind : "text";
  return renderReport(kind, { verdict, config, options });
}

/** The annotations, where they are asked for; a runner reads them on either stream, and stdout may hold a document. */
export async function writeAnnotations(
  reports: readonly GateReport[],
  verdict: GateVerdict,
  config: GateConfig,
  { io }: Pick<Context, "io">,
): Promise<void> {
  if (!reports.some(({ kind }) => kind === "github")) return;
  // Written as they are: all else on stderr is kept from reading as a command to the runner.
  await io.err.write(gateAnnotations(verdict, config.onInconclusive ?? "fail")).catch(() => {});
}
