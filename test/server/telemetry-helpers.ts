/** Helpers to send telemetry, to change stored sessions, and to read data back. */
import { expect } from "vitest";
import type { SessionRow } from "../../src/server/db/schema.ts";
import { updateSession } from "../../src/server/sessions/session-queries.ts";
import { NOW, type TestService } from "../harness.ts";

/** One event as a client sends it. */
export interface SentEvent {
  readonly id: string;
  readonly name: string;
  readonly timestamp: number;
  readonly data?: Record<string, unknown>;
}

/** Events with these names, one second apart, with the ids e0, e1, … */
export function createEvents(names: readonly string[], start = NOW): SentEvent[] {
  return names.map((name, at) => ({ id: `e${at}`, name, timestamp: start + at * 1000 }));
}

export type Body = Readonly<Record<string, unknown>>;

/** Sends a telemetry body that must be accepted completely, and returns the id of its session. */
export async function sendTelemetry(service: TestService, body: Body): Promise<string> {
  const answer = await service.post("/api/telemetry", { events: [], ...body });
  expect([answer.status, answer.json.rejected, answer.text]).toEqual([202, [], answer.text]);
  return answer.json.sessionId as string;
}

/** Reads the details of a session, including its insights, over the API. */
export async function readSession(service: TestService, sessionId: string) {
  const answer = await service.get(`/api/v1/sessions/${sessionId}`);
  expect(answer.status).toBe(200);
  return answer.json;
}

export async function readSessionRow(service: TestService, sessionId: string): Promise<SessionRow> {
  const { readDb: db } = service.service.store;
  return await db.selectFrom("sessions").selectAll().where("id", "=", sessionId).executeTakeFirstOrThrow();
}

/** Changes a stored session in ways that no client can. */
export async function changeSession(
  service: TestService,
  sessionId: string,
  changed: Partial<SessionRow>,
): Promise<void> {
  const { store } = service.service;
  await updateSession(store.writeDb, await readSessionRow(service, sessionId), changed, null);
}

/** Reads all items of a paginated list. */
export async function listAll(service: TestService, path: string, limit = 100) {
  const items = [];
  for (;;) {
    const joint = path.includes("?") ? "&" : "?";
    const answer = await service.get(`${path}${joint}limit=${limit}&offset=${items.length}`);
    expect([path, answer.status]).toEqual([path, 200]);
    items.push(...answer.json.items);
    expect(answer.json.hasMore).toBe(items.length < answer.json.total);
    if (!answer.json.hasMore) return items;
    expect(answer.json.items).not.toEqual([]);
  }
}

/** The responses of all read endpoints for an account, by URL. */
export async function readAllResponses(service: TestService): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const take = async (url: string) => {
    const answer = await service.get(url);
    answers[url] = [answer.status, answer.json];
    return answer.json;
  };
  const { games } = await take("/api/v1/games");
  const sessions = await listAll(service, "/api/v1/sessions");
  answers.sessions = sessions;
  answers.insights = await listAll(service, "/api/v1/insights");
  for (const { id } of sessions) await take(`/api/v1/sessions/${id}`);
  for (const { slug, id } of games) {
    await take(`/api/v1/games/${slug}`);
    const own = sessions.filter((session) => session.gameId === id);
    const builds = [...new Set<string>(own.map((session) => session.metadata.gameVersion))].map(
      encodeURIComponent,
    );
    for (const search of ["", "?env=all", "?env=production", ...builds.map((build) => `?build=${build}`)]) {
      await take(`/api/v1/heatmaps/${slug}${search}`);
      await take(`/api/v1/events/${slug}${search}`);
    }
    for (const a of builds) {
      await take(`/api/v1/builds/${slug}/${a}`);
      for (const b of builds) await take(`/api/v1/builds/compare?game=${slug}&a=${a}&b=${b}`);
    }
    const devices = new Set<string>();
    for (const session of own) {
      const deviceId = (await readSessionRow(service, session.id)).device_id;
      if (deviceId !== null) devices.add(deviceId);
    }
    for (const device of devices) await take(`/api/v1/testers/${slug}/${encodeURIComponent(device)}`);
  }
  return answers;
}
