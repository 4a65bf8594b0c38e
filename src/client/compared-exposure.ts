/** Reads what the testers of two builds played, to compare equal play. */
import type { ComparedExposure, UnknownExposure } from "../contract/build-exposure.ts";
import { type ReadExposurePage, readBuildExposure } from "./build-exposure.ts";
import { ClientError, type ClientErrorCode } from "./errors.ts";

/** Errors that leave the rest of a comparison usable. */
const reasons: Partial<Record<ClientErrorCode, UnknownExposure>> = {
  unsupported: "unsupported",
  forbidden: "forbidden",
  contract: "invalid",
};

/** Reads the exposure of both builds. Returns the reason if the service does not report it, or not to this key. */
export async function readComparedExposure(
  readPage: ReadExposurePage,
  {
    a,
    b,
    ...scope
  }: { readonly game: string; readonly a: string; readonly b: string; readonly env?: string | undefined },
): Promise<ComparedExposure> {
  try {
    const before = await readBuildExposure(readPage, { ...scope, version: a });
    const after = a === b ? before : await readBuildExposure(readPage, { ...scope, version: b });
    return { a: before.testers, b: after.testers };
  } catch (error) {
    const reason = error instanceof ClientError ? reasons[error.code] : undefined;
    if (reason === undefined) throw error;
    return reason;
  }
}
