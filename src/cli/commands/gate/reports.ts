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
import type { Format } from "../../global-flags.ts";
import type { Io } from "../../io.ts";
import { writeNamed } from "../named-file.ts";

const kinds = ["text", "json", "junit", "md", "github"] as const;
type Kind = (typeof kinds)[number];

export interface Report {
  readonly kind: Kind;
  /** Null for standard output; what the runner names for github. */
  readonly file: string | null;
}

/** What `--report` asks for. Throws `usage` for what is no report, and for two documents in one place. */
export function parseReports(given: readonly string[], format: Format, { cwd }: Pick<Io, "cwd">): Report[] {
  const reports = given.map((text): Report => {
    const [, word = "", file] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    const kind = kinds.find((one) => one === word);
    if (!kind || file === "") {
      throw fail("usage", {
        message: `--report ${JSON.stringify(text)} is not one of ${kinds.join(", ")}, each with =file or alone`,
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
  checkFiles(reports, cwd);
  const shown = documentsOf(reports).map(({ kind }) => kind);
  if (shown.length > 1 || (shown.length === 1 && format !== "table")) {
    const other = shown.length > 1 ? shown.join(" and ") : `${shown[0]} and --format ${format}`;
    throw fail("usage", {
      message: `${other} cannot both go to standard output`,
      hint: `Give one a file: --report ${shown[0]}=<file>.`,
    });
  }
  return reports;
}

function checkFiles(reports: readonly Report[], cwd: string): void {
  const taken = new Map<string, Kind>();
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
function documentsOf(reports: readonly Report[]): readonly Report[] {
  return reports.filter(({ kind, file }) => file === null && kind !== "github");
}

/** How a report is drawn in a file or a pipe. */
interface Drawing {
  readonly verdict: GateVerdict;
  readonly config: GateConfig;
  readonly options: RenderOptions;
}

function drawn(kind: Exclude<Kind, "github">, { verdict, config, options }: Drawing): string {
  const { onInconclusive = "fail" } = config;
  if (kind === "json") return gateJson(verdict);
  if (kind === "junit") return gateJunit(verdict, { now: options.now, onInconclusive });
  if (kind === "md") return gateComment(verdict);
  return gateView(verdict, options);
}

/** Writes what goes into files. Throws `config` where one cannot be written. */
export async function writeReports(
  reports: readonly Report[],
  verdict: GateVerdict,
  config: GateConfig,
  { io, render }: Pick<Context, "io" | "render">,
): Promise<void> {
  const options: RenderOptions = { ...render, tty: false, color: 0 };
  for (const { kind, file } of reports) {
    if (kind === "github") {
      await addTo(io.env.GITHUB_STEP_SUMMARY, gateSummary(verdict));
      await addTo(io.env.GITHUB_OUTPUT, gateOutputs(verdict));
    } else if (file !== null) {
      await writeNamed("report", file, drawn(kind, { verdict, config, options }), io);
    }
  }
}

/** Adds to a file of the runner: nothing where it names none. */
async function addTo(file: string | undefined, content: string): Promise<void> {
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
  reports: readonly Report[],
  verdict: GateVerdict,
  config: GateConfig,
  options: RenderOptions,
): string {
  const [document] = documentsOf(reports);
  const kind = document && document.kind !== "github" ? document.kind : "text";
  return drawn(kind, { verdict, config, options });
}

/** The annotations, where they are asked for; a runner reads them on either stream, and stdout may hold a document. */
export async function tellAnnotations(
  reports: readonly Report[],
  verdict: GateVerdict,
  config: GateConfig,
  { io }: Pick<Context, "io">,
): Promise<void> {
  if (!reports.some(({ kind }) => kind === "github")) return;
  // Written as they are: all else on stderr is kept from reading as a command to the runner.
  await io.err.write(gateAnnotations(verdict, config.onInconclusive ?? "fail")).catch(() => {});
}
