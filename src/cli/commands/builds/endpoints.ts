/** The endpoints that commands about builds request. */
import * as facts from "../../../contract/build-facts.ts";
import * as buildList from "../../../contract/build-list.ts";
import * as builds from "../../../contract/builds.ts";
import * as insights from "../../../contract/insights.ts";
import * as scorecards from "../../../contract/scorecard.ts";
import * as sessions from "../../../contract/sessions.ts";

/** Those that resolve `latest` and `previous`. */
export const buildEndpoints = { ...builds, ...buildList, ...sessions };

/** Those that compare what the testers of two builds did. */
export const comparisonEndpoints = { ...buildEndpoints, ...facts, ...scorecards, ...insights };
