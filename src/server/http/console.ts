/** The console: pages for people, at the server's own address. Their code is loaded on the first request. */

import type { PageResponse } from "../../console/files.ts";
import type { ConsolePages } from "../../console/pages.ts";
import { HttpError } from "../../contract/errors.ts";
import { authenticate, requireScope } from "../accounts/authenticate.ts";
import { endConsoleSession, startConsoleSession } from "../accounts/console-sessions.ts";
import type { ApiKeyRow } from "../db/schema.ts";
import {
  findNamedReader,
  findSessionReader,
  formatExpiredCookie,
  formatSessionCookie,
  isLinkFromElsewhere,
  readForm,
  readToken,
  requireSameOrigin,
  toLocalAddress,
} from "./console-request.ts";
import type { ErrorResponse } from "./error-response.ts";
import type { Exchange } from "./exchange.ts";
import { pageHeaders, RecentPages, redirect, respondPage } from "./page-response.ts";
import type { AppService } from "./service.ts";
import { type IdentitySettings, TrustedIdentity } from "./trusted-identity.ts";

/** Handles an API request in this process on behalf of a key. */
type FetchAs = (request: Request, key: ApiKeyRow, address: string) => Promise<Response>;

export interface ConsoleSettings {
  /** The proxy that signs people in; null if they sign in with a key. */
  readonly identity: IdentitySettings | null;
}

export class ConsoleMount {
  readonly #service: AppService;
  readonly #fetch: FetchAs;
  readonly #identity: TrustedIdentity | null;
  readonly #recent: RecentPages;
  #pages: Promise<ConsolePages> | null = null;

  constructor(service: AppService, { identity }: ConsoleSettings, fetch: FetchAs) {
    this.#service = service;
    this.#fetch = fetch;
    this.#recent = new RecentPages(() => service.monotonicNow());
    this.#identity = identity && new TrustedIdentity(identity);
  }

  /** Whether a request is for a page or a file of the console, or was sent by a browser for an unknown address. */
  async handles({ sender, group, systemEndpoint, path, request }: Exchange): Promise<boolean> {
    if (sender !== "client" || group || systemEndpoint) return false;
    const isBrowser = (request.headers.get("accept") ?? "").includes("text/html");
    return isBrowser || (await this.#load()).handles(path);
  }

  /** Answers a request that it handles. Throws `forbidden`, `method_not_allowed` or `rate_limited`. */
  async answer(exchange: Exchange): Promise<Response> {
    const { method, path, headers } = exchange;
    const pages = await this.#load();
    Object.assign(headers, pageHeaders);
    const action = this.#actions[path];
    const file = pages.file(path);
    if (action || file || method !== "GET") await this.#service.limits.take("ip", exchange.address);
    if (action && method === "POST") return await action(exchange, pages);
    if (method !== "GET") {
      headers.allow = action ? "GET, HEAD, POST" : "GET, HEAD";
      throw new HttpError("method_not_allowed");
    }
    // Somebody opened the address of a form, for example again after a wrong key.
    if (action) return redirect(exchange, "/");
    return respondPage(exchange, file ?? (await this.#answerPage(exchange, pages)));
  }

  /** The page about an error; null if the request was not for a page. */
  async toErrorPage(exchange: Exchange, { status, body }: ErrorResponse): Promise<Response | null> {
    if (!(await this.handles(exchange))) return null;
    Object.assign(exchange.headers, pageHeaders);
    return respondPage(exchange, (await this.#load()).error(status, body.error, toAddress(exchange)));
  }

  readonly #actions: Readonly<
    Record<string, (exchange: Exchange, pages: ConsolePages) => Promise<Response>>
  > = {
    "/sign-in": (exchange, pages) => this.#signIn(exchange, pages),
    "/sign-out": (exchange) => this.#signOut(exchange),
  };

  async #answerPage(exchange: Exchange, pages: ConsolePages): Promise<PageResponse> {
    const { request, path, query } = exchange;
    const token = readToken(request);
    const reader = await (this.#identity
      ? findNamedReader(this.#service, this.#identity, exchange).catch((error) =>
          this.#refuse(exchange, error),
        )
      : findSessionReader(this.#service, token));
    if (reader === null) {
      await this.#service.limits.take("ip", exchange.address);
      const address = toAddress(exchange);
      if (token !== null || !isLinkFromElsewhere(request))
        return pages.signIn(401, { next: address, problem: token === null ? null : SESSION_ENDED });
      // The browser sends the cookie when a page of this server leads to the address.
      exchange.headers.refresh = `0; url=${address}`;
      return pages.reopen(address);
    }
    await this.#service.limits.take("page", reader.client);
    const show = () =>
      pages.show({
        path,
        query,
        reader: reader.name,
        fetch: (inner) => this.#fetch(inner, reader.key, exchange.address),
        now: this.#service.now(),
        report: (error) => this.#service.report(`GET ${exchange.logged.path}`, error, exchange.requestId),
      });
    // An open page asks whether it has changed. Somebody who opens a page gets the newest one.
    if (!request.headers.has("if-none-match")) return await show();
    return await this.#recent.find(JSON.stringify([reader.key.account_id, reader.name, path, query]), show);
  }

  /** Counts a refused request toward the limit of its address, because it has no reader. Throws the error or `rate_limited`. */
  async #refuse({ address }: Exchange, error: unknown): Promise<never> {
    await this.#service.limits.take("ip", address);
    throw error;
  }

  async #signIn(exchange: Exchange, pages: ConsolePages): Promise<Response> {
    const { request, headers } = exchange;
    requireSameOrigin(request);
    if (this.#identity) throw new HttpError("forbidden", { message: "The proxy signs people in" });
    const form = await readForm(exchange);
    const next = toLocalAddress(form.get("next"));
    const key = await this.#findKey(form.get("key") ?? "");
    if (typeof key === "string") return respondPage(exchange, pages.signIn(401, { next, problem: key }));
    const token = await startConsoleSession(this.#service, key, readToken(request));
    headers["set-cookie"] = formatSessionCookie(request, token);
    return redirect(exchange, next);
  }

  /** The management key with this text, or why it cannot be used. */
  async #findKey(text: string): Promise<ApiKeyRow | string> {
    const { store, temporaryKeys } = this.#service;
    try {
      const sources = { header: `Bearer ${text.trim()}`, query: "" };
      const stores = { db: store.readDb, temporaryKeys, now: this.#service.now() };
      const key = await authenticate(stores, "bearer", sources);
      requireScope(key, ["management"]);
      return key;
    } catch (error) {
      if (error instanceof HttpError && error.code === "unauthorized")
        return text.trim() === ""
          ? "Enter a management key."
          : "This key is not valid. It may have expired, or been replaced.";
      if (error instanceof HttpError && error.code === "forbidden")
        return "This is an ingest key, which games use to send telemetry. Enter a management key.";
      throw error;
    }
  }

  async #signOut(exchange: Exchange): Promise<Response> {
    const { request, headers } = exchange;
    requireSameOrigin(request);
    const token = readToken(request);
    if (token !== null) await endConsoleSession(this.#service, token);
    headers["set-cookie"] = formatExpiredCookie(request);
    // Otherwise browsers may show pages from their memory after the back button.
    headers["clear-site-data"] = '"cache"';
    return redirect(exchange, "/");
  }

  async #load(): Promise<ConsolePages> {
    this.#pages ??= import("../../console/pages.ts").then(({ createPages }) => createPages());
    return await this.#pages;
  }
}

/** What somebody reads whose browser still has a cookie. */
const SESSION_ENDED =
  "You are no longer signed in: 12 hours have passed, or your key was revoked or has expired. Sign in again to continue here.";

/** The address of a page, to open it again. */
const toAddress = ({ path, query }: Exchange) => toLocalAddress(query === "" ? path : `${path}?${query}`);
