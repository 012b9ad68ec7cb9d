import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { Code, type ServiceImpl } from '@connectrpc/connect';
import type {
  ServerReflection,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from '@decorum/proto/grpc/reflection/v1/reflection_pb.ts';
import type { ServerReflection as ServerReflectionAlpha } from '@decorum/proto/grpc/reflection/v1alpha/reflection_pb.ts';

import type { DescriptorIndex } from './create-descriptor-index.ts';

type ReflectionRequest = Pick<MessageShape<typeof ServerReflectionRequestSchema>, 'host' | 'messageRequest'>;
type Answer = NonNullable<
  Extract<MessageInitShape<typeof ServerReflectionResponseSchema>, { messageResponse?: unknown }>
>;
type Response = NonNullable<Answer['messageResponse']>;

/**
 * `grpc.reflection.v1`: tells clients without our .proto files what is served. v1alpha is the same on the wire and in
 * shape, so the same handlers serve it.
 */
export function reflectionHandlers<Service extends typeof ServerReflection | typeof ServerReflectionAlpha>(
  index: DescriptorIndex,
): ServiceImpl<Service> {
  const v1: ServiceImpl<typeof ServerReflection> = {
    async *serverReflectionInfo(requests) {
      for await (const request of requests) {
        yield { validHost: request.host, originalRequest: request, messageResponse: answer(request, index) };
      }
    },
  };
  return v1 as ServiceImpl<Service>;
}

function answer({ messageRequest }: ReflectionRequest, index: DescriptorIndex): Response {
  switch (messageRequest.case) {
    case 'listServices':
      return {
        case: 'listServicesResponse',
        value: { service: index.serviceNames.map((name) => ({ name })) },
      };
    case 'fileByFilename':
      return filesOf(index.fileNamed(messageRequest.value), index);
    case 'fileContainingSymbol':
      return filesOf(index.fileOfSymbol(messageRequest.value), index);
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = messageRequest.value;
      const found = index.extensionsOf(containingType).find(({ number }) => number === extensionNumber);
      return filesOf(found?.file, index);
    }
    case 'allExtensionNumbersOfType':
      return {
        case: 'allExtensionNumbersResponse',
        value: {
          baseTypeName: messageRequest.value,
          extensionNumber: index.extensionsOf(messageRequest.value).map(({ number }) => number),
        },
      };
    case undefined:
      return failure(Code.InvalidArgument, 'set one field of message_request');
  }
}

function filesOf(
  file: Parameters<DescriptorIndex['serializeWithImports']>[0] | undefined,
  index: DescriptorIndex,
): Response {
  if (file === undefined) return failure(Code.NotFound, 'nothing of that name is served');
  return {
    case: 'fileDescriptorResponse',
    value: { fileDescriptorProto: [...index.serializeWithImports(file)] },
  };
}

function failure(errorCode: Code, errorMessage: string): Response {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}
