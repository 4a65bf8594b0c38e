/** The types of the package sentiment, which brings none: what is used of it. */
declare module "sentiment" {
  export default class Sentiment {
    /** The valence of a text: summed over its words, and a word on average. */
    analyze(text: string): { score: number; comparative: number };
  }
}
