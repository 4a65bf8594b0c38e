/** Audiences: who an experiment is for, by build version, platform, environment and country. */
import { ServiceError } from "../core/errors.ts";

export const audienceFields = ["build", "platform", "environment", "country"] as const;
export type AudienceField = (typeof audienceFields)[number];

/** One condition: the field is one of the values, or begins with one of them. Of one field, any will do. */
export interface Predicate {
  readonly field: AudienceField;
  readonly op: "in" | "prefix";
  readonly values: readonly string[];
}

/** What is known of a player; null where nothing is. */
export type PlayerAttributes = Readonly<Record<AudienceField, string | null>>;

/**
 * Whether a player is in an audience: for every field that is asked about, one of its predicates holds. What is not
 * known of a player fulfils none.
 */
export function isInAudience(predicates: readonly Predicate[], player: PlayerAttributes): boolean {
  const holds = ({ field, op, values }: Predicate) => {
    const value = player[field];
    if (value === null) return false;
    return values.some((one) => (op === "in" ? value === one : value.startsWith(one)));
  };
  return audienceFields.every((field) => {
    const own = predicates.filter((predicate) => predicate.field === field);
    return own.length === 0 || own.some(holds);
  });
}

/** Whether an audience asks for more than the build, which the caller names: for that the newest session is read. */
export function needsSession(predicates: readonly Predicate[]): boolean {
  return predicates.some(({ field }) => field !== "build");
}

/** The predicates as they are stored. Throws `invalid` for an audience that would be everybody or nobody. */
export function serializePredicates(predicates: readonly Predicate[]): string {
  if (predicates.length === 0) {
    throw new ServiceError("invalid", {
      message: "An audience needs at least one condition",
      hint: "Name builds, platforms, environments or countries; an experiment without an audience is for everybody.",
    });
  }
  return JSON.stringify(predicates);
}

/** The predicates of a stored audience. */
export function parsePredicates(json: string): Predicate[] {
  return JSON.parse(json) as Predicate[];
}
