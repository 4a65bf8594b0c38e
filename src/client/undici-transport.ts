/** Requests over undici: pooled connections for many requests, and support for proxies. */
import { Agent, type Dispatcher, EnvHttpProxyAgent, request as send } from "undici";
import { toClientError } from "./network-errors.ts";
import { readText } from "./read-response.ts";
import { streamBody, type Transport } from "./transport.ts";

/** Proxy URLs from the environment. */
interface ProxySettings {
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly noProxy?: string | undefined;
}

/** Creates a transport that keeps its connections open until `close`. Connecting times out after `connectMs`. */
export function createUndiciTransport(
  proxy: ProxySettings,
  connectMs: number,
): { send: Transport; close(): Promise<void> } {
  const dispatcher = createDispatcher(proxy, connectMs);
  const transport: Transport = async ({ method, url, headers, body, timeoutMs, signal, streamed }) => {
    try {
      const response = await send(url, {
        method: method as Dispatcher.HttpMethod,
        headers,
        body: body ?? null,
        dispatcher,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        ...(signal ? { signal } : {}),
      });
      const responseHeaders: Record<string, string | undefined> = {};
      for (const [name, value] of Object.entries(response.headers)) responseHeaders[name] = String(value);
      if (streamed && response.statusCode === 200) {
        const wrap = (error: unknown) => (signal?.aborted ? signal.reason : toClientError(error, url));
        return { status: 200, headers: responseHeaders, body: "", stream: streamBody(response.body, wrap) };
      }
      return {
        status: response.statusCode,
        headers: responseHeaders,
        body: await readText(response.body, url),
      };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw toClientError(error, url);
    }
  };
  return { send: transport, close: () => dispatcher.close() };
}

/** The connections of requests that may have to use a proxy. */
export function createDispatcher(
  { httpProxy, httpsProxy, noProxy }: ProxySettings,
  connectMs: number,
): Dispatcher {
  const connect = { timeout: connectMs };
  const bypassAll = noProxy?.trim() === "*";
  if (bypassAll || (!httpProxy && !httpsProxy)) return new Agent({ connections: 8, connect });
  const loopback = "localhost,127.0.0.1,::1,[::1]";
  return new EnvHttpProxyAgent({
    connect,
    ...(httpProxy ? { httpProxy } : {}),
    ...(httpsProxy ? { httpsProxy } : {}),
    noProxy: noProxy ? `${noProxy},${loopback}` : loopback,
  });
}
