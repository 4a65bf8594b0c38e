/** sessions: one row per session. */
import type { Session } from "../../contract/sessions.ts";
import { int64, json, string, timestamp } from "../column.ts";
import { defineDataset, toEnvironmentFilters } from "./dataset.ts";
import { createCounter, createExtentReader, estimateListRequests } from "./list-extent.ts";
import { type ListSource, readListParts } from "./lists.ts";

interface SessionExportRow {
  readonly game: string;
  readonly environment: string | undefined;
  readonly session: Session;
}

export const sessionList: ListSource<Session> = {
  name: "sessions",
  fetch: ({ client }, query) => client.listSessions(query),
  getTime: ({ recordedAt }) => recordedAt,
};

export const sessions = defineDataset<SessionExportRow>({
  name: "sessions",
  summary: "One row per session. Files are partitioned by recordedAt and sorted newest first",
  hasEnvironments: true,
  partitionTime: async () => "recordedAt",
  columns: [
    timestamp("recordedAt", "When the session started", ({ session }) => session.recordedAt),
    string("game", "Slug of the game", ({ game }) => game),
    string("id", "Session id", ({ session }) => session.id),
    string("title", "Title", ({ session }) => session.title),
    string("source", "Where the session came from, such as unity-telemetry", ({ session }) => session.source),
    string(
      "status",
      "Processing state: pending, transcribing, processing, analyzed or failed",
      ({ session }) => session.status,
    ),
    int64("duration", "Wall time", ({ session }) => session.duration, "s"),
    string("testerHandle", "The tester's handle", ({ session }) => session.testerHandle),
    string("build", "Build version", ({ session }) => session.metadata.gameVersion),
    string("platform", "Platform", ({ session }) => session.metadata.platform),
    string(
      "environment",
      "Environment of the session",
      ({ session, environment }) => session.environment ?? environment,
    ),
    json("metadata", "All metadata", ({ session }) => session.metadata),
    timestamp(
      "receivedAt",
      "When the service first received the session",
      ({ session }) => session.receivedAt,
    ),
    json(
      "clockCorrected",
      "true if the device's clock was wrong; recordedAt is then the time of receipt",
      ({ session }) => session.clockCorrected,
    ),
    string(
      "deviceId",
      "Device of the tester. A session without a device counts as its own tester",
      ({ session }) => session.deviceId,
    ),
  ],
  extent: createExtentReader(sessionList),
  counter: createCounter(sessionList, "session"),
  requests: estimateListRequests,
  parts: (reader, scope) =>
    readListParts(reader, scope, sessionList, toEnvironmentFilters(scope), (session, environment) => [
      { game: scope.game.slug, environment, session },
    ]),
});
