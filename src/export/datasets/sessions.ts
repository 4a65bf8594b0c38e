/** sessions: a row a session. */
import type { Session } from "../../contract/sessions.ts";
import { int64, json, string, timestamp } from "../column.ts";
import { defineDataset, toEnvironmentFilters } from "./dataset.ts";
import { createExtentReader, estimateListRequests, type ListSource, readListParts } from "./lists.ts";

interface SessionExportRow {
  readonly game: string;
  readonly environment: string | undefined;
  readonly session: Session;
}

export const sessionList: ListSource<Session> = {
  fetch: ({ client }, query) => client.listSessions(query),
  timeOf: ({ recordedAt }) => recordedAt,
};

export const sessions = defineDataset<SessionExportRow>({
  name: "sessions",
  summary: "A row a session, by the time it was recorded, the newest first in each file",
  hasEnvironments: true,
  columns: [
    timestamp("recordedAt", "When it was played", ({ session }) => session.recordedAt),
    string("game", "Slug of the game", ({ game }) => game),
    string("id", "Session id", ({ session }) => session.id),
    string("title", "Title", ({ session }) => session.title),
    string("source", "Where it came from", ({ session }) => session.source),
    string("status", "State of its analysis", ({ session }) => session.status),
    int64("duration", "Wall time", ({ session }) => session.duration, "s"),
    string("testerHandle", "The tester's handle", ({ session }) => session.testerHandle),
    string("build", "Build version", ({ session }) => session.metadata.gameVersion),
    string("platform", "Platform", ({ session }) => session.metadata.platform),
    string("environment", "The --env it was asked for; null without one", ({ environment }) => environment),
    json("metadata", "All metadata", ({ session }) => session.metadata),
    timestamp("receivedAt", "When the service first received it", ({ session }) => session.receivedAt),
    json(
      "clockCorrected",
      "True where the device's clock was wrong, and recordedAt is the time of receipt",
      ({ session }) => session.clockCorrected,
    ),
  ],
  extent: createExtentReader(sessionList),
  requests: estimateListRequests,
  parts: (reader, scope) =>
    readListParts(reader, scope, sessionList, toEnvironmentFilters(scope), (session, environment) => ({
      game: scope.game.slug,
      environment,
      session,
    })),
});
