/** Addresses of pages. */

/** The address of a path with parameters. Undefined, null and empty ones are left out. */
export function linkTo(
  segments: readonly string[],
  query: Readonly<Record<string, string | number | null | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  return withQuery(`/${segments.map(encodeSegment).join("/")}`, search);
}

/** A part of a path. Half a pair of surrogates cannot be encoded, and is replaced. */
const encodeSegment = (text: string) => encodeURIComponent(text.toWellFormed());

/** The address of the same page with other parameters. Undefined removes one. */
export function linkWith(
  { path, search }: { readonly path: string; readonly search: URLSearchParams },
  changes: Readonly<Record<string, string | number | undefined>>,
): string {
  const changed = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) changed.delete(name);
    else changed.set(name, String(value));
  }
  return withQuery(path, changed);
}

const withQuery = (path: string, search: URLSearchParams) =>
  search.size === 0 ? path : `${path}?${search.toString()}`;
