/** The players of Ember Hollow's experiment: weeks of short sessions. Retention depends on the variant. */
import { EVENTS } from "../shared/event-names.ts";
import { SOURCES } from "../shared/session-sources.ts";
import { DAY_MS, HOUR_MS } from "../shared/time-units.ts";
import type { DemoBody } from "./bodies.ts";
import { findDemoTime } from "./demo-time.ts";
import { Random } from "./random.ts";
import { Recorder } from "./recorder.ts";

/** The settings of the experiment. It starts before the first session of the oldest player. */
export const demoExperiment = {
  name: "Lanterns on the ash bridge",
  startsDaysAgo: 44,
  variants: [
    { key: "control", name: "As before", allocation: 50 },
    { key: "lanterns", name: "Lanterns mark the way", allocation: 50 },
  ],
} as const;

const PLAYER_COUNT = 150;
/** When the newest player starts, in days ago: before the sessions of the builds that are compared. */
const NEWEST_PLAYER_DAYS_AGO = 32;

/** The behavior of the players in a variant. Probabilities are from 0 to 1. */
interface VariantBehavior {
  /** Probabilities of returning on day 1, 2 and 7. */
  readonly returns: readonly [number, number, number];
  /** Probability of a crash per session. */
  readonly crashes: number;
  /** Maximum failures at the bridge per session. */
  readonly maxFails: number;
}

const defaultBehavior: VariantBehavior = { returns: [0.3, 0.22, 0.14], crashes: 0.05, maxFails: 7 };
const variantBehaviors: Readonly<Record<string, VariantBehavior>> = {
  control: defaultBehavior,
  lanterns: { returns: [0.62, 0.48, 0.3], crashes: 0.03, maxFails: 3 },
};

const countries = ["DE", "US", "FR", "JP", "BR", "GB", "PL", "CA"] as const;
const platforms = ["windows", "windows", "steamdeck", "linux"] as const;

/** A session that is about to start, for which a game asks for its variants. */
export interface CohortSession {
  readonly deviceId: string;
  readonly platform: string;
  /** Unix ms. */
  readonly startedAt: number;
}

/**
 * The bodies of all sessions of the cohort, oldest first. `findTags` returns the variants of a session by experiment; that of
 * `experimentId` decides how the player behaves. `now` is unix ms.
 */
export function demoCohort(
  now: number,
  experimentId: string,
  findTags: (session: CohortSession) => Readonly<Record<string, string>>,
): DemoBody[] {
  const demoTime = findDemoTime(now);
  const bodies: DemoBody[] = [];
  for (let player = 0; player < PLAYER_COUNT; player += 1) {
    const name = `ember/cohort/${player}`;
    const random = new Random(name);
    const deviceId = `dev_${random.hex(12)}`;
    const daysAgo = random.between(NEWEST_PLAYER_DAYS_AGO, demoExperiment.startsDaysAgo - 0.1);
    const commonFields = {
      gameId: "ember",
      deviceId,
      source: SOURCES.unity,
      environment: "production",
      country: random.pick(countries),
      sessionMetadata: { gameVersion: "0.7.5", platform: random.pick(platforms) },
    };
    const { platform } = commonFields.sessionMetadata;
    const tagsAt = (startedAt: number) => findTags({ deviceId, platform, startedAt });
    const behavior = variantBehaviors[tagsAt(demoTime)[experimentId] ?? ""] ?? defaultBehavior;
    for (const [index, day] of pickDays(behavior, random).entries()) {
      const startedAt = Math.round(demoTime - daysAgo * DAY_MS + day * DAY_MS);
      if (startedAt > demoTime - HOUR_MS) continue;
      const tagged = { ...commonFields, experimentTags: tagsAt(startedAt) };
      bodies.push(playSession(tagged, behavior, `${name}/${index}`, startedAt));
    }
  }
  return bodies.sort((a, b) => a.startedAt - b.startedAt);
}

/** The times of the sessions of a player, in days after the first one. */
function pickDays({ returns }: VariantBehavior, random: Random): number[] {
  const later = [1.3, 2.4, 7.5].filter((_, at) => random.chance(returns[at] ?? 0));
  return [0, ...later.map((day) => day + random.between(-0.2, 0.2))];
}

type CohortBodyFields = Omit<DemoBody, "events" | "startedAt" | "clientSessionId">;

function playSession(
  commonFields: CohortBodyFields,
  behavior: VariantBehavior,
  name: string,
  startedAt: number,
): DemoBody {
  const random = new Random(name);
  const recorder = new Recorder({ deaths: 0 });
  for (const room of ["lantern-stairs", "ash-bridge"]) {
    recorder.room = room;
    recorder.add("room_enter", { room });
    const fails = room === "ash-bridge" ? random.int(0, behavior.maxFails) : random.int(0, 1);
    for (let fail = 0; fail < fails; fail += 1) {
      recorder.advance(random.int(20_000, 70_000));
      recorder.count("deaths");
      recorder.add(EVENTS.playerDeath, { room, cause: "ember" });
    }
    recorder.advance(random.int(40_000, 160_000));
    if (random.chance(0.8)) recorder.add(EVENTS.levelCompleted, { room });
  }
  if (random.chance(behavior.crashes))
    recorder.add(EVENTS.crash, { room: "ash-bridge", message: "Out of light maps" });
  recorder.advance(random.int(2_000, 40_000));
  recorder.addSummary();
  const events = recorder.events.map((event) => ({ ...event, timestamp: startedAt + event.timestamp }));
  return { ...commonFields, clientSessionId: `cs_${random.hex(16)}`, startedAt, sessionEnded: true, events };
}
