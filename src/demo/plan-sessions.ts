/** From a table of sittings and a table of testers to sessions that are ready to be played. */

import type { TelemetryEnvelope } from "../contract/telemetry.ts";
import { DAY_MS } from "../shared/time-units.ts";
import type { DemoSession } from "./bodies.ts";
import { Random } from "./random.ts";
import type { Recording } from "./recorder.ts";

/** A tester of either game: one device. */
export interface DemoTester {
  /** Names the tester in the session tables; the device id is drawn from it. */
  readonly key: string;
  /** Absent for those who never linked a handle. */
  readonly handle?: string;
  readonly platform: string;
  /** ISO 3166 alpha-2. */
  readonly country: string;
  readonly region?: string;
  readonly city?: string;
}

/** A sitting of either game. */
export interface SessionPlan {
  readonly build: string;
  /** The key of a tester. */
  readonly tester: string;
  /** When the session starts, in days before `now`. */
  readonly daysAgo: number;
  /** `production` where absent. */
  readonly environment?: string;
  /** ISO 3166 alpha-2, where the tester was elsewhere than usual. */
  readonly country?: string;
}

/** What casting needs to know of a game. */
export interface GameDefinition<P extends SessionPlan, T extends DemoTester> {
  readonly slug: string;
  readonly name: string;
  readonly source: NonNullable<TelemetryEnvelope["source"]>;
  readonly testers: readonly T[];
  readonly plans: readonly P[];
  engineVersion(plan: P): string;
  /** The place the sitting starts from, as its title gives it. */
  startsFrom(plan: P): string;
  play(plan: P, tester: T, random: Random): Recording;
}

/**
 * Every session of a game, not yet played, in the order of its table.
 *
 * Game, build, tester and count name a session, and the name seeds all that happens in it: a sitting added for one
 * tester leaves those of the others as they are.
 */
export function planSessions<P extends SessionPlan, T extends DemoTester>(
  game: GameDefinition<P, T>,
): DemoSession[] {
  const testers = new Map(game.testers.map((tester) => [tester.key, tester]));
  const taken = new Map<string, number>();
  return game.plans.map((plan) => {
    const tester = testers.get(plan.tester);
    if (tester === undefined) throw new RangeError(`${game.name} has no tester ${plan.tester}`);
    const series = `${game.slug}/${plan.build}/${plan.tester}`;
    const take = (taken.get(series) ?? 0) + 1;
    taken.set(series, take);
    return planSession(game, plan, tester, `${series}/${take}`);
  });
}

function planSession<P extends SessionPlan, T extends DemoTester>(
  game: GameDefinition<P, T>,
  plan: P,
  tester: T,
  name: string,
): DemoSession {
  const { key, handle, platform, country, region, city } = tester;
  return {
    startsAgo: Math.round(plan.daysAgo * DAY_MS),
    about: {
      gameId: game.slug,
      clientSessionId: `cs_${new Random(`${name}/id`).hex(16)}`,
      deviceId: `dev_${new Random(`${game.slug}/device/${key}`).hex(12)}`,
      title: `${game.name} ${plan.build}, from ${game.startsFrom(plan)}`,
      source: game.source,
      environment: plan.environment ?? "production",
      country: plan.country ?? country,
      ...(handle === undefined ? {} : { testerHandle: handle }),
      ...(region === undefined ? {} : { region }),
      ...(city === undefined ? {} : { city }),
      sessionMetadata: { gameVersion: plan.build, platform, engineVersion: game.engineVersion(plan) },
    },
    play: () => game.play(plan, tester, new Random(name)),
  };
}
