/** The words for sessions whose analysis failed. */

/** What a note says about sessions whose analysis failed. */
export const NOT_ANALYZABLE = "could not be analyzed";

/** Says which sessions could not be analyzed, and why most of them could not. */
export const describeFailed = (sessions: string, failure: string | null = null): string =>
  failure === null
    ? `${sessions} ${NOT_ANALYZABLE}.`
    : `${sessions} ${NOT_ANALYZABLE}: ${failure.replace(/\.?$/, ".")}`;
