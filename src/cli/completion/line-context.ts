/**
 * Which profile, service and game a line is about that is still being typed: by the same precedence as settings.ts, but
 * without its checks and what they load, because every key press that completes waits for this.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Io } from "../io.ts";
import { findBaseUrl, findNamedGame, findProfile, findStoredGame } from "../precedence.ts";

export interface LineContext {
  readonly profile: string;
  /** Null where no service is named that a key could be sent to. */
  readonly baseUrl: string | null;
  readonly game: string | null;
  /** Whether a key lies ready; one in the keychain does not, for asking for it may open a window. */
  readonly hasKey: boolean;
  /** The names of the profiles there are. */
  readonly profiles: readonly string[];
}

interface RawConfig {
  readonly profile?: unknown;
  readonly profiles?: Readonly<Record<string, RawProfile>>;
}

/** A profile as the file holds it, unchecked. */
interface RawProfile {
  readonly baseUrl?: unknown;
  readonly game?: unknown;
  readonly keys?: { readonly management?: { readonly key?: unknown } };
}

/** Reads the words before the one that is completed. */
export function readLineContext(
  words: readonly string[],
  { env, cwd, configDir }: Pick<Io, "env" | "cwd" | "configDir">,
): LineContext {
  const config = (readJson(join(configDir, "config.json")) ?? {}) as RawConfig;
  const profile = findProfile(findFlagValue(words, "--profile"), env, ["", asText(config.profile)]).value;
  const stored = config.profiles?.[profile];
  const address = findBaseUrl(findFlagValue(words, "--base-url"), env, ["", asText(stored?.baseUrl)]);
  const game =
    findNamedGame(findFlagValue(words, "--game", "-g"), env) ??
    findStoredGame(["", asText(readRepoGame(cwd))], ["", asText(stored?.game)]);
  return {
    profile,
    baseUrl: normalizeAddress(address?.value),
    game: game?.value ?? null,
    hasKey: Boolean(env.PLAYTEST_KEY || asText(stored?.keys?.management?.key)),
    profiles: Object.keys(config.profiles ?? {}),
  };
}

/** A value of a file that is read unchecked, if it is text. */
const asText = (value: unknown) => (typeof value === "string" ? value : undefined);

/** The last value given to a flag, as `--game ember`, `--game=ember` or `-gember`. */
function findFlagValue(words: readonly string[], long: string, short?: string): string | undefined {
  let value: string | undefined;
  for (const [at, word] of words.entries()) {
    if (word === "--") break;
    if (word === long || word === short) value = words[at + 1] ?? value;
    else if (word.startsWith(`${long}=`)) value = word.slice(long.length + 1);
    else if (short && word.startsWith(short)) value = word.slice(short.length);
  }
  return value;
}

function normalizeAddress(address: string | undefined): string | null {
  return address !== undefined && URL.canParse(address) ? new URL(address).href.replace(/\/+$/, "") : null;
}

/** The game that the nearest playtest.config.json names. */
function readRepoGame(cwd: string): unknown {
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
