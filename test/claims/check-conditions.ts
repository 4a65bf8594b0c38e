import type { Claim } from "../../src/contract/claims.ts";
import type { InsightWithClaims } from "../../src/contract/insights.ts";
import type { CheckedSession } from "./sessions.ts";
export function findUnmetConditions(_insight: InsightWithClaims, _claims: readonly Claim[], _session: CheckedSession): string[] { return []; }
