/** The names that completions offer: their cache, and how names from new responses are merged into it. */
import { join } from "node:path";
import { readRegularFile } from "../../shared/regular-file.ts";

/** The kinds of names, as the completion scripts pass them to `playtest __complete`. */
export const nameKinds = ["games", "builds", "sessions", "batches", "experiments"] as const;
export type NameKind = (typeof nameKinds)[number];

/** A name, the id of its game (for a slug, that of the game itself), and when it was created, in Unix ms. */
export type NameEntry = readonly [name: string, game: string, at: number];

/** The cached names of one profile and base URL. */
interface NameCache {
  /** Newest first. */
  readonly lists: Readonly<Record<NameKind, readonly NameEntry[]>>;
  /** When names were last read, in Unix ms, by kind and game (see `getReadAtKey`). */
  readonly readAt: Readonly<Record<string, number>>;
}

export interface ObservedNames {
  readonly kind: NameKind;
  readonly entries: readonly NameEntry[];
  /** The requested game as it was typed; empty if there was none. */
  readonly requestedGame: string;
  /** The id of the game whose names `entries` contains completely (`*` for all games); null for a part of a list. */
  readonly completeFor: string | null;
}

/** The maximum number of cached names per kind. */
const MAX_NAMES = 500;
/** Names older than this are refreshed, in ms. */
export const STALE_MS = 10 * 60_000;
const MAX_NAME_LENGTH = 200;

export const emptyNameCache: NameCache = {
  lists: { games: [], builds: [], sessions: [], batches: [], experiments: [] },
  readAt: {},
};

/**
 * Whether a name can be offered. Excludes control characters, line separators and bidirectional marks, which no shell
 * quotes safely for a terminal, names that look like flags, and commands of CI services.
 */
export function isCompletable(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.length > 0 &&
    name.length <= MAX_NAME_LENGTH &&
    name.isWellFormed() &&
    !/^-|[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/.test(name) &&
    !/^\s*::|##(vso|teamcity)?\[/i.test(name)
  );
}

/** The key in `NameCache.readAt` for a kind and, for kinds that are listed per game, the game. */
export function getReadAtKey(kind: NameKind, game: string | null): string {
  return kind === "builds" || kind === "batches" ? `${kind} ${game ?? ""}` : kind;
}

export function mergeObservedNames(
  cache: NameCache,
  { kind, entries, requestedGame, completeFor }: ObservedNames,
  now: number,
): NameCache {
  const remaining = cache.lists[kind].filter(([, game]) => completeFor !== "*" && completeFor !== game);
  const byName = new Map<string, NameEntry>();
  for (const entry of [...entries, ...remaining].filter(([name]) => isCompletable(name))) {
    const key = JSON.stringify(entry.slice(0, 2));
    const existing = byName.get(key);
    if (!existing || existing[2] < entry[2]) byName.set(key, entry);
  }
  const list = [...byName.values()].sort((a, b) => b[2] - a[2]).slice(0, MAX_NAMES);
  const fresh = Object.entries(cache.readAt).filter(([, at]) => now - at < STALE_MS && at <= now);
  return {
    lists: { ...cache.lists, [kind]: list },
    readAt: { ...Object.fromEntries(fresh), [getReadAtKey(kind, requestedGame || null)]: now },
  };
}

/** The names of a kind. Builds and batches are limited to the game (slug or id), if any are cached for it. */
export function selectNames({ lists }: NameCache, kind: NameKind, game: string | null): string[] {
  const isPerGame = kind === "builds" || kind === "batches";
  const gameId = lists.games.find(([slug, id]) => slug === game || id === game)?.[1] ?? game;
  const list = lists[kind];
  const ofGame = isPerGame ? list.filter(([, id]) => id === gameId) : list;
  return [...new Set((ofGame.length > 0 ? ofGame : list).map(([name]) => name))];
}

/** The profile and service that names belong to. */
export interface CompletionScope {
  readonly stateDir: string;
  readonly profile: string;
  /** The base URL, normalized as in settings: without a trailing slash. */
  readonly baseUrl: string;
}

const MAX_FILE_NAME = 180;

export const completionFolder = (stateDir: string): string => join(stateDir, "completion");

export function getCacheFilePath({ stateDir, profile, baseUrl }: CompletionScope): string {
  const name = encodeURIComponent(`${profile} ${baseUrl}`.toWellFormed()).slice(0, MAX_FILE_NAME);
  return join(completionFolder(stateDir), `${name}.json`);
}

/** The cached names. Empty if the file is missing, invalid, or of another scope (long file names are truncated). */
export function readNameCache(scope: CompletionScope): NameCache {
  try {
    const content = JSON.parse(readRegularFile(getCacheFilePath(scope))) as NameCache &
      Partial<CompletionScope>;
    if (content.profile !== scope.profile || content.baseUrl !== scope.baseUrl) return emptyNameCache;
    const lists = nameKinds.map((kind) => [kind, content.lists[kind].filter(isNameEntry)]);
    const readAt = Object.entries(content.readAt).filter(([, at]) => typeof at === "number");
    return { lists: Object.fromEntries(lists), readAt: Object.fromEntries(readAt) };
  } catch {
    return emptyNameCache;
  }
}

function isNameEntry(value: unknown): value is NameEntry {
  if (!Array.isArray(value)) return false;
  const [name, game, at] = value as unknown[];
  return isCompletable(name) && typeof game === "string" && typeof at === "number";
}
