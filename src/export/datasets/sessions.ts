/** sessions: a row a session. */
import type { Session } from "../../contract/sessions.ts";
import { int64, json, string, timestamp } from "../column.ts";
import { dataset, environmentsOf } from "./dataset.ts";
import { extentOf, type ListSource, listParts, listRequests } from "./lists.ts";

interface Row {
  readonly game: string;
  readonly environment: string | undefined;
  readonly session: Session;
}

export const sessionList: ListSource<Session> = {
  fetch: ({ client }, query) => client.listSessions(query),
  timeOf: ({ recordedAt }) => recordedAt,
};

export const sessions = dataset<Row>({
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
  extent: extentOf(sessionList),
  requests: listRequests,
  parts: (reader, scope) =>
    listParts(reader, scope, sessionList, environmentsOf(scope), (session, environment) => ({
      game: scope.game.slug,
      environment,
      session,
    })),
});
