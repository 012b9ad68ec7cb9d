import type { DescService } from '@bufbuild/protobuf';
import type { Client, Transport } from '@connectrpc/connect';
import { createClient } from '@connectrpc/connect';
import { toDecorumError } from './decorum-error.ts';

/** A typed client of one service whose calls and streams throw `DecorumError`. */
export function createApiClient<S extends DescService>(service: S, transport: Transport): Client<S> {
  const client = createClient(service, transport);
  const methods = Object.entries(client as Record<string, ApiCall>).map(([name, call]) => [name, wrap(call)]);
  return Object.fromEntries(methods) as Client<S>;
}

type ApiCall = (...inputs: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;

function wrap(call: ApiCall): ApiCall {
  return (...inputs) => {
    const answer = call(...inputs);
    return answer instanceof Promise ? answer.catch(throwDecorumError) : wrapStream(answer);
  };
}

async function* wrapStream(stream: AsyncIterable<unknown>): AsyncGenerator {
  try {
    yield* stream;
  } catch (error) {
    throwDecorumError(error);
  }
}

function throwDecorumError(error: unknown): never {
  throw toDecorumError(error);
}
