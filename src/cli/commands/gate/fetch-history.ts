/** Requests the sessions of each tester of a build. Not every service reports them. */

import type { Client } from "../../../client/client.ts";
import { readBuildHistory } from "../../../client/play-history.ts";
import type { getBuildExposure } from "../../../contract/play-history.ts";
import type { GateBuildExtras } from "../../../gate/build-comparison.ts";
import { translateError } from "../../translate-error.ts";

type History = Pick<GateBuildExtras, "history" | "analysisVersions">;

const UNKNOWN: History = { history: null, analysisVersions: null };

/** The sessions of all testers of an existing build. Unknown if the service does not have this endpoint. */
export async function fetchHistory(
  client: Client<{ getBuildExposure: typeof getBuildExposure }>,
  query: { readonly game: string; readonly version: string; readonly env: string | undefined },
): Promise<History> {
  try {
    const { testers, analysisVersions } = await readBuildHistory(
      (input) => client.getBuildExposure(input),
      query,
    );
    return { history: testers, analysisVersions };
  } catch (error) {
    if (translateError(error)?.code === "unsupported") return UNKNOWN;
    throw error;
  }
}
