/** The names that completions offer: which answers of the service hold them, and how they are kept together. */

/** What can be named, by the word that stands for it in the shells' scripts. */
export const nameKinds = ["games", "builds", "sessions", "batches", "experiments"] as const;
export type NameKind = (typeof nameKinds)[number];

/** A name, the id of the game it belongs to (a game's own for its slug), and when it came to be, unix ms. */
export type NameEntry = readonly [name: string, game: string, at: number];

/** The names known of one profile and base URL. */
export interface NameCache {
  /** Newest first. */
  readonly lists: Readonly<Record<NameKind, readonly NameEntry[]>>;
  /** When a kind was last read, unix ms, by kind and the game as it was typed. */
  readonly readAt: Readonly<Record<string, number>>;
}

/** What one answer tells. */
export interface ObservedNames {
  readonly kind: NameKind;
  readonly found: readonly NameEntry[];
  /** The game asked about as it was typed; empty where none was. */
  readonly asked: string;
  /** The id of the game of which `found` is everything there is, `*` for all games; null where it is a part. */
  readonly wholeOf: string | null;
}

/** So many names of a kind are kept. */
const MAX_NAMES = 500;
/** Names are read again after this, ms. */
export const STALE_MS = 10 * 60_000;
const MAX_NAME_LENGTH = 200;

export const emptyNameCache: NameCache = {
  lists: { games: [], builds: [], sessions: [], batches: [], experiments: [] },
  readAt: {},
};

/**
 * Whether a shell can take a name: without control characters, line separators or bidi marks, which no shell can quote
 * so that a terminal is safe from them, and not taken for a flag.
 */
export function isCompletable(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.length > 0 &&
    name.length <= MAX_NAME_LENGTH &&
    name.isWellFormed() &&
    !/^-|[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/.test(name)
  );
}

/** The key under which it is kept when a kind was read. */
export function getReadAtKey(kind: NameKind, game: string | null): string {
  return kind === "builds" || kind === "batches" ? `${kind} ${game ?? ""}` : kind;
}

/** The names with what was seen added. */
export function mergeObservedNames(
  names: NameCache,
  { kind, found, asked, wholeOf }: ObservedNames,
  now: number,
): NameCache {
  const kept = names.lists[kind].filter(([, game]) => wholeOf !== "*" && wholeOf !== game);
  const byName = new Map<string, NameEntry>();
  for (const one of [...found, ...kept].filter(([name]) => isCompletable(name))) {
    const key = JSON.stringify(one.slice(0, 2));
    const known = byName.get(key);
    if (!known || known[2] < one[2]) byName.set(key, one);
  }
  const list = [...byName.values()].sort((a, b) => b[2] - a[2]).slice(0, MAX_NAMES);
  const fresh = Object.entries(names.readAt).filter(([, at]) => now - at < STALE_MS && at <= now);
  return {
    lists: { ...names.lists, [kind]: list },
    readAt: { ...Object.fromEntries(fresh), [getReadAtKey(kind, asked || null)]: now },
  };
}

/** The names of a kind; of builds and batches those of the game, by slug or id, where it is known. */
export function selectNames({ lists }: NameCache, kind: NameKind, game: string | null): string[] {
  const scoped = kind === "builds" || kind === "batches";
  const meant = lists.games.find(([slug, id]) => slug === game || id === game)?.[1] ?? game;
  const list = lists[kind];
  const own = scoped ? list.filter(([, of]) => of === meant) : list;
  return [...new Set((own.length > 0 ? own : list).map(([name]) => name))];
}
