import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { ActiveCall } from './start-call.ts';

/** Sends `messages` at the pace at which the call takes them. An error in `messages` ends the call with that error. */
export async function sendAll<I extends DescMessage>(
  call: ActiveCall,
  messages: AsyncIterable<MessageShape<I>>,
  schema: I,
): Promise<void> {
  try {
    for await (const message of messages) await call.send(toBinary(schema, message));
    call.finishSending();
  } catch (error) {
    call.cancel(error);
  }
}

/** The one message of a unary call, once its status is known to be OK. */
export async function readOne<O extends DescMessage>(call: ActiveCall, schema: O): Promise<MessageShape<O>> {
  const bytes = await call.read();
  if (bytes === undefined) throw new ConnectError('the server answered OK without a message', Code.Internal);
  const message = parse(schema, bytes);
  // The status comes after the message and may still be an error.
  if ((await call.read()) === undefined) return message;
  const error = new ConnectError('the server sent more than one message', Code.Internal);
  call.cancel(error);
  throw error;
}

/** The messages of a stream, each read when it is asked for. Throws when the call ends with an error. */
export async function* readAll<O extends DescMessage>(
  call: ActiveCall,
  schema: O,
): AsyncGenerator<MessageShape<O>> {
  for (let bytes = await call.read(); bytes !== undefined; bytes = await call.read())
    yield parse(schema, bytes);
}

function parse<O extends DescMessage>(schema: O, bytes: Uint8Array): MessageShape<O> {
  try {
    return fromBinary(schema, bytes);
  } catch (error) {
    throw new ConnectError(
      `a ${schema.typeName} can not be read`,
      Code.Internal,
      undefined,
      undefined,
      error,
    );
  }
}
