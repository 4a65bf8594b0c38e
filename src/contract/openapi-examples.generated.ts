/** Made by `npm run generate`: what the demo studio answers, for the OpenAPI document. */
export const examples: Readonly<Record<string, unknown>> = {
  "listGames": {
    "games": [
      {
        "id": "game_2658008879e386337a2a1b41",
        "userId": "user_000000000000000000000000",
        "name": "Tidepool",
        "slug": "tidepool",
        "createdAt": 1769774400000
      },
      {
        "id": "game_5762ce37266d4a3636a78e98",
        "userId": "user_000000000000000000000000",
        "name": "Ember Hollow",
        "slug": "ember",
        "createdAt": 1768478400000
      }
    ]
  },
  "getGame": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "counts": {
      "sessionCount": 363,
      "buildCount": 4,
      "testerCount": 179
    }
  },
  "listSessions": {
    "items": [
      {
        "id": "sess_bd9a23393d7c44727dcf3b89",
        "gameId": "game_5762ce37266d4a3636a78e98",
        "title": "Ember Hollow 0.9.0, from observatory",
        "source": "unity-telemetry",
        "status": "pending",
        "recordedAt": 1772366071680,
        "duration": 180,
        "testerHandle": "wrenwood",
        "metadata": {
          "gameVersion": "0.9.0",
          "platform": "windows",
          "engineVersion": "6000.0.32f1"
        },
        "receivedAt": 1772366305326,
        "clockCorrected": false
      },
      {
        "id": "sess_5b160ce06b149534b3d3d5f7",
        "gameId": "game_5762ce37266d4a3636a78e98",
        "title": "Ember Hollow 0.9.0, from furnace",
        "source": "unity-telemetry",
        "status": "analyzed",
        "recordedAt": 1772331840000,
        "duration": 256,
        "testerHandle": "theo-lag",
        "metadata": {
          "gameVersion": "0.9.0",
          "platform": "windows",
          "engineVersion": "6000.0.32f1"
        },
        "receivedAt": 1772332095865,
        "clockCorrected": false
      }
    ],
    "hasMore": true,
    "total": 363
  },
  "getSession": {
    "session": {
      "id": "sess_5b160ce06b149534b3d3d5f7",
      "gameId": "game_5762ce37266d4a3636a78e98",
      "title": "Ember Hollow 0.9.0, from furnace",
      "source": "unity-telemetry",
      "status": "analyzed",
      "recordedAt": 1772331840000,
      "duration": 256,
      "testerHandle": "theo-lag",
      "metadata": {
        "gameVersion": "0.9.0",
        "platform": "windows",
        "engineVersion": "6000.0.32f1"
      },
      "receivedAt": 1772332095865,
      "clockCorrected": false,
      "environment": "production",
      "deviceId": "dev_53dccdb3c435",
      "transcript": null,
      "event_counts": {
        "room_enter": 1,
        "player_pos": 160
      },
      "summaryState": {
        "wallSec": 256,
        "activeSec": 256,
        "room": "furnace",
        "deaths": 2,
        "roomsCompleted": 1
      },
      "feedback": [
        {
          "submissionId": "sub_cc0860c58be29f0c5ee32a65",
          "formId": "ff_73a297f2fe5a7cd9d7d0ab7c",
          "formName": "After the session",
          "submittedAt": 1772332095865,
          "responses": [
            {
              "id": "resp_5af523bff382103c05c6a988",
              "fieldId": "fun",
              "label": "How much fun was it?",
              "kind": "rating-1-5",
              "value": "4"
            },
            {
              "id": "resp_2ebeed6261354689210054c0",
              "fieldId": "hardest",
              "label": "What was the hardest part?",
              "kind": "short-text",
              "value": "furnace"
            }
          ]
        }
      ]
    },
    "insights": [
      {
        "id": "ins_029dc5ced527b1dfccadbd68",
        "sessionId": "sess_5b160ce06b149534b3d3d5f7",
        "type": "praise",
        "sentiment": "positive",
        "confidence": 0.6,
        "createdAt": 1772366400000,
        "tag": "praise:feedback-more",
        "title": "“Really fun, the music in the observatory is wonderful.”",
        "evidence": "“Really fun, the music in the observatory is wonderful.” to “Anything else?” (positive by the lexicon): response resp_70fad37728176775e0020056"
      },
      {
        "id": "ins_79b98227f163077cc7030206",
        "sessionId": "sess_5b160ce06b149534b3d3d5f7",
        "type": "session-summary",
        "sentiment": "neutral",
        "confidence": 1,
        "createdAt": 1772366400000,
        "tag": "session-summary:session",
        "title": "4m 16s of play in 1 room: 1 success, 2 failures (all in furnace); ended with a success in furnace",
        "evidence": "4m 16s active of 4m 16s in 1 room, 214 events: 1 success, 2 failures (all in furnace); ended with a success in furnace"
      }
    ]
  },
  "listInsights": {
    "items": [
      {
        "id": "ins_0027f07e5a515db82bb50838",
        "sessionId": "sess_05bc218729539e38d6a88018",
        "type": "session-summary",
        "sentiment": "negative",
        "confidence": 1,
        "createdAt": 1772366400000,
        "tag": "session-summary:session",
        "title": "17m 48s of play in 6 rooms: 5 successes, 10 failures (7 in furnace); ended in furnace"
      },
      {
        "id": "ins_0062108e6c3fd11eedc64bc4",
        "sessionId": "sess_d76b4c4bb4798eadc9d31457",
        "type": "session-summary",
        "sentiment": "neutral",
        "confidence": 1,
        "createdAt": 1772366400000,
        "tag": "session-summary:session",
        "title": "3m 23s of play in 2 rooms: 2 successes, 0 failures; ended with a success in ash-bridge"
      }
    ],
    "hasMore": true,
    "total": 584
  },
  "getBuild": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "rollup": {
      "version": "0.9.0",
      "sessionCount": 34,
      "uniqueDevices": 23,
      "firstSeen": 1771466112000,
      "lastSeen": 1772366071680,
      "stats": {
        "totalWallSec": 25555,
        "totalActiveSec": 24819,
        "avgWallSec": 751.6176470588235,
        "avgActiveSec": 729.9705882352941,
        "medianWallSec": 758.5,
        "medianActiveSec": 758.5,
        "engagementRate": 0.9711993738994326
      },
      "sampleCountry": "US"
    },
    "summary": {
      "narrative": "22 testers in 30 sessions with 6h 38m of active play. Most friction: unhappy answers to “How much fun was it?” (12 testers), puzzled answers to “Anything else?” (11 testers), repeated failures in furnace (11 testers), bugs around observatory (5 testers) and repeated failures in lantern-stairs (5 testers). Went well: happy answers to “How much fun was it?” (5 testers) and happy answers to “Anything else?” (4 testers).",
      "generatedAt": 1772366400000
    }
  },
  "compareBuilds": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "environment": "production",
    "buildA": {
      "version": "0.8.0",
      "testersInBatch": 20,
      "sessionCount": 28,
      "byTag": [
        {
          "tag": "bug-report:frame-rate-ash-bridge",
          "testersWithTag": 1,
          "testersInBatch": 20,
          "pct": 5,
          "insightCount": 1
        },
        {
          "tag": "bug-report:gardens",
          "testersWithTag": 1,
          "testersInBatch": 20,
          "pct": 5,
          "insightCount": 1
        }
      ]
    },
    "buildB": {
      "version": "0.9.0",
      "testersInBatch": 22,
      "sessionCount": 30,
      "byTag": [
        {
          "tag": "bug-report:frame-rate-ash-bridge",
          "testersWithTag": 4,
          "testersInBatch": 22,
          "pct": 18.181818181818183,
          "insightCount": 4
        },
        {
          "tag": "bug-report:furnace",
          "testersWithTag": 1,
          "testersInBatch": 22,
          "pct": 4.545454545454546,
          "insightCount": 1
        }
      ]
    },
    "diff": {
      "changes": [
        {
          "kind": "resolved",
          "tag": "difficulty-spike:ash-bridge",
          "deltaPct": -50,
          "testersA": 10,
          "testersB": 0
        },
        {
          "kind": "introduced",
          "tag": "difficulty-spike:furnace",
          "deltaPct": 50,
          "testersA": 0,
          "testersB": 11
        }
      ],
      "totals": {
        "resolved": 4,
        "gotSmaller": 1,
        "carriedOver": 4,
        "gotLarger": 3,
        "introduced": 4
      }
    }
  },
  "getBuildSuggestions": {
    "ok": true,
    "mode": "compare-diff",
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "environment": "production",
    "a": "0.8.0",
    "b": "0.9.0",
    "suggestions": [
      {
        "title": "Look into the unhappy answers to “How much fun was it?”",
        "rationale": "Seen with 12 of 22 testers: unhappy answers to “How much fun was it?” For example: Rated 1 of 5 for “How much fun was it?”",
        "evidence": [
          "ins_0684e9190cf7f339d2e57fd0",
          "ins_095aca87f102d55be3c981e9",
          "ins_0eaafa8bcb20bfcdfb8cf27d",
          "ins_20d272295fb9c95c49c8dcec",
          "ins_5f2237694b4502476a94a57c"
        ],
        "confidence": 0.7
      },
      {
        "title": "Clear up the puzzled answers to “Anything else?”",
        "rationale": "Seen with 11 of 22 testers: puzzled answers to “Anything else?” For example: “The furnace boss is frustrating, I could not see where the fire comes from.”",
        "evidence": [
          "ins_114c7c0742154fe5bb277170",
          "ins_30c6f6ab0a5226790e84495d",
          "ins_53e1545c73b62e582751a00c",
          "ins_57edc9bf526b91e7a60b8d53",
          "ins_585ceae1619fa5c3a5cb6154"
        ],
        "confidence": 0.45
      }
    ],
    "source": "fallback",
    "emptyInput": false
  },
  "getTester": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "rollup": {
      "deviceId": "dev_53dccdb3c435",
      "sessionCount": 4,
      "firstSeen": 1770766272000,
      "lastSeen": 1772331840000,
      "stats": {
        "totalWallSec": 2910,
        "totalActiveSec": 2610,
        "avgWallSec": 727.5,
        "avgActiveSec": 652.5,
        "medianWallSec": 509,
        "medianActiveSec": 498.5,
        "engagementRate": 0.8969072164948454
      },
      "lastBuild": "0.9.0",
      "country": "VN",
      "region": null,
      "city": "Lyon"
    },
    "sessions": [
      {
        "id": "sess_5b160ce06b149534b3d3d5f7",
        "gameId": "game_5762ce37266d4a3636a78e98",
        "title": "Ember Hollow 0.9.0, from furnace",
        "source": "unity-telemetry",
        "status": "analyzed",
        "recordedAt": 1772331840000,
        "duration": 256,
        "testerHandle": "theo-lag",
        "metadata": {
          "gameVersion": "0.9.0",
          "platform": "windows",
          "engineVersion": "6000.0.32f1"
        },
        "receivedAt": 1772332095865,
        "clockCorrected": false
      },
      {
        "id": "sess_383bb6eb1011780fbaaa901e",
        "gameId": "game_5762ce37266d4a3636a78e98",
        "title": "Ember Hollow 0.9.0, from dock",
        "source": "unity-telemetry",
        "status": "analyzed",
        "recordedAt": 1771511904000,
        "duration": 1636,
        "testerHandle": "theo-lag",
        "metadata": {
          "gameVersion": "0.9.0",
          "platform": "windows",
          "engineVersion": "6000.0.32f1"
        },
        "receivedAt": 1771513164000,
        "clockCorrected": false
      }
    ],
    "summary": {
      "narrative": "4 sessions with 43m 30s of active play from build 0.8.0 to 0.9.0. Most friction: bugs around gardens (once), puzzled answers to “Anything else?” (once), repeated failures in furnace (once), unhappy answers to “How much fun was it?” (once) and long idle times in observatory (once). Went well: happy answers to “How much fun was it?” (once) and happy answers to “Anything else?” (once).",
      "generatedAt": 1772366400000
    }
  },
  "getTesterJourney": {
    "journey": {
      "tester": {
        "handle": "theo-lag",
        "deviceId": "dev_53dccdb3c435",
        "identityLabel": "theo-lag"
      },
      "totalSessions": 4,
      "totalActiveSec": 2610,
      "engagementTrend": "flat",
      "entries": [
        {
          "session": {
            "id": "sess_efd65fc09a78bdd8b5d51b5e",
            "gameId": "game_5762ce37266d4a3636a78e98",
            "title": "Ember Hollow 0.8.0, from dock",
            "source": "unity-telemetry",
            "status": "analyzed",
            "recordedAt": 1770766272000,
            "duration": 420,
            "testerHandle": "theo-lag",
            "metadata": {
              "gameVersion": "0.8.0",
              "platform": "windows",
              "engineVersion": "6000.0.28f1"
            },
            "receivedAt": 1770766714107,
            "clockCorrected": false
          },
          "insights": [
            {
              "id": "ins_157ceb4a3dc944b39d370f23",
              "sessionId": "sess_efd65fc09a78bdd8b5d51b5e",
              "type": "bug-report",
              "sentiment": "negative",
              "confidence": 0.9,
              "createdAt": 1772366400000,
              "tag": "bug-report:gardens",
              "title": "1 crash in gardens",
              "evidence": "1 crash in gardens (threshold 1): event 348"
            },
            {
              "id": "ins_c2b46e96877aa95bc07302ba",
              "sessionId": "sess_efd65fc09a78bdd8b5d51b5e",
              "type": "session-summary",
              "sentiment": "negative",
              "confidence": 1,
              "createdAt": 1772366400000,
              "tag": "session-summary:session",
              "title": "6m 39s of play in 3 rooms: 2 successes, 2 failures (1 in lantern-stairs); ended with a crash in gardens",
              "evidence": "6m 39s active of 7m in 3 rooms, 348 events: 2 successes, 2 failures (1 in lantern-stairs); ended with a crash in gardens"
            }
          ],
          "topFriction": [
            {
              "type": "bug-report",
              "tag": "bug-report:gardens",
              "count": 1
            }
          ],
          "topPraise": []
        },
        {
          "session": {
            "id": "sess_e714b2754a68cac8f1f3c543",
            "gameId": "game_5762ce37266d4a3636a78e98",
            "title": "Ember Hollow 0.8.0, from gardens",
            "source": "unity-telemetry",
            "status": "analyzed",
            "recordedAt": 1770816384000,
            "duration": 598,
            "testerHandle": "theo-lag",
            "metadata": {
              "gameVersion": "0.8.0",
              "platform": "windows",
              "engineVersion": "6000.0.28f1"
            },
            "receivedAt": 1770816981923,
            "clockCorrected": false
          },
          "insights": [
            {
              "id": "ins_c18af884dc3ff17ff68ba543",
              "sessionId": "sess_e714b2754a68cac8f1f3c543",
              "type": "session-summary",
              "sentiment": "neutral",
              "confidence": 1,
              "createdAt": 1772366400000,
              "tag": "session-summary:session",
              "title": "9m 58s of play in 3 rooms: 3 successes, 2 failures (all in ash-bridge); ended with a success in observatory",
              "evidence": "9m 58s active of 9m 58s in 3 rooms, 488 events: 3 successes, 2 failures (all in ash-bridge); ended with a success in observatory"
            }
          ],
          "topFriction": [],
          "topPraise": []
        }
      ],
      "summary": "theo-lag played 4 sessions over 18 days from build 0.8.0 to 0.9.0, with 43m 30s of active play; play time is steady. Most friction: bugs around gardens (once). Went best: happy answers to “How much fun was it?” (once).",
      "game": {
        "id": "game_5762ce37266d4a3636a78e98",
        "slug": "ember",
        "name": "Ember Hollow"
      }
    }
  },
  "getTesterArchetypes": {
    "archetypes": [
      {
        "id": "arch_d5345085cc7a",
        "label": "Plays without common friction",
        "testerCount": 81,
        "commonFrictionTags": [],
        "avgSessionCount": 1.9876543209876543,
        "avgActivePlayMinutes": 10.357407407407408,
        "representativeTesters": [
          {
            "handle": "dev_040fc1131a0b",
            "summary": "3 sessions with 11m 55s of active play on build 0.7.5. Nothing stood out."
          },
          {
            "handle": "dev_0aa4fc946052",
            "summary": "2 sessions with 14m 17s of active play on build 0.7.5. Nothing stood out."
          }
        ]
      },
      {
        "id": "arch_5bdee8ccecc3",
        "label": "Gives up or leaves in ash-bridge",
        "testerCount": 70,
        "commonFrictionTags": [
          "negative-moment:ash-bridge",
          "difficulty-spike:ash-bridge"
        ],
        "avgSessionCount": 1.9714285714285715,
        "avgActivePlayMinutes": 13.007857142857143,
        "representativeTesters": [
          {
            "handle": "dev_0811cd0e1525",
            "summary": "2 sessions with 12m 36s of active play on build 0.7.5. Most friction: giving up or leaving in ash-bridge (once)."
          },
          {
            "handle": "dev_0c4f9b65546a",
            "summary": "3 sessions with 12m 37s of active play on build 0.7.5. Most friction: giving up or leaving in ash-bridge (once)."
          }
        ]
      }
    ],
    "testerCount": 178,
    "modelId": "builtin:words"
  },
  "getHeatmap": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "rooms": [
      {
        "room": "gardens",
        "cellsX": 32,
        "cellsY": 18,
        "cells": [
          {
            "x": 0,
            "y": 0,
            "intensity": 0.32936405419833215
          },
          {
            "x": 1,
            "y": 0,
            "intensity": 0.5756854494524539
          }
        ],
        "totalEvents": 6827,
        "bounds": {
          "xMin": -57.98443336919881,
          "xMax": 57.073980619851504,
          "yMin": -39.03361830478237,
          "yMax": 41.53323926660829
        }
      },
      {
        "room": "ash-bridge",
        "cellsX": 32,
        "cellsY": 18,
        "cells": [
          {
            "x": 6,
            "y": 0,
            "intensity": 0.10802183261548809
          },
          {
            "x": 7,
            "y": 0,
            "intensity": 0.6096596886377317
          }
        ],
        "totalEvents": 6412,
        "bounds": {
          "xMin": 3.894814834849599,
          "xMax": 156.77577211233782,
          "yMin": -13.986823479908828,
          "yMax": 13.983174023233975
        }
      }
    ],
    "eventCount": 27852
  },
  "getEvents": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "sessionCount": 363,
    "total": 39528,
    "byName": {
      "player_pos": 27852,
      "jump": 5452
    },
    "top": [
      [
        "player_pos",
        27852
      ],
      [
        "jump",
        5452
      ]
    ]
  },
  "listGameFeedbackForms": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "forms": [
      {
        "id": "ff_73a297f2fe5a7cd9d7d0ab7c",
        "name": "After the session",
        "fields": [
          {
            "id": "fun",
            "label": "How much fun was it?",
            "kind": "rating-1-5",
            "required": true
          },
          {
            "id": "hardest",
            "label": "What was the hardest part?",
            "kind": "short-text"
          }
        ],
        "triggerHint": "session_end",
        "active": true,
        "responseCount": 39
      },
      {
        "id": "ff_c650d1a7ca219b0b73b84fda",
        "name": "First impressions",
        "fields": [
          {
            "id": "first",
            "label": "What did you think at first?",
            "kind": "long-text",
            "required": true
          }
        ],
        "triggerHint": "level_completed:dock",
        "active": false,
        "responseCount": 0
      }
    ]
  },
  "getEventConfig": {
    "events": {
      "dialog_skip": {
        "sdkIgnore": false,
        "linkToSummary": false,
        "hideFromAi": true
      },
      "fps_drop": {
        "sdkIgnore": false,
        "linkToSummary": true,
        "hideFromAi": false
      },
      "jump": {
        "sdkIgnore": true,
        "linkToSummary": false,
        "hideFromAi": true
      }
    }
  },
  "listBatches": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "slug": "ember",
      "name": "Ember Hollow"
    },
    "batches": [
      {
        "id": "ptb_d25b3f0b802b1088344295a3",
        "name": "Closed beta, wave 2",
        "distribution_target": "direct",
        "fulfillment_source": "steam",
        "redemption_mode": "claim_page",
        "identity_mode": "handle",
        "share_token": null,
        "key_count": 12,
        "redeemed_count": 5,
        "revoked_count": 1,
        "expires_at": 1774958400000,
        "created_at": 1771329600000
      },
      {
        "id": "ptb_93c5146dc7d5c3cea94bbe1e",
        "name": "Closed beta, wave 1",
        "distribution_target": "direct",
        "fulfillment_source": "steam",
        "redemption_mode": "claim_page",
        "identity_mode": "handle",
        "share_token": "share_8bd2283b32c25c67e0131962",
        "key_count": 6,
        "redeemed_count": 2,
        "revoked_count": 0,
        "expires_at": 1771934400000,
        "created_at": 1770120000000
      }
    ]
  },
  "getBatch": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "batch": {
      "id": "ptb_d25b3f0b802b1088344295a3",
      "name": "Closed beta, wave 2",
      "distribution_target": "direct",
      "fulfillment_source": "steam",
      "redemption_mode": "claim_page",
      "identity_mode": "handle",
      "share_token": null,
      "key_count": 12,
      "redeemed_count": 5,
      "revoked_count": 1,
      "expires_at": 1774958400000,
      "created_at": 1771329600000,
      "instructions": "# Welcome back\n\nRedeem the key on the store page, then play to **the furnace** if you can."
    }
  },
  "listBatchKeys": {
    "batch": {
      "id": "ptb_d25b3f0b802b1088344295a3",
      "name": "Closed beta, wave 2"
    },
    "keys": [
      {
        "id": "ptk_23e1b77d8831a21cd6a2fd5c",
        "status": "reserved",
        "redeemed_at": null,
        "redeemed_by_email": null,
        "redeemed_by_handle": null,
        "redemption_country": null,
        "redemption_user_agent": null,
        "tester_invite_id": "tvi_32b8445255e8977bace5c548",
        "created_at": 1771329600000
      },
      {
        "id": "ptk_44f4e3a14efc7599a880f2a6",
        "status": "revoked",
        "redeemed_at": null,
        "redeemed_by_email": null,
        "redeemed_by_handle": null,
        "redemption_country": null,
        "redemption_user_agent": null,
        "tester_invite_id": "tvi_175c401150b88d984cf9aaac",
        "created_at": 1771329600000
      }
    ]
  },
  "listBatchInvites": {
    "batch": {
      "id": "ptb_d25b3f0b802b1088344295a3",
      "name": "Closed beta, wave 2"
    },
    "invites": [
      {
        "id": "tvi_09311410323e7bb075cb8da4",
        "email": "zoe@example.com",
        "personal_note": "Would love your eyes on the new boss.",
        "sent_at": 1771329600000,
        "opened_at": null,
        "redeemed_at": 1771329600000
      },
      {
        "id": "tvi_175c401150b88d984cf9aaac",
        "email": "noor@example.com",
        "personal_note": null,
        "sent_at": 1771329600000,
        "opened_at": 1771333200000,
        "redeemed_at": null
      }
    ]
  },
  "listHandles": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "handles": [
      {
        "id": "pth_8e3948a96e93a45effc4b0fb",
        "handle": "wrenwood",
        "key_id": "ptk_6f4b7a216250462275acf9a6",
        "device_id": "dev_53810842d4af",
        "claimed_at": 1771329600000,
        "session_count": 3,
        "total_play_time_ms": 1710000,
        "last_seen_at": 1772366071680,
        "distinct_countries": 1,
        "created_at": 1771329600000
      },
      {
        "id": "pth_2bd661117b9fc9d8e29d2e19",
        "handle": "theo-lag",
        "key_id": "ptk_9405dbaf333c556598219bfe",
        "device_id": "dev_53dccdb3c435",
        "claimed_at": 1771329600000,
        "session_count": 4,
        "total_play_time_ms": 2910000,
        "last_seen_at": 1772331840000,
        "distinct_countries": 4,
        "created_at": 1771329600000
      }
    ]
  },
  "listGameExperiments": {
    "game": {
      "id": "game_5762ce37266d4a3636a78e98",
      "userId": "user_000000000000000000000000",
      "name": "Ember Hollow",
      "slug": "ember",
      "createdAt": 1768478400000
    },
    "experiments": [
      {
        "id": "exp_17ccdf89c49f06309d382338",
        "name": "Shorter bridge",
        "status": "draft",
        "variants": [
          {
            "key": "usual",
            "name": "As before",
            "allocation": 50
          },
          {
            "key": "short",
            "name": "Half as long",
            "allocation": 50
          }
        ],
        "audienceId": null,
        "audienceName": null,
        "winnerVariantKey": null,
        "startedAt": null,
        "stoppedAt": null
      },
      {
        "id": "exp_4d5d4f510bf31a9ad09dc014",
        "name": "Larger text on handhelds",
        "status": "stopped",
        "variants": [
          {
            "key": "usual",
            "name": "As before",
            "allocation": 50
          },
          {
            "key": "large",
            "name": "Larger text",
            "allocation": 50
          }
        ],
        "audienceId": "aud_be92267fc07f6d58dc44cf96",
        "audienceName": "Handhelds",
        "winnerVariantKey": "large",
        "startedAt": 1768564800000,
        "stoppedAt": 1769428800000
      }
    ]
  },
  "getExperimentComparison": {
    "comparison": {
      "experimentId": "exp_17ccdf89c49f06309d382338",
      "gameId": "game_5762ce37266d4a3636a78e98",
      "generatedAt": 1772366400000,
      "variants": [
        {
          "key": "usual",
          "name": "As before",
          "allocation": 50,
          "sessionCount": 0,
          "playerCount": 0,
          "retention": [
            {
              "day": 1,
              "eligible": 0,
              "retained": 0,
              "rate": 0,
              "interval": {
                "low": 0,
                "high": 1
              }
            },
            {
              "day": 2,
              "eligible": 0,
              "retained": 0,
              "rate": 0,
              "interval": {
                "low": 0,
                "high": 1
              }
            }
          ],
          "engagementPct": 0,
          "crashRate": 0,
          "crashInterval": {
            "low": 0,
            "high": 1
          },
          "topFriction": [],
          "topPraise": [],
          "sampleQuotes": []
        },
        {
          "key": "short",
          "name": "Half as long",
          "allocation": 50,
          "sessionCount": 0,
          "playerCount": 0,
          "retention": [
            {
              "day": 1,
              "eligible": 0,
              "retained": 0,
              "rate": 0,
              "interval": {
                "low": 0,
                "high": 1
              }
            },
            {
              "day": 2,
              "eligible": 0,
              "retained": 0,
              "rate": 0,
              "interval": {
                "low": 0,
                "high": 1
              }
            }
          ],
          "engagementPct": 0,
          "crashRate": 0,
          "crashInterval": {
            "low": 0,
            "high": 1
          },
          "topFriction": [],
          "topPraise": [],
          "sampleQuotes": []
        }
      ],
      "crossovers": {
        "devices": 0,
        "share": 0,
        "warning": false
      },
      "sampleRatio": null,
      "differences": [
        {
          "metric": "retention-1",
          "baseline": "usual",
          "variant": "short",
          "delta": 0,
          "interval": null,
          "significant": false
        },
        {
          "metric": "retention-2",
          "baseline": "usual",
          "variant": "short",
          "delta": 0,
          "interval": null,
          "significant": false
        }
      ],
      "leader": null
    },
    "digest": null
  }
};
