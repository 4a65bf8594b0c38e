/** Sends and deletes sessions of past days, whose event counts compaction moves. */
import { deleteSession } from "../../../src/server/erasure/delete-session.ts";
import { NOW, type TestService } from "../../harness.ts";
import { createEvents, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";

export const DAY = 24 * 3600_000;

export interface PastSession {
  readonly daysAgo: number;
  readonly build: string;
  readonly env: string;
}

/** Sends a body with one event of each name. The same names are the same events. Returns the id of the session. */
export const sendPastSession = (
  service: TestService,
  slug: string,
  clientSessionId: string,
  { daysAgo, build, env }: PastSession,
  names: readonly string[],
): Promise<string> =>
  sendTelemetry(service, {
    ...{ gameId: slug, clientSessionId, environment: env, sessionMetadata: { gameVersion: build } },
    startedAt: NOW - daysAgo * DAY,
    events: createEvents(names, NOW - daysAgo * DAY).map((event, at) => ({
      ...event,
      id: `${names.join()}-${at}`,
    })),
  });

export async function removeSession(service: TestService, id: string): Promise<void> {
  await deleteSession(service.service, service.accountId, await readSessionRow(service, id));
}
