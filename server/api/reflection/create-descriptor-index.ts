import { toBinary, type DescExtension, type DescFile, type DescService } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

/** The descriptors behind the served services, with all that they import. */
export type DescriptorIndex = {
  readonly serviceNames: readonly string[];
  readonly fileNamed: (name: string) => DescFile | undefined;
  /** By the full name of a message, enum, service, method, field or extension. */
  readonly fileOfSymbol: (symbol: string) => DescFile | undefined;
  readonly extensionsOf: (typeName: string) => readonly DescExtension[];
  /** A file and everything it imports, each once and serialized, imports first. */
  readonly serializeWithImports: (file: DescFile) => readonly Uint8Array[];
};

/** Walks the imports once. */
export function createDescriptorIndex(services: readonly DescService[]): DescriptorIndex {
  const files = new Map<string, DescFile>();
  for (const service of services) for (const file of withImports(service.file)) files.set(nameOf(file), file);
  const symbols = new Map(
    [...files.values()].flatMap((file) => symbolsOf(file).map((symbol) => [symbol, file] as const)),
  );
  const extensions = [...files.values()].flatMap((file) => [...extensionsIn(file)]);

  return {
    serviceNames: services.map((service) => service.typeName),
    fileNamed: (name) => files.get(name),
    fileOfSymbol: (symbol) => symbols.get(symbol),
    extensionsOf: (typeName) => extensions.filter((extension) => extension.extendee.typeName === typeName),
    serializeWithImports: (file) =>
      withImports(file).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto)),
  };
}

/** A `DescFile` is named without its ending. */
function nameOf(file: DescFile): string {
  return file.proto.name;
}

function withImports(file: DescFile, seen = new Set<string>()): DescFile[] {
  if (seen.has(nameOf(file))) return [];
  seen.add(nameOf(file));
  return [...file.dependencies.flatMap((imported) => withImports(imported, seen)), file];
}

type Scope = Pick<DescFile, 'messages' | 'enums' | 'extensions'> | DescFile['messages'][number];

function symbolsOf(file: DescFile): string[] {
  const services = file.services.flatMap((service) => [
    service.typeName,
    ...service.methods.map((method) => `${service.typeName}.${method.name}`),
  ]);
  return [...services, ...symbolsIn(file)];
}

function symbolsIn(scope: Scope): string[] {
  const { messages, enums, extensions } = contentsOf(scope);
  return [
    ...enums.map(({ typeName }) => typeName),
    ...extensions.map(({ typeName }) => typeName),
    ...messages.flatMap((message) => [
      message.typeName,
      ...message.fields.map((field) => `${message.typeName}.${field.name}`),
      ...symbolsIn(message),
    ]),
  ];
}

function extensionsIn(scope: Scope): DescExtension[] {
  const { messages, extensions } = contentsOf(scope);
  return [...extensions, ...messages.flatMap((message) => extensionsIn(message))];
}

function contentsOf(scope: Scope) {
  if (!('nestedMessages' in scope)) return scope;
  return { messages: scope.nestedMessages, enums: scope.nestedEnums, extensions: scope.nestedExtensions };
}
