/** Cohorts: the players of each variant, with their exposed sessions. */
import { EVENTS } from "../../shared/event-names.ts";
import { addToGroup } from "../../shared/group-by.ts";
import type { ExposedSession } from "./exposure-queries.ts";

/** Crossovers set a warning above this share of the exposed devices. */
const MAX_CROSSOVER_SHARE = 0.01;

/** One player of a variant: a device, or a session without a known device. */
export interface Player {
  readonly tester: string;
  /** Null if the device is unknown. Retention cannot be computed for such a player. */
  readonly deviceId: string | null;
  /** Their exposed sessions, oldest first. */
  readonly sessions: ExposedSession[];
}

export interface Cohorts {
  /** Players by variant key, in the order of their first exposure. */
  readonly byVariant: ReadonlyMap<string, Player[]>;
  readonly crossovers: { readonly devices: number; readonly share: number; readonly warning: boolean };
}

/**
 * Groups exposed sessions (oldest first) by player and variant. Players who were seen in several variants are excluded.
 */
export function groupIntoCohorts(sessions: readonly ExposedSession[]): Cohorts {
  const players = new Map<string, Player & { readonly variants: Set<string> }>();
  for (const session of sessions) {
    const { tester, device_id: deviceId, variant_key } = session;
    const player = players.get(tester) ?? { tester, deviceId, sessions: [], variants: new Set<string>() };
    player.sessions.push(session);
    player.variants.add(variant_key);
    players.set(tester, player);
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
    for (const key of variants) addToGroup(byVariant, key, player);
  }
  const share = devices > 0 ? crossed / devices : 0;
  return { byVariant, crossovers: { devices: crossed, share, warning: share > MAX_CROSSOVER_SHARE } };
}

/** Whether the game crashed in a session. */
export function hasCrash({ event_counts }: { readonly event_counts: string }): boolean {
  return (
    event_counts.includes(EVENTS.crash) && Object.hasOwn(JSON.parse(event_counts) as object, EVENTS.crash)
  );
}
