/**
 * Which profile, service and game a line is about that is still being typed: the rules of settings.ts, without its
 * checks and what they load, for every key press that completes waits for this. A test holds both to the same answers.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Io } from "../io.ts";

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
  const profile = first(flagValue(words, "--profile"), env.PLAYTEST_PROFILE, config.profile) ?? "default";
  const stored = config.profiles?.[profile];
  const address = first(flagValue(words, "--base-url"), env.PLAYTEST_BASE_URL, stored?.baseUrl);
  const game =
    first(flagValue(words, "--game", "-g"), env.PLAYTEST_GAME) ?? first(gameOfRepository(cwd), stored?.game);
  return {
    profile,
    baseUrl: normal(address),
    game,
    hasKey: first(env.PLAYTEST_KEY, stored?.keys?.management?.key) !== null,
    profiles: Object.keys(config.profiles ?? {}),
  };
}

function first(...candidates: readonly unknown[]): string | null {
  for (const one of candidates) if (typeof one === "string" && one !== "") return one;
  return null;
}

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

function normal(address: string | null): string | null {
  return address !== null && URL.canParse(address) ? new URL(address).href.replace(/\/+$/, "") : null;
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
