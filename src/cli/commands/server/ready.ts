/** Announces a server that has started to listen: its URL, its keys if they are new, and how to use it. */
import type { NewApiKeys } from "../../../server/accounts/accounts.ts";
import { hasManagementKey } from "../../../server/accounts/key-queries.ts";
import { findKey } from "../../../server/accounts/keys.ts";
import { makeDefaultIfFirst, type ProfileKey, readConfig, updateProfile } from "../../config-file.ts";
import type { Context } from "../../context.ts";
import { formatJson } from "../../output.ts";
import { writeNamedFile } from "../named-file.ts";
import type { LocalService } from "./local.ts";

export interface StartedServer {
  readonly local: LocalService;
  /** The account's keys, if they were just created. */
  readonly newKeys: NewApiKeys | null;
  readonly url: string;
  /** The profile that stores the keys. */
  readonly profile: string;
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
  await io.out.write(text);
}

/** The profile's relation to the server. */
interface ProfileStatus {
  /** Whether it contains keys that are valid for the database. */
  readonly hasKeys: boolean;
  /** Whether it is the default profile. */
  readonly isCurrent: boolean;
  /** The URL of other keys that were in the profile before; null if there were none. */
  readonly replacedUrl: string | null;
}

/** Stores new keys. Keys of an earlier start are kept and updated to the new URL of the server. */
async function storeKeysInProfile(
  { io }: Context,
  { local, newKeys, url, profile: name }: StartedServer,
): Promise<ProfileStatus> {
  const { management, ingest } = readConfig(io.configDir).profiles?.[name]?.keys ?? {};
  const keys = newKeys ?? (await findKnownKeys(local, management, ingest));
  if (!keys) return { hasKeys: false, isCurrent: false, replacedUrl: null };
  const profileKeys = {
    management: { key: keys.management, baseUrl: url },
    ...(keys.ingest === undefined ? {} : { ingest: { key: keys.ingest, baseUrl: url } }),
  };
  await updateProfile(io.configDir, name, (profile) => ({
    ...profile,
    baseUrl: url,
    keys: profileKeys,
  }));
  const replacedUrl = newKeys ? (management?.baseUrl ?? null) : null;
  return { hasKeys: true, isCurrent: await makeDefaultIfFirst(io.configDir, name), replacedUrl };
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
  { local, newKeys, url, profile }: StartedServer,
  { hasKeys, isCurrent, replacedUrl }: ProfileStatus,
  canLogIn: boolean,
): string[] {
  const lines = [`Serving ${local.database} on ${url}`, ""];
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
  const name = JSON.stringify(profile);
  if (!hasKeys) lines.push("Set PLAYTEST_KEY to a key for this database, then try:");
  else if (!newKeys) lines.push(`The keys are stored in profile ${name}. Try:`);
  else {
    const note = replacedUrl === null ? "" : ` (replaced the keys for ${replacedUrl})`;
    lines.push(`Stored the new keys in profile ${name}${note}. Try:`);
  }
  const profileFlag = isCurrent ? "" : ` --profile ${profile}`;
  const flags = hasKeys ? profileFlag : ` --base-url ${url}`;
  lines.push(`  playtest games list${flags}`);
  if (!hasKeys) lines.push("If you no longer have a key, start the server with --new-keys.");
  return [...lines, "", "Press Ctrl-C to stop."];
}
