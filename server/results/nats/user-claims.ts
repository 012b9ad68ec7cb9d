/** Subjects a user may publish to and subscribe to; everything when absent. */
export type UserPermissions = { publish: string[]; subscribe: string[] };

/** The `nats` part of a user's JWT, signed by the account itself. */
export function userClaims(permissions?: UserPermissions): Record<string, unknown> {
  return {
    type: 'user',
    version: 2,
    pub: permissions === undefined ? {} : { allow: permissions.publish },
    sub: permissions === undefined ? {} : { allow: permissions.subscribe },
    subs: -1,
    data: -1,
    payload: -1,
  };
}
