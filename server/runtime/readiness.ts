/** What a process is ready for: the parts that are not, each with a reason for people. */
export type ReadinessState = {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
};

/**
 * Whether this process should be given work. Each part reports for itself; the process is ready when every part that
 * ever reported is.
 */
export type Readiness = {
  /** `undefined` says that the part is ready; a text says why it is not, without secrets. */
  readonly report: (part: string, problem: string | undefined) => void;
  readonly current: () => ReadinessState;
  /** Calls back after each change until the answered function is called. */
  readonly subscribe: (onChange: (state: ReadinessState) => void) => () => void;
};

/** Starts ready, with no parts. A part that needs time to start reports a problem before it is waited for. */
export function createReadiness(): Readiness {
  const parts = new Map<string, string>();
  const subscribers = new Set<(state: ReadinessState) => void>();
  const current = (): ReadinessState => {
    const entries = [...parts].sort(([a], [b]) => a.localeCompare(b));
    return {
      ready: [...parts.values()].every((state) => state === 'ok'),
      parts: Object.fromEntries(entries),
    };
  };

  return {
    current,
    report(part, problem) {
      const state = problem ?? 'ok';
      if (parts.get(part) === state) return;
      parts.set(part, state);
      for (const onChange of subscribers) onChange(current());
    },
    subscribe(onChange) {
      subscribers.add(onChange);
      return () => void subscribers.delete(onChange);
    },
  };
}
