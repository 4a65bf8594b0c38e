/** admin keys create: creates an ingest key. */
import { hashKey, issueKey } from "../../../../server/accounts/keys.ts";
import { command } from "../../../command.ts";
import { text } from "../../../flags.ts";
import { administer, administerNew, creatingAdminFlags, requireNamedGame } from "../administer.ts";
import { toKeyId } from "./columns.ts";
import { type IssuedKey, newKeyResult } from "./new-key.ts";

export const createKeyCommand = command({
  path: "admin keys create",
  summary: "Create an ingest key (shown only once). Existing keys remain valid",
  details:
    "An ingest key can send telemetry and feedback, but cannot read results. To replace the management key of an account, use `playtest admin keys rotate`.",
  args: [],
  flags: { ...creatingAdminFlags, bind: text("--bind <game>", "restrict the key to this game (slug or id)") },
  examples: ["admin keys create", "admin keys create --bind ember"],
  async run(context, { flags }) {
    // A new database has no game that the key could be bound to.
    const run = flags.bind === undefined ? administerNew : administer;
    const issued = await run(context, flags, async ({ db, service, accountId, note }): Promise<IssuedKey> => {
      const game = flags.bind === undefined ? null : await requireNamedGame(db, accountId, flags.bind);
      const createdAt = service.now();
      const key = await issueKey(db, accountId, "ingest", createdAt, game?.id ?? null);
      note.target = toKeyId(hashKey(key));
      note.detail = { kind: "ingest", game: game?.id ?? null };
      return { key, kind: "ingest", game: game?.slug ?? null, createdAt };
    });
    return newKeyResult(issued, "The key is shown only once.");
  },
});
