/**
 * The order in which profile, service and game are looked for: flag, environment, files. Commands and completions share
 * it; it imports nothing, because every key press that completes waits for it.
 */

/** Where a value came from, in words. */
export type SettingSource = string;

export interface Setting<T> {
  readonly value: T;
  readonly source: SettingSource;
}

/** A place that may set a value. Undefined and an empty text set nothing. */
export type SettingCandidate<T> = readonly [source: SettingSource, value: T | undefined];

export const DEFAULT_PROFILE = "default";

/** The value of the first candidate that has one; null if none has. */
export function findFirst<T>(...candidates: readonly SettingCandidate<T>[]): Setting<T> | null {
  for (const [source, value] of candidates) if (value !== undefined && value !== "") return { value, source };
  return null;
}

type SettingVariables = {
  readonly [Name in "PLAYTEST_PROFILE" | "PLAYTEST_BASE_URL" | "PLAYTEST_GAME"]?: string | undefined;
};

/** The profile. `stored` is the config file and the profile that it names. */
export function findProfile(
  flag: string | undefined,
  env: SettingVariables,
  stored: SettingCandidate<string>,
): Setting<string> {
  const found = findFirst(["--profile", flag], ["PLAYTEST_PROFILE", env.PLAYTEST_PROFILE], stored);
  return found ?? { value: DEFAULT_PROFILE, source: "default" };
}

/** The service's address, unchecked. `stored` is the profile and the address in it. */
export function findBaseUrl(
  flag: string | undefined,
  env: SettingVariables,
  stored: SettingCandidate<string>,
): Setting<string> | null {
  return findFirst(["--base-url", flag], ["PLAYTEST_BASE_URL", env.PLAYTEST_BASE_URL], stored);
}

/** The game that flag or environment name. */
export function findNamedGame(flag: string | undefined, env: SettingVariables): Setting<string> | null {
  return findFirst(["--game", flag], ["PLAYTEST_GAME", env.PLAYTEST_GAME]);
}

/** The game that a file sets, where none is named: the repository's file before the profile. */
export function findStoredGame(
  repository: SettingCandidate<string>,
  stored: SettingCandidate<string>,
): Setting<string> | null {
  return findFirst(repository, stored);
}
