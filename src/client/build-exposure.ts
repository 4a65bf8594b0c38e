/** Reads the exposure of all testers of a build, page by page. */
import type { BuildExposure, getBuildExposure } from "../contract/build-exposure.ts";
import type { Input } from "../contract/define.ts";
import { ClientError } from "./errors.ts";
import { computeMaxItems, endlessListError } from "./paging.ts";

type ExposureInput = Omit<Input<typeof getBuildExposure>, "limit" | "offset">;
type ReadExposurePage = (input: Input<typeof getBuildExposure>) => Promise<BuildExposure>;

/** Reads all testers of a build. Throws `contract` if the service reports more testers but returns none. */
export async function readBuildExposure(
  readPage: ReadExposurePage,
  build: ExposureInput,
): Promise<BuildExposure> {
  const first = await readPage(build);
  const testers = [...first.testers];
  const maxTesters = computeMaxItems(first.total);
  for (let page = first; page.hasMore; ) {
    if (page.testers.length === 0) {
      const message = `The service reports more testers after tester ${testers.length} but returns none`;
      throw new ClientError("contract", message);
    }
    if (testers.length > maxTesters) throw endlessListError(testers.length);
    page = await readPage({ ...build, offset: testers.length });
    testers.push(...page.testers);
  }
  return { ...first, testers, hasMore: false };
}
