/** Publishes a verdict: writes the reports, sends the notification, and returns the result of the command. */
import type { GateRules } from "../../../gate/config.ts";
import type { GateCheck, GateVerdict } from "../../../gate/verdict.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { toGateDocument } from "../../../render/gate/json.ts";
import { concludeGate } from "../../../render/gate/summary.ts";
import { textColumn } from "../../../render/tables/columns.ts";
import { createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import type { Notify } from "../../notify.ts";
import { toExitVerdict } from "./exit-verdict.ts";
import type { HintContext } from "./inconclusive-hint.ts";
import { toVerdictMessage } from "./notification.ts";
import { type GateReport, stdoutReport, writeAnnotations, writeReports } from "./reports.ts";

const checkColumns: readonly TableColumn<GateCheck>[] = [
  textColumn("ruling", "RULING", ({ ruling }) => ruling),
  textColumn("id", "ROW", ({ id }) => id, 1),
  textColumn("kind", "KIND", ({ kind }) => kind),
  textColumn("status", "STATUS", ({ status }) => status),
  textColumn("a.count", "COUNT A", ({ a }) => a.count),
  textColumn("a.total", "TOTAL A", ({ a }) => a.total),
  textColumn("b.count", "COUNT B", ({ b }) => b.count),
  textColumn("b.total", "TOTAL B", ({ b }) => b.total),
  textColumn("difference", "DIFFERENCE", ({ difference }) => difference),
  textColumn("rangeLow", "LOW", ({ range }) => range?.low ?? null),
  textColumn("rangeHigh", "HIGH", ({ range }) => range?.high ?? null),
  textColumn("limit", "LIMIT", ({ limit }) => limit),
  textColumn("adjustedPValue", "CORRECTED P", ({ adjustedPValue }) => adjustedPValue),
  textColumn("reason", "REASON", ({ reason }) => reason, 2),
  textColumn(
    "evidence",
    "EVIDENCE",
    ({ evidence }) => evidence.map(({ insightId, sessionId }) => insightId ?? sessionId).join(" "),
    3,
  ),
];

interface PublishOptions {
  readonly config: GateRules;
  readonly reports: readonly GateReport[];
  readonly notify: Notify;
  readonly hints: HintContext;
}

export async function publishVerdict(
  context: Context,
  verdict: GateVerdict,
  { config, reports, notify, hints }: PublishOptions,
): Promise<Result> {
  await writeReports(reports, verdict, config, context);
  await writeAnnotations(reports, verdict, config, context);
  await notify(toVerdictMessage("gate.finished", verdict, context));
  if (verdict.verdict === "inconclusive" && config.onInconclusive === "warn") {
    await context.notify(`Warning: ${concludeGate(verdict)}`);
  }
  const exitVerdict = toExitVerdict(verdict, config, { ...hints, now: context.io.now() });
  return {
    data: toGateDocument(verdict),
    items: verdict.checks,
    table: createTable(verdict.checks, checkColumns, "Nothing to compare."),
    view: (options) => stdoutReport(reports, verdict, config, options),
    ...(exitVerdict ? { verdict: exitVerdict } : {}),
  };
}
