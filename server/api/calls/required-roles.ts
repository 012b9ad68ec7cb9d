import { getOption, type DescMethod, type DescService } from '@bufbuild/protobuf';
import { Role, roles as rolesOption } from '@decorum/proto/decorum/access/v1/access_pb.ts';

import type { CallerRole } from '../caller.ts';

const CALLER_ROLE: Readonly<Record<Exclude<Role, typeof Role.UNSPECIFIED>, CallerRole>> = {
  [Role.TENANT]: 'tenant',
  [Role.FETCHER]: 'fetcher',
  [Role.LEGAL]: 'legal',
  [Role.FINANCE]: 'finance',
  [Role.OPERATOR]: 'operator',
};

/** The roles that may call a method; empty when it declares none. */
export function requiredRoles(method: DescMethod): readonly CallerRole[] {
  return getOption(method, rolesOption).flatMap((role) => {
    const known: CallerRole | undefined = role === Role.UNSPECIFIED ? undefined : CALLER_ROLE[role];
    return known === undefined ? [] : [known];
  });
}

/** Anyone may call: health and reflection, which say nothing that the public .proto files do not. */
export function isPublic(service: DescService): boolean {
  return !service.typeName.startsWith('decorum.');
}

/** Throws when a method of ours declares no role, so that none is open by oversight. */
export function assertRolesDeclared(services: readonly DescService[]): void {
  const open = services
    .filter((service) => !isPublic(service))
    .flatMap((service) => service.methods)
    .filter((method) => requiredRoles(method).length === 0)
    .map((method) => `${method.parent.typeName}.${method.name}`);
  if (open.length > 0)
    throw new Error(`methods without the option decorum.access.v1.roles: ${open.join(', ')}`);
}
