/** Sends the result of a command to a webhook (`--notify`). If that fails, it is a warning and never changes the exit code. */
import { backoffPolicy, retry } from "../shared/retry.ts";
import type { WebhookMessage } from "../webhooks/message.ts";
import { isAccepted, type WebhookResponse } from "../webhooks/response.ts";
import type { Context } from "./context.ts";
import { fail } from "./errors.ts";
import { text } from "./flags.ts";
import { parseWebhookUrl, showWebhookUrl } from "./outbound-url.ts";
import { NO_PROXIES, readProxies } from "./proxies.ts";
import { isLoopback } from "./settings.ts";

export const notifyFlag = text(
  "--notify <url>",
  "also send the result to this webhook: a message for an incoming webhook of Slack or Discord, otherwise JSON",
);

const SECRET_VARIABLE = "PLAYTEST_NOTIFY_SECRET";
/** Maximum attempts, and the wait after the first one in ms, which doubles. */
const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 1000;

/** Sends a message. Never throws, except on interruption. */
export type Notify = (message: Omit<WebhookMessage, "timestamp">) => Promise<void>;

/** Checks the URL and the secret before the command starts. Throws `usage` or `config`. */
export async function prepareNotify(context: Context, target: string | undefined): Promise<Notify> {
  if (target === undefined) return async () => {};
  const url = parseWebhookUrl(target, "--notify", context.settings.allowHttp);
  const secret = context.io.env[SECRET_VARIABLE] || null;
  if (secret !== null && !(await import("../webhooks/signature.ts")).isSecret(secret)) {
    throw fail("config", {
      message: `${SECRET_VARIABLE} is not a secret for signatures`,
      hint: "Use whsec_ followed by 24 to 64 bytes in Base64, or unset it to send unsigned requests.",
    });
  }
  return async (message) => {
    try {
      await send(context, url, secret, message);
    } catch (error) {
      context.io.signal.throwIfAborted();
      await context.notify(
        `Warning: ${showWebhookUrl(url.href)} was not notified: ${(error as Error).message}`,
      );
    }
  };
}

async function send(
  context: Context,
  url: URL,
  secret: string | null,
  message: Omit<WebhookMessage, "timestamp">,
): Promise<void> {
  const { io } = context;
  const { detectFormat, renderBody } = await import("../webhooks/body.ts");
  const { sendWebhook } = await import("../webhooks/send.ts");
  const { randomBytes } = await import("node:crypto");
  const request = {
    url: url.href,
    id: `evt_${randomBytes(12).toString("hex")}`,
    body: renderBody(detectFormat(url), { ...message, timestamp: io.now() }),
    secrets: secret === null ? [] : [secret],
  };
  const dispatcher = await createProxyDispatcher(context, url);
  const attempt = async () => {
    const response = await io.interruptible(() =>
      sendWebhook(request, { now: io.now(), signal: io.signal, ...(dispatcher ? { dispatcher } : {}) }),
    );
    if (!isAccepted(response)) throw new RefusedError(response);
  };
  const policy = backoffPolicy({
    firstMs: FIRST_WAIT_MS,
    maxAttempts: MAX_ATTEMPTS,
    isTransient: (error) => !(error instanceof RefusedError) || error.isTransient,
  });
  try {
    await retry(attempt, policy, { sleep: (ms) => io.sleep(ms, io.signal) });
  } finally {
    await dispatcher?.close();
  }
}

/** The receiver returned an error status. */
class RefusedError extends Error {
  readonly isTransient: boolean;

  constructor({ status }: WebhookResponse) {
    super(`it returned status ${status}`);
    this.isTransient = status === 429 || status >= 500;
  }
}

/** Connections through the proxies of the environment; undefined without proxies. */
async function createProxyDispatcher({ io, settings }: Context, { hostname }: URL) {
  const { httpProxy, httpsProxy, noProxy } = isLoopback(hostname) ? NO_PROXIES : readProxies(io.env);
  if (!httpProxy && !httpsProxy) return undefined;
  const { createDispatcher } = await import("../client/undici-transport.ts");
  const proxies = { httpProxy: httpProxy?.value, httpsProxy: httpsProxy?.value, noProxy: noProxy?.value };
  return createDispatcher(proxies, settings.timeoutMs.value);
}
