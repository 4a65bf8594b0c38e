/** Every command that reads from the service, and the endpoint whose response it shows. */
import type { EndpointName } from "../../src/contract/index.ts";

export const readCommands: Readonly<Record<string, EndpointName>> = {
  "games list": "listGames",
  "games get": "getGame",
  "sessions list": "listSessions",
  "bug-reports list": "listBugReports",
  "bug-reports get x": "getBugReport",
  "crashes list": "listCrashes",
  "feedback list": "listFeedback",
  "feedback get x": "getFeedback",
  "sessions get x": "getSession",
  "sessions events x": "listSessionEvents",
  "insights list": "listInsights",
  "insights get x": "getInsight",
  "builds get 1": "getBuild",
  "builds list": "listBuilds",
  "builds compare 1 2": "compareBuilds",
  "builds dropoff 1": "getBuildDropoff",
  "builds trend": "getTrend",
  "testers retention": "getRetention",
  "funnel x": "getFunnel",
  "builds suggestions 1": "getBuildSuggestions",
  "testers list": "listTesters",
  "testers list --never-played": "listNeverPlayed",
  "testers get x": "getTester",
  "testers journey x": "getTesterJourney",
  "testers archetypes": "getTesterArchetypes",
  "ingest discord --channel x": "ingestDiscordThread",
  heatmap: "getHeatmap",
  events: "getEvents",
  "games prompts x": "listGameFeedbackForms",
  "batches list": "listBatches",
  "batches get x": "getBatch",
  "batches keys x": "listBatchKeys",
  "batches invites x": "listBatchInvites",
  "gate list": "listGates",
  "handles list": "listHandles",
  "experiments list": "listGameExperiments",
  "experiments compare exp_x": "getExperimentComparison",
  "experiments assign x": "assignExperiments",
};

/** The error output of a command without the notice about what its table leaves out, which is no error. */
export const withoutNotices = (err: string): string =>
  err.replace(/^\d+ session summar(y is|ies are) left out; .*(\n|$)/gm, "");
