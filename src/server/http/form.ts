/** Forms that the pages of the console send. */
import { HttpError } from "../../contract/errors.ts";
import { readBytes } from "./body.ts";
import { type Exchange, required } from "./exchange.ts";

/** The maximum size of a form in bytes. */
const MAX_FORM = 4096;

/** Reads the fields of a form. Throws `bad_request` if it is too large or did not arrive completely. */
export async function readForm({ request, permit }: Exchange): Promise<URLSearchParams> {
  try {
    const bytes = await readBytes(request, MAX_FORM, required(permit, "permit"));
    return new URLSearchParams(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof HttpError) || error.code !== "payload_too_large") throw error;
    throw new HttpError("bad_request", { message: `The form must be at most ${MAX_FORM} bytes` });
  }
}

/** A path of visible ASCII characters. Browsers read `//` as the start of a host, and `\` as `/`. */
const LOCAL = /^\/([!-.0-[\]-~][!-[\]-~]*)?$/;

/** An address of this server, so that a form cannot lead to another one. */
export function toLocalAddress(next: string | null): string {
  return next !== null && LOCAL.test(next) ? next : "/";
}
