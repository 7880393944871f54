import fs from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';
import { anchor } from './anchors.mjs';

const version = process.env.HOWDAH_VERSION ?? 'next';

/** The groups of the sidebar are those of the map of the documents: its headings, and the first link of each row. */
function sidebar() {
  const map = fs.readFileSync(path.join(process.env.HOWDAH_SITE, 'map.md'), 'utf8');
  return map
    .split(/^## /m)
    .map((section, index) => ({
      text: index ? section.split('\n')[0] : 'Start',
      collapsed: index > 1,
      items: [...section.matchAll(/^\| (.*?) \|/gm)].flatMap((row) =>
        [...row[1].matchAll(/\[(.*?)\]\((\/[^)]*)\)/g)].map((link) => ({
          text: link[1].replaceAll('`', ''),
          link: link[2],
        })),
      ),
    }))
    .filter((group) => group.items.length);
}

export default defineConfig({
  title: 'Howdah',
  description: 'Asynchronous work for PostgreSQL: tasks, jobs, processes and sweeps',
  lang: 'en',
  srcDir: process.env.HOWDAH_SITE,
  outDir: process.env.HOWDAH_OUT,
  cacheDir: path.join(process.env.HOWDAH_OUT, '..', 'site-cache'),
  base: process.env.HOWDAH_BASE ?? '/',
  cleanUrls: false,
  lastUpdated: false,
  // Pages of other generators and copies of files are looked at by links.mjs, which sees what was built.
  ignoreDeadLinks: [/^\/source\//, /^\/javadoc\//, /^\/openapi/],
  markdown: {
    anchor: { slugify: anchor },
    theme: { light: 'github-light', dark: 'github-dark' },
    // The documents are Markdown alone: curly brackets in them are those of templates that they are about.
    config(md) {
      for (const rule of ['code_inline', 'text']) {
        const render = md.renderer.rules[rule];
        md.renderer.rules[rule] = (...all) => render(...all).replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Which one?', link: '/choose' },
      { text: 'Cookbook', link: '/cookbook' },
      { text: 'Map', link: '/map' },
      {
        text: version,
        items: [
          { text: 'Changes', link: '/project/changelog' },
          { text: 'Compatibility', link: '/operations/versions' },
          { text: 'Javadoc', link: '/javadoc/index.html', target: '_self' },
          { text: 'OpenAPI', link: '/openapi.json', target: '_self' },
        ],
      },
    ],
    sidebar: sidebar(),
    footer: { message: 'Apache License 2.0', copyright: 'The Howdah maintainers' },
  },
});
