/** admin keys revoke: revokes a key. */
import { renderDetails } from "../../../../render/details.ts";
import { deleteKey, expireKey, findAccountKeys } from "../../../../server/accounts/key-queries.ts";
import { hashKey } from "../../../../server/accounts/keys.ts";
import { command } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { type AdminContext, administerConfirmed, destructiveAdminFlags } from "../administer.ts";
import { type ApiKeySummary, toApiKeySummary, toKeyId } from "./columns.ts";

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
    throw fail("not_found", {
      message: `Key ${JSON.stringify(id)} not found`,
      hint: "Run `playtest admin keys list` to list keys and their ids.",
    });
  if (row.kind === "management" && row.name === null)
    throw fail("conflict", {
      message: `Key ${id} is the management key of the account, which cannot be revoked`,
      hint: "Run `playtest admin keys rotate` to replace it. The current key then stops working immediately.",
    });
  return row;
}
