/**
 * The script of the console. Pages work without it. It does three things:
 *
 * - It marks a form as busy while the next page loads.
 * - After the back button, it shows the choices of the address, and asks the server again: the reader may have signed out.
 * - It keeps live pages current with requests that the server answers with 304 while nothing has changed. It does not replace what
 *   somebody is filling in or has selected, waits longer after failures and shows a note, and opens the page again if it may no
 *   longer be read.
 */
export const clientScript = `"use strict";
addEventListener("submit", ({ target }) => target.setAttribute("aria-busy", "true"));
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
  for (const form of document.forms) {
    form.removeAttribute("aria-busy");
    form.reset();
  }
});
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
