import { redact } from './redact.ts';

/** From least to most urgent. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** How urgent a line is. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * What a line may carry beside its message: ids, counts, durations, codes. Never a URL, host, key or secret; those are
 * taken out of texts, but not out of what is spelled another way.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | bigint | undefined>>;

/** Writes one line; `cause` is the error behind it, if there is one. */
export type LogAt = (message: string, fields?: LogFields, cause?: unknown) => void;

/** Writes structured lines. `with` answers a logger that adds fields to each line. */
export type Logger = Readonly<Record<LogLevel, LogAt>> & { readonly with: (fields: LogFields) => Logger };

/** How a logger writes. */
export type LoggerOptions = {
  /** Lines below it are dropped. Default `info`. */
  readonly level?: LogLevel;
  readonly wallMs?: () => number;
  /** Takes one line with its newline. Default: standard error. */
  readonly write?: (line: string) => void;
};

/**
 * A logger of JSON lines: `time`, `level`, `message`, the fields, and `cause` as an array from the error down to its
 * root. Logging never throws.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const wallMs = options.wallMs ?? Date.now;
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const lowest = LOG_LEVELS.indexOf(options.level ?? 'info');

  const withFields = (base: LogFields): Logger => {
    const at =
      (level: LogLevel): LogAt =>
      (message, fields, cause) => {
        if (LOG_LEVELS.indexOf(level) < lowest) return;
        const time = new Date(wallMs()).toISOString();
        const causes = cause === undefined ? {} : { cause: describeCauses(cause) };
        write(`${toJson({ time, level, message, ...base, ...fields, ...causes })}\n`);
      };
    const levels = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
    return { ...levels, with: (fields) => withFields({ ...base, ...fields }) };
  };
  return withFields({});
}

function toJson(line: Record<string, unknown>): string {
  return JSON.stringify(line, (_key, value: unknown) => {
    if (typeof value === 'string') return redact(value);
    return typeof value === 'bigint' ? value.toString() : value;
  });
}

const CAUSES_MAX = 5;

function describeCauses(error: unknown): object[] {
  const causes: object[] = [];
  for (let at = error; at !== undefined && at !== null && causes.length < CAUSES_MAX;) {
    if (!(at instanceof Error)) {
      causes.push({ message: typeof at === 'string' ? at : typeof at });
      break;
    }
    const code = 'code' in at && typeof at.code === 'string' ? at.code : undefined;
    causes.push({ name: at.name, code, message: at.message, stack: at.stack });
    at = at.cause;
  }
  return causes;
}
