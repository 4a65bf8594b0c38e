/** Reads what the testers of builds played. */
import type { Input } from "../contract/define.ts";
import {
  type BuildHistory,
  type ComparedHistory,
  type getBuildExposure,
  MAX_HISTORY_PAGE,
  type UnknownHistory,
} from "../contract/play-history.ts";
import { ClientError, type ClientErrorCode } from "./errors.ts";
import { readTesterPages } from "./tester-pages.ts";

type HistoryInput = Omit<Input<typeof getBuildExposure>, "limit" | "offset">;
/** Reads one page. */
type ReadHistoryPage = (input: Input<typeof getBuildExposure>) => Promise<BuildHistory>;

/** Reads all testers of a build, and the versions of the analysis on all pages. Throws `contract` if the service reports more testers but returns none. */
export async function readBuildHistory(
  readPage: ReadHistoryPage,
  build: HistoryInput,
): Promise<BuildHistory> {
  const pages = await readTesterPages((offset) => readPage({ ...build, limit: MAX_HISTORY_PAGE, offset }));
  const versions = new Set(pages.flatMap(({ analysisVersions }) => analysisVersions));
  return {
    ...pages[0],
    analysisVersions: [...versions].sort((x, y) => x - y),
    testers: pages.flatMap(({ testers }) => testers),
    hasMore: false,
  };
}

/** Errors that leave the rest of a comparison usable. */
const reasons: Partial<Record<ClientErrorCode, UnknownHistory>> = {
  unsupported: "unsupported",
  forbidden: "forbidden",
  contract: "invalid",
};

/** Reads the history of both builds. Returns the reason if the service does not report it, or not to this key. */
export async function readComparedHistory(
  readPage: ReadHistoryPage,
  {
    a,
    b,
    ...scope
  }: { readonly game: string; readonly a: string; readonly b: string; readonly env?: string | undefined },
): Promise<ComparedHistory> {
  try {
    const before = await readBuildHistory(readPage, { ...scope, version: a });
    const after = a === b ? before : await readBuildHistory(readPage, { ...scope, version: b });
    return { a: before.testers, b: after.testers };
  } catch (error) {
    const reason = error instanceof ClientError ? reasons[error.code] : undefined;
    if (reason === undefined) throw error;
    return reason;
  }
}
