/**
 * The config file: profiles with their settings and keys. It is written through conf but read without a library, because
 * every command reads it and conf takes long to load.
 */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { ApiKeyKind } from "../contract/define.ts";
import { PRIVATE_MODE, writeFileAtomically } from "../shared/atomic-file.ts";
import { parseJsonFile } from "../shared/parse-json.ts";
import { createPrivateFolder } from "../shared/private-folder.ts";
import { readRegularFile } from "../shared/regular-file.ts";
import { fail } from "./errors.ts";
import { failToRead } from "./file-errors.ts";

/** A key, or a note that it is in the keychain, and the only base URL that it may be sent to. */
export type ProfileKey = { readonly baseUrl: string } & (
  | { readonly key: string }
  | { readonly keychain: true }
);

/** The kinds of keys that a profile can have. CI keys are only read from the environment. */
export type StoredKeyKind = Exclude<ApiKeyKind, "ci">;

export interface Profile {
  readonly baseUrl?: string;
  /** The database whose keys `server start` has stored. Such a profile is not used for another database. */
  readonly database?: string;
  readonly game?: string;
  readonly tz?: string;
  readonly format?: string;
  readonly timeout?: string;
  readonly maxWait?: string;
  readonly keys?: { readonly [Kind in StoredKeyKind]?: ProfileKey };
}

export interface ConfigFile {
  /** The profile that is used by default. */
  readonly profile?: string;
  readonly profiles?: Readonly<Record<string, Profile>>;
}

const CONFIG_NAME = "config";

export function configPath(configDir: string): string {
  return join(configDir, `${CONFIG_NAME}.json`);
}

/** The config file, or an empty object if there is none. Throws `config` if it cannot be read. */
export function readConfig(configDir: string): ConfigFile {
  const path = configPath(configDir);
  let content: string;
  try {
    content = readRegularFile(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw failToRead(path, "Check the file's permissions.", cause);
  }
  try {
    const config: unknown = parseJsonFile(content);
    if (typeof config === "object" && config !== null && !Array.isArray(config)) return config as ConfigFile;
  } catch {}
  throw fail("config", {
    message: `${path} is not valid JSON`,
    hint: "Fix the file, or delete it and log in again.",
  });
}

/** Replaces the config file atomically. Only its owner can read it and enter its folder. A link to the file is kept. */
export async function writeConfig(configDir: string, config: ConfigFile): Promise<void> {
  const { default: Conf } = await import("conf");
  try {
    createPrivateFolder(configDir);
    const conf = new Conf<ConfigFile>({ cwd: configDir, configName: CONFIG_NAME });
    let content = "";
    // conf creates its temporary file without O_EXCL, so it only checks and serializes the settings.
    Object.defineProperty(conf, "_write", {
      value: (settings: ConfigFile) => {
        content = JSON.stringify(settings, null, "\t");
      },
    });
    conf.store = config;
    await writeFileAtomically(await resolveLink(configPath(configDir)), content, { mode: PRIVATE_MODE });
  } catch (cause) {
    const message = `Cannot write ${configPath(configDir)}: ${(cause as Error).message}`;
    throw fail("config", { message, hint: "Check the folder's permissions and the free disk space.", cause });
  }
}

/** The file that a link points to, or the path itself if it is not a link. */
async function resolveLink(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw error;
  }
}

/** Replaces one profile with the result of `change`, or removes it if that is undefined. */
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

/** Makes a profile the default if it is the only one. Returns whether it is the default. */
export async function makeDefaultIfFirst(configDir: string, name: string): Promise<boolean> {
  const config = readConfig(configDir);
  const others = Object.keys(config.profiles ?? {}).filter((other) => other !== name);
  if (config.profile !== undefined || others.length > 0) return (config.profile ?? "default") === name;
  await writeConfig(configDir, { ...config, profile: name });
  return true;
}
