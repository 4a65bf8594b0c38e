/** Pages about what went wrong, and what to do. */
import { ClientError } from "../client/errors.ts";
import { el } from "../render/svg/element.ts";
import { linkList, noteText } from "./details.ts";
import { renderFrame } from "./layout.ts";
import { InvalidAddress, NotThere } from "./page.ts";

export interface Problem {
  readonly status: number;
  readonly message: string;
  /** What to do next; null for the default of the status. */
  readonly hint: string | null;
}

const titles: Readonly<Record<number, string>> = {
  400: "Invalid address",
  403: "Not allowed",
  404: "Page not found",
  405: "Not allowed",
  421: "Wrong host name",
  429: "Too many requests",
  503: "Not available",
};

const hints: Readonly<Record<number, string>> = {
  400: "Correct the address, or start from the list of games.",
  403: "Open the server at the address that you were given. If it happens again, ask whoever runs the server.",
  404: "It may have been deleted or renamed. Start from the list of games.",
  405: "Start from the list of games.",
  421: "Use the name under which the server is known, or start it with --host-name.",
  429: "Wait a minute, then load the page again.",
  503: "Load the page again in a moment. Nothing that was stored is lost.",
};

const INTERNAL_HINT = "Load the page again. If it happens again, the log of the server says what failed.";

/** What to tell the reader about an error. */
export function toProblem(error: unknown): Problem {
  if (error instanceof InvalidAddress) return { status: 400, message: error.message, hint: null };
  if (error instanceof NotThere) return { status: 404, message: `Not found: ${error.message}`, hint: null };
  if (!(error instanceof ClientError))
    return { status: 500, message: "Something failed in the server.", hint: null };
  const { code, status, message, hint } = error;
  if (code === "invalid_input") return { status: 400, message, hint: null };
  if (code === "timeout" || code === "network") return { status: 503, message, hint: null };
  const isShown = status !== null && status >= 400 && status !== 500;
  return { status: isShown ? status : 500, message, hint: status === 404 ? null : hint };
}

/** Errors that may be gone when the page is loaded again. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 500, 503]);

/** `address` is the path and query that failed. */
export function renderErrorPage({ status, message, hint }: Problem, address: string): string {
  const title = titles[status] ?? "Something failed";
  return renderFrame(
    title,
    el(
      "main",
      { class: "narrow" },
      el("p", { class: "brand" }, "playtest"),
      el("h1", title),
      el("p", message),
      noteText(hint ?? hints[status] ?? INTERNAL_HINT),
      linkList("Where to go", [...listWaysOut(status, address), ["Games", "/"]]),
    ),
  );
}

/** Links that may help: the page again after a temporary error, otherwise the page without filters, or the list above it. */
function listWaysOut(status: number, address: string): Array<readonly [text: string, href: string]> {
  if (TEMPORARY.has(status)) return [["Load the page again", address]];
  const [path = "/", query] = address.split("?");
  const segments = path.split("/");
  const isItem = segments[1] === "games" && segments.length === 5;
  return [
    ...(query ? [["The page without filters", path] as const] : []),
    ...(isItem ? [["The list", segments.slice(0, 4).join("/")] as const] : []),
  ];
}
