(() => {
  // Problems of a page that axe does not call serious: too small to be hit, headings and ids out of order; empty: none.
  const problems = [];
  const say = (element, text) => problems.push(text + ': ' + element.outerHTML.slice(0, 120));
  const isSeen = element => element.checkVisibility({ checkVisibilityCSS: true }) && !element.closest('.hidden, .skip, dialog:not([open])');
  const ids = [...document.querySelectorAll('[id]')].map(each => each.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) problems.push('the id ' + id + ' twice');
  let level = 0;
  for (const each of document.querySelectorAll('main h1, main h2, main h3')) {
    const next = Number(each.tagName[1]);
    if (next > level + 1) say(each, 'a level of headings is left out');
    level = next;
  }
  for (const each of document.querySelectorAll('button, select, textarea, input:not([type=hidden]):not([type=checkbox])'))
    if (isSeen(each) && each.getBoundingClientRect().height < 24) say(each, 'less than 24 pixels high');
  return [...new Set(problems)].slice(0, 20).join('\n');
})()
