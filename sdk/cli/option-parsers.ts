import { InvalidArgumentError } from 'commander';
import { givenNames, isGivenName } from '../client/enum-names.ts';
import type { GivenName } from '../client/enum-names.ts';
import { parseDuration, parseInstant } from './parse-duration.ts';

/** For commander: a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}.`);
  };
}

/** For commander: a duration, in milliseconds. */
export function duration(text: string): number {
  return orInvalid(() => parseDuration(text));
}

/** For commander: an instant, or a duration from now. */
export function instant(text: string): Date {
  return orInvalid(() => parseInstant(text, Date.now()));
}

/** For commander: a name of an enum, in any case, with `-` for `_`. */
export function enumName<E extends Readonly<Record<string, number>>>(names: E) {
  return (text: string): GivenName<E> => {
    const name = text.trim().toUpperCase().replaceAll('-', '_');
    if (isGivenName(names, name)) return name;
    throw new InvalidArgumentError(`expected ${givenNames(names).join(', ').toLowerCase()}.`);
  };
}

/** For commander: names of an enum, separated by commas; an option that is repeated adds to them. */
export function enumNames<E extends Readonly<Record<string, number>>>(names: E) {
  const parse = enumName(names);
  return (text: string, before: readonly GivenName<E>[] = []): GivenName<E>[] => [
    ...before,
    ...text.split(',').map(parse),
  ];
}

function orInvalid<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}
