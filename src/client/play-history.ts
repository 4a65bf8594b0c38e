/** Reads the history of all testers of a build, page by page. */

import type { Input } from "../contract/define.ts";
import { type BuildHistory, type getBuildExposure, MAX_HISTORY_PAGE } from "../contract/play-history.ts";
import { ClientError } from "./errors.ts";
import { computeMaxItems, endlessListError } from "./paging.ts";

type HistoryInput = Omit<Input<typeof getBuildExposure>, "limit" | "offset">;
/** Reads one page. */
export type ReadHistoryPage = (input: Input<typeof getBuildExposure>) => Promise<BuildHistory>;

/** Reads all testers of a build, and the versions of the analysis on all pages. Throws `contract` if the service reports more testers but returns none. */
export async function readBuildHistory(
  readPage: ReadHistoryPage,
  build: HistoryInput,
): Promise<BuildHistory> {
  const readFrom = (offset: number) => readPage({ ...build, limit: MAX_HISTORY_PAGE, offset });
  const first = await readFrom(0);
  const testers = [...first.testers];
  const versions = new Set(first.analysisVersions);
  const maxTesters = computeMaxItems(first.total);
  for (let page = first; page.hasMore; ) {
    if (page.testers.length === 0) {
      const message = `The service reports more testers after tester ${testers.length} but returns none`;
      throw new ClientError("contract", message);
    }
    if (testers.length > maxTesters) throw endlessListError(testers.length);
    page = await readFrom(testers.length);
    testers.push(...page.testers);
    for (const version of page.analysisVersions) versions.add(version);
  }
  const analysisVersions = [...versions].sort((x, y) => x - y);
  return { ...first, analysisVersions, testers, hasMore: false };
}
