import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePasswd } from './service-user.ts';

test('users are read from passwd(5) lines; root, comments and nonsense are left out', () => {
  const text =
    'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65533:nobody:/:/sbin/nologin\n\n# x\nodd:x:abc:1::\n';
  assert.deepEqual(parsePasswd(text), [{ name: 'nobody', uid: 65534, gid: 65533 }]);
});
