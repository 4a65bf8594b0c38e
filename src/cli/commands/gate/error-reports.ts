/** The reports of a gate that ended with an error: each requested report is written, with the error instead of a verdict. */
import { getGame } from "../../../contract/games.ts";
import type { GateError } from "../../../gate/gate-error.ts";
import { VERDICT_VERSION } from "../../../gate/verdict.ts";
import {
  gateErrorAnnotation,
  gateErrorComment,
  gateErrorJson,
  gateErrorJunit,
  gateErrorMarkdown,
  gateErrorOutputs,
  gateErrorText,
} from "../../../render/gate/error.ts";
import type { FailedRun } from "../../command.ts";
import type { Context } from "../../context.ts";
import { writeNamedFile } from "../named-file.ts";
import { appendToRunnerFile, findStdoutReports, type GateReport, parseReports } from "./reports.ts";
import { readRules } from "./rules.ts";

/**
 * Writes all reports, also if one of them cannot be written. Throws the first error of these. Writes nothing if --report
 * is invalid, because that is what the error is about.
 */
export async function writeErrorReports(failed: FailedRun): Promise<void> {
  const { io, context, given } = failed;
  const format = context?.settings.format.value ?? "table";
  const reports = await attempt(() => parseReports(toTexts(given.report), format, io));
  if (!reports || reports.length === 0) return;
  const failure = await describeFailure(failed);
  const [onStdout] = findStdoutReports(reports);
  const failures: unknown[] = [];
  for (const report of reports) {
    const write = async () => {
      if (report.kind === "github") return await writeRunnerReport(failure, failed);
      const content = renderReport(report.kind, failure, io.now());
      if (report.file !== null) await writeNamedFile("report", report.file, content, io);
      else if (report === onStdout) await io.out.write(content);
    };
    await write().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** Writes the summary, the outputs and the annotation. */
async function writeRunnerReport(failure: GateError, { io }: FailedRun): Promise<void> {
  // Written directly, because the usual writer escapes commands for the runner.
  await io.err.write(gateErrorAnnotation(failure)).catch(() => {});
  await appendToRunnerFile(io.env.GITHUB_STEP_SUMMARY, gateErrorMarkdown(failure));
  await appendToRunnerFile(io.env.GITHUB_OUTPUT, gateErrorOutputs(failure));
}

function renderReport(kind: Exclude<GateReport["kind"], "github">, failure: GateError, now: number): string {
  if (kind === "json") return gateErrorJson(failure);
  if (kind === "junit") return gateErrorJunit(failure, now);
  if (kind === "md") return gateErrorComment(failure);
  return gateErrorText(failure);
}

async function describeFailure({ error, hint, io, context, args, given }: FailedRun): Promise<GateError> {
  const { code, message, status, requestId, exitCode } = error;
  const named = typeof given.game === "string" ? given.game : (io.env.PLAYTEST_GAME ?? null);
  const game = context ? await attempt(() => context.findGame()) : null;
  const slug = context && code === "not_found" && game ? await findSlug(context, game.value) : null;
  const config = typeof given.config === "string" ? given.config : undefined;
  // The environment is part of the marker, so that the comment of the last verdict is found.
  const rules = await attempt(async () => readRules({ io }, { config }));
  const env = typeof given.env === "string" ? given.env : rules?.env;
  return {
    schemaVersion: VERDICT_VERSION,
    verdict: "error",
    game: slug ?? game?.value ?? named,
    environment: env ?? "production",
    a: args[0] ?? "",
    b: args[1] ?? "",
    error: { code, message, hint, status, requestId, exitCode },
  };
}

/**
 * The slug of a game that may be given by its ID, so that the comment of the last verdict is found; null if it is not found.
 * Only called if the service answered the gate, so that an outage is not waited for again.
 */
async function findSlug(context: Context, game: string): Promise<string | null> {
  const client = await attempt(() => context.client({ getGame }));
  const found = await attempt(async () => await client?.getGame({ id: game }));
  return found?.game.slug ?? null;
}

const toTexts = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

/** The result of work, or null if it fails: the report describes another error. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}
