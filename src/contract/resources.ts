/** The table of lists. Their datasets and pages are derived from their definitions, in this order. */
import { batches, playtestKeys } from "./batches.ts";
import { bugReports } from "./bug-reports.ts";
import { feedback } from "./feedback.ts";
import { gates } from "./gates.ts";
import { handles } from "./handles.ts";
import type { Resource } from "./resource.ts";

export const resources: readonly Resource[] = [feedback, bugReports, gates, handles, batches, playtestKeys];
