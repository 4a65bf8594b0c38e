/** Requests the sessions of each tester of a build. Not every service reports them. */
import { readBuildExposure } from "../../../client/build-exposure.ts";
import type { Client } from "../../../client/client.ts";
import type { getBuildExposure } from "../../../contract/build-exposure.ts";
import type { GateBuildExtras } from "../../../gate/build-comparison.ts";
import { translateError } from "../../translate-error.ts";

type Exposure = Pick<GateBuildExtras, "exposure" | "analysisVersions">;

const UNKNOWN: Exposure = { exposure: null, analysisVersions: null };

/** The sessions of all testers of an existing build. Unknown if the service does not have this endpoint. */
export async function fetchExposure(
  client: Client<{ getBuildExposure: typeof getBuildExposure }>,
  query: { readonly game: string; readonly version: string; readonly env: string | undefined },
): Promise<Exposure> {
  try {
    const { testers, analysisVersions } = await readBuildExposure(
      (input) => client.getBuildExposure(input),
      query,
    );
    return { exposure: testers, analysisVersions };
  } catch (error) {
    if (translateError(error)?.code === "unsupported") return UNKNOWN;
    throw error;
  }
}
