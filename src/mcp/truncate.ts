/** Cuts an answer until its JSON fits: lists at their end, long texts, open maps; what is left still holds its schema. */
import * as z from "zod";
import { ClientError } from "../client/errors.ts";

/** How much is wanted: characters of JSON, and the part to go on with, passing over so much of it. */
export interface TruncateOptions {
  readonly chars: number;
  /** Dotted path, such as `insights` or `rooms.3.cells`; null for the whole answer. */
  readonly part: string | null;
  readonly skip: number;
}

/** One part that is not shown whole: entries of a list or map, characters of a text. */
export interface Truncation {
  readonly part: string;
  readonly unit: "entries" | "characters";
  readonly skipped: number;
  readonly shown: number;
  readonly of: number;
}

export interface TruncatedAnswer {
  readonly value: unknown;
  readonly cuts: readonly Truncation[];
}

/** A list of at most so many keeps every entry while each can have MIN_ENTRY_CHARS characters: they are cut inside. */
const MAX_SHORT_LIST = 16;
const MIN_ENTRY_CHARS = 300;
/** A text of so many characters is never cut: it may be an id. */
const MIN_TEXT_CHARS = 200;
/** What all but the part that is asked for may take of the characters. */
const REST_SHARE = 0.1;

/** The answer within its characters. Throws `usage` for a part that it does not have. */
export function truncateAnswer(answer: unknown, schema: z.ZodType, wanted: TruncateOptions): TruncatedAnswer {
  const fitter = new AnswerTruncator(wanted);
  const value = fitter.truncate(answer, schema, [], wanted.chars);
  if (!fitter.foundPart)
    throw new ClientError(
      "invalid_input",
      `part ${JSON.stringify(wanted.part)} is no list, text or map of this answer`,
    );
  return { value, cuts: fitter.cuts };
}

/** Of answers, which never change: a part is looked at on every level above it. */
const sizeCache = new WeakMap<object, number>();

/** Characters of the JSON of a value. */
function measureJson(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return String(value).length;
  if (typeof value !== "object" || value === null) return JSON.stringify(value).length;
  const known = sizeCache.get(value);
  if (known !== undefined) return known;
  let size = 1;
  if (Array.isArray(value)) for (const one of value) size += measureJson(one) + 1;
  else
    for (const name in value)
      size += JSON.stringify(name).length + measureJson((value as AnswerFields)[name]) + 2;
  sizeCache.set(value, Math.max(2, size));
  return Math.max(2, size);
}

type AnswerPath = readonly string[];
type AnswerFields = Record<string, unknown>;

class AnswerTruncator {
  readonly cuts: Truncation[] = [];
  foundPart: boolean;
  readonly #part: string | null;
  readonly #skip: number;

  constructor({ part, skip }: TruncateOptions) {
    this.#part = part;
    this.#skip = skip;
    this.foundPart = part === null;
  }

  truncate(value: unknown, given: z.ZodType, path: AnswerPath, chars: number): unknown {
    const schema = unwrapOptional(given);
    const leads = this.#leadsOn(path);
    if (!leads && measureJson(value) <= chars) return value;
    if (typeof value === "string") return this.#fitText(value, path, chars);
    if (Array.isArray(value))
      return schema instanceof z.ZodTuple ? value : this.#fitList(value, schema, path, chars);
    return typeof value === "object" && value !== null
      ? this.#fitFields({ ...value }, schema, path, chars)
      : value;
  }

  /** Whether the part that is asked for is here or further down. */
  #leadsOn(path: AnswerPath): boolean {
    // Compared as texts, for names in open maps may hold dots.
    const here = path.join(".");
    return (
      this.#part !== null && (path.length === 0 || here === this.#part || this.#part.startsWith(`${here}.`))
    );
  }

  /** Whether the part that is asked for is further down, and not here. */
  #leadsBelow(path: AnswerPath): boolean {
    return this.#leadsOn(path) && path.join(".") !== this.#part;
  }

  /** How much of the value at a path is passed over. */
  #skipAt(path: AnswerPath): number {
    if (path.join(".") !== this.#part) return 0;
    this.foundPart = true;
    return this.#skip;
  }

  #note(path: AnswerPath, unit: Truncation["unit"], skipped: number, shown: number, of: number): void {
    if (skipped > 0 || shown < of - skipped)
      this.cuts.push({ part: path.join("."), unit, skipped, shown, of });
  }

  #fitText(text: string, path: AnswerPath, chars: number): string {
    const skipped = this.#skipAt(path);
    const rest = text.slice(skipped);
    const size = measureJson(rest);
    const share = Math.floor((rest.length * (chars - 2)) / size);
    const shown =
      size <= chars || rest.length <= MIN_TEXT_CHARS
        ? rest
        : dropSplitSurrogate(rest.slice(0, Math.max(MIN_TEXT_CHARS, share)));
    this.#note(path, "characters", skipped, shown.length, text.length);
    return shown;
  }

  #fitList(list: readonly unknown[], schema: z.ZodType, path: AnswerPath, chars: number): unknown[] {
    const element = schema instanceof z.ZodArray ? (schema.element as z.ZodType) : z.unknown();
    const below = this.#leadsBelow(path) ? this.#part?.slice([...path, ""].join(".").length) : undefined;
    const inside = below?.split(".")[0];
    if (inside !== undefined) return this.#fitOne(list, inside, element, path, chars);
    const skipped = Math.min(this.#skipAt(path), list.length);
    const rest = list.slice(skipped);
    const fitAt = (index: number, share: number) =>
      this.truncate(rest[index], element, [...path, String(index + skipped)], share);
    const sizes = rest.map((one) => measureJson(one) + 1);
    let shown: unknown[];
    if (rest.length <= MAX_SHORT_LIST && rest.length * MIN_ENTRY_CHARS <= chars) {
      const shares = allotChars(sizes, chars - 2);
      shown = rest.map((_, index) => fitAt(index, (shares[index] ?? 0) - 1));
    } else {
      const count = countFitting(sizes, chars - 2);
      shown = count === 0 ? [fitAt(0, chars - 2)] : rest.slice(0, count);
    }
    this.#note(path, "entries", skipped, shown.length, list.length);
    return shown;
  }

  /** The one entry of a list that the part lies in. */
  #fitOne(
    list: readonly unknown[],
    name: string,
    element: z.ZodType,
    path: AnswerPath,
    chars: number,
  ): unknown[] {
    const index = Number(name);
    if (!Number.isInteger(index) || !(index in list)) return [];
    this.#note(path, "entries", index, 1, list.length);
    return [this.truncate(list[index], element, [...path, name], chars - 2)];
  }

  #fitFields(fields: AnswerFields, schema: z.ZodType, path: AnswerPath, chars: number): AnswerFields {
    const shape = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
    const known = Object.keys(fields).filter((name) => Object.hasOwn(shape, name));
    const open = Object.keys(fields).filter((name) => !Object.hasOwn(shape, name));
    const keys = known.reduce((sum, name) => sum + measureJson(name) + 2, 2);
    const shares = this.#sharesOf(known, fields, path, chars - keys, open.length > 0);
    const made: [string, unknown][] = known.map((name) => [
      name,
      this.truncate(fields[name], shape[name] ?? z.unknown(), [...path, name], shares.get(name) ?? 0),
    ]);
    const used = measureJson(Object.fromEntries(made));
    return Object.fromEntries([...made, ...this.#fitOpen(fields, open, schema, path, chars - used)]);
  }

  /** What each known field may take: the part that is asked for before all others. */
  #sharesOf(
    known: AnswerPath,
    fields: AnswerFields,
    path: AnswerPath,
    chars: number,
    opened: boolean,
  ): Map<string, number> {
    const below = this.#leadsBelow(path);
    const focus = below ? known.find((name) => this.#leadsOn([...path, name])) : undefined;
    const others = known.filter((name) => name !== focus);
    const sizes = others.map((name) => measureJson(fields[name]));
    const least = chars * (below ? REST_SHARE : opened ? 0.8 : 1);
    const shares = new Map(
      allotChars(sizes, least).map((share, at): [string, number] => [others[at] ?? "", share]),
    );
    if (focus !== undefined) {
      const taken = [...shares.values()].reduce((sum, share) => sum + share, 0);
      shares.set(focus, chars - taken);
    }
    return shares;
  }

  /** Entries of a map, and fields that the schema does not know, as many as fit; a first that is too large is cut. */
  #fitOpen(
    fields: AnswerFields,
    names: AnswerPath,
    schema: z.ZodType,
    path: AnswerPath,
    chars: number,
  ): [string, unknown][] {
    if (names.length === 0) return [];
    const element = schema instanceof z.ZodRecord ? (schema.valueType as z.ZodType) : z.unknown();
    const inside = (name: string): [string, unknown] => [
      name,
      this.truncate(fields[name], element, [...path, name], chars - measureJson(name) - 2),
    ];
    const named = this.#leadsBelow(path) ? names.find((name) => this.#leadsOn([...path, name])) : undefined;
    if (named !== undefined) {
      this.#note(path, "entries", names.indexOf(named), 1, names.length);
      return [inside(named)];
    }
    const skipped = Math.min(this.#skipAt(path), names.length);
    const rest = names.slice(skipped);
    const sizes = rest.map((name) => measureJson(name) + measureJson(fields[name]) + 2);
    const count = countFitting(sizes, chars);
    const [first] = rest;
    // Elsewhere it is told how to ask for the map; here that would be asked for again.
    const cut = count === 0 && first !== undefined && path.join(".") === this.#part ? inside(first) : null;
    const shown = cut ? [cut] : rest.slice(0, count).map((name): [string, unknown] => [name, fields[name]]);
    this.#note(path, "entries", skipped, shown.length, names.length);
    return shown;
  }
}

/** The schema without what may be absent or null. */
export function unwrapOptional(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrapOptional(schema.unwrap() as z.ZodType)
    : schema;
}

/** How many from the first on fit. */
function countFitting(sizes: readonly number[], chars: number): number {
  let sum = 0;
  let count = 0;
  for (const size of sizes) {
    sum += size;
    if (sum > chars) break;
    count += 1;
  }
  return count;
}

/** Shares so that what is small is whole and the rest is even. */
function allotChars(sizes: readonly number[], chars: number): number[] {
  let left = Math.max(0, chars);
  let count = sizes.length;
  const shares = new Array<number>(sizes.length).fill(0);
  for (const [at, size] of [...sizes.entries()].sort(([, a], [, b]) => a - b)) {
    shares[at] = Math.min(size, Math.floor(left / count));
    left -= shares[at] ?? 0;
    count -= 1;
  }
  return shares;
}

/** Without half a character at the end. */
const dropSplitSurrogate = (text: string) => text.replace(/[\ud800-\udbff]$/, "");
