/** The head of every page: its title and style, and that nothing can be fetched or run, whatever the texts hold. */
import { el, type Markup, styleElement } from "../svg/element.ts";
import { pageStyle } from "./page-style.ts";

/** `more` is style that a page adds to that of all. */
export function pageHead(title: string, more = ""): Markup {
  return el(
    "head",
    {},
    el("meta", { charset: "utf-8" }),
    el("meta", { name: "viewport", content: "width=device-width,initial-scale=1" }),
    el("meta", { name: "color-scheme", content: "light dark" }),
    el("meta", {
      "http-equiv": "Content-Security-Policy",
      content: "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    }),
    el("title", {}, title),
    styleElement(pageStyle + more),
  );
}
