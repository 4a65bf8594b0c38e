/** admin keys rotate: replaces the management key of an account. */
import { findAccountKeys } from "../../../../server/accounts/key-queries.ts";
import { hashKey, issueKey } from "../../../../server/accounts/keys.ts";
import type { ApiKeyRow } from "../../../../server/db/schema.ts";
import { command } from "../../../command.ts";
import { type AdminContext, administerConfirmed, destructiveAdminFlags } from "../administer.ts";
import { toKeyId } from "./columns.ts";
import { type IssuedKey, newKeyResult } from "./new-key.ts";
import { replaceProfileKeys } from "./profile-keys.ts";

export const rotateKeyCommand = command({
  path: "admin keys rotate",
  summary: "Replace the management key of an account, or create its first one",
  details:
    "The old key stops working immediately. Profiles on this machine that contain it get the new key. Named management " +
    "keys and ingest keys remain valid.",
  args: [],
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
