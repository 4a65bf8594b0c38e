/** The `admin webhooks` commands. The secrets of webhooks and the paths of their URLs are never shown. */
import { renderDetails } from "../../../render/details.ts";
import { formatCount } from "../../../render/numbers.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { findAccountGames } from "../../../server/games/game-queries.ts";
import { type WebhookEvent, webhookEvents } from "../../../server/notifications/events.ts";
import { findLastFailure } from "../../../server/notifications/failures.ts";
import {
  deleteWebhook,
  findWebhooks,
  type WebhookWithPending,
} from "../../../server/notifications/notification-queries.ts";
import { createWebhook, type ReceiverToken, requireWebhook } from "../../../server/notifications/webhooks.ts";
import { detectFormat } from "../../../webhooks/body.ts";
import { isRepositoryUrl } from "../../../webhooks/commit-status.ts";
import { bodyFormats } from "../../../webhooks/message.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type CommandArgument, choice, choices, text } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { parseWebhookUrl, showWebhookUrl } from "../../outbound-url.ts";
import { addSelection } from "../../suggested-commands.ts";
import { requireTokenKey } from "../server/token-key.ts";
import {
  type AdminContext,
  administer,
  administerConfirmed,
  administerNew,
  creatingAdminFlags,
  destructiveAdminFlags,
  requireNamedGame,
} from "./administer.ts";
import { createAdminListCommand } from "./list-command.ts";
import { readSecret } from "./text-file.ts";

/**
 * A webhook in the output of commands: its URL without the path, the game that limits it, the numbers of events that wait,
 * were accepted and were given up, since when the oldest one has waited, and since when and how it has failed. Times are unix ms. `slugs` are those of the account's
 * games by id.
 */
function toWebhookView(row: WebhookWithPending, slugs: ReadonlyMap<string, string>) {
  const { id, name, url, format, events, game_id, created_at, pending, delivered, dropped } = row;
  return {
    ...{ id, name },
    url: showWebhookUrl(url),
    format,
    on: events.split(" "),
    game: game_id === null ? null : (slugs.get(game_id) ?? game_id),
    createdAt: created_at,
    pending,
    waitingSince: row.waiting_since,
    delivered,
    dropped,
    failingSince: row.failing_since,
    failure: findLastFailure(row),
    lastError: row.last_error,
    oldSecretUntil: row.old_secret_until,
  };
}

const webhookColumns = defineColumns<ReturnType<typeof toWebhookView>>({
  id: { header: "ID" },
  name: { header: "NAME" },
  url: { header: "URL", shrink: 3 },
  on: { header: "EVENTS", value: ({ on }) => on.join(", "), shrink: 2 },
  game: { header: "GAME", shrink: 1 },
  format: { header: "FORMAT", wide: true },
  pending: { header: "PENDING" },
  waitingSince: { header: "WAITING SINCE", kind: "time" },
  delivered: { header: "DELIVERED" },
  dropped: { header: "DROPPED" },
  failingSince: { header: "FAILING SINCE", kind: "time" },
  failure: { header: "FAILURE" },
  lastError: { header: "LAST ERROR", shrink: 1 },
  oldSecretUntil: { header: "OLD SECRET UNTIL", kind: "time", wide: true },
});

export const webhookArgument: CommandArgument = { name: "<id>", describe: "webhook id or name" };

export const addWebhookCommand = command({
  path: "admin webhooks add",
  summary: "Send events of an account to a URL",
  details:
    "The running server sends each event as a POST request, and retries for up to 24 hours until the receiver returns a " +
    "2xx status. An event can arrive more than once, with the same webhook-id header.\n\nRequests are signed as " +
    "described at https://www.standardwebhooks.com. The secret for checking signatures is shown only once. With " +
    "--format slack or discord, the body is a message for an incoming webhook of Slack or Discord. By default, the " +
    "format depends on the host of the URL. `--game` limits the webhook to one game.\n\n" +
    "--format github-status shows the gates of `gate --detach` as statuses of commits. Its URL is that of the repository in " +
    "GitHub's API. Its token is read from PLAYTEST_WEBHOOK_TOKEN or standard input, and stored encrypted with PLAYTEST_TOKEN_KEY.",
  args: [{ name: "<url>", describe: "https URL that receives the events" }],
  flags: {
    ...creatingAdminFlags,
    on: choices("--on <events>", "comma-separated events to send (required)", webhookEvents),
    format: choice(
      "--format <format>",
      `format of the body: auto, ${bodyFormats.join(", ")} (default: auto)`,
      ["auto", ...bodyFormats],
    ),
    name: text("--name <name>", "name for `gate --detach --to <name>`"),
  },
  examples: [
    "admin webhooks add https://example.com/hook --on session.failed,bug-report",
    "admin webhooks add https://hooks.slack.com/services/T0/B0/X0 --on gate.decided",
  ],
  async run(context, { args: [address = ""], flags: { on, format: chosen = "auto", name, ...admin } }) {
    const events = checkEvents(chosen, on);
    checkName(name);
    const { settings } = context;
    const url = parseWebhookUrl(address, "<url>", settings.allowHttp);
    const format = chosen === "auto" ? detectFormat(url) : chosen;
    const token = format === "github-status" ? await readRepositoryToken(context, url) : null;
    // A game of the profile or the repository does not limit a webhook, because nobody would notice.
    const { game: named } = settings.flags;
    const run = named === undefined ? administerNew : administer;
    const { row, slug } = await run(context, admin, async ({ db, service, accountId, note }) => {
      const game = named === undefined ? null : await requireNamedGame(db, accountId, named);
      const created = await createWebhook(db, service, accountId, {
        url: url.href,
        ...{ format, events, token, name: name ?? null },
        gameId: game?.id ?? null,
      });
      note.target = created.id;
      note.detail = { events: created.events };
      return { row: created, slug: game?.slug ?? null };
    });
    const slugs = new Map(row.game_id === null || slug === null ? [] : [[row.game_id, slug]]);
    const webhook = toWebhookView({ ...row, pending: 0, waiting_since: null }, slugs);
    return {
      data: { webhook, ...(token === null ? { secret: row.secret } : {}) },
      view: (options) =>
        `${renderDetails(
          [
            ["ID", webhook.id, "strong"],
            ...(token === null ? ([["Secret", row.secret, "strong"]] as const) : []),
            ["Name", webhook.name],
            ["URL", webhook.url],
            ["Format", webhook.format],
            ["Events", webhook.on.join(", ")],
            ["Game", webhook.game ?? "all games of the account"],
          ],
          options,
        )}\n${token === null ? "The secret is shown only once. " : ""}${addSelection(`Run \`playtest admin webhooks test ${webhook.id}\` to send a test event.`, context.selection)}\n`,
    };
  },
});

/** The events of a webhook. Throws `usage` without any, and for statuses of commits, which only show gates. */
function checkEvents(format: string, on: readonly WebhookEvent[] | undefined): WebhookEvent[] {
  if (format === "github-status") {
    if (on === undefined || on.every((event) => event === "gate.decided")) return ["gate.decided"];
    throw fail("usage", {
      message: "--format github-status only shows gates",
      hint: "Leave out --on, or add another webhook for other events.",
    });
  }
  if (on !== undefined) return [...new Set(on)];
  throw fail("usage", {
    message: "--on is required",
    hint: `Use one or more of ${webhookEvents.join(",")}.`,
  });
}

/** Throws `usage` for a name that could be an id, or that a shell would change. */
function checkName(name: string | undefined): void {
  if (name === undefined || (name.length <= 40 && /^[a-z][a-z0-9-]*$/.test(name))) return;
  throw fail("usage", {
    message: `--name ${JSON.stringify(name)} is not a name: use up to 40 lowercase letters, digits and dashes, beginning with a letter`,
  });
}

/** Like `readToken`. Throws `usage` if the URL is not that of a repository. */
async function readRepositoryToken({ io }: Pick<Context, "io">, url: URL): Promise<ReceiverToken> {
  if (!isRepositoryUrl(url)) {
    throw fail("usage", {
      message: "--format github-status requires the URL of a repository in GitHub's API",
      hint: "Use a URL such as https://api.github.com/repos/studio/game.",
    });
  }
  return await readToken(io);
}

/** Reads the token of a receiver, and the key that encrypts it. Throws `usage` or `config`. */
export async function readToken(io: Io): Promise<ReceiverToken> {
  const key = await requireTokenKey(io);
  return { token: await readSecret(io, "PLAYTEST_WEBHOOK_TOKEN", "token"), key };
}

export const removeWebhookCommand = command({
  path: "admin webhooks remove",
  summary: "Remove a webhook, its secret and the events that wait for it",
  args: [webhookArgument],
  flags: destructiveAdminFlags,
  examples: ["admin webhooks remove whk_0123", "admin webhooks remove whk_0123 --yes"],
  async run(context, { args: [id = ""], flags }) {
    const find = ({ db, accountId }: AdminContext) => requireWebhook(db, accountId, id);
    const { pending } = await administerConfirmed(
      context,
      flags,
      async (admin) => {
        const { url, pending: waiting } = await find(admin);
        return `Remove the webhook to ${showWebhookUrl(url)} and ${formatCount(waiting, "waiting event")}?`;
      },
      async (admin) => {
        const webhook = await find(admin);
        admin.note.target = webhook.id;
        await deleteWebhook(admin.db, admin.accountId, webhook.id);
        return webhook;
      },
    );
    return {
      data: { removed: id, pending },
      view: () => `Removed the webhook ${id} and ${formatCount(pending, "waiting event")}.\n`,
    };
  },
});

export const listWebhooksCommand = createAdminListCommand({
  path: "admin webhooks list",
  summary: "List an account's webhooks, with what waits for them and why they fail",
  examples: ["admin webhooks list", "admin webhooks list --wide"],
  field: "webhooks",
  columns: webhookColumns,
  empty: "No webhooks configured.",
  async read({ db, accountId }) {
    const slugs = new Map((await findAccountGames(db, accountId)).map(({ id, slug }) => [id, slug]));
    return (await findWebhooks(db, accountId)).map((row) => toWebhookView(row, slugs));
  },
});
