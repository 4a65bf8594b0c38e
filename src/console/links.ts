/** Addresses of pages. */
import { joinSteps, splitSteps } from "../shared/funnel-steps.ts";
import { linkTo, withQuery } from "../shared/page-links.ts";

export { linkTo };

/** The address of a page of a game. */
export const gameLink = (
  game: string,
  page: string | readonly string[],
  query?: Parameters<typeof linkTo>[1],
): string => linkTo(["games", game, ...[page].flat()], query);

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

export const sessionLink = (game: string, id: string) => gameLink(game, ["sessions", id]);

/** The page of a tester; null for an id that no address can contain. */
export const testerLink = (game: string, tester: string | null | undefined): string | null =>
  tester && !/^\.{1,2}$/.test(tester) && tester !== RESERVED_TESTER
    ? gameLink(game, ["testers", tester])
    : null;

/** The name that the API reserves among testers. */
export const RESERVED_TESTER = "archetypes";

/** The page of a build; null for a version that no address can contain. */
export const buildLink = (game: string, build: string): string | null =>
  /^\.{1,2}$/.test(build) ? null : gameLink(game, ["builds", build]);

/** The insights with a tag; null without one. */
export const tagLink = (game: string, tag: string | null | undefined): string | null =>
  tag ? gameLink(game, "insights", { tag }) : null;

/** The testers who reached a step; null for one that no funnel can name, because it begins or ends with a space. */
export function funnelLink(
  game: string,
  step: string,
  filter: Parameters<typeof linkTo>[1] = {},
): string | null {
  const steps = joinSteps([step]);
  return splitSteps(steps)[0] === step ? gameLink(game, "funnel", { steps, ...filter }) : null;
}
