/** A minimal valid response of each endpoint, for scripted services. */
import type { Endpoint } from "../../src/contract/define.ts";
import { endpoints } from "../../src/contract/index.ts";

const GATE = {
  ...{
    id: "gate_1f2e3d4c5b6a79881f2e3d4c",
    state: "open",
    a: "previous",
    b: "0.9.0",
    environment: "production",
  },
  ...{ commit: "0123456789abcdef0123456789abcdef01234567", to: "github", minTesters: 5, testers: 2 },
  ...{ openedAt: 1_772_000_000_000, deadline: 1_772_600_000_000, decidedAt: null, answer: null },
};

export const GAME = {
  id: "game_1",
  userId: "user_1",
  name: "Ember Hollow",
  slug: "ember",
  createdAt: 1_770_000_000_000,
};

export const SESSION = {
  id: "sess_1",
  gameId: "game_1",
  title: "First visit",
  source: "unity-telemetry",
  status: "analyzed",
  recordedAt: 1_772_000_000_000,
  duration: 754,
  testerHandle: "moth",
  metadata: { gameVersion: "0.9.0", platform: "windows" },
};

export const INSIGHT = {
  id: "ins_1",
  sessionId: "sess_1",
  type: "difficulty-spike",
  sentiment: "negative",
  confidence: 0.75,
  createdAt: 1_772_000_100_000,
  tag: "difficulty-spike:furnace",
  title: "Failed 6 times in furnace",
  evidence: "Six deaths: e1 to e6",
};

const STATS = {
  totalWallSec: 754,
  totalActiveSec: 700,
  avgWallSec: 754,
  avgActiveSec: 700,
  medianWallSec: 754,
  medianActiveSec: 700,
  engagementRate: 0.93,
};

const NARRATIVE = { narrative: "Most turned back at the furnace.", generatedAt: 1_772_000_200_000 };

const BUILD = {
  version: "0.9.0",
  testersInBatch: 4,
  sessionCount: 5,
  byTag: [{ tag: "t:x", testersWithTag: 1, testersInBatch: 4, pct: 25, insightCount: 1 }],
};

const ROOM = {
  room: "furnace",
  cellsX: 4,
  cellsY: 3,
  cells: [
    { x: 1, y: 0, intensity: 0.5 },
    { x: 2, y: 2, intensity: 1 },
  ],
  totalEvents: 7,
  bounds: { xMin: -8, xMax: 8, yMin: 0, yMax: 6 },
};

const INTERVAL = { low: 0.1, high: 0.4 };

const VARIANT = {
  key: "control",
  name: "As it is",
  allocation: 50,
  sessionCount: 44,
  playerCount: 40,
  retention: [{ day: 1, eligible: 40, retained: 8, rate: 0.2, interval: INTERVAL }],
  engagementPct: 61.5,
  crashRate: 0.2,
  crashInterval: INTERVAL,
  engagementInterval: { low: 55, high: 68 },
  topFriction: [{ type: "stuck-point", tag: "stuck-point:cave", count: 3 }],
  topPraise: [{ type: "praise", tag: "praise:cave", count: 1 }],
  sampleQuotes: ["I could not see a thing"],
};

const EXPERIMENT = {
  id: "exp_1",
  name: "Caves",
  status: "running",
  variants: [{ key: "control", name: "As it is", allocation: 50 }],
  audienceId: "aud_1",
  audienceName: "Windows",
  winnerVariantKey: "control",
  startedAt: 1_772_000_000_000,
  stoppedAt: 1_772_000_000_001,
};

const SCORECARD_ROW = {
  metric: "quit:furnace",
  name: "quit",
  subject: "furnace",
  room: "furnace",
  family: "quits",
  worse: "more",
  unit: "share",
  decides: true,
  status: "worse",
  reason: null,
  isNewRoom: false,
  isRareInA: true,
  isIntroduced: true,
  restsOnPractice: false,
  a: { total: 20, count: 1, value: 0.05 },
  b: { total: 20, count: 12, value: 0.6 },
  paired: 2,
  difference: 0.55,
  limit: 0.1,
  range: { low: 0.2, high: 0.8 },
  noticed: 7,
  pValue: 0.0002,
  adjustedPValue: 0.004,
};

const EVIDENT_SESSION = {
  ...{ sessionId: "sess_1", sessionTitle: "Ember 0.9.0", testerHandle: null },
  ...{ recordedAt: 1_772_000_000_000, duration: 900 },
};

const COMPARISON = {
  experimentId: "exp_1",
  gameId: "game_1",
  generatedAt: 1_772_000_000_000,
  variants: [VARIANT],
  crossovers: { devices: 1, share: 0.01, warning: false },
  sampleRatio: {
    ...{ chiSquare: 0.2, pValue: 0.65, expected: [40, 40], warning: false },
    sensitivity: { loss: 0.05, power: 0.01, detectableLoss: 0.8 },
  },
  differences: [
    {
      metric: "retention-1",
      role: "primary",
      baseline: "control",
      variant: "bright",
      delta: 0.2,
      interval: INTERVAL,
      significant: true,
      pValue: 0.001,
      adjustedPValue: 0.001,
    },
  ],
  scorecards: [
    {
      ...{ variant: "bright", baseline: "control", level: 0.0028 },
      rows: [{ ...SCORECARD_ROW, id: "quit:cave", title: "Quit in cave" }],
    },
  ],
  verdict: {
    ...{ decision: "ship", variant: "bright", reason: "bright leads, and nothing speaks against it" },
    lead: {
      variant: "bright",
      metric: "retention-1",
      over: "control",
      delta: 0.2,
      interval: INTERVAL,
      early: true,
    },
    guards: [
      {
        ...{ variant: "bright", metric: "crash-rate", margin: 0.02, upperBound: 0.008 },
        ...{ status: "ruled out", safe: true },
      },
    ],
    playersNeeded: [2999, 2999],
    soughtDifference: 0.1,
    rateAssumed: false,
  },
};

const DIGEST = {
  status: "ok",
  confidenceLabel: "high",
  generatedAt: 1_772_000_000_000,
  digest: {
    recommendation: "Ship it.",
    perVariant: [{ key: "control", headline: "40 players" }],
    sharedThemes: ["stuck-point:cave"],
    sentimentShift: "bright feels like control.",
  },
};

/** A page of a list. */
export function createPage<T>(items: readonly T[], total = items.length, hasMore = false) {
  return { items, hasMore, total };
}

const BATCH = {
  id: "ptb_1",
  name: "Closed beta",
  distribution_target: "direct",
  fulfillment_source: "steam",
  redemption_mode: "claim_page",
  identity_mode: "handle",
  share_token: "0123",
  key_count: 3,
  redeemed_count: 1,
  revoked_count: 1,
  expires_at: 1_773_000_000_000,
  created_at: 1_771_000_000_000,
};

const BATCH_REF = { id: "ptb_1", name: "Closed beta" };

const KEY = {
  id: "ptk_1",
  status: "redeemed",
  redeemed_at: 1_772_000_000_000,
  redeemed_by_email: "mika@example.com",
  redeemed_by_handle: "mika_plays",
  redemption_country: "DE",
  redemption_user_agent: "Firefox",
  tester_invite_id: "tvi_1",
  created_at: 1_771_000_000_000,
};

const INVITE = {
  id: "tvi_1",
  email: "mika@example.com",
  personal_note: "Thank you!",
  sent_at: 1_771_000_000_000,
  opened_at: null,
  redeemed_at: 1_772_000_000_000,
};

const HANDLE = {
  id: "pth_1",
  handle: "mika_plays",
  key_id: "ptk_1",
  device_id: "dev_1",
  claimed_at: 1_772_000_000_000,
  session_count: 4,
  total_play_time_ms: 3_600_000,
  last_seen_at: 1_772_000_000_000,
  distinct_countries: 2,
  created_at: 1_771_000_000_000,
};

const FORM = {
  id: "ff_1",
  name: "After the session",
  fields: [{ id: "fun", label: "How much fun was it?", kind: "rating-1-5", required: true }],
  triggerHint: "session_end",
  active: true,
  responseCount: 2,
};

const BUG_REPORT = {
  id: "bug_1",
  sessionId: "sess_1",
  title: "The door does not open",
  description: "I have both keys.",
  severity: "high",
  playerId: null,
  build: "0.9.0",
  environment: "production",
  platform: "windows",
  device: { ram: 16 },
  createdAt: 1_772_000_000_000,
};

const CRASHES = {
  signature: "SIGSEGV: Furnace.Ignite",
  message: "Access violation",
  crashCount: 3,
  sessionCount: 3,
  testerCount: 2,
  builds: [{ build: "0.9.0", crashCount: 3, testerCount: 2 }],
  buildCount: 1,
  firstSeen: 1_771_000_000_000,
  lastSeen: 1_772_000_000_000,
  firstBuild: "0.9.0",
  lastBuild: "0.9.0",
  sessionId: "sess_1",
  eventId: "e7",
};

const SUBMISSION = {
  submissionId: "sub_1",
  formId: "ff_1",
  formName: "After the session",
  submittedAt: 1_772_000_000_000,
  responses: [
    { id: "resp_1", fieldId: "fun", label: "How much fun was it?", kind: "rating-1-5", value: "4" },
  ],
  sessionId: "sess_1",
  build: "0.9.0",
  environment: "production",
  tester: { handle: "moth", deviceId: "dev_1" },
};

const TESTER = {
  tester: "dev_1",
  handle: "moth",
  deviceId: "dev_1",
  sessionCount: 2,
  activeSec: 700,
  firstSeen: 1_771_000_000_000,
  lastSeen: 1_772_000_000_000,
  builds: ["0.9.0", "0.8.0"],
  buildCount: 2,
  friction: [{ tag: "difficulty-spike:furnace", title: "Difficulty spike in furnace", sessions: 2 }],
  frictionCount: 1,
};

const bodies: Readonly<Record<string, unknown>> = {
  listGames: { games: [GAME] },
  getGame: { game: GAME, counts: { sessionCount: 3, buildCount: 2, testerCount: 1 } },
  listSessions: createPage([SESSION]),
  tailTelemetry: {
    items: [
      {
        kind: "event",
        cursor: "MS4xLjE",
        receivedAt: 1_772_000_000_000,
        gameId: "game_1",
        sessionId: "sess_1",
        deviceId: "dev_1",
        environment: "production",
        build: "0.9.0",
        event: { id: "e1", name: "player_death", timestamp: 1_772_000_000_000, data: { room: "furnace" } },
        refusal: null,
      },
      {
        kind: "refusal",
        cursor: "Mi4xLjI",
        receivedAt: 1_772_000_000_500,
        gameId: null,
        sessionId: null,
        deviceId: "dev_1",
        environment: null,
        build: null,
        event: null,
        refusal: { reason: "unknown_game", message: "Not found", status: 404, index: null, name: null },
      },
    ],
    next: "Mi4xLjI",
    missed: 0,
  },
  listWebhooks: {
    webhooks: [
      {
        id: "whk_1",
        host: "hooks.example.com",
        events: ["bug-report"],
        gameId: null,
        pending: 2,
        delivered: 5,
        dropped: 0,
        failingSince: 1_772_000_000_000,
        lastError: "The receiver returned status 500",
      },
    ],
  },
  countRefusals: { since: 1_772_000_000_000, total: 3, reasons: [{ reason: "event_timestamp", count: 2 }] },
  listEventCounts: {
    items: [
      {
        ...{ start: 1_772_000_000_000, build: "0.9.0", environment: "production" },
        ...{ sessionCount: 2, byName: { jump: 3 } },
      },
    ],
    next: null,
  },
  listRawEvents: {
    items: [
      {
        id: "e1",
        name: "player_pos",
        timestamp: 1_772_000_000_000,
        sessionId: "sess_1",
        deviceId: "dev_1",
        testerHandle: null,
        build: "0.9.0",
        environment: "production",
        source: "unity-telemetry",
        room: "furnace",
        x: 1,
        y: 2,
        data: { x: 1, y: 2, room: "furnace" },
        receivedAt: 1_772_000_000_400,
      },
    ],
    next: null,
    unreadable: 0,
    settledUntil: 1_772_000_000_000,
  },
  listSessionEvents: {
    items: [
      {
        id: "e1",
        name: "player_pos",
        timestamp: 1_772_000_000_000,
        offsetMs: 0,
        data: { x: 1, y: 2, room: "furnace" },
        cited: false,
      },
      {
        id: "e2",
        name: "player_death",
        timestamp: 1_772_000_001_500,
        offsetMs: 1500,
        data: { room: "furnace", cause: "lava" },
        cited: true,
      },
      { id: "e3", name: "quit", timestamp: 1_772_000_002_000, offsetMs: 2000, data: null, cited: false },
    ],
    next: null,
    unreadable: 0,
    pruned: null,
  },
  getSession: {
    session: {
      ...SESSION,
      environment: "production",
      deviceId: "dev_1",
      transcript: "Where do I go?\nOh, up there.",
      event_counts: { player_death: 6 },
      summaryState: { level: "furnace" },
      feedback: [
        {
          submissionId: "sub_1",
          formId: "ff_1",
          formName: "After the session",
          submittedAt: 1_772_000_000_000,
          responses: [
            { id: "res_1", fieldId: "fun", label: "How much fun was it?", kind: "rating-1-5", value: "4" },
          ],
        },
      ],
    },
    insights: [INSIGHT],
  },
  findIds: { items: [{ id: "sess_1f2e3d4c5b6a79881f2e3d4c", gameId: "game_1" }], hasMore: false },
  listInsights: createPage([INSIGHT]),
  openGate: { game: GAME, gate: GATE, isNew: true },
  listGates: createPage([
    GATE,
    { ...GATE, state: "failed", decidedAt: 1_772_000_100_000, answer: "GATE FAILED" },
  ]),
  registerBuild: {
    ...{ game: GAME, version: "0.9.0", registeredAt: 1_772_000_000_000 },
    ...{ isNew: true, isHidden: false },
  },
  listBuilds: {
    game: GAME,
    environment: "all",
    items: [
      {
        version: "0.9.0",
        sessionCount: 5,
        testerCount: 4,
        analyzedCount: 5,
        failedCount: 0,
        firstSeen: 1_771_000_000_000,
        lastSeen: 1_772_000_000_000,
        totalWallSec: 600,
        environments: ["production"],
        registeredAt: null,
      },
    ],
    unregistered: 0,
    hasMore: false,
    total: 1,
  },
  getInsight: {
    insight: INSIGHT,
    gameId: GAME.id,
    build: "0.9.0",
    environment: "production",
    recordedAt: 1_772_000_000_000,
    tester: { handle: "moth", deviceId: "dev_1" },
    events: [
      {
        id: "e1",
        name: "player_death",
        timestamp: 1_772_000_001_500,
        offsetMs: 1500,
        data: { room: "furnace", cause: "lava" },
        sessionId: "sess_1",
      },
    ],
    eventCount: 2,
    missingEvents: 1,
    prunedAt: 1_772_000_300_000,
    quotes: [
      {
        id: "resp_1",
        submissionId: "sub_1",
        question: "Anything else?",
        text: "Too dark.",
        createdAt: 1_772_000_000_000,
      },
    ],
  },
  listCrashes: {
    ...createPage([CRASHES]),
    environment: "production",
    crashCount: 3,
    testerCount: 2,
    testersInScope: 9,
    notGrouped: { pruned: 1, damaged: 1, unread: 2 },
  },
  listChanges: { game: GAME, hours: [1_772_000_000_000], hasMore: false, cursor: "MS4yLjA" },
  listFeedback: {
    ...createPage([SUBMISSION]),
    environment: "production",
    ratings: [
      {
        formId: "ff_1",
        formName: "After the session",
        fieldId: "fun",
        label: "How much fun was it?",
        kind: "rating-1-5",
        build: "0.9.0",
        answers: 1,
        testers: 1,
        byValue: { 1: 0, 2: 0, 3: 0, 4: 1, 5: 0 },
        mean: 4,
      },
    ],
    ratedSubmissions: 1,
  },
  getFeedback: { submission: SUBMISSION },
  listTesters: createPage([TESTER]),
  listNeverPlayed: createPage([
    {
      keyId: "ptk_1",
      keyStatus: "redeemed",
      inviteId: "tvi_1",
      batch: { id: "ptb_1", name: "Closed beta" },
      email: "mika@example.com",
      handle: "mika_plays",
      reason: "not-linked",
      sentAt: 1_771_000_000_000,
      openedAt: null,
      redeemedAt: 1_772_000_000_000,
    },
  ]),
  getBugReport: { report: BUG_REPORT },
  getBuild: {
    game: GAME,
    rollup: {
      version: "0.9.0",
      sessionCount: 5,
      uniqueDevices: 4,
      firstSeen: 1_771_000_000_000,
      lastSeen: 1_772_000_000_000,
      stats: STATS,
      sampleCountry: "DE",
    },
    summary: NARRATIVE,
  },
  compareBuilds: {
    game: GAME,
    environment: "production",
    buildA: { ...BUILD, version: "0.8.0" },
    buildB: BUILD,
    diff: {
      changes: [
        {
          kind: "introduced",
          tag: "difficulty-spike:furnace",
          title: "Difficulty spike in furnace",
          deltaPct: 25,
          testersA: 0,
          testersB: 1,
        },
      ],
      totals: { resolved: 0, gotSmaller: 0, carriedOver: 0, gotLarger: 0, introduced: 1 },
    },
  },
  getTester: {
    game: GAME,
    rollup: {
      deviceId: "dev_1",
      sessionCount: 1,
      firstSeen: 1_771_000_000_000,
      lastSeen: 1_772_000_000_000,
      stats: STATS,
      lastBuild: "0.9.0",
      country: "DE",
      region: "Berlin",
      city: "Berlin",
    },
    sessions: [SESSION],
    summary: NARRATIVE,
  },
  getHeatmap: { game: GAME, rooms: [ROOM], eventCount: 7 },
  getEvents: {
    game: GAME,
    sessionCount: 2,
    total: 7,
    byName: { player_death: 6, jump: 1 },
    top: [
      ["player_death", 6],
      ["jump", 1],
    ],
  },
  submitBugReport: { ok: true, bugReportId: "bug_1", routingStatus: "stored_only", idempotent: false },
  listBugReports: createPage([BUG_REPORT]),
  resolveGame: { gameId: "game_1", slug: "ember", name: "Ember" },
  sendTelemetry: { sessionId: "sess_1", accepted: 1, duplicates: 0, rejected: [] },
  listGameExperiments: { game: GAME, experiments: [EXPERIMENT] },
  getExperimentComparison: { comparison: COMPARISON, digest: DIGEST },
  assignExperiments: { experiments: { exp_1: "control" } },
  listGameFeedbackForms: { game: GAME, forms: [FORM] },
  listBatches: { game: { id: "game_1", slug: "ember", name: "Ember Hollow" }, batches: [BATCH] },
  getBatch: { game: GAME, batch: { ...BATCH, instructions: "Redeem it, then play." } },
  listBatchKeys: { batch: BATCH_REF, keys: [KEY] },
  listBatchInvites: { batch: BATCH_REF, invites: [INVITE] },
  getBuildFacts: {
    game: GAME,
    version: "0.9.0",
    environment: "production",
    analysisVersions: [3],
    sessions: { open: 0, analyzed: 1, unanalyzed: 0, failed: 0 },
    fields: [{ field: "form_1/fun", formName: "After", label: "How much fun was it?" }],
    testers: [
      {
        tester: "hash_0123456789abcdef0123456789abcdef",
        isReturning: false,
        observedSec: 86_400,
        sessions: [
          {
            startSec: 0,
            activeSec: 600,
            wallSec: 700,
            analyzed: true,
            crashed: false,
            rooms: [
              {
                room: "furnace",
                afterSec: 60,
                activeSec: 120,
                completed: false,
                quit: true,
                gaveUp: true,
                failed: true,
              },
            ],
            tags: [{ tag: "difficulty-spike:furnace", afterSec: 110.5 }],
            questions: ["fun"],
            answers: [{ field: "form_1/fun", kind: "rating", value: 4 }],
          },
        ],
      },
    ],
    hasMore: false,
    total: 1,
  },
  getStatus: {
    game: GAME,
    environment: "production",
    build: {
      version: "0.9.0",
      testers: 22,
      sessions: 26,
      lastPlayedAt: 1_772_000_000_000,
      medianSec: 754,
      crashes: 1,
      unanalyzed: 0,
      failed: 0,
      outdated: 0,
      outdatedPruned: 0,
    },
    noBuild: null,
    recentSessions: 26,
    verdict: {
      status: "worse",
      answer: "0.9.0 vs 0.8.0: worse in 1 way",
      game: "ember",
      environment: "production",
      a: { version: "0.8.0", testers: 20 },
      b: { version: "0.9.0", testers: 22 },
      changes: [
        {
          id: "quit:furnace",
          title: "Quit in furnace",
          status: "worse",
          found: "1/18 → 12/19",
          change: "+58 pts",
          sessions: [{ sessionId: "sess_1", insightId: null, title: null, activeSec: null }],
        },
      ],
      next: ["gate", "0.8.0", "0.9.0", "--game", "ember"],
    },
    skipped: [],
    fixFirst: [
      {
        id: "quit:furnace",
        title: "Quit in furnace",
        testers: 12,
        outOf: 19,
        who: "entered",
        sessions: [{ sessionId: "sess_1", insightId: null, title: null, activeSec: null }],
      },
    ],
    mostQuit: { room: "furnace", quit: 12, entered: 19 },
    rating: { label: "How much fun was it?", before: 2.6, now: 2.4 },
    completed: { before: 0.88, now: 0.89 },
  },
  getScorecard: {
    game: GAME,
    environment: "production",
    a: {
      version: "0.8.0",
      analysisVersions: [3],
      sessions: { open: 0, analyzed: 20, unanalyzed: 0, failed: 0 },
      anonymousSessions: 0,
      testers: 20,
    },
    b: {
      version: "0.9.0",
      analysisVersions: [3],
      sessions: { open: 1, analyzed: 25, unanalyzed: 0, failed: 0 },
      anonymousSessions: 2,
      testers: 20,
    },
    testers: {
      onlyA: 18,
      onlyB: 18,
      both: 2,
      newTesters: { a: { count: 20, total: 20 }, b: { count: 18, total: 20 } },
      areOthersAlike: true,
      comparesPairsOnly: false,
    },
    families: [
      { metrics: ["quit"], decides: true, level: 0.025, tested: 1, critical: 0.025, criticalOfNew: 0.0125 },
    ],
    rows: [SCORECARD_ROW],
    fields: [{ field: "form_1/fun", formName: "After", label: "How much fun was it?" }],
    testersInBatch: { a: 20, b: 22 },
    changes: [
      {
        kind: "introduced",
        tag: "difficulty-spike:furnace",
        title: "Difficulty spike in furnace",
        deltaPct: 25,
        testersA: 0,
        testersB: 1,
      },
    ],
    evidence: [
      {
        metric: "quit:furnace",
        sessions: [{ ...EVIDENT_SESSION, insightId: null, title: null, activeSec: null }],
      },
      {
        metric: "friction:difficulty-spike:furnace",
        sessions: [
          { ...EVIDENT_SESSION, insightId: "ins_1", title: "Failed 6 times in furnace", activeSec: 61.5 },
        ],
      },
    ],
  },
  getBuildDropoff: {
    game: GAME,
    version: "0.9.0",
    environment: "production",
    sessions: { open: 1, analyzed: 6, unanalyzed: 1, failed: 1 },
    testers: 6,
    hasTimedSessions: false,
    rooms: [
      {
        room: "furnace",
        entered: 6,
        completed: 1,
        quit: 4,
        quitShare: 0.67,
        interval: { low: 0.3, high: 0.9 },
        medianActiveSec: 95,
      },
    ],
  },
  getTrend: {
    game: GAME,
    environment: "production",
    tag: "difficulty-spike:furnace",
    title: "Difficulty spike in furnace",
    metric: null,
    unit: "share",
    points: [
      {
        build: "0.9.0",
        testers: 8,
        sessions: 9,
        counted: 6,
        withTag: 4,
        value: 0.67,
        interval: { low: 0.3, high: 0.9 },
        analysisVersions: [2],
      },
    ],
  },
  getRetention: {
    game: GAME,
    environment: "production",
    cohorts: [
      {
        build: "0.9.0",
        testers: 8,
        days: [{ day: 1, eligible: 4, retained: 1, rate: 0.25, interval: { low: 0.05, high: 0.7 } }],
      },
    ],
    sessionsSkipped: 0,
    withoutDevice: 1,
  },
  getFunnel: {
    game: GAME,
    environment: "production",
    by: "build",
    sessions: { total: 9, withoutEvents: 1, unreadable: 0 },
    testers: { total: 8, skipped: 0 },
    groups: [
      {
        key: "0.9.0",
        testers: 8,
        steps: [
          {
            step: "room:furnace",
            testers: 6,
            lost: 0,
            ofPrevious: 0.75,
            ofPreviousInterval: { low: 0.4, high: 0.93 },
            ofFirst: 1,
            ofFirstInterval: { low: 0.6, high: 1 },
            medianSec: 12,
          },
        ],
      },
    ],
    groupsOmitted: 0,
  },
  getBuildSuggestions: {
    ok: true,
    mode: "compare-diff",
    game: GAME,
    environment: "production",
    a: "0.8.0",
    b: "0.9.0",
    suggestions: [
      { title: "Ease the furnace", rationale: "Most fail there.", evidence: ["ins_1"], confidence: 0.8 },
    ],
    source: "ai",
    emptyInput: false,
  },
  getTesterJourney: {
    journey: {
      tester: { handle: "moth", deviceId: "dev_1", identityLabel: "moth" },
      game: { id: "game_1", slug: "ember", name: "Ember Hollow" },
      totalSessions: 1,
      totalActiveSec: 700,
      engagementTrend: "rising",
      entries: [
        {
          session: SESSION,
          insights: [INSIGHT],
          topFriction: [
            {
              type: "difficulty-spike",
              tag: "difficulty-spike:furnace",
              title: "Difficulty spike in furnace",
              count: 1,
            },
          ],
          topPraise: [{ type: "praise", tag: "praise:cave", title: "Praise in cave", count: 1 }],
        },
      ],
      summary: "moth plays longer each time.",
    },
  },
  getTesterArchetypes: {
    archetypes: [
      {
        id: "arc_1",
        label: "Gives up at the furnace",
        testerCount: 3,
        commonFrictionTags: ["difficulty-spike:furnace"],
        commonFrictionTitles: ["Difficulty spike in furnace"],
        avgSessionCount: 2.5,
        avgActivePlayMinutes: 41.2,
        representativeTesters: [{ handle: "moth", summary: "Fails at the furnace and leaves." }],
      },
    ],
    testerCount: 6,
    modelId: "vectors",
    reason: "insufficient_data",
  },
  ingestDiscordThread: { sessionsCreated: 1, messagesIngested: 0 },
  listHandles: { game: GAME, handles: [HANDLE] },
};

/** Returns bodies that throw Error for an endpoint without a response, and say where to add it. Endpoints for games need none. */
export function requireResponses(all: typeof bodies): typeof bodies {
  const required = Object.values(endpoints as Record<string, Endpoint>).filter(
    ({ keys }) => !keys.includes("ingest"),
  );
  const names = new Set<PropertyKey>(required.map(({ name }) => name));
  return new Proxy(all, {
    get(target, name) {
      if (!names.has(name) || name in target) return Reflect.get(target, name);
      const file = "test/client/response-fixtures.ts";
      throw new Error(`No response of ${String(name)}. Add a minimal valid one to \`bodies\` in ${file}.`);
    },
  });
}

/** Responses by the name of the endpoint. */
export const responseBodies = requireResponses(bodies);

/** The URL patterns of all GET endpoints, the most specific first. */
const patterns = Object.values(endpoints)
  .filter(({ method }) => method === "GET")
  .map(({ name, path }) => ({
    name,
    parameters: path.split("{").length,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/?]*")}(\\?|$)`),
  }))
  .sort((a, b) => a.parameters - b.parameters);

/** The name of the GET endpoint of a URL or path. Throws RangeError if there is none. */
export function findEndpoint(url: string): string {
  const path = url.replace(/^https?:\/\/[^/]*/, "");
  const endpoint = patterns.find(({ pattern }) => pattern.test(path));
  if (!endpoint) throw new RangeError(`No GET endpoint matches ${url}`);
  return endpoint.name;
}
