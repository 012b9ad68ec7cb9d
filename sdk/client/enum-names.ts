/** A generated enum: an object of names and numbers. */
type EnumObject = Readonly<Record<string, number>>;

/** The names of a generated enum, as the proto spells them without their prefix; `UNSPECIFIED` among them. */
export type EnumName<E extends EnumObject> = Extract<keyof E, string>;

/** The names that a caller may give. */
export type GivenName<E extends EnumObject> = Exclude<EnumName<E>, 'UNSPECIFIED'>;

/** The name of an enum's number; `UNSPECIFIED` for one that only a newer server knows. */
export function nameOf<E extends EnumObject>(names: E, value: number): EnumName<E> | 'UNSPECIFIED' {
  for (const [name, number] of Object.entries(names)) {
    if (number === value && isName(names, name)) return name;
  }
  return 'UNSPECIFIED';
}

/** The name of an enum's number; `undefined` where the server said nothing. */
export function givenNameOf<E extends EnumObject>(names: E, value: number): GivenName<E> | undefined {
  const name = nameOf(names, value);
  return isGiven<E>(name) ? name : undefined;
}

/** Whether `text` is a name that a caller may give. */
export function isGivenName<E extends EnumObject>(names: E, text: string): text is GivenName<E> {
  return text !== 'UNSPECIFIED' && isName(names, text);
}

/** The names that a caller may give, in the proto's order. */
export function givenNames<E extends EnumObject>(names: E): GivenName<E>[] {
  return Object.keys(names).filter((name) => isGivenName(names, name));
}

function isName<E extends EnumObject>(names: E, text: string): text is EnumName<E> {
  return Object.hasOwn(names, text);
}

function isGiven<E extends EnumObject>(name: EnumName<E> | 'UNSPECIFIED'): name is GivenName<E> {
  return name !== 'UNSPECIFIED';
}
