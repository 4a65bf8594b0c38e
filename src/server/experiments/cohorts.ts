/** Cohorts: each player of an experiment in the one variant they were seen in, with what they played. */
import { EVENTS } from "../../shared/event-names.ts";
import type { ExposedSession } from "./exposure-queries.ts";

/** The crossovers are told of loudly above this share of the exposed devices. */
export const MAX_CROSSOVER_SHARE = 0.01;

/** One player of a variant: a device, or a session of no known device. */
export interface Player {
  readonly tester: string;
  /** Null where no device is known: such a player cannot come back. */
  readonly deviceId: string | null;
  /** Their exposed sessions, oldest first. */
  readonly sessions: ExposedSession[];
}

export interface Cohorts {
  /** Players by variant key, in the order they were first seen in. */
  readonly byVariant: ReadonlyMap<string, Player[]>;
  readonly crossovers: { readonly devices: number; readonly share: number; readonly warning: boolean };
}

/** Divides exposed sessions, oldest first, into players; whoever was seen in several variants is in none. */
export function groupIntoCohorts(sessions: readonly ExposedSession[]): Cohorts {
  const players = new Map<string, Player & { readonly variants: Set<string> }>();
  for (const session of sessions) {
    const { tester, device_id: deviceId, variant_key } = session;
    const known = players.get(tester) ?? { tester, deviceId, sessions: [], variants: new Set<string>() };
    known.sessions.push(session);
    known.variants.add(variant_key);
    players.set(tester, known);
  }
  const byVariant = new Map<string, Player[]>();
  let devices = 0;
  let crossed = 0;
  for (const { variants, ...player } of players.values()) {
    if (player.deviceId !== null) devices += 1;
    if (variants.size > 1) {
      if (player.deviceId !== null) crossed += 1;
      continue;
    }
    for (const key of variants) {
      const cohort = byVariant.get(key);
      if (cohort) cohort.push(player);
      else byVariant.set(key, [player]);
    }
  }
  const share = devices > 0 ? crossed / devices : 0;
  return { byVariant, crossovers: { devices: crossed, share, warning: share > MAX_CROSSOVER_SHARE } };
}

/** Whether the game died in a session. */
export function hasCrash({ event_counts }: { readonly event_counts: string }): boolean {
  return (
    event_counts.includes(EVENTS.crash) && Object.hasOwn(JSON.parse(event_counts) as object, EVENTS.crash)
  );
}
