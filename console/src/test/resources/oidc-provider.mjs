// An OpenID provider for tests: says its port, reads the redirect URI from its standard input, and says that it is ready.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

const require = createRequire(path.join(process.cwd(), 'index.js'));
const { Provider } = await import(pathToFileURL(require.resolve('oidc-provider')).href);
const server = createServer();
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
const redirect = await new Promise(resolve => createInterface({ input: process.stdin }).once('line', resolve));
const groups = { ann: ['dba', 'ops'], otto: ['ops'], eve: ['sales'] };
const provider = new Provider(`http://127.0.0.1:${server.address().port}`, {
  clients: [{
    client_id: 'howdah', client_secret: 'the secret of the client', redirect_uris: [redirect],
    grant_types: ['authorization_code'], response_types: ['code'],
  }],
  claims: { openid: ['sub'], email: ['email'], profile: ['groups'] },
  conformIdTokenClaims: false,
  cookies: { keys: ['a key of a test'] },
  findAccount: (context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.com`, groups: groups[id] ?? [] }),
  }),
});
server.on('request', provider.callback());
console.log('ready');
