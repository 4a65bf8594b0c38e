/**
 * The script of the console. Pages work without it: it submits a form when a choice is made, shows the choices of the address
 * after the back button, and keeps live pages current with requests that the server answers with 304 while nothing has changed.
 */
export const clientScript = `"use strict";
for (const select of document.querySelectorAll("select[data-submit]"))
  select.addEventListener("change", () => select.form.requestSubmit());
addEventListener("pageshow", () => { for (const form of document.forms) form.reset(); });
const INTERVAL_MS = 5000;
let page = document.querySelector("main[data-live]");
async function refresh() {
  if (document.hidden) return;
  const response = await fetch(location.href, { cache: "no-cache", headers: { accept: "text/html" } });
  if (!response.ok) return;
  const text = await response.text();
  const next = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  if (!next || next.innerHTML === page.innerHTML || page.contains(document.activeElement)) return;
  page.innerHTML = next.innerHTML;
}
if (page) setInterval(() => refresh().catch(() => {}), INTERVAL_MS);
`;
