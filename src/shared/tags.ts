/** Tags of insights, in the form `<kind>:<where>`: what they refer to, and how they read in titles. */

import { capitalize } from "./words.ts";

export const ANSWER_PREFIX = "feedback-";
const FRAME_RATE_PREFIX = "frame-rate-";
/**
 * Precedes the location of a room whose name would otherwise read as another kind of location. Slugs never contain two
 * hyphens in a row, so no name of a room begins with it.
 */
const ROOM_PREFIX = "room--";

/** The location in the tags of events that name no room. */
export const NO_ROOM = "session";

/** Insight types that may also come from answers to a feedback form or from a transcript. */
export const testerStatementTypes = ["negative-moment", "confusion", "praise"] as const;

/** The location of a room in tags of a kind, from the slug of its name. */
export function roomLocation(kind: string, slug: string): string {
  const { scope, location } = parseLocation(kind, slug);
  return scope === "room" && location === slug ? slug : `${ROOM_PREFIX}${slug}`;
}

/** The location of insights from the answers to one form field. */
export const answerLocation = (fieldId: string) => `${ANSWER_PREFIX}${fieldId}`;
export const transcriptLocation = "transcript";
/** The location of a low frame rate in one room. */
export const frameRateLocation = (room: string) => `${FRAME_RATE_PREFIX}${room}`;

/** What kind of location a tag names. */
export type TagScope = "room" | "answers" | "transcript" | "frame-rate" | "crash" | "error";

/** The parts of a tag. */
export interface ParsedTag {
  /** The insight type, such as `difficulty-spike`. */
  readonly kind: string;
  readonly scope: TagScope;
  /** A room or the id of a form field. Empty for the whole session, transcripts, crashes and errors. */
  readonly location: string;
}

/** Parses a tag; `undefined` for text that is not in the form `<kind>:<where>`. */
export function parseTag(tag: string): ParsedTag | undefined {
  const colon = tag.indexOf(":");
  if (colon <= 0 || colon === tag.length - 1) return undefined;
  const [kind, where] = [tag.slice(0, colon), tag.slice(colon + 1)];
  return { kind, ...parseLocation(kind, where) };
}

function parseLocation(kind: string, where: string): Omit<ParsedTag, "kind"> {
  if (where.startsWith(ROOM_PREFIX)) return { scope: "room", location: where.slice(ROOM_PREFIX.length) };
  const isStatement = testerStatementTypes.some((type) => type === kind);
  if (isStatement && where === transcriptLocation) return { scope: "transcript", location: "" };
  if (isStatement && where.startsWith(ANSWER_PREFIX)) {
    return { scope: "answers", location: where.slice(ANSWER_PREFIX.length) };
  }
  if (kind === "bug-report" && (where === "crash" || where === "error"))
    return { scope: where, location: "" };
  if (kind === "bug-report" && where.startsWith(FRAME_RATE_PREFIX)) {
    return { scope: "frame-rate", location: omitSession(where.slice(FRAME_RATE_PREFIX.length)) };
  }
  return { scope: "room", location: omitSession(where) };
}

const omitSession = (where: string) => (where === NO_ROOM ? "" : where);

/** Titles that do not name the insight type, by scope and insight type. */
const titles: Readonly<Record<string, string>> = {
  "answers negative-moment": "Unhappy answers",
  "answers confusion": "Confusion reported in answers",
  "answers praise": "Happy answers",
  "transcript negative-moment": "Complaints in transcripts",
  "transcript confusion": "Confusion in transcripts",
  "transcript praise": "Praise in transcripts",
  "frame-rate bug-report": "Low frame rate",
  "crash bug-report": "Crashes",
  "error bug-report": "Errors",
  "room bug-report": "Bugs",
  "room positive-moment": "Quick success",
  "room ui-friction": "UI friction",
};

/**
 * A tag as people read it, such as `Difficulty spike in furnace` for `difficulty-spike:furnace`. Text that is not a tag
 * is returned unchanged. `question` is the label of the tag's form field, if known.
 */
export function formatTagTitle(tag: string, question?: string): string {
  const parsed = parseTag(tag);
  if (!parsed) return tag;
  const { kind, scope, location } = parsed;
  if (scope === "room" && kind === "negative-moment") {
    return location === "" ? "Stopped playing after a failure" : `Left ${location} unfinished`;
  }
  const title = titles[`${scope} ${kind}`] ?? capitalize(kind.replaceAll("-", " "));
  if (location === "") return title;
  if (scope === "answers")
    return `${title} ${question === undefined ? `(form field: ${location})` : `to “${question}”`}`;
  // A bug outside of any room is tagged with its message, so its location may not be a room.
  if (scope === "room" && kind === "bug-report") return `${title}: ${location}`;
  return `${title} in ${location}`;
}

/** Maximum length of a title from a service, in UTF-16 units. Titles of this project's service are shorter. */
export const MAX_TITLE_LENGTH = 250;

/** A tag, with its title if the service reports one. Only the tag identifies it: titles may change. */
export interface TitledTag {
  readonly tag: string;
  readonly title?: string | null | undefined;
}

/**
 * The title of a tag: the one of the service if it reports one, otherwise its own words. It is one line of limited
 * length, but not escaped.
 */
export function getTagTitle({ tag, title }: TitledTag): string {
  const line = (title ?? "")
    .slice(0, MAX_TITLE_LENGTH * 2)
    .replace(LINE_BREAKS, " ")
    .trim();
  if (line === "") return formatTagTitle(tag);
  return line.length <= MAX_TITLE_LENGTH ? line : `${line.slice(0, MAX_TITLE_LENGTH - 1).toWellFormed()}…`;
}

const LINE_BREAKS = /[\s\u0085]+/g;

/** The title of a tag followed by the tag itself, for texts from which people copy tags. */
export function formatTitleAndTag(titled: TitledTag): string {
  const { tag } = titled;
  const title = getTagTitle(titled);
  return title === tag ? tag : `${title} (${tag})`;
}
