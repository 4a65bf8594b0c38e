/** The profiles in which `server start` stores keys. Each belongs to one database. */
import { basename, extname } from "node:path";
import { findKey } from "../../../server/accounts/keys.ts";
import { isPostgres } from "../../../server/db/open.ts";
import type { ConfigFile, Profile, ProfileKey } from "../../config-file.ts";
import type { Io } from "../../io.ts";
import type { LocalService } from "./local.ts";
import { runningServers } from "./registry.ts";

export type Profiles = NonNullable<ConfigFile["profiles"]>;

/** The profiles of earlier versions, which did not store the database in the profile. */
const FIXED_NAMES = ["local", "demo"];

/** The profiles that `server start` manages for a database. It changes no others, whose URL may be that of a proxy. */
export function listManagedProfiles(profiles: Profiles, preferred: string, database: string): string[] {
  const own = Object.keys(profiles).filter((name) => profiles[name]?.database === database);
  return [...new Set([preferred, ...FIXED_NAMES, ...own])];
}

/** The first of these profiles that has keys for the database. */
export async function findProfileWithKeys(
  local: LocalService,
  profiles: Profiles,
  names: readonly string[],
): Promise<{ name: string; keys: { management: string; ingest: string | undefined } } | null> {
  for (const name of names) {
    const { keys } = profiles[name] ?? {};
    const management = readKey(keys?.management);
    if (management !== undefined && (await isValidKey(local, management)))
      return { name, keys: { management, ingest: readKey(keys?.ingest) } };
  }
  return null;
}

/** A key that is stored in the profile itself. `login` stored the keys in the keychain, permanently bound to one URL. */
function readKey(stored: ProfileKey | undefined): string | undefined {
  return stored && "key" in stored ? stored.key : undefined;
}

/** Whether a key belongs to the account in this database. */
async function isValidKey({ service, accountId }: LocalService, key: string): Promise<boolean> {
  return (await findKey(service.store.readDb, key))?.account_id === accountId;
}

/**
 * The profile for new keys: the preferred one, or if that has the keys of another database, one named after the database.
 * Stored keys of another database are never replaced, because they are stored nowhere else.
 */
export async function chooseProfile(
  io: Pick<Io, "stateDir" | "isAlive" | "pid">,
  local: LocalService,
  profiles: Profiles,
  preferred: string,
): Promise<string> {
  const others = (await runningServers(io)).filter(({ pid }) => pid !== io.pid).map(({ url }) => url);
  const isFree = async ({ keys = {}, database, baseUrl }: Profile) => {
    if (!keys.management && !keys.ingest) return true;
    // Every in-memory database has the same name, so a server that is still running keeps its profile.
    if (database === local.database) return baseUrl === undefined || !others.includes(baseUrl);
    // Keys of two URLs were not stored together, so one of them may belong to another service.
    if (keys.management && keys.ingest && keys.management.baseUrl !== keys.ingest.baseUrl) return false;
    const stored = [readKey(keys.management), readKey(keys.ingest)].filter((key) => key !== undefined);
    for (const key of stored) if (await isValidKey(local, key)) return true;
    return false;
  };
  const fallback = nameProfile(local.database, preferred);
  for (let number = 0; ; number += 1) {
    const name = number === 0 ? preferred : number === 1 ? fallback : `${fallback}-${number}`;
    if (await isFree(profiles[name] ?? {})) return name;
  }
}

/** A profile name for a database, such as `studio` for studio.db. */
function nameProfile(database: string, preferred: string): string {
  if (database === ":memory:") return preferred;
  const file = isPostgres(database) && URL.canParse(database) ? new URL(database).pathname : database;
  const name = basename(file, extname(file)).replaceAll(/[^A-Za-z0-9_-]/g, "-");
  return name === "" ? preferred : name;
}
