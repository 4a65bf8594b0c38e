/** admin webhooks replay, rotate-secret and set-token: webhooks whose receiver has lost events, or gets other credentials. */
import { renderDetails } from "../../../render/details.ts";
import { formatCount } from "../../../render/numbers.ts";
import { type Replay, replayDeliveries } from "../../../server/notifications/delivery-queries.ts";
import { MAX_BODY_LENGTH } from "../../../server/notifications/limits.ts";
import { replaceToken, requireWebhook, rotateSecret } from "../../../server/notifications/webhooks.ts";
import { lockArrivals } from "../../../server/telemetry/arrival-queries.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { age, time } from "../../flags.ts";
import { addSelection } from "../../suggested-commands.ts";
import { type AdminContext, adminFlags, administer } from "./administer.ts";
import { readToken, webhookArgument } from "./webhooks.ts";

const formatTime = (ms: number) => new Date(ms).toISOString();

/** The webhook that a command changes, which the audit names. */
async function requireTarget({ db, accountId, note }: AdminContext, id: string) {
  const webhook = await requireWebhook(db, accountId, id);
  note.target = webhook.id;
  return webhook;
}

export const replayWebhookCommand = command({
  path: "admin webhooks replay",
  summary: "Send the events of a webhook again that are still kept",
  details:
    "Events are kept for 7 days, the newest 1,000 of each webhook. A running server sends them again within seconds, whether they " +
    "were delivered, dropped or wait. They keep their webhook-id, so that a receiver can ignore what it has processed. Of the " +
    "statuses of a commit, only the last one is sent.",
  args: [webhookArgument],
  flags: { ...adminFlags, since: time("--since <time>", "events created at or after (required)") },
  examples: ["admin webhooks replay whk_0123 --since 6h"],
  async run(context, { args: [id = ""], flags: { since, ...flags } }) {
    if (since === undefined)
      throw fail("usage", { message: "--since is required", hint: "Specify a time such as --since 6h." });
    const replay = await administer(context, flags, async (admin) => {
      // An erasure in progress deletes the words of a tester from the tables between which a replay moves events.
      if (admin.service.store.engine === "postgres") await lockArrivals(admin.db);
      const webhook = await requireTarget(admin, id);
      const result = await replayDeliveries(admin.db, webhook, since, admin.service.now());
      admin.note.detail = { since, ...result.sent };
      return result;
    });
    return { data: { id, since, ...replay }, view: () => `${describeReplay(replay)}\n` };
  },
});

function describeReplay({ sent, left, tooLarge, keptSince }: Replay): string {
  const { delivered, dropped, waiting } = sent;
  const total = formatCount(delivered + dropped + waiting, "event");
  return [
    `${total} to send again: ${delivered} delivered, ${dropped} dropped and ${waiting} waiting.`,
    ...(left === 0
      ? []
      : [`${formatCount(left, "further event")} did not fit. Run the command again later.`]),
    ...(tooLarge === 0
      ? []
      : [`${formatCount(tooLarge, "event")} cannot be sent: larger than ${MAX_BODY_LENGTH / 1000} kB.`]),
    ...(keptSince === null ? [] : [`Events up to ${formatTime(keptSince)} are no longer kept.`]),
  ].join("\n");
}

export const rotateSecretCommand = command({
  path: "admin webhooks rotate-secret",
  summary: "Replace the secret of a webhook, with an overlap",
  details:
    "During the overlap, requests have two signatures in webhook-signature, separated by a space: one with the new secret and one " +
    "with the old secret. A receiver that accepts either misses nothing. Rotating again ends the overlap of the secret before.",
  args: [webhookArgument],
  flags: {
    ...adminFlags,
    overlap: age(
      "--overlap <duration>",
      "how long the old secret stays valid, 0 to end it now (default: 1d)",
    ),
  },
  examples: ["admin webhooks rotate-secret whk_0123 --overlap 2d"],
  async run(context, { args: [id = ""], flags: { overlap = DAY_MS, ...flags } }) {
    const rotated = await administer(context, flags, async (admin) => {
      const webhook = await requireTarget(admin, id);
      const result = await rotateSecret(admin.db, webhook, admin.service.now(), overlap);
      admin.note.detail = { oldSecretUntil: result.oldSecretUntil };
      return result;
    });
    const until = rotated.oldSecretUntil;
    return {
      data: { id, ...rotated },
      view: (options) =>
        `${renderDetails([["Secret", rotated.secret, "strong"]], options)}\nThe secret is shown only once. ` +
        `The old secret ${until === null ? "is no longer valid" : `also signs until ${formatTime(until)}`}.\n`,
    };
  },
});

export const setTokenCommand = command({
  path: "admin webhooks set-token",
  summary: "Replace the token of a github-status webhook",
  details:
    "The token is read from PLAYTEST_WEBHOOK_TOKEN or standard input, and stored encrypted with PLAYTEST_TOKEN_KEY. Waiting events " +
    "and open gates use it from then on.",
  args: [webhookArgument],
  flags: adminFlags,
  examples: ["admin webhooks set-token whk_0123 < token.txt"],
  async run(context, { args: [id = ""], flags }) {
    const token = await readToken(context.io);
    await administer(context, flags, async (admin) =>
      replaceToken(admin.db, await requireTarget(admin, id), token),
    );
    return {
      data: { id },
      view: () =>
        `Replaced the token. ${addSelection(`Run \`playtest admin webhooks test ${id}\` to check it.`, context.selection)}\n`,
    };
  },
});
