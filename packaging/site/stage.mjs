// Lays the documents out for the generator: stage.mjs FROM TO. Links that lead out of docs lead to pages of the site, or to copies of files.
import fs from 'node:fs';
import path from 'node:path';

const [from, to] = process.argv.slice(2).map((each) => path.resolve(each));

/** Each document of the repository, and its place on the site. */
const pages = new Map();
const walk = (folder) =>
  fs.readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const file = path.join(folder, each.name);
    return each.isDirectory() ? walk(file) : [path.relative(from, file)];
  });
for (const file of walk(path.join(from, 'docs')).filter((each) => each.endsWith('.md')))
  pages.set(file, file === 'docs/README.md' ? 'map.md' : file.slice('docs/'.length));
pages.set('README.md', 'index.md');
for (const name of ['CHANGELOG', 'CONTRIBUTING', 'SECURITY', 'SUPPORT', 'CODE_OF_CONDUCT'])
  pages.set(`${name}.md`, `project/${name.toLowerCase().replaceAll('_', '-')}.md`);
for (const file of ['benchmarks/README.md', 'clients/python/README.md', 'clients/typescript/README.md', '.ci/findings/README.md'])
  if (fs.existsSync(path.join(from, file))) pages.set(file, `project/${file.replace('/README.md', '').replace('.ci/', '').replaceAll('/', '-')}.md`);

const problems = [];

function place(page, link) {
  if (/^[a-z]+:/.test(link) || link.startsWith('#')) return link;
  const [target, hash] = link.split('#');
  const file = path.normalize(path.join(path.dirname(page), target)).replace(/\/$/, '');
  const suffix = hash ? `#${hash}` : '';
  if (pages.has(file)) return `/${pages.get(file).replace(/(index)?\.md$/, '')}${suffix}`;
  const whole = path.join(from, file);
  if (!fs.existsSync(whole)) {
    problems.push(`${page} leads to ${link}, which is not there`);
    return link;
  }
  if (fs.statSync(whole).isDirectory()) return '/map';
  const picture = /\.(png|svg)$/.test(file);
  const copy = picture ? `/images/${path.basename(file)}` : `/source/${file}${/\.(txt|json|yaml|yml)$/.test(file) ? '' : '.txt'}`;
  const copied = path.join(to, 'public', copy);
  fs.mkdirSync(path.dirname(copied), { recursive: true });
  fs.copyFileSync(whole, copied);
  return copy + suffix;
}

/** Rewrites links, but not in code. */
function rewritten(page, text) {
  return text
    .split(/(^```[\s\S]*?^```$|(?<!`)`[^`\n]+`(?!`))/m)
    .map((part, index) =>
      index % 2
        ? part
        : part
            .replace(/\]\(([^)\s]+)\)/g, (whole, link) => `](${place(page, link)})`)
            .replace(/(src|srcset)="([^"]+)"/g, (whole, name, link) => `${name}="${place(page, link)}"`)
            .replace(/<!--[\s\S]*?-->\n?/g, ''),
    )
    .join('');
}

fs.rmSync(to, { recursive: true, force: true });
for (const [page, target] of pages) {
  const file = path.join(to, target);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, rewritten(page, fs.readFileSync(path.join(from, page), 'utf8')));
}
for (const each of problems) console.error(`site: ${each}`);
process.exit(problems.length ? 1 : 0);
