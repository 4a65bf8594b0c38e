/** Finds the page of a path. */
import type { Page } from "./page.ts";

export interface PageMatch {
  readonly page: Page;
  /** Decoded, by name. */
  readonly params: Readonly<Record<string, string>>;
}

/** The page with this path, which is still percent-encoded; null if there is none. Literal segments win over parameters. */
export function matchPage(pages: readonly Page[], path: string): PageMatch | null {
  const segments = path.split("/");
  let found: PageMatch | null = null;
  for (const page of pages) {
    const params = matchSegments(page.path.split("/"), segments);
    if (params && (!found || countParams(page) < countParams(found.page))) found = { page, params };
  }
  return found;
}

const countParams = ({ path }: Page) => path.split("{").length;

function matchSegments(pattern: readonly string[], segments: readonly string[]) {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const value = decode(segments[index] ?? "");
    if (value === null) return null;
    if (expected.startsWith("{") && value !== "") params[expected.slice(1, -1)] = value;
    else if (expected !== value) return null;
  }
  return params;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
