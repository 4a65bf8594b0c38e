/** admin webhooks add: sends events of an account to a URL. */
import { renderDetails } from "../../../../render/details.ts";
import { webhookEvents } from "../../../../server/notifications/events.ts";
import { createWebhook } from "../../../../server/notifications/webhooks.ts";
import { detectFormat } from "../../../../webhooks/body.ts";
import { bodyFormats } from "../../../../webhooks/message.ts";
import { command } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { choice, choices } from "../../../flags.ts";
import { parseWebhookUrl } from "../../../webhook-url.ts";
import { administer, administerNew, creatingAdminFlags, requireNamedGame } from "../administer.ts";
import { toWebhookView } from "./columns.ts";

export const addWebhookCommand = command({
  path: "admin webhooks add",
  summary: "Send events of an account to a URL",
  details:
    "The running server sends each event as a POST request, and retries for up to 24 hours until the receiver returns a " +
    "2xx status. An event can arrive more than once, with the same webhook-id header.\n\nRequests are signed as " +
    "described at https://www.standardwebhooks.com. The secret for checking signatures is shown only once. With " +
    "--format slack or discord, the body is a message for an incoming webhook of Slack or Discord. By default, the " +
    "format depends on the host of the URL. `--game` limits the webhook to one game.\n\nThe events are session.analyzed, " +
    "session.failed, bug-report (a player reported a bug) and experiment.decided (a comparison has a leader for the first " +
    "time, or a winner was declared).",
  args: [{ name: "<url>", describe: "https URL that receives the events" }],
  flags: {
    ...creatingAdminFlags,
    on: choices("--on <events>", "comma-separated events to send (required)", webhookEvents),
    format: choice("--format <format>", "format of the body: auto, json, slack or discord (default: auto)", [
      "auto",
      ...bodyFormats,
    ]),
  },
  examples: [
    "admin webhooks add https://example.com/hook --on session.failed,bug-report",
    "admin webhooks add https://hooks.slack.com/services/T0/B0/X0 --on bug-report",
  ],
  async run(context, { args: [text = ""], flags: { on, format = "auto", ...admin } }) {
    if (on === undefined) {
      throw fail("usage", {
        message: "--on is required",
        hint: `Use one or more of ${webhookEvents.join(",")}.`,
      });
    }
    const { settings } = context;
    const url = parseWebhookUrl(text, "<url>", settings.allowHttp);
    // A game of the profile or the repository does not limit a webhook, because nobody would notice.
    const { game: named } = settings.flags;
    const run = named === undefined ? administerNew : administer;
    const { row, slug } = await run(context, admin, async ({ db, service, accountId, note }) => {
      const game = named === undefined ? null : await requireNamedGame(db, accountId, named);
      const created = await createWebhook(db, service, accountId, {
        url: url.href,
        format: format === "auto" ? detectFormat(url) : format,
        events: [...new Set(on)],
        gameId: game?.id ?? null,
      });
      note.target = created.id;
      note.detail = { events: created.events };
      return { row: created, slug: game?.slug ?? null };
    });
    const slugs = new Map(row.game_id === null || slug === null ? [] : [[row.game_id, slug]]);
    const webhook = toWebhookView({ ...row, pending: 0 }, slugs);
    return {
      data: { webhook, secret: row.secret },
      view: (options) =>
        `${renderDetails(
          [
            ["ID", webhook.id, "strong"],
            ["Secret", row.secret, "strong"],
            ["URL", webhook.url],
            ["Format", webhook.format],
            ["Events", webhook.on.join(", ")],
            ["Game", webhook.game ?? "all games of the account"],
          ],
          options,
        )}\nThe secret is shown only once. Run \`playtest admin webhooks test ${webhook.id}\` to send a test event.\n`,
    };
  },
});
