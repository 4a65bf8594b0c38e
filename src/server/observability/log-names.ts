/**
 * How logs and traces name who sent a request and what its path is about. Names of people are hashed with the UTC day, so that
 * lines of one day can be correlated, and nobody without the database can test a guess.
 */

import type { Endpoint } from "../../contract/define.ts";
import { ID_LENGTH } from "../../contract/id-kinds.ts";
import type { Noun } from "../../contract/nouns.ts";
import { toDailyText } from "../db/keyed-hash.ts";
import { redactForLog, redactKeys } from "./redact.ts";

/** What identifies no person, and is logged as it is. */
const IMPERSONAL: ReadonlySet<Noun> = new Set([
  ...(["game", "session", "build", "batch", "experiment", "form", "insight"] as const),
  ...(["bug report", "submission", "receiver"] as const),
]);
/** Words of other paths: those of the console and of the service itself. */
const OTHER_WORDS = ["funnel", "heatmap", "live", "report", "files", "sign-in", "sign-out", "mcp"] as const;
const SYSTEM_WORDS = ["healthz", "readyz", "metrics", "openapi.json", "favicon.ico", "robots.txt"] as const;
/** Ids that the service has created, and files of the console. */
function isCreated(segment: string): boolean {
  const [kind = "", id = "", ...more] = segment.split("_");
  if (more.length === 0 && id.length === ID_LENGTH) return /^[a-z]+$/.test(kind) && /^[0-9a-f]+$/.test(id);
  const [file = "", ending = "", ...rest] = segment.split(".");
  const [name = "", hash = ""] = file.split("-");
  const isFile = FILES.has(name) && FILE_ENDINGS.has(ending) && rest.length === 0;
  return isFile && file === `${name}-${hash}` && /^[0-9a-f]+$/.test(hash);
}

const FILES: ReadonlySet<string> = new Set(["style", "script", "icon"]);
const FILE_ENDINGS: ReadonlySet<string> = new Set(["css", "js", "svg"]);

export class LogNames {
  readonly #hash: (text: string) => string;
  readonly #now: () => number;
  readonly #words: ReadonlySet<string>;

  constructor(hash: (text: string) => string, now: () => number, endpoints: Iterable<Endpoint>) {
    this.#hash = hash;
    this.#now = now;
    const segments = [...endpoints].flatMap(({ path }) => path.split("/"));
    this.#words = new Set([
      ...segments.filter((segment) => !segment.startsWith("{")),
      ...OTHER_WORDS,
      ...SYSTEM_WORDS,
    ]);
  }

  /** The hash of a network, as sessions have it (`address_hash`). */
  address(network: string): string {
    return this.#hash(toDailyText("address", this.#now(), network));
  }

  /** A path without names of people. `endpoint` is one that has the path, if there is one. */
  path(path: string, endpoint: Endpoint | undefined): string {
    const pattern = endpoint?.path.split("/") ?? [];
    const segments = path.split("/").map((segment, index) => {
      const parameter = pattern[index]?.startsWith("{") ? pattern[index].slice(1, -1) : null;
      const noun = parameter === null ? undefined : endpoint?.names[parameter];
      const isKept = this.#words.has(segment) || isCreated(segment) || (noun && IMPERSONAL.has(noun));
      return isKept ? segment : this.#hashName(segment);
    });
    return redactForLog(segments.join("/"));
  }

  #hashName(segment: string): string {
    const safe = redactKeys(segment);
    if (segment === "" || safe === "[key]") return safe;
    return this.#hash(toDailyText("name", this.#now(), decode(segment)));
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
