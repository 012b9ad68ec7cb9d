import type { DescMethod, DescService } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';

import { DomainError } from '../../runtime/domain-error.ts';

/** Adds to a service the methods it lacks: they answer UNIMPLEMENTED, after authentication and role check. */
export function completeService<Desc extends DescService>(
  service: Desc,
  built: Partial<ServiceImpl<Desc>>,
): ServiceImpl<Desc> {
  const missing = service.methods.map((method) => [method.localName, () => throwNotBuilt(method)] as const);
  return { ...Object.fromEntries(missing), ...built } as ServiceImpl<Desc>;
}

function throwNotBuilt(method: DescMethod): never {
  throw new DomainError({
    kind: 'not_built',
    reason: 'NOT_BUILT_YET',
    message: `${method.name} is part of the contract and not built yet`,
  });
}
