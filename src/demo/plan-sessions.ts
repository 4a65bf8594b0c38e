/** Combines a table of session plans and a table of testers into demo sessions. */
import type { TelemetryEnvelope } from "../contract/telemetry.ts";
import { DAY_MS } from "../shared/time-units.ts";
import type { DemoSession } from "./bodies.ts";
import { Random } from "./random.ts";
import type { Recording } from "./recorder.ts";

/** A tester of a demo game, with one device. */
export interface DemoTester {
  /** Identifies the tester in session plans. The device id is derived from it. */
  readonly key: string;
  /** Absent if the tester never linked a handle. */
  readonly handle?: string;
  readonly platform: string;
  /** ISO 3166 alpha-2. */
  readonly country: string;
  readonly region?: string;
  readonly city?: string;
}

export interface SessionPlan {
  readonly build: string;
  /** The key of a tester. */
  readonly tester: string;
  /** When the session starts, in days before the demo time. */
  readonly daysAgo: number;
  /** Default: `production`. */
  readonly environment?: string;
  /** ISO 3166 alpha-2, if it differs from the tester's usual country. */
  readonly country?: string;
}

export interface GameDefinition<P extends SessionPlan, T extends DemoTester> {
  readonly slug: string;
  readonly name: string;
  readonly source: NonNullable<TelemetryEnvelope["source"]>;
  readonly testers: readonly T[];
  readonly plans: readonly P[];
  engineVersion(plan: P): string;
  play(plan: P, tester: T, random: Random): Recording;
}

/**
 * All planned sessions of a game, in the order of its table.
 *
 * The random seed of a session is derived from game, build, tester and a counter. Adding a session for one tester
 * therefore does not change the sessions of other testers.
 */
export function planSessions<P extends SessionPlan, T extends DemoTester>(
  game: GameDefinition<P, T>,
): DemoSession[] {
  const testers = new Map(game.testers.map((tester) => [tester.key, tester]));
  const counts = new Map<string, number>();
  return game.plans.map((plan) => {
    const tester = testers.get(plan.tester);
    if (tester === undefined) throw new RangeError(`Unknown tester ${plan.tester} of ${game.name}`);
    const series = `${game.slug}/${plan.build}/${plan.tester}`;
    const count = (counts.get(series) ?? 0) + 1;
    counts.set(series, count);
    return planSession(game, plan, tester, `${series}/${count}`);
  });
}

function planSession<P extends SessionPlan, T extends DemoTester>(
  game: GameDefinition<P, T>,
  plan: P,
  tester: T,
  name: string,
): DemoSession {
  const { key, handle, platform } = tester;
  // The region and city of a tester are in the usual country.
  const { country, region, city } = plan.country === undefined ? tester : { country: plan.country };
  return {
    startsAgo: Math.round(plan.daysAgo * DAY_MS),
    commonFields: {
      gameId: game.slug,
      clientSessionId: `cs_${new Random(`${name}/id`).hex(16)}`,
      deviceId: `dev_${new Random(`${game.slug}/device/${key}`).hex(12)}`,
      source: game.source,
      environment: plan.environment ?? "production",
      country,
      ...(handle === undefined ? {} : { testerHandle: handle }),
      ...(region === undefined ? {} : { region }),
      ...(city === undefined ? {} : { city }),
      sessionMetadata: { gameVersion: plan.build, platform, engineVersion: game.engineVersion(plan) },
    },
    play: () => game.play(plan, tester, new Random(name)),
  };
}
