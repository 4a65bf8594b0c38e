/** The handler of every endpoint: one that is missing does not compile. */
import type { Endpoints } from "../../contract/index.ts";
import type { Handler } from "../accounts/handler.ts";
import { handleCompareBuilds, handleGetBuild } from "../builds/handlers.ts";
import { handleGetBuildSuggestions } from "../builds/suggestion-handlers.ts";
import {
  handleAssignExperiments,
  handleGetExperimentComparison,
  handleListGameExperiments,
} from "../experiments/handlers.ts";
import { handleListGameFeedbackForms, handleSubmitFeedback } from "../feedback/handlers.ts";
import { handleGetGame, handleListGames } from "../games/handlers.ts";
import { handleListInsights } from "../insights/handlers.ts";
import {
  handleGetBatch,
  handleListBatches,
  handleListBatchInvites,
  handleListBatchKeys,
} from "../playtests/handlers.ts";
import { handleGetHeatmap } from "../positions/handlers.ts";
import { handleGetSession, handleListSessions } from "../sessions/handlers.ts";
import { handleIngestDiscordThread } from "../sessions/webhook-handlers.ts";
import { handleGetEventConfig } from "../telemetry/event-config-handlers.ts";
import { handleGetEvents } from "../telemetry/event-handlers.ts";
import { handleSendTelemetry } from "../telemetry/handlers.ts";
import { handleGetTesterArchetypes } from "../testers/archetype-handlers.ts";
import { handleListHandles } from "../testers/handle-handlers.ts";
import { handleGetTester } from "../testers/handlers.ts";
import { handleGetTesterJourney } from "../testers/journey-handlers.ts";
import { handleGetCurrentTester, handleLinkTester, handleUnlinkTester } from "../testers/link-handlers.ts";
import type { AppService } from "./service.ts";

export const handlers: { readonly [Name in keyof Endpoints]: Handler<Endpoints[Name], AppService> } = {
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
