/** Random play of several testers through the telemetry endpoint, and everything that a service then answers. */
import { afterEach, expect } from "vitest";
import { requireExperiment } from "../../../src/server/experiments/experiment-queries.ts";
import { createExperiment, startExperiment } from "../../../src/server/experiments/lifecycle.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { requireGame } from "../../../src/server/games/game-queries.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createRandom } from "../../random.ts";
import { readAllResponses, readSessionRow } from "../telemetry-helpers.ts";

/** Random choices that a seed repeats. */
export function createChoices(seed: number) {
  const random = createRandom(seed);
  /** An integer from `min` to `max`. */
  const integer = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const pick = <T>(from: readonly T[]): T => from[integer(0, from.length - 1)] as T;
  return { integer, pick };
}

export type Choices = ReturnType<typeof createChoices>;

/** Starts services, which stop after each test, or before with `stop`. */
export function createStarter() {
  const open: TestService[] = [];
  const stop = async () => {
    for (const service of open.splice(0)) await service.stop();
  };
  afterEach(stop);
  const start = async (database = ":memory:"): Promise<TestService> => {
    const service = await startTestService({ database });
    open.push(service);
    return service;
  };
  return { start, stop };
}

/** One request of a game client. */
interface PlayRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A session that is played: its name in the test, and its requests in order. */
export interface PlayedSession {
  readonly name: string;
  readonly device: string | null;
  readonly handle: string | null;
  readonly requests: readonly PlayRequest[];
}

/** The objects that every service of a test has, with the same ids. */
export interface Studio {
  readonly experimentId: string;
  readonly formId: string;
}

/** Creates a game with an experiment and a form. */
export async function createStudio(service: TestService): Promise<Studio> {
  await service.addGame("ember");
  const { writeDb } = service.service.store;
  const game = await requireGame(writeDb, service.accountId, "ember");
  const { id: experimentId } = await createExperiment(writeDb, service.service, game, {
    name: "Lever",
    variants: [
      { key: "a", name: "A", allocation: 50 },
      { key: "b", name: "B", allocation: 50 },
    ],
    audienceId: null,
  });
  await startExperiment(writeDb, await requireExperiment(writeDb, service.accountId, experimentId), NOW);
  const { id: formId } = await createForm(writeDb, service.service, game.id, {
    name: "Exit",
    fields: [
      { id: "fun", label: "Fun?", kind: "rating-1-5" },
      { id: "why", label: "Why?", kind: "long-text" },
    ],
    triggerHint: "session_end",
    active: true,
  });
  return { experimentId, formId };
}

/** What sessions differ in. */
export interface Variety {
  readonly rooms: readonly string[];
  readonly builds: readonly string[];
  readonly environments: readonly string[];
  readonly sources: readonly string[];
  /** Some positions are of one of these players of the device. */
  readonly players: readonly string[];
  /** The minimum and maximum number of batches of events. */
  readonly batches: readonly [number, number];
}

export const diverse: Variety = {
  rooms: ["cave", "tower", "bridge"],
  builds: ["1.0", "1.1"],
  environments: ["production", "staging"],
  sources: ["unity-telemetry", "godot-telemetry"],
  players: ["p1", "p2"],
  batches: [1, 4],
};

/** Sessions that are alike, so that their positions soon fill blocks. */
export const uniform: Variety = {
  rooms: ["cave"],
  builds: ["1.0"],
  environments: ["production"],
  sources: ["unity-telemetry"],
  players: [],
  batches: [4, 6],
};

const NAMES = ["jump", "lever_pulled", "player_death", "level_completed", "fps_drop"];

/** Creates a session with random events. Its texts, one of its rooms and one of its event names contain its name. */
export function playSession(
  random: Choices,
  studio: Studio,
  { name, device, handle }: Pick<PlayedSession, "name" | "device" | "handle">,
  { rooms, builds, environments, sources, players, batches: [minBatches, maxBatches] }: Variety = diverse,
): PlayedSession {
  const start = NOW - random.integer(1, 20) * 3_600_000;
  const common = {
    gameId: "ember",
    ...(device === null ? {} : { deviceId: device }),
    ...(handle === null ? {} : { testerHandle: handle }),
    clientSessionId: `client-${name}`,
    startedAt: start,
    environment: random.pick(environments),
    source: random.pick(sources),
    country: random.pick(["DE", "FR"]),
    sessionMetadata: { gameVersion: random.pick(builds), platform: "linux" },
    experimentTags: { [studio.experimentId]: random.pick(["a", "b"]) },
    title: `Evening of ${name}`,
  };
  let at = start;
  let number = 0;
  const createEvent = (eventName: string, data?: Record<string, unknown>) => {
    at += random.integer(200, 40_000);
    number += 1;
    return { id: `${name}-${number}`, name: eventName, timestamp: at, ...(data ? { data } : {}) };
  };
  const requests: PlayRequest[] = [];
  const batches = random.integer(minBatches, maxBatches);
  for (let batch = 0; batch < batches; batch += 1) {
    const room = random.integer(0, 6) === 0 ? `room of ${name}` : random.pick(rooms);
    const events = Array.from({ length: random.integer(3, 25) }, () =>
      random.integer(0, 2) === 0
        ? createEvent(random.pick([...NAMES, `trick_of_${name}`]), { room, note: `note of ${name}` })
        : createEvent("player_pos", {
            ...{ room, x: random.integer(0, 90), y: random.integer(0, 40) },
            ...(random.integer(0, 1) === 0 ? {} : { z: random.integer(0, 9) }),
            ...(players.length === 0 || random.integer(0, 1) === 0 ? {} : { player: random.pick(players) }),
          }),
    );
    const isLast = batch === batches - 1;
    if (isLast && random.integer(0, 3) === 0)
      events.push(createEvent("crash_reported", { message: `crash of ${name}` }));
    requests.push({
      path: "/api/telemetry",
      body: { ...common, events, ...(isLast ? { sessionEnded: true } : {}) },
    });
  }
  if (random.integer(0, 2) === 0)
    requests.push({
      path: "/api/telemetry/feedback",
      body: {
        requestId: `feedback-${name}`,
        formId: studio.formId,
        responses: [
          { fieldId: "fun", value: String(random.integer(1, 5)) },
          { fieldId: "why", value: `The maze made ${name} really angry` },
        ],
      },
    });
  if (random.integer(0, 2) === 0)
    requests.push({
      path: "/api/telemetry/bug-report",
      body: {
        gameId: "ember",
        idempotencyKey: `bug-${name}`,
        title: `Bug of ${name}`,
        description: `${name} fell through the floor`,
        ...(device === null ? {} : { playerId: device }),
      },
    });
  return { name, device, handle, requests };
}

/** A request with its number among all requests of a run, which includes those that a service does not get. */
export interface NumberedRequest extends PlayRequest {
  readonly number: number;
  readonly session: string;
}

/** Mixes the requests of sessions at random, those of each session in their order. */
export function interleave(random: Choices, sessions: readonly PlayedSession[]): NumberedRequest[] {
  const queues = sessions.map(({ name, requests }) => ({ name, rest: [...requests] }));
  const mixed: NumberedRequest[] = [];
  for (;;) {
    const open = queues.filter(({ rest }) => rest.length > 0);
    if (open.length === 0) return mixed;
    const { name, rest } = random.pick(open);
    const request = rest.shift();
    if (request) mixed.push({ ...request, number: mixed.length, session: name });
  }
}

/** Ids per request, so that a service without some of the requests still gives the same ids to the others. */
const IDS_PER_REQUEST = 100;

/** Sends requests to a service, and adds the ids of the sessions by name. */
export async function send(
  service: TestService,
  requests: readonly NumberedRequest[],
  ids: Map<string, string>,
): Promise<void> {
  for (const { path, body, number, session } of requests) {
    service.ids.next = 0x10000 + number * IDS_PER_REQUEST;
    const isEvents = path === "/api/telemetry";
    const answer = await service.post(path, isEvents ? body : { ...body, sessionId: ids.get(session) });
    expect([answer.text, answer.status < 300]).toEqual([answer.text, true]);
    if (isEvents) ids.set(session, answer.json.sessionId);
  }
}

/** Every answer of a service, after all analyses. */
export async function readAnswers(service: TestService, studio: Studio): Promise<Record<string, unknown>> {
  await service.compaction.drain();
  await service.eventCompaction.drain();
  await service.analysis.drain();
  const answers = await readAllResponses(service);
  const take = async (path: string) => {
    const { status, json } = await service.get(path);
    answers[path] = [status, json];
  };
  for (const path of [
    "/api/v1/bug-reports/ember",
    "/api/v1/handles/ember",
    "/api/v1/games/ember/prompts",
    "/api/v1/batches/ember",
    "/api/v1/games/ember/experiments",
    `/api/v1/experiments/${studio.experimentId}/comparison`,
    "/api/v1/heatmaps/ember?source=all",
    "/api/v1/heatmaps/ember?source=all&event=jump",
    "/api/v1/builds/ember/1.0/exposure",
    "/api/v1/builds/compare?game=ember&a=1.0&b=1.1&env=all",
  ])
    await take(path);
  for (const { id } of answers.sessions as { id: string }[]) {
    await take(`/api/v1/sessions/${id}/events`);
    const { device_id } = await readSessionRow(service, id);
    const journey = `/api/v1/testers/ember/${encodeURIComponent(device_id ?? "")}/journey`;
    if (device_id !== null && !(journey in answers)) await take(journey);
  }
  return answers;
}
