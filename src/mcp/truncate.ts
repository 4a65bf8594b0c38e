/**
 * Shortens a response until its JSON fits into a number of characters: long lists, long texts and maps lose their ends.
 * The shortened response still matches its schema.
 */
import * as z from "zod";
import { ClientError } from "../client/errors.ts";

export interface TruncateOptions {
  /** The maximum length of the JSON. */
  readonly chars: number;
  /** The part to show as much as possible of: a dotted path such as `rooms.3.cells`; null for the whole response. */
  readonly part: string | null;
  /** The number of entries or characters to skip at the start of the part. */
  readonly skip: number;
}

/** A list, map or text that is not shown completely. */
export interface Truncation {
  /** Its dotted path. */
  readonly part: string;
  /** Entries of a list or map, or characters of a text. */
  readonly unit: "entries" | "characters";
  readonly skipped: number;
  readonly shown: number;
  readonly total: number;
}

interface TruncatedAnswer {
  readonly value: unknown;
  readonly truncations: readonly Truncation[];
}

/** Lists of up to this length keep all entries, shortened, if each can have at least MIN_ENTRY_CHARS characters. */
const MAX_SHORT_LIST = 16;
const MIN_ENTRY_CHARS = 300;
/** Texts of up to this length are never shortened, because they may be ids. */
const MIN_TEXT_CHARS = 200;
/** The share of the characters for everything outside of the requested part. */
const REST_SHARE = 0.1;

/** Shortens a response. Throws `invalid_input` if the requested part does not exist. */
export function truncateAnswer(
  response: unknown,
  schema: z.ZodType,
  options: TruncateOptions,
): TruncatedAnswer {
  const truncator = new AnswerTruncator(options);
  const value = truncator.truncate(response, schema, [], options.chars);
  if (!truncator.foundPart)
    throw new ClientError(
      "invalid_input",
      `part ${JSON.stringify(options.part)} is not the path of a list, text or map in this result`,
    );
  return { value, truncations: truncator.truncations };
}

/** Sizes of objects, which never change here. Each object is measured once per level above it. */
const sizeCache = new WeakMap<object, number>();

function measureJson(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return String(value).length;
  if (typeof value !== "object" || value === null) return JSON.stringify(value).length;
  const cached = sizeCache.get(value);
  if (cached !== undefined) return cached;
  let size = 1;
  if (Array.isArray(value)) for (const item of value) size += measureJson(item) + 1;
  else
    for (const name in value)
      size += JSON.stringify(name).length + measureJson((value as AnswerFields)[name]) + 2;
  sizeCache.set(value, Math.max(2, size));
  return Math.max(2, size);
}

type AnswerPath = readonly string[];
type AnswerFields = Record<string, unknown>;

class AnswerTruncator {
  readonly truncations: Truncation[] = [];
  foundPart: boolean;
  readonly #part: string | null;
  readonly #skip: number;

  constructor({ part, skip }: TruncateOptions) {
    this.#part = part;
    this.#skip = skip;
    this.foundPart = part === null;
  }

  truncate(value: unknown, fieldSchema: z.ZodType, path: AnswerPath, chars: number): unknown {
    const schema = unwrapOptional(fieldSchema);
    if (!this.#containsPart(path) && measureJson(value) <= chars) return value;
    if (typeof value === "string") return this.#truncateText(value, path, chars);
    if (Array.isArray(value))
      return schema instanceof z.ZodTuple ? value : this.#truncateList(value, schema, path, chars);
    return typeof value === "object" && value !== null
      ? this.#truncateFields({ ...value }, schema, path, chars)
      : value;
  }

  /** Whether the value at a path is the requested part or contains it. */
  #containsPart(path: AnswerPath): boolean {
    // Compares joined paths, because names in maps may contain dots.
    const joined = path.join(".");
    return (
      this.#part !== null &&
      (path.length === 0 || joined === this.#part || this.#part.startsWith(`${joined}.`))
    );
  }

  /** Whether the value at a path contains the requested part, but is not the part itself. */
  #isAbovePart(path: AnswerPath): boolean {
    return this.#containsPart(path) && path.join(".") !== this.#part;
  }

  /** Returns how many entries or characters to skip in the value at a path. */
  #skipAt(path: AnswerPath): number {
    if (path.join(".") !== this.#part) return 0;
    this.foundPart = true;
    return this.#skip;
  }

  #record(path: AnswerPath, unit: Truncation["unit"], skipped: number, shown: number, total: number): void {
    if (skipped > 0 || shown < total - skipped)
      this.truncations.push({ part: path.join("."), unit, skipped, shown, total });
  }

  #truncateText(text: string, path: AnswerPath, chars: number): string {
    const skipped = this.#skipAt(path);
    const rest = text.slice(skipped);
    const size = measureJson(rest);
    const share = Math.floor((rest.length * (chars - 2)) / size);
    const shown =
      size <= chars || rest.length <= MIN_TEXT_CHARS
        ? rest
        : dropSplitSurrogate(rest.slice(0, Math.max(MIN_TEXT_CHARS, share)));
    this.#record(path, "characters", skipped, shown.length, text.length);
    return shown;
  }

  #truncateList(list: readonly unknown[], schema: z.ZodType, path: AnswerPath, chars: number): unknown[] {
    const element = schema instanceof z.ZodArray ? (schema.element as z.ZodType) : z.unknown();
    const partBelow = this.#isAbovePart(path) ? this.#part?.slice([...path, ""].join(".").length) : undefined;
    const entryName = partBelow?.split(".")[0];
    if (entryName !== undefined) return this.#selectEntry(list, entryName, element, path, chars);
    const skipped = Math.min(this.#skipAt(path), list.length);
    const rest = list.slice(skipped);
    const truncateEntry = (index: number, share: number) =>
      this.truncate(rest[index], element, [...path, String(index + skipped)], share);
    const sizes = rest.map((entry) => measureJson(entry) + 1);
    let shown: unknown[];
    if (rest.length <= MAX_SHORT_LIST && rest.length * MIN_ENTRY_CHARS <= chars) {
      const shares = allotChars(sizes, chars - 2);
      shown = rest.map((_, index) => truncateEntry(index, (shares[index] ?? 0) - 1));
    } else {
      const count = countFitting(sizes, chars - 2);
      shown = count === 0 ? [truncateEntry(0, chars - 2)] : rest.slice(0, count);
    }
    this.#record(path, "entries", skipped, shown.length, list.length);
    return shown;
  }

  /** Returns only the entry that contains the requested part. */
  #selectEntry(
    list: readonly unknown[],
    name: string,
    element: z.ZodType,
    path: AnswerPath,
    chars: number,
  ): unknown[] {
    const index = Number(name);
    if (!Number.isInteger(index) || !(index in list)) return [];
    this.#record(path, "entries", index, 1, list.length);
    return [this.truncate(list[index], element, [...path, name], chars - 2)];
  }

  #truncateFields(fields: AnswerFields, schema: z.ZodType, path: AnswerPath, chars: number): AnswerFields {
    const shape = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
    const known = Object.keys(fields).filter((name) => Object.hasOwn(shape, name));
    const open = Object.keys(fields).filter((name) => !Object.hasOwn(shape, name));
    const keyChars = known.reduce((sum, name) => sum + measureJson(name) + 2, 2);
    const shares = this.#allotFields(known, fields, path, chars - keyChars, open.length > 0);
    const entries: [string, unknown][] = known.map((name) => [
      name,
      this.truncate(fields[name], shape[name] ?? z.unknown(), [...path, name], shares.get(name) ?? 0),
    ]);
    const used = measureJson(Object.fromEntries(entries));
    return Object.fromEntries([
      ...entries,
      ...this.#truncateOpenFields(fields, open, schema, path, chars - used),
    ]);
  }

  /** Allots characters to known fields. The field that contains the requested part gets all that the others leave. */
  #allotFields(
    known: AnswerPath,
    fields: AnswerFields,
    path: AnswerPath,
    chars: number,
    hasOpenFields: boolean,
  ): Map<string, number> {
    const isAbovePart = this.#isAbovePart(path);
    const focus = isAbovePart ? known.find((name) => this.#containsPart([...path, name])) : undefined;
    const others = known.filter((name) => name !== focus);
    const sizes = others.map((name) => measureJson(fields[name]));
    const otherChars = chars * (isAbovePart ? REST_SHARE : hasOpenFields ? 0.8 : 1);
    const shares = new Map(
      allotChars(sizes, otherChars).map((share, index): [string, number] => [others[index] ?? "", share]),
    );
    if (focus !== undefined) {
      const allotted = [...shares.values()].reduce((sum, share) => sum + share, 0);
      shares.set(focus, chars - allotted);
    }
    return shares;
  }

  /** Returns as many entries of a map, or fields that the schema does not know, as fit. */
  #truncateOpenFields(
    fields: AnswerFields,
    names: AnswerPath,
    schema: z.ZodType,
    path: AnswerPath,
    chars: number,
  ): [string, unknown][] {
    if (names.length === 0) return [];
    const element = schema instanceof z.ZodRecord ? (schema.valueType as z.ZodType) : z.unknown();
    const truncateEntry = (name: string): [string, unknown] => [
      name,
      this.truncate(fields[name], element, [...path, name], chars - measureJson(name) - 2),
    ];
    const focus = this.#isAbovePart(path)
      ? names.find((name) => this.#containsPart([...path, name]))
      : undefined;
    if (focus !== undefined) {
      this.#record(path, "entries", names.indexOf(focus), 1, names.length);
      return [truncateEntry(focus)];
    }
    const skipped = Math.min(this.#skipAt(path), names.length);
    const rest = names.slice(skipped);
    const sizes = rest.map((name) => measureJson(name) + measureJson(fields[name]) + 2);
    const count = countFitting(sizes, chars);
    const [first] = rest;
    // If this map is the requested part and its first entry does not fit, requesting the map again would not help:
    // shorten the entry instead.
    const shortened =
      count === 0 && first !== undefined && path.join(".") === this.#part ? truncateEntry(first) : null;
    const shown = shortened
      ? [shortened]
      : rest.slice(0, count).map((name): [string, unknown] => [name, fields[name]]);
    this.#record(path, "entries", skipped, shown.length, names.length);
    return shown;
  }
}

/** Returns the schema inside of optional and nullable schemas. */
export function unwrapOptional(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrapOptional(schema.unwrap() as z.ZodType)
    : schema;
}

/** Counts how many sizes, starting with the first, fit into a number of characters. */
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

/** Divides characters among values: small values get their full size, and the others equal shares of the rest. */
function allotChars(sizes: readonly number[], chars: number): number[] {
  let remaining = Math.max(0, chars);
  let count = sizes.length;
  const shares = new Array<number>(sizes.length).fill(0);
  for (const [index, size] of [...sizes.entries()].sort(([, a], [, b]) => a - b)) {
    shares[index] = Math.min(size, Math.floor(remaining / count));
    remaining -= shares[index] ?? 0;
    count -= 1;
  }
  return shares;
}

/** Removes half of a surrogate pair at the end. */
const dropSplitSurrogate = (text: string) => text.replace(/[\ud800-\udbff]$/, "");
