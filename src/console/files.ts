/** The files that pages load. Their addresses change with their content, so browsers keep them. */
import { createHash } from "node:crypto";
import type { PageResponse } from "./response.ts";
import { clientScript } from "./script.ts";
import { consoleStyle } from "./style.ts";

/** A grid of a heatmap. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0067a8"/>' +
  '<path d="M3 3h4v4H3z" fill="#fff" opacity=".45"/><path d="M9 3h4v4H9zM3 9h4v4H3z" fill="#fff" opacity=".7"/>' +
  '<path d="M9 9h4v4H9z" fill="#fff"/></svg>';

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

/** The files by address. */
export const files: ReadonlyMap<string, PageResponse> = new Map(
  (Object.keys(content) as FileName[]).map((name) => {
    const { text, type } = content[name];
    return [toPath(name), { status: 200, type, text, cache: "public, max-age=31536000, immutable" }];
  }),
);
