/** The head of every page: title, style, and a policy that blocks scripts and external resources. */
import { el, type Markup, styleElement } from "../svg/element.ts";
import { pageStyle } from "./page-style.ts";

/** `more` is the additional style of a page. */
export function pageHead(title: string, more = ""): Markup {
  return el(
    "head",
    el("meta", { charset: "utf-8" }),
    el("meta", { name: "viewport", content: "width=device-width,initial-scale=1" }),
    el("meta", { name: "color-scheme", content: "light dark" }),
    el("meta", {
      "http-equiv": "Content-Security-Policy",
      content: "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    }),
    el("title", title),
    styleElement(pageStyle + more),
  );
}
