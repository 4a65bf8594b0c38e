/** The frame of every page: navigation, heading, and how to get the same in a terminal or as JSON. */

import { resources } from "../contract/resources.ts";
import { type Child, el, fragment, htmlPage, type Markup } from "../render/svg/element.ts";
import { showName } from "./cells.ts";
import { quoteArgument } from "./command-line.ts";
import { pageFiles } from "./files.ts";
import { linkTo, linkWith } from "./links.ts";
import type { PageContent, PageInput } from "./page.ts";

/** The pages of a game, in the order of the navigation, some with another page that belongs to them. */
const gamePages: ReadonlyArray<readonly [segment: string, text: string, more?: string]> = [
  ["", "Status"],
  ["builds", "Builds", "compare"],
  ["heatmap", "Heatmap"],
  ["sessions", "Sessions"],
  ["insights", "Insights"],
  ["testers", "Testers"],
  ["experiments", "Experiments"],
  ...resources.flatMap(({ name, page }) => (page ? [[name, page.title] as const] : [])),
  ["crashes", "Crashes"],
  ["live", "Live"],
];

/** The whole page of somebody who is signed in. `reader` is their name from a proxy; null if they can sign out here. */
export function renderPage(
  content: PageContent,
  input: Pick<PageInput, "path" | "search">,
  reader: string | null,
): string {
  const { title, trail, game, body, command, live } = content;
  const crumbs = [{ text: "Games", href: "/" }, ...trail];
  return renderFrame(
    title,
    fragment(
      el(
        "header",
        { class: "top" },
        el("a", { href: "#main", class: "skip" }, "Skip to content"),
        el("a", { href: "/", class: "brand" }, "playtest"),
        el(
          "nav",
          { "aria-label": "Breadcrumbs", class: "crumbs" },
          el(
            "ol",
            {},
            crumbs.map(({ text, href }) => el("li", {}, el("a", { href }, showName(text)))),
          ),
        ),
        reader === null
          ? el("form", { method: "post", action: "/sign-out" }, el("button", { type: "submit" }, "Sign out"))
          : el("span", { class: "note" }, reader),
        game === undefined ? null : gameNavigation(game, input.path),
      ),
      live && el("p", { id: "stale", role: "status", class: "missing stale", hidden: "" }, STALE),
      el(
        "main",
        { id: "main", tabindex: -1, ...(live ? { "data-live": "" } : {}) },
        el("h1", {}, showName(title)),
        body,
      ),
      el(
        "footer",
        {},
        el("p", {}, "In a terminal: ", el("code", {}, ["playtest", ...command].map(quoteArgument).join(" "))),
        el("p", {}, el("a", { href: linkWith(input, { format: "json" }) }, "The same as JSON")),
      ),
    ),
  );
}

/** Shown by the script while a live page cannot be loaded. */
const STALE = "The server does not respond, so this page is not current. It is tried again every 5 seconds.";

function gameNavigation(game: string, path: string): Markup {
  return el(
    "nav",
    { "aria-label": "Pages of the game", class: "tabs" },
    el(
      "ul",
      {},
      gamePages.map(([segment, text, more = segment]) => {
        const href = segment === "" ? linkTo(["games", game]) : linkTo(["games", game, segment]);
        const isHere =
          path === href ||
          (segment !== "" && path.startsWith(`${href}/`)) ||
          path === linkTo(["games", game, more]);
        return el("li", {}, el("a", { href, "aria-current": isHere ? "page" : null }, text));
      }),
    ),
  );
}

/** A page with the style and script of the console. */
export function renderFrame(title: string, body: Child): string {
  return htmlPage(
    { lang: "en" },
    el(
      "head",
      {},
      el("meta", { charset: "utf-8" }),
      el("meta", { name: "viewport", content: "width=device-width,initial-scale=1" }),
      el("meta", { name: "color-scheme", content: "light dark" }),
      el("title", {}, title === "playtest" ? title : `${title} · playtest`),
      el("link", { rel: "icon", href: pageFiles.icon }),
      el("link", { rel: "stylesheet", href: pageFiles.style }),
      el("script", { src: pageFiles.script, defer: "" }),
    ),
    el("body", {}, body),
  );
}
