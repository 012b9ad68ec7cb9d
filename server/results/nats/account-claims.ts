/** A service that an account offers; only accounts that hold an activation token for a subject can use it. */
export type AccountExport = { name: string; subject: string; responseType: 'Singleton' | 'Stream' };

/** A service that an account uses: requests on `localSubject` go to `subject` in the account that exports it. */
export type AccountImport = {
  name: string;
  subject: string;
  localSubject: string;
  /** Public key of the exporting account. */
  account: string;
  activationToken: string;
};

/** What an account may do and use. JetStream is either unlimited (streams carry their own bounds) or absent. */
export type AccountPlan = {
  jetstream: boolean;
  exports: AccountExport[];
  imports: AccountImport[];
  connectionsMax: number;
  subscriptionsMax: number;
  /** Largest message a client of the account may publish, bytes. */
  payloadBytesMax: number;
};

const UNLIMITED = -1;

/** The `nats` part of an account's JWT. */
export function accountClaims(plan: AccountPlan): Record<string, unknown> {
  const storage = plan.jetstream ? UNLIMITED : 0;
  return {
    type: 'account',
    version: 2,
    exports: plan.exports.map((it) => ({
      name: it.name,
      subject: it.subject,
      type: 'service',
      response_type: it.responseType,
      token_req: true,
    })),
    imports: plan.imports.map((it) => ({
      name: it.name,
      subject: it.subject,
      local_subject: it.localSubject,
      account: it.account,
      token: it.activationToken,
      type: 'service',
    })),
    limits: {
      conn: plan.connectionsMax,
      subs: plan.subscriptionsMax,
      payload: plan.payloadBytesMax,
      data: UNLIMITED,
      leaf: 0,
      imports: plan.imports.length,
      exports: plan.exports.length,
      wildcards: true,
      mem_storage: storage,
      disk_storage: storage,
      streams: storage,
      consumer: storage,
    },
    default_permissions: { pub: {}, sub: {} },
  };
}
