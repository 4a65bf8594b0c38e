/** `playtest __complete <kind> -- <words>`: prints the names that a shell offers, one per line, from the cache on disk. */
import { dirname, join } from "node:path";
import { readRegularFile } from "../../shared/regular-file.ts";
import { trimEndOf } from "../../shared/trim.ts";
import type { Io } from "../io.ts";
import { findBaseUrl, findFirst, findNamedGame, findProfile } from "../precedence.ts";
import {
  getReadAtKey,
  isCompletable,
  type NameKind,
  nameKinds,
  readNameCache,
  STALE_MS,
  selectNames,
} from "./names.ts";

/** Prints the names. The exit code is always 0, because a shell cannot show errors while it completes. */
export async function complete(argv: readonly string[], io: Io): Promise<number> {
  const [requestedKind, , ...words] = argv;
  const line = readLineContext(words, io);
  if (requestedKind === "profiles") return await writeNames(line.profiles.filter(isCompletable), io);
  const kind = nameKinds.find((candidate) => candidate === requestedKind);
  if (!kind || line.baseUrl === null) return 0;
  const { profile, baseUrl, game } = line;
  const names = readNameCache({ stateDir: io.stateDir, profile, baseUrl });
  await writeNames(selectNames(names, kind, game), io);
  if (line.hasKey)
    await refreshIfStale(kind, { ...line, baseUrl }, names.readAt[getReadAtKey(kind, game)], io);
  return 0;
}

async function writeNames(names: readonly string[], io: Io): Promise<number> {
  if (names.length > 0) await io.out.write(names.map((name) => `${name}\n`).join("")).catch(() => {});
  return 0;
}

async function refreshIfStale(
  kind: NameKind,
  { profile, baseUrl, game }: { profile: string; baseUrl: string; game: string | null },
  readAt: number | undefined,
  io: Io,
): Promise<void> {
  const age = readAt === undefined ? Number.POSITIVE_INFINITY : io.now() - readAt;
  if ((age >= 0 && age < STALE_MS) || io.env.PLAYTEST_NO_COMPLETION_REFRESH || io.env.CI) return;
  const { startRefresh } = await import("./refresh.ts");
  startRefresh({ kind, profile, baseUrl, game }, io);
}

interface LineContext {
  readonly profile: string;
  /** Null if no valid service URL is configured. */
  readonly baseUrl: string | null;
  readonly game: string | null;
  /** Whether a key is available. A key in the keychain does not count, because reading it may open a dialog. */
  readonly hasKey: boolean;
  readonly profiles: readonly string[];
}

interface RawConfig {
  readonly profile?: unknown;
  readonly profiles?: Readonly<Record<string, RawProfile>>;
}

/** A profile in the config file, not validated. */
interface RawProfile {
  readonly baseUrl?: unknown;
  readonly game?: unknown;
  readonly keys?: { readonly management?: { readonly key?: unknown } };
}

/** Reads the context from the words before the one being completed. */
export function readLineContext(
  words: readonly string[],
  { env, cwd, configDir }: Pick<Io, "env" | "cwd" | "configDir">,
): LineContext {
  const config = (readJson(join(configDir, "config.json")) ?? {}) as RawConfig;
  const profile = findProfile(findFlagValue(words, "--profile"), env, ["", asText(config.profile)]).value;
  const stored = config.profiles?.[profile];
  const baseUrl = findBaseUrl(findFlagValue(words, "--base-url"), env, ["", asText(stored?.baseUrl)]);
  const game =
    findNamedGame(findFlagValue(words, "--game", "-g"), env) ??
    findFirst(["", asText(readRepoGame(cwd))], ["", asText(stored?.game)]);
  return {
    profile,
    baseUrl: normalizeUrl(baseUrl?.value),
    game: game?.value ?? null,
    hasKey: Boolean(env.PLAYTEST_KEY || asText(stored?.keys?.management?.key)),
    profiles: Object.keys(config.profiles ?? {}),
  };
}

/** A value of a file if it is text; otherwise undefined. */
const asText = (value: unknown) => (typeof value === "string" ? value : undefined);

/** The last value given to a flag, as `--game ember`, `--game=ember` or `-gember`. */
function findFlagValue(words: readonly string[], long: string, short?: string): string | undefined {
  let value: string | undefined;
  for (const [index, word] of words.entries()) {
    if (word === "--") break;
    if (word === long || word === short) value = words[index + 1] ?? value;
    else if (word.startsWith(`${long}=`)) value = word.slice(long.length + 1);
    else if (short && word.startsWith(short)) value = word.slice(short.length);
  }
  return value;
}

function normalizeUrl(url: string | undefined): string | null {
  return url !== undefined && URL.canParse(url) ? trimEndOf(new URL(url).href, "/") : null;
}

/** The game in the nearest playtest.config.json. */
function readRepoGame(cwd: string): unknown {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const content = readJson(join(folder, "playtest.config.json")) as { game?: unknown } | null;
    if (content !== null) return content.game;
    if (folder === dirname(folder)) return undefined;
  }
}

/** The JSON object in a file; null if the file is missing or invalid. */
function readJson(path: string): unknown {
  try {
    const content: unknown = JSON.parse(readRegularFile(path));
    return typeof content === "object" ? content : null;
  } catch {
    return null;
  }
}
