/** The files that pages load. Their addresses change with their content, so browsers keep them. */
import { createHash } from "node:crypto";
import { consoleStyle } from "./style.ts";

/** A grid of a heatmap. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0067a8"/>' +
  '<path d="M3 3h4v4H3z" fill="#fff" opacity=".45"/><path d="M9 3h4v4H9zM3 9h4v4H3z" fill="#fff" opacity=".7"/>' +
  '<path d="M9 9h4v4H9z" fill="#fff"/></svg>';

/**
 * The script of the console. Pages work without it. It does four things:
 *
 * - On a narrow screen, it scrolls to the current one of the pages at the top.
 * - It marks a form as busy while the next page loads.
 * - After the back button, it shows the choices of the address, and asks the server again: the reader may have signed out. It leaves
 *   the form for signing in alone, which the browser may have filled in.
 * - It keeps live pages current with requests that the server answers with 304 while nothing has changed. It does not replace what
 *   somebody is filling in or has selected, waits longer after failures and shows a note, and opens the page again if it may no
 *   longer be read.
 */
const clientScript = `"use strict";
addEventListener("submit", ({ target }) => target.setAttribute("aria-busy", "true"));
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
  for (const form of document.forms) form.removeAttribute("aria-busy");
  for (const form of document.querySelectorAll("form[method=get]")) form.reset();
});
for (const link of document.querySelectorAll(".tabs [aria-current]")) link.scrollIntoView({ inline: "center", block: "nearest" });
const INTERVAL_MS = 5000;
const MAX_INTERVAL_MS = 60000;
const page = document.querySelector("main[data-live]");
const stale = document.getElementById("stale");
const readForms = () => [...page.querySelectorAll("form")]
  .map((form) => new URLSearchParams(new FormData(form)).toString()).join("|");
let shown = page?.innerHTML;
let choices = page && readForms();
function isInUse() {
  const { activeElement } = document;
  const { isCollapsed, anchorNode } = getSelection();
  return (activeElement !== page && page.contains(activeElement)) || readForms() !== choices
    || (!isCollapsed && page.contains(anchorNode));
}
async function refresh() {
  const headers = { accept: "text/html" };
  const response = await fetch(location.href, { cache: "no-cache", redirect: "manual", headers });
  const { ok, status, type } = response;
  if (type === "opaqueredirect" || (status >= 400 && status < 500 && status !== 429)) location.reload();
  stale.hidden = ok;
  if (!ok) return Number(response.headers.get("retry-after")) * 1000 || MAX_INTERVAL_MS;
  const text = await response.text();
  const next = new DOMParser().parseFromString(text, "text/html").querySelector("main[data-live]");
  if (!next || next.innerHTML === shown || isInUse()) return INTERVAL_MS;
  page.innerHTML = shown = next.innerHTML;
  choices = readForms();
  return INTERVAL_MS;
}
function fail() {
  stale.hidden = false;
  return MAX_INTERVAL_MS;
}
function wait(ms) {
  setTimeout(async () => {
    wait(document.hidden || isInUse() ? INTERVAL_MS : await refresh().catch(fail));
  }, Math.max(ms, INTERVAL_MS));
}
if (page) wait(INTERVAL_MS);
`;

/** What the service sends for a page or file. */
export interface PageResponse {
  readonly status: number;
  /** The Content-Type. */
  readonly type: string;
  readonly text: string;
  /** The Cache-Control header. */
  readonly cache: string;
}

const content = {
  style: { extension: "css", type: "text/css; charset=utf-8", text: consoleStyle },
  script: { extension: "js", type: "text/javascript; charset=utf-8", text: clientScript },
  icon: { extension: "svg", type: "image/svg+xml", text: ICON },
} as const;

type FileName = keyof typeof content;

const toPath = (name: FileName) => {
  const { text, extension } = content[name];
  return `/files/${name}-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.${extension}`;
};

/** The addresses of the files. */
export const pageFiles = { style: toPath("style"), script: toPath("script"), icon: toPath("icon") } as const;

export const files: ReadonlyMap<string, PageResponse> = new Map(
  (Object.keys(content) as FileName[]).map((name) => {
    const { text, type } = content[name];
    return [toPath(name), { status: 200, type, text, cache: "public, max-age=31536000, immutable" }];
  }),
);
