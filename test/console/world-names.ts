/** The names of a world as the parameters of pages. */
import type { World } from "../server/sample-requests.ts";
import type { Names } from "./addresses.ts";

export const toNames = (world: World): Names => ({
  game: world.slug,
  build: world.later,
  before: world.version,
  tester: world.deviceId,
  session: world.sessionId,
  insight: world.insightId,
  experiment: world.experimentId,
  submission: world.submissionId,
  bugReport: world.bugReportId,
  form: world.formId,
  batch: world.batchId,
  room: "cellar",
  event: "death",
  tag: "difficulty-spike:cellar",
  cursor: "none",
});
