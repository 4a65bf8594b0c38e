/** The players of Ember Hollow's experiment: weeks of short sessions, whose return depends on the variant. */
import { EVENTS } from "../shared/event-names.ts";
import { SOURCES } from "../shared/session-sources.ts";
import { DAY_MS, HOUR_MS } from "../shared/time-units.ts";
import type { DemoBody } from "./bodies.ts";
import { Random } from "./random.ts";
import { Recorder } from "./recorder.ts";

/** The experiment as it is set up, oldest player's first day included. */
export const demoExperiment = {
  name: "Lanterns on the ash bridge",
  startsDaysAgo: 44,
  variants: [
    { key: "control", name: "As before", allocation: 50 },
    { key: "lanterns", name: "Lanterns mark the way", allocation: 50 },
  ],
} as const;

const PLAYER_COUNT = 150;
/** The newest first session, in days ago: all of it was played before the builds that are compared. */
const NEWEST_PLAYER_DAYS_AGO = 32;

/** How the players of a variant play: chances from 0 to 1. */
interface VariantBehavior {
  /** Of coming back on the first, second and seventh day. */
  readonly returns: readonly [number, number, number];
  readonly crashes: number;
  /** The most failures at the bridge in a session. */
  readonly fails: number;
}

const defaultBehavior: VariantBehavior = { returns: [0.3, 0.22, 0.14], crashes: 0.05, fails: 7 };
const variantBehaviors: Readonly<Record<string, VariantBehavior>> = {
  control: defaultBehavior,
  lanterns: { returns: [0.62, 0.48, 0.3], crashes: 0.03, fails: 3 },
};

const countries = ["DE", "US", "FR", "JP", "BR", "GB", "PL", "CA"] as const;
const platforms = ["windows", "windows", "steamdeck", "linux"] as const;

/**
 * The bodies of every player's sessions, oldest first. `variantOf` tells the variant of a device, as the service's own
 * bucketing gives it; null for a device outside of the experiment. `now` is unix ms and counts to the full UTC hour.
 */
export function demoCohort(
  now: number,
  experimentId: string,
  variantOf: (deviceId: string) => string | null,
): DemoBody[] {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const bodies: DemoBody[] = [];
  for (let player = 0; player < PLAYER_COUNT; player += 1) {
    const name = `ember/cohort/${player}`;
    const random = new Random(name);
    const deviceId = `dev_${random.hex(12)}`;
    const variant = variantOf(deviceId);
    const habit = variantBehaviors[variant ?? ""] ?? defaultBehavior;
    const daysAgo = random.between(NEWEST_PLAYER_DAYS_AGO, demoExperiment.startsDaysAgo - 0.1);
    const about = {
      gameId: "ember",
      deviceId,
      source: SOURCES.unity,
      environment: "production",
      country: random.pick(countries),
      sessionMetadata: { gameVersion: "0.7.5", platform: random.pick(platforms) },
      ...(variant === null ? {} : { experimentTags: { [experimentId]: variant } }),
    };
    for (const [sitting, after] of daysPlayed(habit, random).entries()) {
      const startedAt = Math.round(hour - daysAgo * DAY_MS + after * DAY_MS);
      if (startedAt > hour - HOUR_MS) continue;
      bodies.push(playSession(about, habit, `${name}/${sitting}`, startedAt));
    }
  }
  return bodies.sort((a, b) => a.startedAt - b.startedAt);
}

/** When a player plays, in days after the first session. */
function daysPlayed({ returns }: VariantBehavior, random: Random): number[] {
  const later = [1.3, 2.4, 7.5].filter((_, at) => random.chance(returns[at] ?? 0));
  return [0, ...later.map((day) => day + random.between(-0.2, 0.2))];
}

type CohortBodyFields = Omit<DemoBody, "events" | "startedAt" | "clientSessionId">;

function playSession(
  about: CohortBodyFields,
  habit: VariantBehavior,
  name: string,
  startedAt: number,
): DemoBody {
  const random = new Random(name);
  const recorder = new Recorder({ deaths: 0 });
  for (const room of ["lantern-stairs", "ash-bridge"]) {
    recorder.room = room;
    recorder.add("room_enter", { room });
    const fails = room === "ash-bridge" ? random.int(0, habit.fails) : random.int(0, 1);
    for (let fail = 0; fail < fails; fail += 1) {
      recorder.advance(random.int(20_000, 70_000));
      recorder.count("deaths");
      recorder.add(EVENTS.playerDeath, { room, cause: "ember" });
    }
    recorder.advance(random.int(40_000, 160_000));
    if (random.chance(0.8)) recorder.add(EVENTS.levelCompleted, { room });
  }
  if (random.chance(habit.crashes))
    recorder.add(EVENTS.crash, { room: "ash-bridge", message: "Out of light maps" });
  recorder.advance(random.int(2_000, 40_000));
  recorder.summarise();
  const events = recorder.events.map((event) => ({ ...event, timestamp: startedAt + event.timestamp }));
  return { ...about, clientSessionId: `cs_${random.hex(16)}`, startedAt, sessionEnded: true, events };
}
