/** The names of the demo's game, as the API lists them. The demo gets what it lacks: bug reports. */
import type { TestService } from "../harness.ts";
import type { Names } from "./addresses.ts";

/** A game with data on every page. */
const GAME = "ember";

export async function readDemoNames(service: TestService): Promise<Names> {
  for (const idempotencyKey of ["one", "two"]) {
    const body = { gameId: GAME, title: "Stuck", description: "In a wall", severity: "high", idempotencyKey };
    const { status } = await service.post("/api/telemetry/bug-report", body);
    if (status !== 200) throw new Error(`Sending a bug report returned ${status}`);
  }
  const read = async (path: string) => {
    const { status, json } = await service.get(path);
    if (status !== 200) throw new Error(`${path} returned ${status}`);
    return json;
  };
  const [latest, earlier] = (await read(`/api/v1/builds/${GAME}`)).items;
  const { items: insights } = await read(`/api/v1/insights?game=${GAME}&type=difficulty-spike`);
  const [insight] = insights;
  const { session } = await read(`/api/v1/sessions/${insight.sessionId}`);
  const { rooms } = await read(`/api/v1/heatmaps/${GAME}?build=${earlier.version}`);
  const { items: events, next } = await read(`/api/v1/sessions/${session.id}/events?limit=3`);
  const [submission] = (await read(`/api/v1/feedback/${GAME}?env=all`)).items;
  const [bugReport] = (await read(`/api/v1/bug-reports/${GAME}`)).items;
  const { experiments } = await read(`/api/v1/games/${GAME}/experiments`);
  const { batches } = await read(`/api/v1/batches/${GAME}`);
  return {
    game: GAME,
    build: latest.version,
    before: earlier.version,
    tester: session.deviceId,
    session: session.id,
    insight: insight.id,
    tag: insight.tag,
    room: rooms[0].room,
    event: events[0].name,
    cursor: next,
    experiment: experiments[0].id,
    submission: submission.submissionId,
    form: submission.formId,
    bugReport: bugReport.id,
    batch: batches[0].id,
  };
}
