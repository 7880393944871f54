// An OpenID provider for tests: node oidc-provider.mjs PORT REDIRECT-URI
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

const require = createRequire(path.join(process.cwd(), 'index.js'));
const { Provider } = await import(pathToFileURL(require.resolve('oidc-provider')).href);
const [port, redirect] = process.argv.slice(2);
const groups = { ann: ['dba', 'ops'], otto: ['ops'], eve: ['sales'] };
const provider = new Provider(`http://127.0.0.1:${port}`, {
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
provider.listen(Number(port), '127.0.0.1', () => console.log('ready'));
