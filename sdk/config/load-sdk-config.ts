/** Where the API is and who asks. */
export type SdkConfig = {
  /** One or several addresses, separated by commas. */
  readonly url: string;
  readonly key: string | undefined;
};

/** The API of a platform that was started with `npm start`. */
export const DEFAULT_URL = 'http://127.0.0.1:7070';

/** Reads `DECORUM_URL` (default `http://127.0.0.1:7070`) and `DECORUM_KEY`. Empty counts as unset. */
export function loadSdkConfig(env: Readonly<Record<string, string | undefined>> = process.env): SdkConfig {
  return {
    url: trimmed(env['DECORUM_URL']) ?? DEFAULT_URL,
    key: trimmed(env['DECORUM_KEY']),
  };
}

function trimmed(text: string | undefined): string | undefined {
  const value = text?.trim();
  return value === '' ? undefined : value;
}
