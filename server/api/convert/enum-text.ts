import type { DescEnum } from '@bufbuild/protobuf';
import type { GenEnum } from '@bufbuild/protobuf/codegenv2';

/** A proto enum's value as the store and the stages name it: without the enum's prefix, as `HTTP_RETRYABLE`. */
export function enumText(schema: DescEnum, value: number): string {
  const prefix = schema.sharedPrefix ?? '';
  const name = schema.value[value]?.name ?? schema.values[0]?.name ?? '';
  return name.toUpperCase().startsWith(prefix.toUpperCase()) ? name.slice(prefix.length) : name;
}

/** The number of a value named so; 0 (unspecified) for a name that the enum does not have. */
export function enumValue<V extends number>(schema: GenEnum<V>, text: string): V {
  return (schema.values.find(({ number }) => enumText(schema, number) === text)?.number ?? 0) as V;
}
