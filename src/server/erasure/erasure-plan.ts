/** What an erasure of a tester covers: the tester's names in each game, and everything that is found by them. */
import { toQuarantined } from "../db/quarantined-ids.ts";
import type { Db } from "../db/schema.ts";
import { countDerived, findDerivedSources } from "./deletion-queries.ts";
import { addCounts, countRows, type Finders, type RowCounts } from "./row-queries.ts";
import {
  findKeysAndInvites,
  findNames,
  findOtherNames,
  findTesterSessions,
  type TesterNameKind,
  type TesterNames,
  testerNameKinds,
} from "./tester-queries.ts";

/** What belongs to a tester in one game. */
export interface GamePlan {
  readonly gameId: string;
  readonly names: TesterNames;
  readonly sessions: readonly string[];
  readonly playtestKeys: readonly string[];
  readonly invites: readonly string[];
}

/**
 * Finds what belongs to a tester in a game, by a handle, a device or an email address: one plan, and one for quarantined sessions
 * if there are any. None if the game knows no such tester. A handle and the device that is linked to it are one tester, and so are
 * a handle and a device on which nobody else has played.
 */
export async function planErasure(db: Db, gameId: string, name: string): Promise<GamePlan[]> {
  const quarantine = toQuarantined(gameId);
  const found = await findNames(db, gameId, name);
  if (testerNameKinds.every((kind) => found[kind].length === 0)) return [];
  const names = await collectNames(db, gameId, found);
  const { playtestKey, invite } = await findKeysAndInvites(db, gameId, names);
  const sessions = await findTesterSessions(db, gameId, names);
  const plan = { gameId, names, sessions, playtestKeys: playtestKey, invites: invite };
  const quarantined = await findTesterSessions(db, quarantine, names);
  if (quarantined.length === 0) return [plan];
  return [plan, { gameId: quarantine, names, sessions: quarantined, playtestKeys: [], invites: [] }];
}

/** Everything of two plans of one game. */
function mergePlans(a: GamePlan, b: GamePlan): GamePlan {
  const merge = (some: readonly string[], more: readonly string[]) => [...new Set([...some, ...more])];
  return {
    gameId: a.gameId,
    names: {
      handle: merge(a.names.handle, b.names.handle),
      device: merge(a.names.device, b.names.device),
      email: merge(a.names.email, b.names.email),
    },
    sessions: merge(a.sessions, b.sessions),
    playtestKeys: merge(a.playtestKeys, b.playtestKeys),
    invites: merge(a.invites, b.invites),
  };
}

/** Merges the plans of each game. */
export function mergeByGame(plans: readonly GamePlan[]): GamePlan[] {
  const byGame = new Map<string, GamePlan>();
  for (const plan of plans) {
    const other = byGame.get(plan.gameId);
    byGame.set(plan.gameId, other ? mergePlans(other, plan) : plan);
  }
  return [...byGame.values()];
}

/** Follows the names of a tester until no new one is found. */
async function collectNames(db: Db, gameId: string, found: TesterNames): Promise<TesterNames> {
  const names: { [Kind in TesterNameKind]: string[] } = { handle: [], device: [], email: [] };
  const pending = testerNameKinds.flatMap((kind) => found[kind].map((value) => ({ kind, value })));
  for (let next = pending.shift(); next; next = pending.shift()) {
    if (names[next.kind].includes(next.value)) continue;
    names[next.kind].push(next.value);
    const others = await findOtherNames[next.kind](db, gameId, next.value);
    for (const kind of testerNameKinds) for (const value of others[kind]) pending.push({ kind, value });
  }
  return names;
}

/** The ids by which the rows of a tester are found, without those of its sessions. */
export function toFinders({ names, playtestKeys, invites }: GamePlan): Finders {
  return { ...names, playtestKey: playtestKeys, invite: invites };
}

/** Counts the rows that an erasure would delete or clear. */
export async function countPlan(db: Db, plan: GamePlan): Promise<RowCounts> {
  const { gameId, sessions } = plan;
  // The summaries of the tester's own devices are found by the devices.
  const sources = (await findDerivedSources(db, gameId, sessions)).map((source) =>
    plan.names.device.includes(source.device_id ?? "") ? { ...source, device_id: null } : source,
  );
  const found = await countRows(db, gameId, { ...toFinders(plan), session: sessions });
  return addCounts(found, await countDerived(db, sources));
}
