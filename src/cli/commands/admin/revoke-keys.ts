/** admin keys revoke and rotate: keys that stop working. */
import { renderDetails } from "../../../render/details.ts";
import { deleteKey, expireKey, findAccountKeys } from "../../../server/accounts/account-queries.ts";
import { hashKey, issueKey, toKeyId } from "../../../server/accounts/keys.ts";
import type { ApiKeyRow } from "../../../server/db/schema.ts";
import { formatName } from "../../../shared/similar-names.ts";
import { command } from "../../command.ts";
import { type ProfileKey, readConfig, updateProfile } from "../../config-file.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type AdminContext, administerConfirmed, destructiveAdminFlags, failNotFound } from "./administer.ts";
import { type ApiKeySummary, type IssuedKey, newKeyResult, toApiKeySummary } from "./keys.ts";

export const revokeKeyCommand = command({
  path: "admin keys revoke",
  summary: "Revoke a key, which stops working immediately on all servers",
  details:
    "To revoke a leaked key whose id you do not know, pass the key itself. The management key of the account cannot be " +
    "revoked: use `playtest admin keys rotate` to replace it.",
  args: [{ name: "<id>", describe: "key id, as `playtest admin keys list` shows it, or the key itself" }],
  flags: destructiveAdminFlags,
  examples: ["admin keys revoke 91ab3f0c77de", "admin keys revoke 91ab3f0c77de --yes"],
  async run(context, { args, flags }) {
    const id = toGivenId(args[0] ?? "");
    const { row } = await administerConfirmed(
      context,
      flags,
      async (admin) => `Revoke the ${describeKey(toApiKeySummary(await findRevocable(admin, id)))}?`,
      async (admin) => {
        const found = await findRevocable(admin, id);
        const { kind, game, environment, name } = toApiKeySummary(found);
        admin.note.target = id;
        admin.note.detail = { kind, name, game, environment };
        // The expiry is visible to new requests at once, even while a stream of others holds locks on the key.
        await expireKey(admin.db, found.hash);
        return { row: found };
      },
      // Deleting the key waits for the requests that were accepted before.
      async (service, result) => {
        await service.store.write((db) => deleteKey(db, result.row.hash));
        return result;
      },
    );
    const revoked = toApiKeySummary(row);
    return {
      data: { revoked },
      view: (options) =>
        `${renderDetails(
          [
            ["Key hash", revoked.id, "strong"],
            ["Name", revoked.name],
            ["Kind", revoked.kind],
          ],
          options,
        )}\nThe key no longer works.\n`,
    };
  },
});

/** The id of the key that was given as an id or as the key itself. */
const toGivenId = (given: string) => (given.startsWith("pt_") ? toKeyId(hashKey(given)) : given);

function describeKey({ id, kind, name, game }: ApiKeySummary): string {
  const scope = game === null ? "" : ` for the game ${game}`;
  return `${kind} key ${id}${name === null ? "" : ` ${JSON.stringify(name)}`}${scope}`;
}

/** A key of the account. Throws `not_found`, and `conflict` for the account's own management key. */
async function findRevocable({ db, accountId }: AdminContext, id: string) {
  const row = (await findAccountKeys(db, accountId)).find(({ hash }) => toKeyId(hash) === id);
  if (!row)
    throw failNotFound(`key ${formatName(id)}`, "`playtest admin keys list` to list keys and their ids");
  if (row.kind === "management" && row.name === null)
    throw fail("conflict", {
      message: `Key ${id} is the management key of the account, which cannot be revoked`,
      hint: "Run `playtest admin keys rotate` to replace it. The current key then stops working immediately.",
    });
  return row;
}

export const rotateKeyCommand = command({
  path: "admin keys rotate",
  summary: "Replace the management key of an account, or create its first one",
  details:
    "The old key stops working immediately. Profiles on this machine that contain it get the new key. Named management " +
    "keys and ingest keys remain valid.",
  flags: destructiveAdminFlags,
  examples: ["admin keys rotate", "admin keys rotate --account studio --yes --json"],
  async run(context, { flags }) {
    const { issued, old } = await administerConfirmed(
      context,
      flags,
      async (admin) =>
        (await findOwnKey(admin)) === null
          ? null
          : "Replace the management key? The current key stops working immediately.",
      async (admin): Promise<{ issued: IssuedKey; old: ApiKeyRow | null }> => {
        const { db, service, accountId, note } = admin;
        const old = await findOwnKey(admin);
        const createdAt = service.now();
        const key = await issueKey(db, accountId, "management", createdAt);
        note.target = toKeyId(hashKey(key));
        note.detail = { replaced: old === null ? null : toKeyId(old.hash) };
        const unlimited = { name: null, game: null, environment: null, expiresAt: null };
        return { issued: { key, kind: "management", createdAt, ...unlimited }, old };
      },
    );
    const profiles = old === null ? [] : await replaceProfileKeys(context, old.hash, issued.key);
    const notes = [
      "The key is shown only once.",
      ...(old === null ? [] : ["The previous key no longer works."]),
      ...(profiles.length === 0 ? [] : [`Updated in profile ${profiles.join(", ")}.`]),
    ];
    return newKeyResult(issued, notes.join(" "), { profiles });
  },
});

/** The management key of the account itself, which has no name. */
async function findOwnKey({ db, accountId }: AdminContext): Promise<ApiKeyRow | null> {
  const keys = await findAccountKeys(db, accountId);
  return keys.find(({ kind, name }) => kind === "management" && name === null) ?? null;
}

/**
 * Replaces the key with this hash, and returns the names of the changed profiles. A profile that cannot be changed only
 * causes a warning, because the new key is already valid and must still be shown.
 */
async function replaceProfileKeys(context: Context, oldHash: string, key: string): Promise<string[]> {
  const changed: string[] = [];
  const { profiles = {} } = readConfig(context.io.configDir);
  for (const [name, { keys }] of Object.entries(profiles)) {
    if (!keys?.management) continue;
    try {
      if (await replaceKey(context, name, keys.management, oldHash, key)) changed.push(name);
    } catch (error) {
      const reason = (error as Error).message;
      await context.notify(
        `Warning: the profile ${JSON.stringify(name)} may still contain the previous key: ${reason}`,
      );
    }
  }
  return changed;
}

/** Replaces the key of a profile. Returns false if it is another key. */
async function replaceKey(
  { io }: Context,
  profile: string,
  stored: ProfileKey,
  oldHash: string,
  key: string,
): Promise<boolean> {
  const { baseUrl } = stored;
  if ("keychain" in stored) {
    const { readFromKeychain, storeInKeychain } = await import("../../keychain.ts");
    const entry = { profile, kind: "management", baseUrl } as const;
    if (hashKey(await readFromKeychain(io, entry)) !== oldHash) return false;
    await storeInKeychain(io, entry, key);
    return true;
  }
  if (hashKey(stored.key) !== oldHash) return false;
  await updateProfile(io.configDir, profile, (current) => ({
    ...current,
    keys: { ...current.keys, management: { key, baseUrl } },
  }));
  return true;
}
