/**
 * Which profile, service and game a line is about that is still being typed: by the same precedence as settings.ts, but
 * without its checks and what they load, because every key press that completes waits for this.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Io } from "../io.ts";
import { findBaseUrl, findNamedGame, findProfile, findStoredGame } from "../precedence.ts";

export interface Where {
  readonly profile: string;
  /** Null where no service is named that a key could be sent to. */
  readonly baseUrl: string | null;
  readonly game: string | null;
  /** Whether a key lies ready; one in the keychain does not, for asking for it may open a window. */
  readonly hasKey: boolean;
  /** The names of the profiles there are. */
  readonly profiles: readonly string[];
}

interface Stored {
  readonly profile?: unknown;
  readonly profiles?: Readonly<Record<string, StoredProfile>>;
}

/** A profile as the file holds it, unchecked. */
interface StoredProfile {
  readonly baseUrl?: unknown;
  readonly game?: unknown;
  readonly keys?: { readonly management?: { readonly key?: unknown } };
}

/** Reads the words before the one that is completed. */
export function whereOf(
  words: readonly string[],
  { env, cwd, configDir }: Pick<Io, "env" | "cwd" | "configDir">,
): Where {
  const config = (readJson(join(configDir, "config.json")) ?? {}) as Stored;
  const profile = findProfile(flagValue(words, "--profile"), env, ["", asText(config.profile)]).value;
  const stored = config.profiles?.[profile];
  const address = findBaseUrl(flagValue(words, "--base-url"), env, ["", asText(stored?.baseUrl)]);
  const game =
    findNamedGame(flagValue(words, "--game", "-g"), env) ??
    findStoredGame(["", asText(gameOfRepository(cwd))], ["", asText(stored?.game)]);
  return {
    profile,
    baseUrl: normal(address?.value),
    game: game?.value ?? null,
    hasKey: Boolean(env.PLAYTEST_KEY || asText(stored?.keys?.management?.key)),
    profiles: Object.keys(config.profiles ?? {}),
  };
}

/** A value of a file that is read unchecked, if it is text. */
const asText = (value: unknown) => (typeof value === "string" ? value : undefined);

/** The last value given to a flag, as `--game ember`, `--game=ember` or `-gember`. */
function flagValue(words: readonly string[], long: string, short?: string): string | undefined {
  let value: string | undefined;
  for (const [at, word] of words.entries()) {
    if (word === "--") break;
    if (word === long || word === short) value = words[at + 1] ?? value;
    else if (word.startsWith(`${long}=`)) value = word.slice(long.length + 1);
    else if (short && word.startsWith(short)) value = word.slice(short.length);
  }
  return value;
}

function normal(address: string | undefined): string | null {
  return address !== undefined && URL.canParse(address) ? new URL(address).href.replace(/\/+$/, "") : null;
}

/** The game that the nearest playtest.config.json names. */
function gameOfRepository(cwd: string): unknown {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const content = readJson(join(folder, "playtest.config.json")) as { game?: unknown } | null;
    if (content !== null) return content.game;
    if (folder === dirname(folder)) return undefined;
  }
}

/** A file's JSON; null where it is missing, broken or no object. */
function readJson(path: string): unknown {
  try {
    const content: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof content === "object" ? content : null;
  } catch {
    return null;
  }
}
