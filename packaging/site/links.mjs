// Looks at each link of the built site: links.mjs DIRECTORY. The page has to be there, and what the anchor names.
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(process.argv[2]);
const ids = new Map();
const walk = (folder) =>
  fs.readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const file = path.join(folder, each.name);
    return each.isDirectory() ? walk(file) : [file];
  });
const idsOf = (file) => {
  if (!ids.has(file))
    ids.set(file, new Set([...fs.readFileSync(file, 'utf8').matchAll(/\s(?:id|name)="([^"]+)"/g)].map((each) => each[1])));
  return ids.get(file);
};
const plain = (text) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");

let links = 0;
const broken = new Set();
for (const file of walk(root).filter((each) => each.endsWith('.html') && !each.startsWith(path.join(root, 'javadoc')))) {
  const page = path.relative(root, file);
  for (const [, raw] of fs.readFileSync(file, 'utf8').matchAll(/<a [^>]*href="([^"]+)"/g)) {
    const href = plain(raw);
    if (/^[a-z]+:/.test(href)) continue;
    links++;
    const [target, hash] = href.split('#');
    let found = target ? path.join(target.startsWith('/') ? root : path.dirname(file), decodeURI(target)) : file;
    if (fs.existsSync(found) && fs.statSync(found).isDirectory()) found = path.join(found, 'index.html');
    if (!fs.existsSync(found)) broken.add(`${page}: ${href} is not there`);
    else if (hash && found.endsWith('.html') && !idsOf(found).has(decodeURIComponent(hash))) broken.add(`${page}: ${href} has no such anchor`);
  }
}
for (const each of broken) console.error(`site: ${each}`);
console.log(`${links} links, ${broken.size} broken`);
process.exit(broken.size || !links ? 1 : 0);
