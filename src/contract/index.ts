/** The table of endpoints: what the service serves, the client calls and the docs describe. */
import { compareBuilds, getBuild } from "./builds.ts";
import { getEvents } from "./events.ts";
import { getGame, listGames } from "./games.ts";
import { getHeatmap } from "./heatmaps.ts";
import { listInsights } from "./insights.ts";
import { getSession, listSessions } from "./sessions.ts";
import { sendTelemetry } from "./telemetry.ts";
import { getTester } from "./testers.ts";

export const endpoints = {
  listGames,
  getGame,
  listSessions,
  getSession,
  listInsights,
  getBuild,
  compareBuilds,
  getTester,
  getHeatmap,
  getEvents,
  sendTelemetry,
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
