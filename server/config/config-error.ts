/** One thing that is wrong with the environment. */
export type ConfigProblem = {
  /** The variable to change. */
  readonly variable: string;
  /** What is wrong. Never repeats a value that may hold a secret. */
  readonly problem: string;
  /** What to do. */
  readonly remedy: string;
};

/** The environment cannot be used. `problems` has all that was found; `message` is the text to show. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ variable, problem, remedy }) => `  ${variable}: ${problem}. ${remedy}.`);
    super(`The configuration cannot be used:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}
