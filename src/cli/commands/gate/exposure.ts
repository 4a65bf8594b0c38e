/** Requests the sessions of each tester of a build. Not every service reports them. */
import type { Client } from "../../../client/client.ts";
import {
  type getBuildExposure,
  MAX_EXPOSURE_PAGE,
  type TesterExposure,
} from "../../../contract/build-exposure.ts";
import type { GateBuildExtras } from "../../../gate/build-comparison.ts";
import { translateError } from "../../translate-error.ts";

type Exposure = Pick<GateBuildExtras, "exposure" | "analysisVersions">;

const UNKNOWN: Exposure = { exposure: null, analysisVersions: null };

/** The sessions of all testers of an existing build. Unknown if the service does not have this endpoint. */
export async function fetchExposure(
  client: Client<{ getBuildExposure: typeof getBuildExposure }>,
  query: { readonly game: string; readonly version: string; readonly env: string | undefined },
): Promise<Exposure> {
  const testers: TesterExposure[] = [];
  const versions = new Set<number>();
  try {
    for (let hasMore = true; hasMore; ) {
      const page = await client.getBuildExposure({
        ...query,
        limit: MAX_EXPOSURE_PAGE,
        offset: testers.length,
      });
      testers.push(...page.testers);
      for (const version of page.analysisVersions) versions.add(version);
      hasMore = page.hasMore && page.testers.length > 0;
    }
  } catch (error) {
    if (translateError(error)?.code === "not_found") return UNKNOWN;
    throw error;
  }
  return { exposure: testers, analysisVersions: [...versions].sort((x, y) => x - y) };
}
