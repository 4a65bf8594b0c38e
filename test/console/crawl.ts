/** Follows the links of the console. */
import type { Answer, TestService } from "../harness.ts";
import { visit } from "./harness.ts";

/** The kind of a page: its path with `*` for each value. */
export function toKind(path: string): string {
  const [, first = "", , page = "", ...rest] = path.split("/");
  return first === "games"
    ? ["/games/*", page, ...rest.map(() => "*")].filter((part) => part !== "").join("/")
    : path;
}

/** The addresses that a page links to, without other formats of the same page. */
export function listLinks(html: string): string[] {
  const links = [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = ""]) => unescapeHtml(href));
  return links.filter((link) => link.startsWith("/") && !/[?&]format=json/.test(link));
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

const unescapeHtml = (text: string) =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? "");

/** Opens at most `each` pages of every kind, beginning with `start`. */
export async function* crawl(
  service: TestService,
  cookie: string,
  each: number,
  start = "/",
): AsyncGenerator<{ path: string; kind: string; page: Answer }> {
  const counts = new Map<string, number>();
  const seen = new Set([start]);
  const queue = [start];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const kind = toKind(path.split("?")[0] ?? "");
    const count = counts.get(kind) ?? 0;
    if (count >= each) continue;
    counts.set(kind, count + 1);
    const page = await visit(service, path, { cookie });
    yield { path, kind, page };
    for (const href of listLinks(page.text)) {
      const [link = ""] = href.split("#");
      if (seen.has(link)) continue;
      seen.add(link);
      queue.push(link);
    }
  }
}
