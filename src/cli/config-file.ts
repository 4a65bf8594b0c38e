/** The config file: profiles with their settings and keys. Read without a library, for every command reads it; written with conf. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fail } from "./errors.ts";

/** A key, or that the keychain holds it, and the one base URL it may be sent to. */
export type ProfileKey = { readonly baseUrl: string } & (
  | { readonly key: string }
  | { readonly keychain: true }
);

/** What a profile may set. */
export interface Profile {
  readonly baseUrl?: string;
  readonly game?: string;
  readonly tz?: string;
  readonly format?: string;
  readonly timeout?: string;
  readonly maxWait?: string;
  readonly keys?: { readonly management?: ProfileKey; readonly ingest?: ProfileKey };
}

export interface ConfigFile {
  /** The profile used where none is named. */
  readonly profile?: string;
  readonly profiles?: Readonly<Record<string, Profile>>;
}

const CONFIG_NAME = "config";

/** Where the config file is. */
export function configPath(configDir: string): string {
  return join(configDir, `${CONFIG_NAME}.json`);
}

/** The config file, empty where there is none. Throws `config` where it cannot be read, naming it. */
export function readConfig(configDir: string): ConfigFile {
  const path = configPath(configDir);
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    const message = `${path} cannot be read: ${(cause as Error).message}`;
    throw fail("config", { message, hint: "Check the file's permissions.", cause });
  }
  try {
    const config: unknown = JSON.parse(content);
    if (typeof config === "object" && config !== null && !Array.isArray(config)) return config as ConfigFile;
  } catch {}
  throw fail("config", {
    message: `${path} is not valid JSON`,
    hint: "Mend it, or remove it and log in again.",
  });
}

/** Replaces the config file in one step, readable by its owner alone. */
export async function writeConfig(configDir: string, config: ConfigFile): Promise<void> {
  const { default: Conf } = await import("conf");
  try {
    const conf = new Conf<ConfigFile>({ cwd: configDir, configName: CONFIG_NAME, configFileMode: 0o600 });
    conf.store = config;
  } catch (cause) {
    const message = `${configPath(configDir)} cannot be written: ${(cause as Error).message}`;
    throw fail("config", { message, hint: "Check the folder's permissions and free space.", cause });
  }
}

/** Replaces one profile by what `change` makes of it. */
export async function updateProfile(
  configDir: string,
  name: string,
  change: (profile: Profile) => Profile | undefined,
): Promise<ConfigFile> {
  const config = readConfig(configDir);
  const { [name]: before = {}, ...others } = config.profiles ?? {};
  const after = change(before);
  const changed = { ...config, profiles: after ? { ...others, [name]: after } : others };
  await writeConfig(configDir, changed);
  return changed;
}

/** Makes a profile the one used where none is named, if it is the only one. Answers whether it is the one used. */
export async function makeDefaultIfFirst(configDir: string, name: string): Promise<boolean> {
  const config = readConfig(configDir);
  const others = Object.keys(config.profiles ?? {}).filter((other) => other !== name);
  if (config.profile !== undefined || others.length > 0) return (config.profile ?? "default") === name;
  await writeConfig(configDir, { ...config, profile: name });
  return true;
}
