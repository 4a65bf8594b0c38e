/**
 * The headers that SDKs send with every request: `X-<Vendor>-Environment` and `X-<Vendor>-SDK`. The vendor can be any
 * name. If a request has several such headers, the first valid one in alphabetical order counts.
 */
import { environmentSlug, findSource } from "../../contract/telemetry.ts";
import { badRequest } from "../core/http-errors.ts";

/** Headers of SDKs, in lower case. */
export const SDK_HEADER = /^x-[a-z0-9-]+-(environment|sdk)$/;

const MAX_SHOWN = 120;
const show = (value: string) => JSON.stringify(value.slice(0, MAX_SHOWN));

interface SdkHeader {
  readonly name: string;
  readonly value: string;
}

/** The non-empty headers of one kind, sorted by name. */
function findHeaders(headers: Headers, kind: "environment" | "sdk"): SdkHeader[] {
  return [...headers].flatMap(([name, text]) => {
    const value = text.trim();
    return SDK_HEADER.exec(name)?.[1] === kind && value !== "" ? [{ name, value }] : [];
  });
}

/** The name of a header as it is usually written, such as `X-Studio-Environment`. */
const formatName = (name: string) =>
  name.replace(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase()).replace(/-Sdk$/, "-SDK");

/** Returns the environment slug of the headers, or undefined. Throws `bad_request` if there are only invalid ones. */
export function readEnvironment(headers: Headers): string | undefined {
  const found = findHeaders(headers, "environment");
  const [first] = found;
  const valid = found.find(({ value }) => environmentSlug.safeParse(value).success);
  if (valid || !first) return valid?.value;
  const issue = environmentSlug.safeParse(first.value).error?.issues[0];
  const message = `${issue?.message ?? "is invalid"}, not ${show(first.value)}`;
  throw badRequest([{ path: [formatName(first.name)], code: issue?.code ?? "invalid_value", message }]);
}

/** The names of the headers of a request that name an SDK. */
export const listSdkHeaders = (headers: Headers): string[] =>
  findHeaders(headers, "sdk").map(({ name }) => formatName(name));

/** Returns the source of the SDK in the headers, or undefined. A name may be followed by a version, as in `unity/1.2`. */
export function readSource(headers: Headers, warnings: string[]): string | undefined {
  const found = findHeaders(headers, "sdk");
  const sources = found.flatMap(({ value }) => findSource(value) ?? []);
  const [first] = found;
  if (sources.length === 0 && first)
    warnings.push(
      `${formatName(first.name)} names the unknown SDK ${show(first.value)}. The default source was used instead.`,
    );
  return sources[0];
}
