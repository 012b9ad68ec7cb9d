import { decodeBinaryHeader, encodeBinaryHeader } from '@connectrpc/connect';
import type { MetadataOptions } from '@grpc/grpc-js';
import { Metadata } from '@grpc/grpc-js';

/** Fetch `Headers` as gRPC metadata; values of `-bin` names are decoded from Base64. */
export function toMetadata(headers: Headers, options: MetadataOptions): Metadata {
  const metadata = new Metadata(options);
  for (const [name, value] of headers) {
    metadata.add(name, name.endsWith('-bin') ? Buffer.from(decodeBinaryHeader(value)) : value);
  }
  return metadata;
}

/** Appends gRPC metadata to `headers`; binary values are written as Base64. */
export function appendMetadata(headers: Headers, metadata: Metadata): void {
  for (const name of Object.keys(metadata.getMap())) {
    for (const value of metadata.get(name)) {
      headers.append(name, typeof value === 'string' ? value : encodeBinaryHeader(value));
    }
  }
}
