/** The options of a scorecard, and the parameters with which a request names them. */
import { type Family, METRICS } from "./metrics.ts";
import type { ScorecardOptions } from "./scorecard.ts";

/** The largest share, from 0 to 1, of those who entered a new room that may meet friction in it, or quit there. */
export const DEFAULT_NEW_ROOM_SHARE = 0.4;

/** The largest increase of a share, in percentage points, that does not matter. */
export const DEFAULT_MAX_INCREASE = 10;

/** What is decided if nothing else is requested. */
export const DEFAULT_OPTIONS: ScorecardOptions = {
  level: 0.05,
  families: ["friction", "quits"],
  limits: { friction: DEFAULT_MAX_INCREASE / 100, quit: DEFAULT_MAX_INCREASE / 100 },
  newRooms: { max: DEFAULT_NEW_ROOM_SHARE, count: "new" },
};

/** Options as parameters of a request. Absent ones have their defaults. */
export interface OptionParameters {
  /** A number. */
  readonly level?: string | undefined;
  /** Families, separated by commas. */
  readonly families?: string | undefined;
  /** Pairs of a metric and its limit such as `quit:0.1`, separated by commas. */
  readonly limits?: string | undefined;
  /** A number. */
  readonly newRoomMax?: string | undefined;
  readonly newRoomTesters?: ScorecardOptions["newRooms"]["count"] | undefined;
}

/** Reads the options of a request. Unknown families are left out. */
export function readOptions(parameters: OptionParameters): ScorecardOptions {
  const { level, families, limits, newRoomMax, newRoomTesters } = parameters;
  const { newRooms, ...defaults } = DEFAULT_OPTIONS;
  return {
    ...defaults,
    ...(level === undefined ? {} : { level: Number(level) }),
    ...(families === undefined ? {} : { families: [...new Set(families.split(",").filter(isFamily))] }),
    ...(limits === undefined ? {} : { limits: Object.fromEntries(limits.split(",").map(readLimit)) }),
    newRooms: { max: Number(newRoomMax ?? newRooms.max), count: newRoomTesters ?? newRooms.count },
  };
}

/** The parameters with which a request has the same options. */
export const writeOptions = ({ level, families, limits, newRooms }: ScorecardOptions): OptionParameters => ({
  level: formatLevel(level),
  families: families.join(","),
  limits: Object.entries(limits)
    .map(([metric, limit]) => `${metric}:${limit}`)
    .join(","),
  newRoomMax: String(newRooms.max),
  newRoomTesters: newRooms.count,
});

const isFamily = (name: string): name is Family => METRICS.some(({ family }) => family === name);

function readLimit(pair: string): [metric: string, limit: number] {
  const at = pair.lastIndexOf(":");
  return [pair.slice(0, at), Number(pair.slice(at + 1))];
}

/** Without an exponent, which the parameter does not allow. A level has at most this many digits that matter. */
const LEVEL_DIGITS = 15;

const formatLevel = (level: number): string => level.toFixed(LEVEL_DIGITS);
