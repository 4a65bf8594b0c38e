/** The table of endpoints: what the service serves, the client calls and the docs describe. */

import { getTesterArchetypes } from "./archetypes.ts";
import { getBatch, listBatches, listBatchInvites, listBatchKeys } from "./batches.ts";
import { compareBuilds, getBuild } from "./builds.ts";
import { getEventConfig } from "./event-config.ts";
import { getEvents } from "./events.ts";
import { assignExperiments, getExperimentComparison, listGameExperiments } from "./experiments.ts";
import { submitFeedback } from "./feedback.ts";
import { listGameFeedbackForms } from "./forms.ts";
import { getGame, listGames } from "./games.ts";
import { listHandles } from "./handles.ts";
import { getHeatmap } from "./heatmaps.ts";
import { listInsights } from "./insights.ts";
import { getTesterJourney } from "./journeys.ts";
import { getSession, listSessions } from "./sessions.ts";
import { getBuildSuggestions } from "./suggestions.ts";
import { sendTelemetry } from "./telemetry.ts";
import { getCurrentTester, linkTester, unlinkTester } from "./tester-links.ts";
import { getTester } from "./testers.ts";
import { ingestDiscordThread } from "./webhooks.ts";

export const endpoints = {
  listGames,
  getGame,
  listSessions,
  getSession,
  listInsights,
  getBuild,
  compareBuilds,
  getBuildSuggestions,
  getTester,
  getTesterJourney,
  getTesterArchetypes,
  getHeatmap,
  getEvents,
  listGameFeedbackForms,
  getEventConfig,
  listBatches,
  getBatch,
  listBatchKeys,
  listBatchInvites,
  listHandles,
  sendTelemetry,
  submitFeedback,
  linkTester,
  getCurrentTester,
  unlinkTester,
  ingestDiscordThread,
  listGameExperiments,
  getExperimentComparison,
  assignExperiments,
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
