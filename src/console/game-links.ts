/** Addresses of the pages of one game's records. */
import { linkTo } from "./links.ts";
import type { Crumb } from "./page.ts";

/** The page of a session. */
export const sessionLink = (game: string, id: string) => linkTo(["games", game, "sessions", id]);

/** The page of a tester; null for an id that no address can contain. */
export const testerLink = (game: string, tester: string | null | undefined): string | null =>
  tester && !/^\.{1,2}$/.test(tester) && tester !== RESERVED_TESTER
    ? linkTo(["games", game, "testers", tester])
    : null;

/** The name that the API reserves among testers. */
export const RESERVED_TESTER = "archetypes";

/** The page of a build; null for a version that no address can contain. */
export const buildLink = (game: string, build: string): string | null =>
  /^\.{1,2}$/.test(build) ? null : linkTo(["games", game, "builds", build]);

/** The insights with a tag; null without one. */
export const tagLink = (game: string, tag: string | null | undefined): string | null =>
  tag ? linkTo(["games", game, "insights"], { tag }) : null;

/** The path from the games to a list of a game. */
export const trailTo = (game: string, ...lists: ReadonlyArray<readonly [segment: string, text: string]>) => [
  { text: game, href: linkTo(["games", game, "builds"]) },
  ...lists.map(([segment, text]): Crumb => ({ text, href: linkTo(["games", game, segment]) })),
];
