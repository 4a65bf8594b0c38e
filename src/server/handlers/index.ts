/** The handler of every endpoint: one that is missing does not compile. */
import type { Endpoints } from "../../contract/index.ts";
import { handleCompareBuilds, handleGetBuild } from "./builds.ts";
import { handleGetEvents } from "./events.ts";
import { handleGetGame, handleListGames } from "./games.ts";
import type { Handler } from "./handler.ts";
import { handleGetHeatmap } from "./heatmaps.ts";
import { handleListInsights } from "./insights.ts";
import { handleGetSession, handleListSessions } from "./sessions.ts";
import { handleSendTelemetry } from "./telemetry.ts";
import { handleGetTester } from "./testers.ts";

export const handlers: { readonly [Name in keyof Endpoints]: Handler<Endpoints[Name]> } = {
  listGames: handleListGames,
  getGame: handleGetGame,
  listSessions: handleListSessions,
  getSession: handleGetSession,
  listInsights: handleListInsights,
  getBuild: handleGetBuild,
  compareBuilds: handleCompareBuilds,
  getTester: handleGetTester,
  getHeatmap: handleGetHeatmap,
  getEvents: handleGetEvents,
  sendTelemetry: handleSendTelemetry,
};
