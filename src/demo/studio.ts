/** The settings of the demo studio: forms and answers, event config, chat threads and key batches. */
import type { FormField } from "../contract/forms.ts";
import { EVENTS } from "../shared/event-names.ts";
import { Random } from "./random.ts";

export interface DemoForm {
  readonly name: string;
  readonly triggerHint: string;
  readonly active: boolean;
  readonly fields: readonly FormField[];
}

export const demoForms: readonly [DemoForm, ...DemoForm[]] = [
  {
    name: "After the session",
    triggerHint: "session_end",
    active: true,
    fields: [
      { id: "fun", label: "How much fun was it?", kind: "rating-1-5", required: true },
      { id: "hardest", label: "What was the hardest part?", kind: "short-text" },
      { id: "again", label: "Would you play again?", kind: "yes-no" },
      { id: "more", label: "Anything else?", kind: "long-text" },
    ],
  },
  {
    name: "First impressions",
    triggerHint: "level_completed:dock",
    active: false,
    fields: [{ id: "first", label: "What did you think at first?", kind: "long-text", required: true }],
  },
];

export interface DemoResponse {
  readonly fieldId: string;
  readonly value: string;
}

const praise = [
  "The lantern light is gorgeous, I stayed at the gardens just to look around.",
  "Jumping feels great and tight. Loved it.",
  "Really fun, the music in the observatory is wonderful.",
] as const;
const complaints: Readonly<Record<string, string>> = {
  furnace: "The furnace boss is frustrating, I could not see where the fire comes from.",
  "ash-bridge": "The ash bridge is terrible, I fell so often that it never got fun.",
  gardens: "I got lost in the gardens and hated running in circles.",
  "lantern-stairs": "The stairs are annoying, the jumps are too far.",
};

/** The answers to the first form after a session with these failures by room; null if the tester does not answer. */
export function demoAnswers(
  clientSessionId: string,
  failures: ReadonlyMap<string, number>,
): DemoResponse[] | null {
  const random = new Random(`${clientSessionId}/form`);
  if (!random.chance(0.6)) return null;
  const [hardest, count] = [...failures].sort(([, a], [, b]) => b - a)[0] ?? [null, 0];
  const struggled = hardest !== null && count >= 5;
  const fun = struggled ? random.int(1, 3) : random.int(4, 5);
  const complaint = struggled ? complaints[hardest] : undefined;
  return [
    { fieldId: "fun", value: String(fun) },
    ...(hardest === null ? [] : [{ fieldId: "hardest", value: hardest }]),
    { fieldId: "again", value: fun >= 3 ? "yes" : "no" },
    { fieldId: "more", value: complaint ?? random.pick(praise) },
  ];
}

export const demoEventFlags = [
  { name: "jump", sdkIgnore: true, linkToSummary: false, hideFromAi: true },
  { name: EVENTS.fpsDrop, sdkIgnore: false, linkToSummary: true, hideFromAi: false },
  { name: "dialog_skip", sdkIgnore: false, linkToSummary: false, hideFromAi: true },
] as const;

/** A chat thread about Ember Hollow. */
export interface DemoThread {
  readonly channelId: string;
  /** Absent for messages in the channel itself. */
  readonly threadId?: string;
  readonly title: string;
  /** The text of the messages. */
  readonly notes: string;
  /** Days before the demo time. */
  readonly openedDaysAgo: number;
  /** Further webhook calls, in minutes after the first. Calls within 30 minutes of each other continue the session. */
  readonly laterCallsMin: readonly number[];
}

export const demoThreads: readonly DemoThread[] = [
  {
    channelId: "playtest-feedback",
    threadId: "wave-2-the-furnace",
    title: "Wave 2 talks about the furnace",
    notes:
      "The furnace is really frustrating, I died there a dozen times. Same here, I had no idea where the fire " +
      "comes from. The lantern light in front of it is beautiful though.",
    openedDaysAgo: 5.2,
    laterCallsMin: [12, 38],
  },
  {
    channelId: "playtest-feedback",
    threadId: "wave-2-controls",
    title: "Wave 2 talks about the controls",
    notes: "Jumping feels great now, I loved the stairs. Could the dialogs be skipped with one button?",
    openedDaysAgo: 4.1,
    laterCallsMin: [],
  },
  {
    channelId: "general",
    title: "Questions in the general channel",
    notes: "When does the next wave start? I would love to bring a friend.",
    openedDaysAgo: 3.6,
    laterCallsMin: [],
  },
];

/** A batch of playtest keys. Times are in days before the demo time; negative values are in the future. */
export interface DemoBatch {
  readonly name: string;
  readonly keys: number;
  /** The handles of the testers who redeem a key, in order. */
  readonly redeemers: readonly string[];
  readonly revoked: number;
  readonly invites: readonly {
    readonly email: string;
    readonly note: string | null;
    readonly opened: boolean;
  }[];
  readonly createdDaysAgo: number;
  readonly expiresDaysAgo: number;
  readonly instructions: string;
}

export const demoBatches: readonly DemoBatch[] = [
  {
    name: "Closed beta, wave 2",
    keys: 12,
    redeemers: ["mika_plays", "noor.z", "theo-lag", "priya.plays", "wrenwood"],
    revoked: 1,
    invites: [
      { email: "mika@example.com", note: "Thank you for the notes on the bridge!", opened: true },
      { email: "noor@example.com", note: null, opened: true },
      { email: "zoe@example.com", note: "Would love your eyes on the new boss.", opened: false },
    ],
    createdDaysAgo: 12,
    expiresDaysAgo: -30,
    instructions:
      "# Welcome back\n\nRedeem the key on the store page, then play to **the furnace** if you can.",
  },
  {
    name: "Closed beta, wave 1",
    keys: 6,
    redeemers: ["inesita", "brunofm"],
    revoked: 0,
    invites: [],
    createdDaysAgo: 26,
    expiresDaysAgo: 5,
    instructions: "Redeem the key on the store page.",
  },
];
