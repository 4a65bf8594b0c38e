/** admin webhooks test: sends a test event now, and shows the response. */
import { cleanLine } from "../../../render/text.ts";
import { requireWebhook, sendTest } from "../../../server/notifications/webhooks.ts";
import { isAccepted, SendError } from "../../../webhooks/response.ts";
import { UnreadableToken } from "../../../webhooks/token-cipher.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { showWebhookUrl } from "../../outbound-url.ts";
import { requireTokenKey } from "../server/token-key.ts";
import { adminFlags, administer } from "./administer.ts";
import { webhookArgument } from "./webhooks.ts";

const TOKEN_KEY_HINT = "Set PLAYTEST_TOKEN_KEY to the key that the webhook was added with, or add it again.";

/** The longest part of a response that is shown, in characters. */
const MAX_SHOWN = 500;

/** What an accepted test shows, and what it does not. */
const eventChecks = {
  verified: ["the receiver accepts an event from this machine"],
  notVerified: ["the server can reach the receiver"],
};
const readChecks = {
  verified: ["the token can read the repository from this machine"],
  notVerified: [
    "the token may write statuses of commits",
    "the server has the PLAYTEST_TOKEN_KEY of the token",
  ],
};

const describeChecks = ({ verified, notVerified }: typeof eventChecks) =>
  `Verified: ${verified.join("; ")}.\nNot verified: ${notVerified.join("; ")}.\n`;

export const testWebhookCommand = command({
  path: "admin webhooks test",
  summary: "Send a test event to a webhook now, and show the response",
  details:
    "The event webhook.test is sent once, from this machine and without the outbox. The exit code is 10 if the receiver " +
    "does not return a 2xx status, and 51 or 52 if it does not respond. For statuses of commits, it only reads the repository with the token, and writes no status.",
  args: [webhookArgument],
  flags: adminFlags,
  examples: ["admin webhooks test whk_0123"],
  async run(context, { args: [id = ""], flags }) {
    const webhook = await administer(context, flags, ({ db, accountId }) =>
      requireWebhook(db, accountId, id),
    );
    const { io } = context;
    const tokenKey = webhook.token === null ? null : await requireTokenKey(io);
    const shownUrl = showWebhookUrl(webhook.url);
    const response = await io
      .interruptible(() => sendTest(webhook, tokenKey, io.now(), io.signal))
      .catch((error: unknown) => {
        if (error instanceof UnreadableToken)
          throw fail("config", { message: error.message, hint: TOKEN_KEY_HINT, cause: error });
        if (!(error instanceof SendError)) throw error;
        throw fail(error.fault === "timeout" ? "timeout" : "network", {
          message: `The test event was not accepted by ${shownUrl}: ${error.message}`,
          hint: "Check the URL, and that this machine can reach it.",
          cause: error,
        });
      });
    const { status, text } = response;
    const body = cleanLine(text).slice(0, MAX_SHOWN);
    const accepted = isAccepted(response);
    const verified = webhook.format === "github-status" ? readChecks : eventChecks;
    const message = `${shownUrl} returned status ${status}${body === "" ? "" : `: ${body}`}`;
    return {
      data: {
        id,
        accepted,
        status,
        response: text,
        ...(accepted ? verified : { verified: [], notVerified: [] }),
      },
      view: () => `${message}\n${accepted ? describeChecks(verified) : ""}`,
      ...(accepted
        ? {}
        : {
            verdict: {
              code: "check_failed" as const,
              message: `The receiver did not accept the test event (status ${status})`,
              hint: "Check the URL and --format, and whether the receiver checks the signature with the right secret.",
            },
          }),
    };
  },
});
