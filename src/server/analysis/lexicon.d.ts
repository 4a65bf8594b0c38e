/** Types for the package sentiment, which ships none. Only what this project uses is declared. */
declare module "sentiment" {
  export default class Sentiment {
    /** The valence of a text: `score` is the sum over its words, `comparative` the average per word. */
    analyze(text: string): { score: number; comparative: number };
  }
}
