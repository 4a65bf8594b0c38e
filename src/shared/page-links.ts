/** Addresses of the pages of the console, for the console itself and for reports that link into it. */

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

export const withQuery = (path: string, search: URLSearchParams): string =>
  search.size === 0 ? path : `${path}?${search.toString()}`;

/** The timeline of a session, with the events around an insight if there is one. */
export function linkToMoment(
  game: string,
  { sessionId, insightId }: { readonly sessionId: string; readonly insightId: string | null },
): string {
  const path = ["games", game, "sessions", sessionId];
  return `${linkTo(path, { around: insightId })}#timeline`;
}
