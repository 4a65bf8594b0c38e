/** The version of the analysis rules, stored with each result. */

/**
 * Raise it whenever the findings of a rule can change for stored events: its conditions, counts, tags, strengths, claims or moments,
 * or what is stored about sessions and rooms.
 * Changes of wording alone do not need a new version. Sessions that were analyzed with a lower version are analyzed again
 * in the background. A version that only changes titles belongs into `SAME_FACTS`, so that builds stay comparable meanwhile. Version 1 means every analysis from before versions were stored.
 */
export const ANALYSIS_VERSION = 9;

/** The first version that stores what sessions did in their rooms, and whether they crashed. */
export const OUTCOMES_VERSION = 3;

/**
 * The version of the summaries of builds and testers, stored with each one. Raise it whenever the text for the same facts changes.
 * Summaries of a lower version are written again in the background, except those that a model wrote.
 */
export const SUMMARY_VERSION = 1;
