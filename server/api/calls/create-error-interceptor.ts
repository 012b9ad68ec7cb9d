import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';

import { answeredKey } from './create-call-observer.ts';
import { toConnectError, withErrorInfo, type ReportInternal } from './to-connect-error.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Turns whatever a handler throws into what its caller shall see, and ends a call at its deadline or when its peer has
 * left even if the handler does not look at its signal. The outermost interceptor.
 */
export function createErrorInterceptor(reportInternal: ReportInternal): Interceptor {
  return (next) => async (request) => {
    const { signal, contextValues } = request;
    const convert = (error: unknown): ConnectError =>
      signal.aborted && isAbort(error, signal) ? abortedError(signal) : toConnectError(error, reportInternal);
    try {
      const response = await untilAborted(next(request), signal);
      if (response.stream) {
        const onEnd = () => contextValues.set(answeredKey, true);
        return { ...response, message: convertStream(response.message, { signal, convert, onEnd }) };
      }
      contextValues.set(answeredKey, true);
      return response;
    } catch (error) {
      throw convert(error);
    }
  };
}

type StreamDeps = {
  readonly signal: AbortSignal;
  readonly convert: (error: unknown) => ConnectError;
  readonly onEnd: () => void;
};

async function* convertStream<T>(
  messages: AsyncIterable<T>,
  { signal, convert, onEnd }: StreamDeps,
): AsyncIterable<T> {
  const iterator = messages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const item = await untilAborted(iterator.next(), signal);
      if (item.done === true) break;
      yield item.value;
    }
    onEnd();
  } catch (error) {
    throw convert(error);
  } finally {
    // Not awaited: a handler that waits for something else would hold the call's end.
    iterator.return?.().then(undefined, () => undefined);
  }
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}

function abortedError({ reason }: AbortSignal): ConnectError {
  return reason instanceof ConnectError
    ? withErrorInfo(reason)
    : withErrorInfo(new ConnectError('the caller left', Code.Canceled));
}
