/** admin keys create: creates an ingest key, or a named management key. */
import { environmentSlug } from "../../../../contract/telemetry.ts";
import { createKey, hashKey } from "../../../../server/accounts/keys.ts";
import { command } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { choice, futureTime, text } from "../../../flags.ts";
import { administer, administerNew, creatingAdminFlags, requireNamedGame } from "../administer.ts";
import { toKeyId } from "./columns.ts";
import { type IssuedKey, newKeyResult } from "./new-key.ts";

const MAX_NAME = 120;

export const createKeyCommand = command({
  path: "admin keys create",
  summary: "Create an ingest key or a named management key (shown only once)",
  details:
    "An ingest key can send telemetry and feedback, but cannot read results. --game and --environment limit it. A " +
    "management key reads what the management key of the account reads, and has its own rate limit. Create one for " +
    "each CI job, cron job or assistant, so that you can revoke them one at a time. To replace the management key of " +
    "the account, use `playtest admin keys rotate`. Existing keys remain valid.",
  args: [],
  flags: {
    ...creatingAdminFlags,
    name: text("--name <name>", `key name, 1 to ${MAX_NAME} characters; required for management keys`),
    kind: choice("--kind <kind>", "kind of the key: ingest or management (default: ingest)", [
      "ingest",
      "management",
    ]),
    bind: text("--bind <game>", "the same as --game"),
    environment: text("--environment <slug>", "limit an ingest key to this environment (default: all)"),
    expires: futureTime(
      "--expires <time>",
      "when the key stops working: a time from now such as 30d, or a date such as 2026-12-31 (default: never)",
    ),
  },
  examples: [
    "admin keys create --name build-server --game ember",
    "admin keys create --name ci --kind management --expires 90d",
    "admin keys create --name staging --environment staging",
  ],
  async run(context, { flags }) {
    const { kind = "ingest", name = null, environment = null, expires = null, bind, ...admin } = flags;
    const gameRef = selectGame(context.settings.flags.game, bind);
    checkName(kind, name);
    if (kind === "management" && (gameRef !== undefined || environment !== null)) {
      throw fail("usage", {
        message: `${gameRef === undefined ? "--environment" : "--game"} cannot be used with --kind management`,
        hint: "Management keys read all games of the account. Only ingest keys can be limited.",
      });
    }
    const { error } = environmentSlug.safeParse(environment ?? undefined);
    if (environment !== null && error)
      throw fail("usage", { message: `--environment: ${error.issues[0]?.message ?? "invalid value"}` });
    if (expires !== null && expires <= (flags.now ?? context.io.now())) {
      throw fail("usage", {
        message: `--expires ${new Date(expires).toISOString()} is in the past`,
        hint: "Use a later date, or a time from now such as 30d. Without --expires, the key does not expire.",
      });
    }
    // A new database has no game that the key could be limited to.
    const run = gameRef === undefined ? administerNew : administer;
    const issued = await run(context, admin, async ({ db, service, accountId, note }): Promise<IssuedKey> => {
      const game = gameRef === undefined ? null : await requireNamedGame(db, accountId, gameRef);
      const createdAt = service.now();
      const limits = { kind, name, gameId: game?.id ?? null, environment, expiresAt: expires };
      const key = await createKey(db, accountId, createdAt, limits);
      note.target = toKeyId(hashKey(key));
      note.detail = { kind, name, game: game?.slug ?? null, environment, expiresAt: expires };
      return { key, kind, name, game: game?.slug ?? null, environment, createdAt, expiresAt: expires };
    });
    return newKeyResult(issued, "The key is shown only once.");
  },
});

/** The game that the key is limited to. The game of the profile or the environment does not limit it. */
function selectGame(game: string | undefined, bind: string | undefined): string | undefined {
  if (game !== undefined && bind !== undefined && game !== bind)
    throw fail("usage", { message: "--game and --bind cannot be used together", hint: "Omit --bind." });
  return game ?? bind;
}

function checkName(kind: "ingest" | "management", name: string | null): void {
  if (name === null && kind === "management") {
    throw fail("usage", {
      message: "--kind management requires --name",
      hint: "Name the key after what uses it, such as `--name ci`.",
    });
  }
  if (name !== null && (name.trim() === "" || name.length > MAX_NAME))
    throw fail("usage", { message: `--name must have 1 to ${MAX_NAME} characters, not ${name.length}` });
}
