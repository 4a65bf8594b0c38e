/** The console as the service sees it: pages and files for requests, without any knowledge of keys or cookies. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type ClientOptions, callEndpoint } from "../client/client.ts";
import { createInProcessTransport, IN_PROCESS_URL } from "../client/transport.ts";
import { listBuilds } from "../contract/build-list.ts";
import type { Endpoint, Input, Output } from "../contract/define.ts";
import { el, fragment } from "../render/svg/element.ts";
import { sleep } from "../shared/sleep.ts";
import { allPages } from "./all-pages.ts";
import { type Problem, renderErrorPage, toProblem } from "./error-page.ts";
import type { PageResponse } from "./files.ts";
import { files } from "./files.ts";
import { MAX_BUILD_CHOICES } from "./filter-form.ts";
import { renderFrame, renderPage } from "./layout.ts";
import { type Page, type PageContext, parseQuery } from "./page.ts";

/** A request of somebody who is signed in. */
export interface PageRequest {
  /** Still percent-encoded. */
  readonly path: string;
  readonly query: string;
  /** The name of the reader from a proxy; null if the reader signed in with a key, and can sign out. */
  readonly reader: string | null;
  /** Sends an API request on behalf of the reader. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Unix ms. */
  readonly now: number;
  /** Reports an error that is a bug in this program. */
  readonly report: (error: unknown) => void;
}

export interface ConsolePages {
  /** Whether a page or file has this path. */
  handles(path: string): boolean;
  /** A file that everybody may read; null if there is none with this path. */
  file(path: string): PageResponse | null;
  show(request: PageRequest): Promise<PageResponse>;
  signIn(status: number, form: SignInForm): PageResponse;
  /** What is shown while the browser opens an address again. */
  reopen(address: string): PageResponse;
  /** `address` is the path and query that failed. */
  error(status: number, message: string, address: string): PageResponse;
}

/** How long a request of a page may take, ms. */
const TIMEOUT_MS = 30_000;

const JSON_TYPE = "application/json; charset=utf-8";
const HTML = "text/html; charset=utf-8";
/** Browsers ask before they show a page again, because it may have changed or the reader may have signed out. */
const PRIVATE = "private, no-cache";

export function createPages(): ConsolePages {
  return {
    handles: (path) => files.has(path) || matchPage(allPages, path) !== null || ACTIONS.has(path),
    file: (path) => files.get(path) ?? null,
    show: showPage,
    signIn: (status, form) => html(status, renderSignIn(form), "no-store"),
    reopen: (address) => html(401, renderReopening(address), "no-store"),
    error: (status, message, address) => renderError({ status, message, hint: null }, address),
  };
}

/** Paths of the forms. */
const ACTIONS: ReadonlySet<string> = new Set(["/sign-in", "/sign-out"]);

const html = (status: number, text: string, cache = PRIVATE): PageResponse => ({
  status,
  type: HTML,
  text,
  cache,
});

const renderError = (problem: Problem, address: string): PageResponse =>
  html(problem.status, renderErrorPage(problem, address), "no-store");

const NO_PAGE: Problem = { status: 404, message: "There is no page here.", hint: null };

async function showPage(request: PageRequest): Promise<PageResponse> {
  const match = matchPage(allPages, request.path);
  const address = request.query === "" ? request.path : `${request.path}?${request.query}`;
  if (!match) return renderError(NO_PAGE, address);
  try {
    const search = new URLSearchParams(request.query);
    const isJson = search.get("format") === "json";
    search.delete("format");
    const { page, params } = match;
    const input = { params, path: request.path, search, query: parseQuery(page, search) };
    const context = remember(createContext(request));
    const content = await page.show(input, context);
    if (!isJson) {
      const { game } = params;
      const builds =
        game === undefined ? null : await context.call(listBuilds, { game, limit: MAX_BUILD_CHOICES });
      return html(200, renderPage(content, { ...input, page }, { reader: request.reader, builds }));
    }
    return {
      status: 200,
      type: JSON_TYPE,
      text: `${JSON.stringify(content.data, null, 2)}\n`,
      cache: PRIVATE,
    };
  } catch (error) {
    const problem = toProblem(error);
    if (problem.status === 500) request.report(error);
    return renderError(problem, address);
  }
}

/** What pages read from. They can call no endpoint that writes. Between two calls, the service handles other requests. */
export function createContext({ fetch, now }: PageRequest): PageContext {
  const options: ClientOptions = {
    baseUrl: IN_PROCESS_URL,
    key: null,
    transport: createInProcessTransport(fetch),
    timeoutMs: TIMEOUT_MS,
    maxWaitMs: 0,
    waiting: { sleep, random: () => Math.random(), onWait: () => {} },
  };
  return {
    now,
    async call(endpoint, input) {
      if (endpoint.method !== "GET") throw new Error(`Pages only read, but one called ${endpoint.name}`);
      await nextTurn();
      return await callEndpoint(endpoint, { ...input }, options);
    },
  };
}

/** Calls an endpoint with the same input only once. */
function remember({ call, ...context }: PageContext): PageContext {
  const answers = new Map<string, Promise<unknown>>();
  return {
    ...context,
    call<E extends Endpoint>(endpoint: E, input: Input<E>) {
      const name = JSON.stringify([endpoint.name, input]);
      const answer = answers.get(name) ?? call(endpoint, input);
      answers.set(name, answer);
      return answer as Promise<Output<E>>;
    },
  };
}

export interface PageMatch {
  readonly page: Page;
  /** Decoded, by name. */
  readonly params: Readonly<Record<string, string>>;
}

/** The page with this path, which is still percent-encoded; null if there is none. Literal segments win over parameters. */
export function matchPage(pages: readonly Page[], path: string): PageMatch | null {
  const segments = path.split("/");
  let found: PageMatch | null = null;
  for (const page of pages) {
    const params = matchSegments(page.path.split("/"), segments);
    if (params && (!found || countParams(page) < countParams(found.page))) found = { page, params };
  }
  return found;
}

const countParams = ({ path }: Page) => path.split("{").length;

function matchSegments(pattern: readonly string[], segments: readonly string[]) {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const value = decode(segments[index] ?? "");
    if (value === null) return null;
    if (expected.startsWith("{") && value !== "") params[expected.slice(1, -1)] = value;
    else if (expected !== value) return null;
  }
  return params;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

interface SignInForm {
  /** The address to open afterwards. */
  readonly next: string;
  /** Why the last attempt failed; null for the first one. */
  readonly problem: string | null;
}

const PROBLEM_ID = "problem";

function renderSignIn({ next, problem }: SignInForm): string {
  return renderFrame(
    "Sign in",
    el(
      "main",
      { class: "narrow" },
      el("p", { class: "brand" }, "playtest"),
      el("h1", "Sign in"),
      problem === null ? null : el("p", { class: "problem", id: PROBLEM_ID, role: "alert" }, problem),
      el(
        "form",
        { method: "post", action: "/sign-in", class: "stacked" },
        el("input", { type: "hidden", name: "next", value: next }),
        el("label", { for: "key" }, "Management key"),
        el("input", {
          ...{ type: "password", name: "key", id: "key", required: "", autofocus: "", maxlength: 200 },
          autocomplete: "off",
          "aria-describedby": problem === null ? "help" : `${PROBLEM_ID} help`,
        }),
        el("button", { type: "submit" }, "Sign in"),
      ),
      el(
        "p",
        { class: "note", id: "help" },
        fragment(
          "Whoever runs the server can create a key for you with ",
          el("code", "playtest admin keys create"),
          ". You stay signed in for 12 hours, or until the key is revoked.",
        ),
      ),
    ),
  );
}

/** What a browser shows for a moment while it opens an address again. */
function renderReopening(address: string): string {
  return renderFrame(
    "Opening the page",
    el("main", { class: "narrow" }, el("p", el("a", { href: address }, "Open the page"))),
  );
}
