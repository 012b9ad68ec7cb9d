/** What one check found. */
export type Finding = {
  readonly check: string;
  /** `warn`: works now, or could not be looked at; `fail`: something does not work. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; for `warn` and `fail`. */
  readonly remedy?: string;
};

/** A finding that is well. */
export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail };
}

/** A finding that an operator should look at. */
export function warn(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'warn', detail, remedy };
}

/** A finding that stops something from working. */
export function fail(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'fail', detail, remedy };
}
