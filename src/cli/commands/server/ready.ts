/** What a server that has begun to listen tells: where it is, its keys where they are new, and how to use it. */
import type { NewApiKeys } from "../../../server/accounts/accounts.ts";
import { findKey } from "../../../server/accounts/keys.ts";
import { makeDefaultIfFirst, type ProfileKey, readConfig, updateProfile } from "../../config-file.ts";
import type { Context } from "../../context.ts";
import { formatJson } from "../../output.ts";
import { writeNamedFile } from "../named-file.ts";
import type { LocalService } from "./local.ts";

export interface StartedServer {
  readonly local: LocalService;
  /** The account's keys where they were made just now. */
  readonly newKeys: NewApiKeys | null;
  readonly url: string;
  /** The profile that keeps the keys. */
  readonly profile: string;
  readonly readyFile: string | undefined;
}

/** Keeps the keys in the profile and tells how to use the server, on stdout and in the ready file. */
export async function announceServer(context: Context, ready: StartedServer): Promise<void> {
  const { io, settings } = context;
  const { local, newKeys, url, readyFile } = ready;
  const { database } = local;
  const use = await storeKeysInProfile(context, ready);
  const keys = newKeys ? { managementKey: newKeys.management, ingestKey: newKeys.ingest } : {};
  const line = formatJson({ url, database, ...keys }, false);
  if (readyFile) await writeNamedFile("ready file", readyFile, line, io, { isPrivate: true });
  const text = settings.format.value === "json" ? line : `${formatAnnouncement(ready, use).join("\n")}\n`;
  await io.out.write(text);
}

/** How the profile stands to this server. */
interface ProfileStatus {
  /** It holds keys that the database knows. */
  readonly hasKeys: boolean;
  /** It is the one used where none is named. */
  readonly isCurrent: boolean;
}

/** New keys are stored; those of an earlier start follow the server to its new address. */
async function storeKeysInProfile(
  { io }: Context,
  { local, newKeys, url, profile: name }: StartedServer,
): Promise<ProfileStatus> {
  const { management, ingest } = readConfig(io.configDir).profiles?.[name]?.keys ?? {};
  const keys = newKeys ?? (await findKnownKeys(local, management, ingest));
  if (!keys) return { hasKeys: false, isCurrent: false };
  const bound = (key: string | undefined) => (key === undefined ? undefined : { key, baseUrl: url });
  const [own, sending] = [bound(keys.management), bound(keys.ingest)];
  await updateProfile(io.configDir, name, (profile) => ({
    ...profile,
    baseUrl: url,
    keys: { ...(own ? { management: own } : {}), ...(sending ? { ingest: sending } : {}) },
  }));
  return { hasKeys: true, isCurrent: await makeDefaultIfFirst(io.configDir, name) };
}

/** The stored keys, if the management key is one of this database's account. */
async function findKnownKeys(
  { service, accountId }: LocalService,
  management: ProfileKey | undefined,
  ingest: ProfileKey | undefined,
): Promise<{ management: string; ingest: string | undefined } | null> {
  // Keys in the keychain were put there by login, which binds them to an address for good.
  if (!management || !("key" in management)) return null;
  const row = await findKey(service.store.readDb, management.key);
  if (row?.account_id !== accountId) return null;
  return { management: management.key, ingest: ingest && "key" in ingest ? ingest.key : undefined };
}

function formatAnnouncement(
  { local, newKeys, url, profile }: StartedServer,
  { hasKeys: kept, isCurrent: current }: ProfileStatus,
): string[] {
  const lines = [`Serving ${local.database} on ${url}`, ""];
  if (newKeys) {
    lines.push(
      "Its keys, shown this once:",
      `  PLAYTEST_BASE_URL=${url}`,
      `  PLAYTEST_KEY=${newKeys.management}`,
      `  PLAYTEST_INGEST_KEY=${newKeys.ingest}`,
      "",
    );
  }
  lines.push(
    kept ? `Its keys are kept in the profile ${profile}. Try:` : "With a key of this database, try:",
  );
  const how = kept ? (current ? "" : ` --profile ${profile}`) : ` --base-url ${url}`;
  return [...lines, `  playtest games list${how}`, "", "Ctrl-C stops it."];
}
