/** What the testers of a build did: the facts from which every figure of a scorecard is computed. */
import type { FrameHistogram } from "../shared/frame-times.ts";

/** What a session did in one room. */
export interface RoomFacts {
  /** The room as it appears in tags. */
  readonly room: string;
  /** Active time of the session when it first entered the room, in seconds. */
  readonly afterSec: number;
  /** Active time in the room, in seconds. */
  readonly activeSec: number;
  /** Whether the last visit to the room ended with its completion. */
  readonly completed: boolean;
  /** Whether the session ended in the room without completing it. */
  readonly quit: boolean;
  /** Whether a giving-up event ended the session in the room. */
  readonly gaveUp: boolean;
  /** Whether the session failed in the room. */
  readonly failed: boolean;
}

export interface TagFacts {
  readonly tag: string;
  /** Active time of the session when the friction had shown, in seconds; null if it is not known. */
  readonly afterSec: number | null;
}

/** An answer that is a number: the points of a rating, or 1 for yes and 0 for no. */
export interface AnswerFacts {
  /** The form and the field, such as `survey/fun`. */
  readonly field: string;
  /** `rating`, `yes-no`, or what a newer service reports. */
  readonly kind: string;
  readonly value: number;
}

/** The performance of the game in one room. */
export interface RoomPerformance {
  /** Null for what was sent without a room. */
  readonly room: string | null;
  readonly frames: FrameHistogram;
  /** The most memory that was used. */
  readonly memoryMb: number | null;
  /** The mean time that the room took to load. */
  readonly loadMs: number | null;
}

export interface SessionFacts {
  /** When the session started, in seconds after the first session of the tester in the build. */
  readonly startSec: number;
  readonly activeSec: number;
  readonly wallSec: number;
  /** Whether the session has an analysis. Without one, it has no tags, and whether it has friction is not known. */
  readonly analyzed: boolean;
  readonly crashed: boolean;
  readonly rooms: readonly RoomFacts[];
  readonly tags: readonly TagFacts[];
  /** Form fields that the player answered, by their names in tags. */
  readonly questions: readonly string[];
  readonly answers: readonly AnswerFacts[];
  /** Absent or null if the game sent none. */
  readonly performance?:
    | { readonly platform: string; readonly rooms: readonly RoomPerformance[] }
    | null
    | undefined;
}

export interface TesterFacts {
  /** Equal for the same tester in every build of the game; null if it is not known who that is in other builds. */
  readonly tester: string | null;
  /** Whether the tester had played an earlier build of the game; null if that is not known. */
  readonly isReturning: boolean | null;
  /** Time from the first session to when these facts were read, in seconds. */
  readonly observedSec: number;
  /** In the order of their start. */
  readonly sessions: readonly SessionFacts[];
}

/** What the testers of a build did, without those who are not known to be one tester. */
export interface GroupFacts {
  /** Versions of the rules that found the tags of the sessions; null if they are not known. */
  readonly analysisVersions: readonly number[] | null;
  /** Versions of the rules that found the outcomes of rooms; null if they are not known. */
  readonly outcomeVersions: readonly number[] | null;
  readonly testers: readonly TesterFacts[];
}

export interface FormField {
  readonly field: string;
  readonly formName: string;
  readonly label: string;
}

/** The facts of a build, and what is known about the sessions that they leave out. */
export interface ReadFacts {
  readonly version: string;
  /** The testers that are compared: those with a device and an ended session. */
  readonly group: GroupFacts;
  /** The number of sessions that may still receive events, and of ended ones by the state of their analysis. */
  readonly sessions: {
    readonly open: number;
    readonly analyzed: number;
    readonly unanalyzed: number;
    readonly failed: number;
    /** Sessions that are left out, because they were received after the other build was registered. */
    readonly late?: number | undefined;
    /** Why most of the failed analyses failed. */
    readonly failure?: string | undefined;
  };
  /** Ended sessions without a device, whose testers are not known. They are not compared. */
  readonly anonymousSessions: number;
  readonly fields: readonly FormField[];
}
