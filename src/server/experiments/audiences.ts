/** Audiences: conditions for players to enter an experiment, by build, platform, environment and country. */
import { ServiceError } from "../core/errors.ts";

const audienceFields = ["build", "platform", "environment", "country"] as const;
export type AudienceField = (typeof audienceFields)[number];

/** One condition: the field equals one of the values (`in`), or starts with one of them (`prefix`). */
export interface Predicate {
  readonly field: AudienceField;
  readonly op: "in" | "prefix";
  readonly values: readonly string[];
}

/** The attributes of a player; null if unknown. */
type PlayerAttributes = Readonly<Record<AudienceField, string | null>>;

/**
 * Whether a player is in an audience: for every field with predicates, at least one of them must match. An unknown
 * attribute never matches.
 */
export function isInAudience(predicates: readonly Predicate[], player: PlayerAttributes): boolean {
  const matches = ({ field, op, values }: Predicate) => {
    const value = player[field];
    if (value === null) return false;
    return values.some((expected) => (op === "in" ? value === expected : value.startsWith(expected)));
  };
  return audienceFields.every((field) => {
    const ofField = predicates.filter((predicate) => predicate.field === field);
    return ofField.length === 0 || ofField.some(matches);
  });
}

/** Whether an audience needs attributes from the player's newest session. The build comes with the request. */
export function needsSession(predicates: readonly Predicate[]): boolean {
  return predicates.some(({ field }) => field !== "build");
}

/** Serializes predicates for storage. Throws `invalid` if there are none. */
export function serializePredicates(predicates: readonly Predicate[]): string {
  if (predicates.length === 0) {
    throw new ServiceError("invalid", {
      message: "An audience needs at least one condition",
      hint: "Specify builds, platforms, environments or countries. To include all players, create the experiment without an audience.",
    });
  }
  return JSON.stringify(predicates);
}

/** Parses the predicates of a stored audience. */
export function parsePredicates(json: string): Predicate[] {
  return JSON.parse(json) as Predicate[];
}
