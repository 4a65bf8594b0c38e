/** The report on two builds, as `playtest report` writes it. */
import { describeReport } from "../../charts/report.ts";
import { viewComparison } from "../../charts/scorecard.ts";
import { ClientError } from "../../client/errors.ts";
import { readComparison } from "../../client/scorecard.ts";
import { getBuildFacts } from "../../contract/build-facts.ts";
import { compareBuilds } from "../../contract/builds.ts";
import { getEvents } from "../../contract/events.ts";
import { listFeedback } from "../../contract/feedback.ts";
import { getHeatmap } from "../../contract/heatmaps.ts";
import { getScorecard } from "../../contract/scorecard.ts";
import { getSession } from "../../contract/sessions.ts";
import { getBuildSuggestions } from "../../contract/suggestions.ts";
import { judge } from "../../gate/judge.ts";
import { reportDocument } from "../../render/report/document.ts";
import { reportBody } from "../../render/report/html.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { gatherReport, type ReportSource } from "../../report/gather.ts";
import { DEFAULT_OPTIONS } from "../../scorecard/options.ts";
import { toFlags } from "../command-line.ts";
import { createPageClient, definePage, textParam } from "../page.ts";
import { pickers, readPairScope, showChoice, skippedNote } from "./pair-scope.ts";

const endpoints = {
  ...{ compareBuilds, getScorecard, getBuildFacts },
  ...{ getBuildSuggestions, getEvents, getHeatmap, getSession, listFeedback },
};

/** A part that fails is left out with its reason. An error that is not the service's is a bug. */
const fetchPart: ReportSource["fetchPart"] = async (_what, request) => {
  try {
    return { ok: true, value: await request() };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { ok: false, why: error.message, hint: error.hint ?? "" };
  }
};

export const reportPage = definePage({
  path: "/games/{game}/report",
  query: { a: textParam, b: textParam, env: textParam },
  async show(address, context) {
    const scope = await readPairScope(address, context);
    const {
      game,
      env,
      fallback,
      pair: { a, b },
    } = scope;
    if (a === null || b === null || a === b) return showChoice(scope, "Report");
    const client = createPageClient(endpoints, context);
    const compared = await readComparison(client, { game, a, b, env }, DEFAULT_OPTIONS);
    const view = viewComparison(compared);
    const { rows, scorecard, notes } = view;
    const toBuild = (build: typeof view.a) => ({ ...build, facts: null, stats: null });
    const { environment } = compared;
    const judged = judge({
      ...{ game: compared.game.slug, environment, a: toBuild(view.a), b: toBuild(view.b) },
      ...{ rows, scorecard, notes, config: {}, now: context.now },
    });
    const data = await gatherReport(
      { client, fetchPart, readEvidence: async () => [] },
      { game: compared.game, environment, a, b, verdict: judged, view, evidence: compared.evidence },
      { generatedAt: context.now, consoleUrl: "" },
    );
    return {
      title: `Report: ${a} to ${b}`,
      scope: { fallback, build: b },
      body: fragment(
        pickers(scope),
        skippedNote(scope),
        el("div", { class: "report" }, reportBody(reportDocument(data, "UTC"))),
      ),
      command: ["report", a, b, "--game", game, ...toFlags({ "--env": env })],
      data: describeReport(data),
    };
  },
});
