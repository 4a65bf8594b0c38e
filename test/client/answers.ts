/** The least that each endpoint's answer must hold, for scripted services; every text in it can be chosen. */
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

/** A page of one list. */
export function pageOf<T>(items: readonly T[], total = items.length, hasMore = false) {
  return { items, hasMore, total };
}

/** A whole answer by the endpoint's name. */
export const answers: Readonly<Record<string, unknown>> = {
  listGames: { games: [GAME] },
  getGame: { game: GAME, counts: { sessionCount: 3, buildCount: 2, testerCount: 1 } },
  listSessions: pageOf([SESSION]),
  getSession: {
    session: {
      ...SESSION,
      environment: "production",
      deviceId: "dev_1",
      transcript: null,
      event_counts: { player_death: 6 },
      summaryState: { level: "furnace" },
      feedback: [],
    },
    insights: [INSIGHT],
  },
  listInsights: pageOf([INSIGHT]),
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
        { kind: "introduced", tag: "difficulty-spike:furnace", deltaPct: 25, testersA: 0, testersB: 1 },
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
  sendTelemetry: { sessionId: "sess_1", accepted: 1, duplicates: 0, rejected: [] },
};
