/**
 * The precedence of the profile, service and game settings: flag, environment, files. Commands and completions share it.
 * It imports nothing, because completions must respond quickly.
 */

/** Where a value came from, as shown to people. */
export type SettingSource = string;

export interface Setting<T> {
  readonly value: T;
  readonly source: SettingSource;
}

/** A possible source of a value. Undefined and the empty string count as not set. */
export type SettingCandidate<T> = readonly [source: SettingSource, value: T | undefined];

const DEFAULT_PROFILE = "default";

/** The value of the first candidate that has one, or null. Candidates of files: that of the repository first, then the profile. */
export function findFirst<T>(...candidates: readonly SettingCandidate<T>[]): Setting<T> | null {
  for (const [source, value] of candidates) if (value !== undefined && value !== "") return { value, source };
  return null;
}

type SettingVariables = {
  readonly [Name in "PLAYTEST_PROFILE" | "PLAYTEST_BASE_URL" | "PLAYTEST_GAME"]?: string | undefined;
};

/** The profile. `stored` is the path of the config file and its default profile. */
export function findProfile(
  flag: string | undefined,
  env: SettingVariables,
  stored: SettingCandidate<string>,
): Setting<string> {
  const found = findFirst(["--profile", flag], ["PLAYTEST_PROFILE", env.PLAYTEST_PROFILE], stored);
  return found ?? { value: DEFAULT_PROFILE, source: "default" };
}

/** The URL of the service, not validated. `stored` is the profile and its URL. */
export function findBaseUrl(
  flag: string | undefined,
  env: SettingVariables,
  stored: SettingCandidate<string>,
): Setting<string> | null {
  return findFirst(["--base-url", flag], ["PLAYTEST_BASE_URL", env.PLAYTEST_BASE_URL], stored);
}

/** The game that the flag or the environment sets. */
export function findNamedGame(flag: string | undefined, env: SettingVariables): Setting<string> | null {
  return findFirst(["--game", flag], ["PLAYTEST_GAME", env.PLAYTEST_GAME]);
}
