/** Announces a server that has started to listen: its URL, its keys if they are new, and how to use it. */
import { withoutCommands } from "../../../render/text.ts";
import { hasManagementKey } from "../../../server/accounts/account-queries.ts";
import type { NewApiKeys } from "../../../server/accounts/accounts.ts";
import type { ConsoleSettings } from "../../../server/http/console.ts";
import { makeDefaultIfFirst, readConfig, updateProfile } from "../../config-file.ts";
import type { Context } from "../../context.ts";
import { formatJson } from "../../output.ts";
import { isLoopback } from "../../settings.ts";
import { formatFlag } from "../../suggested-commands.ts";
import { writeNamedFile } from "../named-file.ts";
import type { LocalService } from "./local.ts";
import { chooseProfile, findProfileWithKeys, listManagedProfiles, type Profiles } from "./server-profiles.ts";

interface StartedServer {
  readonly local: LocalService;
  /** The account's keys, if they were just created. */
  readonly newKeys: NewApiKeys | null;
  readonly url: string;
  /** The profile that stores new keys. */
  readonly profile: string;
  /** The host names that other machines use. */
  readonly hostNames: readonly string[];
  readonly readyFile: string | undefined;
  /** The console; undefined if it is turned off. */
  readonly console: ConsoleSettings | undefined;
}

/**
 * The URL to store for this machine. A server on an address of the network answers only requests for the names of
 * --host-name, so its address alone would not work.
 */
export function chooseUrl(listening: string, hostNames: readonly string[]): string {
  const { hostname, port } = new URL(listening);
  const [name] = hostNames;
  if (name === undefined || isLoopback(hostname) || hostname === "[::1]" || hostNames.includes(hostname))
    return listening;
  return `http://${name}:${port}`;
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

interface ProfileStatus {
  readonly name: string;
  /** Whether it contains keys that are valid for the database. */
  readonly hasKeys: boolean;
  readonly isCurrent: boolean;
  /** The profile that would have been used if it did not contain the keys of another database. */
  readonly occupied: string | null;
  /** If it has no keys: a profile of the user that has a key for the database and another URL. */
  readonly other: OtherProfile | null;
}

interface OtherProfile {
  readonly name: string;
  readonly baseUrl: string;
}

/**
 * Stores new keys in a profile. Without new keys, the managed profile whose keys an earlier start stored for this
 * database is updated to the new URL of the server.
 */
async function storeKeysInProfile(
  { io }: Context,
  { local, newKeys, url, profile: preferred }: StartedServer,
): Promise<ProfileStatus> {
  const { database } = local;
  const { profiles = {} } = readConfig(io.configDir);
  const managed = listManagedProfiles(profiles, preferred, database);
  const found = newKeys
    ? { name: await chooseProfile(io, local, profiles, preferred), keys: newKeys }
    : await findProfileWithKeys(local, profiles, managed);
  if (!found) return await describeOtherProfile(local, profiles, managed);
  const { name, keys } = found;
  const profileKeys = {
    management: { key: keys.management, baseUrl: url },
    ...(keys.ingest === undefined ? {} : { ingest: { key: keys.ingest, baseUrl: url } }),
  };
  await updateProfile(io.configDir, name, (profile) => ({
    ...profile,
    baseUrl: url,
    database,
    keys: profileKeys,
  }));
  const isCurrent = await makeDefaultIfFirst(io.configDir, name);
  const occupied = newKeys && name !== preferred ? preferred : null;
  return { name, hasKeys: true, isCurrent, occupied, other: null };
}

/** The status if no managed profile has keys for the database. */
async function describeOtherProfile(
  local: LocalService,
  profiles: Profiles,
  managed: readonly string[],
): Promise<ProfileStatus> {
  const [preferred = ""] = managed;
  const names = Object.keys(profiles).filter((name) => !managed.includes(name));
  const found = await findProfileWithKeys(local, profiles, names);
  const baseUrl = found && profiles[found.name]?.keys?.management?.baseUrl;
  const other = found && baseUrl ? { name: found.name, baseUrl } : null;
  return { name: preferred, hasKeys: false, isCurrent: false, occupied: null, other };
}

function formatAnnouncement(
  { local, newKeys, url, hostNames, console }: StartedServer,
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
  const next = [...formatFirstCommand(url, newKeys !== null, status), ...formatConsole(url, console)];
  return [...lines, ...next, "", "Press Ctrl-C to stop."];
}

/** How people open the console. */
function formatConsole(url: string, console: ConsoleSettings | undefined): string[] {
  if (!console) return [];
  return console.identity
    ? ["Or open the address of your proxy in a browser."]
    : [`Or open ${url} in a browser, and sign in with a management key.`];
}

/** A command to try, and where its key is. */
function formatFirstCommand(
  url: string,
  areKeysNew: boolean,
  { name, hasKeys, isCurrent, occupied, other }: ProfileStatus,
): string[] {
  const allowHttp = isLoopback(new URL(url).hostname) ? "" : " --allow-http";
  const tryCommand = (flags: string) => `  playtest status${flags}${allowHttp}`;
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
  const note =
    occupied === null ? "" : `, because profile ${JSON.stringify(occupied)} has the keys of another database`;
  const where = areKeysNew
    ? `Stored the new keys in profile ${JSON.stringify(name)}${note}. Try:`
    : `The keys are stored in profile ${JSON.stringify(name)}. Try:`;
  return [where, tryCommand(isCurrent ? "" : formatFlag("--profile", name))];
}
