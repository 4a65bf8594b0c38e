/** Announces a server that has started to listen: its URL, its keys if they are new, and how to use it. */
import { withoutCommands } from "../../../render/text.ts";
import type { NewApiKeys } from "../../../server/accounts/accounts.ts";
import { hasManagementKey } from "../../../server/accounts/key-queries.ts";
import { findKey } from "../../../server/accounts/keys.ts";
import {
  type ConfigFile,
  makeDefaultIfFirst,
  type ProfileKey,
  readConfig,
  updateProfile,
} from "../../config-file.ts";
import type { Context } from "../../context.ts";
import { formatJson } from "../../output.ts";
import { isLoopback } from "../../settings.ts";
import { formatFlag } from "../../suggested-commands.ts";
import { writeNamedFile } from "../named-file.ts";
import type { LocalService } from "./local.ts";

export interface StartedServer {
  readonly local: LocalService;
  /** The account's keys, if they were just created. */
  readonly newKeys: NewApiKeys | null;
  readonly url: string;
  /** The profile that stores new keys. */
  readonly profile: string;
  /** The host names that other machines use. */
  readonly hostNames: readonly string[];
  readonly readyFile: string | undefined;
}

/** Stores the keys in the profile, and prints how to use the server to stdout and the ready file. */
export async function announceServer(context: Context, ready: StartedServer): Promise<void> {
  const { io, settings } = context;
  const { local, newKeys, url, readyFile } = ready;
  const { database } = local;
  const status = await storeKeysInProfile(context, ready);
  const keys = newKeys ? { managementKey: newKeys.management, ingestKey: newKeys.ingest } : {};
  const line = formatJson({ url, database, ...keys }, false);
  if (readyFile) await writeNamedFile("ready file", readyFile, line, io, { isPrivate: true });
  const canLogIn = status.hasKeys || (await hasManagementKey(local.service.store.readDb));
  const text =
    settings.format.value === "json" ? line : `${formatAnnouncement(ready, status, canLogIn).join("\n")}\n`;
  await io.out.write(withoutCommands(text));
}

/** The profile's relation to the server. */
interface ProfileStatus {
  readonly name: string;
  /** Whether it contains keys that are valid for the database. */
  readonly hasKeys: boolean;
  /** Whether it is the default profile. */
  readonly isCurrent: boolean;
  /** The URL of other keys that were in the profile before; null if there were none. */
  readonly replacedUrl: string | null;
  /** If it has no keys: a profile of the user that has a key for the database and another URL. */
  readonly other: OtherProfile | null;
}

interface OtherProfile {
  readonly name: string;
  readonly baseUrl: string;
}

/** The profiles that `server start` manages. It changes no others, whose URL may be that of a proxy. */
const MANAGED_PROFILES = ["local", "demo"];

/**
 * Stores new keys in the profile. Without new keys, the managed profile whose keys an earlier start stored for this
 * database is updated to the new URL of the server.
 */
async function storeKeysInProfile(
  { io }: Context,
  { local, newKeys, url, profile: preferred }: StartedServer,
): Promise<ProfileStatus> {
  const { profiles = {} } = readConfig(io.configDir);
  const managed = [preferred, ...MANAGED_PROFILES.filter((name) => name !== preferred)];
  const found = newKeys
    ? { name: preferred, keys: newKeys }
    : await findProfileWithKeys(local, profiles, managed);
  if (!found) return await describeOtherProfile(local, profiles, preferred);
  const { name, keys } = found;
  const profileKeys = {
    management: { key: keys.management, baseUrl: url },
    ...(keys.ingest === undefined ? {} : { ingest: { key: keys.ingest, baseUrl: url } }),
  };
  await updateProfile(io.configDir, name, (profile) => ({
    ...profile,
    baseUrl: url,
    keys: profileKeys,
  }));
  const replacedUrl = newKeys ? (profiles[name]?.keys?.management?.baseUrl ?? null) : null;
  const isCurrent = await makeDefaultIfFirst(io.configDir, name);
  return { name, hasKeys: true, isCurrent, replacedUrl, other: null };
}

type Profiles = NonNullable<ConfigFile["profiles"]>;

/** The first of these profiles that has keys for the database. */
async function findProfileWithKeys(local: LocalService, profiles: Profiles, names: readonly string[]) {
  for (const name of names) {
    const { management, ingest } = profiles[name]?.keys ?? {};
    const keys = await findKnownKeys(local, management, ingest);
    if (keys) return { name, keys };
  }
  return null;
}

/** The status if no managed profile has keys for the database. */
async function describeOtherProfile(
  local: LocalService,
  profiles: Profiles,
  preferred: string,
): Promise<ProfileStatus> {
  const names = Object.keys(profiles).filter((name) => !MANAGED_PROFILES.includes(name));
  const found = await findProfileWithKeys(local, profiles, names);
  const baseUrl = found && profiles[found.name]?.keys?.management?.baseUrl;
  const other = found && baseUrl ? { name: found.name, baseUrl } : null;
  return { name: preferred, hasKeys: false, isCurrent: false, replacedUrl: null, other };
}

/** The stored keys, if the management key belongs to the account in this database. */
async function findKnownKeys(
  { service, accountId }: LocalService,
  management: ProfileKey | undefined,
  ingest: ProfileKey | undefined,
): Promise<{ management: string; ingest: string | undefined } | null> {
  // Keys in the keychain were stored by `login` and are permanently bound to one URL.
  if (!management || !("key" in management)) return null;
  const row = await findKey(service.store.readDb, management.key);
  if (row?.account_id !== accountId) return null;
  return { management: management.key, ingest: ingest && "key" in ingest ? ingest.key : undefined };
}

function formatAnnouncement(
  { local, newKeys, url, hostNames }: StartedServer,
  status: ProfileStatus,
  canLogIn: boolean,
): string[] {
  const { port } = new URL(url);
  const others = hostNames.map((name) => `http://${name}:${port}`).join(", ");
  const lines = [
    `Serving ${local.database} on ${url}`,
    ...(others === "" ? [] : [`Other machines use ${others}, or the URL of your proxy.`]),
    "",
  ];
  if (!canLogIn) {
    const missing = "This database has no management key yet. Start with --new-keys to create one.";
    return [...lines, missing, "", "Press Ctrl-C to stop."];
  }
  if (newKeys) {
    lines.push(
      "Keys (shown only once):",
      `  PLAYTEST_BASE_URL=${url}`,
      `  PLAYTEST_KEY=${newKeys.management}`,
      `  PLAYTEST_INGEST_KEY=${newKeys.ingest}`,
      "",
    );
  }
  return [...lines, ...formatFirstCommand(url, newKeys !== null, status), "", "Press Ctrl-C to stop."];
}

/** A command to try, and where its key is. */
function formatFirstCommand(
  url: string,
  areKeysNew: boolean,
  { name, hasKeys, isCurrent, replacedUrl, other }: ProfileStatus,
): string[] {
  const allowHttp = isLoopback(new URL(url).hostname) ? "" : " --allow-http";
  const tryCommand = (flags: string) => `  playtest games list${flags}${allowHttp}`;
  if (other?.baseUrl === url)
    return [
      `The keys are stored in profile ${JSON.stringify(other.name)}. Try:`,
      tryCommand(formatFlag("--profile", other.name)),
    ];
  if (!hasKeys) {
    const source =
      other === null
        ? "Set PLAYTEST_KEY to a key for this database, then try:"
        : `Set PLAYTEST_KEY to the key of profile ${JSON.stringify(other.name)}, which is stored for ${other.baseUrl}, then try:`;
    const lost = "If you no longer have a key, start the server with --new-keys.";
    return [source, tryCommand(` --base-url ${url}`), ...(other === null ? [lost] : [])];
  }
  const note = replacedUrl === null ? "" : ` (replaced the keys for ${replacedUrl})`;
  const where = areKeysNew
    ? `Stored the new keys in profile ${JSON.stringify(name)}${note}. Try:`
    : `The keys are stored in profile ${JSON.stringify(name)}. Try:`;
  return [where, tryCommand(isCurrent ? "" : formatFlag("--profile", name))];
}
