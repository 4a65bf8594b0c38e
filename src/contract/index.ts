/** The table of all endpoints. The service, the client, the tools and the docs are derived from it. */
import * as archetypes from "./archetypes.ts";
import * as batches from "./batches.ts";
import * as bugReports from "./bug-reports.ts";
import * as buildFacts from "./build-facts.ts";
import * as buildList from "./build-list.ts";
import * as buildRegistration from "./build-registration.ts";
import * as builds from "./builds.ts";
import * as crashes from "./crashes.ts";
import { endpointsIn } from "./define.ts";
import * as dropoff from "./dropoff.ts";
import * as eventConfig from "./event-config.ts";
import * as events from "./events.ts";
import * as experiments from "./experiments.ts";
import * as feedback from "./feedback.ts";
import * as forms from "./forms.ts";
import * as funnels from "./funnels.ts";
import * as games from "./games.ts";
import * as gates from "./gates.ts";
import * as handles from "./handles.ts";
import * as heatmaps from "./heatmaps.ts";
import * as ids from "./ids.ts";
import * as insightEvidence from "./insight-evidence.ts";
import * as insights from "./insights.ts";
import * as retention from "./retention.ts";
import * as scorecard from "./scorecard.ts";
import * as sessionEvents from "./session-events.ts";
import * as sessions from "./sessions.ts";
import * as status from "./status.ts";
import * as suggestions from "./suggestions.ts";
import * as telemetry from "./telemetry.ts";
import * as telemetryTail from "./telemetry-tail.ts";
import * as testerLinks from "./tester-links.ts";
import * as testerList from "./tester-list.ts";
import * as testers from "./testers.ts";
import * as trends from "./trends.ts";
import * as webhooks from "./webhooks.ts";

export const endpoints = {
  ...endpointsIn(games),
  ...endpointsIn(sessions),
  ...endpointsIn(sessionEvents),
  ...endpointsIn(ids),
  ...endpointsIn(insights),
  ...endpointsIn(buildList),
  ...endpointsIn(insightEvidence),
  ...endpointsIn(crashes),
  ...endpointsIn(builds),
  ...endpointsIn(buildRegistration),
  ...endpointsIn(gates),
  ...endpointsIn(buildFacts),
  ...endpointsIn(scorecard),
  ...endpointsIn(status),
  ...endpointsIn(dropoff),
  ...endpointsIn(trends),
  ...endpointsIn(suggestions),
  ...endpointsIn(testerList),
  ...endpointsIn(testers),
  ...endpointsIn(archetypes),
  ...endpointsIn(retention),
  ...endpointsIn(heatmaps),
  ...endpointsIn(events),
  ...endpointsIn(funnels),
  ...endpointsIn(forms),
  ...endpointsIn(eventConfig),
  ...endpointsIn(batches),
  ...endpointsIn(handles),
  ...endpointsIn(telemetry),
  ...endpointsIn(telemetryTail),
  ...endpointsIn(feedback),
  ...endpointsIn(bugReports),
  ...endpointsIn(testerLinks),
  ...endpointsIn(webhooks),
  ...endpointsIn(experiments),
};

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
