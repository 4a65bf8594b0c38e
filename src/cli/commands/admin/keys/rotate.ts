/** admin keys rotate: replaces the management key. */
import { findAccountKeys } from "../../../../server/accounts/key-queries.ts";
import { issueKey } from "../../../../server/accounts/keys.ts";
import { command } from "../../../command.ts";
import { yesFlag } from "../../../confirm-destructive.ts";
import { administerConfirmed, creatingAdminFlags } from "../administer.ts";
import { type IssuedKey, newKeyResult } from "./new-key.ts";

export const rotateKeyCommand = command({
  path: "admin keys rotate",
  summary: "Replace an account's management key, or create the first one",
  details:
    "The old key stops working immediately. For profiles that use it, run `playtest login` with the new key. " +
    "Ingest keys remain valid.",
  args: [],
  flags: { ...creatingAdminFlags, yes: yesFlag },
  examples: ["admin keys rotate", "admin keys rotate --account studio --yes --json"],
  async run(context, { flags }) {
    const { issued, isFirst } = await administerConfirmed(
      context,
      { ...flags, mayCreateDatabase: true },
      async ({ db, accountId }) =>
        (await findAccountKeys(db, accountId)).some(({ kind }) => kind === "management")
          ? "Replace the management key? The current key stops working immediately."
          : null,
      async ({ db, service, accountId }): Promise<{ issued: IssuedKey; isFirst: boolean }> => {
        const createdAt = service.now();
        const keys = await findAccountKeys(db, accountId);
        const key = await issueKey(db, accountId, "management", createdAt);
        return {
          issued: { key, kind: "management", game: null, createdAt },
          isFirst: !keys.some(({ kind }) => kind === "management"),
        };
      },
    );
    return newKeyResult(
      issued,
      `The key is shown only once.${isFirst ? "" : " The previous key no longer works."}`,
    );
  },
});
