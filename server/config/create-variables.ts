import type { ConfigProblem } from './config-error.ts';

/** An environment as `process.env` is. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Bounds and default of a whole number. */
export type IntegerRange = { readonly default: number; readonly min: number; readonly max: number };

/** Reads variables one by one and keeps what is wrong with them, so that one start names every problem. */
export type Variables = {
  /** Set and not empty. */
  readonly text: (name: string) => string | undefined;
  readonly integer: (name: string, range: IntegerRange) => number;
  readonly oneOf: <const T extends string>(name: string, values: readonly T[], fallback: T) => T;
  /** Comma separated, trimmed, without empty items. */
  readonly list: (name: string) => readonly string[];
  /** Parses a text; `undefined` from `parse` is a problem, and then the fallback stands in for the value. */
  readonly parsed: <T>(
    name: string,
    parse: (text: string) => T | undefined,
    fallback: T,
    expected: { readonly problem: string; readonly remedy: string },
  ) => T;
  readonly refuse: (variable: string, problem: string, remedy: string) => void;
  readonly warn: (warning: string) => void;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
  /** The names that were asked for. */
  readonly known: ReadonlySet<string>;
};

/** Over one environment; nothing is read before it is asked for. */
export function createVariables(env: Environment): Variables {
  const problems: ConfigProblem[] = [];
  const warnings: string[] = [];
  const known = new Set<string>();

  const text = (name: string): string | undefined => {
    known.add(name);
    const value = env[name]?.trim();
    return value === '' ? undefined : value;
  };
  const refuse = (variable: string, problem: string, remedy: string): void =>
    void problems.push({ variable, problem, remedy });

  return {
    text,
    refuse,
    problems,
    warnings,
    known,
    warn: (warning) => void warnings.push(warning),
    integer(name, range) {
      const value = text(name);
      if (value === undefined) return range.default;
      const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= range.min && number <= range.max) return number;
      const bounds = `a whole number from ${range.min} to ${range.max}`;
      refuse(name, `"${value}" is not ${bounds}`, `Give ${bounds}, or leave it unset for ${range.default}`);
      return range.default;
    },
    oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T {
      const value = text(name);
      const found = value === undefined ? fallback : values.find((known) => known === value);
      if (found !== undefined) return found;
      refuse(name, `"${value ?? ''}" is not known`, `Give one of ${values.join(', ')}`);
      return fallback;
    },
    list(name) {
      const items = text(name)?.split(',') ?? [];
      return items.map((item) => item.trim()).filter((item) => item !== '');
    },
    parsed(name, parse, fallback, { problem, remedy }) {
      const value = text(name);
      if (value === undefined) return fallback;
      const result = parse(value);
      if (result !== undefined) return result;
      refuse(name, problem, remedy);
      return fallback;
    },
  };
}
