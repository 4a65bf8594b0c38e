/**
 * The script of the console. Pages work without it: it submits a form when a choice is made, marks a form as busy while the next
 * page loads, shows the choices of the address after the back button, and keeps live pages current with requests that the server
 * answers with 304 while nothing has changed.
 */
export const clientScript = `"use strict";
addEventListener("change", ({ target }) => {
  if (target.matches("select[data-submit]")) target.form.requestSubmit();
});
addEventListener("submit", ({ target }) => target.setAttribute("aria-busy", "true"));
addEventListener("pageshow", () => {
  for (const form of document.forms) {
    form.removeAttribute("aria-busy");
    form.reset();
  }
});
const INTERVAL_MS = 5000;
const page = document.querySelector("main[data-live]");
const stale = document.getElementById("stale");
async function refresh() {
  if (document.hidden) return;
  const response = await fetch(location.href, { cache: "no-cache", headers: { accept: "text/html" } });
  if (response.status === 401) location.reload();
  if (!response.ok) throw new Error(response.statusText);
  stale.hidden = true;
  const text = await response.text();
  const next = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  if (!next || next.innerHTML === page.innerHTML || page.contains(document.activeElement)) return;
  page.innerHTML = next.innerHTML;
}
if (page) setInterval(() => refresh().catch(() => { stale.hidden = false; }), INTERVAL_MS);
`;
