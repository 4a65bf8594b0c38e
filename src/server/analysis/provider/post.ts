/** Sends JSON requests to a model service, with retries while it is overloaded and one deadline for all attempts. */
import { RefusedAddress } from "../../../shared/allowed-addresses.ts";
import { backoffMs, type RetryPolicy, retry } from "../../../shared/retry.ts";
import { sleep } from "../../../shared/sleep.ts";
import { ModelStopped, ProviderFault, type ProviderSettings } from "./faults.ts";

/** Maximum attempts per request if the service is overloaded or fails. */
export const MAX_ATTEMPTS = 3;
/** Wait after the first failure in ms. It doubles with each failure. A Retry-After header takes precedence. */
const INITIAL_BACKOFF_MS = 200;

/** Sends a body to a path of the provider and returns the JSON response. */
export type ProviderPost = (path: string, body: unknown) => Promise<unknown>;

/** Runs requests within the timeout of the provider. Throws ProviderFault; ModelStopped if `stop` fires. */
export async function withProvider<T>(
  provider: ProviderSettings,
  stop: AbortSignal | undefined,
  use: (post: ProviderPost) => Promise<T>,
): Promise<T> {
  const { guardedFetch } = await import("./guarded-fetch.ts");
  const guarded = guardedFetch();
  const deadline = AbortSignal.timeout(provider.timeout_ms);
  const signal = stop ? AbortSignal.any([deadline, stop]) : deadline;
  let refusal: ProviderHttpError | null = null;
  const onRefusal = (error: ProviderHttpError) => {
    refusal = error;
  };
  try {
    return await use((path, body) => post(guarded.fetch, provider, path, body, { signal, onRefusal }));
  } catch (error) {
    if (stop?.aborted)
      throw new ModelStopped("The service stopped during a request to the model", { cause: error });
    // A provider that was asked to wait for longer than the deadline did answer.
    const fault = toFault(refusal ?? error, refusal === null && deadline.aborted);
    provider.onFault?.(fault);
    throw fault;
  } finally {
    await guarded.close();
  }
}

async function post(
  send: typeof fetch,
  { base_url, api_key }: ProviderSettings,
  path: string,
  body: unknown,
  { signal, onRefusal }: { readonly signal: AbortSignal; onRefusal(error: ProviderHttpError): void },
): Promise<unknown> {
  const url = `${base_url.replace(/\/$/, "")}/${path}`;
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    // A model on the studio's own network may not need a key.
    ...(api_key ? { authorization: `Bearer ${api_key}` } : {}),
  };
  const attempt = async () => {
    const response = await send(url, { method: "POST", headers, body: JSON.stringify(body), signal });
    if (!response.ok) {
      const refusal = new ProviderHttpError(response);
      onRefusal(refusal);
      throw refusal;
    }
    return await response.json();
  };
  return await retry(attempt, retryPolicy, { sleep, signal });
}

/** The model service returned an error status. */
class ProviderHttpError extends Error {
  readonly status: number;
  /** The requested wait in ms; 0 or NaN if the service requests none. */
  readonly retryAfterMs: number;

  constructor({ status, headers }: Response) {
    super(`The model service returned status ${status}`);
    this.status = status;
    this.retryAfterMs = Number(headers.get("retry-after")) * 1000;
  }
}

/** Retries if the service is overloaded or fails. A failed connection is not retried. */
const retryPolicy: RetryPolicy = {
  waitAfter(failure, attempt) {
    if (!(failure instanceof ProviderHttpError) || attempt >= MAX_ATTEMPTS) return null;
    if (failure.status !== 429 && failure.status < 500) return null;
    return failure.retryAfterMs > 0
      ? failure.retryAfterMs
      : backoffMs(attempt, { firstMs: INITIAL_BACKOFF_MS });
  },
};

function toFault(error: unknown, isLate: boolean): ProviderFault {
  if (error instanceof ProviderFault) return error;
  if (isLate) return new ProviderFault("timeout", "The model did not respond in time", error);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof RefusedAddress) return new ProviderFault("refused", cause.message, error);
  }
  if (error instanceof ProviderHttpError)
    return new ProviderFault("unavailable", error.message, error, error.status);
  if (error instanceof SyntaxError)
    return new ProviderFault("invalid", "The model's response is not JSON", error);
  return new ProviderFault("unavailable", "Could not connect to the model service", error);
}
