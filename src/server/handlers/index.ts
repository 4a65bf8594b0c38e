/** The handler of every endpoint: one that is missing does not compile. */
import type { Endpoints } from "../../contract/index.ts";
import { handleGetTesterArchetypes } from "./archetypes.ts";
import { handleGetBatch, handleListBatches, handleListBatchInvites, handleListBatchKeys } from "./batches.ts";
import { handleCompareBuilds, handleGetBuild } from "./builds.ts";
import { handleGetEventConfig } from "./event-config.ts";
import { handleGetEvents } from "./events.ts";
import {
  handleAssignExperiments,
  handleGetExperimentComparison,
  handleListGameExperiments,
} from "./experiments.ts";
import { handleListGameFeedbackForms, handleSubmitFeedback } from "./feedback.ts";
import { handleGetGame, handleListGames } from "./games.ts";
import type { Handler } from "./handler.ts";
import { handleListHandles } from "./handles.ts";
import { handleGetHeatmap } from "./heatmaps.ts";
import { handleListInsights } from "./insights.ts";
import { handleGetTesterJourney } from "./journeys.ts";
import { handleGetSession, handleListSessions } from "./sessions.ts";
import { handleGetBuildSuggestions } from "./suggestions.ts";
import { handleSendTelemetry } from "./telemetry.ts";
import { handleGetCurrentTester, handleLinkTester, handleUnlinkTester } from "./tester-links.ts";
import { handleGetTester } from "./testers.ts";
import { handleIngestDiscordThread } from "./webhooks.ts";

export const handlers: { readonly [Name in keyof Endpoints]: Handler<Endpoints[Name]> } = {
  listGames: handleListGames,
  getGame: handleGetGame,
  listSessions: handleListSessions,
  getSession: handleGetSession,
  listInsights: handleListInsights,
  getBuild: handleGetBuild,
  compareBuilds: handleCompareBuilds,
  getBuildSuggestions: handleGetBuildSuggestions,
  getTester: handleGetTester,
  getTesterJourney: handleGetTesterJourney,
  getTesterArchetypes: handleGetTesterArchetypes,
  getHeatmap: handleGetHeatmap,
  getEvents: handleGetEvents,
  listGameFeedbackForms: handleListGameFeedbackForms,
  getEventConfig: handleGetEventConfig,
  listBatches: handleListBatches,
  getBatch: handleGetBatch,
  listBatchKeys: handleListBatchKeys,
  listBatchInvites: handleListBatchInvites,
  listHandles: handleListHandles,
  sendTelemetry: handleSendTelemetry,
  submitFeedback: handleSubmitFeedback,
  linkTester: handleLinkTester,
  getCurrentTester: handleGetCurrentTester,
  unlinkTester: handleUnlinkTester,
  ingestDiscordThread: handleIngestDiscordThread,
  listGameExperiments: handleListGameExperiments,
  getExperimentComparison: handleGetExperimentComparison,
  assignExperiments: handleAssignExperiments,
};
