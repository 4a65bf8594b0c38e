/** admin keys create and list, and how commands show API keys. Only hashes of keys are stored, so a key is shown only once. */
import type { ApiKeyKind } from "../../../contract/define.ts";
import { environmentSlug } from "../../../contract/telemetry.ts";
import { renderDetails } from "../../../render/details.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { formatTime } from "../../../render/time.ts";
import { findAccountKeys } from "../../../server/accounts/account-queries.ts";
import { createKey, hashKey, toKeyId } from "../../../server/accounts/keys.ts";
import type { ApiKeyRow } from "../../../server/db/schema.ts";
import { command, type Result } from "../../command.ts";
import { fail } from "../../errors.ts";
import { choice, futureTime, text } from "../../flags.ts";
import { administer, administerNew, creatingAdminFlags, requireNamedGame } from "./administer.ts";
import { createAdminListCommand } from "./list-command.ts";

/**
 * A key in the output of commands. Its id is the beginning of its SHA-256 hash. Unnamed keys, such as the management key
 * of the account, have the name null. Without a limit, `game` (a slug) and `environment` are null. Times are unix ms;
 * `lastUsedAt` is the start of a UTC day.
 */
export function toApiKeySummary(row: Omit<ApiKeyRow, "account_id" | "game_id"> & { slug: string | null }) {
  return {
    id: toKeyId(row.hash),
    name: row.name,
    kind: row.kind,
    game: row.slug,
    environment: row.environment,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}

export type ApiKeySummary = ReturnType<typeof toApiKeySummary>;

const keyColumns = defineColumns<ApiKeySummary>({
  id: { header: "KEY HASH" },
  name: { header: "NAME", shrink: 2 },
  kind: { header: "KIND", groups: true },
  game: { header: "GAME", shrink: 1, groups: true },
  environment: { header: "ENVIRONMENT", shrink: 3, groups: true },
  createdAt: { header: "CREATED", kind: "time" },
  lastUsedAt: { header: "LAST USED", kind: "day" },
  expiresAt: { header: "EXPIRES", kind: "time" },
});

/** The columns at the terminal, where a key for all games or environments is marked with a word. */
const keyTableColumns = keyColumns.map((column) =>
  column.key === "game" || column.key === "environment"
    ? { ...column, value: (key: ApiKeySummary) => column.value(key) ?? "all" }
    : column,
);

export interface IssuedKey extends Omit<ApiKeySummary, "id" | "lastUsedAt"> {
  readonly key: string;
}

export function newKeyResult({ key, ...issued }: IssuedKey, note: string, more: object = {}): Result {
  const { name, kind, game, environment, createdAt, expiresAt } = issued;
  const stored = { id: toKeyId(hashKey(key)), name, kind, game, environment, createdAt };
  return {
    data: { key, ...stored, lastUsedAt: null, expiresAt, ...more },
    view: (options) =>
      `${renderDetails(
        [
          ["Key", key, "strong"],
          ["Key hash", stored.id],
          ["Name", name],
          ["Kind", kind],
          ["Game", game ?? "all games of the account"],
          ["Environment", environment],
          ["Expires", expiresAt === null ? null : formatTime(expiresAt, options)],
        ],
        options,
      )}\n${note}\n`,
  };
}

const MAX_NAME = 120;

export const createKeyCommand = command({
  path: "admin keys create",
  summary: "Create an ingest key, a CI key or a named management key (shown only once)",
  details:
    "An ingest key can send telemetry and feedback, but cannot read results. --game and --environment limit it. A " +
    "management key reads what the management key of the account reads, and has its own rate limit. Create one for " +
    "each CI job, cron job or assistant, so that you can revoke them one at a time. A CI key registers builds " +
    "and opens gates (`playtest gate --detach`), and cannot read or send anything else; --game limits it. To replace the management key of " +
    "the account, use `playtest admin keys rotate`. Existing keys remain valid.",
  flags: {
    ...creatingAdminFlags,
    name: text("--name <name>", `key name, 1 to ${MAX_NAME} characters; required for management keys`),
    kind: choice("--kind <kind>", "kind of the key: ingest, ci or management (default: ingest)", [
      "ingest",
      "ci",
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
    "admin keys create --name builds --kind ci --game ember",
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
    if (kind === "ci" && environment !== null) {
      throw fail("usage", {
        message: "--environment cannot be used with --kind ci",
        hint: "A build is registered for all environments.",
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

function checkName(kind: ApiKeyKind, name: string | null): void {
  if (name === null && kind === "management") {
    throw fail("usage", {
      message: "--kind management requires --name",
      hint: "Name the key after what uses it, such as `--name ci`.",
    });
  }
  if (name !== null && (name.trim() === "" || name.length > MAX_NAME))
    throw fail("usage", { message: `--name must have 1 to ${MAX_NAME} characters, not ${name.length}` });
}

export const listKeysCommand = createAdminListCommand({
  path: "admin keys list",
  summary: "List an account's API keys, oldest first",
  details: "Each key is shown as the first 12 characters of its hash.",
  examples: ["admin keys list", "admin keys list --account studio"],
  field: "keys",
  columns: keyColumns,
  tableColumns: keyTableColumns,
  empty: "No keys. `playtest admin keys rotate` creates the first management key.",
  read: async ({ db, accountId }) => (await findAccountKeys(db, accountId)).map(toApiKeySummary),
});
