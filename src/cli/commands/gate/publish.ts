/** Publishes a verdict: writes the reports, sends the notification, and returns the result of the command. */
import type { GateRules } from "../../../gate/config.ts";
import type { GateCheck, GateVerdict } from "../../../gate/verdict.ts";
import { toGateDocument } from "../../../render/gate/json.ts";
import { concludeGate } from "../../../render/gate/summary.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import type { Notify } from "../../notify.ts";
import { type HintContext, toExitVerdict, toVerdictMessage } from "./conclusion.ts";
import { type GateReport, stdoutReport, writeAnnotations, writeReports } from "./reports.ts";

const checkColumns = defineColumns<GateCheck>({
  ruling: { header: "RULING" },
  id: { header: "ROW", shrink: 1 },
  kind: { header: "KIND" },
  status: { header: "STATUS" },
  "a.count": { header: "COUNT A" },
  "a.total": { header: "TOTAL A" },
  "b.count": { header: "COUNT B" },
  "b.total": { header: "TOTAL B" },
  difference: { header: "DIFFERENCE" },
  rangeLow: { header: "LOW", value: ({ range }) => range?.low },
  rangeHigh: { header: "HIGH", value: ({ range }) => range?.high },
  limit: { header: "LIMIT" },
  adjustedPValue: { header: "CORRECTED P" },
  reason: { header: "REASON", shrink: 2 },
  evidence: {
    header: "EVIDENCE",
    value: ({ evidence }) => evidence.map(({ insightId, sessionId }) => insightId ?? sessionId).join(" "),
    shrink: 3,
  },
});

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
